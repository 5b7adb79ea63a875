import { expect, test } from 'vitest'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'
import { rawRun, SLOWER, STEADY } from '../raw-run.ts'
import { codes, readTexts, row, summaries } from '../read-text.ts'

/** Lines as issues of ClickHouse quote them; the texts are shortened there. */
const QUOTED =
  row('client_time', 0.02, 0.0234, 0.165, 1.169, 0.165, 'lazy_final_early_exit_limit', 0, '<query>', 0.27, 0.32) +
  row('client_time', 0.0153, 0.0191, 0.243, 1.248, 0.225, 'order_by_read_in_order', 1, 'SELECT *', 0.15, 0.25)

/** A line of all-query-metrics.tsv. */
const metric = (
  name: string,
  index: number,
  [old, fresh, difference, threshold]: readonly [number, number, number | string, number | string],
  ...thresholds: readonly number[]
) => row(name, old, fresh, difference, 1, threshold, 'sum', index, `SELECT ${index}`, ...thresholds)

/** Difference, T and thresholds, and how ClickHouse's own test judges them. */
const CLASSIFIED = [
  [0.3, 0.05, 0.2, 0.25, 'slower'],
  // strict against its own threshold, and not strict against T
  [0.2, 0.05, 0.2, 0.25, null],
  [0.165, 0.165, 0.15, 0.25, 'slower'],
  [0.01, 0.4, 0.2, 0.25, 'unstable'],
  [0.01, 0.2, 0.2, 0.25, null],
  [-0.3, 0.05, 0.2, 0.25, 'faster'],
  [0.18, 0.05, 0.2, 0.25, null],
  [0.05, 0.28, 0.2, 0.3, null],
] as const

test('medians, D and T of a report alone are a run, judged by our thresholds and by those of the report', async () => {
  const contents = await readTexts({ 'all-query-metrics.tsv': QUOTED })
  const rows = classify(contents.measurements, DEFAULT_THRESHOLDS)
  expect(rows).toMatchObject([
    { test: 'order_by_read_in_order', outcome: 'changed', difference: 0.243, threshold: 0.225, pValue: null },
    { test: 'lazy_final_early_exit_limit', outcome: 'changed', old: { median: 0.02, repetitions: null } },
  ])
  expect(rows[0]!.notes).toEqual(['rounded-source'])
  expect(contents.own).toEqual({
    status: null,
    message: null,
    flagged: {
      slower: 1,
      faster: 0,
      unstable: 0,
      rows: [{ test: 'order_by_read_in_order', queryIndex: 1, flag: 'slower' }],
    },
    thresholds: null,
    dashboard: [],
  })
})

test('a file by another name is known by its first line', async () => {
  const { measurements } = await readTexts({ 'download-1': QUOTED }, { direct: true })
  expect(measurements).toHaveLength(2)
})

test.each(CLASSIFIED)(
  'the report’s own rule: D %s and T %s by %s and %s is %s',
  async (d, t, changed, unstable, flag) => {
    const line = metric('client_time', 0, [1, 1 + d, d, t], changed, unstable)
    const { own } = await readTexts({ 'all-query-metrics.tsv': line })
    const { slower, faster, unstable: noisy } = own!.flagged!
    expect([slower, faster, noisy]).toEqual(['slower', 'faster', 'unstable'].map((one) => Number(one === flag)))
  },
)

test('zeros: left out, but for the metric that decides; of two there is no difference, of one there is none to tell', async () => {
  const { measurements } = await readTexts({
    'all-query-metrics.tsv':
      metric('client_time', 0, [0, 0, 'nan', 'nan']) +
      metric('client_time', 1, [0, 0.1, 'inf', 'inf']) +
      metric('Merge', 0, [0, 0, 'nan', 'nan']),
  })
  const rows = classify(measurements, DEFAULT_THRESHOLDS)
  expect(rows.map(({ queryIndex, status, difference }) => [queryIndex, status, difference])).toEqual([
    [1, 'failed', null],
    [0, 'compared', 0],
  ])
})

test('beside the raw files it is no second measurement, and says how the report judged', async () => {
  const contents = await readTexts({
    'report/all-query-metrics.tsv': metric('client_time', 0, [0.1, 0.12, 0.2, 0.05], 0.15, 0.25),
    'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]),
  })
  expect(summaries(contents.measurements)).toEqual(['sum #0 client_time: 7 + 7'])
  expect(contents.own?.flagged?.slower).toBe(1)
})

