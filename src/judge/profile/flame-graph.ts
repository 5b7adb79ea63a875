import type { Unit } from '../../intake/measurement/trace-type.ts'
import { count as grouped, MINUS } from '../../text/numbers.ts'
import { type FlameLayout, flameLayout, MOST_LEVELS, type PlacedFrame } from './flame-layout.ts'
import { type ChangeStep, changeSteps, flameStyle, STEP_RATIOS, stepClass } from './flame-style.ts'
import type { ProfileNames } from './speedscope.ts'
import { oldScale, type StackDifference } from './stack-difference.ts'
import { countsSamples } from './thresholds.ts'
import { type FrameWords, type ProfileWords, profileWords } from './words.ts'
import { visibleText, xmlText } from './xml-text.ts'

/** Draws a differential flame graph as SVG. Positions: `flame-layout.ts`; colours: `flame-style.ts`. */

export interface FlameGraphOptions {
  readonly names: ProfileNames
  readonly unit: Unit
  /** Scale the old side to the sum of the new one: widths and colours are of shares, not of counts. */
  readonly normalize: boolean
  /** The outermost frames at the top, growing downwards. */
  readonly icicle: boolean
  /** The text of `flame-graph-script.js` for a file that stands alone; null for one that is only looked at. */
  readonly script: string | null
  /** The graph is a part of a page, which has style and script of its own. */
  readonly inPage?: boolean
  /** Frames that are drawn at most, the widest; absent: `MOST_DRAWN`. */
  readonly mostDrawn?: number
  /** Words about the difference in this unit, where it is known already. */
  readonly words?: ProfileWords
}

// Pixels where nothing scales the graph. The script knows the same numbers.
const WIDTH = 1200
const MARGIN = 10
const ROW = 18
const LINE = 18
const LEGEND_HEIGHT = 18
/** No monospaced font that the style names is wider at 11 pixels. */
const CHARACTER = 6.7
const LABEL_MARGIN = 4
/** Names of templates reach thousands of characters; a title shows as much of them as is read. */
const LONGEST_NAME = 500

/**
 * A differential flame graph as one SVG file that needs nothing else, in light and dark. A frame is as wide as both sides
 * together have it; its colour and the sign before its name say which side has more; its title has both shares. Everything
 * is said without the script, which adds zoom, search, keyboard and a line for the frame that is pointed at.
 */
export function flameGraph(difference: StackDifference, options: FlameGraphOptions): string {
  const { names, unit, normalize, icicle, script } = options
  const layout = flameLayout(difference, normalize, options.mostDrawn)
  const words = options.words ?? profileWords(difference, unit)
  const judged = countsSamples(difference, unit)
  const about = aboutLines(difference, options, layout, words.cautions)
  const legendTop = 34 + about.length * LINE
  const top = legendTop + LEGEND_HEIGHT + 14
  const height = top + layout.levels * ROW + 30

  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" class="flame-graph" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="group" aria-label="${xmlText(names.title)}" data-top="${top}" data-levels="${layout.levels}" data-icicle="${icicle}" data-unit="${unit}" data-old="${difference.old.sum}" data-new="${difference.new.sum}">\n`,
    `<desc>${xmlText(description(words.total))}</desc>\n`,
    options.inPage ? '' : `<style>${flameStyle()}</style>\n`,
    `<text class="name" x="${MARGIN}" y="24">${xmlText(cut(names.title, 70))}</text>\n`,
    ...about.map((line, i) => `<text class="about" x="${MARGIN}" y="${44 + i * LINE}">${xmlText(line)}</text>\n`),
    legend(legendTop, normalize, judged),
    '<g class="frames">\n',
  ]
  const draw = frameDrawer(difference, options, layout, top)
  for (const frame of layout.placed) parts.push(draw(frame))
  parts.push('</g>\n')
  parts.push(`<text class="detail" x="${MARGIN}" y="${height - 10}" aria-live="polite"></text>\n`)
  if (script !== null) parts.push(`<script><![CDATA[\n${script.replaceAll(']]>', ']]]]><![CDATA[>')}]]></script>\n`)
  parts.push('</svg>\n')
  return parts.join('')
}

function aboutLines(
  difference: StackDifference,
  { names, unit, normalize }: FlameGraphOptions,
  layout: FlameLayout,
  cautions: readonly string[],
): string[] {
  const side = (name: string, sum: number) => `${cut(name, 50)} (${amount(sum, unit)})`
  const scale = oldScale(difference, normalize)
  const scaled = scale === 1 ? '' : `; old is scaled by ${scale.toPrecision(3)} to the sum of new`
  const lines = [
    `old: ${side(names.old, difference.old.sum)}, new: ${side(names.new, difference.new.sum)}. Width: both together${scaled}.`,
    ...cautions,
  ]
  const { tooDeep, tooNarrow, narrowest, placed } = layout
  if (tooNarrow + tooDeep > 0) {
    const reasons = [
      ...(tooNarrow > 0
        ? [`${grouped(tooNarrow)} narrower than 1/${grouped(Math.round(1 / narrowest))} of the width`]
        : []),
      ...(tooDeep > 0 ? [`${grouped(tooDeep)} deeper than ${MOST_LEVELS} levels`] : []),
    ]
    lines.push(
      `${grouped(tooNarrow + tooDeep)} of ${grouped(tooNarrow + tooDeep + placed.length)} frames are not drawn: ${reasons.join(', ')}.`,
    )
  }
  return lines
}

