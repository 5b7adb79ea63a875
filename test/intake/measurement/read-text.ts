import { Budget } from '../../../src/intake/measurement/budget.ts'
import { formatsNamed } from '../../../src/intake/measurement/formats/formats.ts'
import { Interest } from '../../../src/intake/measurement/interest.ts'
import type { Limits } from '../../../src/intake/measurement/limits.ts'
import { readMembers } from '../../../src/intake/measurement/read-members.ts'
import type { Measurement, RunContents, Side } from '../../../src/intake/measurement/run.ts'
import type { SourceItem } from '../../../src/intake/measurement/source.ts'

export interface TextOptions {
  readonly limits?: Partial<Limits>
  readonly side?: Side
  readonly direct?: boolean
  readonly format?: string
  readonly primaryMetric?: string
  readonly metrics?: ReadonlySet<string>
  readonly byMetric?: boolean
}

/** Reads files given as text (or bytes), in the order of the object's keys, without a file system. */
export async function readTexts(
  files: Readonly<Record<string, string | Uint8Array>>,
  { limits, side, direct, format, ...wanted }: TextOptions = {},
): Promise<RunContents> {
  const items = async function* (): AsyncGenerator<SourceItem> {
    for (const [name, text] of Object.entries(files)) {
      const content = typeof text === 'string' ? Buffer.from(text) : text
      const bytes = (async function* () {
        yield content
      })()
      yield { name, where: name, direct: direct ?? false, side: side ?? null, bytes }
    }
  }
  const interest = new Interest(formatsNamed(format ?? 'auto'), null)
  return await readMembers('test', items(), interest, new Budget({ limits }), wanted)
}

/** A line of TSV. */
export function row(...fields: readonly (string | number)[]): string {
  return `${fields.join('\t')}\n`
}

/** `test #1 client_time: 2 + 2` for each measurement. */
export function summaries(measurements: readonly Measurement[]): string[] {
  return measurements.map((m) => `${m.test} #${m.queryIndex} ${m.metric}: ${m.old.length} + ${m.new.length}`)
}

export function codes(contents: RunContents): string[] {
  return contents.warnings.map(({ code, where }) => `${code} ${where}`)
}
