import type { Command } from 'commander'
import type { HistorySource } from '../../intake/imports/history/trunk-row.ts'
import type { ClickHouse } from '../../store/client.ts'
import { type StoredHistory, storedHistories } from '../../store/history/stored-history.ts'
import { count } from '../../text/numbers.ts'
import { isoTime } from '../../text/time.ts'
import { type CommandIO, EXIT_OK, examples, type Finished, printJson } from './command.ts'
import { openStoredDatabase, withDatabase } from './database.ts'
import { formatTable, painter, type TerminalColumn } from './table.ts'
import { plainText, terminalWidth } from './terminal-text.ts'

/** The description, options and examples of `perf-triage history list`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Lists the main branch’s stored history: repositories, metrics, architectures, queries, runs and days.',
    )
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples(['history list', 'what was imported, and what the bot read itself']))
    .action(async (flags: { json?: boolean }) => {
      finished(await run(flags, io))
    })
}

const SOURCES: Readonly<Record<HistorySource, string>> = {
  own: 'runs the bot has read',
  imported: 'import',
  'ci-database': 'CI database',
}

const COLUMNS: readonly TerminalColumn<StoredHistory>[] = [
  { heading: 'repository', text: repositoryText },
  { heading: 'metric', text: ({ metric }) => plainText(metric) },
  { heading: 'architecture', text: ({ architecture }) => plainText(architecture ?? '') },
  { heading: 'queries', isNumber: true, text: ({ queries }) => count(queries) },
  { heading: 'runs', isNumber: true, text: ({ runs }) => count(runs) },
  { heading: 'first', text: ({ first }) => isoTime(first).slice(0, 10) },
  { heading: 'last', text: ({ last }) => isoTime(last).slice(0, 10) },
  { heading: 'from', text: ({ sources }) => sources.map((source) => SOURCES[source]).join(', ') },
]

/** Prints what the bot's own history of the trunk holds. */
async function run({ json }: { readonly json?: boolean }, io: CommandIO): Promise<number> {
  const ask = async (clickhouse: ClickHouse) => ({
    stored: await storedHistories(clickhouse),
    where: `${clickhouse.database} (${clickhouse.where})`,
  })
  const { stored, where } = await withDatabase(io, ask, openStoredDatabase)
  if (json) {
    const histories = stored.map((one) => ({ ...one, first: isoTime(one.first), last: isoTime(one.last) }))
    printJson({ histories }, io)
  } else if (stored.length === 0) {
    io.stdout.write(`no history of the main branch in ${where}; "perf-triage history import" loads one\n`)
  } else {
    const lines = formatTable(COLUMNS, stored, terminalWidth(io.stdout), painter(io.stdout, io.env))
    io.stdout.write(`${lines.join('\n')}\n`)
  }
  return EXIT_OK
}

/** `60246359 (acme/database)`, `0 (none)`: rows of before that belong to no repository. */
export function repositoryText({
  repositoryId,
  repository,
}: Pick<StoredHistory, 'repositoryId' | 'repository'>): string {
  const name = repositoryId === 0 ? 'none' : repository
  return name === null ? String(repositoryId) : `${repositoryId} (${plainText(name)})`
}
