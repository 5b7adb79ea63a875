import type { CiResultsFormat, ReadContext } from '../format.ts'
import { lineBatches, TOO_LONG } from '../line-batches.ts'
import { cutName } from '../table-row.ts'
import type { CheckRow } from './check-row.ts'
import { type GivenValues, rowOfJob } from './given-values.ts'

const COLUMNS = 'Project,Test,IsFlaky,NumFailingRuns,NumPassingRuns,FirstFailingRunID,FirstPassingRunID,'

/**
 * The table of the FlakeFlagger study: how often each of 22,244 Java tests failed and passed in 10,000 runs of one commit
 * of its project. Of these the first failing and the first passing run are known as executions, so a test gives at most
 * two rows. A project is a check; a run is a job of its own. The table states no times: the given one is that of the last
 * run that there may be, and each run started as many seconds before it as its number is smaller, so that none is ahead.
 */
export const flakeFlagger: CiResultsFormat = {
  name: 'flakeflagger',
  looksFor: `a CSV that begins with ${COLUMNS}…`,
  matches: (head) => head.replace(/^\ufeff/, '').startsWith(COLUMNS),
  problem: (_head, given) => missing(given),
  read,
}

function missing(given: GivenValues): string | null {
  return given.commitSha === null ? 'the table states no commit; give one with --sha' : null
}

/** A run that did not happen. */
const NONE = '-1'
/** The study numbered its runs below it, each of some machines from another ten thousand on. */
const LAST_RUN = 99_999

async function* read(bytes: AsyncIterable<Uint8Array>, context: ReadContext): AsyncGenerator<readonly CheckRow[]> {
  const { given, time, warn } = context
  const tooLong = (number: number) => warn('limit-reached', number, TOO_LONG)
  for await (const lines of lineBatches(bytes, tooLong)) {
    const rows: CheckRow[] = []
    for (const { text, number, ended } of lines) {
      if (number === 1 || text.trim() === '') continue
      const fields = text.trimEnd().split(',')
      const [project = '', test = '', , , , failing = '', passing = ''] = fields
      if (fields.length < 8 || test === '' || !isRun(failing) || !isRun(passing)) {
        if (ended) warn('malformed-line', number, 'this is not a row of the table: skipped')
        else warn('truncated-line', number, 'the last line was cut off: skipped')
        continue
      }
      const start = time()
      const execution = (run: string, testStatus: string): CheckRow => ({
        ...rowOfJob(given, start - (LAST_RUN - Number(run)) * 1000),
        checkName: given.checkName ?? project,
        testName: cutName(test),
        testStatus,
        instanceId: run,
      })
      if (failing !== NONE) rows.push(execution(failing, 'FAIL'))
      if (passing !== NONE) rows.push(execution(passing, 'OK'))
    }
    yield rows
  }
}

function isRun(field: string): boolean {
  return field === NONE || /^\d{1,5}$/.test(field)
}
