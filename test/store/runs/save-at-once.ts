import type { Run } from '../../../src/intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../../src/judge/verdict/classified-query.ts'
import type { ClickHouse } from '../../../src/store/client.ts'
import { rowsOfRun } from '../../../src/store/runs/run-rows.ts'
import { QUERY_RESULTS, RUNS, SAMPLES } from '../../../src/store/runs/run-tables.ts'
import { DEFAULT_SAMPLE_DAYS } from '../../../src/store/runs/runs.ts'
import { insertInto } from '../../../src/store/table.ts'
import { DAY } from '../../../src/text/time.ts'

interface JudgedRun {
  readonly run: Run
  readonly results: readonly ClassifiedQuery[]
  readonly decides: string
}

/**
 * The rows that `runs.save` stores of these runs, which are new and without profiles, by a statement a table: one by one each
 * run takes six.
 */
export async function saveAtOnce(clickhouse: ClickHouse, judged: readonly JudgedRun[], now: Date): Promise<void> {
  const expires = new Date(now.getTime() + DEFAULT_SAMPLE_DAYS * DAY)
  const all = judged.map(({ run, results, decides }) => ({ run, ...rowsOfRun(run, results, expires, decides) }))
  await insertInto(
    clickhouse,
    QUERY_RESULTS,
    all.flatMap(({ results }) => [...results]),
  )
  await insertInto(
    clickhouse,
    SAMPLES,
    all.flatMap(({ samples }) => [...samples]),
  )
  await insertInto(
    clickhouse,
    RUNS,
    all.map((rows) => ({ ...rows, expires, storedAt: now })),
  )
}
