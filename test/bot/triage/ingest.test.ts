import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { zipOf } from '../../../demo/github/zip.ts'
import { compareChecks, ingest, readOthers } from '../../../src/bot/triage/ingest.ts'
import { PATIENCE_MS } from '../../../src/bot/triage/look-again.ts'
import type { PerformanceCheck } from '../../../src/bot/triage/performance-checks.ts'
import { parseRepositoryConfig } from '../../../src/config/parse-repository-config.ts'
import { type Inbox, openInbox } from '../../../src/inbox/inbox.ts'
import { ScratchFolder } from '../../../src/intake/download/scratch-folder.ts'
import type { ByMetric, Run } from '../../../src/intake/measurement/run.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { rawRun, STEADY } from '../../intake/measurement/raw-run.ts'
import { runOf } from '../../report/judge-setting.ts'

// The sources of docs/examples/clickhouse.perf-triage.yml on a host that answers as Amazon S3 does: 403 for what is not there.

const folder = mkdtempSync(join(tmpdir(), 'perf-triage-ingest-'))
const served = new Map<string, string | Uint8Array | number>()
const asked: string[] = []
const host = createServer(({ url = '' }, response) => {
  asked.push(url)
  const answer = served.get(url) ?? 403
  response.statusCode = typeof answer === 'number' ? answer : 200
  response.end(typeof answer === 'number' ? '' : answer)
})
let inbox: Inbox
beforeAll(async () => {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  inbox = await openInbox(folder)
})
afterAll(async () => {
  host.close()
  await inbox.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  served.clear()
  asked.length = 0
})

const CHECK = 'Performance Comparison (arm_release, master_head, 3/6)'
const AT = '/clickhouse-test-reports/PRs/7/abc'
const SHARD = 'performance_comparison_arm_release_master_head_3_6'
const SOURCES = [
  `${AT}/pr/${SHARD}/logs.tar.zst`,
  `${AT}/${SHARD}/logs.tar.zst`,
  `${AT}/pr/${SHARD}/all-query-metrics.tsv`,
  `${AT}/${SHARD}/all-query-metrics.tsv`,
] as const
const ARCHIVE = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]) })
const TABLE = 'client_time\t0.0153\t0.0191\t0.243\t1.248\t0.225\tsum\t0\tSELECT 1\t0.15\t0.25\n'

const FINISHED: PerformanceCheck = {
  check: CHECK,
  architecture: 'arm',
  shard: 3,
  shards: 6,
  state: 'finished',
  conclusion: 'success',
  url: null,
  startedAt: null,
  finishedAt: '2026-11-22T10:00:00Z',
  attempt: 1,
  workflowRun: { id: 1, name: 'PR', path: '.github/workflows/pr.yml' } as never,
  artifacts: [],
  isAmbiguous: false,
}

function settings() {
  const { port } = host.address() as AddressInfo
  const yaml = readFileSync(new URL('../../../docs/examples/clickhouse.perf-triage.yml', import.meta.url), 'utf8')
  const { config } = parseRepositoryConfig(yaml.replaceAll('https://s3.amazonaws.com', `http://127.0.0.1:${port}`))
  return {
    config: config!,
    isAllowedHost: () => true,
    scratch: new ScratchFolder(folder),
    log: pino({ level: 'silent' }),
    stopping: new AbortController().signal,
  }
}

interface Taking {
  readonly onlyMetrics?: ReadonlySet<string>
  readonly isAllowed?: boolean
}

async function taken({ onlyMetrics, isAllowed = true }: Taking = {}) {
  const runs: Run[] = []
  const lost = await ingest(
    {
      ...settings(),
      isAllowedHost: () => isAllowed,
      metrics: { download: () => {} },
      octokit: {} as never,
      ref: { owner: 'acme', repo: 'engine' },
      thresholds: DEFAULT_THRESHOLDS,
      subject: { repositoryId: 1, pullRequestNumber: 7, head: 'abc' },
      runs: { has: async () => false, save: async (run) => void runs.push(run) },
      ...(onlyMetrics !== undefined && { onlyMetrics }),
      refusedSources: inbox.refusedSources,
      now: Date.now,
    },
    FINISHED,
  )
  return { lost, runs }
}

