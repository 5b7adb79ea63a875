import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import { authorOfCommit } from '../../github/commits.ts'
import type { Octokit } from '../../github/octokit.ts'
import type { Repository } from '../../github/repository.ts'
import { queryKey } from '../../intake/measurement/run.ts'
import { DEFAULT_INERT_PATHS, InertPaths } from '../../judge/bisect/binary-paths.ts'
import { type BisectWindow, slowdownsOf, withCommits } from '../../judge/bisect/bisect-window.ts'
import { HistoryUnavailable } from '../../judge/history/trunk-history.ts'
import type { QueueStep } from '../../report/queue/queue.ts'
import { type MarkedStep, markedStepOf } from '../../report/step/marks.ts'
import { copiedHistory } from '../../store/sync/copied-history.ts'
import { DAY } from '../../text/time.ts'
import type { TriageContext } from './triage-context.ts'
import { TooLate, withDeadline } from './with-deadline.ts'

/** Thousands of histories are read: some milliseconds for each. */
const STEPS_STAND_MS = 6 * 3600_000

/** The time for all histories of a repository. */
const HISTORIES_MS = 5 * 60_000

/** Pairs of ends whose commits are asked for, the newest first: up to forty calls each. The next look asks for the others. */
const MOST_PAIRS = 10
const COMMITS_MS = 60_000

/** The largest ones are kept. */
const MOST_STEPS = 1000

interface OfRepository {
  readonly octokit: Octokit
  readonly repository: Repository
  readonly config: RepositoryConfig
  readonly log: Logger
}

/**
 * Looks through the histories of a repository's trunk for queries that got lastingly slower in the last `lookbackDays`, unless that was
 * done some hours ago, and keeps them for the queue. A history that does not answer leaves what was found before. Whether
 * there are any.
 */
export async function lookForTrunkSteps(context: TriageContext, of: OfRepository): Promise<boolean> {
  const { inbox, now } = context
  const { id } = of.repository
  const foundAt = await inbox.trunkSteps.foundAt(id)
  const before = await inbox.trunkSteps.of(id)
  if (foundAt !== null && now() - foundAt < STEPS_STAND_MS) return before.length > 0
  const windows = await windowsOfTrunk(context, of)
  if (windows === null) return before.length > 0
  const steps = await withTheirCommits(context, of, windows, before)
  await inbox.trunkSteps.save(id, steps, now())
  return steps.length > 0
}

/** The lasting slowdowns, the newest first. Null: the history is empty, or can't be asked now or in time. */
async function windowsOfTrunk(
  { store, historySources, now, stopping }: TriageContext,
  { repository: { id, owner, name }, config, log }: OfRepository,
): Promise<BisectWindow[] | null> {
  const to = now()
  const copied = copiedHistory(historySources, store.historyCopies, { id, name: `${owner}/${name}` }, config, to)
  const of = { repositoryId: id, metric: config.metric, now: to, copiedFrom: copied?.copiedFrom ?? [] }
  const windows: BisectWindow[] = []
  let isEmpty = true
  let isOver = false
  const look = async () => {
    for await (const some of store.trunkHistory.allSeries(of, { from: to - config.lookbackDays * DAY, to })) {
      for (const series of some) {
        // Others are answered in between: a long history takes some milliseconds.
        await setImmediate()
        isEmpty = false
        if (isOver || stopping.aborted) return
        windows.push(...slowdownsOf(series))
      }
    }
  }
  try {
    await withDeadline(look, HISTORIES_MS)
  } catch (error) {
    if (!(error instanceof HistoryUnavailable || error instanceof TooLate)) throw error
    log.warn({ err: error }, 'the steps of the main branch are not up to date')
    return null
  } finally {
    isOver = true
  }
  // Its first rows may come in a minute: then they are looked at.
  if (isEmpty) return null
  const largest = windows.toSorted((a, b) => b.step.step - a.step.step).slice(0, MOST_STEPS)
  return largest.toSorted((a, b) => b.step.firstBad.time - a.step.firstBad.time)
}

/** What lies between two commits never changes: of what was found before it is not asked again. */
async function withTheirCommits(
  { commitRanges, now }: TriageContext,
  { octokit, repository, config, log }: OfRepository,
  windows: readonly BisectWindow[],
  before: readonly QueueStep[],
): Promise<QueueStep[]> {
  const { id, owner, name: repo } = repository
  const inertPaths = new InertPaths([...DEFAULT_INERT_PATHS, ...config.unbuiltPaths])
  const known = new Map<string, QueueStep['window']>(
    before.flatMap((step) => (step.window === null ? [] : [[endsOf(step), step.window]])),
  )
  const end = performance.now() + COMMITS_MS
  const ask = async (window: BisectWindow): Promise<QueueStep['window']> => {
    const { lastGood, firstBad } = window.step
    const commits = await commitRanges.range(octokit, { id, owner, repo }, lastGood.commit, firstBad.commit)
    const { functional } = withCommits(window, commits, { inertPaths })
    if (commits === null || commits.total === null) return null
    const candidates = functional.length + Math.max(0, commits.total - commits.listed.length)
    const [only] = candidates === 1 ? functional : []
    return {
      candidates,
      commit:
        only === undefined
          ? null
          : {
              sha: only.sha,
              title: only.title,
              pullRequestNumber: only.pullRequestNumber,
              author: await authorOfCommit(octokit, { owner, repo }, only.sha),
            },
      pullRequests: commits.listed.flatMap(({ pullRequestNumber }) => pullRequestNumber ?? []),
    }
  }
  let asked = 0
  for (const window of windows) {
    const ends = endsOf(markedStepOf(window))
    if (known.has(ends) || asked >= MOST_PAIRS) continue
    asked += 1
    try {
      known.set(ends, await withDeadline(() => ask(window), end - performance.now()))
    } catch (error) {
      log.warn({ err: error }, 'the commits of a step of the main branch could not be read')
      known.set(ends, null)
    }
  }
  const firstFound = new Map(before.map((step) => [keyOf(step), step.foundAt]))
  return windows.map((found): QueueStep => {
    const marked = markedStepOf(found)
    const foundAt = firstFound.get(keyOf(marked)) ?? now()
    return { ...marked, foundAt, window: known.get(endsOf(marked)) ?? null }
  })
}

function endsOf({ lastGood, firstBad }: MarkedStep): string {
  return `${lastGood.commit} ${firstBad.commit}`
}

function keyOf(step: MarkedStep): string {
  return JSON.stringify([queryKey(step), step.architecture, step.metric, step.firstBad.commit])
}
