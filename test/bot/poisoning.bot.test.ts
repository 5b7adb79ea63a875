import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { PullRequest, Repository } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { saveChecks } from '../../src/store/checks/checks.ts'
import { openClickHouse } from '../../src/store/client.ts'
import { trunkRow } from '../store/checks/check-rows.ts'
import {
  type BotSetting,
  botChecks,
  botComments,
  installApp,
  makeBotSetting,
  rawRun,
  SLOWER,
  STEADY,
} from './bot-setting.ts'

/**
 * What somebody may try who can open a pull request from a fork, and no more: to have failures of others excused, to have them accused,
 * or to pass a gate. Each has a repository of its own, so that nothing of one is in the counts of another.
 */

const CHECK = 'Unit tests'
const PATH = '.github/perf-triage.yml'
const CONFIG = 'checks: [perf]\nworkflows: [Performance]\nresults: [{ artifact: results }]\n'

let setting: BotSetting
let repo: Repository
let repositories = 0

beforeAll(async () => {
  setting = await makeBotSetting()
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

async function inRepository(mode: 'advisory' | 'gating'): Promise<void> {
  const { github } = setting
  repositories += 1
  const owner = `acme-${repositories}`
  repo = github.createRepository({ owner, name: 'engine', files: { [PATH]: `mode: ${mode}\n${CONFIG}` } })
  installApp(github, owner)
  await setting.settled()
}

const nameOf = (person: string) => `${person}-${repositories}`

/**
 * Of a fork, or of a branch of the repository, which only who may write can push. A fork is of one repository, so that a person has another
 * name in each.
 */
function open(head: string, person: string, from: 'fork' | 'branch' = 'fork', file = `src/${head}.cpp`): PullRequest {
  const author = nameOf(person)
  return setting.github.openPullRequest({
    repo,
    head,
    author,
    files: { [file]: head },
    ...(from === 'fork' && { fork: { owner: author } }),
  })
}

/** Results of tests by name: the message of a failure, null for a pass. */
type Tests = readonly (readonly [string, string | null])[]

async function runTests(tests: Tests, pull?: PullRequest): Promise<void> {
  const { github } = setting
  const cases = tests.map(([name, message]) =>
    message === null
      ? `<testcase name="${name}" time="0.1"/>`
      : `<testcase name="${name}" time="0.1"><failure message="${message}">${message}</failure></testcase>`,
  )
  const zip = zipOf({ 'report.xml': `<testsuites><testsuite name="unit">${cases.join('')}</testsuite></testsuites>` })
  const conclusion = tests.some(([, message]) => message !== null) ? 'failure' : 'success'
  const run = github.startWorkflowRun(repo, { name: 'CI', ...(pull === undefined ? {} : { pull }) })
  const check = github.startCheckRun(repo, { name: CHECK, headSha: run.headSha, workflowRun: run })
  github.finishCheckRun(check, conclusion)
  await github.finishWorkflowRun(run, { conclusion, artifacts: [{ name: 'junit-unit-tests', zip }] })
  await setting.settled()
}

async function measure(pull: PullRequest, old = STEADY, fresh = STEADY): Promise<void> {
  const { github } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const check = github.startCheckRun(repo, { name: 'perf', headSha: pull.head.sha, workflowRun: run })
  const zip = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old, new: fresh }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'results', zip }] })
  github.finishCheckRun(check, 'success')
  await setting.settled()
}

/** A pull request of this author is merged: from then on the word of the author counts. */
async function hasMerged(author: string): Promise<void> {
  const pull = open(`first-of-${author}`, author)
  setting.github.closePullRequest(pull, { merge: true, by: 'maria' })
  await setting.settled()
}

const conclusion = ({ head }: PullRequest) => botChecks(setting, head.sha).at(-1)?.conclusion
/** All that the bot says of a pull request. */
const said = (pull: PullRequest) =>
  [
    ...botComments(pull).map(({ body }) => body),
    ...botChecks(setting, pull.head.sha).map(({ output }) => output?.text ?? ''),
  ].join('\n')

const DISK = 'disk refused the block'
const FAILED: Tests = [
  ['disk.writes', DISK],
  ['disk.reads', null],
]

/** So many commits of the trunk that a failure which nobody else has had says something: as they are when the bot has seen them. */
async function trunkPasses(): Promise<void> {
  const { name, owner, defaultBranch } = repo
  const repository = `${owner.login}/${name}`
  const passed = Array.from({ length: 80 }, (_, index) =>
    trunkRow({
      commitSha: `trunk-${index}`,
      checkName: CHECK,
      checkStatus: 'success',
      checkStartTime: Date.now() - (index + 1) * 3_600_000,
      testName: 'unit disk.writes',
      testStatus: 'OK',
      baseRepo: repository,
      headRepo: repository,
      headRef: defaultBranch,
    }),
  )
  const clickhouse = await openClickHouse(setting.database)
  await saveChecks(clickhouse, repo.id, passed)
  await clickhouse.close()
}

/** Somebody else's pull request on which a test fails that has passed on the trunk. */
async function victim(): Promise<PullRequest> {
  const pull = open('work', 'alice', 'branch')
  await measure(pull)
  await runTests(FAILED, pull)
  return pull
}

