import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { ExternalDatabaseUnavailable } from '../external-database.ts'
import type { CopyId, CopyState, HistoryCopies } from '../history/history-copies.ts'
import type { ProfileCopies, ProfileSource } from '../profiles/profile-copies.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import { type CopyStep, copyHistory, copyId, type HistoryCopy, wantedHours } from './copy-history.ts'
import { missingOf } from './hours.ts'

/** The copies that are to be made for one repository now. */
export interface RepositoryCopies {
  readonly repositoryId: number
  /** `owner/name`, for the log. */
  readonly name: string
  /** Medians come before raw runs. */
  readonly copies: readonly HistoryCopy[]
  /** The table out of which profiles may be copied, as `ProfileSource.copiedFrom`; null: none. */
  readonly profilesFrom: string | null
}

export interface HistorySyncOptions {
  readonly copies: HistoryCopies
  /** The profiles that were copied when heads were judged: those that were taken back are deleted in each round. */
  readonly profileCopies: Pick<ProfileCopies, 'sources' | 'remove'>
  /**
   * What may be copied: what is not in it was taken back and is deleted. Of a repository whose trunk nobody could say just now
   * the copies are `null`: nothing of it is copied or deleted. `held`: the repositories of which something is copied.
   */
  readonly wanted: (
    held: readonly number[],
  ) => Promise<readonly (RepositoryCopies | { readonly repositoryId: number; readonly copies: null })[]>
  /** Told when a copy has all hours of which some were missing: heads that were judged without them are judged again. */
  readonly onComplete?: (repositoryId: number) => Promise<void>
  /** Asked before each round: one of several processes copies. Absent: this one does. */
  readonly mayBegin?: () => Promise<boolean>
  readonly now: () => number
  readonly log: Logger
  /** Between the end of a round and the next one, in milliseconds. */
  readonly intervalMs?: number
  /** A round ends after so long, and the next one begins with the newest hours again; milliseconds. */
  readonly roundMs?: number
  /** False: a test does not want to wait. */
  readonly paced?: boolean
}

