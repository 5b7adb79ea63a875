import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportTsv } from '../../../../src/web/pages/report/result-columns.ts'
import { sampleReport } from '../../../web/sample-report.ts'
import { row } from '../read-text.ts'
import { actionBenchmarkFile } from './action-benchmark-snapshots.ts'
import { filesOf, outputFile } from './output-files.ts'

/** A whole file of a format, most of them real, that is broken in every way. */
export interface HostileSample {
  readonly format: string
  /** Its name, which says the side where the format does not. */
  readonly path: string
  readonly text: string
  /** A part of the name of a benchmark in it; null: there is none, or one benchmark is a file. */
  readonly name: string | null
}

const data = (path: string) => readFileSync(join(import.meta.dirname, '../../../data', path), 'utf8')
const criterion = (file: string) => filesOf('format-outputs/criterion')[`new/fib 20/new/${file}`]!

const PERF_STAT = ` Performance counter stats for 'php select.php':

        896.48 msec task-clock:u              #    0.482 CPUs utilized
         1,962      page-faults:u             #    0.002 M/sec
 3,316,728,038      cycles:u                  #    3.700 GHz

       1.859917081 seconds time elapsed
`

const GOOGLE_TABLE = `2026-01-01T00:00:00+00:00
Running ./sort
----------------------------------------------------------
Benchmark                Time             CPU   Iterations
----------------------------------------------------------
BM_sort/8              4.25 us         4.5 us       100 items_per_second=3.5M/s
BM_sort/64             9.25 us         9.5 us       100 items_per_second=4.5M/s
`

const sample = (format: string, path: string, text: string, name: string | null): HostileSample => ({
  format,
  path,
  text,
  name,
})