describe('failing tests of a stranger’s closed pull requests', { timeout: 60_000 }, () => {
  const made = async (tests: Tests, count: number, author: (index: number) => string) => {
    for (let index = 0; index < count; index += 1) {
      // Names that are no stack, which would be one witness anyway.
      const pull = open(['cache', 'parser', 'planner'][index]!, author(index))
      await measure(pull)
      await runTests(tests, pull)
      setting.github.closePullRequest(pull, { by: nameOf(author(index)) })
      await setting.settled()
    }
  }

  test('a gate that nobody has tampered with is red', async () => {
    await inRepository('gating')
    await trunkPasses()
    const pull = await victim()
    expect(conclusion(pull)).toBe('failure')
  })

  test('one that failed and passed in one report makes no other failure flaky, and no gate green', async () => {
    await inRepository('gating')
    await trunkPasses()
    await made(
      [
        ['disk.writes', DISK],
        ['disk.writes', null],
      ],
      1,
      () => 'mallory',
    )
    const pull = await victim()
    expect(said(pull)).not.toMatch(/\| `unit disk\.writes`.*<br>\*\*flaky\*\*/)
    expect(conclusion(pull)).toBe('failure')
  })

  test('three of one stranger are not chronic where people rely on a red check', async () => {
    await inRepository('gating')
    await trunkPasses()
    await made(FAILED, 3, () => 'mallory')
    const pull = await victim()
    expect(said(pull)).not.toMatch(/\| `unit disk\.writes`.*<br>\*\*chronic\*\*/)
    expect(conclusion(pull)).toBe('failure')
  })

  test('three strangers are not chronic there either', async () => {
    await inRepository('gating')
    await trunkPasses()
    await made(FAILED, 3, (index) => `mallory-${index}`)
    const pull = await victim()
    expect(said(pull)).not.toMatch(/\| `unit disk\.writes`.*<br>\*\*chronic\*\*/)
    expect(conclusion(pull)).toBe('failure')
  })

  test('three of one stranger are one person where nobody relies on it', async () => {
    await inRepository('advisory')
    await trunkPasses()
    await made(FAILED, 3, () => 'mallory')
    const pull = await victim()
    expect(said(pull)).not.toMatch(/\| `unit disk\.writes`.*<br>\*\*chronic\*\*/)
  })

  test('eighty claimed passes accuse nobody', async () => {
    await inRepository('gating')
    const passes = Array.from({ length: 80 }, () => ['disk.writes', null] as const)
    await made(passes, 1, () => 'mallory')
    const pull = await victim()
    expect(said(pull)).toMatch(/\| `unit disk\.writes`.*<br>\*\*unknown\*\*/)
  })

  test('three of an author who has merged before excuse as ever', async () => {
    await inRepository('gating')
    await trunkPasses()
    await hasMerged('bob')
    await made(FAILED, 3, () => 'bob')
    const pull = await victim()
    expect(said(pull)).toMatch(/\| `unit disk\.writes`.*<br>\*\*chronic\*\*/)
    expect(conclusion(pull)).toBe('success')
  })

  test('a run of an author who has merged before that fails and passes again is flaky as ever', async () => {
    await inRepository('gating')
    await trunkPasses()
    await hasMerged('bob')
    const pull = open('flaky', 'bob')
    await measure(pull)
    await runTests(FAILED, pull)
    await runTests(
      [
        ['disk.writes', null],
        ['disk.reads', null],
      ],
      pull,
    )
    const other = await victim()
    expect(said(other)).toMatch(/\| `unit disk\.writes`.*<br>\*\*flaky\*\*/)
    expect(conclusion(other)).toBe('success')
  })
})

describe('made-up results of the performance check', () => {
  const slowerVictim = async () => {
    const pull = open('work', 'alice', 'branch')
    await measure(pull, STEADY, SLOWER)
    return pull
  }
  const flags = async (authors: readonly string[]) => {
    for (const [index, author] of authors.entries()) await measure(open(`flag-${index}`, author), STEADY, SLOWER)
  }

  test('a gate that nobody has tampered with is red', async () => {
    await inRepository('gating')
    expect(conclusion(await slowerVictim())).toBe('failure')
  })

  for (const authors of [
    ['mallory', 'mallory'],
    ['mallory', 'mallet'],
  ]) {
    test(`flags of ${authors.join(' and ')} turn no failure into what passes a required check`, async () => {
      await inRepository('gating')
      await flags(authors)
      expect(conclusion(await slowerVictim())).toBe('failure')
    })
  }

  test('flags of two authors who have merged before ask for a rerun, and pass no gate', async () => {
    await inRepository('gating')
    for (const author of ['bob', 'carol']) await hasMerged(author)
    await flags(['bob', 'carol'])
    const pull = await slowerVictim()
    const report = await setting.bot.store.reports.of(repo.id, pull.number)
    expect(report?.rows[0]).toMatchObject({ verdict: 'needs-rerun' })
    expect(conclusion(pull)).toBe('failure')
  })

  test('old and new swapped by a workflow that the pull request changes pass no gate', async () => {
    await inRepository('gating')
    const pull = open('swapped', 'mallory', 'fork', '.github/workflows/performance.yml')
    await measure(pull, SLOWER, STEADY)
    expect(conclusion(pull)).not.toBe('success')
    expect(said(pull)).toContain('changes how it is measured')
  })
})
