import { describe, expect, test } from 'vitest'
import {
  type HeadChecks,
  machineOfCheck,
  performanceChecks,
  replacedAttempts,
  skippedChecks,
} from '../../../src/bot/triage/performance-checks.ts'
import { DEFAULT_CONFIG, type RepositoryConfig } from '../../../src/config/repository-config.ts'
import { isWatchedWorkflow } from '../../../src/config/watched.ts'
import type { Artifact } from '../../../src/github/artifacts.ts'
import type { CommitCheck, WorkflowJob, WorkflowRun } from '../../../src/github/performance-checks.ts'

const STARTED = '2026-11-20T09:00:00Z'
const FINISHED = '2026-11-20T10:00:00Z'

const check = (name: string, overrides: Partial<CommitCheck> = {}): CommitCheck => ({
  name,
  isFinished: true,
  conclusion: 'success',
  url: `https://github.test/checks/${encodeURIComponent(name)}`,
  startedAt: STARTED,
  finishedAt: FINISHED,
  checkSuiteId: null,
  ...overrides,
})

const workflowRun = (overrides: Partial<WorkflowRun> = {}): WorkflowRun => ({
  id: 1,
  name: 'Performance',
  path: '.github/workflows/performance.yml',
  attempt: 1,
  isFinished: true,
  conclusion: 'success',
  url: 'https://github.test/runs/1',
  checkSuiteId: 10,
  startedAt: STARTED,
  finishedAt: FINISHED,
  ...overrides,
})

const artifact = (id: number, name: string, overrides: Partial<Artifact> = {}): Artifact => ({
  id,
  name,
  isExpired: false,
  bytes: 1000,
  createdAt: FINISHED,
  workflowRunId: 1,
  ...overrides,
})

const head = (overrides: Partial<HeadChecks>): HeadChecks => ({
  checkRuns: [],
  statuses: [],
  workflowRuns: [],
  artifacts: new Map(),
  ...overrides,
})

const clickhouse: RepositoryConfig = {
  ...DEFAULT_CONFIG,
  checks: ['Performance Comparison ({architecture}_release, {kind}, {shard}/{shards})'],
}

test('a finished check that the configuration names has what it says of itself, a workflow as a whole has nothing', () => {
  const name = 'Performance Comparison (amd_release, master_head, 1/1)'
  const said = (config: RepositoryConfig, all: Partial<HeadChecks>) =>
    performanceChecks(config, head(all)).map((found) => found.said)
  expect(said(clickhouse, { checkRuns: [{ ...check(name), title: '1 slower' }] })).toEqual(['1 slower'])
  expect(said(clickhouse, { checkRuns: [{ ...check(name), isFinished: false }] })).toEqual([undefined])
  const workflows = { ...DEFAULT_CONFIG, workflows: ['Performance'] }
  expect(said(workflows, { workflowRuns: [workflowRun({ conclusion: 'failure' })] })).toEqual([undefined])
})

test('by name: shards in, outstanding, and those that only their siblings speak of', () => {
  const found = performanceChecks(
    clickhouse,
    head({
      checkRuns: [
        check('Performance Comparison (amd_release, master_head, 1/3)'),
        check('Performance Comparison (amd_release, master_head, 3/3)', { isFinished: false, finishedAt: null }),
        check('Performance Comparison (arm_release, master_head, 1/1)', { conclusion: 'failure' }),
        check('Style check'),
      ],
    }),
  )
  expect(
    found.map(({ check, architecture, shard, shards, state }) => [check, architecture, shard, shards, state]),
  ).toEqual([
    ['Performance Comparison (amd_release, master_head, 1/3)', 'amd', 1, 3, 'finished'],
    ['Performance Comparison (amd_release, master_head, 3/3)', 'amd', 3, 3, 'pending'],
    ['Performance Comparison (arm_release, master_head, 1/1)', 'arm', 1, 1, 'finished'],
    ['Performance Comparison (amd_release, master_head, 2/3)', 'amd', 2, 3, 'missing'],
  ])
})

test('shards of another kind are another family', () => {
  const found = performanceChecks(
    clickhouse,
    head({
      checkRuns: [
        check('Performance Comparison (arm_release, master_head, 1/2)'),
        check('Performance Comparison (arm_release, release_base, 2/2)'),
      ],
    }),
  )
  expect(found.filter(({ state }) => state === 'missing').map(({ check }) => check)).toEqual([
    'Performance Comparison (arm_release, master_head, 2/2)',
    'Performance Comparison (arm_release, release_base, 1/2)',
  ])
})

