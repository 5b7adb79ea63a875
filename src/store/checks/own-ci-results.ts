import type { ClickHouse, QueryParameters } from '../client.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import { CiLookup } from './ci-lookup.ts'
import type { CiQueries, ReadOptions } from './ci-queries.ts'
import { type CiResults, CiResultsUnavailable } from './ci-results.ts'
import { ciSql, executionsOf, OUTPUT_PARAMETERS, type RowSource } from './ci-sql.ts'

/** Characters: our engine takes addresses of a megabyte, a server by default as well. */
const PARAMETER_LENGTH = 100_000

export interface OwnCiResultsOptions {
  /** Awaited before each statement; brings the tables about. Left out: they are there. */
  readonly ready?: () => Promise<void>
}

/** The bot's own `checks`. The connection stays the caller's. */
export function ownCiResults(clickhouse: ClickHouse, options: OwnCiResultsOptions = {}): CiResults {
  return new CiLookup(ownCiQueries(clickhouse, options))
}

export function ownCiQueries(clickhouse: ClickHouse, { ready }: OwnCiResultsOptions = {}): CiQueries {
  const read: CiQueries['read'] = async (name, parameters, row, options = {}) => {
    try {
      await ready?.()
      return await clickhouse.read(name, ciSql(name, ownRows(options)), withOutputRead(parameters), row)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw new CiResultsUnavailable('unreachable', error.message)
      throw error
    }
  }
  // The commit is found by a projection, whenever it was.
  return { source: 'own', commitSearch: [null], parameterLength: PARAMETER_LENGTH, read }
}

/** Outputs are read only where they are needed: a granule of them is a hundred times the size of the other columns. */
export function ownRows(options: ReadOptions): RowSource {
  const output = options.withOutput === true ? '{{output-of-rows}}' : "''"
  return {
    file: 'own-rows',
    executions: executionsOf(options),
    parts: { output, final: options.unmerged === true ? '' : 'FINAL' },
  }
}

function withOutputRead(parameters: QueryParameters): QueryParameters {
  return { ...parameters, ...OUTPUT_PARAMETERS }
}
