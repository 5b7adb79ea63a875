import { html } from 'hono/html'
import { decisive } from '../../../report/parts.ts'
import type { TriageReport } from '../../../report/report.ts'
import { median } from '../../../statistics/median.ts'
import { count, counted, signedPercent } from '../../../text/numbers.ts'
import { slowdownOf } from '../../../verdict/direction.ts'
import type { Html } from '../../kit/layout.ts'

/** An odd number, so that what has not moved stands in the middle one. */
const BINS = 61
/** Pixels. */
const HEIGHT = 44
/** Ratios of twice the time and of half of it stand at the edges, with what is beyond. */
const WIDEST = Math.log(2)
const NARROWEST = Math.log(1.1)

const KINDS = ['slower', 'faster', 'rest'] as const
type Kind = (typeof KINDS)[number]

/**
 * All queries by the size of their change, as a heap: in a run that has not moved as a whole it stands in the middle, with
 * what changed to both sides of it. Empty where no two queries were compared.
 */
export function changeStrip(report: TriageReport): Html | string {
  const changes = report.rows.flatMap((row) => {
    const result = decisive(row)
    const slowdown = slowdownOf(result)
    if (slowdown === null || !Number.isFinite(slowdown) || slowdown <= -1) return []
    const kind: Kind = result.outcome === 'changed' && result.direction !== null ? result.direction : 'rest'
    return [{ log: Math.log1p(slowdown), kind }]
  })
  if (changes.length < 2) return ''
  const farthest = changes.reduce((most, { log }) => Math.max(most, Math.abs(log)), 0)
  const range = Math.min(WIDEST, Math.max(NARROWEST, farthest))
  const bins = Array.from({ length: BINS }, () => ({ slower: 0, faster: 0, rest: 0 }))
  for (const { log, kind } of changes) bins[binOf(log, range)]![kind] += 1
  const tallest = Math.max(...bins.map(({ slower, faster, rest }) => slower + faster + rest))
  const typical = Math.expm1(median(changes.map(({ log }) => log)))
  const words = `${counted(changes.length, 'query', 'queries')} by change, faster to the left: ${KINDS.slice(0, 2)
    .map((kind) => `${count(changes.filter((change) => change.kind === kind).length)} ${kind}`)
    .join(', ')}; the typical one ${signedPercent(typical)}`
  const middle = place(Math.log1p(typical), range)
  return html`<figure class="strip"><svg class="chart" width="100%" height="${HEIGHT + 18}" role="img" aria-label="${words}">
${KINDS.map((kind) => html`<g class="${kind}">${bins.map((bin, index) => bar(bin, kind, index, tallest))}</g>`)}
<line class="axis" x1="0" x2="100%" y1="${HEIGHT}" y2="${HEIGHT}"/><line class="zero" x1="50%" x2="50%" y1="0" y2="${HEIGHT + 4}"/>
<line class="typical" x1="${middle}%" x2="${middle}%" y1="0" y2="${HEIGHT}"/>
<text class="tick" x="0" y="${HEIGHT + 14}">${farthest > range ? '≤ ' : ''}${signedPercent(Math.expm1(-range))}</text>
<text class="tick" x="50%" y="${HEIGHT + 14}" text-anchor="middle">no change</text>
<text class="tick" x="100%" y="${HEIGHT + 14}" text-anchor="end">${farthest > range ? '≥ ' : ''}${signedPercent(Math.expm1(range))}</text>
</svg><figcaption><span>Every query by its change. </span>The typical one <b>${signedPercent(typical)}</b>${wholeRun(report)}</figcaption></figure>`
}

function wholeRun({ shifts }: TriageReport): string {
  const notable = shifts.filter(({ notable: is }) => is).length
  if (shifts.length === 0) return '.'
  if (notable === 0) return ': the run has not moved as a whole.'
  return notable === shifts.length
    ? ': the run moved as a whole.'
    : `: ${count(notable)} of ${counted(shifts.length, 'shard', 'shards')} moved as a whole.`
}

function binOf(log: number, range: number): number {
  return Math.max(0, Math.min(BINS - 1, Math.floor(((log + range) / (2 * range)) * BINS)))
}

/** In percent of the width. */
function place(log: number, range: number): number {
  return round(Math.max(0, Math.min(100, ((log + range) / (2 * range)) * 100)))
}

/** Changed queries stand at the bottom, where each of them is seen. */
function bar(bin: Readonly<Record<Kind, number>>, kind: Kind, index: number, tallest: number): Html | string {
  if (bin[kind] === 0) return ''
  const height = (queries: number) => (queries === 0 ? 0 : Math.max(2, (queries / tallest) * HEIGHT))
  const below = KINDS.slice(0, KINDS.indexOf(kind)).reduce((sum, other) => sum + height(bin[other]), 0)
  const tall = Math.min(height(bin[kind]), HEIGHT - below)
  return html`<rect x="${round((index / BINS) * 100)}%" width="${round(85 / BINS)}%" y="${round(HEIGHT - below - tall)}" height="${round(tall)}"/>`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
