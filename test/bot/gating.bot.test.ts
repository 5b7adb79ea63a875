import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { engineOfRun } from '../store/embedded/engine-fixture.ts'
import { type BotSetting, botChecks, makeBotSetting, rawRun, SLOWER, STEADY } from './bot-setting.ts'
import { Switchable } from './switchable.ts'

// The conclusions of docs/comment.md, “The check run”, for a repository that relies on a red check.

const PATH = '.github/perf-triage.yml'
const GATING =
  'mode: gating\nworkflows: [performance.yml]\nchecks: ["perf ({shard}/{shards})"]\nresults: [{ artifact: "results-{shard}" }]\n'

let setting: BotSetting
let database: Switchable

beforeAll(async () => {
  database = new Switchable(engineOfRun().url)
  const url = await database.listen()
  database.isOn = true
  setting = await makeBotSetting({
    files: { [PATH]: GATING },
    bot: { databaseIntervalMs: 200 },
    env: { CLICKHOUSE_URL: url },
  })
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(async () => {
  await setting.close()
  database.close()
})

let opened = 0
function open(repo = setting.repo): PullRequest {
  opened += 1
  return setting.github.openPullRequest({ repo, head: `gate-${opened}`, files: { 'a.cpp': String(opened) } })
}

const measurements = (fresh: readonly number[]) =>
  zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: fresh }]) })

/** A shard that ends; without a zip it uploads nothing. */
async function shardEnds(pull: PullRequest, shard: string, zip: Uint8Array | null, repo = setting.repo): Promise<void> {
  const { github } = setting
  const run = github.startWorkflowRun(repo, {
    name: `Performance ${shard}`,
    pull,
    path: '.github/workflows/performance.yml',
  })
  const check = github.startCheckRun(repo, { name: `perf (${shard})`, headSha: pull.head.sha, workflowRun: run })
  await github.finishWorkflowRun(run, { artifacts: zip === null ? [] : [{ name: `results-${shard[0]}`, zip }] })
  github.finishCheckRun(check, 'success')
}

const targetOf = async (pull: PullRequest) => {
  const { installationId, repositoryId, owner, repo } = (await setting.bot.inbox.installations.list())[0]!
  return { installationId, repositoryId, owner, repo, pullRequestNumber: pull.number }
}

/** The database, once the bot has put the pull request off for want of it: before that it would be a failure of its own. */
async function comesBack({ number }: PullRequest): Promise<void> {
  const { triages } = setting.bot.inbox
  const failing = async () => (await triages.failing(50)).map(({ pullRequestNumber }) => pullRequestNumber)
  await expect.poll(failing, { interval: 20 }).toContain(number)
  database.isOn = true
}

const stands = (pull: PullRequest) =>
  botChecks(setting, pull.head.sha).map(({ status, conclusion, output }) => ({ status, conclusion, ...output }))

test('a head that was measured and is fine passes, without any history of the trunk', async () => {
  const pull = open()
  await shardEnds(pull, '1/1', measurements(STEADY))
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ conclusion: 'success' }])
})

test('a head under way is in progress', async () => {
  const pull = open()
  await shardEnds(pull, '1/2', measurements(STEADY))
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ status: 'in_progress', conclusion: null }])
})

test.each<[string, () => Uint8Array | null, RegExp, string]>([
  ['a shard without results', () => null, /a shard gave no results/, 'Re-run'],
  ['an artifact that can’t be read', () => Buffer.from('PK no zip'), /a shard gave no results/, 'Look at what'],
  [
    'an artifact of which a part can’t be read',
    () => zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]), 'more.zip': 'no zip' }),
    /some results could not be read/,
    'Re-run',
  ],
  [
    'results in which nothing can be compared',
    () => zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: [], new: STEADY }]) }),
    /no query could be compared/,
    'Re-run',
  ],
])('%s fails and says why', async (_, zip, why, next) => {
  const pull = open()
  await shardEnds(pull, '1/1', zip())
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ conclusion: 'failure', summary: expect.stringMatching(why) }])
  expect(stands(pull)[0]!.summary).toContain(next)
})

