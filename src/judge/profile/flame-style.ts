import { oldScale, type StackDifference } from './stack-difference.ts'
import { countsDiffer, sharesDiffer } from './thresholds.ts'

/** Colours and styles of flame graphs, light and dark. */

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

/** The colours of one theme, as `#rrggbb`. */
interface FlamePalette {
  readonly page: string
  readonly text: string
  readonly muted: string
  readonly line: string
  /** The colour of the words in a frame, on every fill. */
  readonly label: string
  /** The outline of what was searched for, of what has the focus. */
  readonly mark: string
  readonly fills: Readonly<Record<ChangeStep, string>>
}

/**
 * Orange is more, blue is less: the pair that people with any common colour blindness tell apart. The further from no
 * change, the further the lightness is from that of the page; and the label's sign says the direction without colours.
 */
export const LIGHT_PALETTE: FlamePalette = {
  page: '#ffffff',
  text: '#1b2026',
  muted: '#525c68',
  line: '#ffffff',
  label: '#14181d',
  mark: '#7a1fa2',
  fills: {
    [-3]: '#4b8fd6',
    [-2]: '#8fbdec',
    [-1]: '#cfe3f8',
    0: '#e4e7eb',
    1: '#fde0c0',
    2: '#f9b566',
    3: '#e57f12',
  },
}

export const DARK_PALETTE: FlamePalette = {
  page: '#14181d',
  text: '#e4e8ed',
  muted: '#a5afbb',
  line: '#14181d',
  label: '#f5f7fa',
  mark: '#e6a8ff',
  fills: {
    [-3]: '#2e6bbd',
    [-2]: '#27507f',
    [-1]: '#253a52',
    0: '#333a43',
    1: '#4d3a24',
    2: '#7a4a12',
    3: '#a85a00',
  },
}

/** How much more or less a frame has on the new side, in steps that a legend can name: below 0 less, above 0 more. */
export type ChangeStep = -3 | -2 | -1 | 0 | 1 | 2 | 3

/**
 * Ratios at which a step begins, and the inverse ones for less. The first is the smallest change that the measurements of
 * queries are flagged for by default, the last one is double or half; between them is the geometric middle, rounded.
 * Triggers the first: 1,000 samples against 1,050. Doesn't: 1,000 against 1,049.
 */
export const STEP_RATIOS = [1.05, 1.25, 2] as const

/**
 * Gives the step of each node: of its counts, or normalised of its shares. `judged`: the counts are samples, and what
 * may be chance is 0.
 */
export function changeSteps(
  difference: StackDifference,
  normalize: boolean,
  judged: boolean,
): (node: number) => ChangeStep {
  const { old, new: fresh } = difference
  const scale = oldScale(difference, normalize)
  return (node) => {
    const before = old.total[node]!
    const after = fresh.total[node]!
    const differs = normalize ? sharesDiffer(before, old.sum, after, fresh.sum) : countsDiffer(before, after)
    return judged && !differs ? 0 : stepOf(before * scale, after)
  }
}

function stepOf(before: number, after: number): ChangeStep {
  if (before === after) return 0
  const more = after > before
  const ratio = more ? after / before : before / after
  const size = STEP_RATIOS.filter((start) => ratio >= start).length as 0 | 1 | 2 | 3
  return (more ? size : size === 0 ? 0 : -size) as ChangeStep
}
