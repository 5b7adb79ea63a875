import type { Command } from 'commander'
import {
  claimsOfRepositories,
  DEFAULT_RECORD_DAYS,
  MOST_RECORD_DAYS,
  NOTHING_RECORDED,
  recordMemoryOf,
} from '../../bot/triage/record.ts'
import { readClickHouseEnvironment, readInboxEnvironment } from '../../config/environment.ts'
import { Decisions } from '../../inbox/decisions.ts'
import { Merges } from '../../inbox/merges.ts'
import { recordOf } from '../../report/record.ts'
import { openStore } from '../../store/store.ts'
import { emptyRecord, recordColumns, recordJson } from '../../web/pages/record.ts'
import { type CommandIO, EXIT_OK, examples, type Finished, printJson } from './command.ts'
import { daysUpTo, parseRepository, REPOSITORY_FLAGS, type RepositoryGiven } from './option-values.ts'
import { wantedRepositories } from './queue.ts'
import { openInboxToRead } from './stored-inbox.ts'
import { formatTable, painter, type TerminalColumn } from './table.ts'
import { terminalWidth, withSpaces } from './terminal-text.ts'

interface RecordOptions {
  readonly days: number
  readonly repository?: RepositoryGiven
  readonly json?: boolean
}

/** The description, options and examples of `perf-triage record`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Says how often each verdict and each kind of evidence was right, by what people accepted or ignored, what later runs of the commit saw, and what the trunk showed after the merge.',
    )
    .option(
      '--days <number>',
      `how far back it looks (at most ${MOST_RECORD_DAYS})`,
      daysUpTo(MOST_RECORD_DAYS),
      DEFAULT_RECORD_DAYS,
    )
    .option(REPOSITORY_FLAGS, 'only of this repository (default: all that have reports)', parseRepository)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['record', 'of all repositories, in 90 days'],
        ['record --days 30 --repository acme/fast.db', 'of one repository in the last month'],
        ['record --json', 'for other programs'],
      ),
    )
    .action(async (options: RecordOptions) => {
      finished(await run(options, io))
    })
}

async function run({ days, repository, json }: RecordOptions, io: CommandIO): Promise<number> {
  const environment = readClickHouseEnvironment(io.env)
  await using inbox = await openInboxToRead(readInboxEnvironment(io.env))
  const store = await openStore(environment)
  try {
    const memory =
      inbox === null ? NOTHING_RECORDED : recordMemoryOf({ decisions: new Decisions(inbox), merges: new Merges(inbox) })
    const repositories = await wantedRepositories(store.reports, repository)
    const lines = recordOf(await claimsOfRepositories(repositories, days, { store, memory, now: Date.now() }))
    const shown = lines.filter(({ rows }) => rows > 0)
    if (json) printJson(recordJson(lines, days), io)
    else if (shown.length === 0) io.stdout.write(`${emptyRecord(days)}\n`)
    else {
      const columns = recordColumns().filter(
        (column): column is TerminalColumn<(typeof lines)[number]> => 'text' in column,
      )
      const table = formatTable(columns, shown, terminalWidth(io.stdout), painter(io.stdout, io.env))
      io.stdout.write(`${table.map(withSpaces).join('\n')}\n`)
    }
    return EXIT_OK
  } finally {
    await store.close()
  }
}