test('the database is away: the check fails with the reason, and is concluded anew when it is back', {
  timeout: 90_000,
}, async () => {
  database.off()
  const pull = open()
  await shardEnds(pull, '1/1', measurements(STEADY))
  await expect
    .poll(() => stands(pull), { timeout: 60_000 })
    .toMatchObject([{ conclusion: 'failure', title: expect.stringContaining('can’t reach its database') }])
  await comesBack(pull)
  await expect.poll(() => stands(pull), { timeout: 60_000 }).toMatchObject([{ conclusion: 'success' }])
})

test('what was skipped on purpose passes once all workflows have ended, and a check that starts later begins again', {
  timeout: 90_000,
}, async () => {
  const { github, repo } = setting
  const pull = open()
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const skipped = github.startCheckRun(repo, { name: 'perf (1/1)', headSha: pull.head.sha, workflowRun: run })
  github.finishCheckRun(skipped, 'skipped')
  await setting.settled()
  expect(stands(pull)).toEqual([])
  await github.finishWorkflowRun(run)
  await setting.bot.inbox.triages.wake({ ...(await targetOf(pull)), head: null }, Date.now())
  setting.bot.worker.poke()
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ conclusion: 'success', title: 'Nothing to measure' }])

  github.advance(5000)
  const again = github.startWorkflowRun(repo, {
    name: 'Performance again',
    pull,
    path: '.github/workflows/performance.yml',
  })
  const check = github.startCheckRun(repo, { name: 'perf (1/1)', headSha: pull.head.sha, workflowRun: again })
  await setting.bot.inbox.triages.wake({ ...(await targetOf(pull)), head: null }, Date.now())
  setting.bot.worker.poke()
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ status: 'in_progress', conclusion: null }])

  database.off()
  await github.finishWorkflowRun(again, { artifacts: [{ name: 'results-1', zip: measurements(SLOWER) }] })
  github.finishCheckRun(check, 'success')
  await expect
    .poll(() => stands(pull), { timeout: 60_000 })
    .toMatchObject([{ conclusion: 'failure', title: expect.stringContaining('can’t reach its database') }])
  await comesBack(pull)
  await expect
    .poll(() => stands(pull), { timeout: 60_000 })
    .toMatchObject([{ conclusion: 'failure', title: '1 of 1 query got slower' }])
})

const sum = (...queries: readonly (readonly [old: readonly number[], fresh: readonly number[]])[]) =>
  zipOf({
    'sum-raw.tsv': rawRun(
      'sum',
      queries.map(([old, fresh]) => ({ old, new: fresh })),
    ),
  })
const times = (factor: number, repetitions: number) => STEADY.slice(0, repetitions).map((value) => value * factor)

test.each<[string, () => Uint8Array, string, RegExp]>([
  [
    'a query that the new build doesn’t run',
    () => sum([STEADY, STEADY], [STEADY, []], [STEADY, []]),
    '2 queries without a result in the new build',
    /Find out why the new build has no result for/,
  ],
  [
    'a test of which nobody knows in which build it died',
    () =>
      zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]), 'run-errors.tsv': 'joins\tServer died\n' }),
    '1 query failed in an unknown build',
    /don’t say in which build/,
  ],
  [
    'ten times slower in too few repetitions',
    () => sum([times(1, 2), times(10, 2)]),
    '1 query may be much slower',
    /[Rr]erun the job/,
  ],
  [
    'nothing but noise',
    () =>
      sum([
        [100, 110, 120, 130, 300, 310, 1000],
        [120, 340, 360, 370, 380, 390, 400],
      ]),
    'Too noisy to judge: differences under 270% can’t be told from noise in 1 of 1 query',
    /every query is too noisy to judge/,
  ],
])('%s fails and is named', async (_, zip, title, why) => {
  const pull = open()
  await shardEnds(pull, '1/1', zip())
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ conclusion: 'failure', title, summary: expect.stringMatching(why) }])
})

