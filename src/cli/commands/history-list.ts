import type { HistorySource } from '../../intake/imports/history/trunk-row.ts'
import type { ClickHouse } from '../../store/client.ts'
import { type StoredHistory, storedHistories } from '../../store/history/stored-history.ts'
import { count } from '../../text/numbers.ts'
import { wordsColumn } from '../../text/table.ts'
import { isoTime } from '../../text/time.ts'
import { type CommandIO, EXIT_OK, printJson } from './command.ts'
import { openStoredDatabase, withDatabase } from './database.ts'
import type { TableForm } from './option-values.ts'
import { type ColouredColumn, formatTable, formOf, listForm, painter, printTsv, terminalColumns } from './table.ts'
import { plainText, terminalWidth } from './terminal-text.ts'

const SOURCES: Readonly<Record<HistorySource, string>> = {
  own: 'runs the bot has read',
  imported: 'import',
  'ci-database': 'CI database',
}

const COLUMNS: readonly ColouredColumn<StoredHistory>[] = [
  { heading: 'repository', text: repositoryText },
  { key: 'repository_id', value: ({ repositoryId }) => repositoryId },
  { key: 'repository', value: ({ repository }) => repository },
  wordsColumn('metric', 'metric', ({ metric }) => metric),
  {
    key: 'architecture',
    value: ({ architecture }) => architecture,
    heading: 'architecture',
    text: ({ architecture }) => architecture ?? '',
  },
  {
    key: 'queries',
    value: ({ queries }) => queries,
    heading: 'queries',
    isNumber: true,
    text: ({ queries }) => count(queries),
  },
  { key: 'runs', value: ({ runs }) => runs, heading: 'runs', isNumber: true, text: ({ runs }) => count(runs) },
  wordsColumn(
    'first',
    'first',
    ({ first }) => isoTime(first),
    ({ first }) => isoTime(first).slice(0, 10),
  ),
  wordsColumn(
    'last',
    'last',
    ({ last }) => isoTime(last),
    ({ last }) => isoTime(last).slice(0, 10),
  ),
  wordsColumn(
    'sources',
    'from',
    ({ sources }) => sources.join(','),
    ({ sources }) => sources.map((source) => SOURCES[source]).join(', '),
  ),
]

interface HistoryListOptions {
  readonly as?: TableForm
  readonly json?: boolean
}

/** `perf-triage history list`: what the bot's own history of the trunk holds. */
export async function run(options: HistoryListOptions, io: CommandIO): Promise<number> {
  const form = formOf(options, listForm(io))
  const ask = async (clickhouse: ClickHouse) => ({
    stored: await storedHistories(clickhouse),
    where: `${clickhouse.database} (${clickhouse.where})`,
  })
  const { stored, where } = await withDatabase(io, ask, openStoredDatabase)
  if (options.json) {
    const histories = stored.map((one) => ({ ...one, first: isoTime(one.first), last: isoTime(one.last) }))
    printJson({ histories }, io)
  } else if (form === 'tsv') {
    printTsv(COLUMNS, stored, io)
  } else if (stored.length === 0) {
    io.stdout.write(`no history of the main branch in ${where}; "perf-triage history import" loads one\n`)
  } else {
    const lines = formatTable(terminalColumns(COLUMNS), stored, terminalWidth(io.stdout), painter(io.stdout, io.env))
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
