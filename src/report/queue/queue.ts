import { z } from 'zod'
import { queryLabel } from '../../intake/measurement/run.ts'
import type { AcceptedIn } from '../../judge/bisect/bisect-window.ts'
import type { LedgerEntry } from '../../judge/ledger/entry.ts'
import { CLASSIFICATIONS } from '../../judge/ledger/failure.ts'
import { count, counted, signedPercent } from '../../text/numbers.ts'
import { acceptedIn, type Decision, type OpenRow, standingDecisions } from '../acceptance.ts'
import {
  hasOutgrown,
  isSameStep,
  lastWords,
  type MarkedStep,
  type MarkState,
  markedStepSchema,
  markWords,
  type StepMark,
} from '../step/marks.ts'
import { entryPath, queryPath, type RepositoryAddress, reportPath } from '../urls.ts'
import { QUEUE_WORDS, type QueueKind } from './kinds.ts'

/** The queue: what waits for a person, from reports, steps and entries. Its columns: `columns.ts`. */

interface OfQueue {
  /** `owner/name`. */
  readonly repository: string
  /** The test, the check or the query. */
  readonly what: string
  /** Milliseconds since 1970. */
  readonly since: number
  /** The page that says more, on the bot. */
  readonly path: string
}

/** What a report says of its pull request, as anybody may have written it; null: not known. */
export interface NamedPullRequest {
  readonly pullRequestNumber: number
  readonly title: string | null
  readonly author: string | null
}

/** A thing that waits for a person. */
export type QueueItem =
  /** A failing test that nothing explains (`unknown`), or that may be the pull request's (`pr-suspect`). */
  | (OfQueue &
      NamedPullRequest & {
        readonly kind: 'failing-test'
        readonly check: string
        readonly classification: 'unknown' | 'pr-suspect'
        /** Null: the lookup failed. */
        readonly unrelatedPullRequests: number | null
        readonly trunkHits: number | null
        readonly runs: number | null
      })
  /** A red check in which no failing test is known. */
  | (OfQueue & NamedPullRequest & { readonly kind: 'red-check' })
  /** The trunk got slower and stayed so, and nobody accepted it. */
  | (OfQueue & {
      readonly kind: 'trunk-step'
      /** Commits. */
      readonly lastGood: string
      readonly firstBad: string
      /** How many commits of the window can change the binary; null: nobody has asked. */
      readonly commits: number | null
      /** The one commit that is left; null: there are more, or none is known. */
      readonly commit: NonNullable<QueueStep['window']>['commit']
      /** The last word of a person on it; null: there is none. */
      readonly mark: StepMark | null
      /** Null where it waits: nobody has marked it, or it has outgrown its mark. */
      readonly state: Exclude<MarkState, 'open'> | null
    } & Pick<QueueStep, 'architecture' | 'metric' | 'step' | 'foundAt'>)
  /** A slowdown that a person accepted until a day that has passed. */
  | (OfQueue &
      NamedPullRequest & {
        readonly kind: 'expired-acceptance'
        readonly actor: string
        readonly reason: string
        /** A fraction of the old value; null: it had no result in the new build. */
        readonly difference: number | null
      })
  /** An entry of the ledger that nobody has dealt with for as long as an entry may stay open. */
  | (OfQueue & {
      readonly kind: 'expired-entry'
      readonly hits7: number
      readonly unrelatedPullRequests: number
      readonly trunkHits: number
      readonly owner: string | null
    })

/** What waits for a person in some repositories. */
export interface Queue {
  /** In the order in which they need a person. */
  readonly items: readonly QueueItem[]
  /** Steps of the trunk that a person has marked, in the same order. */
  readonly marked: readonly QueueItem[]
  /** Items beyond those. */
  readonly notShown: number
}

const nullableCount = z.number().nullable()

/** The part of a stored report that the queue is made of. */
export const queueReportSchema = z.object({
  pullRequestNumber: z.number(),
  title: z.string().nullable(),
  author: z.string().nullable(),
  head: z.string(),
  judgedAt: z.number(),
  failingTests: z
    .object({
      failures: z.array(
        z.object({
          failure: z.object({ testName: z.string(), checkName: z.string(), time: z.number() }),
          classification: z.enum([...CLASSIFICATIONS, 'ignored']),
          unrelatedPullRequests: nullableCount,
          trunkHits: nullableCount,
          runs: nullableCount,
        }),
      ),
      redChecks: z.array(z.object({ name: z.string(), state: z.enum(['accounted-for', 'may-be-yours', 'not-known']) })),
    })
    .nullable(),
})
export type QueueReport = Readonly<z.output<typeof queueReportSchema>>

