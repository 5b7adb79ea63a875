import { type LoggedExecutions, type QueryLog, queryLogUnit } from '../../intake/measurement/query-log.ts'
import type { Measurement } from '../../intake/measurement/run.ts'
import { benjaminiHochberg } from '../statistics/benjamini-hochberg.ts'
import type { Group } from '../statistics/query-log/blocks.ts'
import {
  type ComparedSides,
  type QuantileComparison,
  SidesComparer,
  type SidesComparison,
} from '../statistics/query-log/compare-sides.ts'
import type { ClassifiedQuery, Note, Status, StatusReason } from './classified-query.ts'
import { classify } from './classify.ts'
import { directionOf } from './direction.ts'
import { outcomeOf } from './outcome.ts'
import { type ThresholdSettings, thresholdsOf } from './thresholds.ts'
import type { Verdict } from './verdict.ts'
import { worstFirst } from './worst-first.ts'

/** A row of a query log: what a comparison under live traffic knows beside the outcome. */
export interface QueryLogRow extends ClassifiedQuery {
  /** The variant that is compared with the first. */
  readonly variant: string
  readonly traffic: Traffic
}

export interface Traffic {
  /** Null where the sides are not comparable. */
  readonly blocks: {
    readonly minutes: number
    readonly count: number
    readonly effective: number
  } | null
  /** The shares of each side's executions that lie where both sides ran; null where the sides are not comparable. */
  readonly coverage: { readonly old: number; readonly new: number } | null
  /** When the first and the last execution ran, ISO 8601. */
  readonly from: string
  readonly to: string
  readonly p95: QuantileComparison | null
  readonly p99: QuantileComparison | null
  /** All executions, at whatever mix and load: shown, never tested. */
  readonly crude: {
    readonly old: { readonly median: number; readonly mean: number }
    readonly new: { readonly median: number; readonly mean: number }
    readonly difference: number | null
  } | null
  readonly evidence: ComparedSides['evidence']
  /** Of a changed row: a log of less than six hours asks for a longer one. */
  readonly verdict: Extract<Verdict, 'regression' | 'improvement' | 'needs-rerun'> | null
}

export interface ClassifiedQueryLog {
  /** A row for each query, group, metric and variant but the first, worst first. */
  readonly rows: readonly QueryLogRow[]
  /** All queries and groups at equal mix, a row for each metric and variant; empty where there is one query in one group. */
  readonly whole: readonly QueryLogRow[]
}

/** The name of all queries together. */
const WHOLE = 'all queries at equal mix'

/** Less of anything is better: the events that are good, such as hits of a cache, are told from the others by nothing. */
const BETTER = 'lower'

/** The share of swaps that T is the threshold of. */
const LEVEL = 0.01

const NO_GROUP_DIFFERENCES: readonly never[] = []

/** Classifies a log by its metrics. `docs/query-log.md` says what each number means. */
export function classifyQueryLog(
  log: LoggedExecutions,
  settings: ThresholdSettings,
  onProgress: (done: number, of: number) => void = () => undefined,
): ClassifiedQueryLog {
  const comparer = new SidesComparer()
  const { executions, cells, variants } = log
  const ranges = rangesOf(log)
  const rows: QueryLogRow[] = []
  const whole: QueryLogRow[] = []
  const steps = executions.metrics.length * (variants.length - 1)
  for (const [index, variant] of variants.entries()) {
    if (index === 0) continue
    const groups = groupsOf(log, ranges, index)
    for (const [place, metric] of executions.metrics.entries()) {
      const scale = queryLogUnit(metric)
      const compare = (of: readonly Group[], groupDifferences: readonly (number | null)[]) =>
        comparer.compare({ executions, groups: of, metric, isTruncated: scale.isTruncated, groupDifferences })
      const rowOf = (cell: { readonly test: string; readonly group: string | null }, found: SidesComparison) =>
        rowOfComparison({ ...cell, metric, variant }, found, settings)
      const alone = groups.map((group) => compare([group], NO_GROUP_DIFFERENCES))
      for (const [cell, found] of alone.entries()) rows.push(rowOf(cells[cell]!, found))
      if (cells.length > 1) {
        const differences = alone.map(({ compared }) => compared?.median.difference ?? null)
        whole.push(rowOf({ test: WHOLE, group: null }, compare(groups, differences)))
      }
      onProgress((index - 1) * executions.metrics.length + place + 1, steps)
    }
  }
  return { rows: worstFirst(withQValues(rows)), whole }
}

