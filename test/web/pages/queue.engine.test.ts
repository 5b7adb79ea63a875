import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { NOTHING_REMEMBERED } from '../../../src/bot/triage/queue.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { type Decision, openRowKey } from '../../../src/report/acceptance.ts'
import type { TriageReport } from '../../../src/report/report.ts'
import type { Store } from '../../../src/store/store.ts'
import { openStore } from '../../../src/store/store.ts'
import { DAY } from '../../../src/text/time.ts'
import { toldRepositories } from '../../../src/web/access/access.ts'
import { pages } from '../../../src/web/pages.ts'
import { type CaptureOptions, perfTriage } from '../../cli/commands/capture.ts'
import { measured, runOf } from '../../report/judge-setting.ts'
import { ownDatabase, variablesOf } from '../../store/embedded/engine-fixture.ts'
import { measuredRows } from '../../store/history/trunk-rows.ts'
import { recordingLog } from '../recording-log.ts'
import { sampleReport, sampleResult, sampleRow } from '../sample-report.ts'

const NOW = Date.now()
const HEAD = 'a'.repeat(40)
const database = ownDatabase()

let store: Store

const accept: Decision = {
  kind: 'accept',
  subject: {
    head: HEAD,
    rows: [{ key: 'k', name: 'sum #2', test: 'sum', difference: 0.12, failed: false }],
    suites: [],
    unknowns: [],
  },
  reason: 'on purpose',
  until: NOW - DAY,
  via: 'command',
  actor: 'maria',
  actorId: 1,
  saidAt: 1,
}

const ofSum: Decision = {
  ...accept,
  until: null,
  subject: {
    ...accept.subject,
    rows: [{ ...accept.subject.rows[0]!, key: openRowKey(sampleResult({ test: 'sum' })) }],
  },
}

const red = (name: string): TriageReport['failingTests'] => ({
  source: 'own',
  problem: null,
  lookbackDays: 60,
  failures: [],
  notJudged: 0,
  redChecks: [{ name, url: null, state: 'not-known' }],
})

async function save(name: string, id: number, isPrivate: boolean, number: number, check: string, daysAgo: number) {
  const repository = { ...sampleReport().repository, id, name, isPrivate }
  const judgedAt = new Date(NOW - daysAgo * DAY).toISOString()
  const pullRequest = { number, baseRef: 'main', ...(number === 1 && { title: 'Sum <i>', author: 'alice' }) }
  const changes = { repository, judgedAt, head: HEAD, pullRequest }
  await store.reports.save(sampleReport({ ...changes, rows: [], failingTests: red(check) }))
}

/** A row as it is judged; every regression of `sum` was accepted in the first pull request. */
const [SLOWER, FASTER, STILL, TAKEN_BACK] = [
  sampleRow([sampleResult({ test: 'sum' })], {
    verdict: 'regression',
    evidence: [{ kind: 'floor-threshold', threshold: 0.05 }],
  }),
  sampleRow([sampleResult({ test: 'uniq', direction: 'faster', difference: -0.2 })], { verdict: 'improvement' }),
  sampleRow([sampleResult({ test: 'calm', outcome: 'not-significant' })]),
  sampleRow([sampleResult({ test: 'hash' })], { verdict: 'needs-rerun' }),
] as const

async function saveRows(
  name: string,
  id: number,
  isPrivate: boolean,
  number: number,
  head: string,
  of: Partial<TriageReport>,
) {
  const repository = { ...sampleReport().repository, id, name, isPrivate }
  const changes = { repository, head, judgedAt: new Date(NOW).toISOString(), pullRequest: { number, baseRef: 'main' } }
  await store.reports.save(sampleReport({ ...changes, failingTests: null, ...of }))
}

beforeAll(async () => {
  store = await openStore(database)
  await save('open', 51, false, 1, 'Build <b>1</b>', 2)
  await save('open', 51, false, 2, 'Older', 20)
  await save('secret', 52, true, 1, 'Hidden', 1)
  await save('quiet', 53, false, 1, 'Old', 80)
})
afterAll(() => store?.close())

function ask(path: string) {
  const memory = { ...NOTHING_REMEMBERED, addMarks: async () => {}, releasesOf: async () => [] }
  const decisionsOn = async (id: number) => (number: number) =>
    number !== 1 ? [] : id === 51 ? [accept] : id === 54 ? [ofSum] : []
  const log = recordingLog()
  return pages({
    store,
    queueMemory: { ...memory, decisionsOn },
    recordMemory: { decisionsOn, shownOf: async () => [] },
    publicUrl: 'https://perf.example.org',
    version: '1.2.3',
    log,
  }).request(path)
}

