import { readCiDatabaseEnvironment } from '../../config/environment.ts'
import { DEFAULT_CONFIG } from '../../config/repository-config.ts'
import type { TrunkSeries } from '../../judge/history/trunk-series.ts'
import type { ClickHouse } from '../../store/client.ts'
import { ExternalDatabaseUnavailable } from '../../store/external-database.ts'
import { type CopyState, type Hours, historyCopies } from '../../store/history/history-copies.ts'
import { knownRepositories, storedHistories } from '../../store/history/stored-history.ts'
import { storedTrunkHistory } from '../../store/history/stored-trunk-history.ts'
import { copyHistory, hoursOf } from '../../store/sync/copy-history.ts'
import { type AllowedSources, openHistorySources } from '../../store/sync/history-sources.ts'
import { isSameTrunk } from '../../store/sync/history-sync.ts'
import { hourOf, missingOf } from '../../store/sync/hours.ts'
import { count, counted, minute } from '../../text/numbers.ts'
import { DAY, HOUR } from '../../text/time.ts'
import { type CommandIO, InputError } from './command.ts'
import { openDatabase, openStoredDatabase } from './database.ts'
import { type ChosenRepository, chosenRepository, numberOf } from './history-repository.ts'
import { DEFAULT_TRUNK, type RepositoryGiven } from './option-values.ts'

/** The trunk's histories for one command. */
export interface BisectSource {
  /** The name of the source, for messages. */
  readonly where: string
  /**
   * Copies what the CI database of CIDB_URL has of it first, where that is set. Where the server has copied it from other tables, these
   * are read as they are. Where it can't be asked, what was copied before stands if that reaches back far enough.
   */
  copy(wanted: HistoryWanted, tell: TellOfCopy): Promise<void>
  /** All of one metric in the time, some at a time. */
  series(wanted: HistoryWanted): AsyncIterable<readonly TrunkSeries[]>
  /** The repository whose history is meant where nobody has said it. Throws `InputError` where that is not clear. */
  repositoryWith(metric: string): Promise<ChosenRepository>
  /** The number of the repository that was named. Throws `InputError` where its name is not known. */
  numberOf(given: RepositoryGiven): Promise<number>
  close(): Promise<void>
}

export interface TellOfCopy {
  /** Told how far the copy has come. */
  readonly progress: (words: () => string) => void
  /** Told what a person has to know of the history that is used. */
  readonly note: (text: string) => void
}

export interface HistoryWanted {
  readonly repositoryId: number
  readonly metric: string
  /** The names of the trunk, for rows of the CI database that name a branch; empty: not given. */
  readonly trunk: readonly string[]
  /** Milliseconds since 1970, `(from, to]`. */
  readonly from: number
  readonly to: number
}

/** The stored history, brought up to date first. Only where it is copied from a CI database does this begin a database. */
export async function openBisectSource(io: CommandIO): Promise<BisectSource> {
  const isCopied = readCiDatabaseEnvironment(io.env) !== null
  const clickhouse = await (isCopied ? openDatabase(io) : openStoredDatabase(io))
  try {
    return sourceOf(clickhouse, io)
  } catch (error) {
    await clickhouse.close()
    throw error
  }
}

function sourceOf(clickhouse: ClickHouse, io: CommandIO): BisectSource {
  const environment = readCiDatabaseEnvironment(io.env)
  // Whoever may run a command here says by its number whose history the database has.
  const sources = environment === null ? null : openHistorySources({ ...environment, repositories: null })
  const { tables, forbidden } = sources?.of('', DEFAULT_CONFIG.history) ?? { tables: [], forbidden: null }
  const history = storedTrunkHistory(clickhouse)
  const where = `the history in ${clickhouse.database} (${clickhouse.where})`
  let copiedFrom = tables.map((table) => table.copiedFrom)
  return {
    where: environment === null ? where : `${where} and in the CI database ${environment.url}`,
    async copy(wanted, tell) {
      const states = await statesOf(clickhouse, wanted.repositoryId)
      const others = states.map((state) => state.copiedFrom).filter((table) => !copiedFrom.includes(table))
      if (others.length > 0) {
        // The server copies these, as the repository's configuration names them. With other tables beside them it would begin anew.
        copiedFrom = [...new Set(others)]
        return
      }
      if (forbidden !== null) {
        throw new InputError(`the table ${forbidden} is not in CIDB_TABLES; add it there to allow reading it`)
      }
      await copyTables(clickhouse, tables, states, wanted, tell)
    },
    series: ({ repositoryId, metric, from, to }) =>
      history.allSeries({ repositoryId, metric, now: to, copiedFrom }, { from, to }),
    repositoryWith: async (metric) => await chosen(clickhouse, metric),
    numberOf: async (given) => await numberOf(given, async () => await knownRepositories(clickhouse)),
    async close() {
      await sources?.close()
      await clickhouse.close()
    },
  }
}