function description(frames: readonly FrameWords[]): string {
  if (frames.length === 0) return 'No frame’s share changed.'
  const list = frames.map(({ name, change }) => `${cut(name, 200)} ${change}`)
  return `Shares that changed most, old to new: ${list.join('; ')}.`
}

const STEPS: readonly ChangeStep[] = [-3, -2, -1, 0, 1, 2, 3]

/** Colour, sign and words for each step. */
function legend(top: number, normalize: boolean, judged: boolean): string {
  const lead = `New ${normalize ? 'share' : 'count'} against old:`
  const parts = [`<text class="about" x="${MARGIN}" y="${top + 13}">${lead}</text>`]
  let x = MARGIN + 155
  for (const step of STEPS) {
    const words = stepWords(step, judged)
    const width = 16 + words.length * CHARACTER
    parts.push(
      `<g class="${stepClass(step)}"><rect x="${x}" y="${top}" width="${width.toFixed(1)}" height="${LEGEND_HEIGHT}"/>` +
        `<text x="${x + 8}" y="${top + 13}">${words}</text></g>`,
    )
    x += Math.ceil(width) + 4
  }
  return `<g class="legend">${parts.join('')}</g>\n`
}

/** `− 20 to 50%`, `+ over 100%, new` */
function stepWords(step: ChangeStep, judged: boolean): string {
  if (step === 0) return judged ? 'same, or may be chance' : 'about the same'
  const percent = (ratio: number) => Math.round((step > 0 ? ratio - 1 : 1 - 1 / ratio) * 100)
  const from = percent(STEP_RATIOS[Math.abs(step) - 1]!)
  const next = STEP_RATIOS[Math.abs(step)]
  const sign = step > 0 ? '+' : MINUS
  if (next === undefined) return `${sign} ${from}% or more, ${step > 0 ? 'new' : 'gone'}`
  return `${sign} ${from} to ${percent(next)}%`
}

/** Draws one frame; a closure, since a graph has thousands of them. */
function frameDrawer(
  difference: StackDifference,
  { unit, normalize, icicle }: FlameGraphOptions,
  { levels }: FlameLayout,
  top: number,
): (frame: PlacedFrame) => string {
  const { frames, frame, old, new: fresh } = difference
  const stepOf = changeSteps(difference, normalize, countsSamples(difference, unit))
  return ({ node, level, left, width }) => {
    const step = stepOf(node)
    const name = cut(node === 0 ? 'all' : visibleText(frames[frame[node]!]!) || '(no name)', LONGEST_NAME)
    const before = old.total[node]!
    const after = fresh.total[node]!
    const title = `${name}\n${sharesText(before, old.sum, after, fresh.sum, unit)}`
    const x = MARGIN + left * (WIDTH - 2 * MARGIN)
    const pixels = width * (WIDTH - 2 * MARGIN)
    const y = top + (icicle ? level : levels - 1 - level) * ROW
    const label = fitted(`${step > 0 ? '+ ' : step < 0 ? `${MINUS} ` : ''}${name}`, pixels)
    const text = label === '' ? '' : `<text x="${(x + LABEL_MARGIN).toFixed(1)}" y="${y + 12}">${xmlText(label)}</text>`
    return (
      `<g class="f ${stepClass(step)}" role="img" data-l="${level}">` +
      `<title>${title.split('\n').map(xmlText).join('\n')}</title>` +
      `<rect x="${x.toFixed(3)}" y="${y}" width="${pixels.toFixed(3)}" height="${ROW - 1}"/>${text}</g>\n`
    )
  }
}

/** `old 31.0% (310 samples), new 44.0% (440 samples), +13.0 points` */
function sharesText(before: number, oldSum: number, after: number, newSum: number, unit: Unit): string {
  const share = (value: number, sum: number) => (sum > 0 ? (value / sum) * 100 : 0)
  const points = share(after, newSum) - share(before, oldSum)
  const side = (name: string, value: number, sum: number) =>
    sum > 0 ? `${name} ${share(value, sum).toFixed(1)}% (${amount(value, unit)})` : `${name} empty`
  const change = oldSum > 0 && newSum > 0 ? `, ${signed(points)} points` : ''
  return `${side('old', before, oldSum)}, ${side('new', after, newSum)}${change}`
}

function signed(points: number): string {
  const text = Math.abs(points).toFixed(1)
  return text === '0.0' ? text : `${points > 0 ? '+' : MINUS}${text}`
}

/** `1,204 samples`, `12.5 seconds` */
export function amount(value: number, unit: Unit): string {
  const number = Number.isInteger(value) ? grouped(value) : grouped(Number(value.toPrecision(6)))
  return `${number} ${value === 1 ? unit.slice(0, -1) : unit}`
}

function fitted(text: string, pixels: number): string {
  const most = Math.floor((pixels - 2 * LABEL_MARGIN) / CHARACTER)
  if (most < 3) return ''
  return text.length <= most ? text : `${wellFormed(text.slice(0, most - 1))}…`
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${wellFormed(text.slice(0, most - 1))}…`
}

/** Without the half of a character that a cut left behind. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '')
}