const queueSchema = z.object({
  schemaVersion: z.literal(1),
  days: z.number(),
  items: z.array(z.looseObject({ kind: z.string(), what: z.string(), address: z.string(), next: z.string() })),
  notShown: z.literal(0),
})

async function itemsAt(path: string) {
  return queueSchema.parse(await (await ask(path)).json()).items.map(({ kind, what }) => `${kind} ${what}`)
}

test('a stranger sees what waits in public repositories, of the days asked for', async () => {
  const expired = 'expired-acceptance sum #2'
  expect(await itemsAt('/queue?format=json')).toEqual(['red-check Build <b>1</b>', expired])
  expect(await itemsAt('/queue?format=json&days=30')).toEqual(['red-check Build <b>1</b>', 'red-check Older', expired])
  expect(await itemsAt('/queue?format=json&days=x')).toHaveLength(2)
  expect(await itemsAt('/queue?format=json&repository=ACME/Quiet')).toEqual([])
})

test('a repository that may not be seen and one that is not there are answered alike', async () => {
  for (const format of ['', '&format=json', '&format=tsv']) {
    const answers = await Promise.all(
      ['acme/secret', 'acme/nothing', 'acme/open/more', '..'].map(
        async (name) => await ask(`/queue?repository=${name}${format}`),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(new Set(await Promise.all(answers.map(async (answer) => await answer.text()))).size).toBe(1)
  }
})

test('the page has the filters, a link for each item, and escapes what comes from outside', async () => {
  const html = await (await ask('/queue?days=30')).text()
  expect(html).toContain(`href="/r/acme/open/pull/1/${HEAD}"`)
  expect(html).toContain('<option value="30" selected>')
  expect(html).toContain('<option value="acme/open">')
  expect(html).toContain('accepted by maria')
  expect(html).not.toContain('<b>1</b>')
  expect(html).not.toContain('secret')
  expect(html).toContain('href="/queue?days=30&amp;format=tsv"')
  expect(await (await ask('/queue?repository=acme/quiet&days=1')).text()).toContain(
    'Nothing from the last day needs attention.',
  )
})

test('as tab-separated values, a line for each item', async () => {
  const lines = (await (await ask('/queue?format=tsv')).text()).trimEnd().split('\n')
  expect(lines).toHaveLength(3)
  expect(lines[0]!.split('\t')).toEqual([
    'what',
    'kind',
    'repository',
    'pull_request_number',
    'since',
    'next',
    'numbers',
    'state',
    'address',
  ])
  expect(lines[1]).toContain(`https://perf.example.org/r/acme/open/pull/1/${HEAD}`)
})

test('the digest has what began to wait in its day or week, and how much waits, of repositories that may be seen', async () => {
  const digestSchema = queueSchema.omit({ days: true, notShown: true }).extend({
    waiting: z.array(z.object({ repository: z.string(), total: z.number(), kinds: z.record(z.string(), z.number()) })),
  })
  const digest = async (query: string) => digestSchema.parse(await (await ask(`/digest?format=json${query}`)).json())
  const kinds = { 'red-check': 1, 'expired-acceptance': 1 }
  expect(await digest('')).toMatchObject({ items: [], waiting: [{ repository: 'acme/open', total: 2, kinds }] })
  const week = await digest('&period=week')
  expect(week.items.map(({ what }) => what)).toEqual(['Build <b>1</b>', 'sum #2'])
  expect(week.waiting).toMatchObject([{ total: 3 }])
  const html = await (await ask('/digest?period=week')).text()
  expect(html).toContain('Digest of the week')
  expect(html).not.toMatch(/<b>1<|secret/)
  expect((await (await ask('/digest?period=week&format=tsv')).text()).trimEnd().split('\n')).toHaveLength(3)
  expect((await ask('/digest?repository=acme/secret')).status).toBe(404)
})

const run = async (...argv: readonly string[]) => await perfTriage(['queue', ...argv], { env: variablesOf(database) })

test('the command lists the same, of private repositories too: whoever may read the database runs it', async () => {
  const { code, stdout } = await run('--as', 'table')
  expect(code).toBe(0)
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/).slice(0, 3)),
  ).toEqual([
    [
      'kind: red check · PR: #1 · next: Read its log: nothing says why it is red. · numbers: none of its failing tests are known',
    ],
    ['what', 'since', 'repository'],
    ['Hidden', expect.stringMatching(/^[A-Z][a-z]+ \d+/), 'acme/secret'],
    ['Build <b>1</b>', expect.stringMatching(/^[A-Z][a-z]+ \d+/), 'acme/open'],
  ])
  expect((await run()).stdout).toMatch(/^what\tkind\t.*\taddress\nHidden\tred-check\t[^]*\nBuild <b>1<\/b>\t[^\n]*\n$/)
  const { items } = queueSchema.parse(
    JSON.parse((await run('--json', '--repository', 'acme/open', '--days', '30')).stdout),
  )
  expect(items.map(({ what }) => what)).toEqual(['Build <b>1</b>', 'Older'])
  expect(await run('--repository', 'acme/quiet', '--as', 'table')).toMatchObject({
    code: 0,
    stdout: 'Nothing from the last 7 days needs attention. Look further back with --days 90.\n',
  })
  expect(await run('--repository', 'acme/nothing')).toMatchObject({ code: 2 })
  expect(await run('--days', '91')).toMatchObject({ code: 2 })
})

