import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { FileChanges } from '../../demo/github/commit-graph.ts'
import type { Comment, PullRequest, Repository } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting, rawRun, SLOWER, STEADY } from './bot-setting.ts'

// A pull request decides with its own workflow what is measured. Where the check gates, that takes a maintainer.

const PATH = '.github/perf-triage.yml'
const MEASURES = '.github/workflows/performance.yml'
const OTHER = '.github/workflows/other.yml'
const KEYS = 'checks: ["perf ({shard}/{shards})"]\nresults: [{ artifact: "results-{shard}" }]\nmeasuredBy: [ci/**]\n'
const GATING = `mode: gating\n${KEYS}`
const NAMED = 'workflows: [performance.yml]\n'
const WORKFLOW = `jobs:
  perf:
    steps:
      - uses: actions/checkout@v5
        with:
          path: head
      - uses: ./bench
      - uses: "./head/tools/measure"  # of the checkout
`
const ACTION = 'runs:\n  using: composite\n  steps:\n    - uses: ./bench/upload\n'
const FILES = {
  'src/a.cpp': '0',
  [MEASURES]: WORKFLOW,
  'bench/action.yml': ACTION,
  'bench/upload/action.yml': 'runs:\n  using: node24\n',
  'tools/measure/action.yaml': 'runs:\n  using: node24\n',
}

let setting: BotSetting
/** One whose check gates, and whose trunk none of the tests changes. */
let gated: Repository
let opened = 0

beforeAll(async () => {
  setting = await makeBotSetting()
  gated = await repository(GATING)
})
afterEach(() => {
  expect(setting.github.violations).toEqual([])
  // GitHub takes 80 writes a minute, which are counted anew.
  setting.github.advance(60_000)
})
afterAll(() => setting.close())

/** A repository with people in it, and with a run of its trunk unless there is to be none. */
async function repository(config: string, hasTrunkRun = true): Promise<Repository> {
  opened += 1
  const repo = setting.github.createRepository({
    owner: 'acme',
    name: `measured-${opened}`,
    files: { ...FILES, [PATH]: config },
  })
  for (const name of ['maria', 'nora']) setting.github.setPermission(repo, name, 'write')
  if (hasTrunkRun) await trunkRun(repo)
  return repo
}

const results = (fresh: readonly number[]) => ({
  name: 'results-1',
  zip: zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: fresh }]) }),
})

async function trunkRun(repo: Repository, path = MEASURES): Promise<void> {
  const { github } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance', path })
  const check = github.startCheckRun(repo, { name: 'perf (1/1)', headSha: run.headSha, workflowRun: run })
  await github.finishWorkflowRun(run, { artifacts: [results(STEADY)] })
  github.finishCheckRun(check, 'success')
  await setting.settled()
}

function open(repo: Repository, files: FileChanges): PullRequest {
  opened += 1
  return setting.github.openPullRequest({ repo, head: `work-${opened}`, author: 'alice', files })
}

async function upload(pull: PullRequest, fresh: readonly number[], path: string, name = 'perf (1/1)'): Promise<void> {
  const { github } = setting
  github.advance(5000)
  const run = github.startWorkflowRun(pull.repo, { name: 'Performance', pull, path })
  const check = github.startCheckRun(pull.repo, { name, headSha: pull.head.sha, workflowRun: run })
  await github.finishWorkflowRun(run, { artifacts: [results(fresh)] })
  github.finishCheckRun(check, 'success')
}

async function measures(pull: PullRequest, fresh: readonly number[], path = MEASURES): Promise<void> {
  await upload(pull, fresh, path)
  await setting.settled()
}

async function push(pull: PullRequest, files: FileChanges): Promise<void> {
  setting.github.push(pull, files)
  await setting.settled()
  await measures(pull, STEADY)
}

async function say(pull: PullRequest, by: string, body: string): Promise<Comment> {
  const comment = setting.github.comment(pull, by, body)
  await setting.settled()
  return comment
}

const ACCEPT = '/perf accept measurement "the new runner"'
const reactionsTo = ({ reactions }: Comment) => reactions.map(({ content }) => content)
const check = ({ head }: PullRequest) => botChecks(setting, head.sha).at(-1)
const stands = (pull: PullRequest) => ({ conclusion: check(pull)?.conclusion, title: check(pull)?.output.title })
const summary = (pull: PullRequest) => check(pull)?.output.summary ?? ''
const comment = (pull: PullRequest) => botComments(pull).find(({ body }) => body.includes('perf-triage:v1'))?.body ?? ''
const PASSES = { conclusion: 'success', title: 'No slowdown found in 1 query' }
const CHANGED = { conclusion: 'failure', title: 'No slowdown found in 1 query; changes how it is measured' }

