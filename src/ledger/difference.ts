import { cleanLine, normalizeDifference } from './normalize-line.ts'

/**
 * A difference between a reference and what was there instead, as two lines that a person can compare and the rest.
 *
 * So many characters of it are compared, so that the same difference is the same where the end of an output was cut off
 * a few characters earlier because a path or a duration before it was longer.
 */
const LONGEST_COMPARED = 2400
/** What a runner puts before each line, a time with brackets, and the end of the line. */
const PREFIX = 24
const LONGEST_SHOWN = 90

export interface ShownDifference {
  /** The first line that is missing and the first that is there instead, or two of one side; none of no difference. */
  readonly shown: readonly string[]
  /** Every line compared, where the shown ones are not all there is; else none. */
  readonly hidden: readonly string[]
}

/**
 * `changed`: its lines with their signs. Times, addresses and temporary names are left out, unless they are what differs:
 * `-2026-01-01` and `+2026-01-02` stay as they are.
 */
export function shownDifference(changed: readonly string[]): ShownDifference {
  const compared: string[] = []
  let length = 0
  for (const line of changed) {
    length += line.length + PREFIX
    if (length > LONGEST_COMPARED && compared.length > 0) break
    compared.push(line)
  }
  const lines = withoutWhatVaries(compared)
  const shown = firstOfBothSides(lines)
  const isAll = shown.length === lines.length && shown.every((line) => line.length <= LONGEST_SHOWN)
  return {
    shown: shown.map((line) => (line.length <= LONGEST_SHOWN ? line : `${line.slice(0, LONGEST_SHOWN).trimEnd()}…`)),
    hidden: isAll ? [] : lines,
  }
}

/** A line that would then stand on both sides stays as it is: what would be left out is what differs. */
function withoutWhatVaries(changed: readonly string[]): readonly string[] {
  const normalized = changed.map(normalizeDifference)
  const all = new Set(normalized)
  return normalized.map((line, at) => {
    const other = `${line.startsWith('-') ? '+' : '-'}${line.slice(1)}`
    return all.has(other) ? cleanLine(changed[at]!) : line
  })
}

function firstOfBothSides(lines: readonly string[]): readonly string[] {
  const missing = lines.find((line) => line.startsWith('-'))
  const there = lines.find((line) => line.startsWith('+'))
  if (missing === undefined || there === undefined) return lines.slice(0, 2)
  return lines.indexOf(missing) < lines.indexOf(there) ? [missing, there] : [there, missing]
}
