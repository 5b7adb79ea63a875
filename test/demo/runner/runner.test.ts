import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ProbotOctokit } from 'probot'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../../demo/github/local-github.ts'
import type { CheckRun, Repository, WorkflowRun } from '../../../demo/github/state.ts'
import { type Actions, type ActionsOptions, startActions } from '../../../demo/runner/runner.ts'

const at = { owner: 'acme', repo: 'engine' }

let github: LocalGitHub
let folder: string
let actions: Actions

beforeEach(async () => {
  github = await startLocalGitHub()
  folder = await mkdtemp(join(tmpdir(), 'runner-test-'))
})

afterEach(async () => {
  await actions.stop()
  await github.stop()
  await rm(folder, { recursive: true })
  expect(github.violations).toEqual([])
})

/** A repository with these workflows, by the names of their files; its first commit starts none. */
function repositoryWith(workflows: Readonly<Record<string, string>>, options: ActionsOptions = {}): Repository {
  const files = Object.entries(workflows).map(([name, text]) => [`.github/workflows/${name}.yml`, text])
  const repo = github.createRepository({
    ...{ owner: at.owner, name: at.repo, defaultBranch: 'main' },
    files: { ...Object.fromEntries(files), 'bench.txt': 'fast\n' },
  })
  actions = startActions(github, options)
  return repo
}

function runOf(repo: Repository, name: string): WorkflowRun {
  const run = repo.workflowRuns.findLast((known) => known.name === name)
  if (run === undefined) throw new Error(`no run of ${name}, but ${repo.workflowRuns.map((one) => one.name).join()}`)
  return run
}

function jobOf(run: WorkflowRun, name = 'job'): CheckRun {
  return run.repo.checkRuns.findLast((check) => check.suite === run.suite && check.name === name)!
}

function logOf(run: WorkflowRun, name = 'job'): string {
  return jobOf(run, name).job!.log
}

/** The header of a workflow with one job of these steps. */
function workflow(name: string, on: string, steps: string, more = ''): string {
  const indented = steps.trim().replaceAll('\n', '\n      ')
  return `name: ${name}\non: ${on}\n${more}\njobs:\n  job:\n    runs-on: ubuntu-latest\n    steps:\n      ${indented}\n`
}

test('steps are processes that hand on variables, outputs, paths and a summary', async () => {
  const steps = `
- id: first
  env: { WHO: "\${{ github.actor }}" }
  run: |
    echo "answer=42" >> "$GITHUB_OUTPUT"
    printf 'LINES<<END\\none\\ntwo\\nEND\\n' >> "$GITHUB_ENV"
    mkdir -p tools && printf '#!/bin/sh\\necho tool of %s\\n' "$WHO" > tools/own-tool && chmod +x tools/own-tool
    echo "$PWD/tools" >> "$GITHUB_PATH"
- run: |
    own-tool
    echo "$LINES" | tail -1
    echo "\${{ steps.first.outputs.answer }} \${{ env.LINES }} \${{ env.OF_WORKFLOW }}"
    echo "### Measured" >> "$GITHUB_STEP_SUMMARY"
- if: steps.first.outputs.answer != '42'
  run: echo never
- run: |
    echo "::warning file=a.c,line=3,title=Slow::It is%0Aslow"
    echo "::stop-commands::word"
    echo "::error::said by a stranger"
    echo "::word::"
    echo "::add-mask::secret"; echo "the secret"
`
  const repo = repositoryWith({ ci: workflow('CI', 'push', steps, 'env: { OF_WORKFLOW: "set above" }') })
  github.commit(repo, { files: { 'a.c': '1\n' } })
  await actions.idle()
  const run = runOf(repo, 'CI')
  expect(run).toMatchObject({ event: 'push', conclusion: 'success', path: '.github/workflows/ci.yml' })
  const log = logOf(run)
  expect(log).toContain('tool of alice\n')
  expect(log).toContain('\ntwo\n42 one\ntwo set above\n')
  expect(log).not.toContain('\nnever\n')
  expect(log).toContain('\n::error::said by a stranger\n')
  expect(log).toContain('\nthe ***\n')
  const job = jobOf(run)
  expect(job.job!.summary).toBe('### Measured\n')
  expect(job.job!.steps.map(({ conclusion }) => conclusion)).toEqual(['success', 'success', 'skipped', 'success'])
  expect(job).toMatchObject({ conclusion: 'success', suite: { app: { slug: 'github-actions' } } })
  expect(job.annotations).toMatchObject([{ path: 'a.c', start_line: 3, title: 'Slow', message: 'It is\nslow' }])
})

