import type { Command } from 'commander'
import {
  claimsOfRepositories,
  DEFAULT_RECORD_DAYS,
  MOST_RECORD_DAYS,
  NOTHING_RECORDED,
  recordMemoryOf,
} from '../../bot/triage/record.ts'
import { Decisions } from '../../inbox/decisions.ts'
import { Merges } from '../../inbox/merges.ts'
import { emptyRecord, RECORD_COLUMNS, recordJson } from '../../report/record/columns.ts'
import { type RecordLine, recordOf } from '../../report/record/record.ts'
import type { CommandIO, Finished } from './command.ts'
import { defineListing, wantedRepositories } from './listing.ts'

/** The description, options and examples of `perf-triage record`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  defineListing<{ readonly days: number }, RecordLine>(command, io, finished, {
    description:
      'Says how often each verdict and kind of evidence was right, by what people accepted or ignored, what later runs of the commit saw, and what the main branch showed after the merge.',
    days: { most: MOST_RECORD_DAYS, initial: DEFAULT_RECORD_DAYS },
    examples: [
      ['record', 'of all repositories, in 90 days'],
      ['record --days 30 --repository acme/fast.db', 'of one repository in the last month'],
      ['record --json', 'for other programs'],
    ],
    readsInbox: true,
    ask: async ({ days, repository }, { store, inbox, now }) => {
      const memory =
        inbox === null
          ? NOTHING_RECORDED
          : recordMemoryOf({ decisions: new Decisions(inbox), merges: new Merges(inbox) })
      const repositories = await wantedRepositories(store.reports, repository)
      const lines = recordOf(await claimsOfRepositories(repositories, days, { store, memory, now }))
      return {
        json: recordJson(lines, days),
        columns: RECORD_COLUMNS,
        rows: lines.filter(({ rows }) => rows > 0),
        nothing: emptyRecord(days),
      }
    },
  })
}