/** A lasting slowdown of the trunk, as the inbox keeps it. */
export const queueStepSchema = markedStepSchema.extend({
  /** When it was first found; milliseconds. */
  foundAt: z.number(),
  /** The commits between; null: nobody could say. */
  window: z
    .object({
      /** Those that can change the binary. */
      candidates: z.number(),
      /** The one of them, where there is one. */
      commit: z
        .object({
          sha: z.string(),
          title: z.string(),
          pullRequestNumber: z.number().nullable(),
          /** A login or a name; null: not known. */
          author: z.string().nullable(),
        })
        .nullable(),
      pullRequests: z.array(z.number()).readonly(),
    })
    .nullable(),
})
export type QueueStep = Readonly<z.output<typeof queueStepSchema>>

/** All that is known of one repository. */
export interface QueueSources {
  readonly repository: RepositoryAddress
  /** The lasting slowdowns of the trunk, and what people have said of them. */
  readonly steps: readonly QueueStep[]
  readonly marks: readonly StepMark[]
  /** The newest report of each pull request, the latest first. */
  readonly reports: readonly QueueReport[]
  readonly expiredEntries: readonly LedgerEntry[]
  /** What people have said of those pull requests. */
  readonly decisionsOf: (pullRequestNumber: number) => readonly Decision[]
  /** The time from which on a thing counts, and now, in milliseconds. */
  readonly from: number
  readonly now: number
}

/** What waits for a person in one repository. */
export function queueOfRepository(sources: QueueSources): QueueItem[] {
  return [
    ...sources.reports.flatMap((report) => ofChecks(sources, report)),
    ...trunkSteps(sources),
    ...sources.reports.flatMap((report) => expiredAcceptances(sources, report)),
    ...sources.expiredEntries.map((entry) => expiredEntry(sources, entry)),
  ]
}

function ofChecks({ repository }: QueueSources, report: QueueReport): QueueItem[] {
  const { failingTests, pullRequestNumber: number, title, author, head, judgedAt } = report
  if (failingTests === null) return []
  const path = reportPath({ ...repository, number, head })
  const of = { repository: nameOf(repository), path, pullRequestNumber: number, title, author }
  const withTests = new Set(failingTests.failures.map(({ failure }) => failure.checkName))
  return [
    ...failingTests.failures.flatMap(({ failure, classification, ...counts }): QueueItem[] => {
      if (classification !== 'unknown' && classification !== 'pr-suspect') return []
      const { testName, checkName: check, time: since } = failure
      const what = testName === '' ? check : testName
      return [{ kind: 'failing-test', ...of, what, since, check, classification, ...counts }]
    }),
    ...failingTests.redChecks.flatMap(({ name, state }): QueueItem[] =>
      state === 'accounted-for' || withTests.has(name)
        ? []
        : [{ kind: 'red-check', ...of, what: name, since: judgedAt }],
    ),
  ]
}

function trunkSteps(sources: QueueSources): QueueItem[] {
  const { repository } = sources
  return waitingSteps(sources).map(({ found, mark, state }) => {
    const { architecture, metric, step, lastGood, firstBad, window } = found
    return {
      kind: 'trunk-step',
      repository: nameOf(repository),
      what: queryLabel(found),
      since: firstBad.time,
      path: stepPath(repository, found),
      architecture,
      metric,
      step,
      lastGood: lastGood.commit,
      firstBad: firstBad.commit,
      foundAt: found.foundAt,
      commits: window?.candidates ?? null,
      commit: window?.commit ?? null,
      mark,
      state,
    }
  })
}

/**
 * The steps that nobody has accepted in a pull request, with what was said of them. `state`: what they are marked as; null: they wait
 * for a person.
 */
export function waitingSteps({
  steps,
  marks,
  decisionsOf,
  from,
  now,
}: Pick<QueueSources, 'steps' | 'marks' | 'decisionsOf' | 'from' | 'now'>) {
  const decisionsOn = (number: number) => standingDecisions(decisionsOf(number), now)
  const markOf = lastWords(marks)
  return steps
    .filter((found) => found.firstBad.time >= from && acceptedIn(found, pullRequestsOf(found), decisionsOn) === null)
    .map((found) => {
      const mark = markOf(found)
      const state = mark === null || mark.state === 'open' || hasOutgrown(found, mark) ? null : mark.state
      return { found, mark, state }
    })
}