export interface HistorySync {
  /** One round now. Never fails. */
  round(): Promise<void>
  /** Begins nothing more. Resolves when the page that is under way has ended, at the latest after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
}

export const SYNC_INTERVAL_MS = 5 * 60_000
const ROUND_MS = 5 * 60_000

/** After each page as long a pause as the page took, up to this: both databases have other work. Milliseconds. */
const LONGEST_PAUSE_MS = 5_000

/**
 * Copies the trunk's history out of the CI database, round after round. The repositories take turns, a page each, so that a long
 * history of one does not hold up the others; what failed is tried again in the next round.
 */
export function startHistorySync(options: HistorySyncOptions): HistorySync {
  const { intervalMs = SYNC_INTERVAL_MS, mayBegin = async () => true } = options
  const stopping = new AbortController()
  let underWay: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const said = new Map<string, string>()

  const round = async (): Promise<void> => {
    clearTimeout(timer)
    const done = underWay.then(async () => !(await mayBegin()) || (await oneRound(options, said, stopping.signal)))
    underWay = done
    const isComplete = await done
    if (!stopping.signal.aborted) timer = setTimeout(() => void round(), isComplete ? intervalMs : 0)
  }

  timer = setTimeout(() => void round(), 0)
  return {
    round,
    async stop(timeoutMs) {
      stopping.abort()
      clearTimeout(timer)
      const limit = new AbortController()
      await Promise.race([underWay, sleep(timeoutMs, undefined, { signal: limit.signal }).catch(() => {})])
      limit.abort()
    },
  }
}

/** Whether everything is copied that can be; false: the time was over before. */
async function oneRound(
  options: HistorySyncOptions,
  said: Map<string, string>,
  stopping: AbortSignal,
): Promise<boolean> {
  const { copies, profileCopies, wanted, onComplete = async () => {}, now, log, roundMs = ROUND_MS } = options
  /** A problem is said when it comes, not in each round. */
  const say = (about: string, error: unknown, details: Record<string, unknown>) => {
    const text = error instanceof Error ? error.message : String(error)
    // The databases were closed under a page that did not end in time: it is copied again.
    if (stopping.aborted) return
    if (said.get(about) === text) return
    said.set(about, text)
    // Where our own database is away, others say so who need it.
    const level = error instanceof StoreUnavailable ? 'debug' : 'warn'
    log[level]({ err: error, ...details }, 'the main branch’s history could not be copied')
  }
  try {
    const states = await copies.states()
    const sources = await profileCopies.sources()
    const repositories = await wanted([...new Set([...states, ...sources].map(({ repositoryId }) => repositoryId))])
    // What GitHub takes to say what is wanted is no time of the copies.
    const end = performance.now() + roundMs
    const left = await withoutRevoked(copies, states, repositories, log)
    await removeRevokedProfiles(profileCopies, sources, repositories, log)
    said.delete('round')
    const turns = repositories.flatMap((repository) =>
      repository.copies === null || repository.copies.length === 0
        ? []
        : [{ repository, steps: stepsOf(repository, left, copies, onComplete, now, say, said) }],
    )
    const isComplete = await takeTurns(turns, end, options, stopping)
    await Promise.all(turns.map(({ steps }) => steps.return()))
    return isComplete
  } catch (error) {
    say('round', error, {})
    return true
  }
}

interface Turn {
  readonly repository: RepositoryCopies
  readonly steps: AsyncGenerator<SaidStep, void>
}

/** A page of one repository after the other until none has any left; false: the time was over before. `end`: by `performance.now`. */
async function takeTurns(
  turns: readonly Turn[],
  end: number,
  { log, paced = true }: HistorySyncOptions,
  stopping: AbortSignal,
): Promise<boolean> {
  for (let waiting = turns; waiting.length > 0; ) {
    const next: Turn[] = []
    for (const turn of waiting) {
      if (stopping.aborted || performance.now() > end) return false
      const started = performance.now()
      const { value: step, done } = await turn.steps.next()
      if (done === true) continue
      next.push(turn)
      const { copy, ...numbers } = step
      log.info({ repository: turn.repository.name, ...copy, ...numbers }, 'main branch’s history copied')
      if (paced) await pause(Math.min(performance.now() - started, LONGEST_PAUSE_MS), stopping)
    }
    waiting = next
  }
  return true
}

type SaidStep = Omit<CopyStep, 'hours'> & { readonly copy: CopyId; readonly from: string; readonly until: string }

/** The pages of all copies of a repository, one after the other. A copy that can't be read keeps none of the others. */
async function* stepsOf(
  repository: RepositoryCopies,
  states: readonly CopyState[],
  copies: HistoryCopies,
  onComplete: (repositoryId: number) => Promise<void>,
  now: () => number,
  say: (about: string, error: unknown, details: Record<string, unknown>) => void,
  said: Map<string, string>,
): AsyncGenerator<SaidStep, void> {
  for (const copy of repository.copies ?? []) {
    const id = copyId(copy)
    const state = states.find((one) => isSame(one, id)) ?? null
    const about = JSON.stringify(id)
    try {
      // The hour that goes on is missing at each turn of the hour, and no head waits for it.
      const [first, end] = wantedHours(copy, now())
      let isAwaited = missingOf([first, end - 1], state?.covered ?? []).length > 0
      for await (const { hours, ...step } of copyHistory(copies, copy, state, now)) {
        // Said with the last page: the round may end before another step is asked for.
        if (isAwaited && step.left === 0) {
          isAwaited = false
          await onComplete(repository.repositoryId)
        }
        yield { copy: id, from: timeOf(hours[0]), until: timeOf(hours[1]), ...step }
      }
      said.delete(about)
      // The last hours may have no rows, and so no page.
      if (isAwaited) await onComplete(repository.repositoryId)
    } catch (error) {
      say(about, error, { repository: repository.name, ...id })
      // Our own database, where it does not take these rows, does not take the next ones of this repository either.
      if (!(error instanceof ExternalDatabaseUnavailable)) return
    }
  }
}

/**
 * Deletes what was copied and may not be any more, or was copied for a trunk of another name, and gives the states of the others.
 * Rows that were left out for its sake may be in another table: what the repository has beside it is copied anew.
 */
async function withoutRevoked(
  copies: HistoryCopies,
  states: readonly CopyState[],
  repositories: Awaited<ReturnType<HistorySyncOptions['wanted']>>,
  log: Logger,
): Promise<readonly CopyState[]> {
  const allowed = new Map(
    repositories.map(({ repositoryId, copies: of }) => [
      repositoryId,
      of === null ? null : new Map(of.map(({ source, trunk }) => [source.copiedFrom, trunk])),
    ]),
  )
  const isRevoked = ({ repositoryId, copiedFrom, trunk }: CopyState) => {
    const tables = allowed.get(repositoryId)
    if (tables === null) return false
    const names = tables?.get(copiedFrom)
    return names === undefined || (trunk.length > 0 && !isSameTrunk(trunk, names))
  }
  const revoked = states.filter(isRevoked)
  if (revoked.length === 0) return states
  const affected = new Set(revoked.map(({ repositoryId }) => repositoryId))
  const kept: CopyState[] = []
  for (const state of states) {
    if (!affected.has(state.repositoryId)) {
      kept.push(state)
      continue
    }
    const anew = { ...state, covered: [], counted: new Map<number, number>(), checkedAt: 0 }
    await copies.save(anew)
    if (!isRevoked(state)) kept.push(anew)
  }
  const tables = new Map(revoked.map((state) => [JSON.stringify([state.repositoryId, state.copiedFrom]), state]))
  for (const { repositoryId, copiedFrom } of tables.values()) {
    await copies.remove(repositoryId, copiedFrom)
    log.info({ repositoryId, copiedFrom }, 'main branch’s history that may no longer be used was deleted')
  }
  return kept
}

/** Deletes the profiles that were copied and may not be used any more. */
async function removeRevokedProfiles(
  profileCopies: HistorySyncOptions['profileCopies'],
  sources: readonly ProfileSource[],
  repositories: Awaited<ReturnType<HistorySyncOptions['wanted']>>,
  log: Logger,
): Promise<void> {
  const known = new Map(repositories.map((repository) => [repository.repositoryId, repository]))
  for (const source of sources) {
    const repository = known.get(source.repositoryId)
    if (repository?.copies === null || repository?.profilesFrom === source.copiedFrom) continue
    await profileCopies.remove(source)
    log.info({ ...source }, 'profiles that may no longer be used were deleted')
  }
}

export function isSameTrunk(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every((name) => others.includes(name))
}

function isSame(a: CopyId, b: CopyId): boolean {
  return a.repositoryId === b.repositoryId && a.copiedFrom === b.copiedFrom && a.metric === b.metric
}

function timeOf(hour: number): string {
  return new Date(hour * 3_600_000).toISOString()
}

async function pause(milliseconds: number, stopping: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: stopping }).catch(() => {})
}