test('the command prints lines to paste, of a kind or of what nobody owns', async () => {
  const linked = async (...argv: readonly string[]) =>
    await perfTriage(['queue', ...argv], { env: { ...variablesOf(database), PUBLIC_URL: 'https://perf.example.org/' } })
  const line = `red check [\`Build <b>1</b>\`](https://perf.example.org/r/acme/open/pull/1/${HEAD}) in \`acme/open\`: Read its log: nothing says why it is red.`
  expect(await linked('--as', 'markdown')).toEqual({
    code: 0,
    stdout: `- ${line.replace('Build <b>1</b>', 'Hidden').replaceAll('acme/open', 'acme/secret')}\n- ${line}\n`,
    stderr: '',
  })
  const slack = (await linked('--as', 'slack', '--repository', 'acme/open', '--unowned')).stdout
  expect(slack).toMatch(/^• red check <https:[^|]*\|Build &lt;b&gt;1&lt;\/b&gt;> in acme\/open: [^\n]*\n$/)
  expect((await run('--as', 'slack')).stdout).not.toMatch(/[<|]/)
  expect((await run('--kind', 'trunk-step', '--as', 'table')).stdout).toBe(
    'No such item from the last 7 days needs attention. Leave out --kind and --unowned for all items. Look further back with --days 90.\n',
  )
  expect((await run('--kind', 'trunk-step', '--as', 'markdown')).stdout).toMatch(/^No such item/)
  expect((await run('--kind', 'RED-check')).stdout).toContain('Hidden')
  const both = await run('--as', 'slack', '--json')
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--as and --json') })
})

test('a channel is told of public repositories, or of those that the operator has named', async () => {
  const known = { byName: async () => null, byId: async () => null }
  const told = async (named: readonly string[] | null) =>
    (await toldRepositories(store.reports, known, named)).map(({ repo }) => repo).toSorted()
  expect(await told(null)).toEqual(['open', 'quiet'])
  expect(await told(['acme/secret', 'acme/nothing'])).toEqual(['secret'])
})

test('repositories that may not be seen take no place of those that may', async () => {
  for (let number = 0; number < 21; number += 1) await save(`hidden-${number}`, 60 + number, true, 1, 'Hidden', 0)
  expect(await itemsAt('/queue?format=json')).toEqual(['red-check Build <b>1</b>', 'expired-acceptance sum #2'])
})

const recordSchema = z.object({
  days: z.number(),
  verdicts: z.array(z.looseObject({ name: z.string(), rows: z.number(), real: z.number(), noise: z.number() })),
  evidence: z.array(z.looseObject({ name: z.string(), says: z.string(), rows: z.number() })),
  witnesses: z.array(z.looseObject({ name: z.string(), real: z.number(), noise: z.number() })),
})

