/** The machine of one job: its folders, its variables, its log, and the programs that run on it. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CheckRun, JobRecord } from '../github/state.ts'
import { annotationLine, pairsOf, saidBy } from './commands.ts'
import { run } from './process.ts'

/** Of the process that the runner is in: a job has its own. */
const notInherited = /^(GITHUB_|INPUT_|RUNNER_|ACTIONS_|NODE_(?!EXTRA_CA)|VITEST|npm_|GIT_(?!SSL)|CI$|HOME$|TEST$)/
/** GitHub takes no larger summary of a step. */
const maxSummaryBytes = 1024 * 1024

export type Outcome = 'success' | 'failure' | 'cancelled' | 'skipped'

export interface Result {
  readonly outcome: Outcome
  readonly outputs: Readonly<Record<string, string>>
}

export class Machine {
  readonly workspace: string
  readonly temp: string
  readonly env: Record<string, string>
  /** Variables that steps have set for those after them. */
  readonly added: Record<string, string> = {}
  readonly signal: AbortSignal
  readonly #root: string
  readonly #check: CheckRun
  readonly #record: JobRecord
  readonly #deadline: number
  readonly #paths: string[] = []
  readonly #secrets: string[] = []
  #files = 0
  /** The word that ends a `::stop-commands::`. */
  #stopped: string | null = null
  isTimedOut = false

  private constructor(root: string, name: string, check: CheckRun, setting: MachineSetting) {
    this.#root = root
    this.#check = check
    this.#record = check.job!
    this.#deadline = performance.now() + setting.minutes * 60_000
    this.signal = setting.signal
    this.workspace = join(root, 'work', name, name)
    this.temp = join(root, 'work/_temp')
    const kept = Object.entries(process.env).filter(([variable]) => !notInherited.test(variable))
    this.env = { ...(Object.fromEntries(kept) as Record<string, string>), HOME: join(root, 'home'), ...setting.env }
  }

  static async start(name: string, check: CheckRun, setting: MachineSetting): Promise<Machine> {
    const machine = new Machine(await mkdtemp(join(tmpdir(), 'local-runner-')), name, check, setting)
    for (const folder of [machine.workspace, machine.temp, join(machine.#root, 'home')])
      await mkdir(folder, { recursive: true })
    return machine
  }

  async stop(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true })
  }

  /** It shows as `***` in the log. */
  hide(secret: string): void {
    if (secret !== '') this.#secrets.push(secret)
  }

  /** Takes a line that a program prints: one of the log, or a command to the runner. */
  hear(line: string): void {
    if (this.#stopped !== null) {
      if (line.trim() === `::${this.#stopped}::`) this.#stopped = null
      else this.log(line)
      return
    }
    const said = saidBy(line)
    if (said?.kind === 'stop') this.#stopped = said.word
    else if (said?.kind === 'mask') this.hide(said.secret)
    else if (said?.kind === 'annotation') this.#check.annotations.push(said.annotation)
    this.log(said?.kind === 'annotation' ? annotationLine(said.annotation) : line)
  }

  log(line: string): void {
    this.#record.log += `${this.#secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line)}\n`
  }

  /** A file that no step has written. */
  async file(name: string, text: string): Promise<string> {
    this.#files += 1
    const path = join(this.temp, `${this.#files}-${name}`)
    await writeFile(path, text)
    return path
  }

  /**
   * Runs a program as a step: with the files that it says things in, which are read at its end.
   * @param minutes what the step may take; the job's own end comes first
   */
  async step(
    program: string,
    args: readonly string[],
    { env, folder, minutes }: { env: Readonly<Record<string, string>>; folder: string; minutes: number },
  ): Promise<Result> {
    const names = ['GITHUB_OUTPUT', 'GITHUB_ENV', 'GITHUB_PATH', 'GITHUB_STEP_SUMMARY'] as const
    const files: Record<string, string> = {}
    for (const name of names) files[name] = await this.file(name, '')
    const path = [...this.#paths.toReversed(), env['PATH'] ?? this.env['PATH']].join(':')
    const all = { ...this.env, ...env, ...files, PATH: path }
    let outcome = await this.run(program, args, { env: all, folder, minutes })
    const said = async (name: (typeof names)[number]) => await readFile(files[name]!, 'utf8').catch(() => '')
    let outputs: Record<string, string> = {}
    try {
      outputs = pairsOf(await said('GITHUB_OUTPUT'))
      Object.assign(this.added, pairsOf(await said('GITHUB_ENV')))
    } catch (error) {
      this.log(`##[error]${String(error)}`)
      outcome = 'failure'
    }
    this.#paths.push(...(await said('GITHUB_PATH')).split('\n').filter((line) => line !== ''))
    this.#summarize(await said('GITHUB_STEP_SUMMARY'))
    return { outcome, outputs }
  }

  async run(
    program: string,
    args: readonly string[],
    {
      env = this.env,
      folder = this.workspace,
      minutes = Number.POSITIVE_INFINITY,
    }: { env?: Readonly<Record<string, string>>; folder?: string; minutes?: number } = {},
  ): Promise<Outcome> {
    this.#stopped = null
    const left = this.#deadline - performance.now()
    const { signal } = this
    const milliseconds = Math.max(0, Math.min(left, minutes * 60_000))
    const ended = await run({ program, args, folder, env, milliseconds, signal, onLine: (line) => this.hear(line) })
    if (ended !== 'timed-out') return ended
    this.isTimedOut = performance.now() >= this.#deadline
    this.log('##[error]The time is up.')
    return this.isTimedOut ? 'cancelled' : 'failure'
  }

  #summarize(text: string): void {
    if (Buffer.byteLength(text) > maxSummaryBytes) {
      this.log('##[error]$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k')
      return
    }
    this.#record.summary += text
  }
}

export interface MachineSetting {
  /** Variables beside those of the machine, or in their place. */
  readonly env: Readonly<Record<string, string>>
  readonly minutes: number
  readonly signal: AbortSignal
}
