import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../../demo/github/local-github.ts'
import type { PullRequest, Repository } from '../../../demo/github/state.ts'
import { type Actions, startActions } from '../../../demo/runner/runner.ts'
import config from '../../../rolldown.config.ts'
import { JUDGE_PATH, judgeWorkflow, MEASURE_PATH } from '../../../src/cli/setup-action/workflows.ts'
import { rawRun, SLOWER, STEADY } from '../../intake/measurement/raw-run.ts'
import { historyFiles, jobCheck, jobComments } from './action-setting.ts'

// Both workflows as GitHub runs them: real processes, job tokens, artifacts, and the bundle of the Action.

const ROOT = join(import.meta.dirname, '../../..')
const ACTION = 'perf-triage/perf-triage@v1'

const MEASURES = `name: perf-triage-measure
on:
  pull_request:
  push:
    branches: [main]
permissions:
  contents: read
jobs:
  measure:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v7
        with: { fetch-depth: 0, persist-credentials: false }
      - run: mkdir results && cp measured.tsv results/sum-raw.tsv
      - uses: ${ACTION}
        with: { results: results }
      - uses: actions/upload-artifact@v7
        with: { name: performance-results, path: results }
`

const measured = (fresh: readonly number[]) => ({ 'measured.tsv': rawRun('sum', [{ old: STEADY, new: fresh }]) })

let github: LocalGitHub
let actions: Actions
let folder: string
let repo: Repository

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perf-triage-workflows-'))
  await build({ ...config, cwd: ROOT, output: { ...config.output, file: join(folder, 'action/index.mjs') } })
  copyFileSync(join(ROOT, 'action.yml'), join(folder, 'action.yml'))
  github = await startLocalGitHub()
  actions = startActions(github, {
    actions: { [ACTION]: folder },
    env: { ARTIFACT_HOSTS: new URL(github.blobUrl).host },
  })
  repo = github.createRepository({
    owner: 'acme',
    name: 'engine',
    defaultBranch: 'main',
    files: { ...measured(STEADY), [MEASURE_PATH]: MEASURES, [JUDGE_PATH]: judgeWorkflow(ACTION, '/perf').text },
  })
  await actions.idle()
}, 120_000)
afterAll(async () => {
  expect(actions.problems).toEqual([])
  expect(github.violations).toEqual([])
  await actions.stop()
  await github.stop()
  rmSync(folder, { recursive: true, force: true })
})

const jobs = ({ checkRuns }: Repository) =>
  checkRuns.map(({ name, conclusion, job }) => ({ name, conclusion, log: job?.log, summary: job?.summary }))

async function opened(values: {
  readonly fork?: { readonly owner: string }
  readonly fresh: readonly number[]
}): Promise<PullRequest> {
  const pull = github.openPullRequest({
    repo,
    head: `work-${values.fork?.owner ?? 'own'}`,
    files: measured(values.fresh),
    ...(values.fork !== undefined && { fork: values.fork }),
  })
  await actions.idle()
  return pull
}

test('the push of the trunk is in the history, and a slower pull request gets a comment and a check', async () => {
  expect([...historyFiles(repo).keys()]).toEqual([expect.stringMatching(/^history\/\d{4}-\d{2}-\d{2}\.jsonl$/)])
  const pull = await opened({ fresh: SLOWER })
  expect(jobComments(pull), JSON.stringify(jobs(repo), null, 1)).toHaveLength(1)
  expect(jobComments(pull)[0]).toContain('`sum #0` got slower')
  expect(jobCheck(pull)).toMatchObject({ status: 'completed', conclusion: 'neutral' })

  github.setPermission(repo, 'maria', 'write')
  const comment = github.comment(pull, 'maria', '/perf accept "it is meant"')
  await actions.idle()
  expect(
    comment.reactions.map(({ content }) => content),
    JSON.stringify(jobs(repo).slice(-2), null, 1),
  ).toEqual(['+1'])
  expect(jobComments(pull)[0]).toContain('it is meant')
  expect(jobCheck(pull)).toMatchObject({ conclusion: 'success' })
}, 120_000)

test('a fork’s pull request is judged by a job of the repository; its check is neutral', async () => {
  const pull = await opened({ fork: { owner: 'mallory' }, fresh: STEADY })
  expect(jobCheck(pull), JSON.stringify(jobs(repo), null, 1)).toMatchObject({ conclusion: 'neutral' })
}, 120_000)
