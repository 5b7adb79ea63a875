import { Buffer } from 'node:buffer'
import { main } from '../../../src/cli.ts'

export interface Captured {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface LedgerOptions {
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Columns of a terminal; absent: the output is a pipe. */
  readonly columns?: number
}

/** Runs `perf-triage ledger …` in this process and gives what it wrote. */
export async function ledger(argv: readonly string[], { env, stdin, columns }: LedgerOptions): Promise<Captured> {
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text
    },
    isTTY: columns !== undefined,
    columns,
  })
  const io = { stdout: output('stdout'), stderr: output('stderr'), env }
  const code = await main(['ledger', ...argv], stdin === undefined ? io : { ...io, stdin: bytesOf(stdin) })
  return { code, ...written }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** One row as a CI database gives it; a failing row of the trunk unless the changes say otherwise. */
export function line(changes: Readonly<Record<string, unknown>>): string {
  const row = {
    pull_request_number: 0,
    commit_sha: 'trunk',
    check_name: 'Stateless (asan)',
    check_status: 'failure',
    check_start_time: '2026-11-20 12:00:00',
    test_name: 'chronic',
    test_status: 'FAIL',
    base_ref: '',
    base_repo: 'o/r',
    head_ref: 'master',
    head_repo: 'o/r',
    test_context_raw: '',
    ...changes,
  }
  return `${JSON.stringify(row)}\n`
}
