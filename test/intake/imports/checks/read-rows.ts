import { createReadStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CheckRow } from '../../../../src/intake/imports/checks/check-row.ts'
import { type GivenValues, NOTHING_GIVEN } from '../../../../src/intake/imports/checks/given-values.ts'
import { JobTime } from '../../../../src/intake/imports/checks/job-time.ts'
import { openCiResults } from '../../../../src/intake/imports/checks/read-check-rows.ts'
import { Warnings } from '../../../../src/intake/measurement/warnings.ts'

export const DATA = fileURLToPath(new URL('../../../data', import.meta.url))

export const SHA = '1f2e3d4c5b6a79880f1e2d3c4b5a69788f0e1d2c'

export interface Reading {
  readonly format: string
  readonly rows: readonly CheckRow[]
  /** `where: message` each. */
  readonly warnings: readonly string[]
  readonly stopped: boolean
}

export interface ReadSettings {
  readonly given?: Partial<GivenValues>
  /** Milliseconds. */
  readonly time?: number | null
  readonly modified?: number | null
  readonly format?: string
  /** Bytes of a chunk of a text. */
  readonly chunk?: number
}

/** Reads a text or bytes as a file called `in`, by default as results of the check `unit` at `SHA`. */
export async function readRows(input: string | Uint8Array, settings: ReadSettings = {}): Promise<Reading> {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input
  return await readFrom('in', chunks(bytes, settings.chunk ?? 65_536), settings)
}

export async function readFileRows(path: string, settings: ReadSettings = {}): Promise<Reading> {
  return await readFrom(path.slice(path.lastIndexOf('/') + 1), createReadStream(path), settings)
}

export async function readFrom(
  where: string,
  bytes: AsyncIterable<Uint8Array>,
  { given, time = Date.UTC(2026, 9, 20), modified = null, format = 'auto' }: ReadSettings,
): Promise<Reading> {
  const warnings = new Warnings(100)
  const file = await openCiResults(
    { where, bytes, modified },
    {
      format,
      given: { ...NOTHING_GIVEN, checkName: 'unit', commitSha: SHA, ...given },
      time: new JobTime(time),
      warnings,
    },
  )
  const rows: CheckRow[] = []
  for await (const row of file.rows()) rows.push(row)
  const told = warnings.list().map((warning) => `${warning.where}: ${warning.message}`)
  return { format: file.format, rows, warnings: told, stopped: file.stopped() }
}

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

/** Rows by their status. */
export function statusCounts(rows: readonly CheckRow[]): Record<string, number> {
  const counts = { OK: 0, FAIL: 0, ERROR: 0, SKIPPED: 0 }
  for (const { testStatus } of rows) counts[testStatus as keyof typeof counts] += 1
  return counts
}