test('the record counts what the stored reports claimed, those of each head once, in repositories that may be seen', async () => {
  await saveRows('record', 54, false, 1, HEAD, { rows: [SLOWER, FASTER, STILL], withdrawn: [TAKEN_BACK] })
  await saveRows('record', 54, false, 1, 'b'.repeat(40), { rows: [SLOWER] })
  await saveRows('record', 54, false, 2, HEAD, { rows: [STILL], notMeasuredAgain: [SLOWER] })
  await saveRows('hidden-record', 55, true, 1, HEAD, { rows: [SLOWER] })
  const of = (name: string) => `/record?repository=acme/${name}`
  const record = recordSchema.parse(await (await ask(`${of('record')}&format=json`)).json())
  const counts = (name: string) => record.verdicts.find((line) => line.name === name)
  expect(counts('regression')).toMatchObject({ rows: 2, real: 1, noise: 0, undecided: 1, pullRequests: 1 })
  expect(counts('needs-rerun')).toMatchObject({ rows: 1, noise: 1, says: 'real' })
  expect(counts('needs-rerun')!['precision']).toMatchObject({ share: 0, low: 0 })
  expect(counts('improvement')).toMatchObject({ rows: 1, undecided: 1, precision: null })
  expect(record.evidence.find(({ name }) => name === 'floor-threshold')).toMatchObject({ says: 'noise', rows: 2 })
  expect(record.witnesses.filter(({ real, noise }) => real + noise > 0)).toMatchObject([
    { name: 'rerun', real: 0, noise: 1 },
    { name: 'person', real: 1, noise: 0 },
  ])

  const html = await (await ask(`${of('record')}&days=30`)).text()
  expect(html).toContain('<option value="30" selected>')
  // 1 of 1 pull request: the interval says how little that is.
  expect(html).toContain('100% (21–100%)')
  expect(await (await ask('/queue')).text()).toContain('href="/record"')
  const [heads, ...lines] = (await (await ask(`${of('record')}&format=tsv`)).text()).trimEnd().split('\n')
  expect(heads!.split('\t').slice(0, 5)).toEqual(['of', 'name', 'says', 'rows', 'real'])
  expect(lines.find((line) => line.startsWith('verdict\tregression\t'))).toMatch(
    /^verdict\tregression\treal\t2\t1\t0\t1\t1\t1\t0\.2/,
  )

  const metrics = await ask(`/metrics?repository=acme/record`)
  expect(metrics.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await metrics.text()
  const labels = '{repository="acme/record",of="verdict",name="regression"'
  expect(text).toContain(`\nperf_triage_record_rows${labels},outcome="real"} 1\n`)
  expect(text).toContain(`\nperf_triage_record_precision${labels},bound="share"} 1\n`)
  expect(text).not.toContain('name="improvement",bound')
  expect(await (await ask('/metrics')).text()).not.toContain('hidden')
  const refused = [of('hidden-record'), of('nothing'), '/metrics?repository=acme/hidden-record']
  for (const path of refused) expect((await ask(path)).status).toBe(404)
})

test('the command prints the record of a repository, also where nobody has said anything', async () => {
  const { code, stdout } = await perfTriage(['record', '--as', 'table', '--repository', 'acme/hidden-record'], {
    env: variablesOf(database),
  })
  const cells = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/))
  expect([code, cells[0]]).toEqual([0, ['name', 'of', 'rows', 'real', 'noise', 'undecided', 'pull requests', 'says']])
  expect(cells[1]).toEqual(['slower', 'verdict', '1', '0', '0', '1', '0', 'real'])
  const quiet = await perfTriage(['record', '--as', 'table', '--repository', 'acme/quiet'], {
    env: variablesOf(database),
  })
  expect(quiet).toEqual({
    code: 0,
    stdout: 'No report from the last 90 days has a row with a verdict. Look further back with --days 365.\n',
    stderr: '',
  })
  for (const wrong of [
    ['--days', '366'],
    ['--repository', 'acme/nothing'],
  ]) {
    const { code: bad, stderr } = await perfTriage(['record', ...wrong], { env: variablesOf(database) })
    expect([bad, stderr.trimEnd().split('\n').length]).toEqual([2, 1])
  }
})

const qualitySchema = z.object({
  schemaVersion: z.literal(1),
  measured: z.number(),
  runs: z.number(),
  rows: z.array(
    z.looseObject({
      test: z.string(),
      queryIndex: z.number(),
      reasons: z.array(z.string()),
      runs: z.number(),
      repetitionsNeeded: z.number().nullable(),
      medianRepetitions: z.number().nullable(),
    }),
  ),
})

