import { html, raw } from 'hono/html'
import type { HistoryProblem } from '../../../judge/history/trunk-series.ts'
import { HISTORY_PROBLEM_WORDS, MEASUREMENT_WORDS } from '../../../report/glossary.ts'
import { scaleOf } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { drawnPoints, type HistoryChartInput, historyChart, historyWords } from '../../kit/charts/history-chart.ts'
import { MOST_POINTS } from '../../kit/charts/history-columns.ts'
import type { Html } from '../../kit/layout.ts'
import { word } from '../../kit/word.ts'

/** What the script asks for that lets one zoom into a history. */
interface Live {
  /** The address of the history as JSON. */
  readonly data: string
  /** The address of a commit without its id. */
  readonly commits: string
}

/** The chart of a query's history on the trunk, with what its shapes mean. Without `live` it is the picture alone. */
export function historyFigure(input: HistoryChartInput, live: Live | null): Html {
  const chart = historyChart(input)
  if (chart === null) return html`<p>No run has a positive value.</p>`
  const isTogether = drawnPoints(input.points).length > MOST_POINTS
  return html`<figure class="chart-frame over-time"${live === null ? '' : liveAttributes(input, live)}>${raw(chart)}<figcaption id="history-words">${historyWords(input)} Each dot is the median of the new side of one run.${isTogether ? html`<span class="together"> Where runs are too dense to tell apart, a line spans the lowest to the highest run of a column, with a dot at their median; the band is that of the column’s median.</span>` : ''} Shaded along the dots: the old median ± ${word(MEASUREMENT_WORDS.threshold.term)}, within which a run has not moved. Thick lines: the levels between steps. Shaded from top to bottom: the window in which a step happened, within the interval in which it may have happened. Dashed: where it recovered. Dotted: a step that somebody accepted.${(input.releases ?? []).length === 0 ? '' : ' Dashed in blue, with a name at the bottom: releases.'} Times are UTC.</figcaption></figure>`
}

function liveAttributes({ points, title, unit }: HistoryChartInput, { data, commits }: Live): Html {
  const values = drawnPoints(points).map((point) => point.new)
  const scale = scaleOf(values, unit)
  return html` data-history="${data}" data-factor="${scale.factor}" data-unit="${scale.name}" data-commits="${commits}" data-title="${title}"`
}

/** Why not all of the history is there; empty where it is. */
export function historyNotices(problem: HistoryProblem | null): Html | string {
  if (problem === null) return ''
  return html`<ul class="notices"><li>${capital(HISTORY_PROBLEM_WORDS[problem].term)}. Runs of the CI database may be missing here.</li></ul>`
}
