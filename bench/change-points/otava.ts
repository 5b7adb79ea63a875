import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { DivisiveOptions } from '../../src/judge/statistics/change-points/e-divisive.ts'

export interface OtavaJob extends DivisiveOptions {
  readonly series: readonly (readonly number[])[]
}

export interface OtavaResult {
  /** The positions found in each series. */
  readonly points: readonly (readonly number[])[]
  /** For all of them, the start of Python not counted. */
  readonly seconds: number
}

export interface OtavaAnswer {
  readonly version: string
  /** Of each job. */
  readonly results: readonly OtavaResult[]
}

const SCRIPT = fileURLToPath(new URL('../otava/analyze.py', import.meta.url))

/**
 * Apache Otava's change points of the same series. `PYTHON` names an interpreter that has `bench/otava/requirements.txt`;
 * without it `python3`. Rejects where Otava can't be run.
 */
export async function otava(jobs: readonly OtavaJob[]): Promise<OtavaAnswer> {
  const child = spawn(process.env['PYTHON'] ?? 'python3', [SCRIPT], { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', ({ message }) => reject(new Error(`${message}; PYTHON names a Python interpreter with Otava`)))
    child.on('close', resolve)
  })
  child.stdin.on('error', () => undefined) // it says why on stderr
  child.stdin.end(JSON.stringify(jobs))
  const [code, output, complaint] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  if (code !== 0) {
    const why = complaint.trim().split('\n').at(-1) ?? ''
    throw new Error(
      `Otava did not run: ${why}; pip install -r bench/otava/requirements.txt, PYTHON names the interpreter`,
    )
  }
  return JSON.parse(output) as OtavaAnswer
}
