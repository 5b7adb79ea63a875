import { readCiDatabaseEnvironment, readClickHouseEnvironment } from '../config/environment.ts'
import type { TrunkSeries } from '../history/trunk-series.ts'
import { type ClickHouse, openClickHouse } from '../store/client.ts'
import { chainedTrunkHistory } from '../store/history/chained-trunk-history.ts'
import { openCiTrunkHistory } from '../store/history/ci-trunk-history.ts'
import { ownTrunkHistory } from '../store/history/own-trunk-history.ts'
import { storedHistories } from '../store/history/stored-history.ts'
import { HistoryUnavailable, type TrunkHistory } from '../store/history/trunk-history.ts'
import { migrate } from '../store/migrate.ts'
import { type CommandIO, InputError } from './command.ts'
import { databaseProblem } from './database-problem.ts'
import { type ChosenRepository, chosenRepository } from './history-repository.ts'

/** The trunk's histories for one command. */
export interface BisectSource {
  /** The name of the source, for messages. */
  readonly where: string
  /** All of one metric in the time, some at a time. Throws `InputError`. */
  series(of: HistoryWanted): AsyncIterable<readonly TrunkSeries[]>
  /** The repository whose history is meant where nobody has said it. Throws `InputError` where that is not clear. */
  repositoryWith(metric: string): Promise<ChosenRepository>
  close(): Promise<void>
}

export interface HistoryWanted {
  readonly repositoryId: number
  readonly metric: string
  readonly trunk: readonly string[]
  /** Milliseconds since 1970, `(from, to]`. */
  readonly from: number
  readonly to: number
}

const CI_TABLES = { table: 'query_metrics_v2', runsTable: 'query_metric_runs_v1' }

/**
 * The bot's own history, and for queries that it has not the CI database of CIDB_URL, where that is set. Throws `InputError`
 * when the database can't be opened.
 */
export async function openBisectSource(io: CommandIO): Promise<BisectSource> {
  try {
    const clickhouse = await openClickHouse(readClickHouseEnvironment(io.env))
    try {
      await migrate(clickhouse)
      return sourceOf(clickhouse, io)
    } catch (error) {
      await clickhouse.close()
      throw error
    }
  } catch (error) {
    throw problemOf(error)
  }
}

function sourceOf(clickhouse: ClickHouse, io: CommandIO): BisectSource {
  const own = ownTrunkHistory(clickhouse)
  const where = `the history in ${clickhouse.database} (${clickhouse.where})`
  const repositoryWith = (metric: string) => chosen(clickhouse, metric)
  const database = readCiDatabaseEnvironment(io.env)
  if (database === null) {
    return { where, series: (of) => read(own, of), repositoryWith, close: async () => await clickhouse.close() }
  }
  const { url, user, password } = database
  const ci = openCiTrunkHistory({ url, user, password, ...CI_TABLES })
  return {
    where: `${where} and ${CI_TABLES.table} and ${CI_TABLES.runsTable} of ${url}`,
    series: (of) => read(chainedTrunkHistory(own, ci), of),
    repositoryWith,
    close: async () => {
      await ci.close()
      await clickhouse.close()
    },
  }
}

async function chosen(clickhouse: ClickHouse, metric: string): Promise<ChosenRepository> {
  try {
    const stored = (await storedHistories(clickhouse)).filter(({ repositoryId }) => repositoryId !== 0)
    const ofMetric = stored.filter((one) => one.metric === metric)
    return chosenRepository(ofMetric.length > 0 ? ofMetric : stored)
  } catch (error) {
    throw problemOf(error)
  }
}

async function* read(
  history: TrunkHistory,
  { repositoryId, metric, trunk, from, to }: HistoryWanted,
): AsyncGenerator<readonly TrunkSeries[]> {
  try {
    yield* history.allSeries({ repositoryId, metric, now: to, trunk }, { from, to })
  } catch (error) {
    throw problemOf(error)
  }
}

function problemOf(error: unknown): unknown {
  if (error instanceof HistoryUnavailable) return new InputError(error.message.replace(/\s+/g, ' '))
  return databaseProblem(error)
}