export const HOSTILE_SAMPLES: readonly HostileSample[] = [
  sample('clickhouse-raw', 'arrays-raw.tsv', data('run-a-a/arrays-raw.tsv'), 'query\t'),
  sample(
    'measurements',
    'measurements.jsonl',
    ['old', 'new', 'old', 'new']
      .map(
        (side, index) =>
          `{"test":"sum","queryName":"q1","side":"${side}","repetition":${index},"value":0.${21 + index}}\n`,
      )
      .join(''),
    'q1',
  ),
  sample(
    'perf-triage',
    'classify.json',
    `${JSON.stringify({ schemaVersion: 1, counts: {}, queries: sampleReport().rows.flatMap(({ results }) => results) })}\n`,
    'join_hash',
  ),
  sample('perf-triage', 'report.tsv', [...reportTsv(sampleReport()).pieces()].join(''), 'join_hash'),
  sample('perf-stat', 'new.txt', PERF_STAT, 'cycles'),
  sample(
    'perf-stat',
    'new.csv',
    '896.48,msec,task-clock:u,896480000,100.00,,\n1962,,page-faults,896480000,100.00,,\n',
    'page-faults',
  ),
  sample(
    'perf-stat',
    'new.json',
    '{"counter-value" : "896.480000", "unit" : "msec", "event" : "task-clock:u", "event-runtime" : 896480000, "pcnt-running" : 100.00}\n{"counter-value" : "1962.000000", "unit" : "", "event" : "page-faults", "event-runtime" : 896480000, "pcnt-running" : 100.00}\n',
    'page-faults',
  ),
  sample('perf-stat', 'new.time', '$ time php a.php\n\nreal\t0m1.560s\nuser\t0m1.120s\nsys\t0m0.240s\n', 'php'),
  sample(
    'clickbench',
    'new.json',
    '{"system":"ClickHouse","machine":"m6i","cluster_size":1,"tags":["C++"],"load_time":475.529,"data_size":14345515782,"result":[[0.027,0.001,0.002],[null,null,null],[1.5,null,0.3]]}\n',
    null,
  ),
  sample('criterion', 'fib 20/new/sample.json', criterion('sample.json'), null),
  sample('criterion', 'fib 20/new/estimates.json', criterion('estimates.json'), null),
  sample('criterion', 'new.txt', outputFile('criterion-new.txt'), 'fib 20'),
  sample(
    'criterion',
    'new.jsonl',
    '{"reason":"benchmark-complete","id":"sum/10","iteration_count":[10,20],"measured_values":[100.5,220.5],"unit":"ns"}\n{"reason":"group-complete"}\n',
    'sum/10',
  ),
  sample('libtest', 'new.txt', outputFile('libtest.txt'), 'fib_20'),
  sample('libtest', 'new.jsonl', outputFile('libtest.jsonl'), 'fib_20'),
  sample('libtest', 'bencher-new.txt', outputFile('criterion-bencher.txt'), 'fib 20'),
  sample('pyperf', 'new.json', outputFile('pyperf-new.json'), 'fib'),
  sample('jmh', 'new.json', outputFile('jmh.json'), 'MyBenchmark.thrpt'),
  sample('go', 'new.txt', outputFile('go.txt'), 'BenchmarkCustom'),
  sample('go', 'new.json', outputFile('go.json'), 'BenchmarkCustom'),
  sample('asv', 'new.json', Object.values(filesOf('format-outputs/asv/box'))[0]!, 'time_sum'),
  sample('asv', 'new.txt', outputFile('asv-run.txt'), 'time_fib_15'),
  sample('asv', 'compare.txt', outputFile('asv-compare.txt'), 'time_fib_15'),
  sample('vitest', 'new.json', outputFile('vitest.json'), 'fib'),
  sample('benchmarkjs', 'new.txt', outputFile('benchmarkjs.txt'), 'fib'),
  sample('catch2', 'new.txt', outputFile('catch2.txt'), 'fib 10'),
  sample('catch2', 'new.xml', outputFile('catch2.xml'), 'fib 10'),
  sample('iai', 'new.txt', outputFile('iai.txt'), 'fib'),
  sample('iai', 'callgrind-new.txt', outputFile('iai-callgrind.txt'), 'bench_fib'),
  sample('benchmarkdotnet', 'new.json', actionBenchmarkFile('benchmarkdotnet.json'), 'Fib10'),
  sample('dart', 'new.txt', 'Template(RunTime): 0.1568472448997197 us.\nOther(RunTime): 12.5 us.\n', 'Template'),
  sample('ruby', 'new.txt', outputFile('ruby.txt'), 'fib(20)'),
  sample('divan', 'new.txt', outputFile('divan.txt'), 'fib_20'),
  sample('tinybench', 'new.json', outputFile('tinybench.json'), 'sort'),
  sample('tinybench', 'table-new.json', outputFile('tinybench-table.json'), 'sort'),
  sample('mitata', 'new.json', outputFile('mitata.json'), 'sort'),
  sample('benchmarktools', 'new.json', outputFile('benchmarktools-by-hand.json'), 'join'),
  sample('phpbench', 'new.xml', outputFile('phpbench-by-hand.xml'), 'benchMd5'),
  sample('k6', 'new.json', outputFile('k6-data.json'), 'iteration_duration'),
  sample('k6', 'export-new.json', outputFile('k6-export.json'), 'iteration_duration'),
  sample('k6', 'machine-new.json', outputFile('k6-machine-readable.json'), 'iteration_duration'),
  sample('oha', 'new.json', outputFile('oha.json'), null),
  sample('oha', 'new.txt', outputFile('oha.txt'), null),
  sample('wrk', 'new.txt', outputFile('wrk.txt').replace('18932/', '18932/items'), 'items'),
  sample('google-benchmark', 'counters-new.json', outputFile('google-benchmark-counters.json'), 'BM_sum/64'),
  sample('google-benchmark', 'new.json', actionBenchmarkFile('googlecpp_output.json'), 'fib_10'),
  sample('google-benchmark', 'new.txt', GOOGLE_TABLE, 'BM_sort/8'),
  sample('hyperfine', 'new.json', outputFile('hyperfine.json'), 'true'),
  sample('hyperfine', 'new.csv', outputFile('hyperfine.csv'), 'true'),
  sample('pytest-benchmark', 'new.json', outputFile('pytest-benchmark.json'), 'test_sum'),
  sample('github-action-benchmark', 'new.json', actionBenchmarkFile('customSmallerIsBetter_output.json'), 'My Custom'),
  sample(
    'github-action-benchmark',
    'data.js',
    data('format-github-action-benchmark/data/write/data-dir/original_data.js'),
    'bench_fib_10',
  ),
  sample(
    'bencher',
    'new.json',
    '{"sum 10":{"latency":{"value":88.25,"lower_value":87.5},"throughput":{"value":5.5}},"sum 20":{"latency":{"value":90.25}}}\n',
    'sum 10',
  ),
  // a time that console.timeLog printed is a time without the text behind it, too
  sample('js-time', 'new.txt', outputFile('js-time.txt').replace(' half', ''), 'short'),
]

