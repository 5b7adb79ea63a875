import { TooLate, withDeadline } from '../../../bot/triage/with-deadline.ts'
import type { RepositoryConfig } from '../../../config/repository-config.ts'
import type { LedgerEntry } from '../../../judge/ledger/entry.ts'
import {
  type EntryTimeline,
  subjectOfRepository,
  TIMELINE_DAYS,
  timelineOfHistory,
} from '../../../judge/ledger/entry-timeline.ts'
import type { LookupProblem } from '../../../judge/ledger/failure.ts'
import { signatureOfText } from '../../../judge/ledger/signature.ts'
import { LEDGER_THRESHOLDS } from '../../../judge/ledger/thresholds.ts'
import type { CiDatabases } from '../../../store/checks/ci-databases.ts'
import { type CiResults, CiResultsUnavailable } from '../../../store/checks/ci-results.ts'
import type { Store } from '../../../store/store.ts'
import type { Log } from '../../kit/log.ts'
import type { NamedRepository } from '../query/trunk-of-repository.ts'

/** A person waits for the page: where the CI database takes longer, it shows what the bot has stored itself. */
const DATABASE_MS = 2_000

/** A page, its JSON and whoever opens it at the same time ask the CI database once. Some 30 KB each. */
const REMEMBERED_MS = 30_000
const MOST_REMEMBERED = 200

export type TimelineOf = (repository: NamedRepository, entry: LedgerEntry) => Promise<EntryTimeline>

export interface TimelineSources {
  readonly store: { readonly ledger: Pick<Store['ledger'], 'timelineOf'> }
  /** The last good configuration of a repository. */
  readonly configOf: (repositoryId: number) => Promise<RepositoryConfig>
  /** null: there is no CI database. */
  readonly databases: Pick<CiDatabases, 'of'> | null
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds that the CI database is given; a test waits less. */
  readonly databaseMs?: number
}

/**
 * The timeline of an entry from where its failures are looked up: the CI database where one answers for the repository,
 * else what the bot has stored. Never fails for the CI database alone. @throws StoreUnavailable
 */
export function timelineOf(sources: TimelineSources): TimelineOf {
  const { store, configOf, databases, log, now, databaseMs = DATABASE_MS } = sources
  const answers = new Map<string, { readonly at: number; readonly answer: Promise<EntryTimeline> }>()
  /** What is being asked is waited for, also by who comes after the first one has given up. */
  const remembered = (key: string, ask: () => Promise<EntryTimeline>): Promise<EntryTimeline> => {
    const known = answers.get(key)
    if (known !== undefined && now() - known.at < REMEMBERED_MS) return known.answer
    answers.delete(key)
    const answer = ask()
    answers.set(key, { at: now(), answer })
    answer.catch(() => answers.delete(key))
    if (answers.size > MOST_REMEMBERED) answers.delete(answers.keys().next().value!)
    return answer
  }
  return async ({ id, owner, repo }, entry) => {
    const repository = `${owner}/${repo}`
    const own = () => store.ledger.timelineOf(id, repository, entry)
    const { table } = (await configOf(id)).ledger
    const database = entry.kind === 'mover' ? null : (databases?.of(repository, table) ?? null)
    if (database === null) return await own()
    try {
      const key = JSON.stringify([id, repository.toLowerCase(), table, entry.entryId])
      const ask = () => remembered(key, () => ofDatabase(database, id, repository, entry, now()))
      return await withDeadline(ask, databaseMs)
    } catch (error) {
      log.warn({ err: error }, 'the CI database did not answer a page')
      return { ...(await own()), databaseProblem: problemOf(error) }
    }
  }
}

/** Asked at the same minute the same question: its mass failures are remembered. */
const MINUTE = 60_000

async function ofDatabase(
  database: CiResults,
  repositoryId: number,
  repository: string,
  { testName, checkName, signature }: LedgerEntry,
  now: number,
): Promise<EntryTimeline> {
  const until = Math.ceil(now / MINUTE) * MINUTE
  const thresholds = { ...LEDGER_THRESHOLDS, lookbackDays: TIMELINE_DAYS }
  const wanted = { testName, checkName: testName === '' ? checkName : null, failedIn: [checkName], until }
  const nobody = subjectOfRepository(repository)
  const [histories, massFailures] = await Promise.all([
    database.historiesOf([wanted], nobody, repositoryId, thresholds),
    database.massFailuresOf(until, nobody, repositoryId, thresholds),
  ])
  return timelineOfHistory(signatureOfText(signature), histories[0]!, massFailures, repository)
}

function problemOf(error: unknown): LookupProblem {
  if (error instanceof CiResultsUnavailable) return error.problem
  return error instanceof TooLate ? 'too-slow' : 'unexpected-answer'
}
