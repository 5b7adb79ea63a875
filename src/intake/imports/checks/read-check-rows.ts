import { SourceError } from '../../measurement/source.ts'
import type { Warnings } from '../../measurement/warnings.ts'
import { type CiResultsFormat, ReadStopped, type RowsFile } from '../format.ts'
import { closeBytes, plainBytes } from '../plain-bytes.ts'
import type { CheckRow } from './check-row.ts'
import { ciResultsFormatsNamed, formatOf } from './formats.ts'
import type { GivenValues } from './given-values.ts'
import type { JobTime } from './job-time.ts'
import { encodingOf } from './xml-text.ts'

export interface CiResultsInput {
  /** How messages name it. */
  readonly where: string
  readonly bytes: AsyncIterable<Uint8Array>
  /** When the file was last changed, in milliseconds; null: it is no file. */
  readonly modified: number | null
}

export interface CiResultsOptions {
  /** `auto` or the name of a format. */
  readonly format: string
  readonly given: GivenValues
  /** The time of the job, for all files of one import. */
  readonly time: JobTime
  readonly warnings: Pick<Warnings, 'add'>
}

/**
 * Opens CI results of any format, compressed or not, and tells the format by the first bytes. Throws `SourceError` (one
 * line for a person) when it is none of them, or lacks what nobody has given; so does reading where no row can be made.
 */
export async function openCiResults(input: CiResultsInput, options: CiResultsOptions): Promise<RowsFile<CheckRow>> {
  const { where, modified } = input
  const { given, time, warnings } = options
  const formats = ciResultsFormatsNamed(options.format)
  const { head, bytes } = await plainBytes(where, input.bytes)
  const text = new TextDecoder(encodingOf(head)).decode(head)
  let format: CiResultsFormat
  try {
    format = formatOf(text, formats, where)
    const problem = format.problem(text, given)
    if (problem !== null) throw new SourceError('usage', `${where}: ${problem}`)
  } catch (error) {
    await closeBytes(bytes)
    throw error
  }
  let stopped = false
  const warn: Parameters<CiResultsFormat['read']>[1]['warn'] = (code, line, message) =>
    warnings.add(code, where, line, message)
  const context = {
    where,
    given,
    time: () => time.of({ modified, where, warn: (message) => warn('invalid-value', null, message) }),
    stateTime: (stated: string) => time.state(stated),
    warn,
  }
  return {
    format: format.name,
    stopped: () => stopped,
    close: async () => await closeBytes(bytes),
    async *rows() {
      try {
        for await (const rows of format.read(bytes, context)) yield* rows
      } catch (error) {
        if (!(error instanceof ReadStopped)) throw error
        stopped = true
        warn(error.code, error.line, error.message)
      }
    },
  }
}