test('a check that runs again is pending, whatever it said before; of two finished ones the later stands', () => {
  const name = 'Performance Comparison (amd_release, master_head, 1/1)'
  const earlier = check(name, { conclusion: 'failure' })
  const later = check(name, { finishedAt: '2026-11-20T11:00:00Z' })
  const running = check(name, { isFinished: false, finishedAt: null, conclusion: null })
  const one = (...checkRuns: CommitCheck[]) => performanceChecks(clickhouse, head({ checkRuns }))
  expect(one(earlier, later)).toMatchObject([
    { conclusion: 'success', attempt: Date.parse('2026-11-20T11:00:00Z') / 1000 },
  ])
  expect(one(later, earlier)).toMatchObject([{ conclusion: 'success' }])
  expect(one(later, running)).toMatchObject([{ state: 'pending', attempt: 0 }])
  expect(one(running, later)).toMatchObject([{ state: 'pending' }])
})

describe('where results come from', () => {
  const config = { ...DEFAULT_CONFIG, checks: ['perf'] }
  const OF_TRUNK = '.github/workflows/performance.yml'
  const ours = workflowRun({ path: `${OF_TRUNK}@refs/pull/1/merge` })
  const other = workflowRun({ id: 2, path: '.github/workflows/other.yml', checkSuiteId: 20 })
  const of = ({ checkSuiteId }: WorkflowRun, overrides: Partial<CommitCheck> = {}) =>
    check('perf', { checkSuiteId, ...overrides })
  const found = (
    checkRuns: readonly CommitCheck[],
    ofTrunk: Readonly<Record<string, string>>,
    settings: RepositoryConfig = config,
  ) =>
    performanceChecks(
      settings,
      head({ checkRuns, workflowRuns: [ours, other], ofTrunk: new Map(Object.entries(ofTrunk)) }),
    )
  const origins = (...given: Parameters<typeof found>) => found(...given).map(({ origin }) => origin?.kind ?? 'trunk')
  const named = { ...config, workflows: ['performance.yml'] }

  test.each<[string, string, Parameters<typeof found>]>([
    ['that of the main branch’s newest run', 'trunk', [[of(ours)], { perf: OF_TRUNK }]],
    ['another workflow', 'other-workflow', [[of(other)], { perf: OF_TRUNK }]],
    [
      'a workflow that measures another check there',
      'other-workflow',
      [[of(other)], { perf: OF_TRUNK, 'perf 2': '.github/workflows/other.yml' }],
    ],
    ['a status where a workflow measures', 'other-workflow', [[check('perf')], { perf: OF_TRUNK }]],
    ['a status where one measures', 'trunk', [[check('perf')], { perf: '' }]],
    ['a workflow where a status measures', 'other-workflow', [[of(ours)], { perf: '' }]],
    ['nothing is known', 'unknown', [[of(ours)], {}]],
    ['a new check of a workflow that measures', 'unknown', [[of(ours)], { 'perf 2': OF_TRUNK }]],
    ['a new check of another one', 'other-workflow', [[of(other)], { 'perf 2': OF_TRUNK }]],
    ['named, before the main branch has run', 'trunk', [[of(ours)], {}, named]],
    [
      'named, whatever ran last on the main branch',
      'trunk',
      [[of(ours)], { perf: '.github/workflows/old.yml' }, named],
    ],
    ['not named', 'other-workflow', [[of(other)], {}, named]],
    [
      'not named, though it ran on the main branch',
      'other-workflow',
      [[of(other)], { perf: '.github/workflows/other.yml' }, named],
    ],
    ['a status beside workflows that are named', 'trunk', [[check('perf')], { perf: '' }, named]],
  ])('%s: %s', (_, kind, given) => expect(origins(...given)).toEqual([kind]))

  test('a job of another workflow takes the place of none of the trunk’s, whether it is newer or runs', () => {
    const newer = of(other, { finishedAt: '2026-11-21T10:00:00Z' })
    const running = of(other, { isFinished: false, finishedAt: null })
    for (const settings of [config, named])
      for (const fake of [newer, running])
        for (const both of [
          [of(ours), fake],
          [fake, of(ours)],
        ])
          expect(found(both, { perf: OF_TRUNK }, settings)).toMatchObject([{ workflowRun: ours, state: 'finished' }])
    // What was measured is shown where the trunk's own was skipped.
    expect(origins([of(ours, { conclusion: 'skipped' }), newer], { perf: OF_TRUNK })).toEqual(['other-workflow'])
  })

  test('an artifact of the same name in another workflow neither, and alone it is shown', () => {
    const artifacts = new Map([
      [1, [artifact(1, 'performance-amd')]],
      [2, [artifact(2, 'performance-amd'), artifact(3, 'performance-arm')]],
    ])
    const ofTrunk = new Map([['performance-amd', OF_TRUNK]])
    const checks = performanceChecks(DEFAULT_CONFIG, head({ workflowRuns: [other, ours], artifacts, ofTrunk }))
    expect(checks.map((one) => [one.check, one.workflowRun?.id, one.origin?.kind])).toEqual([
      ['performance-arm', 2, 'other-workflow'],
      ['performance-amd', 1, undefined],
    ])
  })
})