async function statesOf(clickhouse: ClickHouse, repositoryId: number): Promise<CopyState[]> {
  return (await historyCopies(clickhouse).states()).filter((state) => state.repositoryId === repositoryId)
}

/** A table that does not exist, or did not when it was last asked for, has no history, where another one does. */
async function copyTables(
  clickhouse: ClickHouse,
  tables: AllowedSources['tables'],
  states: readonly CopyState[],
  wanted: HistoryWanted,
  tell: TellOfCopy,
): Promise<void> {
  const missing: ExternalDatabaseUnavailable[] = []
  for (const source of tables) {
    const known = states.filter((one) => one.copiedFrom === source.copiedFrom)
    try {
      await copyTable(clickhouse, source, known, wanted, tell)
    } catch (error) {
      if (!(error instanceof ExternalDatabaseUnavailable)) throw error
      const now = await statesOf(clickhouse, wanted.repositoryId)
      const state = now.find((one) => one.copiedFrom === source.copiedFrom && one.metric === wanted.metric)
      const gaps = gapsOf(state, wanted)
      if (gaps !== null) tell.note(`${error.message} ${copiedBefore(state!, gaps)}`)
      else if (state?.problem?.kind === 'missing-table') missing.push(error)
      else throw tooLittleCopied(error, state, wanted)
    }
  }
  if (tables.length > 0 && missing.length === tables.length) throw missing[0]!
}

async function copyTable(
  clickhouse: ClickHouse,
  source: AllowedSources['tables'][number],
  known: readonly CopyState[],
  { repositoryId, metric, trunk: given, from }: HistoryWanted,
  { progress }: TellOfCopy,
): Promise<void> {
  const days = Math.ceil((Date.now() - from) / DAY)
  const copiedFor = known.find((one) => one.trunk.length > 0)?.trunk ?? null
  const trunk = given.length > 0 ? given : (copiedFor ?? DEFAULT_TRUNK)
  if (copiedFor !== null && !isSameTrunk(copiedFor, trunk)) {
    throw new InputError(
      `the history of repository ${repositoryId} is copied for the branch ${copiedFor.join(' ')}; omit --trunk`,
    )
  }
  const copy = { repositoryId, source, metric, trunk, days }
  const state = known.find((one) => one.metric === metric) ?? null
  let rows = 0
  for await (const step of copyHistory(historyCopies(clickhouse), copy, state, Date.now)) {
    rows += step.rows
    progress(() => `copying the history: ${count(rows)} rows, ${count(Math.ceil(step.left / 24))} days left`)
  }
}

/** The whole hours of a time that can have been copied: the hour that goes on is not over. */
function wholeHours({ from, to }: HistoryWanted): Hours {
  return [Math.ceil(from / HOUR), hourOf(Math.min(to, Date.now()))]
}

/**
 * The hours of the time that were not copied, the newest first; null: its beginning was not. A copy goes from the newest hours to the
 * oldest: one that does not reach back is a part of the history, and a step may lie in the rest.
 */
function gapsOf(state: CopyState | undefined, wanted: HistoryWanted): readonly Hours[] | null {
  const hours = wholeHours(wanted)
  const covered = state?.covered ?? []
  const reachesBack = covered.some(([first, end]) => first <= hours[0] && hours[0] < end)
  return reachesBack ? missingOf(hours, covered) : null
}

/** Stretches without a copy that a note lists. */
const GAPS_LISTED = 5

function copiedBefore({ covered }: CopyState, gaps: readonly Hours[]): string {
  const until = minute(Math.min(covered.at(-1)![1] * HOUR, Date.now()))
  const used = `What was copied from it before, until ${until}, is used`
  if (gaps.length === 0) return `${used}.`
  const listed = gaps.slice(0, GAPS_LISTED).map(([first, end]) => `${minute(first * HOUR)} to ${minute(end * HOUR)}`)
  const more =
    gaps.length > GAPS_LISTED ? ` and ${counted(gaps.length - GAPS_LISTED, 'more stretch', 'more stretches')}` : ''
  return `${used}; ${counted(hoursOf(gaps), 'hour is', 'hours are')} missing: ${listed.join(', ')}${more}.`
}

/** The problem itself, and how far back one could ask. */
function tooLittleCopied(error: Error, state: CopyState | undefined, wanted: HistoryWanted): Error {
  const [from] = wholeHours(wanted)
  const oldest = state?.covered.find(([, end]) => end > from)
  if (oldest === undefined) return error
  const [there, asked] = [oldest[0], from].map((hour) => minute(hour * HOUR))
  return new InputError(
    `${error.message} What was copied from it before reaches back to ${there}, not to ${asked}: give fewer --days`,
  )
}

async function chosen(clickhouse: ClickHouse, metric: string): Promise<ChosenRepository> {
  const stored = (await storedHistories(clickhouse)).filter(({ repositoryId }) => repositoryId !== 0)
  const ofMetric = stored.filter((one) => one.metric === metric)
  return chosenRepository(ofMetric.length > 0 ? ofMetric : stored)
}