/**
 * Who accepted a step of the trunk in a pull request of its window; null: nobody. Of a step that is not among the known lasting
 * slowdowns nobody can say it: its pull requests are not known.
 */
export function acceptanceOfStep(
  step: MarkedStep,
  { steps, decisionsOf, now }: Pick<QueueSources, 'steps' | 'decisionsOf' | 'now'>,
): AcceptedIn | null {
  const found = steps.find((known) => isSameStep(known, step))
  const pullRequests = found === undefined ? [] : pullRequestsOf(found)
  return acceptedIn(step, pullRequests, (number) => standingDecisions(decisionsOf(number), now))
}

/** The numbers of the pull requests that may have made the step. */
export function pullRequestsOf({ window }: QueueStep): readonly number[] {
  return window?.pullRequests ?? []
}

/**
 * The other known steps that the commit of this one may have made: with the same first bad commit, or with a window that leaves the
 * same one commit.
 */
export function othersOfCommit(step: MarkedStep, steps: readonly QueueStep[]): readonly QueueStep[] {
  const commit = steps.find((known) => isSameStep(known, step))?.window?.commit?.sha
  const isOfCommit = ({ firstBad, window }: QueueStep) =>
    firstBad.commit === step.firstBad.commit || (commit !== undefined && window?.commit?.sha === commit)
  return steps.filter((other) => isOfCommit(other) && !isSameStep(other, step))
}

/** The history on the architecture that stepped: the page shows one, with the form of its steps' marks. */
function stepPath(repository: RepositoryAddress, step: QueueStep): string {
  const path = queryPath(repository, step)
  if (step.architecture === null) return path
  return `${path}${path.includes('?') ? '&' : '?'}architecture=${encodeURIComponent(step.architecture)}`
}

/** The last word on a row is what counts: one that was accepted again, or taken back, has not expired. */
function expiredAcceptances({ repository, decisionsOf, from, now }: QueueSources, report: QueueReport): QueueItem[] {
  const { pullRequestNumber: number, title, author } = report
  const last = new Map<string, { readonly row: OpenRow; readonly decision: Decision }>()
  for (const decision of decisionsOf(number)) {
    if (decision.kind !== 'accept' && decision.kind !== 'unaccept') continue
    for (const row of decision.subject.rows) last.set(row.key, { row, decision })
  }
  return [...last.values()].flatMap(({ row, decision }): QueueItem[] => {
    const { kind, until, actor, reason } = decision
    if (kind !== 'accept' || until === null || until >= now || until < from) return []
    const path = reportPath({ ...repository, number, head: report.head })
    const named = { pullRequestNumber: number, title, author }
    const of = { repository: nameOf(repository), what: row.name, since: until, path, ...named }
    return [{ kind: 'expired-acceptance', ...of, actor, reason, difference: row.difference }]
  })
}

function expiredEntry({ repository }: QueueSources, entry: LedgerEntry): QueueItem {
  const { entryId, testName, checkName, expiresAt: since, hits7, unrelatedPullRequests, trunkHits, owner } = entry
  const path = entryPath(repository, entryId)
  const of = { repository: nameOf(repository), what: testName === '' ? checkName : testName, since, path }
  return { kind: 'expired-entry', ...of, hits7, unrelatedPullRequests, trunkHits, owner }
}

function nameOf({ owner, repo }: RepositoryAddress): string {
  return `${owner}/${repo}`
}

/**
 * What needs a person first stands first: what nobody explained, what may be the pull request's, steps of the trunk by their
 * size, then what has expired. Within each the latest.
 */
export function inQueueOrder(items: readonly QueueItem[]): QueueItem[] {
  return items.toSorted((a, b) => rankOf(a) - rankOf(b) || sizeOf(b) - sizeOf(a) || b.since - a.since)
}

/** Whether a person has said what becomes of it: it waits for nobody then. */
export function isMarked(item: QueueItem): boolean {
  return item.kind === 'trunk-step' && item.state !== null
}

/**
 * Whether no person is named for it: a step that nobody has marked, an entry without an owner, a check that nobody explained. An
 * acceptance has whoever gave it.
 */
export function isUnowned(item: QueueItem): boolean {
  if (item.kind === 'expired-entry') return item.owner === null
  return item.kind !== 'expired-acceptance' && !isMarked(item)
}

function rankOf(item: QueueItem): number {
  return item.kind === 'failing-test' && item.classification === 'unknown' ? 0 : RANKS[item.kind]
}

