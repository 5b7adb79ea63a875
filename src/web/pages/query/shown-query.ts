import { NO_INDEX } from '../../../intake/measurement/query-hash.ts'
import type { QueryId } from '../../../intake/measurement/run.ts'
import { trunkSteps } from '../../../judge/bisect/trunk-steps.ts'
import type { TimeRange } from '../../../judge/history/trunk-series.ts'
import {
  type HistoryProblem,
  type TrunkSeries,
  type TrunkStep,
  unitInHistory,
} from '../../../judge/history/trunk-series.ts'
import { shownValue } from '../../../judge/verdict/classified-query.ts'
import type { TriageReport } from '../../../report/report.ts'
import { queryAddress, testInAddress } from '../../../report/urls.ts'
import type { QueryFlag } from '../../../store/reports/flags-of-query.ts'
import type { MeasuredQuery } from '../../../store/runs/query-by-hash.ts'
import { isCommitId } from '../../../text/commits.ts'
import { DAY } from '../../../text/time.ts'
import type { OwnValue } from '../../kit/charts/history-chart.ts'
import type { PagesStore } from '../site.ts'
import type { NamedRepository, TrunkOfRepository } from './trunk-of-repository.ts'

/** Finds what an address of a query’s page asks for, before anything is drawn. */

interface ParsedQueryAddress {
  /** The beginning of the test's name as `queryAddress` shortens it. */
  readonly name: string
  /** As `queryHash` computes it. */
  readonly hash: bigint
}

/** `hash_functions-9f2c01d6e4b7a583`; null for what `queryAddress` does not make. */
export function parseQueryAddress(text: string): ParsedQueryAddress | null {
  const match = /^([A-Za-z0-9_-]{0,40})-([0-9a-f]{16})$/.exec(text)
  return match === null ? null : { name: match[1]!, hash: BigInt(`0x${match[2]!}`) }
}

/** What the query part of the address of a query's history asks for. */
export interface QueryView {
  /** As stored; null: the unnamed one. Undefined: not asked for, the page shows the first and the data all of them. */
  readonly architecture: string | null | undefined
  /** undefined: the one that the repository judges by. */
  readonly metric: string | undefined
  readonly days: number
  /** How many queries of the same test and text come before it. */
  readonly ordinal: number
  /** The report that the reader comes from; absent: none. */
  readonly report?: ReportOfView
}

interface ReportOfView {
  readonly number: number
  /** Full commit id. */
  readonly head: string
}

export const DAYS = [30, 90, 365] as const
export const DEFAULT_DAYS = 365

/** How the address says the architecture that has no name. */
const UNNAMED = '-'
const LONGEST_NAME = 200
const MOST_ORDINAL = 999

/** What is not understood is as by default, so that an address that somebody shortened still works. */
export function parseQueryView(parameters: URLSearchParams): QueryView {
  const architecture = named(parameters.get('architecture'))
  const ordinal = parameters.get('ordinal') ?? ''
  const [pull, head] = [parameters.get('pull') ?? '', parameters.get('head') ?? '']
  return {
    architecture: architecture === UNNAMED ? null : architecture,
    metric: named(parameters.get('metric')),
    days: DAYS.find((days) => String(days) === parameters.get('days')) ?? DEFAULT_DAYS,
    ordinal: /^\d{1,3}$/.test(ordinal) ? Math.min(Number(ordinal), MOST_ORDINAL) : 0,
    ...(/^[1-9]\d{0,8}$/.test(pull) && isCommitId(head) && { report: { number: Number(pull), head } }),
  }
}

