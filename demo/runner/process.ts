import { spawn } from 'node:child_process'

export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly milliseconds: number
  readonly signal: AbortSignal
  /** Each line of both outputs, as it comes. */
  readonly onLine: (line: string) => void
}

/** Runs a program with all that it starts, until it ends, its time is up or the run is cancelled. */
export async function run(command: Command): Promise<'success' | 'failure' | 'timed-out' | 'cancelled'> {
  const { signal } = command
  const child = spawn(command.program, [...command.args], {
    cwd: command.folder,
    env: command.env,
    // A group of its own: what it leaves in the background ends with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let ended: 'timed-out' | 'cancelled' | null = null
  const end = (why: 'timed-out' | 'cancelled') => {
    ended = why
    killGroup(child.pid)
  }
  const timer = setTimeout(() => end('timed-out'), command.milliseconds)
  const cancel = () => end('cancelled')
  signal.addEventListener('abort', cancel)
  const outputs = [child.stdout, child.stderr].map((stream) => eachLine(stream, command.onLine))
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      command.onLine(`##[error]${error.message}`)
      resolve(127)
    })
    child.on('exit', (status) => resolve(status))
  })
  killGroup(child.pid)
  await Promise.all(outputs)
  clearTimeout(timer)
  signal.removeEventListener('abort', cancel)
  if (ended === null && code !== 0) command.onLine(`##[error]Process completed with exit code ${code}.`)
  return ended ?? (code === 0 ? 'success' : 'failure')
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

async function eachLine(stream: AsyncIterable<Buffer>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(onLine)
  }
  if (rest !== '') onLine(rest)
}
