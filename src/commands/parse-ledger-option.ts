import { InvalidArgumentError } from 'commander'
import { parseTime } from '../imports/parse-time.ts'
import { isCommitId } from '../text/commit-id.ts'
import { LOOKUP_FAIL_ON, type LookupFailOn } from './command.ts'

const LARGEST_PULL_REQUEST = 0xffff_ffff
const MOST_DAYS = 3650

/** The number of a pull request; 0 is the trunk or a release branch. */
export function parsePullRequest(text: string): number {
  const number = /^#?(\d{1,10})$/.exec(text.trim())?.[1]
  if (number === undefined || Number(number) > LARGEST_PULL_REQUEST) {
    throw new InvalidArgumentError('It is the number of a pull request, up to 4294967295 (0: the trunk).')
  }
  return Number(number)
}

/** The whole id of a commit, as git writes it: rows that are stored under a part of it would be found by nobody. */
export function parseWholeCommit(text: string): string {
  const commit = text.trim().toLowerCase()
  if (!isCommitId(commit)) {
    throw new InvalidArgumentError(
      'It is the whole id of a commit, 40 hexadecimal digits: "git rev-parse HEAD" prints it.',
    )
  }
  return commit
}

/** A commit id as the CI results have it, or its first digits. */
export function parseCommit(text: string): string {
  const commit = text.trim()
  if (!/^[\w.:-]{1,100}$/.test(commit)) throw new InvalidArgumentError('It is a commit id.')
  return commit
}

/** A name that must say something. */
export function parseName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty.')
  return text
}

/** Milliseconds since 1970. */
export function parseMoment(text: string): number {
  const time = parseTime(text)
  if (time === null) {
    throw new InvalidArgumentError('It is a time like "2026-10-20 08:15:00" (UTC), ISO 8601 or seconds since 1970.')
  }
  return time
}

export function parseRepository(text: string): string {
  if (!/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(text)) throw new InvalidArgumentError('It is written owner/name.')
  return text
}

export function parseRepositoryId(text: string): number {
  const id = Number(text)
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError('It is GitHub’s number of the repository.')
  }
  return id
}

export function parseDays(text: string): number {
  const days = Number(text)
  if (!/^\d{1,4}$/.test(text) || days < 1 || days > MOST_DAYS) {
    throw new InvalidArgumentError(`It is a number of days from 1 to ${MOST_DAYS}.`)
  }
  return days
}

/** Given once or more often. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, parseName(text)]
}

/** `pr-suspect,unknown`, given once or more often. */
export function parseLookupFailOn(text: string, before: readonly LookupFailOn[] = []): readonly LookupFailOn[] {
  const conditions = text.split(',').map((part) => {
    const condition = LOOKUP_FAIL_ON.find((name) => name === part.trim())
    if (condition === undefined) throw new InvalidArgumentError(`There are: ${LOOKUP_FAIL_ON.join(', ')}.`)
    return condition
  })
  return [...new Set([...before, ...conditions])]
}