/** Failing tests that nothing explains stand before them all. */
const RANKS: Readonly<Record<QueueKind, number>> = {
  'red-check': 1,
  'failing-test': 2,
  'trunk-step': 3,
  'expired-acceptance': 4,
  'expired-entry': 5,
}

function sizeOf(item: QueueItem): number {
  return item.kind === 'trunk-step' ? item.step : 0
}

/** `trunk step`, or `trunk step, known`. */
export function kindWords(item: QueueItem): string {
  const words = QUEUE_WORDS[item.kind]
  return item.kind === 'trunk-step' && item.state !== null ? `${words}, ${item.state}` : words
}

export function emptySentence(days: number, what = 'Nothing'): string {
  return `${what} from the last ${days === 1 ? 'day' : `${count(days)} days`} needs attention.`
}

/** The pull request that an item is of, or that brought it; null: none is known. */
export function pullRequestOf(item: QueueItem): NamedPullRequest | null {
  if (item.kind === 'expired-entry') return null
  if (item.kind !== 'trunk-step') return item
  const { pullRequestNumber = null, title = null, author = null } = item.commit ?? {}
  return pullRequestNumber === null ? null : { pullRequestNumber, title, author }
}

/** The numbers of an item, in words. Texts of people and of commits stand in it as they are. */
export function numbersOf(item: QueueItem): string {
  if (item.kind === 'failing-test') {
    const { unrelatedPullRequests, trunkHits, runs, check } = item
    if (unrelatedPullRequests === null || trunkHits === null) return `in ${check}; its history could not be looked up`
    const where = `${counted(unrelatedPullRequests, 'other pull request', 'other pull requests')}, ${count(trunkHits)} on the main branch`
    return `in ${check}; ${where}${runs === null ? '' : `, of ${counted(runs, 'run', 'runs')}`}`
  }
  if (item.kind === 'red-check') return 'none of its failing tests are known'
  if (item.kind === 'trunk-step') {
    const { step, architecture, lastGood, firstBad, commit, commits } = item
    const where = architecture === null ? '' : ` on ${architecture}`
    const window = `${lastGood.slice(0, 10)}..${firstBad.slice(0, 10)}`
    const which =
      commit !== null
        ? `: ${commit.sha.slice(0, 10)} ${commit.title}${commit.author === null ? '' : ` by ${commit.author}`}`
        : commits === null
          ? ''
          : `, ${counted(commits, 'possible commit', 'possible commits')}`
    const marked = item.mark === null ? '' : `; ${markWords(item.mark)}`
    return `${signedPercent(step)}${where} in ${window}${which}${marked}`
  }
  if (item.kind === 'expired-acceptance') {
    const { actor, difference, reason } = item
    const size = difference === null ? '' : ` at ${signedPercent(difference)}`
    return `accepted by ${actor}${size}${reason === '' ? '' : `: ${reason}`}`
  }
  const { hits7, unrelatedPullRequests, trunkHits, owner } = item
  const where = `${counted(unrelatedPullRequests, 'pull request', 'pull requests')} and ${count(trunkHits)} on the main branch in 30`
  return `${counted(hits7, 'hit', 'hits')} in 7 days, ${where}; ${owner === null ? 'nobody owns it' : `owner ${owner}`}`
}

const NEXT_OF_MARKED: Readonly<Record<Exclude<MarkState, 'open'>, string>> = {
  known: 'Nothing: it is known.',
  accepted: 'Nothing: it is accepted.',
  assigned: 'Nothing: somebody has it.',
}

/** A sentence on what to do about an item. `person`: how it writes a name from outside. */
export function nextStepOf(item: QueueItem, person: (name: string) => string = (name) => name): string {
  if (item.kind === 'failing-test')
    return item.classification === 'unknown'
      ? 'Read its output, and run the check again.'
      : 'Ask the author: this PR may have caused it.'
  if (item.kind === 'red-check') return 'Read its log: nothing says why it is red.'
  if (item.kind === 'trunk-step') {
    if (item.state !== null) return NEXT_OF_MARKED[item.state]
    if (item.mark !== null) return 'Look at it again: it has grown since it was marked.'
    if (item.commit !== null) {
      const { author } = item.commit
      return `Ask ${author === null ? 'the author of the commit' : person(author)}, then revert or accept it.`
    }
    return item.commits === 0
      ? 'Build both ends again: no commit in the window can be the cause.'
      : 'Bisect the window.'
  }
  if (item.kind === 'expired-acceptance') return 'Accept it again with a later end date, or fix it.'
  return item.owner === null ? 'Fix the test, or give it an owner.' : 'Ask its owner to fix the test.'
}
