import { claimsOfRepositories, NOTHING_RECORDED, recordMemoryOf } from '../../bot/triage/record.ts'
import { Decisions } from '../../inbox/decisions.ts'
import { Merges } from '../../inbox/merges.ts'
import { MOST_RECORD_DAYS } from '../../report/lookback.ts'
import { emptyRecord, RECORD_COLUMNS, recordJson } from '../../report/record/columns.ts'
import { type RecordLine, recordOf } from '../../report/record/record.ts'
import { columnNamed } from '../../text/table.ts'
import { listingRun, lookFurther, wantedRepositories } from './listing.ts'

const TERMINAL_COLUMNS = ['name', 'of', 'precision', 'rows', 'real', 'noise', 'undecided', 'pull_requests', 'says'].map(
  (name) => columnNamed(RECORD_COLUMNS, name),
)

/** `perf-triage record` */
export const run = listingRun<{ readonly days: number }, RecordLine>({
  readsInbox: true,
  ask: async ({ days, repository }, { store, inbox, now }) => {
    const memory =
      inbox === null ? NOTHING_RECORDED : recordMemoryOf({ decisions: new Decisions(inbox), merges: new Merges(inbox) })
    const repositories = await wantedRepositories(store.reports, repository)
    const lines = recordOf(await claimsOfRepositories(repositories, days, { store, memory, now }))
    return {
      json: recordJson(lines, days),
      columns: TERMINAL_COLUMNS,
      tsv: RECORD_COLUMNS,
      rows: lines.filter(({ rows }) => rows > 0),
      nothing: `${emptyRecord(days)}${lookFurther(days, MOST_RECORD_DAYS)}`,
    }
  },
})
