import { z } from 'zod'
import { NO_INDEX } from '../../intake/measurement/query-hash.ts'
import { CHANGED_FLOOR, UNSTABLE_FLOOR } from '../../judge/verdict/thresholds.ts'
import type { MeasuredOften } from '../../report/quality/quality.ts'
import { timestamp } from '../../text/time.ts'
import type { ClickHouse } from '../client.ts'
import { count } from '../column-values.ts'
import { readSql } from '../sql-file.ts'

/** What the runs of some days say of each query, for `quality`. */

const QUALITY = readSql(new URL('./quality.sql', import.meta.url))

/** The newest runs of pull requests: some hundred heads of a project with 24 checks. */
const MOST_RUNS = 2000

/** The newest runs of the trunk, which are asked only for how often they repeat. */
const MOST_TRUNK_RUNS = 100

/** Queries, each architecture of them; ClickHouse has some 3,000 on two. */
const MOST_QUERIES = 20_000

const SETTINGS = { do_not_merge_across_partitions_select_final: 1 } as const

export interface MeasuredOftenOf {
  readonly repositoryId: number
  readonly metric: string
  /** Milliseconds since 1970. */
  readonly since: number
  /** Tables of the CI database whose copied rows count, by their addresses. */
  readonly copiedFrom: readonly string[]
}

const row = z
  .object({
    test: z.string(),
    queryName: z.string(),
    queryIndex: count,
    architecture: z.string(),
    runs: count,
    trunkRuns: count,
    judgedRuns: count,
    unstableRuns: count,
    changedRuns: count,
    medianThreshold: z.number(),
    medianValue: z.number(),
    medianRepetitions: count,
  })
  .transform(
    ({
      queryName,
      queryIndex,
      architecture,
      judgedRuns,
      medianThreshold,
      medianRepetitions,
      ...of
    }): MeasuredOften => ({
      ...of,
      queryName: queryName === '' ? null : queryName,
      queryIndex: queryIndex === NO_INDEX ? null : queryIndex,
      architecture: architecture === '' ? null : architecture,
      judgedRuns,
      medianThreshold: judgedRuns === 0 ? null : medianThreshold,
      medianRepetitions: medianRepetitions === 0 ? null : medianRepetitions,
    }),
  )

/** What the runs of the trunk and of pull requests since then say of each query together, those of most runs first. */
export async function selectMeasuredOften(
  clickhouse: ClickHouse,
  { repositoryId, metric, since, copiedFrom }: MeasuredOftenOf,
): Promise<MeasuredOften[]> {
  const parameters = {
    repositoryId,
    metric,
    since: timestamp(since / 1000),
    copiedFrom: ['', ...copiedFrom],
    unstable: UNSTABLE_FLOOR,
    changed: CHANGED_FLOOR,
    runs: MOST_RUNS,
    trunkRuns: MOST_TRUNK_RUNS,
    limit: MOST_QUERIES,
  }
  return await clickhouse.read('quality', QUALITY, parameters, row, SETTINGS)
}
