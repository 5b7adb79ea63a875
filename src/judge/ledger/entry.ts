import type { Failure } from './failure.ts'
import { comparedName } from './test-name.ts'

/** The word in the place of an owner for entries that nobody owns. */
export const NO_OWNER = '-'

export const ENTRY_STATES = ['expired', 'open', 'closed'] as const
export const ENTRY_KINDS = ['failure', 'mover'] as const

/** A chronic failure or chronic mover, as the ledger keeps it. Times are milliseconds since 1970. */
export interface LedgerEntry {
  /** Follows from kind, test and signature: the same failure has one entry for ever. */
  readonly entryId: string
  readonly kind: (typeof ENTRY_KINDS)[number]
  /** `expired`: open for so long that it is said loudly. */
  readonly state: (typeof ENTRY_STATES)[number]
  /** The test of a mover's query; empty for a check that fails without a test. */
  readonly testName: string
  /** The check of the latest hit. */
  readonly checkName: string
  /** `Signature.text`; of a mover the key of the query and architecture. */
  readonly signature: string
  readonly firstSeen: number
  readonly lastSeen: number
  readonly openedAt: number
  readonly closedAt: number | null
  readonly expiresAt: number
  /** How often it was opened again after it had been closed. */
  readonly reopened: number
  readonly hits1: number
  readonly hits7: number
  readonly hits30: number
  readonly unrelatedPullRequests: number
  readonly trunkHits: number
  readonly owner: string | null
  /** Address of an issue. */
  readonly issue: string | null
}

/** Longest part of an id that stands in it as it is; ClickHouse's longest test name has 170 characters. */
const LONGEST_PART = 200

/** Characters of a part's beginning, where a digest takes the place of the rest. */
const LONGEST_HEAD = LONGEST_PART - 32

const LONGEST_ID = 700

/**
 * `failure||03223_nested_json|Timeout exceeded…`: kind, check (only of a check that failed without a test), test and
 * signature. The same failure has the same id for ever, under all names that are compared as one; different ones differ,
 * up to the digest that ends a part of more than 200 characters. One line, at most 700 characters.
 */
export function entryIdOf(
  kind: LedgerEntry['kind'],
  testName: string,
  signatureText: string,
  checkNameOfJobFailure: string | null,
): string {
  const name = kind === 'failure' ? comparedName(testName) : testName
  return idUnder(kind, name, signatureText, checkNameOfJobFailure)
}

function idUnder(kind: LedgerEntry['kind'], testName: string, signatureText: string, checkName: string | null): string {
  return [kind, part(checkName ?? ''), part(testName), part(signatureText)].join('|')
}

type NamedFailure = Pick<Failure, 'testName' | 'checkName' | 'signature'>

/** The id of the entry of a failure, whether or not there is one. */
export function entryIdOfFailure({ testName, checkName, signature }: NamedFailure): string {
  return entryIdOf('failure', testName, signature.text, testName === '' ? checkName : null)
}

export type KnownFailure = NamedFailure & Pick<Failure, 'formerSignature'>

/**
 * What is kept of a failure, by the ids of entries: of its name and signature as they are compared, else as they stood, or
 * were signed, by the rules before. It keeps the id by which it was opened or declared.
 */
export function ofFailure<T>(byId: ReadonlyMap<string, T>, failure: KnownFailure): T | undefined {
  const { testName, checkName, signature, formerSignature } = failure
  const signatures = formerSignature === undefined ? [signature] : [signature, formerSignature]
  for (const { text } of signatures) {
    const check = testName === '' ? checkName : null
    const found =
      byId.get(idUnder('failure', testName, text, check)) ?? byId.get(entryIdOf('failure', testName, text, check))
    if (found !== undefined) return found
  }
  return undefined
}

/** By their ids and, of those that keep an id of the rule before, by that of the signature that they have now. */
export function entriesById(entries: readonly LedgerEntry[]): Map<string, LedgerEntry> {
  const byText = entries.map((entry) => {
    const { kind, testName, signature, checkName } = entry
    return [entryIdOf(kind, testName, signature, testName === '' ? checkName : null), entry] as const
  })
  return new Map([...byText, ...entries.map((entry) => [entry.entryId, entry] as const)])
}

// Characters that would make two sequences of parts look the same, and those that aren't visible in one line.
const ESCAPED = /[%|~\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

function part(text: string): string {
  const head = text.slice(0, LONGEST_PART).replace(ESCAPED, escaped)
  if (text.length <= LONGEST_PART && head.length <= LONGEST_PART) return head
  // Half a character is lost by whoever stores it.
  return `${head.slice(0, LONGEST_HEAD).replace(/[\ud800-\udbff]$/, '')}~${digest(text)}`
}

function escaped(character: string): string {
  return `%${character.codePointAt(0)!.toString(16).toUpperCase().padStart(2, '0')}.`
}

/**
 * Two FNV-1a sums of 32 bits with different beginnings and the length, over the first 65,536 units. Tells names apart,
 * not adversaries: who can choose a test's name gains nothing by two that share an entry.
 */
function digest(text: string): string {
  let first = 0x811c9dc5
  let second = 0x9dc5811c
  for (let index = 0; index < Math.min(text.length, 65_536); index += 1) {
    const unit = text.charCodeAt(index)
    first = Math.imul(first ^ unit, 0x01000193)
    second = Math.imul(second ^ (unit + index), 0x01000193)
  }
  return [first, second, text.length].map((sum) => (sum >>> 0).toString(36)).join('-')
}

const PART = String.raw`(?:[^%|~\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]|%[0-9A-F]{2,6}\.)*(?:(?:%[0-9A-F]{0,6})?~[0-9a-z]{1,7}-[0-9a-z]{1,7}-[0-9a-z]{1,7})?`
const ID = new RegExp(`^(?:failure|mover)(?:\\|${PART}){3}$`, 'u')

/**
 * Can the text be an id? Nothing else is looked up.
 *
 * Can: `failure||03223_nested_json|Timeout exceeded`. Can't: `failure|03223_nested_json`, `issue|||`, `failure|||a\nb`.
 */
export function isEntryId(text: string): boolean {
  return text.length <= LONGEST_ID && ID.test(text)
}
