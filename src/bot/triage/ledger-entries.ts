import { ledgerThresholds, type RepositoryConfig } from '../../config/repository-config.ts'
import type { PullRequestTarget } from '../../inbox/triages.ts'
import { type CountedHistory, countHistory } from '../../judge/ledger/counted-history.ts'
import type { Declarations, LastDeclaration } from '../../judge/ledger/declaration.ts'
import { entriesById, type KnownFailure, type LedgerEntry, ofFailure } from '../../judge/ledger/entry.ts'
import { type EntryObservation, nextEntry } from '../../judge/ledger/entry-life.ts'
import type { HistoryWanted, JudgedFailure, Subject } from '../../judge/ledger/failure.ts'
import { moverEntries } from '../../judge/ledger/mover-entries.ts'
import { moverObservations } from '../../judge/ledger/mover-observations.ts'
import { isChronic } from '../../judge/ledger/rules/by-history.ts'
import { signatureOfText } from '../../judge/ledger/signature.ts'
import type { LedgerThresholds } from '../../judge/ledger/thresholds.ts'
import { type People, UNKNOWN_PEOPLE } from '../../judge/ledger/witness.ts'
import type { CiResults } from '../../store/checks/ci-results.ts'
import { DAY } from '../../text/time.ts'
import { rowsOf } from './failing-tests.ts'
import type { JudgedHead } from './judge-head.ts'
import type { PeopleOf } from './people.ts'
import type { TriageContext } from './triage-context.ts'

/** A failure whose entry is looked after. */
export interface EntrySubject extends KnownFailure {
  /** The owner as in `EntryObservation`: left out where nobody looked. */
  readonly owner?: string | null
  readonly issue?: string | null
}

export interface EntryLookup {
  readonly ciResults: CiResults
  readonly repositoryId: number
  /** `owner/name`. */
  readonly repository: string
  readonly trunk: readonly string[]
  readonly thresholds: LedgerThresholds
  /** What people have said of failures of this repository; left out: nobody is asked. */
  readonly declarations?: Declarations
  /** Left out: nobody behind the rows is known. */
  readonly peopleOf?: PeopleOf
  /** Milliseconds. */
  readonly now: number
}

/**
 * The entries as they are after a look at each subject's history, those that changed only. An entry is the repository's:
 * nobody's rows are left out. Throws `CiResultsUnavailable`.
 */
export async function refreshedEntries(
  lookup: EntryLookup,
  subjects: readonly EntrySubject[],
  entries: readonly LedgerEntry[],
): Promise<LedgerEntry[]> {
  if (subjects.length === 0) return []
  const { ciResults, repositoryId, thresholds, now } = lookup
  const nobody: Subject = {
    pullRequestNumber: 0,
    commitSha: '',
    headRepo: '',
    headRef: '',
    repository: lookup.repository,
    trunk: lookup.trunk,
    mergeBase: null,
  }
  const [histories, massFailures] = await Promise.all([
    ciResults.historiesOf(
      subjects.map((subject) => wantedOf(subject, now)),
      nobody,
      repositoryId,
      thresholds,
    ),
    ciResults.massFailuresOf(now, nobody, repositoryId, thresholds),
  ])
  const known = entriesById(entries)
  const people = (await lookup.peopleOf?.(nobody, rowsOf(subjects, histories))) ?? UNKNOWN_PEOPLE
  const settings = { subject: nobody, massFailures, lookbackDays: thresholds.lookbackDays, people }
  return subjects.flatMap((subject, index) => {
    const counted = countHistory(subject, histories[index]!, settings)
    const before = ofFailure(known, subject) ?? null
    const seen = observationOf(subject, counted, { thresholds, people }, now)
    const declaration = lookup.declarations === undefined ? undefined : ofFailure(lookup.declarations, subject)
    const after = nextEntry(before, { ...seen, ...declared(declaration) }, now, thresholds)
    // An entry of the rule before keeps its id and is looked up by the signature of now from here on.
    const next = after === null ? null : { ...after, signature: seen.signature }
    return next === null || isSame(before, next) ? [] : [next]
  })
}

/** `issuesAreKnown`: false where they could not be listed, and what an entry says of its issue stays. */
export function entrySubjectOf({ failure, owner, issue }: JudgedFailure, issuesAreKnown: boolean): EntrySubject {
  const { testName, checkName, signature, formerSignature } = failure
  const subject = { testName, checkName, signature, ...(formerSignature !== undefined && { formerSignature }), owner }
  return issuesAreKnown ? { ...subject, issue: issue?.url ?? null } : subject
}

/** An entry whose failure nobody has met just now: owner and issue stay as they are. */
export function subjectOfEntry({ testName, checkName, signature }: LedgerEntry): EntrySubject {
  return { testName, checkName, signature: signatureOfText(signature) }
}

function wantedOf({ testName, checkName }: EntrySubject, now: number): HistoryWanted {
  return { testName, checkName: testName === '' ? checkName : null, failedIn: [checkName], until: now }
}

function observationOf(
  { testName, checkName, signature, ...found }: EntrySubject,
  counted: CountedHistory,
  { thresholds, people }: { readonly thresholds: LedgerThresholds; readonly people: People },
  now: number,
): EntryObservation {
  const { hits, trunkHits, unrelatedPullRequests } = counted
  const within = (days: number) => hits.filter(({ time }) => now - time < days * DAY).length
  return {
    kind: 'failure',
    testName,
    checkName: hits[0]?.checkName ?? checkName,
    signature: signature.text,
    isChronic: isChronic({ failure: { testName, signature }, falloutTests: [], counted, thresholds, people }) !== null,
    firstSeen: hits.at(-1)?.time ?? null,
    lastSeen: hits[0]?.time ?? null,
    hits1: within(1),
    hits7: within(7),
    hits30: within(30),
    unrelatedPullRequests,
    trunkHits: trunkHits.length,
    ...found,
  }
}

/** The issue that a person named stands before one that was found. */
function declared(declaration: LastDeclaration | undefined): Pick<EntryObservation, 'declaration' | 'issue'> {
  if (declaration === undefined) return {}
  const { kind, failure } = declaration
  return { declaration, ...(kind === 'chronic' && failure.issue !== null && { issue: failure.issue.url }) }
}

function isSame(before: LedgerEntry | null, next: LedgerEntry): boolean {
  return before !== null && JSON.stringify(before) === JSON.stringify(next)
}

/** Stores what the report says of queries that move by themselves, where it is new. Throws `StoreUnavailable`. */
export async function saveMovers(
  { store, inbox, now }: TriageContext,
  target: PullRequestTarget,
  config: RepositoryConfig,
  { report, history }: JudgedHead,
): Promise<void> {
  if (history === null) return
  const seen = moverObservations(report, history.facts, history.measuredAt)
  if (seen.length === 0) return
  const entries = await store.ledger.of(report.repository.id)
  const changed = moverEntries(seen, entries, now(), ledgerThresholds(config))
  if (changed.length === 0) return
  await store.ledger.save(report.repository.id, changed)
  // A new entry is looked at from now on, to see whether it has become quiet.
  const known = new Set(entries.map(({ entryId }) => entryId))
  if (changed.some(({ entryId }) => !known.has(entryId))) {
    await inbox.triages.wake({ ...target, pullRequestNumber: null, head: null }, now())
  }
}
