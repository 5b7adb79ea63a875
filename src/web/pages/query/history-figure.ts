import { html, raw } from 'hono/html'
import type { HistoryProblem } from '../../../judge/history/trunk-series.ts'
import { HISTORY_PROBLEM_WORDS, MEASUREMENT_WORDS } from '../../../report/words.ts'
import { scaleOf, values } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { chartKey, type KeyLine } from '../../kit/charts/chart-key.ts'
import {
  drawnPoints,
  type HistoryChartInput,
  historyChart,
  historyWords,
  OWN_SHAPE,
} from '../../kit/charts/history-chart.ts'
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
  return html`<figure class="chart-frame over-time"${live === null ? '' : liveAttributes(input, live)}>${raw(chart)}<figcaption><span id="history-words">${historyWords(input)}</span>
${chartKey(keyOf(input))}</figcaption></figure>`
}

/** A line for each kind of shape that the chart has. */
function keyOf({ points, steps, accepted, releases = [], own, unit }: HistoryChartInput): readonly KeyLine[] {
  const drawn = drawnPoints(points)
  const isTogether = drawn.length > MOST_POINTS
  const line = (kind: string) => `<line class="${kind}" x1="14" x2="14" y1="0" y2="14"/>`
  const step = steps.some((one) => one.step > 0) ? 'slower' : 'faster'
  const lines: (KeyLine | false)[] = [
    {
      shape: '<path class="points" d="M14 7h0"/>',
      words: 'median of the new build in one run on the main branch (times are UTC)',
    },
    isTogether && {
      shape: '<path class="ranges" d="M14 0V14"/>',
      words: 'lowest to highest of the runs of a column; the dot is their median',
      isPictureOnly: true,
    },
    drawn.some(({ threshold }) => threshold !== null) && {
      shape: '<path class="noise" d="M0 1H28V13H0Z"/>',
      words: html`old median ± ${word(MEASUREMENT_WORDS.threshold.term)}: within it a run hasn’t moved`,
    },
    steps.length > 0 && { shape: '<path class="level" d="M0 7H28"/>', words: 'level between two steps' },
    steps.length > 0 && {
      shape: `<rect class="interval" width="28" height="14"/><rect class="window ${step}" x="9" width="10" height="14"/>${line(`step ${step}`)}`,
      words: 'a step: its window, and around it the 99% interval of where it may have happened',
    },
    steps.some(({ recovered }) => recovered !== null) && {
      shape: line('recovered'),
      words: 'the level was back',
    },
    (accepted?.size ?? 0) > 0 && { shape: line(`step ${step} accepted`), words: 'a step that somebody accepted' },
    releases.length > 0 && { shape: line('release'), words: 'a release' },
    own !== undefined &&
      own !== null && {
        shape: `<path class="pull" d="M0 7H28"/><svg class="pull" x="14" y="7" overflow="visible"><path d="${OWN_SHAPE}"/></svg>`,
        words: html`<strong>#${own.pullRequest} at <code>${own.head.slice(0, 7)}</code>: ${values([own.value], unit)}</strong>`,
      },
  ]
  return lines.filter((one) => one !== false)
}

function liveAttributes({ points, title, unit, own }: HistoryChartInput, { data, commits }: Live): Html {
  const scale = scaleOf(
    drawnPoints(points).map((point) => point.new),
    unit,
  )
  const ofOwn =
    own === undefined || own === null
      ? ''
      : html` data-own="${own.value}" data-own-time="${own.time}" data-own-label="#${own.pullRequest}"`
  return html` data-history="${data}" data-factor="${scale.factor}" data-unit="${scale.name}" data-commits="${commits}" data-title="${title}"${ofOwn}`
}

/** Why not all of the history is there; empty where it is. */
export function historyNotices(problem: HistoryProblem | null): Html | string {
  if (problem === null) return ''
  return html`<ul class="notices"><li>${capital(HISTORY_PROBLEM_WORDS[problem].term)}. Runs of the CI database may be missing here.</li></ul>`
}