test.each([
  [1, ARCHIVE, [7, 7]],
  [3, TABLE, [1, 1]],
] as const)(
  'what lies at source %i alone is the run, after the sources before it',
  async (index, body, repetitions) => {
    served.set(SOURCES[index], body)
    const { lost, runs } = await taken()
    expect(lost).toBeNull()
    expect(asked).toEqual(SOURCES.slice(0, index + 1))
    expect(runs.map(({ measurements: [one] }) => [one!.old.length, one!.new.length])).toEqual([repetitions])
  },
)

test('where none is there, there are no results', async () => {
  const refusal = expect.stringMatching(/^nothing under the expected names: \S+\{sha\}\S+, /)
  expect(await taken()).toEqual({ lost: { problem: 'no-results', refusal }, runs: [] })
  expect(asked).toEqual(SOURCES)
})

test('where base and head were not compared, the reason is kept apart from an empty upload, and stays known', async () => {
  const side = { given: 'a', commit: null, build: null, run: 'b' }
  const told = {
    ...{ schemaVersion: 1, document: 'perf-triage measure', version: '1', base: side, head: side, seed: 1 },
    ...{ startedAt: '2026-11-20T10:00:00.000Z', endedAt: null, end: 'no-difference' },
    unmeasured: { reason: 'same-trees', message: 'the two trees are the same' },
    settings: { budgetSeconds: 1, turnLimitSeconds: 1, show: 0.05, filter: null, copies: true },
    environment: {
      ...{ cpu: 'x', cpus: 2, governor: null, memoryBytes: 1, os: 'Linux', architecture: 'x64' },
      ...{ toolchain: [], variables: {} },
    },
    ...{ turns: [], failures: [], equalBuilds: [] },
  }
  served.set(SOURCES.at(-1)!, zipOf({ 'measure.json': JSON.stringify(told) }))
  const lost = { problem: 'not-compared', refusal: 'the two trees are the same' }
  expect(await taken()).toEqual({ lost, runs: [] })
  expect(await taken()).toEqual({ lost, runs: [] })
  await inbox.refusedSources.forget(1, 'abc')
})

test.each([
  [410, 'expired'],
  ['no archive', 'empty'],
] as const)(
  'an earlier source that answers %s gives the reason, and the sources after it have none',
  async (body, problem) => {
    served.set(SOURCES[1], body)
    for (let look = 0; look < 2; look++) expect((await taken()).lost).toMatchObject({ problem, awaited: true })
    await inbox.refusedSources.forget(1, 'abc')
  },
)

test('a host that is not allowed is named, and asked again once it is', async () => {
  served.set(SOURCES[3], TABLE)
  expect((await taken({ isAllowed: false })).lost).toEqual({
    problem: 'host-not-allowed',
    refusal: expect.stringMatching(/^127\.0\.0\.1:\d+ is not in ARTIFACT_HOSTS/),
  })
  expect(asked).toEqual([])
  expect((await taken()).runs).toHaveLength(1)
})

test('an archive that can’t be had now is waited for, and the rounded table beside it does not take its place', async () => {
  served.set(SOURCES[0], 503).set(SOURCES[2], TABLE)
  expect(await taken()).toEqual({ lost: { problem: 'download-failed' }, runs: [] })
  served.set(SOURCES[0], ARCHIVE)
  expect((await taken()).runs).toHaveLength(1)
})

const OTHERS = TABLE.replaceAll('client_time', 'ContextLock')

async function othersOf(run: Run, now = Date.now(), isHeld = async () => true) {
  const saved: Run[] = []
  const saveOthers = async (known: Run, byMetric: ByMetric) =>
    void saved.push({ ...known, measurements: [...byMetric.values()].flatMap((ofMetric) => ofMetric()) })
  const { config, log, ...shared } = settings()
  const again = await readOthers(
    {
      ...shared,
      inbox,
      metrics: { download: () => {} },
      store: { runs: { saveOthers } },
      now: () => now,
    } as never,
    {
      log,
      ref: { owner: 'acme', repo: 'engine' },
      pullRequest: { repository: { id: 1 }, number: 7, head: 'abc' },
      isHeld,
    } as never,
    config,
    [FINISHED],
    [run],
    async () => false,
  )
  return { again, saved }
}