test('a query that the old build alone does not run passes, and is said', async () => {
  const pull = open()
  await shardEnds(pull, '1/1', sum([STEADY, STEADY], [[], STEADY]))
  await setting.settled()
  expect(stands(pull)).toMatchObject([
    { conclusion: 'success', summary: expect.stringContaining('1 only in the new build') },
  ])
})

test('a query without a value of the metric that decides is counted, and fails', async () => {
  const files = { [PATH]: `${GATING}metric: server_time\n` }
  const repo = setting.github.createRepository({ owner: 'acme', name: 'by-server-time', files })
  const pull = open(repo)
  const lines = [
    ['alpha', 'server_time'],
    ['alpha', 'client_time'],
    ['beta', 'client_time'],
  ].flatMap(([name, metric]) =>
    ['old', 'new'].flatMap((side) =>
      STEADY.map((value, repetition) => JSON.stringify({ test: name, queryIndex: 0, metric, side, repetition, value })),
    ),
  )
  await shardEnds(pull, '1/1', zipOf({ 'measurements.jsonl': `${lines.join('\n')}\n` }), repo)
  await setting.settled()
  expect(stands(pull)).toMatchObject([
    {
      conclusion: 'failure',
      title: 'No slowdown found in 1 query',
      summary: expect.stringContaining('a query has no value for the deciding metric'),
      text: expect.stringContaining('not measured: `beta #0`'),
    },
  ])
})

test('a query whose deciding metric is 0 in both builds was measured, and passes', async () => {
  const files = { [PATH]: `${GATING}metric: OSReadBytes\n` }
  const repo = setting.github.createRepository({ owner: 'acme', name: 'by-bytes-read', files })
  const pull = open(repo)
  const bytes = ['alpha', 'beta'].flatMap((name) =>
    [0, 1].flatMap((side) =>
      STEADY.map((value, run) =>
        [name, 0, 'OSReadBytes', side, `${name}.query0.run${run}`, name === 'alpha' ? 0 : value].join('\t'),
      ),
    ),
  )
  const zip = zipOf({
    'alpha-raw.tsv': rawRun('alpha', [{ old: STEADY, new: STEADY }]),
    'beta-raw.tsv': rawRun('beta', [{ old: STEADY, new: STEADY }]),
    'analyze/query-run-metrics-denorm.tsv': `${bytes.join('\n')}\n`,
  })
  await shardEnds(pull, '1/1', zip, repo)
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ conclusion: 'success', title: 'No slowdown found in 2 queries' }])
})

test.each(['of both sides', 'that is the base’s'])('a new build %s is no measurement of the change', async (which) => {
  const pull = open()
  const { head, base } = pull
  const [left, right] = which === 'of both sides' ? [head.sha, head.sha] : [base.sha, base.sha]
  const files = { 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]) }
  await shardEnds(pull, '1/1', zipOf({ ...files, 'left-commit.txt': `${left}\n`, 'right-commit.txt': `${right}\n` }))
  await setting.settled()
  expect(stands(pull)).toMatchObject([
    { conclusion: 'failure', summary: expect.stringContaining('compares the wrong builds') },
  ])
})