test('a step that fails fails the job; what is asked for always still runs', async () => {
  const steps = `
- run: 'false | cat && echo "no pipefail without a word"'
- run: 'false | cat'
  shell: bash
- run: echo not reached
- if: failure()
  run: echo after the failure
- if: always()
  run: echo at the end
`
  const repo = repositoryWith({ ci: workflow('CI', 'push', steps) })
  github.commit(repo, { files: {} })
  await actions.idle()
  const run = runOf(repo, 'CI')
  expect(run.conclusion).toBe('failure')
  const lines = logOf(run)
    .split('\n')
    .filter((line) => /^(not|after|at|no)\b/.test(line))
  expect(lines).toEqual(['no pipefail without a word', 'after the failure', 'at the end'])
  expect(logOf(run)).toContain('##[error]Process completed with exit code 1.')
})

test('a pull request is checked out as its merge commit, and its files are those that run', async () => {
  const steps = `
- uses: actions/checkout@v5
  with: { fetch-depth: 0, persist-credentials: false }
- run: |
    git rev-parse HEAD HEAD^1 HEAD^2
    git branch --remotes --list
    git config --list | grep -c extraheader || true
    cat bench.txt
`
  const repo = repositoryWith({ ci: workflow('CI', '{ pull_request: { branches: [main] } }', steps) })
  const ofHead = workflow('CI', 'pull_request', `${steps}\n- run: echo changed by the head`)
  const pull = github.openPullRequest({
    ...{ repo, head: 'faster', fork: { owner: 'mallory' } },
    files: { 'bench.txt': 'faster\n', '.github/workflows/ci.yml': ofHead },
  })
  await actions.idle()
  const run = runOf(repo, 'CI')
  expect(run).toMatchObject({ event: 'pull_request', headSha: pull.head.sha, conclusion: 'success' })
  const commits = [pull.mergeCommitSha, pull.base.sha, pull.head.sha].join('\n')
  expect(logOf(run)).toContain(`\n${commits}\n  origin/main\n  pull/1/merge\n0\nfaster\n`)
  expect(logOf(run)).toContain('\nchanged by the head\n')
  expect(repo.workflowRuns).toHaveLength(1)
})

test('the token of a fork reads, whatever its file says', async () => {
  const steps = `
- env: { TOKEN: "\${{ secrets.GITHUB_TOKEN }}" }
  run: |
    answer() { curl --silent --show-error --header "Authorization: Bearer $TOKEN" "$@"; }
    answer "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/pulls/1" | grep -o '"title":"[^"]*"'
    answer --data '{"body":"Hello"}' "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/1/comments" | grep -o '"message":"[^"]*"' || true
    echo "the token is $TOKEN"
`
  const repo = repositoryWith({ ci: workflow('CI', 'pull_request', steps, 'permissions: { pull-requests: write }') })
  const fork = github.openPullRequest({ repo, head: 'x', fork: { owner: 'mallory' }, title: 'Of a fork' })
  await actions.idle()
  const refused = logOf(runOf(repo, 'CI'))
  expect(refused).toContain(
    '"title":"Of a fork"\n"message":"Resource not accessible by integration"\nthe token is ***\n',
  )
  expect(fork.comments).toEqual([])
  const own = github.openPullRequest({ repo, head: 'y' })
  await actions.idle()
  expect(fork.comments.map(({ author, body }) => [author.login, body])).toEqual([['github-actions[bot]', 'Hello']])
  expect(own.comments).toEqual([])
})