test('what the rerun took back is not flagged', async () => {
  const { own } = await readTexts({
    'all-query-metrics.tsv': metric('client_time', 0, [0.1, 0.12, 0.2, 0.05], 0.15, 0.25),
    'unconfirmed-changes.tsv': row(0.1, 0.12, 0.2, 0.05, 0.01, 0.06, 'sum', 0, 'SELECT 0'),
  })
  expect(own?.flagged).toMatchObject({ slower: 0, unstable: 0 })
})

test('its tables of flags are believed as they stand', async () => {
  const queries =
    row('changed_fail', 'changed_show', 'unstable_fail', 'unstable_show', 'left', 'right') +
    row('UInt8', 'UInt8', 'UInt8', 'UInt8', 'Float64', 'Float64') +
    row(1, 1, 0, 0, 0.1, 0.12, 0.2, 0.05, 'sum', 0, 'SELECT 0') +
    row(0, 1, 1, 1, 0.1, 0.11, 0.1, 0.3, 'sum', 1, 'SELECT 1')
  const all = row(1, 0, 0.1, 0.05, '-2.000x', -0.5, 0.05, 'sum', 2, 'SELECT 2')
  const contents = await readTexts({ 'report/all-queries.tsv': all, 'report/queries.tsv': queries })
  expect(contents.own?.flagged).toMatchObject({ slower: 1, faster: 0, unstable: 1 })
  expect(contents.measurements.map(({ queryIndex, comparison }) => [queryIndex, comparison?.difference])).toEqual([
    [0, 0.2],
    [1, 0.1],
  ])
  const [faster] = (await readTexts({ 'all-queries.tsv': all })).own!.flagged!.rows
  expect(faster).toEqual({ test: 'sum', queryIndex: 2, flag: 'faster' })
})

test.each([
  ['one of a test has another', 30, (index: number) => (index === 7 ? 0.21 : 0.15), 'learned'],
  ['all of the test have the same', 30, () => 0.15, 'bare'],
  ['too few to tell', 10, () => 0.15, null],
] as const)('thresholds are learned or bare: %s', async (_, count, thresholdOf, expected) => {
  const lines = Array.from({ length: count }, (__, index) =>
    metric('client_time', index, [1, 1, 0, 0.05], thresholdOf(index), 0.25),
  )
  expect((await readTexts({ 'all-query-metrics.tsv': lines.join('') })).own?.thresholds ?? null).toBe(expected)
  const header = row('test', 'query_index', 'changed_threshold', 'unstable_threshold', 'query_display_name')
  const table = lines.map((__, index) => row('sum', index, thresholdOf(index), 0.25, '')).join('')
  const beside = await readTexts({
    'all-queries.tsv': '',
    'thresholds.tsv': `${header}${header}${table}`,
    'a-raw.tsv': rawRun('a', []),
  })
  expect(beside.own?.thresholds ?? null).toBe(expected)
})

test('of tens of thousands of thresholds all are read; beyond a limit, and cut or in another shape, that is said', async () => {
  const header = row('test', 'query_index', 'changed_threshold', 'unstable_threshold', 'query_display_name').repeat(2)
  const line = (__: unknown, index: number) => row('sum', index, index === 20_000 ? 0.21 : 0.15, 0.25, '')
  const read = async (count: number, after = '', limits = {}) =>
    await readTexts(
      {
        'all-queries.tsv': '',
        'thresholds.tsv': header + Array.from({ length: count }, line).join('') + after,
        'a-raw.tsv': rawRun('a', []),
      },
      { limits },
    )
  expect((await read(20_000)).own?.thresholds).toBe('bare')
  expect((await read(20_001)).own?.thresholds).toBe('learned')
  expect(codes(await read(30, '', { measurements: 20 }))).toEqual(['limit-reached thresholds.tsv'])
  expect(codes(await read(30, 'sum\nsum'))).toEqual([
    'malformed-line thresholds.tsv:33',
    'truncated-line thresholds.tsv:34',
  ])
})