test('a pull request that changes the code alone passes, by the workflow of the trunk’s run', async () => {
  const pull = open(gated, { 'src/a.cpp': '1' })
  await measures(pull, STEADY)
  expect(stands(pull)).toEqual(PASSES)
  expect(comment(pull)).toBe('')
})

test.each<[string, FileChanges, readonly string[]]>([
  ['the workflow that measures', { [MEASURES]: `${WORKFLOW}# 3 repetitions\n` }, [MEASURES]],
  ['another workflow', { '.github/workflows/docs.yaml': 'jobs: {}\n' }, ['.github/workflows/docs.yaml']],
  ['an action by path', { 'bench/action.yml': 'runs:\n' }, ['bench/action.yml']],
  ['what an action by path runs', { 'bench/lib/run.js': 'exit()' }, ['bench/lib/run.js']],
  ['an action that an action uses', { 'bench/upload/index.js': '0' }, ['bench/upload/index.js']],
  ['an action in a checkout elsewhere', { 'tools/measure/index.js': '0' }, ['tools/measure/index.js']],
  ['an action of .github', { '.github/actions/x/run.sh': '0' }, ['.github/actions/x/run.sh']],
  ['a path of measuredBy', { 'ci/run.sh': '0' }, ['ci/run.sh']],
  ['a file that measured and is gone', { 'bench/upload/action.yml': null }, ['bench/upload/action.yml']],
])('%s is changed: the gate is closed until a maintainer accepts it', async (_, files, named) => {
  const pull = open(gated, { 'src/a.cpp': '1', ...files })
  await measures(pull, STEADY)
  expect(stands(pull)).toEqual(CHANGED)
  for (const path of named) {
    expect(summary(pull)).toContain(`this pull request changes how it is measured: \`${path}\``)
    expect(comment(pull).split('\n').slice(0, 4).join('\n')).toContain(`\`${path}\``)
  }
  await say(pull, 'maria', ACCEPT)
  expect(stands(pull)).toEqual(PASSES)
})

test('the author without rights and a stranger accept nothing, and a maintainer says by name what is accepted', async () => {
  const pull = open(gated, { [MEASURES]: `${WORKFLOW}# 3 repetitions\n` })
  await measures(pull, STEADY)
  const refused: readonly (readonly [by: string, body: string])[] = [
    ['alice', ACCEPT],
    ['mallory', ACCEPT],
    ['nora', '/perf accept all "fine"'],
    ['nora', '/perf accept measurement'],
  ]
  for (const [by, body] of refused)
    expect([by, body, ...reactionsTo(await say(pull, by, body))]).toEqual([by, body, 'confused'])
  expect(
    botComments(pull)
      .map(({ body }) => body)
      .join('\n'),
  ).toContain('To accept how it was measured, name it')
  setting.github.addLabel(pull, 'nora', 'perf: accepted')
  await setting.settled()
  expect(stands(pull)).toEqual(CHANGED)
  expect(reactionsTo(await say(pull, 'nora', ACCEPT))).toEqual(['+1'])
  expect(stands(pull)).toEqual(PASSES)
  expect(summary(pull)).toContain('How it was measured: accepted by nora: `the new runner`.')
})

test('an acceptance holds while other files are pushed, ends with the next change of these, and is taken back', async () => {
  const pull = open(gated, { [MEASURES]: `${WORKFLOW}# 1\n` })
  await measures(pull, STEADY)
  await say(pull, 'nora', ACCEPT)
  expect(stands(pull)).toEqual(PASSES)
  await push(pull, { 'src/a.cpp': '2' })
  expect(stands(pull)).toEqual(PASSES)
  await push(pull, { [MEASURES]: `${WORKFLOW}# 2\n` })
  expect(stands(pull)).toEqual(CHANGED)
  await say(pull, 'nora', ACCEPT)
  expect(stands(pull)).toEqual(PASSES)
  await push(pull, { 'ci/more.sh': 'exit 0' })
  expect(stands(pull)).toEqual(CHANGED)
  await say(pull, 'nora', ACCEPT)
  expect(reactionsTo(await say(pull, 'nora', '/perf unaccept measurement'))).toEqual(['+1'])
  expect(stands(pull)).toEqual(CHANGED)
})