const report = (metric: string) => row(metric, 0.02, 0.0234, 0.165, 1.169, 0.165, 'arrays', 0, 'SELECT 1', 0.27, 0.32)

/** What may lie beside the raw file of `arrays` above: it never costs the results. */
export const HOSTILE_COMPANIONS: Readonly<Record<string, string>> = {
  'run-errors.tsv': row('arrays', 'query 0 server 1: Code: 47.5'),
  'left-commit.txt': `${'a'.repeat(40)}\n`,
  'all-query-metrics.tsv': report('client_time') + report('MemoryUsage'),
  'thresholds.tsv': row('arrays', 0, 0.15, 0.25),
  'historical-thresholds.tsv': row('arrays', 0, 'client_time', 0.15, 0.25),
  'ci-checks.tsv': row(0, 'x', 'arrays #0::old', 'slower', 0.5, 0.25),
  'result_performance.json': '{"status":"failure","results":[{"name":"arrays #0","status":"slower","duration":0.5}]}\n',
  'report.html': '<html>\n<!--status: failure-->\n<!--message: 2 slower-->\n</html>\n',
  'analyze/client-times.tsv': row('arrays', 0, 1.5, 1.0),
  'analyze/query-run-metrics-denorm.tsv': row('arrays', 0, 'SelectedRows', 0, 'arrays.query0.run0', 12.5),
  'analyze/query-run-metric-arrays.tsv': row(
    'arrays',
    0,
    0,
    'arrays.query0.run0',
    "['SelectedRows','b']",
    '[12.5,3.5]',
  ),
  'report/stacks.left.tsv': row('arrays', 0, 'CPU', 'SELECT 1', 'main;f;g', 12),
  'report/stacks.right.tsv': row('arrays', 0, 'CPU', 'SELECT 1', 'main;f;h', 13),
  'analyze-confirm/flagged-queries.tsv': row('arrays', 0, 0.5),
  'analyze-confirm/arrays-raw.tsv': row('query', 0, 'arrays.query0.run0', 0, 0.5),
  'metrics/changes.tsv': row('OSOpenFiles', 10.5, 9.5, -0.1, 1.1),
  'run_attributes_v1.tsv':
    row('old_sha', 'new_sha', 'metric', 'metric_value') + row('a1', 'b2', 'lscpu-l3-cache', '32.5 MiB'),
  'old/cpu.folded': 'main;f;g 12\nmain;f;h 3.5\n',
}

/** Executions under the settings `1` and `2`, as both forms that are read. */
export const HOSTILE_QUERY_LOGS: Readonly<Record<string, string>> = {
  tsv:
    row('event_time', 'query', 'query_duration_ms', 'ProfileEvents', 'Settings') +
    ['1', '2', '1', '2']
      .map((threads) =>
        row('2026-11-01 10:00:00', 'SELECT 1', 12.5, "{'SelectedRows':3}", `{'max_threads':'${threads}'}`),
      )
      .join(''),
  json: ['1', '2', '1', '2']
    .map(
      (threads) =>
        `{"event_time":"2026-11-01 10:00:00","query":"SELECT 1","query_duration_ms":12.5,"ProfileEvents":{"a":1},"Settings":{"max_threads":"${threads}"}}\n`,
    )
    .join(''),
}

type Form = (text: string) => string

