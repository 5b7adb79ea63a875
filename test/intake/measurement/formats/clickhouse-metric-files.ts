import type { Measurement } from '../../../../src/intake/measurement/run.ts'

/**
 * The files of ClickHouse's performance check for measurements: raw files of the time, and the metrics of all repetitions
 * as its `compare.sh` writes them. A query without a metric has -0 there, as every query has the metrics of all others.
 */
export function clickhouseFiles(measurements: readonly Measurement[]): Record<string, string> {
  const metrics = [...new Set(measurements.map(({ metric }) => metric))].toSorted()
  const byTest = Map.groupBy(measurements, ({ test }) => test)
  const raw = [...byTest].map(([test, ofTest]): [string, string] => [
    `${test}-raw.tsv`,
    ofTest
      .filter(({ metric }) => metric === 'client_time')
      .map((one) => rawLines(one))
      .join(''),
  ])
  const byQuery = Map.groupBy(measurements, ({ test, queryIndex }) => JSON.stringify([test, queryIndex]))
  const queries = [...byQuery.values()].map((ofQuery) => new Map(ofQuery.map((one) => [one.metric, one])))
  return {
    ...Object.fromEntries(raw),
    'analyze/query-run-metrics-denorm.tsv': queries.map((query) => denormLines(query, metrics)).join(''),
    'analyze/query-run-metric-arrays.tsv': queries.map((query) => arrayLines(query, metrics)).join(''),
  }
}

export const idOf = ({ test, queryIndex }: Measurement, repetition: number): string =>
  `${test}.query${queryIndex}.run${repetition}`

const SIDES = [
  [0, 'old'],
  [1, 'new'],
] as const

function rawLines(time: Measurement): string {
  const lines = [`display-name\t${time.queryIndex}\t${escaped(time.queryName ?? '')}`]
  for (const [server, side] of SIDES) {
    for (const [repetition, value] of time[side].entries()) {
      lines.push(`query\t${time.queryIndex}\t${idOf(time, repetition)}\t${server}\t${value}`)
    }
  }
  return `${lines.join('\n')}\n`
}

/** ORDER BY test, query_index, metric_names, version, query_id. */
function denormLines(query: ReadonlyMap<string, Measurement>, metrics: readonly string[]): string {
  const time = query.get('client_time')!
  return metrics
    .flatMap((metric) =>
      SIDES.flatMap(([version, side]) =>
        time[side]
          .map((_, repetition) => repetition)
          .toSorted((a, b) => (idOf(time, a) < idOf(time, b) ? -1 : 1))
          .map((repetition) => {
            const value = query.get(metric)?.[side][repetition] ?? '-0'
            return `${escaped(time.test)}\t${time.queryIndex}\t${metric}\t${version}\t${escaped(idOf(time, repetition))}\t${value}\n`
          }),
      ),
    )
    .join('')
}

function arrayLines(query: ReadonlyMap<string, Measurement>, metrics: readonly string[]): string {
  const time = query.get('client_time')!
  const names = `[${metrics.map((metric) => `'${metric}'`).join(',')}]`
  return SIDES.flatMap(([version, side]) =>
    time[side].map((_, repetition) => {
      const values = metrics.map((metric) => query.get(metric)?.[side][repetition] ?? '-0')
      return `${escaped(time.test)}\t${time.queryIndex}\t${version}\t${escaped(idOf(time, repetition))}\t${names}\t[${values.join(',')}]\n`
    }),
  ).join('')
}

const escaped = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll("'", "\\'")
