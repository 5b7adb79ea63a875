import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../../../src/config/repository-config.ts'
import type { TrunkRow } from '../../../../src/intake/imports/history/trunk-row.ts'
import { queryHash } from '../../../../src/intake/measurement/query-hash.ts'
import type { QueryId } from '../../../../src/intake/measurement/run.ts'
import { classify } from '../../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../../src/judge/verdict/thresholds.ts'
import { queryPath } from '../../../../src/report/urls.ts'
import { type ClickHouse, openClickHouse } from '../../../../src/store/client.ts'
import type { Store } from '../../../../src/store/store.ts'
import { storeOn } from '../../../../src/store/store.ts'
import { copyHistory } from '../../../../src/store/sync/copy-history.ts'
import { type HistorySources, openHistorySources } from '../../../../src/store/sync/history-sources.ts'
import { trunkHistoryOf } from '../../../../src/web/pages/query/trunk-of-repository.ts'
import { pages } from '../../../../src/web/pages.ts'
import { anyCodePoint } from '../../../any-code-point.ts'
import { perfTriage } from '../../../cli/commands/capture.ts'
import { measured as measuredOf, runOf } from '../../../report/judge-setting.ts'
import { HOSTILE } from '../../../report/render/hostile.ts'
import {
  engineOfRun,
  migratedDatabase,
  type OwnDatabase,
  temporaryFolder,
  variablesOf,
} from '../../../store/embedded/engine-fixture.ts'
import { measuredRows, trunkRow } from '../../../store/history/trunk-rows.ts'
import { createCiTables, insertMedians, insertRepetitions, type Sides } from '../../../store/sync/ci-tables.ts'
import { DEMO_RUN, REPOSITORY, storeReport } from '../../measured-report.ts'
import { memoryReports } from '../../memory-reports.ts'
import { recordingLog } from '../../recording-log.ts'
import { HEAD } from '../../sample-report.ts'
import { LONG, longRows, MEASURED, NOW, queryOf } from './query-histories.ts'

const ADDRESS = { owner: 'acme', repo: 'fast.db' }
const DAY = 86_400_000
const NAMELESS: QueryId = { test: 'name less', queryIndex: 2, queryName: null }
const UNNAMED: QueryId = { test: 'no architecture', queryIndex: 0, queryName: 'SELECT 7' }

let clickhouse: ClickHouse
let database: OwnDatabase
let store: Store

beforeAll(async () => {
  database = await migratedDatabase()
  clickhouse = await openClickHouse(database)
  store = storeOn(clickhouse)
  await storeReport(store, 7, HEAD, [{ architecture: 'amd', source: DEMO_RUN }])
  const others = [
    { ...NAMELESS, metric: 'client_time', architecture: 'amd' },
    { ...NAMELESS, test: 'name-less', metric: 'server_time', architecture: 'arm' },
    { ...NAMELESS, test: 'plain', metric: 'client_time', architecture: 'amd' },
    { ...NAMELESS, test: `plain ${'x'.repeat(40)} 1`, metric: 'client_time', architecture: 'amd' },
    { ...UNNAMED, metric: 'client_time', architecture: '' },
    { ...LONG, metric: 'memory_usage', architecture: 'arm' },
  ].map((changes) => trunkRow({ time: NOW - 40 * DAY, ...changes }))
  await store.trunkHistory.save(REPOSITORY.id, [
    ...measuredRows(),
    ...longRows(5000),
    ...longRows(300, { architecture: 'arm' }),
    ...others,
  ])
})
afterAll(async () => {
  await store.close()
})

function site(options: Partial<Parameters<typeof pages>[0]> = {}) {
  return pages({
    store,
    publicUrl: 'https://perf.example.org',
    version: '1.2.3',
    log: recordingLog(),
    now: () => NOW,
    ...options,
  })
}

const pathOf = (query: QueryId, view = '') => `${queryPath(ADDRESS, query)}${view}`
const request = async (path: string) => await site().request(path)
const textOf = async (path: string) => await (await request(path)).text()

