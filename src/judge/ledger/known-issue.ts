import type { Failure, KnownIssue, Reason, TitledCommit } from './failure.ts'
import { normalizeComparison, normalizeLine } from './normalize-line.ts'
import type { Signature } from './signature.ts'
import { statedStackTraceId } from './stack-trace-id.ts'
import { comparedName } from './test-name.ts'

/**
 * Finds the open issue that is about a failure. The fields of an issue's body are those that ClickHouse's CI reads:
 * `Test name:` and `Failure reason:`, each on a line of its own.
 *
 * Too broad a pattern hides a new failure behind an old issue, so a name counts only as a whole, a generic one only where
 * somebody wrote it into the field, and an issue that states another stack trace id or another reason is another case.
 */

export interface OpenIssue {
  readonly number: number
  readonly title: string
  readonly url: string
  /** `ISSUE_BODY_READ` characters of it are looked at. */
  readonly body: string
  readonly labels: readonly string[]
}

/** Fields stand at the top; what follows are logs. */
export const ISSUE_BODY_READ = 20_000
/** GitHub's titles have 256 characters. */
const TITLE_READ = 1000
/** Whoever stores names cuts them there. */
const NAME_READ = 4096

/** A signature has 300 characters. */
const LONGEST_REASON = 300
/**
 * Ids read from one issue, as many as a person would list; who fills an issue with thousands of them only fills
 * memory.
 */
const MOST_IDS = 200
/** Open issues read about one test; no repository has more. */
const MOST_REASONS_COMPARED = 20

type FailureNames = Pick<Failure, 'testName' | 'checkName' | 'signature'>

/**
 * An issue that names the signature before one that names the test, then the newest; null where none does. An issue is read
 * once, when it is first seen; then hundreds of failures are looked up in a thousand issues within a tenth of a second.
 */
export function knownIssueOf(failure: FailureNames, issues: readonly OpenIssue[]): KnownIssue | null {
  const best = bestOf(askedFailureOf(failure), newestFirst(issues))
  if (best === null) return null
  const { number, title, url } = best
  return { number, title, url }
}