test('commit statuses are checks too', () => {
  const statuses = [check('Performance Comparison (amd_release, master_head, 1/1)')]
  expect(performanceChecks(clickhouse, head({ statuses }))).toMatchObject([{ state: 'finished', workflowRun: null }])
})

test('a check finds the artifact of its own architecture and shard in its own workflow run', () => {
  const config: RepositoryConfig = {
    ...DEFAULT_CONFIG,
    checks: ['perf ({architecture}, {shard}/{shards})'],
    results: [{ kind: 'artifact', artifact: 'results-{architecture}-{shard}', path: null, format: 'auto' }],
  }
  const checkRuns = [
    check('perf (amd, 1/2)', { checkSuiteId: 10 }),
    check('perf (amd, 2/2)', { checkSuiteId: 10 }),
    check('perf (arm, 1/1)', { checkSuiteId: 11 }),
  ]
  const artifacts = new Map([
    [1, [artifact(7, 'results-amd-1'), artifact(8, 'results-amd-2'), artifact(9, 'results-arm-1')]],
  ])
  const found = performanceChecks(config, head({ checkRuns, workflowRuns: [workflowRun()], artifacts }))
  expect(found.map(({ artifacts }) => artifacts.map(({ artifact }) => artifact.id))).toEqual([[7], [8], []])
})

test('two artifacts that fit one check are ambiguous, never pooled', () => {
  const config: RepositoryConfig = {
    ...DEFAULT_CONFIG,
    checks: ['perf {architecture}'],
    results: [{ kind: 'artifact', artifact: 'performance-*', path: null, format: 'auto' }],
  }
  const artifacts = new Map([[1, [artifact(7, 'performance-a'), artifact(8, 'performance-b')]]])
  const checkRuns = [check('perf amd', { checkSuiteId: 10 })]
  expect(performanceChecks(config, head({ checkRuns, workflowRuns: [workflowRun()], artifacts }))).toMatchObject([
    { isAmbiguous: true, artifacts: [] },
  ])
})

test('by default every artifact named performance-* is a check', () => {
  const artifacts = new Map([
    [1, [artifact(7, 'performance-results'), artifact(8, 'coverage')]],
    [2, [artifact(9, 'logs')]],
  ])
  const workflowRuns = [workflowRun(), workflowRun({ id: 2, name: 'Tests', isFinished: false })]
  expect(performanceChecks(DEFAULT_CONFIG, head({ workflowRuns, artifacts }))).toMatchObject([
    { check: 'performance-results', architecture: null, shard: null, state: 'finished', workflowRun: { id: 1 } },
  ])
})

test('by default an artifact named performance is a check without an architecture', () => {
  const artifacts = new Map([[1, [artifact(7, 'performance'), artifact(8, 'performances')]]])
  expect(performanceChecks(DEFAULT_CONFIG, head({ workflowRuns: [workflowRun()], artifacts }))).toMatchObject([
    { check: 'performance', architecture: null, shard: null, state: 'finished', isAmbiguous: false },
  ])
})

test('a workflow that still runs after its first artifact is outstanding', () => {
  const artifacts = new Map([[1, [artifact(7, 'performance-amd-1-of-2')]]])
  const workflowRuns = [workflowRun({ isFinished: false, finishedAt: null })]
  expect(
    performanceChecks(DEFAULT_CONFIG, head({ workflowRuns, artifacts })).map(({ check, state }) => [check, state]),
  ).toEqual([
    ['performance-amd-1-of-2', 'finished'],
    ['Performance', 'pending'],
    ['performance-amd-2-of-2', 'missing'],
  ])
})

