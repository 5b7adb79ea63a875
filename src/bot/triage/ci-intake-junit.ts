import { zipEntries } from '../../intake/archive/zip.ts'
import type { CheckRow } from '../../intake/imports/checks/check-row.ts'
import { NOTHING_GIVEN } from '../../intake/imports/checks/given-values.ts'
import { junit } from '../../intake/imports/checks/junit.ts'
import { encodingOf } from '../../intake/imports/checks/xml-text.ts'
import { HEAD_BYTES } from '../../intake/imports/format.ts'
import { Budget } from '../../intake/measurement/budget.ts'
import { LimitReached, type Limits } from '../../intake/measurement/limits.ts'
import { peek } from '../../intake/measurement/peek.ts'
import type { JobOfRow } from './check-rows.ts'

/** A job's JUnit files have some thousand tests in some megabytes; this leaves ten times that and more. */
const LIMITS: Partial<Limits> = {
  entries: 20_000,
  totalBytes: 256 * 1024 ** 2,
  ratioFrom: 16 * 1024 ** 2,
  zipDirectoryBytes: 8 * 1024 ** 2,
}

/** Tests of one artifact. */
const MOST_ROWS = 200_000

export interface ArtifactReading {
  rows: number
  /** XML members that are JUnit. */
  members: number
  /** Problems for which a file could not be read, one line each, at most `MOST_MESSAGES`, like the next. */
  readonly unread: string[]
  /** Problems of files that were read all the same. */
  readonly warnings: string[]
}

export function nothingRead(): ArtifactReading {
  return { rows: 0, members: 0, unread: [], warnings: [] }
}

const MOST_MESSAGES = 20

/**
 * The tests of all JUnit members (`*.xml`) of a downloaded artifact as rows of a job, some at a time. XML of another kind
 * is passed over. What can't be read is said in `reading`; what could be read before it stands.
 */
export async function* rowsOfArtifact(
  file: string,
  job: JobOfRow,
  reading: ArtifactReading,
): AsyncGenerator<readonly CheckRow[]> {
  const budget = new Budget({ limits: LIMITS })
  const tell = (message: string) => add(reading.unread, message)
  try {
    for await (const { name, refused, bytes } of zipEntries(file, budget, isXml)) {
      if (refused !== null) {
        tell(`${name}: ${refused}`)
        continue
      }
      budget.member()
      for await (const rows of rowsOfMember(name, bytes, job, reading)) {
        reading.rows += rows.length
        yield rows
        if (reading.rows >= MOST_ROWS) {
          tell(`more than ${MOST_ROWS.toLocaleString('en')} tests: the rest is skipped`)
          return
        }
      }
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    tell(error.message)
  }
}

/** Finder leaves `._name.xml` beside each file, which is none. */
function isXml(name: string): boolean {
  return /\.xml$/i.test(name) && !/(?:^|\/)\._[^/]*$/.test(name)
}

async function* rowsOfMember(
  name: string,
  bytes: AsyncIterable<Uint8Array>,
  job: JobOfRow,
  reading: ArtifactReading,
): AsyncGenerator<readonly CheckRow[]> {
  // Ended here in every case: a stream that stays open keeps the file open.
  const iterator = bytes[Symbol.asyncIterator]()
  try {
    const { head, bytes: whole } = await peek({ [Symbol.asyncIterator]: () => iterator }, HEAD_BYTES)
    const given = { ...NOTHING_GIVEN, checkName: job.checkName, commitSha: job.commitSha }
    const text = new TextDecoder(encodingOf(head)).decode(head)
    // Coverage, lint, a Maven project: XML of another kind.
    if (!junit.matches(text) || junit.problem(text, given) !== null) return
    reading.members += 1
    const context = {
      where: name,
      given,
      // A suite states when it began; all of a job's tests have the time of the job, by which they are told.
      time: () => job.checkStartTime,
      stateTime: () => undefined,
      warn: (_code: unknown, _line: unknown, message: string) => add(reading.warnings, `${name}: ${message}`),
    }
    for await (const rows of junit.read(whole, context)) yield rows.map((row) => ({ ...row, ...job }))
  } catch (error) {
    if (!(error instanceof Error) || (error instanceof LimitReached && error.stopsSource)) throw error
    add(reading.unread, `${name}: ${error.message}`)
  } finally {
    await iterator.return?.()
  }
}

function add(messages: string[], message: string): void {
  if (messages.length < MOST_MESSAGES) messages.push(message)
}