test('it is accepted again half a second after it was taken back, and a label that is removed takes none of it back', async () => {
  const { github } = setting
  const pull = open(gated, { 'src/a.cpp': '1' })
  const run = github.startWorkflowRun(pull.repo, { name: 'Performance', pull, path: MEASURES })
  const failing = github.startCheckRun(pull.repo, { name: 'perf (1/1)', headSha: pull.head.sha, workflowRun: run })
  await github.finishWorkflowRun(run, { artifacts: [] })
  github.finishCheckRun(failing, 'failure')
  await setting.settled()
  github.addLabel(pull, 'nora', 'perf: accepted')
  await setting.settled()
  // What the label accepted was of that head alone.
  expect(stands(pull).conclusion).toBe('success')
  await push(pull, { [MEASURES]: `${WORKFLOW}# 1\n` })
  expect(stands(pull)).toEqual(CHANGED)
  github.comment(pull, 'nora', ACCEPT)
  github.removeLabel(pull, 'nora', 'perf: accepted')
  await setting.settled()
  expect(stands(pull)).toEqual(PASSES)
  github.advance(1000)
  github.comment(pull, 'nora', '/perf unaccept measurement')
  const again = github.comment(pull, 'nora', ACCEPT)
  await setting.settled()
  expect(reactionsTo(again)).toEqual(['+1'])
  expect(stands(pull)).toEqual(PASSES)
})

test.each([
  ['without `workflows`', GATING],
  ['with `workflows`', `${GATING}${NAMED}`],
])('a job of the same name in another workflow, %s, replaces nothing', async (_, config) => {
  const repo = await repository(config)
  const pull = open(repo, { 'src/a.cpp': '1', [OTHER]: WORKFLOW })
  await upload(pull, SLOWER, MEASURES)
  await measures(pull, STEADY, OTHER)
  expect(stands(pull)).toMatchObject({ conclusion: 'failure', title: expect.stringContaining('got slower') })
  // The same where the file that gave them is no change of the pull request.
  const alone = open(repo, { 'src/a.cpp': '2' })
  await measures(alone, STEADY, OTHER)
  expect(stands(alone)).toEqual({
    conclusion: 'failure',
    title: 'No slowdown found in 1 query; results of another workflow',
  })
  expect(summary(alone)).toContain(`the results of \`perf (1/1)\` come from \`${OTHER}\``)
  await say(alone, 'nora', ACCEPT)
  expect(stands(alone)).toEqual(PASSES)
})

test('before the trunk has run the check is neutral, and with `workflows` it needs no such run', async () => {
  const repo = await repository(GATING, false)
  const pull = open(repo, { 'src/a.cpp': '1' })
  await measures(pull, STEADY)
  expect(stands(pull)).toEqual({
    conclusion: 'neutral',
    title: 'No slowdown found in 1 query; no run on the main branch yet',
  })
  await trunkRun(repo)
  const next = open(repo, { 'src/a.cpp': '2' })
  await measures(next, STEADY)
  expect(stands(next)).toEqual(PASSES)

  const named = open(await repository(`${GATING}${NAMED}`, false), { 'src/a.cpp': '1' })
  await measures(named, STEADY)
  expect(stands(named)).toEqual(PASSES)
})

test('a check of another name is no way around the trunk’s workflow', async () => {
  const pull = open(gated, { 'src/a.cpp': '1' })
  await upload(pull, STEADY, OTHER, 'perf (1/0)')
  await setting.settled()
  expect(stands(pull)).toEqual({
    conclusion: 'failure',
    title: 'No slowdown found in 1 query; results of another workflow',
  })
})

test('a job that the pull request switches off leaves nothing to measure, and no gate passed', async () => {
  const pull = open(gated, { [MEASURES]: `${WORKFLOW}    if: false\n` })
  const { github } = setting
  const run = github.startWorkflowRun(pull.repo, { name: 'Performance', pull, path: MEASURES })
  const skipped = github.startCheckRun(pull.repo, { name: 'perf (1/1)', headSha: pull.head.sha, workflowRun: run })
  github.finishCheckRun(skipped, 'skipped')
  await github.finishWorkflowRun(run)
  await setting.settled()
  expect(stands(pull)).toEqual({
    conclusion: 'failure',
    // That a job was skipped is said as well once the run of the trunk is stored, which may come after this look.
    title: expect.stringMatching(/^Nothing to measure; changes how it is measured(?:; a job was skipped)?$/),
  })
  await say(pull, 'nora', ACCEPT)
  expect(stands(pull)).toEqual({ conclusion: 'success', title: 'Nothing to measure' })
})

test('in advisory mode nothing is withheld: a sentence says it', async () => {
  const repo = await repository(KEYS)
  const pull = open(repo, { [MEASURES]: `${WORKFLOW}# 3 repetitions\n` })
  await measures(pull, SLOWER)
  expect(stands(pull)).toEqual({ conclusion: 'neutral', title: '1 of 1 query got slower' })
  expect(comment(pull)).toContain(`**This pull request changes how it is measured: \`${MEASURES}\`.**\n`)

  const elsewhere = open(repo, { 'src/a.cpp': '1' })
  await measures(elsewhere, SLOWER, OTHER)
  expect(stands(elsewhere)).toEqual({ conclusion: 'neutral', title: '1 of 1 query got slower' })
  expect(comment(elsewhere)).toContain(`come from \`${OTHER}\`, not from the usual workflow`)
})
