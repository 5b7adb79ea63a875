import type { Command, Option } from 'commander'
import { MOST_QUEUE_REPOSITORIES, type QueueRepository } from '../../bot/triage/queue.ts'
import { readInboxEnvironment } from '../../config/environment.ts'
import type { Database } from '../../inbox/database.ts'
import type { ClickHouse } from '../../store/client.ts'
import type { Reports } from '../../store/reports/reports.ts'
import { type Store, storeOn } from '../../store/store.ts'
import { tsvTable } from '../../text/table.ts'
import { type CommandIO, EXIT_OK, examples, type Finished, InputError, printJson } from './command.ts'
import { openExistingDatabase } from './database.ts'
import {
  daysUpTo,
  parseRepository,
  REPOSITORY_FLAGS,
  type RepositoryGiven,
  repositoryGivenText,
} from './option-values.ts'
import { openInboxToRead } from './stored-inbox.ts'
import { type ColouredColumn, formatTable, painter, terminalColumns } from './table.ts'
import { terminalWidth, withSpaces } from './terminal-text.ts'

/** Commands that list what is stored, such as `queue`: their options, a question, and the columns of what is found. */
interface Listing<Options, Row> {
  readonly description: string
  /** How far back it looks; absent: there is no such option. */
  readonly days?: { readonly most: number; readonly initial: number }
  /** Whose entries it lists where no repository is named. */
  readonly ofAll?: string
  /** The options that it has beside those of all. */
  readonly options?: readonly Option[]
  readonly examples: readonly (readonly [command: string, meaning: string])[]
  readonly ask: (options: Options & ListingOptions, sources: ListingSources) => Promise<Listed<Row>>
  /** It asks the inbox too. */
  readonly readsInbox?: boolean
}

export interface ListingOptions {
  readonly repository?: RepositoryGiven
  readonly json?: boolean
}

interface ListingSources {
  /** The connection of `store`, whose first answer brings the tables up to date. */
  readonly clickhouse: ClickHouse
  readonly store: Store
  /** Null: there is none in the data folder. */
  readonly inbox: Database | null
  /** The address of the bot from outside; empty: it has none. */
  readonly publicUrl: string
  /** Milliseconds. */
  readonly now: number
}

interface Listed<Row> {
  /** The document of `--json`. */
  readonly json: object
  readonly columns: readonly ColouredColumn<Row>[]
  readonly rows: readonly Row[]
  /** In the place of a table without rows. */
  readonly nothing: string
  /** Lines below the table. */
  readonly below?: readonly string[]
  /** In the place of the table, lines that can be pasted. */
  readonly lines?: readonly string[]
  /** Where the output is no terminal, the table is tab-separated values. */
  readonly tsvWhenPiped?: boolean
}

/** Adds the description, options and examples of a listing, and the call that prints it. */
export function defineListing<Options, Row>(
  command: Command,
  io: CommandIO,
  finished: Finished,
  listing: Listing<Options, Row>,
): void {
  const { description, days, ofAll = 'all that have reports', options = [], examples: lines } = listing
  command.description(description)
  if (days !== undefined)
    command.option('--days <number>', `how far back to look (at most ${days.most})`, daysUpTo(days.most), days.initial)
  command.option(REPOSITORY_FLAGS, `only of this repository (default: ${ofAll})`, parseRepository)
  for (const option of options) command.addOption(option)
  command
    .option('--json', 'print one JSON document')
    .addHelpText('after', examples(...lines))
    .action(async (given: Options & ListingOptions) => {
      print(await askedOf(listing, given, io), given.json === true, io)
      finished(EXIT_OK)
    })
}

async function askedOf<Options, Row>(
  { ask, readsInbox = false }: Listing<Options, Row>,
  options: Options & ListingOptions,
  io: CommandIO,
): Promise<Listed<Row>> {
  await using inbox = readsInbox ? await openInboxToRead(readInboxEnvironment(io.env)) : null
  const clickhouse = await openExistingDatabase(io)
  const store = storeOn(clickhouse)
  const publicUrl = (io.env['PUBLIC_URL'] ?? '').replace(/\/+$/, '')
  try {
    return await ask(options, { clickhouse, store, inbox, publicUrl, now: Date.now() })
  } finally {
    await store.close()
  }
}

function print<Row>(
  { json, columns, rows, nothing, below = [], lines, tsvWhenPiped }: Listed<Row>,
  asJson: boolean,
  io: CommandIO,
): void {
  if (asJson) printJson(json, io)
  else if (lines !== undefined) io.stdout.write(lines.map((line) => `${line}\n`).join(''))
  else if (tsvWhenPiped && io.stdout.isTTY !== true)
    for (const piece of tsvTable(columns, () => rows).pieces()) io.stdout.write(piece)
  else {
    const table = formatTable(terminalColumns(columns), rows, terminalWidth(io.stdout), painter(io.stdout, io.env))
    io.stdout.write(`${(rows.length === 0 ? [nothing] : [...table, ...below]).map(withSpaces).join('\n')}\n`)
  }
}

/** The repository that was named, or those judged latest, at most so many. Throws `InputError`. */
export async function wantedRepositories(
  reports: Pick<Reports, 'repositoryByName' | 'repositoryById' | 'repositories'>,
  given: RepositoryGiven | undefined,
  most = MOST_QUEUE_REPOSITORIES,
): Promise<QueueRepository[]> {
  if (given !== undefined) {
    const found = await storedRepository(reports, given)
    if (found === null) throw new InputError(`no report of ${repositoryGivenText(given)} is stored`)
    return [found]
  }
  return await reports.repositories(most)
}

async function storedRepository(
  reports: Pick<Reports, 'repositoryByName' | 'repositoryById'>,
  given: RepositoryGiven,
): Promise<QueueRepository | null> {
  if ('id' in given) {
    const address = await reports.repositoryById(given.id)
    return address === null ? null : { ...address, id: given.id }
  }
  const [owner = '', repo = ''] = given.name.split('/')
  const found = await reports.repositoryByName(owner, repo)
  if (found === null) return null
  // as GitHub writes it, which a person need not
  return { ...((await reports.repositoryById(found.id)) ?? { owner, repo }), id: found.id }
}