/** A number where a value or a part of a name can be. */
const NUMBER = /(?<=[:[,(|\s])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])/gi
const DECIMAL = /(?<=[:[,(|\s])\d+\.\d+(?:e[+-]?\d+)?/gi

/** What is wrong with a file from its start to its end. */
export const HOSTILE_FORMS: Readonly<Record<string, Form>> = {
  'of words for numbers': (text) => text.replaceAll(NUMBER, (number) => `"x${number.length}"`),
  'of truths': (text) => text.replaceAll(NUMBER, 'true'),
  'of nothing': (text) => text.replaceAll(NUMBER, 'null'),
  'of lists': (text) => text.replaceAll(NUMBER, '[1]'),
  'of NaN': (text) => text.replaceAll(NUMBER, 'NaN'),
  'of infinity': (text) => text.replaceAll(NUMBER, 'Infinity'),
  'of inf and nan': (text) => text.replaceAll(NUMBER, (number) => (number.length % 2 === 0 ? '-inf' : 'nan')),
  'of 1e999': (text) => text.replaceAll(NUMBER, '1e999'),
  'of 9e9999': (text) => text.replaceAll(DECIMAL, '9.5e9999'),
  'of digits without end': (text) => text.replaceAll(DECIMAL, (number) => `${number}${'7'.repeat(500)}`),
  'of places without end': (text) => text.replaceAll(DECIMAL, (number) => `${'7'.repeat(500)}${number}`),
  'below zero': (text) => text.replaceAll(NUMBER, (number) => `-${number}`),
  'of deep lists': (text) => text.replace(/[[{]/, (open) => `${open}${'['.repeat(100_000)}`),
  'of deep lists for a value': (text) =>
    text.replace(new RegExp(DECIMAL, 'i'), `${'['.repeat(100_000)}${']'.repeat(100_000)}`),
  'of one endless line': (text) => `${text.split('\n').join(' ')}${' '.repeat(200_000)}x`,
  'behind an endless line': (text) => `${'x '.repeat(200_000)}\n${text}`,
  'without its line ends': (text) => text.replaceAll('\n', ''),
  'of its first line': (text) => text.slice(0, text.indexOf('\n') + 1),
  'of the half of each line': (text) => text.replaceAll(/^.*$/gm, (line) => line.slice(0, line.length / 2)),
  'behind endless empty lines': (text) => `${text}${'\n'.repeat(100_000)}${text}`,
  'with a NUL between': (text) => text.replaceAll(' ', '\u0000'),
}

/** The file with so many benchmarks in the place of one, called `name` and a number. */
export function manyNames({ text, path }: HostileSample, name: string, numbers: readonly string[]): string {
  if (/\.(?:json|js)$/.test(path) && !text.trim().includes('}\n{')) {
    const start = path.endsWith('.js') ? text.indexOf('{') : 0
    return text.slice(0, start) + JSON.stringify(multiplied(JSON.parse(text.slice(start)), name, numbers))
  }
  if (path.endsWith('.xml')) {
    return text.replace(/<(BenchmarkResults|subject)\b[\s\S]*?<\/\1>/, (one) =>
      numbers.map((number) => one.replace(name, `${name}${number}`)).join('\n'),
    )
  }
  // a header stands once
  const [header = ''] = /^(?:command,|test\t).*\n/.exec(text) ?? []
  const rows = text.slice(header.length)
  return header + numbers.map((number) => rows.replaceAll(name, `${name}${number}`)).join('')
}

/** Repeats the innermost part of a document that has the name in it. */
function multiplied(value: unknown, name: string, numbers: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    return value.flatMap((part: unknown): unknown[] => {
      const json = JSON.stringify(part)
      if (!json.includes(name)) return [part]
      const inner = multiplied(part, name, numbers)
      if (JSON.stringify(inner) !== json) return [inner]
      return numbers.map((number) => JSON.parse(json.replaceAll(name, `${name}${number}`)) as unknown)
    })
  }
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.flatMap(([key, part]): [string, unknown][] =>
      key.includes(name)
        ? numbers.map((number) => [key.replace(name, `${name}${number}`), part])
        : [[key, multiplied(part, name, numbers)]],
    ),
  )
}