test('of a measured history the queries are named that are unstable in most runs, and those below 5 ms', async () => {
  await save('noisy', 90, false, 1, 'Build', 0)
  const rows = measuredRows()
  const newest = Math.max(...rows.map(({ time }) => time))
  await store.trunkHistory.save(
    90,
    rows.map((row) => ({ ...row, time: row.time - newest + NOW - DAY })),
  )
  const of = '/quality?repository=acme/noisy'
  const quality = qualitySchema.parse(await (await ask(`${of}&format=json`)).json())
  expect(quality).toMatchObject({ measured: 68, runs: 23 })
  const names = quality.rows.map(({ test: name, queryIndex }) => `${name} #${queryIndex}`)
  expect(names.slice(0, 3)).toEqual(['arrays #0', 'arrays #1', 'group_by_card #4'])
  expect(quality.rows[0]).toMatchObject({ reasons: ['unstable'], repetitionsNeeded: null, medianRepetitions: null })
  expect(quality.rows[1]).toMatchObject({ reasons: ['unstable', 'too-short'] })
  const unstable = quality.rows.filter(({ reasons }) => reasons.includes('unstable'))
  expect([quality.rows.length, unstable.length]).toEqual([29, 28])
  expect(names.at(-1)).toBe('sort_limit #0')

  const html = await (await ask(of)).text()
  expect(html).toContain('29 of 68 queries, with up to 23 runs each')
  expect(html).toContain('href="/r/acme/noisy/query/arrays-')
  const [heads, first] = (await (await ask(`${of}&format=tsv`)).text()).split('\n')
  expect(heads!.split('\t').slice(0, 6)).toEqual([
    'test',
    'query_index',
    'query_name',
    'repository',
    'architecture',
    'reasons',
  ])
  expect(first).toMatch(/^arrays\t0\tarrays query 0\tacme\/noisy\tamd\tunstable\t23\t23\t23\t21\t/)
  expect(await (await ask(`${of}&days=x`)).text()).toContain('<option value="30" selected>')
  expect((await ask('/quality?repository=acme/secret')).status).toBe(404)
  expect(await (await ask('/quality?repository=acme/quiet')).text()).toContain(
    'No run from the last 30 days is stored.',
  )
})

test('runs of pull requests count too and say how many repetitions there were', async () => {
  await save('pulls', 91, false, 1, 'Build', 0)
  const noisy = [0.1, 0.2, 0.1, 0.3, 0.1, 0.25, 0.15]
  for (let number = 1; number <= 11; number += 1) {
    const measurements = [measured('join', noisy, { old: noisy })]
    const run = runOf([], { pullRequestNumber: number, head: number.toString(16).padStart(40, '0') })
    const finishedAt = new Date(NOW - number * 1000).toISOString()
    await store.runs.save(
      { ...run, repositoryId: 91, finishedAt, measurements },
      classify(measurements, DEFAULT_THRESHOLDS),
    )
  }
  const quality = qualitySchema.parse(await (await ask('/quality?repository=acme/pulls&format=json')).json())
  expect(quality.rows).toMatchObject([{ runs: 11, trunkRuns: 0, medianRepetitions: 7, reasons: ['unstable'] }])
})

test('the command lists the same: a table on a terminal, values between tabs elsewhere', async () => {
  const list = async (io: CaptureOptions, ...argv: readonly string[]) =>
    await perfTriage(['quality', '--repository', 'acme/noisy', ...argv], { env: variablesOf(database), ...io })
  const piped = await list({})
  expect([piped.code, piped.stdout.trimEnd().split('\n').length]).toEqual([0, 30])
  const { stdout } = await list({ columns: 200 })
  expect(stdout).toMatch(/repository: acme\/noisy · architecture: amd/)
  expect(stdout).toMatch(/\narrays #0 +more than 499 +unstable in most runs: median noise/)
  expect(stdout).toContain('29 of 68 queries, with up to 23 runs each')
  expect(
    qualitySchema.omit({ schemaVersion: true }).parse(JSON.parse((await list({}, '--json')).stdout)).measured,
  ).toBe(68)
  expect(await list({}, '--days', '366')).toMatchObject({ code: 2 })
})

test('an item names its pull request as far as that is known', async () => {
  const { items } = queueSchema.parse(await (await ask('/queue?format=json&days=30&repository=acme/open')).json())
  const named = items.map(({ what, title, author }) => [what, title, author])
  expect(named).toEqual([
    ['Build <b>1</b>', 'Sum <i>', 'alice'],
    ['Older', null, null],
    ['sum #2', 'Sum <i>', 'alice'],
  ])
  const html = await (await ask('/queue?days=30&repository=acme/open')).text()
  expect(html).toContain(
    '<td data-name="Pull request">#1 <bdi>Sum &lt;i&gt;</bdi> <small>·\u00a0<bdi>alice</bdi></small></td>',
  )
  expect(html).toContain('<td data-name="Pull request">#2</td>')
})
