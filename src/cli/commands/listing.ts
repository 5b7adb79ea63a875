import { MOST_QUEUE_REPOSITORIES, type QueueRepository } from '../../bot/triage/queue.ts'
import { readInboxEnvironment } from '../../config/environment.ts'
import type { Database } from '../../inbox/database.ts'
import { MARKDOWN, type Markup } from '../../report/queue/lines.ts'
import { SLACK } from '../../report/render/slack.ts'
import type { ClickHouse } from '../../store/client.ts'
import type { Reports } from '../../store/reports/reports.ts'
import { type Store, storeOn } from '../../store/store.ts'
import type { Column } from '../../text/table.ts'
import { type CommandIO, EXIT_OK, InputError, printJson } from './command.ts'
import { openDatabaseToRead, openExistingDatabase } from './database.ts'
import { MARKUP_NAMES, type MarkupName, type RepositoryGiven, repositoryGivenText } from './option-values.ts'
import { openInboxToRead } from './stored-inbox.ts'
import { type ColouredColumn, formatTable, formOf, listForm, painter, printTsv, terminalColumns } from './table.ts'
import { terminalWidth, withSpaces } from './terminal-text.ts'

/** Commands that list what is stored, such as `queue`: a question, and the columns of what is found. */
interface Listing<Options, Row> {
  readonly ask: (options: Options & ListingOptions, sources: ListingSources) => Promise<Listed<Row>>
  /** It asks the inbox too. */
  readonly readsInbox?: boolean
}

export interface ListingOptions {
  readonly repository?: RepositoryGiven
  readonly as?: string
  readonly json?: boolean
}

interface ListingSources {
  /** The connection of `store`, whose first answer brings the tables up to date where it may. */
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
  /** Of the TSV, where a terminal has others. */
  readonly tsv?: readonly Column<Row>[]
  /** In the place of the table, lines that can be pasted. */
  readonly lines?: readonly string[]
}

const MARKUPS: Readonly<Record<MarkupName, Markup>> = { markdown: MARKDOWN, slack: SLACK }

/** How lines to paste are written; null: they are not asked for. */
export function markupOf(as: string | undefined): Markup | null {
  const name = MARKUP_NAMES.find((one) => one === as)
  return name === undefined ? null : MARKUPS[name]
}

/** The work of a listing: it asks, and prints what is found. */
export function listingRun<Options, Row>(listing: Listing<Options, Row>) {
  return async (given: Options & ListingOptions, io: CommandIO): Promise<number> => {
    const form = formOf(given, listForm(io))
    print(await askedOf(listing, given, io), given.json === true ? 'json' : form, io)
    return EXIT_OK
  }
}

async function askedOf<Options, Row>(
  { ask, readsInbox = false }: Listing<Options, Row>,
  options: Options & ListingOptions,
  io: CommandIO,
): Promise<Listed<Row>> {
  return await withStored(io, { readsInbox, migrates: true }, (sources) => ask(options, sources))
}

/** Opens what is stored to answer one question, and closes it. `migrates` false: tables of another version are refused. */
export async function withStored<T>(
  io: CommandIO,
  { readsInbox, migrates }: { readonly readsInbox: boolean; readonly migrates: boolean },
  ask: (sources: ListingSources) => Promise<T>,
): Promise<T> {
  await using inbox = readsInbox ? await openInboxToRead(readInboxEnvironment(io.env)) : null
  const clickhouse = await (migrates ? openExistingDatabase(io) : openDatabaseToRead(io))
  const store = storeOn(clickhouse, { migrates })
  const publicUrl = (io.env['PUBLIC_URL'] ?? '').replace(/\/+$/, '')
  try {
    return await ask({ clickhouse, store, inbox, publicUrl, now: Date.now() })
  } finally {
    await store.close()
  }
}

function print<Row>(
  { json, columns, rows, nothing, below = [], tsv = columns, lines }: Listed<Row>,
  form: string,
  io: CommandIO,
): void {
  if (form === 'json') printJson(json, io)
  else if (lines !== undefined) io.stdout.write(lines.map((line) => `${line}\n`).join(''))
  else if (form === 'tsv') {
    printTsv(tsv, rows, io)
    const beside = (rows.length === 0 ? [nothing] : below).filter((line) => line !== '')
    io.stderr.write(beside.map((line) => `${withSpaces(line)}\n`).join(''))
  } else {
    const table = formatTable(terminalColumns(columns), rows, terminalWidth(io.stdout), painter(io.stdout, io.env))
    io.stdout.write(`${(rows.length === 0 ? [nothing] : [...table, ...below]).map(withSpaces).join('\n')}\n`)
  }
}

/** Where to look for what a default hides; empty: nowhere. */
export function lookFurther(days: number, most: number): string {
  return days < most ? ` Look further back with --days ${most}.` : ''
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

export async function storedRepository(
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
