import type { ChangeStep } from './change-step.ts'
import { DARK_PALETTE, type FlamePalette, LIGHT_PALETTE } from './flame-palette.ts'

const STEPS: readonly ChangeStep[] = [-3, -2, -1, 0, 1, 2, 3]

/** `less3` … `same` … `more3` */
export function stepClass(step: ChangeStep): string {
  return step === 0 ? 'same' : step > 0 ? `more${step}` : `less${-step}`
}

/** The style sheet of a flame graph, which changes nothing but flame graphs. */
export function flameStyle(): string {
  return `
.flame-graph{color-scheme:light dark;background:var(--page);max-width:100%;height:auto;${variables(LIGHT_PALETTE)}}
@media(prefers-color-scheme:dark){.flame-graph{${variables(DARK_PALETTE)}}}
.flame-graph text{font:11px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:var(--text)}
.flame-graph .name{font:600 16px system-ui,sans-serif}
.flame-graph .about,.flame-graph .detail{font:13px system-ui,sans-serif;fill:var(--muted)}
.flame-graph .detail{fill:var(--text)}
.flame-graph .f text,.flame-graph .legend g text{fill:var(--label);pointer-events:none}
.flame-graph .f rect{stroke:var(--line);stroke-width:.5}
.flame-graph .f:hover rect,.flame-graph .f:focus rect{stroke:var(--label);stroke-width:1.5}
.flame-graph .f:focus{outline:none}
.flame-graph .f.found rect{stroke:var(--mark);stroke-width:2}
.flame-graph .f.found text{font-weight:700}
.flame-graph .f.around{opacity:.8}
.flame-graph .under{fill:var(--page)}
.flame-graph .controls{display:flex;gap:6px;justify-content:flex-end;align-items:center;font:13px system-ui,sans-serif;color:var(--text)}
.flame-graph .controls input,.flame-graph .controls button{font:inherit}
.flame-graph .controls input{width:150px}
${STEPS.map((step) => `.flame-graph .${stepClass(step)} rect{fill:var(--${stepClass(step)})}`).join('\n')}
`
}

function variables({ page, text, muted, line, label, mark, fills }: FlamePalette): string {
  const named = { page, text, muted, line, label, mark }
  return [
    ...Object.entries(named).map(([name, colour]) => `--${name}:${colour}`),
    ...STEPS.map((step) => `--${stepClass(step)}:${fills[step]}`),
  ].join(';')
}