/** The costs of each variant beside its queries, a row for each metric: merges are judged, sizes were measured once. */
export function classifyCosts(
  { merges, parts, variants }: QueryLog,
  settings: ThresholdSettings,
): readonly QueryLogRow[] {
  const others = variants.slice(1)
  const sizes = others.flatMap((variant, index) =>
    classify(
      parts.map(({ metric, bytes }) => sizeOf(metric, bytes[0]!, bytes[index + 1]!)),
      settings,
    ).map((row) => ({ ...row, variant, traffic: NO_TRAFFIC })),
  )
  return [...(merges === null ? [] : classifyQueryLog(merges, settings).rows), ...sizes]
}

function sizeOf(metric: string, old: number | null, fresh: number | null): Measurement {
  return {
    test: 'parts',
    queryIndex: null,
    queryName: null,
    metric,
    unit: 'bytes',
    architecture: null,
    old: old === null ? [] : [old],
    new: fresh === null ? [] : [fresh],
    reportThreshold: null,
    rounded: false,
    problems: [],
  }
}

const NO_TRAFFIC: Traffic = {
  blocks: null,
  coverage: null,
  from: '',
  to: '',
  p95: null,
  p99: null,
  crude: null,
  evidence: [],
  verdict: null,
}

/** The rows of each cell, in the order of time. */
function rangesOf({ executions, cells }: LoggedExecutions): readonly Uint32Array[] {
  const order = executions.order()
  let from = 0
  return cells.map((_, cell) => {
    let to = from
    while (to < order.length && executions.cell(order[to]!) === cell) to += 1
    const range = order.subarray(from, to)
    from = to
    return range
  })
}

function groupsOf(
  { executions, variants }: LoggedExecutions,
  ranges: readonly Uint32Array[],
  variant: number,
): readonly Group[] {
  if (variants.length === 2) return ranges.map((rows) => ({ rows }))
  const isOf = (row: number) => executions.variant(row) === 0 || executions.variant(row) === variant
  return ranges.map((rows) => ({ rows: rows.filter(isOf) }))
}

interface RowOf {
  readonly test: string
  readonly group: string | null
  readonly metric: string
  readonly variant: string
}

function rowOfComparison(of: RowOf, found: SidesComparison, settings: ThresholdSettings): QueryLogRow {
  const { divisor, unit } = queryLogUnit(of.metric)
  const { compared, counts } = found
  const scaled = (quantile: QuantileComparison): QuantileComparison => ({
    ...quantile,
    old: quantile.old / divisor,
    new: quantile.new / divisor,
  })
  const median = compared === null ? null : scaled(compared.median)
  const difference = median?.difference ?? null
  const judged = judge(found, settings)
  return {
    test: of.test,
    queryIndex: null,
    queryName: of.group,
    metric: of.metric,
    unit,
    architecture: null,
    ...judged,
    old: { median: median?.old ?? null, repetitions: counts.old },
    new: { median: median?.new ?? null, repetitions: counts.new },
    difference,
    threshold: judged.status === 'compared' ? (median?.threshold ?? null) : null,
    pValue: judged.status === 'compared' ? (compared?.pValue ?? null) : null,
    rankPValue: null,
    qValue: null,
    smallestPValue: null,
    separated: judged.status === 'compared' ? (compared?.separated ?? null) : null,
    direction: difference === null ? null : directionOf(difference, BETTER),
    better: BETTER,
    variant: of.variant,
    traffic: {
      blocks:
        compared === null
          ? null
          : { minutes: compared.blockMinutes, count: compared.blocks, effective: compared.effectiveBlocks },
      coverage: compared?.coverage ?? null,
      from: timeOf(found.first),
      to: timeOf(found.last),
      p95: compared === null ? null : scaled(compared.p95),
      p99: compared === null ? null : scaled(compared.p99),
      crude: crudeOf(found, divisor),
      evidence: compared?.evidence ?? [],
      verdict: judged.outcome === 'changed' ? verdictOf(compared!, difference!) : null,
    },
  }
}

