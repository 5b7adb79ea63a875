import { InvalidArgumentError, Option } from 'commander'
import { parseTime } from '../../intake/imports/parse-time.ts'

/** The trunk where nobody has named it. */
export const DEFAULT_TRUNK: readonly string[] = ['master', 'main']

const LARGEST_PULL_REQUEST = 0xffff_ffff
const MOST_DAYS = 3650

/** The number of a pull request; 0 is the trunk or a release branch. */
export function parsePullRequest(text: string): number {
  const number = /^#?(\d{1,10})$/.exec(text.trim())?.[1]
  if (number === undefined || Number(number) > LARGEST_PULL_REQUEST) {
    throw new InvalidArgumentError('It must be a pull request number, up to 4294967295 (0: the main branch).')
  }
  return Number(number)
}

/** A name that must say something. */
export function parseName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

/** Milliseconds since 1970. */
export function parseMoment(text: string): number {
  const time = parseTime(text)
  if (time === null) {
    throw new InvalidArgumentError(
      'It must be a time like "2026-10-20 08:15:00" (UTC), ISO 8601 or seconds since 1970.',
    )
  }
  return time
}

/** A repository of the store: its name as GitHub writes it, or GitHub’s number of it. */
export type RepositoryGiven = { readonly name: string } | { readonly id: number }

/** `--repository`, which means the same in every command. */
export const REPOSITORY_FLAGS = '--repository <owner/name or number>'

/** Null: it is neither. */
export function repositoryIn(text: string): RepositoryGiven | null {
  if (/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(text)) return { name: text }
  const id = Number(text)
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(id) && id > 0 ? { id } : null
}

export function parseRepository(text: string): RepositoryGiven {
  const given = repositoryIn(text.trim())
  if (given === null) throw new InvalidArgumentError('It must be owner/name or GitHub’s repository ID.')
  return given
}

export function repositoryGivenText(given: RepositoryGiven): string {
  return 'name' in given ? given.name : `repository ${given.id}`
}

export function parseRepositoryId(text: string): number {
  const id = Number(text)
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError('It must be GitHub’s repository ID.')
  }
  return id
}

/** A number of days, at most so many. */
export function daysUpTo(most: number): (text: string) => number {
  return (text) => {
    const days = Number(text)
    if (!/^\d{1,4}$/.test(text) || days < 1 || days > most) {
      throw new InvalidArgumentError(`It must be a number of days from 1 to ${most}.`)
    }
    return days
  }
}

export const parseDays = daysUpTo(MOST_DAYS)

/** An option that takes a name out of a closed list, which the help shows: `--as svg`. */
export function choiceOption(flags: string, description: string, names: readonly string[]): Option {
  return new Option(flags, description).choices(names).argParser((text) => nameIn(names, text))
}

const TABLE_FORMS = ['table', 'tsv'] as const

/** How a command prints what it found. */
export type TableForm = (typeof TABLE_FORMS)[number]

/** Forms beside a table: lines to paste. */
export const MARKUP_NAMES = ['markdown', 'slack'] as const

export type MarkupName = (typeof MARKUP_NAMES)[number]

const USUAL_FORMS = { list: 'a table on a terminal, tsv elsewhere', report: 'table' } as const

/** `--as`, which means the same in every command that prints a table. `others`: what else it can be printed as. */
export function asOption(of: keyof typeof USUAL_FORMS, others: readonly string[] = []): Option {
  return choiceOption('--as <form>', `how to print it (default: ${USUAL_FORMS[of]})`, [...TABLE_FORMS, ...others])
}

/** The same for several names, with commas between them, given once or more often: `--fail-on slower,unstable`. */
export function choicesOption(flags: string, description: string, names: readonly string[]): Option {
  const collectNames = (text: string, before: readonly string[] | undefined) => {
    const given = text.split(',').map((part) => nameIn(names, part))
    return [...new Set([...(before ?? []), ...given])]
  }
  return new Option(flags, description).choices(names).argParser(collectNames)
}

/** In any case: nobody means two things by `JSONEachRow` and `jsoneachrow`. */
function nameIn(names: readonly string[], text: string): string {
  const found = names.find((name) => name.toLowerCase() === text.trim().toLowerCase())
  if (found === undefined) throw new InvalidArgumentError(`Allowed choices are ${names.join(', ')}.`)
  return found
}

/** Given once or more often. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, parseName(text)]
}

/** A threshold as a fraction from 0 to 1. Throws commander's error with a hint for those who think in percent. */
export function parseFraction(text: string): number {
  const percent = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(text)
  if (percent !== null)
    throw new InvalidArgumentError(`It must be a fraction: ${Number(percent[1]) / 100} for ${text.trim()}.`)
  const value = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(value) || value < 0) throw new InvalidArgumentError('It must be a fraction such as 0.05 for 5%.')
  if (value > 1) {
    throw new InvalidArgumentError(`It must be a fraction, but this is ${value * 100}%; ${value / 100} is ${value}%.`)
  }
  return value
}

/** The 0-based position of a query in its test. */
export function parseQueryIndex(text: string): number {
  const index = /^#?(\d{1,9})$/.exec(text.trim())?.[1]
  if (index === undefined) throw new InvalidArgumentError('It must be the query’s position in its test, from 0.')
  return Number(index)
}

/** How long `measure` takes for its turns, unless somebody says. */
export const BUDGET = '10m'

/** Milliseconds. */
export function parseDuration(text: string): number {
  const [, number, unit = 's'] = /^\s*(\d+(?:\.\d+)?)\s*(s|min|m|h)?\s*$/.exec(text) ?? []
  const time = Number(number) * UNITS[unit]!
  if (!(time > 0 && time <= LONGEST_MS)) throw new InvalidArgumentError('It must be a time such as 90s, 10m or 1h.')
  return time
}

const MINUTE_MS = 60_000

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, min: MINUTE_MS, h: 60 * MINUTE_MS }

const LONGEST_MS = 7 * 24 * 60 * MINUTE_MS
