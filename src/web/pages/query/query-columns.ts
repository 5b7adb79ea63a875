import { html } from 'hono/html'
import type { AcceptedIn } from '../../../judge/bisect/bisect-window.ts'
import type { TrunkPoint, TrunkSeries, TrunkStep } from '../../../judge/history/trunk-series.ts'
import { levelColumn, type SaidOfStep, SEEN_BY, SIZE } from '../../../report/step/columns.ts'
import { markWords } from '../../../report/step/marks.ts'
import { ownRowPath, reportPath } from '../../../report/urls.ts'
import type { QueryFlag } from '../../../store/reports/flags-of-query.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, percent, signedPercent, values } from '../../../text/numbers.ts'
import { htmlTime } from '../../../text/phrase-html.ts'
import { type Column, tsvText } from '../../../text/table.ts'
import { isoTime } from '../../../text/time.ts'
import { hasMoved } from '../../kit/charts/noise-chart.ts'
import type { Html } from '../../kit/layout.ts'
import { type GitHubLinks, linked } from '../../kit/links.ts'
import { countColumn, nameColumn, textColumn, valueColumn } from '../../kit/table.ts'
import { architectureName } from '../../kit/word.ts'
import type { ShownQuery } from './shown-query.ts'

/** A run of the trunk, with the history that it belongs to. */
export interface RunOfTrunk {
  readonly series: TrunkSeries
  readonly point: TrunkPoint
  /** The pull request in which the step that it is the first bad run of was accepted; absent: none is known. */
  readonly acceptedIn?: AcceptedIn
}

/** The runs of a query, for the page and the TSV. `unit`: that of the metric. */
export function runColumns(unit: string | null, links: GitHubLinks): readonly Column<RunOfTrunk>[] {
  const shown = (value: number) => values([value], unit)
  return [
    {
      key: 'time',
      value: ({ point }) => isoTime(point.time),
      ...textColumn('Time', ({ point }) => htmlTime(point.time)),
    },
    {
      key: 'commit',
      value: ({ point }) => point.commit,
      ...textColumn('Commit', ({ point }) => commit(point.commit, links)),
    },
    {
      key: 'reference_commit',
      value: ({ point }) => point.referenceCommit,
      ...textColumn('Measured against', ({ point }) => commit(point.referenceCommit, links)),
    },
    { key: 'architecture', value: ({ series }) => tsvText(series.architecture) },
    { key: 'metric', value: ({ series }) => tsvText(series.metric) },
    { key: 'old', ...valueColumn('Old', ({ point }) => point.old, shown) },
    { key: 'new', ...valueColumn('New', ({ point }) => point.new, shown) },
    { key: 'difference', ...valueColumn('Difference', ({ point }) => point.difference, signedPercent) },
    { key: 'threshold', ...valueColumn('Threshold', ({ point }) => point.threshold, percent) },
    textColumn('Moved', ({ point }) => (hasMoved(point) ? html`<b>yes</b>` : point.threshold === null ? '–' : 'no')),
    { key: 'source', value: ({ series }) => series.source },
    { key: 'accepted_in', value: ({ acceptedIn }) => acceptedIn?.pullRequestNumber ?? null },
    { key: 'accepted_by', value: ({ acceptedIn }) => tsvText(acceptedIn?.actor ?? null) },
  ]
}

/** What people have said of a step of a history. */
export type SaidOf = (series: TrunkSeries, step: TrunkStep) => SaidOfStep

export interface NumberedStep extends SaidOfStep {
  /** The first one of the history is 1. */
  readonly number: number
  readonly step: TrunkStep
}

export function stepColumns(unit: string | null, links: GitHubLinks): readonly Column<NumberedStep>[] {
  const levels = levelColumn(unit)
  const between = (from: TrunkPoint, word: string, to: TrunkPoint) =>
    html`${commit(from.commit, links)} ${word} ${commit(to.commit, links)}<br><small>${htmlTime(from.time)} to ${htmlTime(to.time)}</small>`
  return [
    { heading: 'No.', isNumber: true, cell: ({ number }) => html`<th scope="row" class="n">${count(number)}</th>` },
    { heading: SIZE.heading, isNumber: true, cell: sizeCell },
    countColumn(levels.heading, ({ step }) => levels.text(step)),
    {
      ...textColumn('Window', ({ step: { lastGood, firstBad } }) => between(lastGood, '→', firstBad)),
      head: html`Window <small>last good → first bad</small>`,
    },
    {
      ...textColumn('Possible range', ({ step: { earliest, latest } }) => between(earliest, 'to', latest)),
      head: html`Possible range <small>99% confidence</small>`,
    },
    textColumn(SEEN_BY.heading, ({ step }) => SEEN_BY.text(step)),
    textColumn('Recovered', ({ step: { recovered } }) =>
      recovered === null
        ? 'not yet'
        : html`at ${commit(recovered.commit, links)}, <small>${htmlTime(recovered.time)}</small>`,
    ),
    textColumn('Accepted', ({ acceptedIn }) => {
      if (acceptedIn === null) return '–'
      const { pullRequestNumber: number, actor, reason } = acceptedIn
      const href = links.pullRequest(number)
      return html`in ${linked(href, `#${number}`)} by <bdi>${plainText(actor, 100)}</bdi>${reason === '' ? '' : html`: <bdi>${plainText(reason, 400)}</bdi>`}`
    }),
    textColumn('Marked', ({ mark }) =>
      mark === null
        ? '–'
        : html`<bdi>${plainText(markWords(mark), 400)}</bdi>, <small>${htmlTime(mark.markedAt)}</small>`,
    ),
  ]
}

function sizeCell({ step: { step } }: NumberedStep, name: string): Html {
  const direction = step > 0 ? 'slower' : 'faster'
  return html`<td class="n" data-name="${name}"><data value="${step}" title="${step}"><b class="${direction}">${signedPercent(step)}</b></data></td>`
}

/** The pull requests that flagged a query. */
export function flagColumns(
  { repository, query, architectures }: ShownQuery,
  links: GitHubLinks,
): readonly Column<QueryFlag>[] {
  return [
    nameColumn(
      'Pull request',
      ({ pullRequestNumber: number }) =>
        html`<a href="${links.pullRequest(number)}" rel="nofollow noopener">#${number}</a>`,
    ),
    textColumn('Measured', ({ time }) => htmlTime(time)),
    textColumn(
      'Architecture',
      ({ architecture }) =>
        html`<bdi>${architecture === null && architectures.length < 2 ? '–' : architectureName(architecture)}</bdi>`,
    ),
    textColumn('Direction', ({ direction }) => html`<b class="${direction}">${direction}</b>`),
    valueColumn('Difference', ({ difference }) => difference, signedPercent),
    valueColumn('Threshold', ({ threshold }) => threshold, percent),
    textColumn('Look', ({ pullRequestNumber: number, head, queryIndex }) => {
      const address = { ...repository, number, head }
      const row = ownRowPath(address, { ...query, queryIndex })
      return html`<a href="${row}">Samples and metrics</a>, <a href="${reportPath(address)}">report</a>`
    }),
  ]
}

function commit(id: string, links: GitHubLinks): Html | string {
  if (id === '') return '–'
  const href = links.commit(id)
  return html`<code>${linked(href, plainText(id, 64).slice(0, href === null ? 64 : 10))}</code>`
}
