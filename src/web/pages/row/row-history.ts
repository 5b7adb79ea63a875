import { html } from 'hono/html'
import type { Release } from '../../../inbox/releases.ts'
import type { HistoryProblem } from '../../../judge/history/trunk-series.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { queryName } from '../../../report/row/name.ts'
import { queryPath } from '../../../report/urls.ts'
import { plainText } from '../../../text/markdown.ts'
import { count } from '../../../text/numbers.ts'
import { DAY } from '../../../text/time.ts'
import { releasesIn } from '../../kit/charts/release-marks.ts'
import type { Html } from '../../kit/layout.ts'
import { onArchitecture } from '../../kit/word.ts'
import { historyFigure, historyNotices } from '../query/history-figure.ts'
import { acceptedAmong, saidOfSteps } from '../query/mark-step.ts'
import { DEFAULT_DAYS, ownValueOf, queryViewPath, type ShownSeries, shownSeries } from '../query/shown-query.ts'
import type { Site } from '../site.ts'

/** Days of the trunk on the page of a row: one of those that the page of the history has. */
const DAYS_OF_ROW = 90

const NAME_LENGTH = 120
const UNIT_LENGTH = 20

/** What the trunk has of a row's query, on the architecture that the page shows. */
export interface RowHistory {
  readonly architecture: string | null
  /** null: the trunk has no run of it in this time. */
  readonly history: ShownSeries | null
  /** The numbers of the steps that somebody accepted, from 0. */
  readonly accepted: ReadonlySet<number>
  readonly releases: readonly Release[]
  readonly problem: HistoryProblem | null
}

/** Throws `StoreUnavailable`. */
export async function historyOfRow(
  site: Pick<Site, 'trunkHistoryOf' | 'queueMemory' | 'now'>,
  { repository: { id, owner, name } }: TriageReport,
  row: ReportRow,
  architecture: string | null,
): Promise<RowHistory> {
  const trunk = await site.trunkHistoryOf({ id, owner, repo: name })
  const to = site.now()
  const wanted = [{ ...row, architecture }]
  const { series, problem } = await trunk.series(row.metric, wanted, { from: to - DAYS_OF_ROW * DAY, to })
  const history = series[0] === undefined ? null : shownSeries(series[0])
  const isStill = history === null || history.steps.length === 0
  const accepted = isStill ? new Set<number>() : acceptedAmong(history, await saidOfSteps(site, id))
  const releases = history === null ? [] : releasesIn(await site.queueMemory.releasesOf(id), history.series.points)
  return { architecture, history, accepted, releases, problem }
}

/** The history in the page of a row, with the way to the page that has all of it. */
export function historyPart(report: TriageReport, row: ReportRow, shown: RowHistory): Html {
  const { repository, primaryMetric } = report
  const { architecture, history, accepted, releases, problem } = shown
  const address = { owner: repository.owner, repo: repository.name }
  const path = queryPath(address, row).split('?')[0]!
  const view = {
    architecture: row.results.length === 1 ? undefined : architecture,
    metric: row.metric === primaryMetric ? undefined : row.metric,
    days: DEFAULT_DAYS,
    ordinal: row.ordinal ?? 0,
    report: { number: report.pullRequest.number, head: report.head },
  }
  const all = html`<a href="${queryViewPath(path, view)}">The whole history</a>`
  if (history === null) {
    return html`<h2 id="history">History</h2>
${historyNotices(problem)}
<p>The main branch has no run of it in the last ${count(DAYS_OF_ROW)} days. ${all} has a year of it, and the pull requests that flagged it.</p>`
  }
  const input = {
    id: 'history-chart',
    title: `${queryName(row, NAME_LENGTH)}${onArchitecture(architecture)} on the main branch`,
    metric: plainText(row.metric, NAME_LENGTH),
    unit: row.unit === null ? null : plainText(row.unit, UNIT_LENGTH),
    points: history.series.points,
    steps: history.steps,
    accepted,
    releases,
    own: ownValueOf(report, row, row.metric, architecture),
  }
  return html`<h2 id="history">History</h2>
${historyNotices(problem)}
<p>The main branch’s last ${count(DAYS_OF_ROW)} days. ${all} has each step with its commits, the noise, and the pull requests that flagged it.</p>
${historyFigure(input, null)}`
}