/** Not of another repository, which has a name before the number, and no commit. */
const FIX =
  /\bfixed (?:by|in|with):? (?:the )?(?:pull request |PR )?(?:#|https:\/\/[\w.-]{1,100}\/[\w.-]{1,100}\/[\w.-]{1,100}\/pull\/)(\d{1,9})\b/gi

/**
 * The pull request that a text calls the fix; null where it names none, or two.
 *
 * Does: `Fixed by #123.`, `fixed in https://github.com/acme/engine/pull/123`. Does not: `see #123`, `not fixed by #123`, `will
 * be fixed by #123`, `fixed in acme/parser#123`.
 */
export function fixNamedIn(text: string, repository: string): number | null {
  const numbers = new Set<number>()
  for (const found of text.slice(0, ISSUE_BODY_READ).matchAll(FIX)) {
    const before = text.slice(Math.max(0, found.index - 20), found.index)
    if (/(?:\b(?:not|never|be|if|when|once|until)|n[’']t)[ -]?$/i.test(before)) continue
    const address = /https:\/\/[^/]+\/(.+)\/pull\//i.exec(found[0])
    if (address !== null && address[1]!.toLowerCase() !== repository.toLowerCase()) continue
    numbers.add(Number(found[1]))
  }
  const [number] = numbers
  return numbers.size === 1 && number !== 0 ? number! : null
}

/** A person's declaration stands before the words of an issue. */
export function withNamedFix(
  reasons: readonly Reason[],
  issue: OpenIssue | undefined,
  repository: string,
): readonly Reason[] {
  const said = reasons.find((reason) => reason.kind === 'declared-chronic' || reason.kind === 'declaration-expired')
  const texts = [
    ['declaration', said?.by.reason ?? ''],
    ['issue', issue === undefined ? '' : `${issue.title}\n${issue.body}`],
  ] as const
  for (const [saidIn, text] of texts) {
    const pullRequestNumber = fixNamedIn(text, repository)
    if (pullRequestNumber === null) continue
    const fix = { pullRequestNumber, saidIn }
    return reasons.map((reason) => (reason.kind === 'fixed-on-trunk' ? { ...reason, fix } : reason))
  }
  return reasons
}

/**
 * The last pull request that was merged before the trunk passed again and has the test's name in its title, by the rule of an issue's
 * title. Whose it is does not matter: somebody merged it. `commits`: from behind the last one that failed, oldest first.
 */
export function withMergedFix(
  reasons: readonly Reason[],
  failure: FailureNames,
  commits: readonly TitledCommit[],
): readonly Reason[] {
  const asked = askedFailureOf(failure)
  return reasons.map((reason) => {
    if (reason.kind !== 'fixed-on-trunk' || reason.fix !== undefined) return reason
    const named = commits.findLast(
      ({ title, pullRequestNumber, time }) =>
        pullRequestNumber !== null &&
        time <= reason.since &&
        !NO_FIX.test(title) &&
        isNamed(asked, readIssue(titled(title))),
    )
    if (named === undefined) return reason
    return { ...reason, fix: { pullRequestNumber: named.pullRequestNumber!, saidIn: 'commit' } }
  })
}

/** It takes something back, or does something else with the test than to mend it. */
const NO_FIX =
  /^(?:\S{1,40}: )?(?:revert|mark|skip|ignore|disable|mute|quarantine|silence|add|new|rename|move|remove|delete)\b|\b(?:as (?:flaky|known|broken)|to (?:the )?(?:ignore|skip|broken) ?list)\b/i

function titled(title: string): OpenIssue {
  return { number: 0, title, url: '', body: '', labels: [] }
}

function bestOf(failure: AskedFailure, issues: readonly ReadIssue[]): OpenIssue | null {
  const { id } = failure
  const byId = id === null ? undefined : issues.find((read) => read.ids.has(id))
  if (byId !== undefined) return byId.issue

  let byName: OpenIssue | null = null
  let reasonsCompared = 0
  for (const read of issues) {
    if (read.statedId !== null || !isNamed(failure, read)) continue
    if (read.reasons.length === 0) byName ??= read.issue
    else if (reasonsCompared < MOST_REASONS_COMPARED) {
      reasonsCompared += 1
      if (isReason(failure, read.reasons)) return read.issue
    }
  }
  return byName
}

interface AskedFailure {
  /** The name of a check that failed without a test; it stands in many titles without being what failed. */
  readonly name: string
  /** As names are compared. */
  readonly compared: string
  readonly withoutParameters: string
  readonly file: string
  readonly isPython: boolean
  readonly isCheck: boolean
  readonly isGeneric: boolean
  /** Null where it is too long to stand in a title. */
  readonly words: readonly string[] | null
  readonly id: string | null
  readonly testName: string
  readonly signature: Signature
}

function askedFailureOf({ testName, checkName, signature }: FailureNames): AskedFailure {
  const isCheck = testName === ''
  const name = (isCheck ? checkName : testName).slice(0, NAME_READ)
  const withoutParameters = name.split('[', 1)[0]!
  return {
    name,
    compared: isCheck ? name : comparedName(name),
    withoutParameters,
    file: withoutParameters.split('::', 1)[0]!,
    isPython: name.includes('.py'),
    isCheck,
    isGeneric: isGeneric(name),
    words: name.length > TITLE_READ ? null : [...new Set(wordsOf(name))],
    id: signature.kind === 'stack-trace-id' ? signature.text : null,
    testName: testName.slice(0, NAME_READ),
    signature,
  }
}

function isNamed(failure: AskedFailure, { title, titleName, titleWords, testName }: ReadIssue): boolean {
  const { name, isCheck, words } = failure
  if (name === '') return false
  if (testName !== null) return isNamedByField(failure, testName)
  if (failure.isGeneric) return false
  if (titleName !== null && isNamedByField(failure, titleName)) return true
  return !isCheck && words !== null && words.every((word) => titleWords.has(word)) && standsIn(title, name)
}

interface ReadIssue {
  readonly issue: OpenIssue
  readonly title: string
  readonly titleWords: ReadonlySet<string>
  /** The name in `Flaky test: NAME`, where that is not a generic one. */
  readonly titleName: Field | null
  readonly testName: Field | null
  /** The reason as written and with its numbers left out; empty where none is given. */
  readonly reasons: readonly string[]
  /** All of title and body, in lower case. */
  readonly ids: ReadonlySet<string>
  /** The id of the stack trace in the title or the name of the test. */
  readonly statedId: string | null
}

/** The title begins as the form that `report it` opens begins one. */
const TITLE = /^\s*(?:flaky test|failing test|failing check|broken on the (?:trunk|main branch)):\s*(\S.*)$/i

const READ = new WeakMap<OpenIssue, ReadIssue>()
const NEWEST_FIRST = new WeakMap<readonly OpenIssue[], readonly ReadIssue[]>()

function newestFirst(issues: readonly OpenIssue[]): readonly ReadIssue[] {
  const known = NEWEST_FIRST.get(issues)
  if (known !== undefined) return known
  const read = issues.map(readIssue).toSorted((a, b) => b.issue.number - a.issue.number)
  NEWEST_FIRST.set(issues, read)
  return read
}

function readIssue(issue: OpenIssue): ReadIssue {
  const known = READ.get(issue)
  if (known !== undefined) return known
  const title = issue.title.slice(0, TITLE_READ)
  const body = issue.body.slice(0, ISSUE_BODY_READ)
  const { testName, failureReason } = fieldsOf(body)
  const statedId = statedStackTraceId(title) ?? statedStackTraceId(testName)
  const titleName = fieldOf(unmarked(TITLE.exec(title)?.[1] ?? ''))
  const read = {
    issue,
    title,
    titleWords: new Set(wordsOf(title)),
    titleName: titleName?.isGeneric === true ? null : titleName,
    testName: fieldOf(testName),
    reasons: reasonsOf(failureReason),
    ids: idsOf([statedId ?? '', title, body]),
    statedId,
  }
  READ.set(issue, read)
  return read
}

const STACK_TRACE_ID = /(?<![0-9a-z-])\d{4}-[0-9a-f]{4}(?![0-9a-z-])/gi

/** Whole ids. */
function idsOf(texts: readonly string[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const text of texts) {
    for (const [id] of text.matchAll(STACK_TRACE_ID)) {
      ids.add(id.toLowerCase())
      if (ids.size === MOST_IDS) return ids
    }
  }
  return ids
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_-]+/gu) ?? []
}

interface IssueFields {
  readonly testName: string
  readonly failureReason: string
}

const FIELD = /^[\t \u00a0>*_-]{0,16}(test name|failure reason)[*_]{0,3}:[*_]{0,3}(.{0,2000})/gim

/** The first of each; empty where there is none. */
function fieldsOf(body: string): IssueFields {
  let testName = ''
  let failureReason = ''
  for (const found of body.matchAll(FIELD)) {
    const value = unmarked(found[2]!)
    if (found[1]!.toLowerCase() === 'test name') testName ||= value
    else failureReason ||= value
    if (testName !== '' && failureReason !== '') break
  }
  return { testName, failureReason }
}

/** Without the code span that a person, or our own form, puts around a name. */
function unmarked(text: string): string {
  const trimmed = text.trim()
  const fence = /^`{1,4}/.exec(trimmed)?.[0]
  if (fence === undefined || !trimmed.endsWith(fence) || trimmed.length < 2 * fence.length) return trimmed
  return trimmed.slice(fence.length, -fence.length).trim()
}

interface Field {
  readonly text: string
  /** As names are compared: the parameter of a name may be another one in each run. */
  readonly compared: string
  readonly isGeneric: boolean
  readonly isPython: boolean
  readonly isFile: boolean
  readonly hasParameters: boolean
}

function fieldOf(text: string): Field | null {
  if (text === '') return null
  return {
    text,
    compared: comparedName(text),
    isGeneric: isGeneric(text),
    isPython: text.includes('.py'),
    isFile: text.endsWith('.py'),
    hasParameters: text.includes('['),
  }
}

/**
 * The name ends with what the field says, from where a part of it begins. As ClickHouse's CI has it, a field without
 * pytest's `[parameters]` means all of them, one with them these alone, and one that names a file every test of the file.
 */
function isNamedByField(failure: AskedFailure, field: Field): boolean {
  if (field.isGeneric) return failure.name === field.text
  const name = partOfName(failure, field)
  if (!name.endsWith(field.compared)) return false
  const before = name[name.length - field.compared.length - 1]
  return before === undefined || !NAME_CHARACTER.test(before)
}

function partOfName(failure: AskedFailure, field: Field): string {
  const ofPytest = (failure.isPython && field.isPython) || failure.name.startsWith('test_')
  if (!ofPytest || field.hasParameters) return failure.compared
  return field.isFile ? failure.file : failure.withoutParameters
}

const GENERIC: ReadonlySet<string> = new Set([
  'check failed',
  'test failed',
  'tests failed',
  'build failed',
  'unknown error',
  'timeout exceeded',
  'cannot start clickhouse-server',
])
const SHORTEST_TELLING_NAME = 8

function isGeneric(name: string): boolean {
  return name.length < SHORTEST_TELLING_NAME || GENERIC.has(name.toLowerCase())
}

const NAME_CHARACTER = /[\p{L}\p{N}_-]/u

/** The whole name stands in the text, neither as part of a longer name nor as that of a file or class that has more. */
function standsIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ''
    const after = text.slice(at + name.length, at + name.length + 2)
    if (!NAME_CHARACTER.test(before) && !NAME_CHARACTER.test(after[0] ?? '') && after !== '::' && after[0] !== '[') {
      return true
    }
  }
  return false
}

/** Only the signature is kept of an output, so the reason is looked for in that: as written, and with its numbers left out. */
function reasonsOf(failureReason: string): readonly string[] {
  const reason = failureReason.slice(0, LONGEST_REASON)
  const forms = [reason, normalizeComparison(reason), normalizeLine(reason)]
  return [...new Set(forms)].filter((form) => form !== '')
}

function isReason(failure: AskedFailure, reasons: readonly string[]): boolean {
  const { text } = failure.signature
  return reasons.some((reason) => text.includes(reason)) || failure.testName.includes(reasons[0]!)
}
