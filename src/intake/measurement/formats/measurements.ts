import { Draft, draftKey } from '../draft.ts'
import { parseSample } from '../fields.ts'
import { type Better, PRIMARY_METRIC, type Side } from '../run.ts'
import { betterOfName, DECIDING_METRICS } from '../units.ts'
import type { Contribution, Format, MemberReader, ReaderContext } from './format.ts'

/**
 * The neutral format for tools that have none of their own: JSON lines, one sample each. `test`, `side` and `value` are
 * required; `queryIndex`, `queryName`, `metric` (client_time), `unit`, `better` (lower), `repetition`, `process`,
 * `place` and `architecture` are not.
 */
export const measurements: Format = {
  name: 'measurements',
  companion: false,
  looksFor: 'measurements.jsonl or other *.jsonl and *.ndjson with "test" and "value" on each line',
  oneSided: true,
  decides: [PRIMARY_METRIC, ...DECIDING_METRICS],
  matchesName(fileName) {
    if (/(?:^|[.-])measurements\.(?:jsonl|ndjson)$/.test(fileName)) return 'yes'
    return /\.(?:jsonl|ndjson)$/.test(fileName) || fileName === 'measurements.json' ? 'maybe' : 'no'
  },
  matchesContent(head) {
    const line = head.split('\n', 50).find((text) => text.trim() !== '')
    // a document of perf-triage itself may be one line
    if (line === undefined || !/^\s*\{(?!\s*"schemaVersion")/.test(line)) return false
    return line.includes('"test"') && line.includes('"value"')
  },
  claim: () => null,
  reader: (context) => new MeasurementsReader(context),
}

/** A line after its types were checked. The check is by hand: it runs for each of a million lines. */
interface Line {
  readonly test: string
  readonly queryIndex: number | null
  readonly queryName: string | null
  readonly metric: string
  readonly unit: string | null
  readonly side: Side
  readonly better: Better
  readonly repetition: number | null
  readonly process: number | null
  readonly place: number | null
  readonly value: number
  readonly architecture: string | null
}

/** The problem of a line, for a person. */
class LineError extends Error {}

class MeasurementsReader implements MemberReader {
  readonly #context: ReaderContext
  readonly #drafts = new Map<string, Draft>()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  line(text: string, number: number, ended: boolean): void {
    if (text.trim() === '') return
    const { warn } = this.#context
    const value = parseJson(text)
    if (value === undefined) {
      // a whole object that lacks only its line end is complete: an object that was cut has no closing brace
      if (ended) warn('malformed-line', number, 'this is not a JSON object: skipped')
      else warn('truncated-line', number, 'the last line was cut off: skipped')
      return
    }
    try {
      this.#add(checkLine(value, this.#context), number)
    } catch (error) {
      if (!(error instanceof LineError)) throw error
      warn(error.message.startsWith('value') ? 'invalid-value' : 'malformed-line', number, `${error.message}: skipped`)
    }
  }

  end(): Contribution {
    return { drafts: [...this.#drafts.values()], testErrors: [], oldCommit: null, newCommit: null }
  }

  #add(line: Line, number: number): void {
    const { budget, warn } = this.#context
    const key = draftKey(line)
    let draft = this.#drafts.get(key)
    if (draft === undefined) {
      budget.measurement()
      const id = {
        test: budget.keep(line.test),
        queryIndex: line.queryIndex,
        queryName: line.queryName === null ? null : budget.keep(line.queryName),
        metric: budget.keep(line.metric),
        architecture: line.architecture === null ? null : budget.keep(line.architecture),
      }
      draft = new Draft(id, line.unit === null ? null : budget.keep(line.unit), true)
      draft.better = line.better
      this.#drafts.set(budget.keep(key), draft)
    } else if (line.unit !== draft.unit) {
      throw new LineError(
        `value in ${line.unit ?? 'no unit'} but the same query has ${draft.unit ?? 'no unit'} elsewhere`,
      )
    } else if (line.better !== draft.better) {
      throw new LineError(`"better" is "${line.better}", but the same query has "${draft.better}" elsewhere`)
    }
    budget.sample()
    const origin = { process: line.process ?? undefined, place: line.place ?? undefined }
    if (!draft[line.side].add(line.value, line.repetition, origin)) {
      const what = `repetition ${line.repetition} on the ${line.side} side`
      warn('duplicate-sample', number, `${what} appears twice: the first one counts`)
    }
  }
}

/** Python writes NaN and Infinity into JSON as they are, which JSON does not know. */
function parseJson(text: string): Readonly<Record<string, unknown>> | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    try {
      value = JSON.parse(text.replace(/("value"\s*:\s*)(-?Infinity|NaN)(?=\s*[,}])/, '$1"$2"'))
    } catch {
      return undefined
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function checkLine(line: Readonly<Record<string, unknown>>, sides: Sides): Line {
  const test = optionalText(line, 'test')
  if (test === null || test === '') throw new LineError('"test" is missing')
  const metric = optionalText(line, 'metric') ?? PRIMARY_METRIC
  return {
    test,
    queryIndex: optionalCount(line, 'queryIndex'),
    // An empty text is none.
    queryName: optionalText(line, 'queryName') || null,
    metric,
    unit: optionalText(line, 'unit') ?? (metric === PRIMARY_METRIC ? 's' : null),
    side: checkSide(line['side'], sides),
    better: checkBetter(line['better'], optionalText(line, 'unit') ?? metric),
    repetition: optionalCount(line, 'repetition'),
    process: optionalCount(line, 'process'),
    place: optionalCount(line, 'place'),
    value: checkValue(line['value']),
    architecture: optionalText(line, 'architecture'),
  }
}

type Sides = Pick<ReaderContext, 'side' | 'sideOfName'>

function checkSide(side: unknown, { side: fileSide, sideOfName }: Sides): Side {
  if (side === undefined || side === null) {
    const known = fileSide ?? sideOfName
    if (known === null) throw new LineError('"side" is missing (or pass the file with --old or --new)')
    return known
  }
  if (side !== 'old' && side !== 'new') throw new LineError('"side" is neither "old" nor "new"')
  if (fileSide !== null && side !== fileSide) {
    throw new LineError(
      `"side" is "${side}" in a file of the ${fileSide} build; omit "side" when the file already says it`,
    )
  }
  return side
}

/** What is not said is lower, but for a rate. */
function checkBetter(better: unknown, name: string): Better {
  if (better === undefined || better === null) return betterOfName(name) === 'higher' ? 'higher' : 'lower'
  if (better !== 'lower' && better !== 'higher') throw new LineError('"better" is neither "lower" nor "higher"')
  return better
}

function checkValue(value: unknown): number {
  const number = typeof value === 'string' ? parseSample(value) : value
  if (typeof number !== 'number') throw new LineError('value is not a number')
  return number
}

function optionalText(line: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = line[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') throw new LineError(`"${name}" is not a string`)
  return value
}

function optionalCount(line: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = line[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new LineError(`"${name}" is not a whole number from 0`)
  }
  return value
}
