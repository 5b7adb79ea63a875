import { TooLate, withDeadline } from '../../../bot/triage/with-deadline.ts'
import { resultKey } from '../../../intake/measurement/run.ts'
import type { ClassifiedQuery } from '../../../judge/verdict/classified-query.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import type { SidesOfRow } from '../../../store/runs/samples-of-tests.ts'
import { StoreUnavailable } from '../../../store/store-unavailable.ts'
import type { Site } from '../site.ts'

/** The samples of a result; null: they are not kept, or were not read. */
export type SamplesOf = (result: ClassifiedQuery) => SidesOfRow | null

export const NO_SAMPLES: SamplesOf = () => null

/** Values that are read for one page: 200 rows of two architectures at 14 a row are 5,600. */
const MOST_VALUES = 30_000

/** Milliseconds that the page waits for what is not needed to read it. */
const PATIENCE = 1_000

/** The samples of the rows of a page, in one go. Without them where the database is away, or slow: the numbers are in the report. */
export async function samplesOfRows(
  { store }: Pick<Site, 'store'>,
  report: TriageReport,
  rows: readonly ReportRow[],
  patience = PATIENCE,
): Promise<SamplesOf> {
  const tests = new Set(rows.map(({ test }) => test))
  const values = report.rows.filter(({ test }) => tests.has(test)).reduce((sum, row) => sum + valuesOf(row), 0)
  if (values === 0 || values > MOST_VALUES) return NO_SAMPLES
  const wanted = {
    repositoryId: report.repository.id,
    head: report.head,
    tests: [...tests],
    metric: report.primaryMetric,
  }
  try {
    const found = await withDeadline(() => store.runs.samplesOfTests(wanted), patience)
    return (result) => found.get(resultKey(result))?.find((sides) => isOf(result, sides)) ?? null
  } catch (error) {
    if (error instanceof TooLate || error instanceof StoreUnavailable) return NO_SAMPLES
    throw error
  }
}

function valuesOf({ results }: ReportRow): number {
  return results.reduce((sum, { old, new: fresh }) => sum + (old.repetitions ?? 0) + (fresh.repetitions ?? 0), 0)
}

/** Of several checks that measured a query, the one whose medians the result has. */
function isOf({ old, new: fresh }: ClassifiedQuery, { oldMedian, newMedian }: SidesOfRow): boolean {
  return old.median === oldMedian && fresh.median === newMedian
}
