import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LocalGitHub } from './github/local-github.ts'
import type { PullRequest, Repository, WorkflowRun } from './github/state.ts'
import { zipOf } from './github/zip.ts'

/** What the CI finds out about the heads of a pull request. */
export interface Results {
  /** The recorded measurements: those of the first run, and those of any further one. */
  readonly recordings: readonly URL[]
  /** The commit of the old build; null: the merge base. */
  readonly oldCommit?: string
  readonly redChecks?: readonly RedCheck[]
}

/** A check of the tests that fails. */
export interface RedCheck {
  readonly name: string
  /** What failed, with its output; none of them: a check that says nothing. */
  readonly failures: readonly { readonly test: string; readonly output: string }[]
}

/** Names of the workflow, of its job and of its artifact. */
export const PERFORMANCE = 'Performance'
const ARTIFACT = 'performance-results'

/** The CI of the repository: measures each new head of a pull request, and again when somebody starts it again. */
export class Ci {
  readonly #github: LocalGitHub
  readonly #repo: Repository
  readonly #say: (line: string) => void
  readonly #results = new Map<PullRequest, Results>()
  #work = Promise.resolve()

  constructor(github: LocalGitHub, repo: Repository, say: (line: string) => void) {
    this.#github = github
    this.#repo = repo
    this.#say = say
    github.onEvent(({ event, action, body }) => {
      const { number, workflow_run: run } = body as { number?: number; workflow_run?: { id: number } }
      if (event === 'pull_request' && action === 'synchronize') this.#heads(number!)
      if (event === 'workflow_run' && action === 'requested') this.#starts(run!.id)
    })
  }

  /** Watches a pull request, whose head is measured at once. */
  watch(pull: PullRequest, results: Results): void {
    this.#results.set(pull, results)
    this.#begin(pull)
  }

  /** Resolves when everything that was started has ended. */
  async idle(): Promise<void> {
    for (let seen = null; seen !== this.#work; ) {
      seen = this.#work
      await seen
    }
  }

  #heads(number: number): void {
    for (const pull of this.#results.keys()) if (pull.number === number) this.#begin(pull)
  }

  #begin(pull: PullRequest): void {
    const { redChecks = [] } = this.#results.get(pull)!
    for (const { name } of redChecks) this.#github.startWorkflowRun(this.#repo, { name, pull })
    this.#github.startWorkflowRun(this.#repo, { name: PERFORMANCE, pull })
  }

  /** Each attempt of the workflow ends with its results. */
  #starts(id: number): void {
    this.#work = this.#work.then(async () => {
      const run = this.#repo.workflowRuns.find((known) => known.id === id)
      const pull = [...this.#results.keys()].find(({ head }) => head.sha === run?.headSha)
      if (run !== undefined && pull !== undefined && run.status !== 'completed') await this.#end(run, pull)
    })
  }

  async #end(run: WorkflowRun, pull: PullRequest): Promise<void> {
    const { recordings, redChecks = [], oldCommit = pull.base.sha } = this.#results.get(pull)!
    const red = redChecks.find(({ name }) => name === run.name)
    const conclusion = red === undefined ? 'success' : 'failure'
    const check = this.#github.startCheckRun(this.#repo, { name: run.name, headSha: run.headSha, workflowRun: run })
    this.#github.finishCheckRun(check, conclusion)
    const artifacts =
      red === undefined
        ? [{ name: ARTIFACT, zip: artifactOf(this.#next(recordings, pull), oldCommit) }]
        : [{ name: 'junit', zip: zipOf({ 'junit.xml': junitOf(red.failures) }) }].slice(
            red.failures.length === 0 ? 1 : 0,
          )
    await this.#github.finishWorkflowRun(run, { conclusion, artifacts })
    const given = artifacts.length === 0 ? '' : ` with the artifact ${artifacts[0]!.name}`
    this.#say(`#${pull.number}  ${run.name} of ${run.headSha.slice(0, 7)} has ended: ${conclusion}${given}`)
  }

  /** The recording of this run of the pull request's; the last one is played again when there are no more. */
  #next(recordings: readonly URL[], pull: PullRequest): URL {
    const runs = this.#repo.workflowRuns.filter(
      ({ headBranch, name }) => headBranch === pull.head.ref && name === PERFORMANCE,
    )
    const attempts = runs.reduce((sum, { attempt }) => sum + attempt, 0)
    return recordings[Math.min(attempts, recordings.length) - 1]!
  }
}

function junitOf(failures: RedCheck['failures']): string {
  const cases = failures.map(
    ({ test, output }) =>
      `<testcase name="${escaped(test)}"><failure message="${escaped(output)}">${escaped(output)}</failure></testcase>`,
  )
  return `<testsuites><testsuite name="">${cases.join('')}</testsuite></testsuites>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

/** A recording, with the commit of the old build beside it as ClickHouse's CI writes it. */
function artifactOf(recording: URL, oldCommit: string): Uint8Array {
  const folder = fileURLToPath(recording)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsv'))
  return zipOf({
    ...Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file))])),
    'left-commit.txt': `${oldCommit}\n`,
  })
}
