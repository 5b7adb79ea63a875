import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { zipOf } from '../../../demo/github/zip.ts'
import { resultsTakenIn } from '../../../src/bot/triage/ci-intake.ts'
import { MOST_COMMITS_BETWEEN } from '../../../src/bot/triage/earlier-commit.ts'
import { LATEST_COMMITS, MOST_COMMITS } from '../../../src/bot/triage/latest-trunk-commits.ts'
import { type TrunkRunsContext, takeInTrunkRuns } from '../../../src/bot/triage/trunk-runs.ts'
import { DEFAULT_CONFIG } from '../../../src/config/repository-config.ts'
import { getRepository, type Repository } from '../../../src/github/repository.ts'
import { type Inbox, openInbox } from '../../../src/inbox/inbox.ts'
import { ScratchFolder } from '../../../src/intake/download/scratch-folder.ts'
import type { TrunkRow } from '../../../src/intake/imports/history/trunk-row.ts'
import type { Run } from '../../../src/intake/measurement/run.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { makeSetting, octokitOf, type Setting } from '../../demo/setting.ts'
import { rawRun, STEADY } from '../../intake/measurement/raw-run.ts'

let setting: Setting
let trunk: Repository
let context: TrunkRunsContext
const rows: TrunkRow[] = []
const runs: Run[] = []
/** The next run is not stored. */
let fails = false
let inbox: Inbox
let inboxDir: string
const scratchDir = mkdtempSync(join(tmpdir(), 'perf-triage-trunk-runs-'))

const HOUR = 3_600_000

beforeEach(async () => {
  setting = await makeSetting()
  const { github, installation, at } = setting
  const octokit = octokitOf(github, installation)
  trunk = (await getRepository(octokit, at))!
  rows.length = 0
  runs.length = 0
  inboxDir = mkdtempSync(join(tmpdir(), 'perf-triage-trunk-runs-inbox-'))
  inbox = await openInbox(inboxDir)
  context = {
    octokit,
    ref: at,
    config: DEFAULT_CONFIG,
    thresholds: DEFAULT_THRESHOLDS,
    runs: {
      has: async ({ head, check, attempt }) =>
        runs.some((run) => run.head === head && run.check === check && run.attempt === attempt),
      save: async (run) => {
        if (fails) throw new Error('killed')
        runs.push(run)
      },
    },
    trunkHistory: {
      save: async (_, all) => {
        const before = rows.length
        for await (const row of all) rows.push(row)
        return rows.length - before
      },
    },
    metrics: { download: () => {} },
    isAllowedHost: () => true,
    scratch: new ScratchFolder(scratchDir),
    stopping: new AbortController().signal,
    log: pino({ level: 'silent' }),
    refusedSources: inbox.refusedSources,
    now: Date.now,
    taken: resultsTakenIn(),
    ownAppId: github.credentials.appId,
  }
})
afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  expect(readdirSync(scratchDir)).toEqual([])
  await setting.github.stop()
  await inbox.close()
  rmSync(inboxDir, { recursive: true, force: true })
})
afterEach(() => {
  fails = false
})
afterAll(() => rmSync(scratchDir, { recursive: true, force: true }))

const resultsAgainst = (oldCommit: string) => [
  {
    name: 'performance-arm',
    zip: zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]), 'left-commit.txt': `${oldCommit}\n` }),
  },
]

type RunValues = Parameters<Setting['github']['startWorkflowRun']>[1]

/** The commit before the newest one of the trunk. */
let before: string
beforeEach(() => {
  before = setting.repo.branches.get(trunk.defaultBranch)!
  setting.github.commit(setting.repo, { files: { measured: '1' } })
})

async function measured(values: Partial<RunValues> = {}, oldCommit = before) {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance', ...values })
  await github.finishWorkflowRun(run, { artifacts: resultsAgainst(oldCommit) })
  return run
}

const take = (now: number) => takeInTrunkRuns(context, trunk, now)

