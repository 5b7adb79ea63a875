/** One job of a workflow run: its steps one after the other, as GitHub's runner does them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import type { LocalGitHub } from '../github/local-github.ts'
import { fullName, type StepRecord, type WorkflowRun } from '../github/state.ts'
import { download, upload } from './artifacts.ts'
import { checkout } from './checkout.ts'
import { allFilledIn, type Contexts, filledIn, holds, type StatusOfJob } from './expressions.ts'
import { Machine, type Outcome, type Result } from './machine.ts'
import { githubOf, type Happening } from './occasions.ts'
import { permissionsOf } from './permissions.ts'
import type { Job, Step, Workflow } from './workflow.ts'

export interface JobSetting {
  readonly github: LocalGitHub
  readonly happening: Happening
  readonly workflow: Workflow
  readonly run: WorkflowRun
  readonly needs: Readonly<Record<string, JobResult>>
  readonly signal: AbortSignal
  /** Folders with an `action.yml` by `owner/name@ref`. */
  readonly actions: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string>>
  readonly minutes: number
}

export interface JobResult {
  readonly result: Outcome
  readonly outputs: Readonly<Record<string, string>>
}

/** Jobs use the programs on the PATH of this machine: nothing is set up, and nothing is cached. */
const doesNothing = /^actions\/(setup-[a-z]+|cache(\/restore|\/save)?)$/
const nothing: Result = { outcome: 'success', outputs: {} }

const actionSchema = z.object({
  inputs: z.record(z.string(), z.object({ default: z.coerce.string().optional() }).nullable()).default({}),
  runs: z.object({ using: z.enum(['node20', 'node24']), main: z.string() }),
})

export async function runJob(job: Job, setting: JobSetting): Promise<JobResult> {
  const { github, happening, run, workflow, needs } = setting
  const isFork = happening.pull !== null && happening.pull.head.repo !== happening.repo
  const token = github.jobToken(happening.repo, permissionsOf(job.permissions, workflow.permissions, isFork))
  const contexts = contextsOf(job, setting, token)
  const name = filledIn(job.name ?? job.id, contexts)
  const check = github.startCheckRun(happening.repo, { name, headSha: run.headSha, workflowRun: run })
  check.job = { log: '', summary: '', steps: [] }
  if (!holds(job.if, contexts, statusOfNeeds(needs))) {
    github.endJobToken(token)
    github.finishCheckRun(check, 'skipped')
    return { result: 'skipped', outputs: {} }
  }
  const minutes = Number(filledIn(job['timeout-minutes'] ?? String(setting.minutes), contexts))
  const { signal, env } = setting
  const machine = await Machine.start(happening.repo.name, check, {
    signal,
    env,
    minutes: Math.min(minutes, setting.minutes),
  })
  machine.hide(token)
  try {
    const steps = new Steps(job, setting, machine, contexts, check.job.steps)
    const result = await steps.run()
    github.finishCheckRun(check, result.result)
    return result
  } finally {
    github.endJobToken(token)
    await machine.stop()
  }
}

function statusOfNeeds(needs: JobSetting['needs']): StatusOfJob {
  const results = Object.values(needs).map(({ result }) => result)
  return (['failure', 'cancelled', 'skipped'] as const).find((one) => results.includes(one)) ?? 'success'
}

function contextsOf(job: Job, { github, happening, workflow, run, needs }: JobSetting, token: string): Contexts {
  const { repo, ref } = happening
  return {
    github: {
      ...githubOf(happening, workflow.name),
      token,
      job: job.id,
      ref_type: ref.startsWith('refs/tags/') ? 'tag' : 'branch',
      repository: fullName(repo),
      repository_id: String(repo.id),
      repository_owner: repo.owner.login,
      run_id: String(run.id),
      run_number: String(run.number),
      run_attempt: String(run.attempt),
      triggering_actor: happening.actor,
      workflow_ref: `${fullName(repo)}/${workflow.path}@${ref}`,
      workflow_sha: happening.sha,
      server_url: github.url,
      api_url: github.state.apiUrl,
    },
    needs,
    inputs: happening.inputs,
    secrets: { GITHUB_TOKEN: token },
    vars: {},
    runner: { os: 'Linux', arch: 'X64', name: 'GitHub Actions 1', environment: 'github-hosted' },
  }
}

