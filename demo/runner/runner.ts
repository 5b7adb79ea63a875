/** GitHub Actions of the local GitHub: events start the workflows of the repository's own files, as real processes. */
import pLimit from 'p-limit'
import type { LocalGitHub } from '../github/local-github.ts'
import type { Repository, WorkflowRun } from '../github/state.ts'
import { Groups } from './concurrency.ts'
import { filledIn } from './expressions.ts'
import { type JobResult, runJob } from './job.ts'
import { dispatched, githubOf, type Happening, happeningOf } from './occasions.ts'
import { isTriggered } from './triggers.ts'
import { type Concurrency, type Job, readWorkflow, type Workflow } from './workflow.ts'

export interface ActionsOptions {
  /** Folders with an `action.yml`, by what `uses` says: `perf-triage/perf-triage@v1`. */
  readonly actions?: Readonly<Record<string, string>>
  /** Variables of every job beside those of this machine, or in their place. HOME is an empty folder. */
  readonly env?: Readonly<Record<string, string>>
  /** The most that a job may take. Default: 10. */
  readonly minutes?: number
  /** Workflow runs at the same time. Default: 2. */
  readonly parallel?: number
}

/** GitHub lets no workflow run after more than so many others in a row. */
const maxInRow = 3

interface Started {
  readonly happening: Happening
  readonly workflow: Workflow
  readonly abort: AbortController
}

/** Runs workflows from now on; what happened before starts none. Stop it before the GitHub. */
export function startActions(github: LocalGitHub, options: ActionsOptions = {}): Actions {
  return new Actions(github, options)
}

export class Actions {
  /** Workflow files that could not be read or ask for what does not run here. */
  readonly problems: string[] = []
  readonly #github: LocalGitHub
  readonly #options: ActionsOptions
  readonly #limit: ReturnType<typeof pLimit>
  readonly #groups = new Groups()
  readonly #started = new Map<number, Started>()
  readonly #working = new Set<Promise<void>>()
  #queue = Promise.resolve()
  #isStopped = false

  /** @see startActions */
  constructor(github: LocalGitHub, options: ActionsOptions) {
    this.#github = github
    this.#options = options
    this.#limit = pLimit(options.parallel ?? 2)
    github.onEvent((heard) => {
      const { event, action, body } = heard
      if (this.#isStopped) return
      const run = body['workflow_run'] as { id: number; run_attempt: number } | undefined
      if (event === 'workflow_run' && action === 'requested' && run!.run_attempt > 1) this.#again(run!.id)
      const happening = happeningOf(heard)
      if (happening !== null) this.#hears(happening)
    })
  }

  /** Resolves when nothing runs and nothing waits, what the runs themselves have started included. */
  async idle(): Promise<void> {
    for (let seen = null; seen !== this.#queue || this.#working.size > 0; ) {
      seen = this.#queue
      await seen
      await Promise.all(this.#working)
    }
  }

  /** Cancels what runs and starts nothing more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const { abort } of this.#started.values()) abort.abort()
    await this.idle()
  }

  /** Starts each workflow of a branch that takes `workflow_dispatch`, or the one with this path. */
  dispatch(
    repo: Repository,
    values: { branch?: string; path?: string; inputs?: Readonly<Record<string, string>>; by?: string } = {},
  ): void {
    const { branch = repo.defaultBranch, inputs = {}, by = 'alice', path } = values
    this.#hears(dispatched(repo, branch, by, inputs), path)
  }

  cancel(run: WorkflowRun): void {
    this.#started.get(run.id)?.abort.abort()
  }

  #hears(happening: Happening, only?: string): void {
    this.#queue = this.#queue.then(() => this.#starts(happening, only))
  }

  async #starts(happening: Happening, only: string | undefined): Promise<void> {
    if (this.#inRow(happening) > maxInRow) return
    const files = happening.repo.graph.get(happening.sha)?.files ?? new Map()
    for (const [path, { content }] of files) {
      if (!/^\.github\/workflows\/[^/]+\.ya?ml$/.test(path) || (only !== undefined && path !== only)) continue
      const workflow = await readWorkflow(path, content.toString('utf8'))
      if ('problems' in workflow) await this.#refuses(happening, path, workflow.problems)
      else if (isTriggered(workflow, happening))
        this.#works(this.#runs(this.#request(happening, workflow), happening, workflow))
    }
  }

  /** How many runs an event comes after, each started by the end of the one before. */
  #inRow({ event, body }: Happening): number {
    if (event !== 'workflow_run') return 0
    const { id } = body['workflow_run'] as { id: number }
    const before = this.#started.get(id)
    return 1 + (before === undefined ? 0 : this.#inRow(before.happening))
  }

  /** GitHub starts a run for such a file too, which fails without a job; a run that ended is no reason for one. */
  async #refuses(happening: Happening, path: string, problems: readonly string[]): Promise<void> {
    if (happening.event === 'workflow_run') return
    this.problems.push(...problems)
    const run = this.#request(happening, { name: path, path, jobs: [] })
    await this.#github.finishWorkflowRun(run, { conclusion: 'failure' })
  }

