import type { CommandIO, Output } from './command.ts'

/** A command that says nothing for so long is thought to hang. */
const SILENCE_MS = 2000
const EVERY_MS = 500

export interface WatchedIO {
  readonly io: CommandIO
  /** Whether stdout has been written to. */
  readonly isWritten: () => boolean
  /** From now on a terminal is told that the command of this name still works, where it says nothing itself. */
  readonly saysWorking: (name: string) => void
  readonly end: () => void
}

/** The streams of a command: whoever writes next wipes the line that says that it works. */
export function watched(outside: CommandIO): WatchedIO {
  const { stderr } = outside
  const start = performance.now()
  let lastWrite = start
  let isShown = false
  let isWritten = false
  let timer: NodeJS.Timeout | undefined
  const wipe = () => {
    if (isShown) stderr.write('\r\x1b[K')
    isShown = false
    lastWrite = performance.now()
  }
  const through = (output: Output, note: () => void): Output => ({
    write: (text) => {
      wipe()
      note()
      return output.write(text)
    },
    get isTTY() {
      return output.isTTY
    },
    get columns() {
      return output.columns
    },
  })
  return {
    io: {
      ...outside,
      stdout: through(outside.stdout, () => {
        isWritten = true
      }),
      stderr: through(stderr, () => undefined),
    },
    isWritten: () => isWritten,
    saysWorking: (name) => {
      if (stderr.isTTY !== true) return
      timer = setInterval(() => {
        const now = performance.now()
        if (now - lastWrite < SILENCE_MS) return
        isShown = true
        stderr.write(`\r\x1b[K${name}: working for ${Math.round((now - start) / 1000)} s`)
      }, EVERY_MS)
    },
    end: () => {
      clearInterval(timer)
      wipe()
    },
  }
}