function timeOf(minute: number): string {
  return Number.isFinite(minute) ? new Date(minute * 60_000).toISOString() : ''
}

function crudeOf({ crude }: SidesComparison, divisor: number): Traffic['crude'] {
  if (crude === null) return null
  return {
    old: { median: crude.oldMedian / divisor, mean: crude.oldMean / divisor },
    new: { median: crude.newMedian / divisor, mean: crude.newMean / divisor },
    difference: crude.difference,
  }
}

function verdictOf({ evidence }: ComparedSides, difference: number): Traffic['verdict'] {
  if (evidence.includes('short-run')) return 'needs-rerun'
  return difference > 0 ? 'regression' : 'improvement'
}

type Judged = Pick<
  ClassifiedQuery,
  | 'status'
  | 'statusReason'
  | 'outcome'
  | 'changedThreshold'
  | 'changedThresholdSource'
  | 'unstableThreshold'
  | 'unstableThresholdSource'
  | 'notes'
>

function judge({ counts, compared }: SidesComparison, settings: ThresholdSettings): Judged {
  if (compared === null) return notJudged(...whyNotCompared(counts))
  const { median, separated, evidence, pValue } = compared
  if (median.difference === null) return notJudged('failed', 'zero-old')
  const { changed, unstable } = thresholdsOf(null, null, settings)
  const notes: Note[] = [...evidence]
  if (pValue === null) notes.unshift('too-few-blocks')
  // counts move in steps: the step that is T can be reached by more swaps than one in a hundred
  const isRare = separated || (pValue ?? 1) <= LEVEL
  const difference = isRare ? median.difference : 0
  const measured = { difference, threshold: median.threshold ?? Number.POSITIVE_INFINITY, separated }
  return {
    status: 'compared',
    statusReason: null,
    outcome: outcomeOf(measured, changed.value, unstable.value),
    changedThreshold: changed.value,
    changedThresholdSource: changed.source,
    unstableThreshold: unstable.value,
    unstableThresholdSource: unstable.source,
    notes,
  }
}

function whyNotCompared(counts: SidesComparison['counts']): readonly [Status, StatusReason | null] {
  if (counts.old === 0 && counts.new === 0) return ['not-measured', 'no-samples']
  if (counts.new === 0) return ['only-old', 'no-samples']
  return counts.old === 0 ? ['only-new', 'no-samples'] : ['not-comparable', null]
}

function notJudged(status: Status, statusReason: StatusReason | null): Judged {
  return {
    status,
    statusReason,
    outcome: null,
    changedThreshold: null,
    changedThresholdSource: null,
    unstableThreshold: null,
    unstableThresholdSource: null,
    notes: [],
  }
}

/** From the p of the blocks: it ranks, and decides nothing. */
function withQValues(rows: readonly QueryLogRow[]): QueryLogRow[] {
  const families = Map.groupBy(rows, ({ variant, metric }) => JSON.stringify([variant, metric]))
  return [...families.values()].flatMap((family) => {
    const tested = family.filter(({ pValue }) => pValue !== null)
    const qValues = new Map(
      benjaminiHochberg(tested.map(({ pValue }) => pValue!)).map((q, index) => [tested[index]!, q]),
    )
    return family.map((row) => ({ ...row, qValue: qValues.get(row) ?? null }))
  })
}
