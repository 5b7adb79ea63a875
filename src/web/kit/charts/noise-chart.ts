import type { Release } from '../../../inbox/releases.ts'
import { median } from '../../../intake/measurement/median.ts'
import type { TrunkPoint } from '../../../judge/history/trunk-series.ts'
import { xmlText } from '../../../judge/profile/xml-text.ts'
import { counted, percent, signedPercent } from '../../../text/numbers.ts'
import { axisOfHistory, drawnPoints } from './history-chart.ts'
import { historyColumns, MOST_POINTS } from './history-columns.ts'
import { linearAxis } from './linear-axis.ts'
import { across, dots, down, grid, type PlotArea, stretched } from './plot-area.ts'
import { drawReleases, releaseWords } from './release-marks.ts'

/** The chart of how much a query moves from run to run. */

export interface NoiseChartInput {
  readonly id: string
  readonly title: string
  readonly points: readonly TrunkPoint[]
  /** The releases within the time of the points, the oldest first. */
  readonly releases?: readonly Release[]
}

/** How much a query moved from run to run. */
export interface Noise {
  /** Runs of which a threshold is known. */
  readonly runs: number
  /** Runs among them whose difference is at least that. */
  readonly moved: number
  /** The median threshold, a fraction. */
  readonly median: number
  readonly largestDifference: number
}

const AREA: PlotArea = { top: 36, bottom: 150 }
const HEIGHT = AREA.bottom + 24

type NoisyPoint = TrunkPoint & { readonly threshold: number }

function noisyPoints(points: readonly TrunkPoint[]): NoisyPoint[] {
  return drawnPoints(points).filter(
    (point): point is NoisyPoint => point.threshold !== null && Number.isFinite(point.threshold),
  )
}

/** Whether a run moved by its own threshold, which the largest difference of all relabelings is itself. */
export function hasMoved({ difference, threshold }: TrunkPoint): boolean {
  return threshold !== null && difference !== 0 && Math.abs(difference) >= threshold
}

/** null where no threshold is known. */
export function noiseOf(points: readonly TrunkPoint[]): Noise | null {
  const noisy = noisyPoints(points)
  if (noisy.length === 0) return null
  return {
    runs: noisy.length,
    moved: noisy.filter(hasMoved).length,
    median: median(noisy.map(({ threshold }) => threshold)),
    largestDifference: noisy
      .filter(({ difference }) => Number.isFinite(difference))
      .reduce((largest, { difference }) => (Math.abs(difference) > Math.abs(largest) ? difference : largest), 0),
  }
}

/** T of each run over time; the runs that moved by theirs are squares. null where no threshold is known. */
export function noiseChart({ id, title, points, releases = [] }: NoiseChartInput): string | null {
  const noisy = noisyPoints(points)
  const x = axisOfHistory(points)
  const noise = noiseOf(points)
  if (x === null || noise === null) return null
  const y = linearAxis([0, ...noisy.map(({ threshold }) => 100 * threshold)], '%')
  const columns = historyColumns(noisy.map(({ time, threshold }) => ({ x: x.position(time), value: 100 * threshold })))
  const place = (at: number, value: number) => [across(at), down(y.position(value), AREA)] as const
  const isTogether = noisy.length > MOST_POINTS
  const ranges = isTogether
    ? `<path class="ranges" d="${columns.map(({ x: at, low, high }) => `M${across(at)} ${place(at, low)[1]}V${place(at, high)[1]}`).join('')}"/>`
    : ''
  const moved = new Map<string, readonly [number, number]>()
  for (const point of noisy.filter(hasMoved)) {
    const square = place(x.position(point.time), 100 * point.threshold)
    // One point is enough at one place.
    moved.set(`${Math.round(square[0] / 20)} ${Math.round(square[1])}`, square)
  }
  const shapes = `${ranges}${dots(
    isTogether ? 'points middles' : 'points',
    columns.map((column) => place(column.x, column.middle)),
  )}${dots(isTogether ? 'moved middles' : 'moved', [...moved.values()])}`
  return `<svg class="chart history" role="img" aria-labelledby="${id}-title ${id}-desc" width="100%" height="${HEIGHT}">
<title id="${id}-title">${xmlText(title)}</title>
<desc id="${id}-desc">${xmlText(`${describe(noise)} ${releaseWords(releases, points.at(-1)!.time)}`.trim())}</desc>
<text class="unit" x="0" y="12">noise, % ↑</text>
${grid(x, y, AREA)}
${stretched(shapes, AREA)}
${drawReleases(releases, x, AREA)}
</svg>`
}

function describe({ runs, moved, median: middle, largestDifference }: Noise): string {
  return `The noise of ${counted(runs, 'run', 'runs')}, ±${percent(middle)} in the middle. ${counted(moved, 'run', 'runs')} moved by ${moved === 1 ? 'its' : 'their'} own noise or more; the largest difference is ${signedPercent(largestDifference)}.`
}