test('what was said of a source that was cut still holds when its other metrics are read and it is whole', async () => {
  served.set(SOURCES[2], `${TABLE}${OTHERS}client_time\t0.02`)
  const [run] = (await taken({ onlyMetrics: new Set(['client_time']) })).runs
  expect([run!.othersUnread, run!.warnings.map(({ code }) => code)]).toEqual([true, ['truncated-line']])
  served.set(SOURCES[2], `${TABLE}${OTHERS}${TABLE.replace('\t0\tSELECT', '\t1\tSELECT')}`)
  const { again, saved } = await othersOf(run!)
  expect(again).toBeNull()
  expect(saved.map(({ warnings }) => warnings)).toEqual([run!.warnings])
  expect(saved[0]!.measurements.map(({ metric }) => metric)).toContain('ContextLock')
})

test('a source that can’t be had for hours is not asked for its other metrics for ever', async () => {
  served.set(SOURCES[2], `${TABLE}${OTHERS}`)
  const [run] = (await taken({ onlyMetrics: new Set(['client_time']) })).runs
  served.set(SOURCES[2], 503)
  const storedAt = Date.now()
  const early = await othersOf({ ...run!, storedAt }, storedAt)
  expect([early.again! > storedAt, early.saved]).toEqual([true, []])
  const late = await othersOf({ ...run!, storedAt }, storedAt + PATIENCE_MS + 1)
  expect([late.again, late.saved.map(({ measurements }) => measurements)]).toEqual([null, [[]]])
})

test('of a run that another pull request of the same head has stored they are read at its address, unless that one is looked at', async () => {
  const at8 = SOURCES[2].replace('/PRs/7/', '/PRs/8/')
  served.set(SOURCES[2], `${TABLE}${OTHERS}`).set(at8, `${TABLE}${OTHERS}`)
  const [own] = (await taken({ onlyMetrics: new Set(['client_time']) })).runs
  const run = { ...own!, pullRequestNumber: 8, source: own!.source.replace('/PRs/7/', '/PRs/8/') }
  const target = {
    installationId: 1,
    repositoryId: 1,
    owner: 'acme',
    repo: 'engine',
    pullRequestNumber: 8,
    head: 'abc',
  }
  await inbox.triages.wake(target, 0)
  const claim = (await inbox.triages.claimNext(Date.now()))!
  asked.length = 0
  expect((await othersOf(run)).saved).toEqual([])
  expect(asked).toEqual([])
  await inbox.triages.finish(claim, { waitUntil: null }, Date.now())
  const { again, saved } = await othersOf(run)
  expect([again, asked]).toEqual([null, [at8]])
  expect(saved).toMatchObject([{ pullRequestNumber: 8 }])
  expect(saved[0]!.measurements.map(({ metric }) => metric)).toContain('ContextLock')
  // Its look begins while they are read: it writes them.
  asked.length = 0
  const late = await othersOf(run, Date.now(), async () => {
    await inbox.triages.wake(target, 0)
    return (await inbox.triages.claimNext(Date.now())) !== null
  })
  expect([late.saved, asked]).toEqual([[], [at8]])
})

test('of work that was lost nothing is written', async () => {
  served.set(SOURCES[2], `${TABLE}${OTHERS}`)
  const [run] = (await taken({ onlyMetrics: new Set(['client_time']) })).runs
  expect((await othersOf(run!, Date.now(), async () => false)).saved).toEqual([])
  expect((await othersOf(run!)).saved).toHaveLength(1)
})

test('runs stand by check, architecture and shard, those without first', () => {
  const sorted = [
    runOf([], { check: 'a' }),
    runOf([], { check: 'a', architecture: 'amd' }),
    runOf([], { check: 'a', architecture: 'arm', shard: 2 }),
    runOf([], { check: 'a', architecture: 'arm', shard: 10 }),
    runOf([], { check: 'b' }),
    runOf([], { check: 'b', shard: 1 }),
  ]
  expect(sorted.toReversed().toSorted(compareChecks)).toEqual(sorted)
  expect([3, 0, 5, 2, 1, 4].map((place) => sorted[place]!).toSorted(compareChecks)).toEqual(sorted)
})
