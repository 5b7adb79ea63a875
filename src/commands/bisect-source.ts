import { readCiDatabaseEnvironment } from '../config/environment.ts'
import { DEFAULT_CONFIG } from '../config/repository-config.ts'
import type { TrunkSeries } from '../history/trunk-series.ts'
import type { ClickHouse } from '../store/client.ts'
import { ExternalDatabaseUnavailable } from '../store/external-database.ts'
import { type CopyState, historyCopies } from '../store/history/history-copies.ts'
import { storedHistories } from '../store/history/stored-history.ts'
import { storedTrunkHistory } from '../store/history/stored-trunk-history.ts'
import { copyHistory } from '../sync/copy-history.ts'
import { type AllowedSources, openHistorySources } from '../sync/history-sources.ts'
import { isSameTrunk } from '../sync/history-sync.ts'
import { count } from '../text/numbers.ts'
import { DAY } from '../text/time.ts'
import { type CommandIO, InputError } from './command.ts'
import { openDatabase } from './database.ts'
import { type ChosenRepository, chosenRepository } from './history-repository.ts'
import { DEFAULT_TRUNK } from './option-values.ts'

/** The trunk's histories for one command. */
export interface BisectSource {
  /** The name of the source, for messages. */
  readonly where: string
  /**
   * Copies what the CI database of CIDB_URL has of it first, where that is set; `say` is told how far it has come. Where the server
   * has copied it from other tables, these are read as they are.
   */
  copy(wanted: HistoryWanted, say: (words: () => string) => void): Promise<void>
  /** All of one metric in the time, some at a time. */
  series(wanted: HistoryWanted): AsyncIterable<readonly TrunkSeries[]>
  /** The repository whose history is meant where nobody has said it. Throws `InputError` where that is not clear. */
  repositoryWith(metric: string): Promise<ChosenRepository>
  close(): Promise<void>
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

/** The stored history, brought up to date first. */
export async function openBisectSource(io: CommandIO): Promise<BisectSource> {
  const clickhouse = await openDatabase(io)
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
    async copy(wanted, say) {
      const states = await statesOf(clickhouse, wanted.repositoryId)
      const others = states.map((state) => state.copiedFrom).filter((table) => !copiedFrom.includes(table))
      if (others.length > 0) {
        // The server copies these, as the repository's configuration names them. With other tables beside them it would begin anew.
        copiedFrom = [...new Set(others)]
        return
      }
      if (forbidden !== null) {
        throw new InputError(`the table ${forbidden} is not one of CIDB_TABLES: add it there to let it be read`)
      }
      await copyTables(clickhouse, tables, states, wanted, say)
    },
    series: ({ repositoryId, metric, from, to }) =>
      history.allSeries({ repositoryId, metric, now: to, copiedFrom }, { from, to }),
    repositoryWith: async (metric) => await chosen(clickhouse, metric),
    async close() {
      await sources?.close()
      await clickhouse.close()
    },
  }
}

async function statesOf(clickhouse: ClickHouse, repositoryId: number): Promise<CopyState[]> {
  return (await historyCopies(clickhouse).states()).filter((state) => state.repositoryId === repositoryId)
}

/** A table that does not exist has no history, where another one does. */
async function copyTables(
  clickhouse: ClickHouse,
  tables: AllowedSources['tables'],
  states: readonly CopyState[],
  { repositoryId, metric, trunk: given, from }: HistoryWanted,
  say: (words: () => string) => void,
): Promise<void> {
  const missing: ExternalDatabaseUnavailable[] = []
  const copies = historyCopies(clickhouse)
  for (const source of tables) {
    const days = Math.ceil((Date.now() - from) / DAY)
    const known = states.filter((one) => one.copiedFrom === source.copiedFrom)
    const copiedFor = known.find((one) => one.trunk.length > 0)?.trunk ?? null
    const trunk = given.length > 0 ? given : (copiedFor ?? DEFAULT_TRUNK)
    if (copiedFor !== null && !isSameTrunk(copiedFor, trunk)) {
      throw new InputError(
        `the history of repository ${repositoryId} is copied for the trunk ${copiedFor.join(' ')}; leave --trunk out`,
      )
    }
    const copy = { repositoryId, source, metric, trunk, days }
    const state = known.find((one) => one.metric === metric) ?? null
    let rows = 0
    try {
      for await (const step of copyHistory(copies, copy, state, Date.now)) {
        rows += step.rows
        say(() => `copying the history: ${count(rows)} rows, ${count(Math.ceil(step.left / 24))} days left`)
      }
    } catch (error) {
      if (!(error instanceof ExternalDatabaseUnavailable) || error.problem !== 'missing-table') throw error
      missing.push(error)
    }
  }
  if (tables.length > 0 && missing.length === tables.length) throw missing[0]!
}

async function chosen(clickhouse: ClickHouse, metric: string): Promise<ChosenRepository> {
  const stored = (await storedHistories(clickhouse)).filter(({ repositoryId }) => repositoryId !== 0)
  const ofMetric = stored.filter((one) => one.metric === metric)
  return chosenRepository(ofMetric.length > 0 ? ofMetric : stored)
}