test('of one artifact name in two workflow runs the newer run stands', () => {
  const artifacts = new Map([
    [2, [artifact(9, 'performance-x', { workflowRunId: 2 })]],
    [1, [artifact(7, 'performance-x')]],
  ])
  const workflowRuns = [workflowRun({ id: 2 }), workflowRun({ id: 1 })]
  expect(performanceChecks(DEFAULT_CONFIG, head({ workflowRuns, artifacts }))).toMatchObject([
    { workflowRun: { id: 2 } },
  ])
})

test('a named workflow is outstanding before its first artifact, and failed when it ends without one', () => {
  const config: RepositoryConfig = { ...DEFAULT_CONFIG, workflows: ['performance.yml'] }
  const states = (run: WorkflowRun) =>
    performanceChecks(config, head({ workflowRuns: [run] })).map(({ state }) => state)
  expect(states(workflowRun({ isFinished: false }))).toEqual(['pending'])
  expect(states(workflowRun({ conclusion: 'failure' }))).toEqual(['finished'])
  expect(states(workflowRun({ name: 'Other', path: '.github/workflows/other.yml' }))).toEqual([])
})

test('workflows are named by name, file or path', () => {
  const run = workflowRun()
  for (const name of ['Performance', 'performance.yml', '.github/workflows/performance.yml']) {
    expect(isWatchedWorkflow({ ...DEFAULT_CONFIG, workflows: [name] }, run)).toBe(true)
  }
  expect(isWatchedWorkflow({ ...DEFAULT_CONFIG, workflows: ['perf'] }, run)).toBe(false)
  expect(isWatchedWorkflow(DEFAULT_CONFIG, run)).toBe(true)
})

test('artifacts of an earlier attempt are not the results of a check that ran again', () => {
  const config: RepositoryConfig = {
    ...DEFAULT_CONFIG,
    checks: ['perf {architecture}'],
    results: [{ kind: 'artifact', artifact: 'results-{architecture}', path: null, format: 'auto' }],
  }
  const again = '2026-11-20T12:00:00Z'
  const workflowRuns = [workflowRun({ attempt: 2, startedAt: again })]
  const artifacts = new Map([[1, [artifact(7, 'results-amd'), artifact(8, 'results-arm')]]])
  const checkRuns = [
    check('perf amd', { checkSuiteId: 10, startedAt: '2026-11-20T12:01:00Z', conclusion: 'failure' }),
    // Not run again: its results of the first attempt still are its results.
    check('perf arm', { checkSuiteId: 10 }),
  ]
  const found = performanceChecks(config, head({ checkRuns, workflowRuns, artifacts }))
  expect(found.map(({ check, artifacts }) => [check, artifacts.length])).toEqual([
    ['perf amd', 0],
    ['perf arm', 1],
  ])
})

test('what was skipped on purpose is neither expected nor missing', () => {
  const name = (shard: number) => `Performance Comparison (amd_release, master_head, ${shard}/3)`
  const skipped = { conclusion: 'skipped' }
  const all = head({ checkRuns: [check(name(1), skipped), check(name(2), skipped), check(name(3), skipped)] })
  expect(performanceChecks(clickhouse, all)).toEqual([])
  const some = head({ checkRuns: [check(name(1)), check(name(2), skipped), check(name(3), skipped)] })
  expect(performanceChecks(clickhouse, some)).toMatchObject([{ shard: 1, state: 'finished' }])
})

test('a skipped check is missed where a job of its suite failed before it, or other shards of its run were not skipped', () => {
  const name = (shard: number, kind = 'master_head') => `Performance Comparison (amd_release, ${kind}, ${shard}/2)`
  const skipped = { conclusion: 'skipped', checkSuiteId: 10 }
  const named = (checkRuns: readonly CommitCheck[]) => {
    const { missed, onPurpose } = skippedChecks(clickhouse, head({ checkRuns }))
    return [...missed, ...onPurpose].map((one) => one.skipped ?? null)
  }
  const all = [check(name(1), skipped), check(name(2), skipped)]
  expect(named(all)).toEqual([null, null])
  expect(named([...all, check(name(1, 'release_base'))])).toEqual([null, null])
  const build = { conclusion: 'cancelled', checkSuiteId: 10, finishedAt: STARTED }
  expect(named([...all, check('build', build)])).toEqual(['needed-failed', 'needed-failed'])
  expect(named([...all, check('build', { ...build, checkSuiteId: 11 })])).toEqual([null, null])
  expect(named([...all, check('tests', { ...build, finishedAt: '2026-11-20T10:00:01Z' })])).toEqual([null, null])
  expect(named([check(name(1)), check(name(2), skipped)])).toEqual(['shard-skipped'])
})

