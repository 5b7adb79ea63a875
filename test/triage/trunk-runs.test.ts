import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { zipOf } from '../../demo/github/zip.ts'
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts'
import { getRepository, type Repository } from '../../src/github/repository.ts'
import type { TrunkRow } from '../../src/history/trunk-row.ts'
import type { Run } from '../../src/measurement/run.ts'
import { TakenIn } from '../../src/triage/ci-intake-memory.ts'
import { type TrunkRunsContext, takeInTrunkRuns } from '../../src/triage/trunk-runs.ts'
import { DEFAULT_THRESHOLDS } from '../../src/verdict/thresholds.ts'
import { rawRun, STEADY } from '../bot/bot-setting.ts'
import { makeSetting, octokitOf, type Setting } from '../demo/setting.ts'

let setting: Setting
let trunk: Repository
let context: TrunkRunsContext
const rows: TrunkRow[] = []
const runs: Run[] = []
/** The next run is not stored. */
let fails = false
const scratchDir = mkdtempSync(join(tmpdir(), 'perf-triage-trunk-runs-'))

const HOUR = 3_600_000

beforeEach(async () => {
  setting = await makeSetting()
  const { github, installation, at } = setting
  const octokit = octokitOf(github, installation)
  trunk = (await getRepository(octokit, at))!
  rows.length = 0
  runs.length = 0
  context = {
    octokit,
    ref: at,
    config: DEFAULT_CONFIG,
    thresholds: DEFAULT_THRESHOLDS,
    store: {
      hasRun: async ({ head, check, attempt }) =>
        runs.some((run) => run.head === head && run.check === check && run.attempt === attempt),
      saveRun: async (run) => {
        if (fails) throw new Error('killed')
        runs.push(run)
      },
      saveTrunkRows: async (_, all) => {
        const before = rows.length
        for await (const row of all) rows.push(row)
        return rows.length - before
      },
    },
    isAllowedHost: () => true,
    scratchDir,
    log: pino({ level: 'silent' }),
    hopeless: new Map(),
    taken: new TakenIn(),
    ownAppId: github.credentials.appId,
  }
})
afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  expect(readdirSync(scratchDir)).toEqual([])
  await setting.github.stop()
})
afterEach(() => {
  fails = false
})
afterAll(() => rmSync(scratchDir, { recursive: true, force: true }))

const files = { 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]), 'left-commit.txt': 'abcdef0123\n' }
const artifacts = [{ name: 'performance-arm', zip: zipOf(files) }]

type RunValues = Parameters<Setting['github']['startWorkflowRun']>[1]

async function measured(values: Partial<RunValues> = {}) {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance', ...values })
  await github.finishWorkflowRun(run, { artifacts })
  return run
}

const take = (now: number) => takeInTrunkRuns(context, trunk, now)

test('a push and a schedule of the repository itself, each once, by the id of the commit', async () => {
  const { headSha } = await measured()
  expect(await take(0)).toEqual({ rows: 1, isComplete: true })
  expect(rows[0]).toMatchObject({
    source: 'own',
    newCommit: headSha,
    oldCommit: 'abcdef0123',
    test: 'sum',
    architecture: 'arm',
    metric: 'client_time',
    difference: 0,
    baseBranch: trunk.defaultBranch,
    workflowName: 'performance-arm',
  })
  expect(runs[0]).toMatchObject({ pullRequestNumber: 0, head: headSha })
  const { github, repo } = setting
  github.commit(repo, { files: { next: '1' } })
  await measured({ event: 'schedule' })
  expect(await take(1)).toEqual({ rows: 1, isComplete: true })
  expect(new Set(rows.map(({ newCommit }) => newCommit)).size).toBe(2)
})

test('no pull request, no other branch and no fork, whatever they call themselves', async () => {
  const { github, repo } = setting
  const sha = repo.branches.get(trunk.defaultBranch)!
  const pull = github.openPullRequest({ repo, head: trunk.defaultBranch, fork: { owner: 'mallory' } })
  await measured({ pull, event: 'push' })
  await measured({ headSha: sha, headRepo: pull.head.repo, event: 'push' })
  await measured({ headSha: sha, event: 'pull_request' })
  await measured({ headSha: sha, event: 'pull_request_target' })
  await measured({ headSha: sha, event: 'workflow_dispatch' })
  await measured({ headSha: sha, branch: '26.3' })
  expect(await take(0)).toMatchObject({ rows: 0 })
  expect([rows, runs]).toEqual([[], []])
})

test('cheap when nothing is new, also after a restart', async () => {
  const { github } = setting
  await measured()
  await take(0)
  github.requests.length = 0
  expect(await take(HOUR - 1)).toEqual({ rows: 0, isComplete: true })
  expect(github.requests.map(({ operation }) => operation)).toEqual(['repos/list-commits'])
  context = { ...context, taken: new TakenIn() }
  expect(await take(HOUR)).toEqual({ rows: 0, isComplete: true })
  expect(github.requests.filter(({ operation }) => operation === 'actions/download-artifact')).toEqual([])
  expect(rows).toHaveLength(1)
})

test('a run that is cut off before it is stored is taken in again', async () => {
  await measured()
  fails = true
  await expect(take(0)).rejects.toThrow('killed')
  fails = false
  expect(await take(1)).toEqual({ rows: 1, isComplete: true })
  // The same row twice, which the table has once.
  expect(rows).toHaveLength(2)
  expect(rows[1]).toEqual(rows[0])
})

test('what still runs is looked for again, and not for ever', async () => {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance' })
  expect(await take(Date.now())).toEqual({ rows: 0, isComplete: false })
  expect(await take(Date.now() + 7 * HOUR)).toEqual({ rows: 0, isComplete: true })
  await github.finishWorkflowRun(run, { artifacts })
  expect(await take(Date.now() + 9 * HOUR)).toEqual({ rows: 1, isComplete: true })
})