test('of the same head a later run that is skipped, or measures less, takes nothing back, and two that are fine do', async () => {
  const { github, repo } = setting
  const pull = open()
  const measured = { conclusion: 'failure', title: '2 of 3 queries got slower' }
  await shardEnds(pull, '1/1', sum([STEADY, STEADY], [STEADY, SLOWER], [STEADY, SLOWER]))
  await setting.settled()
  expect(stands(pull)).toMatchObject([measured])

  github.advance(60_000)
  const run = github.startWorkflowRun(repo, {
    name: 'Performance again',
    pull,
    path: '.github/workflows/performance.yml',
  })
  const start = () => github.startCheckRun(repo, { name: 'perf (1/1)', headSha: pull.head.sha, workflowRun: run })
  github.finishCheckRun(start(), 'skipped')
  await github.finishWorkflowRun(run)
  await setting.settled()
  expect(stands(pull)).toMatchObject([measured])

  github.advance(60_000)
  await shardEnds(pull, '1/1', sum([STEADY, STEADY]))
  await setting.settled()
  const less = {
    conclusion: 'failure',
    title: '2 slower before and not measured again',
    text: expect.stringContaining('2 slower before and not measured again'),
  }
  expect(stands(pull)).toMatchObject([less])

  // A second attempt of the same workflow run, behind which GitHub hides the first.
  const { workflowRuns } = repo
  const last = workflowRuns.at(-1)!
  github.advance(60_000)
  github.rerunWorkflow(last)
  const again = github.startCheckRun(repo, { name: 'perf (1/1)', headSha: pull.head.sha, workflowRun: last })
  await github.finishWorkflowRun(last)
  github.finishCheckRun(again, 'skipped')
  await setting.settled()
  expect(stands(pull)).toMatchObject([less])

  github.advance(60_000)
  const fine = sum([STEADY, STEADY], [STEADY, STEADY], [STEADY, STEADY])
  await shardEnds(pull, '1/1', fine)
  await setting.settled()
  const once = '2 slower before and not in the last run'
  const summary = expect.stringContaining('A second such run withdraws them.')
  expect(stands(pull)).toMatchObject([{ conclusion: 'failure', title: once, summary }])
  github.advance(60_000)
  await shardEnds(pull, '1/1', fine)
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ conclusion: 'success', title: 'No slowdown found in 3 queries' }])
})

test.each<[string, string | null, readonly (readonly [check: string, isMeasured: boolean])[], string, RegExp]>([
  ['the build failed: all', 'build', [['1/1', false]], 'failure', /^No results: 0 of 1 shard in/],
  [
    'a shard beside a measured one',
    null,
    [
      ['1/2', false],
      ['2/2', true],
    ],
    'failure',
    /1 shard without results/,
  ],
  [
    'a part of its own',
    null,
    [
      ['1/1', true],
      ['arm', false],
    ],
    'success',
    /perf on arm was skipped/,
  ],
  [
    'a part of its own, and its build failed',
    'build',
    [
      ['1/1', true],
      ['arm', false],
    ],
    'failure',
    /1 shard without results/,
  ],
])('skipped: %s', async (_, failing, checks, conclusion, title) => {
  const { github } = setting
  const repo = github.createRepository({
    owner: 'acme',
    name: `skipped-${opened}`,
    files: { [PATH]: GATING.replace('shards})"]', 'shards})", "perf on {architecture}"]') },
  })
  const pull = open(repo)
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const start = (name: string) => github.startCheckRun(repo, { name, headSha: pull.head.sha, workflowRun: run })
  if (failing !== null) github.finishCheckRun(start(failing), 'failure')
  const started = checks.map(([name, isMeasured]) => ({
    check: start(name === 'arm' ? 'perf on arm' : `perf (${name})`),
    name,
    isMeasured,
  }))
  const artifacts = started
    .filter(({ isMeasured }) => isMeasured)
    .map(({ name }) => ({ name: `results-${name[0]}`, zip: measurements(STEADY) }))
  for (const { check, isMeasured } of started) github.finishCheckRun(check, isMeasured ? 'success' : 'skipped')
  await github.finishWorkflowRun(run, { artifacts })
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ conclusion, title: expect.stringMatching(title) }])
})