test('of a check that is there twice the skipped one never stands before the other', () => {
  const older = check('perf', { finishedAt: STARTED })
  const skipped = check('perf', { conclusion: 'skipped' })
  const config = { ...DEFAULT_CONFIG, checks: ['perf'] }
  for (const checkRuns of [
    [older, skipped],
    [skipped, older],
  ])
    expect(performanceChecks(config, head({ checkRuns }))).toMatchObject([{ conclusion: 'success' }])
})

test('an artifact has the architecture that its own name says, whatever else there is', () => {
  const artifacts = new Map([
    [1, [artifact(7, 'performance-results'), artifact(8, 'performance-linux'), artifact(9, 'performance-5-of-3')]],
  ])
  const found = performanceChecks(DEFAULT_CONFIG, head({ workflowRuns: [workflowRun()], artifacts }))
  expect(found.map(({ check, architecture, shards }) => [check, architecture, shards])).toEqual([
    ['performance-results', null, null],
    ['performance-linux', 'linux', null],
    ['performance-5-of-3', null, null],
  ])
})

test.each<readonly [string, readonly Partial<WorkflowJob>[], string | null]>([
  ['one job', [{ labels: ['self-hosted', 'bench'] }], 'bench, self-hosted'],
  ['two of the same labels', [{ labels: ['x', 'y'] }, { labels: ['y', 'x'] }], 'x, y'],
  ['two of different labels at that time', [{ labels: ['x'] }, { labels: ['y'] }], null],
  ['one that was over before', [{ labels: ['x'], finishedAt: STARTED }, { labels: ['y'] }], 'y'],
  [
    'one of the name of the check',
    [
      { name: 'lint', labels: ['x'] },
      { name: 'performance-go', labels: ['y'] },
    ],
    'y',
  ],
  ['one that goes on', [{ labels: ['x'], finishedAt: null }], 'x'],
  ['one without labels', [{ labels: [] }], null],
  ['none', [], null],
])('the machine of a check: %s', (_, jobs, expected) => {
  const of = { check: 'performance-go', finishedAt: FINISHED }
  const ran = jobs.map((job) => ({ name: 'bench', labels: [], startedAt: STARTED, finishedAt: FINISHED, ...job }))
  const uploaded = [{ artifact: artifact(1, 'performance-go'), source: DEFAULT_CONFIG.results[0]! }]
  expect(machineOfCheck({ ...of, artifacts: uploaded }, ran)).toBe(expected)
  expect(machineOfCheck({ ...of, artifacts: [] }, ran)).toBe(expected)
})

test('the attempts that the newest has replaced: older artifacts of the same name and workflow, the newest first, five at most', () => {
  const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00Z`
  const of = (id: number, minute: number, run: number, name = 'performance-results') =>
    artifact(id, name, { createdAt: at(minute), workflowRunId: run })
  const runs = [
    workflowRun({ id: 3, path: '.github/workflows/other.yml' }),
    workflowRun({ id: 2, attempt: 2 }),
    workflowRun({ id: 1, path: '.github/workflows/performance.yml@refs/pull/1/merge' }),
  ]
  const artifacts = new Map([
    [3, [of(30, 1, 3)]],
    [2, [of(20, 10, 2), of(22, 30, 2), of(21, 20, 2, 'performance-other')]],
    [1, [of(10, 5, 1), of(11, 5, 1)]],
  ])
  const newest = (of: readonly Artifact[]) =>
    performanceChecks(DEFAULT_CONFIG, head({ workflowRuns: [runs[1]!], artifacts: new Map([[2, of]]) }))[0]!
  const found = replacedAttempts(newest([of(22, 30, 2)]), { workflowRuns: runs, artifacts })
  expect(found.map(({ workflowRun, finishedAt }) => [workflowRun?.id, finishedAt])).toEqual([
    [2, at(10)],
    [1, at(5)],
  ])
  expect(new Set(found.map(({ attempt }) => attempt)).size).toBe(2)
  expect(replacedAttempts(newest([of(20, 10, 2)]), { workflowRuns: [runs[1]!], artifacts })).toEqual([])
  const many = new Map([[2, Array.from({ length: 9 }, (_, minute) => of(minute + 1, minute, 2))]])
  const last = replacedAttempts(newest([of(9, 8, 2)]), { workflowRuns: runs, artifacts: many })
  expect(last.map(({ finishedAt }) => finishedAt)).toEqual([7, 6, 5, 4, 3].map(at))
})
