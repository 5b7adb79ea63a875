import { spawn } from 'node:child_process'
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { withoutColours } from '../../intake/measurement/formats/output-lines.ts'

/** Commands of the user: run by a shell, as a group of processes of their own, which is killed as a whole. */

export interface CommandLimits {
  /** Milliseconds. */
  readonly limit: number
  /** Kills the command. */
  readonly signal: AbortSignal
}

export interface CommandRun extends CommandLimits {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** A file for what it prints on stdout; null: its last lines are enough. */
  readonly output: string | null
}

export interface CommandResult {
  readonly milliseconds: number
  /** Why it is no success, for a person: `exit code 2`, `killed after 60 s`; null: it is one. */
  readonly problem: string | null
  /** The last lines that it printed. */
  readonly lastLines: readonly string[]
  /** As many of its lines as were kept. */
  readonly printed: readonly string[]
}

const KEPT_CHARACTERS = 16_384
const LAST_LINES = 12
/** A process that was asked to end has so long. */
const GRACE_MS = 2000
/** Output of a process that has ended is read for so long. */
const CLOSE_MS = 200

/** Never throws for what the command does. */
export async function runCommand(command: string, options: CommandRun): Promise<CommandResult> {
  const file = options.output === null ? null : await open(options.output, 'w')
  try {
    return await spawned(command, options, file)
  } finally {
    await file?.close()
  }
}

async function spawned(
  command: string,
  { folder, env, limit, signal }: CommandRun,
  file: FileHandle | null,
): Promise<CommandResult> {
  const started = performance.now()
  const child = spawn(command, {
    shell: true,
    cwd: folder,
    env: { ...env },
    detached: process.platform !== 'win32',
    stdio: ['ignore', file === null ? 'pipe' : file.fd, 'pipe'],
  })
  let printed = ''
  const keep = (text: string) => {
    printed = `${printed}${text}`.slice(-KEPT_CHARACTERS)
  }
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', keep)
  let why: string | null = null
  let hardKill: NodeJS.Timeout | undefined
  const end = (reason: string) => {
    why ??= reason
    kill(child.pid, 'SIGTERM')
    hardKill ??= setTimeout(() => kill(child.pid, 'SIGKILL'), GRACE_MS)
  }
  const isInterrupted = () => end('interrupted')
  const timer = setTimeout(() => end(`killed after ${Math.round(limit / 1000)} s`), limit)
  signal.addEventListener('abort', isInterrupted)
  if (signal.aborted) isInterrupted()
  const closed = new Promise((resolve) => child.once('close', resolve))
  try {
    const problem = await new Promise<string | null>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', (code, killedBy) => {
        resolve(code === 0 ? null : code === null ? `killed by ${killedBy}` : `exit code ${code}`)
      })
    })
    const milliseconds = performance.now() - started
    // what it left behind would run beside the next one
    kill(child.pid, 'SIGKILL')
    // what has left the group would hold this process by the output that it inherited
    await Promise.race([closed, delay(CLOSE_MS)])
    for (const stream of [child.stdout, child.stderr]) stream?.destroy()
    const lines = withoutColours(printed)
      .split('\n')
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
    return {
      milliseconds,
      problem: why ?? problem,
      lastLines: lines.slice(-LAST_LINES),
      printed: lines,
    }
  } finally {
    clearTimeout(timer)
    clearTimeout(hardKill)
    signal.removeEventListener('abort', isInterrupted)
  }
}

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // it has ended
  }
}
