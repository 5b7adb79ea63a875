import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A file that a reader is given as it is, and with faults. */
export interface Seed {
  /** Below `test/data` or `demo/recording`: readers look at names too. */
  readonly path: string
  readonly bytes: Buffer
}

const ROOT = join(import.meta.dirname, '../..')

/** A reader takes as long as its file is large: a million cases are of small ones. */
const LARGEST = 24 * 1024

function seedsOf(folder: string): Seed[] {
  return globSync('**/*.*', { cwd: join(ROOT, folder) })
    .toSorted()
    .filter((path) => !/SOURCE|LICENSE|\.pem$/.test(path))
    .map((path) => ({ path, file: join(ROOT, folder, path) }))
    .filter(({ file }) => statSync(file).isFile() && statSync(file).size <= LARGEST)
    .map(({ path, file }) => ({ path, bytes: readFileSync(file) }))
}

const rows = (path: string, ...lines: readonly string[]): Seed => ({
  path,
  bytes: Buffer.from(`${lines.join('\n')}\n`),
})

/** Tables in the columns of ClickHouse's CI and of `system.query_log`, which no file of the tests has in small. */
const TABLES: readonly Seed[] = [
  rows(
    'checks.tsv',
    'pull_request_number\tcommit_sha\tcheck_name\tcheck_status\tcheck_start_time\ttest_name\ttest_status\ttest_context_raw',
    `7\t${'a'.repeat(40)}\tStateless\tfailure\t2026-11-01 10:00:00\t00001_select\tFAIL\tresult differs\\n- 1\\n+ 2`,
    `0\t${'b'.repeat(40)}\tStateless\tsuccess\t2026-11-01 11:00:00\t00001_select\tOK\t`,
  ),
  rows(
    'checks.jsonl',
    `{"pull_request_number":7,"commit_sha":"${'a'.repeat(40)}","check_name":"Unit","check_status":"failure","check_start_time":"2026-11-01 10:00:00","test_name":"a","test_status":"FAIL","test_context_raw":"x"}`,
  ),
  rows(
    'history.tsv',
    'event_time\told_sha\tnew_sha\ttest\tquery_index\tquery_display_name\tmetric\told_value\tnew_value\tdiff\tstat_threshold\tarch\tpr_number',
    `2026-11-01 10:00:00\t${'a'.repeat(40)}\t${'b'.repeat(40)}\tsum\t3\tSELECT 1\tclient_time\t0.1\t0.11\t0.1\t0.05\tamd\t0`,
  ),
  rows(
    'runs.tsv',
    'check_start_time\told_sha\tnew_sha\tarch\tpr_number\ttest\tquery_index\tquery_display_name\tside\tmetric_name\tmetric_value\tbaseline_kind',
    ...['left', 'right', 'left', 'right'].map(
      (side) =>
        `2026-11-01 10:00:00\t${'a'.repeat(40)}\t${'b'.repeat(40)}\tamd\t0\tsum\t3\tSELECT 1\t${side}\tclient_time\t0.1\tmaster_head`,
    ),
  ),
  rows(
    'query_log.tsv',
    'type\tevent_time\tquery\tnormalized_query_hash\tquery_duration_ms\tread_rows\tread_bytes\tmemory_usage\tProfileEvents\tSettings\ttables',
    ...['1', '2', '1', '2'].map(
      (threads) =>
        `QueryFinish\t2026-11-01 10:00:00\tSELECT ${threads} FROM t WHERE a = 'x'\t77\t12\t100\t800\t4096\t{'SelectedRows':3}\t{'max_threads':'${threads}'}\t['d.t']`,
    ),
  ),
  rows(
    'query_log.jsonl',
    ...['1', '2'].map((threads) =>
      JSON.stringify({
        type: 'QueryFinish',
        event_time: '2026-11-01 10:00:00',
        query: 'SELECT 1',
        query_duration_ms: 3,
        ProfileEvents: { a: 1 },
        Settings: { max_threads: threads },
      }),
    ),
  ),
]

const COMMENTS: readonly string[] = [
  '/perf help',
  'Thanks!\n\n/perf ack hash_functions #3 "known: see #12" until 2027-01-31\n/perf rerun',
  '@perf-triage explain "a `b` c"\n\n> /perf mute\n\n```\n/perf help\n```\n\n| a |\n| --- |\n/perf help',
  '<details>\n\n/perf accept `sum` "faster elsewhere"\n\n</details>\n<!-- /perf mute -->',
]

const CONFIGS: readonly string[] = [
  'version: 1\nmode: shadow\nthresholds:\n  changed: 0.1\n  unstable: 0.2\ntests:\n  - name: "hash*"\n    ignore: true\n    reason: noisy\n    until: 2027-01-01\n',
  'checks:\n  performance: ["Performance*"]\nhistory:\n  days: 90\n  metrics: [client_time]\nretention:\n  sampleDays: 30\n',
  'a: &a [x]\nb: [*a, *a]\nc: {<<: *a}\n',
]

const recorded = seedsOf('demo/recording')
const data = seedsOf('test/data')

export const CORPUS = {
  files: [...data.filter(({ path }) => !path.startsWith('github-webhooks/')), ...recorded, ...TABLES],
  tables: [...TABLES, ...data.filter(({ path }) => /^(ci-|junit-|history-)/.test(path))],
  webhooks: data.filter(({ path }) => path.startsWith('github-webhooks/') && path.endsWith('.json')),
  comments: COMMENTS.map((text, index) => ({ path: `${index}.md`, bytes: Buffer.from(text) })),
  configs: CONFIGS.map((text, index) => ({ path: `${index}.yml`, bytes: Buffer.from(text) })),
} satisfies Record<string, readonly Seed[]>