test.each([
  ['an unknown key beside its own names', `${GATING}foo: 1\n`, 'failure'],
  ['a gate that is spelt otherwise', GATING.replace('gating', 'Gating'), 'failure'],
  ['a mode that is advisory', `${GATING.replace('gating', 'advisory')}foo: 1\n`, 'neutral'],
])('a configuration that was never valid, with %s, has a check run at once', async (_, file, conclusion) => {
  const { github } = setting
  const repo = github.createRepository({ owner: 'acme', name: `never-${opened}`, files: { [PATH]: file } })
  const pull = open(repo)
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ conclusion, title: 'The configuration file is not valid' }])
})

test('a red check of which no failing test is known is red by itself and decides nothing here', async () => {
  const { github, repo } = setting
  const pull = open()
  github.finishCheckRun(github.startCheckRun(repo, { name: 'unit tests', headSha: pull.head.sha }), 'failure')
  await shardEnds(pull, '1/1', measurements(STEADY))
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ conclusion: 'success' }])
})

test('a head of which no performance check is known has no check run: a required one waits', async () => {
  const { github, repo } = setting
  const pull = open()
  github.finishCheckRun(github.startCheckRun(repo, { name: 'unit tests', headSha: pull.head.sha }), 'success')
  await setting.settled()
  expect(stands(pull)).toEqual([])
})

test.each([
  ['asks to gate', 'mode: gating\nchecks: perf\n', 'failure'],
  ['asks to gate and is no YAML', 'mode: "gating"\nchecks: [\n', 'failure'],
  ['does not', '# mode: gating\nchecks: perf\n', 'neutral'],
])('a configuration that was never valid and %s', async (_, file, conclusion) => {
  const { github } = setting
  const repo = github.createRepository({ owner: 'acme', name: `broken-${opened}`, files: { [PATH]: file } })
  const pull = open(repo)
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-x', zip: measurements(STEADY) }] })
  await setting.settled()
  expect(stands(pull)).toMatchObject([{ conclusion }])
})

test('a configuration that is too large to be read opens no gate: the last good one stands', async () => {
  const { github } = setting
  const repo = github.createRepository({ owner: 'acme', name: 'large', files: { [PATH]: GATING } })
  const measured = async (zip: Uint8Array) => {
    const pull = open(repo)
    await shardEnds(pull, '1/1', zip, repo)
    await setting.settled()
    return stands(pull)
  }
  expect(await measured(measurements(SLOWER))).toMatchObject([{ conclusion: 'failure' }])
  github.commit(repo, { files: { [PATH]: `mode: advisory\n${'# '.padEnd(1_100_000, 'x')}\n` } })
  expect(await measured(measurements(SLOWER))).toMatchObject([{ conclusion: 'failure' }])
})