interface Data {
  readonly query: Record<string, unknown>
  readonly metric: string
  readonly metrics: readonly string[]
  readonly architectures: readonly (string | null)[]
  readonly problem: string | null
  readonly histories: readonly {
    readonly architecture: string | null
    readonly source: string
    readonly points: readonly Record<string, unknown>[]
    readonly steps: readonly {
      readonly step: number
      readonly lastGood: { readonly commit: string }
      readonly firstBad: { readonly commit: string }
      readonly recovered: object | null
    }[]
  }[]
  readonly flagged: readonly Record<string, unknown>[]
}

async function dataOf(path: string, app = site()): Promise<Data> {
  const answer = await app.request(`${path}${path.includes('?') ? '&' : '?'}format=json`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as Data
}

const textIn = (html: string) =>
  [...html.matchAll(/<pre tabindex="0"><code>([\s\S]*?)<\/code><\/pre>/g)].map(([, text]) =>
    text!
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  )

describe('which query an address means', () => {
  test.each([
    ['one of the measured ones', MEASURED],
    ['one without a text', NAMELESS],
    ['one whose test begins alike', { ...NAMELESS, test: 'name-less' }],
  ])('%s', async (_, query) => {
    const data = await dataOf(pathOf(query))
    expect(data.query).toEqual({ ordinal: 0, ...query })
  })

  test('of each measured query its own', async () => {
    const rows = new Map(measuredRows().map((row) => [row.queryName, row]))
    expect(rows.size).toBe(68)
    for (const row of [...rows.values()].slice(0, 12)) {
      const data = await dataOf(pathOf(queryOf(row)))
      expect(data.query).toEqual({ ordinal: 0, ...queryOf(row) })
      const expected = measuredRows().filter(({ queryName }) => queryName === row.queryName)
      expect(data.histories[0]!.points.map((point) => point['new'])).toEqual(expected.map((one) => one.new))
    }
  })

  test('one that only a pull request has, with the pull request that flagged it', async () => {
    const report = await store.reports.of(REPOSITORY.id, 7)
    const row = report!.rows.find(({ outcome }) => outcome === 'changed')!
    const data = await dataOf(pathOf(row))
    expect(data.query).toMatchObject({ test: row.test, queryName: row.queryName })
    expect(data.histories).toEqual([])
    expect(data.flagged).toHaveLength(1)
    expect(data.flagged[0]).toMatchObject({
      pullRequestNumber: 7,
      head: HEAD,
      difference: row.results[0]!.difference,
      direction: row.direction,
    })
    const html = await textOf(pathOf(row))
    expect(html).toContain('The main branch has no run of it in the last 365 days.')
    const link = /href="([^"]*\/query\/q-[^"]*)"/.exec(html)![1]!
    expect((await request(link)).status).toBe(200)
  })

  test.each([
    ['an unknown hash', 'long-0123456789abcdef'],
    ['another test’s name', queryPath(ADDRESS, LONG).split('/').at(-1)!.replace('long', 'lung')],
    ['what is no address', 'long'],
    ['a hash of capitals', queryPath(ADDRESS, LONG).split('/').at(-1)!.toUpperCase()],
    ['a path', '..%2f..%2fetc-0123456789abcdef'],
  ])('not found: %s', async (_, name) => {
    expect((await request(`/r/acme/fast.db/query/${name}`)).status).toBe(404)
  })

  test('whoever may not see the repository gets the same answer, and nothing is looked up', async () => {
    const { store: empty, questions } = memoryReports()
    const app = site({
      store: {
        ...empty,
        queries: { ...empty.queries, byHash: async () => Promise.reject(new Error('it was asked')) },
      },
      access: { visible: async () => null, firstVisible: async () => [], writer: async () => null },
    })
    const hidden = await app.request(pathOf(LONG))
    const missing = await app.request('/r/acme/fast.db/query/nothing')
    expect([hidden.status, await hidden.text()]).toEqual([404, await missing.text()])
    expect(questions).toEqual([])
  })
})

describe('an old address, of a query without a text its index', () => {
  const old = (name: string, index: number, view = '') =>
    `/r/acme/fast.db/query/${name}-${index.toString(16).padStart(16, '0')}${view}`

  test.each([
    ['a name that was not shortened', old('plain', 2), 'plain'],
    ['the one of a name that begins like this', old(`plain-${'x'.repeat(34)}`, 2), `plain ${'x'.repeat(40)} 1`],
    ['the name in full beside a shortened one', old('name-less', 2, '?test=name+less'), 'name less'],
    ['one of two that are shortened alike, by its whole name', old('name-less', 2), 'name-less'],
  ])('leads to %s', async (_, path, name) => {
    const answer = await request(`${path}${path.includes('?') ? '&' : '?'}days=90&format=json`)
    expect(answer.status).toBe(302)
    const location = answer.headers.get('location')!
    expect(location).toBe(`${pathOf({ ...NAMELESS, test: name })}?days=90&format=json`)
    expect(((await (await request(location)).json()) as Data).query).toMatchObject({ test: name, queryIndex: 2 })
  })

  test('which several queries have names them', async () => {
    const both = ['less & 1', 'less < 1'].map((name): QueryId => ({ test: name, queryIndex: 9, queryName: null }))
    await store.trunkHistory.save(
      REPOSITORY.id,
      both.map((query) => trunkRow({ ...query, time: NOW - 40 * DAY })),
    )
    const answer = await request(old('less-1', 9, '?days=30'))
    expect(answer.status).toBe(300)
    const html = await answer.text()
    for (const query of both) expect(html).toContain(`href="${pathOf(query)}?days=30"`)
    expect(html).toContain('less &lt; 1 #9')
  })

  test.each([
    ['another index', old('plain', 3)],
    ['another name', old('plane', 2)],
    ['another test than the one that is named', old('name-less', 2, '?test=name+lessons')],
  ])('is none of %s', async (_, path) => {
    expect((await request(path)).status).toBe(404)
  })
})

describe('what is shown', () => {
  test('the steps with their windows, commits linked, and the wide noise', async () => {
    const data = await dataOf(pathOf(LONG, '?architecture=amd'))
    const [history] = data.histories
    expect(history!.points).toHaveLength(5000)
    const rises = history!.steps.filter(({ step }) => step > 0)
    expect(rises.map(({ firstBad }) => Number.parseInt(firstBad.commit.slice(0, 8), 16))).toEqual([
      expect.closeTo(1501, -1),
      expect.closeTo(4001, -1),
    ])
    const html = await textOf(pathOf(LONG))
    for (const { lastGood, firstBad } of history!.steps) {
      for (const { commit } of [lastGood, firstBad]) {
        expect(html).toContain(`href="https://github.com/acme/fast.db/commit/${commit}"`)
      }
    }
    expect(html).toMatch(/5,000 runs from [^<]*lasting step/)
    expect(html.match(/<tr><td data-name="Time"><time/g)).toHaveLength(200)
    expect(html).toContain('And 4,800 older runs, in the JSON.')
  })

  test('architecture, metric and days choose; what is not understood is as by default', async () => {
    const shownOf = async (view: string) => {
      const { metric, histories } = await dataOf(pathOf(LONG, view))
      return [metric, ...histories.map(({ architecture, points }) => [architecture, points.length])]
    }
    expect(await shownOf('')).toEqual(['client_time', ['amd', 5000], ['arm', 300]])
    expect(await shownOf('?architecture=arm')).toEqual(['client_time', ['arm', 300]])
    expect(await shownOf('?metric=memory_usage')).toEqual(['memory_usage', ['arm', 1]])
    expect(await shownOf('?metric=memory_usage&days=30')).toEqual(['memory_usage'])
    expect((await shownOf('?days=90'))[2]).toEqual(['arm', expect.closeTo((300 * 90) / 359, -1)])
    expect(await shownOf('?metric=x&days=7&architecture=')).toEqual(await shownOf(''))
    expect(await shownOf('?architecture=mips')).toEqual(['client_time', ['amd', 5000]])
  })

  test('an architecture without a name', async () => {
    expect((await dataOf(pathOf(UNNAMED, '?architecture=-'))).histories[0]).toMatchObject({ architecture: null })
    expect(await textOf(pathOf(UNNAMED))).toContain('the unnamed architecture')
  })

  test('TSV has a line per run and the columns of the description', async () => {
    const lines = (await textOf(pathOf(MEASURED, '?format=tsv'))).trimEnd().split('\n')
    expect(lines[0]).toBe(
      'time\tcommit\treference_commit\tarchitecture\tmetric\told\tnew\tdifference\tthreshold\tsource\taccepted_in\taccepted_by',
    )
    expect(lines).toHaveLength(24)
    expect(lines[1]!.split('\t').slice(3, 5)).toEqual(['amd', 'client_time'])
    expect(lines[1]!.split('\t').slice(-3)).toEqual(['imported', '\\N', '\\N'])
  })

  test('a page of 5,000 runs is below 200 KB compressed', async () => {
    const answer = await site().request(pathOf(LONG), { headers: { 'accept-encoding': 'gzip' } })
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(60_000)
  })
})

describe('the CI database', () => {
  /** Runs of a query that no trunk run of the bot has. */
  const QUERY: QueryId = { test: 'elsewhere', queryIndex: 3, queryName: 'SELECT sleep(3)' }
  const config = { ...DEFAULT_CONFIG, history: { ...DEFAULT_CONFIG.history } }
  let medians = ''
  let rawRuns = ''
  let sources: HistorySources
  const ofMetric = (metric: string, runs = 40) => longRows(runs, { ...QUERY, architecture: 'arm', metric })
  const siteWith = (given: Pick<HistorySources, 'of'> = sources, databaseMs = 5000) => {
    const log = recordingLog()
    const context = { store, configOf: async () => config, sources: given, log, now: () => NOW, databaseMs }
    return site({ trunkHistoryOf: trunkHistoryOf(context) })
  }
  const viewOf = (metric: string) => pathOf(QUERY, `?metric=${metric}&architecture=arm`)

  beforeAll(async () => {
    await createCiTables(clickhouse)
    medians = `${clickhouse.database}.medians`
    rawRuns = `${clickhouse.database}.repetitions`
    config.history = { ...config.history, table: medians, runsTable: rawRuns }
    const { url, user, password } = engineOfRun()
    sources = openHistorySources({ url, user, password, repositories: null, tables: [medians, rawRuns] })
    const sides: Sides = [
      [1, 1.01, 1.02],
      [1.5, 1.51, 1.52],
    ]
    const measured = (rows: readonly TrunkRow[]) => rows.map((row) => ({ row, sides }))
    await insertMedians(clickhouse, measured([...ofMetric('client_time'), ...ofMetric('memory_usage')]))
    // Another text that begins alike, and the second of two equal texts.
    const alike = longRows(40, {
      ...QUERY,
      queryName: `${QUERY.queryName!} + 1`,
      metric: 'memory_usage',
      architecture: 'arm',
    })
    const second = ofMetric('memory_usage').map((row) => ({ ...row, queryIndex: 9 }))
    await insertMedians(clickhouse, measured([...alike, ...second]))
    await insertRepetitions(clickhouse, measured([...ofMetric('cpu_time', 20), ...ofMetric('memory_usage', 20)]))
    const metrics = ['client_time', 'memory_usage', 'cpu_time', 'nowhere']
    const measurements = metrics.map((metric) => ({
      ...measuredOf('x', [1, 1, 1]),
      ...QUERY,
      metric,
      architecture: 'arm',
    }))
    const run = runOf([], { check: 'Performance (arm)', architecture: 'arm' })
    await store.runs.save(
      { ...run, repositoryId: REPOSITORY.id, measurements },
      classify(measurements, DEFAULT_THRESHOLDS),
    )
  })
  afterAll(() => sources.close())

  test('a metric that is copied comes from the stored rows: all of them once the time is copied', async () => {
    const app = siteWith()
    const before = await dataOf(viewOf('client_time'), app)
    expect([before.problem, before.histories]).toEqual(['copying', []])
    expect(await (await app.request(viewOf('client_time'))).text()).toContain(
      'Still copying the main branch’s history.',
    )
    let rows = 0
    for (const source of sources.of('acme/fast.db', config.history)!.tables) {
      const copy = { repositoryId: REPOSITORY.id, source, metric: 'client_time', trunk: ['master'], days: 365 }
      for await (const step of copyHistory(store.historyCopies, copy, null, () => NOW)) rows += step.rows
    }
    expect(rows).toBe(40)
    const data = await dataOf(viewOf('client_time'), siteWith())
    expect(data.problem).toBeNull()
    expect(data.histories.map(({ source, points }) => [source, points.length])).toEqual([['ci-database', 40]])
    expect(data.metrics).toEqual(['client_time', 'cpu_time', 'memory_usage', 'nowhere'])
    const html = await (await siteWith().request(viewOf('client_time'))).text()
    expect(html).toContain('<dd>the CI database</dd>')
    const [, , , sql] = textIn(html)
    const result = await clickhouse.client.query({ query: sql!, format: 'JSONEachRow' })
    expect(await result.json()).toHaveLength(40)

    // Taken back by its operator it is out of use at once, whatever is still stored.
    const { url, user, password } = engineOfRun()
    const others = openHistorySources({ url, user, password, repositories: ['acme/other'], tables: [medians, rawRuns] })
    expect((await dataOf(viewOf('client_time'), siteWith(others))).histories).toEqual([])
    await others.close()
  })

  test.each([
    ['medians before raw runs', 'memory_usage', 40, null],
    ['raw runs if there are no medians, with their T', 'cpu_time', 20, 0.52],
    ['nothing of it', 'nowhere', 0, null],
  ])('another metric of a query is asked live: %s', async (_, metric, runs, least) => {
    const data = await dataOf(viewOf(metric), siteWith())
    expect([data.metric, data.problem]).toEqual([metric, null])
    expect(data.histories.flatMap(({ source, points }) => [source, points.length])).toEqual(
      runs === 0 ? [] : ['ci-database', runs],
    )
    const thresholds = data.histories.flatMap(({ points }) => points.map(({ threshold }) => threshold))
    if (least !== null) expect(thresholds.every((threshold) => typeof threshold === 'number')).toBe(true)
    const html = await (await siteWith().request(viewOf(metric))).text()
    // The statement reads the stored rows, and these are not stored.
    expect(html.includes('FROM trunk_history')).toBe(false)
  })

  test('of equal texts the second is found live as well', async () => {
    const data = await dataOf(`${viewOf('memory_usage')}&ordinal=1`, siteWith())
    expect(data.histories.map(({ points }) => points.length)).toEqual([40])
  })

  test('is not asked for what the bot has', async () => {
    const app = siteWith({ of: () => ({ tables: [], forbidden: 'query_metrics_v2' }) })
    const data = await dataOf(pathOf(MEASURED), app)
    expect([data.histories.length, data.problem]).toEqual([1, 'access-denied'])
  })

  test.each([
    ['down', 'unreachable', 'can’t be reached'],
    ['too slow', 'too-slow', 'took too long'],
  ] as const)('%s: the page comes, and says so', async (kind, problem, words) => {
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const url = kind === 'down' ? 'http://127.0.0.1:1' : `http://127.0.0.1:${port}`
    const away = openHistorySources({ url, user: 'u', password: 'p', repositories: null, tables: [medians, rawRuns] })
    const app = siteWith(away, 50)
    expect((await dataOf(viewOf('cpu_time'), app)).problem).toBe(problem)
    const html = await (await app.request(viewOf('cpu_time'))).text()
    expect(html).toContain('class="notices"')
    expect(html).toContain(words)
    server.closeAllConnections()
    server.close()
    await away.close()
  })
})

describe('to reproduce it', () => {
  test('the statement gives the runs', async () => {
    const [, , bisect, sql] = textIn(await textOf(pathOf(MEASURED)))
    const result = await clickhouse.client.query({ query: sql!, format: 'JSONEachRow' })
    expect(await result.json()).toHaveLength(23)
    expect(bisect).toBe(
      `perf-triage bisect --repository-id 42 --test=${MEASURED.test} --query ${MEASURED.queryIndex} --architecture=amd --metric=client_time --days 365`,
    )
  })

  test('the change points are computed from the data, the windows in the database', async () => {
    const [curl, changePoints, bisect] = textIn(await textOf(pathOf(LONG)))
    expect(changePoints).toBe(`${curl} |\n  perf-triage change-points - --value new`)
    const url = new URL(/'(.*)'/.exec(curl!)![1]!)
    const file = join(await temporaryFolder(), 'history.tsv')
    await writeFile(file, await textOf(url.pathname + url.search))
    const found = await perfTriage(['change-points', file, '--value', 'new', '--json'])
    expect(found.code).toBe(0)
    const commits = (JSON.parse(found.stdout) as { points: { firstBad: { commit: string } }[] }).points
    expect(commits.length).toBeGreaterThanOrEqual(3)

    const windows = await perfTriage([...(await words(bisect!)).slice(1), '--now', String(NOW / 1000), '--json'], {
      env: variablesOf(database),
    })
    const firstBad = (JSON.parse(windows.stdout) as { windows: { firstBad: { commit: string } }[] }).windows
    const { histories } = await dataOf(pathOf(LONG, '?architecture=amd'))
    expect(firstBad.map((one) => one.firstBad.commit).toSorted()).toEqual(
      histories[0]!.steps.map((one) => one.firstBad.commit).toSorted(),
    )
  })
})

/** The words that a shell makes of a line. */
async function words(line: string): Promise<string[]> {
  const script = `set -- ${line}\nfor word; do printf '%s\\0' "$word"; done`
  const { stdout } = await promisify(execFile)('sh', ['-c', script])
  return stdout.split('\0').slice(0, -1)
}

test('whatever names hold, they stay text, in the page and in the shell', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      ...HOSTILE,
      '"><script>alert(1)</script>',
      "' onclick='x",
      "$(id)`id`';id;'",
      '</pre></code>',
      '\\',
    ),
    fc.string({ unit: anyCodePoint, maxLength: 20 }),
  )
  const skeleton = (html: string) => html.match(/<[a-z!/][^>]*>/gi)!.map((tag) => tag.replace(/"[^"]*"/g, '""'))
  const { store: empty } = memoryReports()
  const point = { time: NOW - DAY, old: 0.02, new: 0.021, difference: 0.05, threshold: 0.04 }
  const pageOf = async (text: string) => {
    const query: QueryId = { test: `a${text}`, queryIndex: 1, queryName: `b${text}` }
    const names = { metric: `c${text}`, architecture: `d${text}` }
    const app = site({
      store: {
        ...empty,
        queries: { ...empty.queries, byHash: async () => [{ ...query, ...names }] },
        reports: {
          ...empty.reports,
          repositoryByName: async () => ({ id: 42, isPrivate: false }),
          flagsOfQuery: async () => [
            {
              pullRequestNumber: 3,
              head: HEAD,
              architecture: `d${text}`,
              time: NOW,
              direction: 'slower',
              difference: 0.2,
              threshold: 0.1,
              oldMedian: 1,
              newMedian: 1.2,
              queryIndex: 1,
            },
          ],
        },
      },
      trunkHistoryOf: async () => ({
        metric: 'client_time',
        copiedFrom: [],
        series: async () => ({
          series: [
            {
              ...query,
              ...names,
              source: 'own',
              points: [{ ...point, commit: `e${text}`, referenceCommit: `f${text}` }],
            },
          ],
          isLive: false,
          problem: null,
        }),
      }),
    })
    const answer = await app.request(`/r/acme/fast.db/query/${queryPath(ADDRESS, query).split('/').at(-1)!}`)
    expect(answer.status).toBe(200)
    return await answer.text()
  }
  const calm = skeleton(await pageOf('x'))
  await fc.assert(
    fc.asyncProperty(piece, piece, async (a, b) => {
      const html = await pageOf(a + b)
      // A name that can be no argument has no command.
      expect(skeleton(html).filter((tag) => !/pre|code|\/?p>|^<p/.test(tag))).toEqual(
        calm.filter((tag) => !/pre|code|\/?p>|^<p/.test(tag)),
      )
      expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
    }),
    { numRuns: 60 },
  )
  expect((await pageOf('y'.repeat(10_000))).length).toBeLessThan(60_000)
})

test('an address is the same wherever the query stands, and says which of equal texts', () => {
  expect(queryPath(ADDRESS, { ...LONG, queryIndex: 99 })).toBe(pathOf(LONG))
  expect(queryPath(ADDRESS, { ...LONG, ordinal: 2 })).toBe(`${pathOf(LONG)}?ordinal=2`)
  expect(pathOf(LONG)).toContain(queryHash(LONG).toString(16))
})
