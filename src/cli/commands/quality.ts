import type { Command } from 'commander'
import { DEFAULT_QUALITY_DAYS, MOST_QUALITY_DAYS, qualityOfRepositories } from '../../bot/triage/quality.ts'
import { MOST_QUEUE_REPOSITORIES, type QueueRepository } from '../../bot/triage/queue.ts'
import { PRIMARY_METRIC } from '../../intake/measurement/run.ts'
import { type StoredHistory, storedHistories } from '../../store/history/stored-history.ts'
import type { Store } from '../../store/store.ts'
import { storeOn } from '../../store/store.ts'
import { tsvTable } from '../../text/table.ts'
import { DAY, isoTime } from '../../text/time.ts'
import { emptyQuality, lookedAt, moreRows, qualityColumns, qualityJson } from '../../web/pages/quality.ts'
import { type CommandIO, EXIT_OK, examples, type Finished, printJson } from './command.ts'
import { openDatabase } from './database.ts'
import { daysUpTo, parseName, parseRepository, REPOSITORY_FLAGS, type RepositoryGiven } from './option-values.ts'
import { wantedRepositories } from './queue.ts'
import { formatTable, painter, type TerminalColumn } from './table.ts'
import { plainText, terminalWidth, withSpaces } from './terminal-text.ts'

interface QualityOptions {
  readonly days: number
  readonly repository?: RepositoryGiven
  readonly metric: string
  readonly json?: boolean
}

/** The description, options and examples of `perf-triage quality`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Lists the queries that measure nothing, or little, by the stored runs of the trunk and of pull requests: unstable in most runs, too short to time, too slow, never different; with how many repetitions would show 5 %. A table on a terminal, tab-separated values elsewhere.',
    )
    .option(
      '--days <number>',
      `how far back it looks (at most ${MOST_QUALITY_DAYS})`,
      daysUpTo(MOST_QUALITY_DAYS),
      DEFAULT_QUALITY_DAYS,
    )
    .option(REPOSITORY_FLAGS, 'only of this repository (default: all that have reports or a history)', parseRepository)
    .option('--metric <name>', 'the metric that is looked at', parseName, PRIMARY_METRIC)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['quality', 'of all repositories, in 30 days'],
        ['quality --days 90 --repository acme/fast.db', 'of one repository in three months'],
        ['quality --json', 'for other programs'],
      ),
    )
    .action(async (options: QualityOptions) => {
      finished(await run(options, io))
    })
}

async function run({ days, repository, metric, json }: QualityOptions, io: CommandIO): Promise<number> {
  const clickhouse = await openDatabase(io)
  const store = storeOn(clickhouse)
  try {
    const copies = await store.historyCopies.states()
    const histories = await storedHistories(clickhouse)
    const asked = (await repositoriesAsked(store, histories, repository)).map((one) => {
      const own = copies.filter(({ repositoryId }) => repositoryId === one.id)
      return { ...one, metric, copiedFrom: [...new Set(own.map(({ copiedFrom }) => copiedFrom))] }
    })
    const now = endOfDays(asked, histories, metric, days)
    const quality = await qualityOfRepositories(asked, days, { store, now })
    const { rows, notShown } = quality
    const publicUrl = (io.env['PUBLIC_URL'] ?? '').replace(/\/+$/, '')
    const columns = qualityColumns(publicUrl)
    if (json) printJson(qualityJson(quality, days, publicUrl), io)
    else if (io.stdout.isTTY !== true)
      for (const piece of tsvTable(columns, () => rows).pieces()) io.stdout.write(piece)
    else if (rows.length === 0) io.stdout.write(`${withSpaces(emptyQuality(quality, days))}\n`)
    else {
      const shown = columns
        .filter((column): column is TerminalColumn<(typeof rows)[number]> => column.text !== undefined)
        .map((column) => ({ ...column, heading: withSpaces(column.heading.toLowerCase()), text: plainOf(column) }))
      const lines = formatTable(shown, rows, terminalWidth(io.stdout), painter(io.stdout, io.env))
      lines.push('', withSpaces(lookedAt(quality)))
      if (now < Date.now() - DAY)
        lines.push(`in ${days} days up to ${isoTime(now).slice(0, 10)}, the newest run that is stored`)
      if (notShown > 0) lines.push(moreRows(notShown))
      io.stdout.write(`${lines.join('\n')}\n`)
    }
    return EXIT_OK
  } finally {
    await store.close()
  }
}

/** Those that have reports, and those of which only a history of the trunk was imported. Throws `InputError`. */
async function repositoriesAsked(
  store: Store,
  histories: readonly StoredHistory[],
  given: RepositoryGiven | undefined,
): Promise<QueueRepository[]> {
  const imported = [...new Set(histories.filter((one) => one.repository === null).map((one) => one.repositoryId))]
    .filter((id) => id !== 0)
    .map((id) => ({ id, owner: '', repo: String(id) }))
  const unnamed = given !== undefined && 'id' in given ? imported.find(({ id }) => id === given.id) : undefined
  if (unnamed !== undefined) return [unnamed]
  const reported = await wantedRepositories(store.reports, given)
  return given === undefined ? [...reported, ...imported].slice(0, MOST_QUEUE_REPOSITORIES) : reported
}

/** A history that was imported may have ended long ago: the days of the only repository then end with its newest run. */
function endOfDays(
  asked: readonly { readonly id: number }[],
  histories: readonly StoredHistory[],
  metric: string,
  days: number,
): number {
  const now = Date.now()
  if (asked.length !== 1) return now
  const ends = histories.filter((one) => one.repositoryId === asked[0]!.id && one.metric === metric)
  const last = ends.reduce((newest, one) => Math.max(newest, one.last), 0)
  const areOnlyImported = ends.every(({ sources }) => sources.every((source) => source === 'imported'))
  return last > 0 && areOnlyImported && last < now - days * DAY ? last : now
}

function plainOf<Row>({ text }: TerminalColumn<Row>): (row: Row) => string {
  return (row) => plainText(text(row))
}