test('a push and a schedule of the repository itself, each once, by the id of the commit', async () => {
  const { headSha } = await measured()
  expect(await take(0)).toEqual({ rows: 1, isComplete: true })
  expect(rows[0]).toMatchObject({
    source: 'own',
    newCommit: headSha,
    oldCommit: before,
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
  // Nothing ran on the commit before, and nothing will.
  const later = Date.now() + 7 * HOUR
  await take(later)
  github.requests.length = 0
  expect(await take(later + HOUR - 1)).toEqual({ rows: 0, isComplete: true })
  expect(github.requests.map(({ operation }) => operation)).toEqual(['repos/list-commits'])
  context = { ...context, taken: resultsTakenIn() }
  expect(await take(later + HOUR)).toEqual({ rows: 0, isComplete: true })
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
  await github.finishWorkflowRun(run, { artifacts: resultsAgainst(before) })
  expect(await take(Date.now() + 9 * HOUR)).toEqual({ rows: 1, isComplete: true })
})

describe('only a comparison with an earlier commit of the trunk shortly before is in its history', () => {
  test('none with a release, a branch, itself or a commit that nobody knows', async () => {
    const { github, repo } = setting
    const head = repo.branches.get(trunk.defaultBranch)!
    const release = github.commit(repo, { branch: '26.3', parents: [before], files: { version: '26.3' } })
    let own = head
    for (const oldCommit of [release.sha, 'f'.repeat(40), '']) {
      await measured({}, oldCommit)
      expect(await take(0), oldCommit).toEqual({ rows: 0, isComplete: true })
      own = github.commit(repo, { files: { next: oldCommit } }).sha
    }
    await measured({}, own)
    expect(await take(0)).toEqual({ rows: 0, isComplete: true })
    // They are measurements all the same.
    expect(runs).toHaveLength(4)
  })

  test('a run of two builds that does not say its old one: the log says how, of a run of the head alone nothing', async () => {
    const said: string[] = []
    context = { ...context, log: pino({ level: 'info' }, { write: (line: string) => said.push(line) }) }
    const { github, repo } = setting
    const runOf = async (files: Record<string, string>) => {
      const run = github.startWorkflowRun(repo, { name: 'Performance' })
      await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-go', zip: zipOf(files) }] })
    }
    const output = 'pkg: sum\n' + 'BenchmarkSum-2 100 12 ns/op\n'.repeat(5)
    await runOf({ 'bench.txt': output })
    expect(await take(0)).toEqual({ rows: 0, isComplete: true })
    expect(runs).toHaveLength(1)
    expect(said.join('')).not.toContain('left-commit.txt')
    github.commit(repo, { files: { next: '1' } })
    await runOf({ 'bench-old.txt': output, 'bench-new.txt': output })
    expect(await take(1)).toEqual({ rows: 0, isComplete: true })
    expect(
      said.filter((line) => line.includes('put that build’s commit into left-commit.txt in the results')),
    ).toHaveLength(1)
    github.commit(repo, { files: { next: '2' } })
    await runOf({ 'bench-old.txt': output, 'bench-new.txt': output, 'left-commit.txt': `${before}\n` })
    expect(await take(2)).toEqual({ rows: 1, isComplete: true })
  })

  test('within a hundred commits', async () => {
    const { github, repo } = setting
    const next = () => github.commit(repo, { files: { next: `${Math.random()}` } }).sha
    for (let count = 1; count < MOST_COMMITS_BETWEEN; count += 1) next()
    await measured()
    expect(await take(0)).toEqual({ rows: 1, isComplete: true })
    next()
    await measured()
    expect(await take(0)).toEqual({ rows: 0, isComplete: true })
  })
})

describe('a trunk that gets many commits', () => {
  const next = () => setting.github.commit(setting.repo, { files: { next: `${Math.random()}` } })

  test('what ends when many others have come is taken in', async () => {
    const { github, repo } = setting
    const run = github.startWorkflowRun(repo, { name: 'Performance' })
    expect(await take(0)).toMatchObject({ isComplete: false })
    for (let count = 0; count < 40; count += 1) next()
    expect(await take(1)).toMatchObject({ rows: 0, isComplete: false })
    await github.finishWorkflowRun(run, { artifacts: resultsAgainst(before) })
    expect(await take(2)).toMatchObject({ rows: 1 })
  })

  test('of more than one list has nothing is looked at, and the log says so once', async () => {
    const said: string[] = []
    context = { ...context, log: pino({ level: 'warn' }, { write: (line: string) => said.push(line) }) }
    const { github } = setting
    await measured()
    const later = Date.now() + 7 * HOUR
    await take(later)
    expect(said).toEqual([])
    for (let count = 0; count < MOST_COMMITS; count += 1) next()
    github.requests.length = 0
    await take(later)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('left out')
    expect(github.requests.filter(({ operation }) => operation === 'checks/list-for-ref')).toHaveLength(MOST_COMMITS)
    github.requests.length = 0
    // Nothing has run on them for so long that they are left alone; the newest are looked at again every hour.
    await take(later + HOUR - 1)
    expect(github.requests.map(({ operation }) => operation)).toEqual(['repos/list-commits'])
    await take(later + HOUR)
    expect(github.requests.filter(({ operation }) => operation === 'checks/list-for-ref')).toHaveLength(LATEST_COMMITS)
    expect(said).toHaveLength(1)
  })
})