describe('a pull request that has less measured than the trunk', () => {
  const files = (mode: string) => ({
    [PATH]: `mode: ${mode}\nchecks: ["perf ({shard}/{shards})"]\nresults: [{ artifact: "results-{shard}" }]\n`,
  })
  const repetitions = Array.from({ length: 13 }, (_, index) => 100 + (index % 5))
  /** A shard measures three queries of its own test. */
  const shardZip = (shard: number, count = 13, queries = 3) => {
    const sides = { old: repetitions.slice(0, count), new: repetitions.slice(0, count) }
    const name = `part_${shard}`
    return zipOf({
      [`${name}-raw.tsv`]: rawRun(
        name,
        Array.from({ length: queries }, () => sides),
      ),
    })
  }

  let repo: BotSetting['repo']

  beforeAll(async () => {
    const { github } = setting
    repo = github.createRepository({ owner: 'acme', name: 'three-shards', files: files('gating') })
    github.setPermission(repo, 'maria', 'write')
    for (const run of [1, 2, 3]) {
      github.commit(repo, { files: { 'src/a.cpp': `${run}`, 'tests/performance/part_3.xml': '<test/>\n' } })
      await measureAll(['1/3', '2/3', '3/3'].map((shard) => [shard, shardZip(Number(shard[0]))]))
    }
  })

  /** Shards by name; null: it is skipped. */
  async function measureAll(shards: readonly (readonly [string, Uint8Array | null])[], pull?: PullRequest) {
    const { github } = setting
    github.advance(2000)
    const headSha = pull?.head.sha ?? repo.branches.get(repo.defaultBranch)!
    const run = github.startWorkflowRun(repo, { name: 'Performance', ...(pull && { pull }) })
    const started = shards.map(([shard, zip]) => {
      const check = github.startCheckRun(repo, { name: `perf (${shard})`, headSha, workflowRun: run })
      return { check, shard, zip }
    })
    for (const { check, zip } of started) github.finishCheckRun(check, zip === null ? 'skipped' : 'success')
    await github.finishWorkflowRun(run, {
      artifacts: started.flatMap(({ shard, zip }) => (zip === null ? [] : [{ name: `results-${shard[0]}`, zip }])),
    })
    await setting.settled()
  }

  test.each<[string, readonly (readonly [string, Uint8Array | null])[], string, RegExp]>([
    [
      'three shards renamed to one',
      [['1/1', shardZip(1)]],
      'fewer shards than usual',
      /\*\*Not passed: 1 of 3 usual shards\.\*\*/,
    ],
    [
      'if: false on every job',
      [
        ['1/3', null],
        ['2/3', null],
        ['3/3', null],
      ],
      'a job was skipped',
      /0 of 3 usual shards, and `perf \(1\/3\)`, `perf \(2\/3\)` and `perf \(3\/3\)` were skipped/,
    ],
    [
      '3 + 3 repetitions',
      [1, 2, 3].map((shard) => [`${shard}/3`, shardZip(shard, 3)] as const),
      'fewer repetitions than usual',
      /\*\*Not passed: 3 repetitions, usually 13\.\*\*/,
    ],
    [
      'one query a shard',
      [1, 2, 3].map((shard) => [`${shard}/3`, shardZip(shard, 13, 1)] as const),
      'fewer queries than usual',
      /3 of 9 usual queries, without `part_1 #1`, `part_1 #2`, `part_2 #1`, `part_2 #2`, `part_3 #1` and 1 more\.\*\*/,
    ],
  ])('%s does not pass its own gate', async (_, shards, title, why) => {
    const pull = open(repo)
    await measureAll(shards, pull)
    expect(stands(pull)).toMatchObject([
      { conclusion: 'failure', title: expect.stringContaining(title), summary: expect.stringMatching(why) },
    ])
    setting.github.comment(pull, 'maria', '/perf accept measurement "new layout"')
    await setting.settled()
    expect(stands(pull)).toMatchObject([{ conclusion: 'success' }])
  })

  test('a job that is skipped for documentation alone passes; with the workflow changed beside it, it does not', async () => {
    for (const [head, changed, conclusion] of [
      ['docs', { 'docs/a.md': 'words' }, 'success'],
      ['docs-and-ci', { 'docs/a.md': 'words', '.github/workflows/perf.yml': 'if: false' }, 'failure'],
    ] as const) {
      const pull = setting.github.openPullRequest({ repo, head, files: changed })
      await measureAll(
        ['1/3', '2/3', '3/3'].map((shard) => [shard, null]),
        pull,
      )
      expect(stands(pull), head).toMatchObject([{ conclusion }])
    }
  })

  test('three shards renamed to one are said where nothing gates, and pass', async () => {
    setting.github.commit(repo, { files: files('advisory') })
    const pull = open(repo)
    await measureAll([['1/1', shardZip(1)]], pull)
    expect(stands(pull)).toMatchObject([
      {
        conclusion: 'success',
        summary: expect.stringMatching(
          /^\*\*Measured less than usual on the main branch:\*\* 1 of 3 usual shards; 3 of 9 usual queries/,
        ),
      },
    ])
  })
})