  #request(happening: Happening, { name, path, jobs }: Pick<Workflow, 'name' | 'path' | 'jobs'>): WorkflowRun {
    const { repo, event, pull, sha, ref, actor } = happening
    const branch = ref.replace(/^refs\/(heads|tags)\//, '')
    return this.#github.startWorkflowRun(repo, {
      name,
      path,
      event,
      actor,
      ...(pull === null ? { branch, headSha: sha } : { pull }),
      runsOn: [...new Set(jobs.flatMap((job) => job['runs-on']))],
      waits: true,
    })
  }

  #again(id: number): void {
    const started = this.#started.get(id)
    const run = started?.happening.repo.workflowRuns.find((known) => known.id === id)
    if (started === undefined || run === undefined) return
    this.#works(Promise.resolve().then(() => this.#runs(run, started.happening, started.workflow)))
  }

  #works(work: Promise<void>): void {
    const watched = work.finally(() => this.#working.delete(watched))
    this.#working.add(watched)
  }

  async #runs(run: WorkflowRun, happening: Happening, workflow: Workflow): Promise<void> {
    const abort = new AbortController()
    this.#started.set(run.id, { happening, workflow, abort })
    const release = await this.#enters(workflow.concurrency, happening, workflow, abort)
    if (release === null) {
      await this.#github.finishWorkflowRun(run, { conclusion: 'cancelled' })
      return
    }
    const work = this.#limit(async () => {
      if (abort.signal.aborted) return 'cancelled'
      if (run.status === 'queued') this.#github.beginWorkflowRun(run)
      return await this.#jobs(run, happening, workflow, abort)
    })
    const conclusion = await work.finally(release)
    await this.#github.finishWorkflowRun(run, { conclusion })
  }

  /** Jobs one after the other, each behind those that it needs. */
  async #jobs(run: WorkflowRun, happening: Happening, workflow: Workflow, abort: AbortController) {
    const results: Record<string, JobResult> = {}
    const waiting = new Set(workflow.jobs)
    const forgiven = new Set<string>()
    while (waiting.size > 0) {
      const job = [...waiting].find(({ needs }) => needs.every((id) => id in results))!
      waiting.delete(job)
      const needs = Object.fromEntries(job.needs.map((id) => [id, results[id]!]))
      results[job.id] = await this.#job(job, { run, happening, workflow, needs, abort })
      if (job['continue-on-error'] === 'true') forgiven.add(job.id)
    }
    const all = Object.entries(results).map(([id, { result }]) => (forgiven.has(id) ? 'success' : result))
    if (abort.signal.aborted) return 'cancelled'
    return (['failure', 'cancelled', 'success'] as const).find((one) => all.includes(one)) ?? 'skipped'
  }

  async #job(
    job: Job,
    about: {
      run: WorkflowRun
      happening: Happening
      workflow: Workflow
      needs: Record<string, JobResult>
      abort: AbortController
    },
  ): Promise<JobResult> {
    const { happening, workflow, abort } = about
    const release = await this.#enters(job.concurrency, happening, workflow, abort)
    if (release === null) return { result: 'cancelled', outputs: {} }
    const { actions = {}, env = {}, minutes = 10 } = this.#options
    try {
      return await runJob(job, { ...about, github: this.#github, signal: abort.signal, actions, env, minutes })
    } finally {
      release()
    }
  }

  /** null: another took the place in its group while it waited. */
  async #enters(
    concurrency: Concurrency | undefined,
    happening: Happening,
    workflow: Workflow,
    abort: AbortController,
  ): Promise<(() => void) | null> {
    if (concurrency === undefined) return () => {}
    const contexts = { github: githubOf(happening, workflow.name), inputs: happening.inputs, vars: {} }
    const group = `${happening.repo.id} ${filledIn(concurrency.group, contexts)}`.toLowerCase()
    const cancels = filledIn(concurrency['cancel-in-progress'], contexts) === 'true'
    return await this.#groups.enter(group, cancels, () => abort.abort())
  }
}