/** `path` with the view as its query part; what is as by default is left out. */
export function queryViewPath(path: string, view: QueryView, format?: 'json' | 'tsv'): string {
  const parameters = new URLSearchParams()
  const set = (key: string, text: string | undefined) => {
    if (named(text ?? null) !== undefined) parameters.set(key, text!)
  }
  set('architecture', view.architecture === null ? UNNAMED : view.architecture)
  set('metric', view.metric)
  if (view.days !== DEFAULT_DAYS) parameters.set('days', String(view.days))
  if (view.ordinal > 0) parameters.set('ordinal', String(view.ordinal))
  if (view.report !== undefined && format === undefined) {
    parameters.set('pull', String(view.report.number))
    parameters.set('head', view.report.head)
  }
  if (format !== undefined) parameters.set('format', format)
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

function named(text: string | null): string | undefined {
  return text === null || text === '' || text.length > LONGEST_NAME ? undefined : text
}

/** Pull requests that one page names. */
export const MOST_FLAGS = 50

/** Histories that one answer holds: four architectures are many. */
const MOST_SERIES = 10

/** What the report of a head has of a query on one architecture, in its unit; null: nothing, or of another metric. */
export function ownValueOf(
  { rows, pullRequest, head, judgedAt }: TriageReport,
  query: QueryId,
  metric: string,
  architecture: string | null,
): OwnValue | null {
  const isSame = (row: QueryId) =>
    queryAddress(row) === queryAddress(query) && (row.ordinal ?? 0) === (query.ordinal ?? 0)
  const row = rows.find((one) => one.metric === metric && one.test === query.test && isSame(one))
  const result = row?.results.find((one) => one.architecture === architecture)
  const value = result === undefined ? null : shownValue(result.new)
  if (value === null || !(value > 0) || !Number.isFinite(value)) return null
  return { pullRequest: pullRequest.number, head, value, time: Date.parse(judgedAt) }
}

/** The history of a query on one architecture, and where it stepped. */
export interface ShownSeries {
  readonly series: TrunkSeries
  readonly steps: readonly TrunkStep[]
}

/** A query over time, as an address asks for it. */
export interface ShownQuery {
  readonly repository: NamedRepository
  readonly query: QueryId
  readonly metric: string
  readonly unit: string | null
  /** Those that the query has rows of, the one that is judged by first. */
  readonly metrics: readonly string[]
  /** Those that the metric was measured on, sorted. */
  readonly architectures: readonly (string | null)[]
  /** The one that the page shows. */
  readonly architecture: string | null
  readonly view: QueryView
  readonly range: TimeRange
  /** Of the page's architecture, or of all that are asked for; one without a run in the time is left out. */
  readonly histories: readonly ShownSeries[]
  /** Tables that rows may have been copied out of, as `HistoryOf.copiedFrom`; null: some of what is shown is not stored. */
  readonly copiedFrom: readonly string[] | null
  /** Why not all of the history is there. */
  readonly problem: HistoryProblem | null
  /** The newest first, at most `MOST_FLAGS`. */
  readonly flags: readonly QueryFlag[]
}

export interface QueryAsked {
  readonly repository: NamedRepository
  readonly address: ParsedQueryAddress
  readonly view: QueryView
  /** Every architecture, where the view names none. */
  readonly all: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/** null where no query has this address. Throws `StoreUnavailable`. */
export async function shownQuery(
  store: Pick<PagesStore, 'queries' | 'reports'>,
  trunk: TrunkOfRepository,
  { repository, address, view, all, now }: QueryAsked,
): Promise<ShownQuery | null> {
  const { copiedFrom } = trunk
  const found = await store.queries.byHash({ repositoryId: repository.id, copiedFrom, ...address })
  const first = found.find((one) => isAt(one, address))
  if (first === undefined) return null
  const measured = found.filter((one) => one.test === first.test && one.queryName === first.queryName)
  const metrics = metricsOf(measured, trunk.metric)
  const metric = metrics.find((name) => name === view.metric) ?? metrics[0]!
  const architectures = architecturesOf(measured, metric)
  const architecture = architectures.find((name) => name === view.architecture) ?? architectures[0]!
  const query: QueryId = {
    test: first.test,
    queryIndex: first.queryIndex,
    queryName: first.queryName,
    ...(view.ordinal > 0 && { ordinal: view.ordinal }),
  }
  const range = { from: now - view.days * DAY, to: now }
  const wanted = all && view.architecture === undefined ? architectures.slice(0, MOST_SERIES) : [architecture]
  const [history, flags] = await Promise.all([
    trunk.series(
      metric,
      wanted.map((one) => ({ ...query, architecture: one })),
      range,
    ),
    store.reports.flagsOfQuery({ repositoryId: repository.id, query, metric, since: range.from, limit: MOST_FLAGS }),
  ])
  return {
    repository,
    query,
    metric,
    unit: unitInHistory(metric),
    metrics,
    architectures,
    architecture,
    view,
    range,
    histories: history.series.map(shownSeries),
    copiedFrom: history.isLive ? null : copiedFrom,
    problem: history.problem,
    flags,
  }
}

/** Of a history that is remembered they are not sought again: of 5,000 runs that takes some 20 ms. */
const STEPS = new WeakMap<TrunkSeries, readonly TrunkStep[]>()

export function shownSeries(series: TrunkSeries): ShownSeries {
  const steps = STEPS.get(series) ?? trunkSteps(series)
  STEPS.set(series, steps)
  return { series, steps }
}

/**
 * The queries that an address of before may mean: that of a query without a text had its index in the place of the hash, and
 * `?test=` where the name of the test was shortened. Tests whose names are shortened alike may share it.
 */
export async function queriesOfOldAddress(
  store: Pick<PagesStore, 'queries'>,
  { copiedFrom }: Pick<TrunkOfRepository, 'copiedFrom'>,
  repositoryId: number,
  { name, hash }: ParsedQueryAddress,
  test: string | undefined,
): Promise<readonly QueryId[]> {
  if (hash > NO_INDEX) return []
  const index = Number(hash)
  const found = await store.queries.testsAtIndex({ repositoryId, copiedFrom, name, index })
  const tests = found.filter((one) => testInAddress(one) === name)
  // Where nothing was shortened the address was the whole name.
  const exact = tests.filter((one) => one === (test ?? name))
  const queryIndex = index === NO_INDEX ? null : index
  const meant = exact.length > 0 || test !== undefined ? exact : tests
  return meant.map((one) => ({ test: one, queryIndex, queryName: null }))
}

/** A name that begins alike, or a text with the same hash, is another address. */
function isAt(query: QueryId, { name, hash }: ParsedQueryAddress): boolean {
  return queryAddress(query) === `${name}-${hash.toString(16).padStart(16, '0')}`
}

function metricsOf(measured: readonly MeasuredQuery[], primary: string): string[] {
  const names = [...new Set(measured.map(({ metric }) => metric))]
  return names.toSorted((a, b) => Number(b === primary) - Number(a === primary) || (a < b ? -1 : 1))
}

function architecturesOf(measured: readonly MeasuredQuery[], metric: string): (string | null)[] {
  const names = measured.filter((one) => one.metric === metric).map(({ architecture }) => architecture)
  return [...new Set(names)].toSorted((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1))
}
