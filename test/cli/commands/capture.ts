import type { CommandIO } from '../../../src/cli/commands/command.ts'
import { main } from '../../../src/cli.ts'

export interface Captured {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CaptureOptions {
  /** Columns of a terminal; absent: the output is a pipe. */
  readonly columns?: number
  readonly env?: CommandIO['env']
}

/** Runs the command line in this process and gives what it wrote. */
export async function perfTriage(argv: readonly string[], { columns, env }: CaptureOptions = {}): Promise<Captured> {
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text
    },
    isTTY: columns !== undefined,
    columns,
  })
  const code = await main(argv, { stdout: output('stdout'), stderr: output('stderr'), env: env ?? {} })
  return { code, ...written }
}
