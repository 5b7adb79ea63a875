import { Executions } from '../../../../src/intake/measurement/executions.ts'
import { SidesComparer, type SidesComparison } from '../../../../src/judge/statistics/query-log/compare-sides.ts'

export interface Execution {
  /** From a full hour on. */
  readonly minute: number
  readonly group?: number
  readonly isNew: boolean
  readonly value: number
}

/** A full hour, in minutes since 1970. */
const START = 28_000_020 - (28_000_020 % 60)

/** Compares the groups of some executions by their only metric, each alone first. */
export function compareExecutions(rows: readonly Execution[], isTruncated = true): SidesComparison {
  const executions = new Executions()
  for (const { minute, group = 0, isNew, value } of rows) {
    executions.add(START + minute, group, isNew ? 1 : 0, [['metric', value]])
  }
  const order = executions.order()
  const names = [...new Set(rows.map(({ group = 0 }) => group))]
  const groups = names.map((name) => ({ rows: order.filter((row) => executions.cell(row) === name) }))
  const comparer = new SidesComparer()
  const compare = (of: typeof groups, groupDifferences: readonly (number | null)[]) =>
    comparer.compare({ executions, groups: of, metric: 'metric', isTruncated, groupDifferences })
  const alone = groups.map((group) => compare([group], []).compared?.median.difference ?? null)
  return compare(groups, alone)
}

const count = (number: number) => Array.from({ length: number }, (_, index) => index)

/** The value `i` of minute `b` on the old side, and on the new one, which is `e` slower. */
const o = (b: number, i: number) => 100 + ((37 * b + 11 * i) % 23)
const w = (b: number, i: number, e: number) => 100 + ((53 * b + 17 * i + 5) % 23) + e

const old = (minute: number, value: number, group = 0): Execution => ({ minute, group, isNew: false, value })
const fresh = (minute: number, value: number, group = 0): Execution => ({ minute, group, isNew: true, value })

/** The logs of the definition. */
export const LOGS = {
  equal: count(10).flatMap((b) => count(5).flatMap((i) => [old(b, o(b, i)), fresh(b, w(b, i, 0))])),
  slowerBy20: count(10).flatMap((b) => count(5).flatMap((i) => [old(b, o(b, i)), fresh(b, w(b, i, 20))])),
  anHour: count(60).flatMap((b) => [
    ...count(4 + (b % 3)).map((i) => old(b, o(b, i))),
    ...count(4).map((i) => fresh(b, w(b, i, 4))),
  ]),
  alternating: count(60).flatMap((b) => count(5).map((i) => (b % 2 === 0 ? old(b, o(b, i)) : fresh(b, w(b, i, 8))))),
  oneAfterTheOther: count(120).flatMap((b) => count(5).map((i) => (b < 60 ? old(b, o(b, i)) : fresh(b, w(b, i, 0))))),
  twoGroups: count(60).flatMap((b) =>
    count(10).flatMap((i) => [
      i < 8 ? old(b, o(b, i)) : old(b, o(b, i) + 200, 1),
      i < 2 ? fresh(b, w(b, i, -12)) : fresh(b, w(b, i, -12) + 200, 1),
    ]),
  ),
} as const satisfies Readonly<Record<string, readonly Execution[]>>

/** The same as rows of a query log: sides by `Settings.max_threads`, groups by `log_comment.window`. */
export function rowsOf(executions: readonly Execution[]): readonly object[] {
  return executions.map(({ minute, group = 0, isNew, value }) => ({
    event_time: 1_767_225_600 + minute * 60,
    query_duration_ms: value,
    normalized_query_hash: '17',
    Settings: { max_threads: isNew ? '8' : '4' },
    log_comment: `{"window":"${group === 0 ? 'short' : 'long'}"}`,
  }))
}