test('the token holds no longer than its job', async () => {
  const steps = `
- run: echo "\${{ github.token }}" > "${join(folder, 'token')}"`
  const repo = repositoryWith({ ci: workflow('CI', 'push', steps) })
  github.commit(repo, { files: {} })
  await actions.idle()
  const token = (await readFile(join(folder, 'token'), 'utf8')).trim()
  const answer = await fetch(`${github.url}/repos/acme/engine`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(401)
})

const uploads = `
- uses: actions/checkout@v5
- run: mkdir -p results/deep && cp bench.txt results/deep/a.txt && echo secret > results/.hidden
- uses: actions/upload-artifact@v4
  with: { name: performance-results, path: results, if-no-files-found: error }
`

test('a workflow that runs after another has the files and the token of the default branch', async () => {
  const judges = workflow(
    'Judge',
    '{ workflow_run: { workflows: [Measure], types: [completed] } }',
    `
- uses: actions/download-artifact@v5
  with: { name: performance-results, path: got, run-id: "\${{ github.event.workflow_run.id }}", github-token: "\${{ github.token }}" }
- env: { TOKEN: "\${{ github.token }}", PULLS: "\${{ github.event.workflow_run.pull_requests[0].number }}" }
  run: |
    find got -type f; cat got/deep/a.txt
    echo "pulls: $PULLS; \${{ github.event.workflow_run.event }} of \${{ github.event.workflow_run.head_repository.full_name }}"
    curl --silent --fail --header "Authorization: Bearer $TOKEN" --data '{"body":"Judged"}' "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/1/comments" > /dev/null
`,
    'permissions: { pull-requests: write, actions: read }',
  )
  const repo = repositoryWith({
    measure: workflow('Measure', 'pull_request', uploads, 'permissions: { contents: read }'),
    judge: judges,
    talk: workflow('Talk', '{ issue_comment: { types: [created] } }', '- run: echo "${{ github.event.comment.body }}"'),
  })
  const bad = workflow('Judge', 'workflow_run', '- run: echo of the fork')
  const pull = github.openPullRequest({
    ...{ repo, head: 'faster', fork: { owner: 'mallory' } },
    files: { '.github/workflows/judge.yml': bad, 'bench.txt': 'of the fork\n' },
  })
  await actions.idle()
  const run = runOf(repo, 'Judge')
  expect(run).toMatchObject({ event: 'workflow_run', headBranch: 'main', conclusion: 'success' })
  expect(logOf(run)).toContain('\ngot/deep/a.txt\nof the fork\npulls: ; pull_request of mallory/engine\n')
  expect(logOf(run)).not.toContain('hidden')
  expect(pull.comments.map(({ author }) => author.login)).toEqual(['github-actions[bot]'])
  // A comment by a job's token starts no workflow; one by a person does.
  expect(repo.workflowRuns.map(({ name }) => name)).toEqual(['Measure', 'Judge'])
  github.comment(pull, 'maria', '/perf help')
  await actions.idle()
  expect(logOf(runOf(repo, 'Talk'))).toContain('\n/perf help\n')
})

/**
 * GitHub fills expressions in before the shell reads the line. Whoever names a pull request then writes the script:
 * that is how GitHub is, and why no file of ours has `${{ }}` inside `run`.
 */
test('a title inside a run line is run, and one in a variable is not', async () => {
  const inside = workflow('Inside', 'pull_request', '- run: echo "${{ github.event.pull_request.title }}"')
  const variable = workflow(
    'Variable',
    'pull_request',
    '- env: { TITLE: "${{ github.event.pull_request.title }}" }\n  run: echo "$TITLE"',
  )
  const repo = repositoryWith({ inside, variable })
  github.openPullRequest({ repo, head: 'x', title: '$(echo in; echo jected)"; id -u > pwned; cat pwned #' })
  await actions.idle()
  expect(logOf(runOf(repo, 'Inside'))).toMatch(/\nin\njected\n\d+\n/)
  expect(logOf(runOf(repo, 'Variable'))).toContain('\n$(echo in; echo jected)"; id -u > pwned; cat pwned #\n')
})

const sleeps = (cancels: boolean) =>
  workflow(
    'Slow',
    'push',
    `
- run: |
    echo started > "$FOLDER/$GITHUB_SHA"
    until test -e "$FOLDER/go"; do sleep 0.05; done
- if: cancelled()
  run: echo was cancelled`,
    `concurrency: { group: "slow-\${{ github.ref }}", cancel-in-progress: ${cancels} }`,
  )

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

test('in a concurrency group one runs, the newest waits, and the one between is cancelled', async () => {
  const repo = repositoryWith({ slow: sleeps(false) }, { env: { FOLDER: folder } })
  const shas = ['1', '2', '3'].map((text) => github.commit(repo, { files: { 'a.c': text } }).sha)
  await until(() => existsSync(join(folder, shas[0]!)) && repo.workflowRuns.length === 3)
  await until(() => repo.workflowRuns[1]!.conclusion !== null)
  expect(repo.workflowRuns.map(({ status, conclusion }) => conclusion ?? status)).toEqual([
    'in_progress',
    'cancelled',
    'queued',
  ])
  await writeFile(join(folder, 'go'), '')
  await actions.idle()
  expect(repo.workflowRuns.map(({ conclusion }) => conclusion)).toEqual(['success', 'cancelled', 'success'])
  expect(existsSync(join(folder, shas[1]!))).toBe(false)
})

test('a new run ends the one that runs, where the group says so', async () => {
  const repo = repositoryWith({ slow: sleeps(true) }, { env: { FOLDER: folder } })
  const { sha } = github.commit(repo, { files: { 'a.c': '1' } })
  await until(() => existsSync(join(folder, sha)))
  const first = runOf(repo, 'Slow')
  github.commit(repo, { files: { 'a.c': '2' } })
  await until(() => first.conclusion !== null)
  expect(first.conclusion).toBe('cancelled')
  expect(logOf(first)).toContain('\nwas cancelled\n')
  await writeFile(join(folder, 'go'), '')
  await actions.idle()
  expect(runOf(repo, 'Slow').conclusion).toBe('success')
})

test('an action in JavaScript has its inputs, the defaults of its file and the event', async () => {
  await mkdir(join(folder, 'own'))
  await writeFile(
    join(folder, 'own/action.yml'),
    [
      'name: own',
      'inputs: { results: {}, token: { default: "${{ github.token }}" }, fail-on: { default: nothing } }',
      'runs: { using: node24, main: index.mjs }',
    ].join('\n'),
  )
  await writeFile(
    join(folder, 'own/index.mjs'),
    `import { appendFileSync, readFileSync } from 'node:fs'
     const { INPUT_RESULTS, INPUT_TOKEN, GITHUB_OUTPUT, GITHUB_EVENT_PATH, GITHUB_WORKSPACE } = process.env
     console.log('results', INPUT_RESULTS, process.env['INPUT_FAIL-ON'], INPUT_TOKEN.slice(0, 4).length)
     console.log('at', process.cwd() === GITHUB_WORKSPACE, 'number', JSON.parse(readFileSync(GITHUB_EVENT_PATH)).number)
     appendFileSync(GITHUB_OUTPUT, 'rows=7\\n')`,
  )
  const steps =
    '- id: own\n  uses: acme/own@v1\n  with: { results: results/ }\n- run: echo "${{ steps.own.outputs.rows }} rows"'
  const repo = repositoryWith(
    { ci: workflow('CI', 'pull_request', steps) },
    { actions: { 'acme/own@v1': join(folder, 'own') } },
  )
  github.openPullRequest({ repo, head: 'x' })
  await actions.idle()
  expect(logOf(runOf(repo, 'CI'))).toContain('results results/ nothing 4\nat true number 1\n')
  expect(logOf(runOf(repo, 'CI'))).toContain('\n7 rows\n')
})

test('a workflow that runs after itself ends: three runs in a row are the most', async () => {
  const on = '{ push: {}, workflow_run: { workflows: [Loop], types: [completed] } }'
  const repo = repositoryWith({ loop: workflow('Loop', on, '- run: echo again') })
  github.commit(repo, { files: {} })
  await actions.idle()
  expect(repo.workflowRuns.map(({ event }) => event)).toEqual(['push', 'workflow_run', 'workflow_run', 'workflow_run'])
})

test('jobs hand on outputs to those that need them, and a job is skipped behind one that failed', async () => {
  const text = `
on: push
name: CI
jobs:
  report: { needs: [build], runs-on: x, steps: [{ run: 'echo "got \${{ needs.build.outputs.what }}"' }] }
  build:
    runs-on: x
    outputs: { what: "\${{ steps.s.outputs.what }}" }
    steps: [{ id: s, run: 'echo what=bench >> "$GITHUB_OUTPUT"' }]
  breaks: { runs-on: x, steps: [{ run: exit 3 }] }
  behind: { needs: breaks, runs-on: x, steps: [{ run: echo no }] }
  always: { needs: breaks, if: "always() && needs.breaks.result == 'failure'", runs-on: x, steps: [{ run: echo yes }] }
`
  const repo = repositoryWith({ ci: text })
  github.commit(repo, { files: {} })
  await actions.idle()
  const run = runOf(repo, 'CI')
  const jobs = repo.checkRuns.map(({ name, conclusion }) => `${name} ${conclusion}`)
  expect(jobs).toEqual(['build success', 'report success', 'breaks failure', 'behind skipped', 'always success'])
  expect(logOf(run, 'report')).toContain('\ngot bench\n')
  expect(run.conclusion).toBe('failure')
})

test('a step ends when its time is up, with what it left in the background', async () => {
  const steps =
    '- timeout-minutes: 0.005\n  run: |\n    (sleep 60; touch "$FOLDER/late") &\n    sleep 60\n- if: failure()\n  run: echo too slow'
  const repo = repositoryWith({ ci: workflow('CI', 'push', steps) }, { env: { FOLDER: folder } })
  github.commit(repo, { files: {} })
  const before = performance.now()
  await actions.idle()
  expect(performance.now() - before).toBeLessThan(55_000)
  expect(runOf(repo, 'CI').conclusion).toBe('failure')
  expect(logOf(runOf(repo, 'CI'))).toMatch(/The time is up\.[^]*\ntoo slow\n/)
})

test('a person starts a workflow with inputs, and a run again', async () => {
  const steps = '- run: echo "turns ${{ inputs.turns }} attempt $GITHUB_RUN_ATTEMPT"'
  const on = '{ workflow_dispatch: { inputs: { turns: { type: string } } } }'
  const repo = repositoryWith({ bench: workflow('Bench', on, steps) })
  actions.dispatch(repo, { inputs: { turns: '7' } })
  await actions.idle()
  const run = runOf(repo, 'Bench')
  expect(logOf(run)).toContain('\nturns 7 attempt 1\n')
  github.rerunWorkflow(run)
  await actions.idle()
  expect(run).toMatchObject({ attempt: 2, conclusion: 'success' })
  expect(logOf(run)).toContain('\nturns 7 attempt 2\n')
})

test('a file that GitHub refuses, or that asks for more than runs here, is a run that fails and says why', async () => {
  const repo = repositoryWith({
    unknown: 'on: push\njobs: { job: { runs-on: x, stepz: [] } }',
    matrix: 'on: push\njobs: { job: { runs-on: x, strategy: { matrix: { a: [1] } }, steps: [] } }',
    context: workflow('Context', 'push', '- run: echo ${{ nothing.of.this }}'),
  })
  github.commit(repo, { files: {} })
  await actions.idle()
  expect(repo.workflowRuns.map(({ conclusion }) => conclusion)).toEqual(['failure', 'failure', 'failure'])
  const said = actions.problems.join('\n')
  expect(said).toMatch(/stepz/)
  expect(said).toMatch(/matrix.yml.*strategy/)
  expect(said).toMatch(/nothing/)
})

test('webhooks, API and pages show the run, its job, its log and its artifacts', async () => {
  const repo = repositoryWith({
    ci: workflow('CI', 'push', `${uploads}\n- run: echo "## Slow rows" >> "$GITHUB_STEP_SUMMARY"`),
  })
  const events: string[] = []
  github.onEvent(({ event, action }) => events.push(`${event} ${action}`))
  github.commit(repo, { files: {} })
  await actions.idle()
  expect(events.filter((event) => /workflow_run|check_run/.test(event))).toEqual([
    'workflow_run requested',
    'workflow_run in_progress',
    'check_run created',
    'check_run completed',
    'workflow_run completed',
  ])
  const auth = { token: github.jobToken(repo, { actions: 'read', checks: 'read' }) }
  const { rest } = new ProbotOctokit({ auth, baseUrl: github.url, throttle: { enabled: false } })
  const { data } = await rest.actions.listWorkflowRunsForRepo({ ...at, event: 'push' })
  const run = data.workflow_runs[0]!
  expect(run).toMatchObject({ name: 'CI', path: '.github/workflows/ci.yml', conclusion: 'success' })
  const jobs = await rest.actions.listJobsForWorkflowRun({ ...at, run_id: run.id })
  expect(jobs.data.jobs[0]).toMatchObject({
    name: 'job',
    steps: expect.arrayContaining([
      {
        ...{ name: 'Run actions/upload-artifact@v4', number: 3, status: 'completed', conclusion: 'success' },
        ...{ started_at: expect.any(String), completed_at: expect.any(String) },
      },
    ]),
  })
  const log = await rest.actions.downloadJobLogsForWorkflowRun({ ...at, job_id: jobs.data.jobs[0]!.id })
  expect(String(log.data)).toContain('Artifact performance-results has been successfully uploaded with 1 files.')
  const artifacts = await rest.actions.listWorkflowRunArtifacts({ ...at, run_id: run.id })
  expect(artifacts.data.artifacts.map(({ name }) => name)).toEqual(['performance-results'])
  const page = await (await fetch(run.html_url)).text()
  expect(page).toContain('<h2>Slow rows</h2>')
  expect(page).toContain('Run actions/checkout@v5')
})