class Steps {
  readonly #job: Job
  readonly #setting: JobSetting
  readonly #machine: Machine
  readonly #given: Contexts
  readonly #records: StepRecord[]
  readonly #steps: Record<string, { outputs: Result['outputs']; outcome: Outcome; conclusion: Outcome }> = {}
  #status: StatusOfJob = 'success'

  constructor(job: Job, setting: JobSetting, machine: Machine, contexts: Contexts, records: StepRecord[]) {
    this.#job = job
    this.#setting = setting
    this.#machine = machine
    this.#given = contexts
    this.#records = records
  }

  async run(): Promise<JobResult> {
    const machine = this.#machine
    // Each text of the context is a variable too, but for the token.
    for (const [name, value] of Object.entries(this.#given['github'] as object))
      if (typeof value === 'string' && name !== 'token') machine.env[`GITHUB_${name.toUpperCase()}`] = value
    Object.assign(machine.env, {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKSPACE: machine.workspace,
      GITHUB_EVENT_PATH: await machine.file('event.json', JSON.stringify(this.#setting.happening.body, null, 2)),
      RUNNER_OS: 'Linux',
      RUNNER_ARCH: 'X64',
      RUNNER_NAME: 'GitHub Actions 1',
      RUNNER_ENVIRONMENT: 'github-hosted',
      RUNNER_TEMP: machine.temp,
      RUNNER_TOOL_CACHE: join(machine.temp, 'tools'),
    })
    for (const step of this.#job.steps) await this.#step(step)
    const outputs = allFilledIn(this.#job.outputs, this.#contexts({}))
    return { result: this.#status, outputs }
  }

  /** Variables of the workflow and the job, over them what steps have set, over them those of the step. */
  #envOf(step: Step | null): Record<string, string> {
    const env: Record<string, string> = {}
    const { workflow } = this.#setting
    Object.assign(env, allFilledIn(workflow.env, this.#contexts(env)))
    Object.assign(env, allFilledIn(this.#job.env, this.#contexts(env)), this.#machine.added)
    return Object.assign(env, allFilledIn(step?.env ?? {}, this.#contexts(env)))
  }

  #contexts(env: Readonly<Record<string, string>>): Contexts {
    const { workspace, temp } = this.#machine
    return {
      ...this.#given,
      env,
      steps: this.#steps,
      job: { status: this.#status },
      github: { ...(this.#given['github'] as object), workspace },
      runner: { ...(this.#given['runner'] as object), temp },
    }
  }

  async #step(step: Step): Promise<void> {
    const { signal } = this.#machine
    if (signal.aborted || this.#machine.isTimedOut) this.#status = 'cancelled'
    const now = () => this.#setting.github.state.now()
    const record: StepRecord = { name: nameOf(step), conclusion: null, startedAt: now(), completedAt: null }
    this.#records.push(record)
    let result: Result
    try {
      const env = this.#envOf(step)
      const runs = holds(step.if, this.#contexts(env), this.#status)
      if (runs) this.#machine.log(`##[group]${record.name}`)
      result = runs ? await this.#does(step, env) : { outcome: 'skipped', outputs: {} }
      if (runs) this.#machine.log('##[endgroup]')
    } catch (error) {
      this.#machine.log(`##[error]${error instanceof Error ? error.message : String(error)}`)
      result = { outcome: 'failure', outputs: {} }
    }
    const isForgiven =
      result.outcome === 'failure' && filledIn(step['continue-on-error'], this.#contexts({})) === 'true'
    const conclusion = isForgiven ? 'success' : result.outcome
    if (conclusion === 'cancelled' || (conclusion === 'failure' && this.#status === 'success'))
      this.#status = conclusion
    if (step.id !== undefined) this.#steps[step.id] = { ...result, conclusion }
    record.conclusion = conclusion
    record.completedAt = now()
  }

  async #does(step: Step, env: Record<string, string>): Promise<Result> {
    const contexts = this.#contexts(env)
    const minutes = Number(filledIn(step['timeout-minutes'] ?? 'Infinity', contexts))
    if (step.uses !== undefined) {
      return await this.#uses(step.uses, allFilledIn(step.with, contexts), env, minutes)
    }
    const defaults = { ...this.#setting.workflow.defaults?.run, ...this.#job.defaults?.run }
    const script = filledIn(step.run ?? '', contexts)
    for (const line of script.trimEnd().split('\n')) this.#machine.log(line)
    const [program = '', ...args] = shellOf(step.shell ?? defaults.shell)
    const file = await this.#machine.file('script', script)
    const inside = filledIn(step['working-directory'] ?? defaults['working-directory'] ?? '.', contexts)
    const folder = join(this.#machine.workspace, inside)
    return await this.#machine.step(program, [...args, file], { env, folder, minutes })
  }

  async #uses(
    uses: string,
    inputs: Readonly<Record<string, string>>,
    env: Readonly<Record<string, string>>,
    minutes: number,
  ): Promise<Result> {
    const { github, run, happening, actions } = this.#setting
    const machine = this.#machine
    const token = (this.#given['secrets'] as Record<string, string>)['GITHUB_TOKEN']!
    const folder = uses.startsWith('./') ? join(machine.workspace, uses) : actions[uses]
    if (folder !== undefined) return await this.#action(folder, inputs, env, minutes)
    const name = uses.split('@')[0]!
    const at = { server: github.url, repository: fullName(happening.repo), ref: happening.ref, sha: happening.sha }
    if (doesNothing.test(name)) return nothing
    if (name === 'actions/checkout') return { ...nothing, outcome: await checkout(machine, { token, ...inputs }, at) }
    if (name === 'actions/upload-artifact') return { ...nothing, outcome: await upload(machine, inputs, github, run) }
    if (name === 'actions/download-artifact') {
      const given = { repository: at.repository, 'github-token': token, ...inputs }
      return { ...nothing, outcome: await download(machine, given, github, run) }
    }
    throw new Error(`Unable to resolve action ${uses}: the local runner has none of that name`)
  }

  /** An action in JavaScript: its inputs are variables, those that are not given have its defaults. */
  async #action(
    folder: string,
    inputs: Readonly<Record<string, string>>,
    env: Readonly<Record<string, string>>,
    minutes: number,
  ): Promise<Result> {
    const action = actionSchema.parse(parse(await readFile(join(folder, 'action.yml'), 'utf8')))
    const defaults = Object.entries(action.inputs).map(([name, input]) => [name, input?.default ?? ''] as const)
    const given = { ...allFilledIn(Object.fromEntries(defaults), this.#contexts(env)), ...inputs }
    const variables = Object.entries(given).map(([name, value]) => [
      `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
      value,
    ])
    return await this.#machine.step(process.execPath, [join(folder, action.runs.main)], {
      env: { ...env, ...(Object.fromEntries(variables) as Record<string, string>), GITHUB_ACTION_PATH: folder },
      folder: this.#machine.workspace,
      minutes,
    })
  }
}

function nameOf({ name, uses, run }: Step): string {
  return name ?? `Run ${uses ?? run?.trim().split('\n')[0] ?? ''}`
}

/** Without a word bash ends at the first command that fails; asked for by name also at one inside a pipe. */
function shellOf(shell: string | undefined): string[] {
  if (shell === undefined) return ['bash', '-e']
  if (shell === 'bash') return ['bash', '--noprofile', '--norc', '-eo', 'pipefail']
  if (shell === 'sh') return ['sh', '-e']
  if (shell === 'python') return ['python3']
  throw new Error(`The local runner has no shell ${shell}`)
}