test('an empty list of learned thresholds says that there were none', async () => {
  const { own } = await readTexts({ 'historical-thresholds.tsv': '', 'all-query-metrics.tsv': QUOTED })
  expect(own?.thresholds).toBe('bare')
})

test('a cut line and one of another shape are said, another table of the name is passed over', async () => {
  const contents = await readTexts({
    'all-query-metrics.tsv': `${QUOTED}no line\n${QUOTED.slice(0, 40)}`,
    'queries.tsv': 'id\tquery\n1\tSELECT 1\n2\tSELECT 2\n',
  })
  expect(contents.measurements).toHaveLength(2)
  expect(codes(contents)).toEqual(
    ['malformed-line all-query-metrics.tsv', 'truncated-line all-query-metrics.tsv'].map(
      (code, at) => `${code}:${at + 3}`,
    ),
  )
})

test('the result of the job, the report and the rows for the CI database conclude, in that order', async () => {
  const label = (name: string) => ({ labels: [{ name, link: 'https://ci.example/1' }] })
  const stage = {
    name: 'Check Results',
    status: 'FAIL',
    info: '3 too long; 1 confirmed regression(s) on the performance dashboard',
    results: [
      { name: 'lazy_final_early_exit_limit #0', status: 'FAIL', ext: label('dashboard') },
      { name: 'sum #1', status: 'slower', ext: label('query history') },
    ],
  }
  const job = JSON.stringify({
    name: 'Performance Comparison (arm_release, master_head, 1/6)',
    status: 'FAIL',
    results: [{ name: 'Tests' }, stage],
  })
  const html = '<body>\n<!--status: success-->\n<!--message: 3 too long-->\n'
  const checks = checksRows('1 slower', ['slower']).join('')
  const raw = { 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]) }

  const { own } = await readTexts({ ...raw, 'report.html': html, 'ci-checks.tsv': checks, 'result_perf.json': job })
  expect(own).toEqual({
    status: 'failure',
    message: stage.info,
    flagged: { slower: 1, faster: null, unstable: 0, rows: [{ test: 'sum', queryIndex: 0, flag: 'slower' }] },
    thresholds: null,
    dashboard: [{ test: 'lazy_final_early_exit_limit', queryIndex: 0 }],
  })
  const page = await readTexts({ ...raw, 'report.html': html })
  expect(page.own).toMatchObject({ status: 'success', message: '3 too long', flagged: null })
})

test.each([
  ['within a row', (rows: readonly string[]) => rows.join('').slice(0, -30)],
  ['between the two rows of a query', (rows: readonly string[]) => rows.slice(0, -1).join('')],
  ['after fewer slower queries than its message counts', (rows: readonly string[]) => rows.slice(0, 5).join('')],
])('a ci-checks.tsv that was cut %s concludes and flags nothing', async (_, cut) => {
  const rows = checksRows('2 slower', ['slower', 'success', 'slower'])
  const own = async (text: string) =>
    (await readTexts({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]), 'ci-checks.tsv': text })).own
  expect(await own(rows.join(''))).toMatchObject({ message: '2 slower', flagged: { slower: 2 } })
  expect(await own(cut(rows))).toMatchObject({ status: 'failure', message: '2 slower', flagged: null })
  // the row of the check is always there
  expect(await own(rows.toSpliced(2, 1).join(''))).toBeUndefined()
})

/** Lines of ci-checks.tsv: two headers, the row of the check, two rows a query. */
function checksRows(message: string, statuses: readonly string[]): string[] {
  const check = (name: string, status: string) =>
    row(0, 'sha', 'Performance', 'failure', 1, '', name, status, ...Array.from({ length: 9 }, () => ''))
  const header = row('pull_request_number', 'commit_sha')
  const queries = statuses.flatMap((status, index) =>
    ['old', 'new'].map((side) => check(`sum #${index}::${side}`, status)),
  )
  return [header, header, check('', message), ...queries]
}

test.each([
  ['result_pr.json', '{"name":"PR","results":['],
  ['result_pr.json', '[1]'],
  ['report.html', '<html>another tool</html>'],
  ['ci-checks.tsv', 'pull_request_number\tcommit'],
])('a file that concludes nothing is passed over: %s %s', async (name, text) => {
  const contents = await readTexts({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]), [name]: text })
  expect(contents).not.toHaveProperty('own')
  expect(contents.warnings).toEqual([])
})
