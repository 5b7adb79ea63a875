import { readFile } from 'node:fs/promises'
import { type PeopleOf, peopleOf } from '../../bot/triage/people.ts'
import { CONFIG_PATH } from '../../config/config-path.ts'
import {
  type CiDatabaseEnvironment,
  readCiDatabaseEnvironment,
  readInboxEnvironment,
} from '../../config/environment.ts'
import { parseRepositoryConfig } from '../../config/parse-repository-config.ts'
import { DEFAULT_CONFIG, type RepositoryConfig } from '../../config/repository-config.ts'
import { Decisions } from '../../inbox/decisions.ts'
import { InboxPeople } from '../../inbox/people.ts'
import { Repositories } from '../../inbox/repositories.ts'
import type { Declarations } from '../../judge/ledger/declaration.ts'
import type { Classification } from '../../judge/ledger/failure.ts'
import { type People, UNKNOWN_PEOPLE } from '../../judge/ledger/witness.ts'
import { openCiDatabase } from '../../store/checks/ci-database.ts'
import { type CiResults, CiResultsUnavailable } from '../../store/checks/ci-results.ts'
import { type CiSearch, ciSearch, MOST_FOUND } from '../../store/checks/ci-search.ts'
import { ownCiQueries, ownCiResults } from '../../store/checks/own-ci-results.ts'
import { repositoriesOfChecks, rowsOfChecks } from '../../store/checks/rows-of-checks.ts'
import type { ClickHouse } from '../../store/client.ts'
import { namesOfRepositories } from '../../store/history/stored-history.ts'
import type { Reports } from '../../store/reports/reports.ts'
import { storeOn } from '../../store/store.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import { type CommandIO, InputError } from './command.ts'
import { openExistingDatabase, openStoredDatabase } from './database.ts'
import { repositoriesText } from './history-repository.ts'
import type { MarkupName, RepositoryGiven, TableForm } from './option-values.ts'
import { openInboxToRead } from './stored-inbox.ts'

/** `ledger lookup`, as the command line gives it. */
export interface LedgerLookupOptions {
  readonly pr?: number
  readonly sha?: string
  /** A single test; it is there where `sha` and `check` are not. */
  readonly test?: string
  readonly check?: string
  /** Milliseconds. Not given: the time of each failure. */
  readonly now?: number
  /** Days. Not given: as the configuration says. */
  readonly lookback?: number
  readonly trunk?: readonly string[]
  /** Not given: rows of every repository count. */
  readonly repository?: string
  /** 0: rows are told apart by the name in them alone. */
  readonly repositoryId: number
  readonly mergeBase?: string
  /** Paths that the pull request changes. Not given: they are not known. */
  readonly changedFile?: readonly string[]
  readonly config?: string
  /** Not given: advisory. */
  readonly mode?: People['mode']
  readonly failOn?: readonly Classification[]
  readonly as?: TableForm | MarkupName
  readonly details?: boolean
  readonly json?: boolean
}

/** CI results for one command. */
export interface LookupSource {
  readonly ciResults: CiResults
  readonly search: CiSearch
  /** The name of the source for messages: `the CI database https://…`, `the imported CI results`. */
  readonly where: string
  /** The error of `ciResults` when it could not be asked; null while it could. */
  problem(): CiResultsUnavailable | null
  /** Whose rows count; where none was named, the only one that is stored. */
  readonly repository: Pick<LedgerLookupOptions, 'repositoryId' | 'repository'>
  /** What the bot has said; null: there is no database of a bot. */
  readonly reports: Pick<Reports, 'of'> | null
  /** Rows that there are at all; null where counting them would be a scan of somebody else's table. */
  rows(): Promise<number | null>
  close(): Promise<void>
}

export interface LookupScope {
  /** The table of the CI database, as the configuration names it. */
  readonly table: string
  readonly repositoryId: number
  /** `owner/name`; empty: every repository. */
  readonly repository: string
}

/** The CI database of CIDB_URL, else the bot's own tables. */
export async function openLookupSource(scope: LookupScope, io: CommandIO): Promise<LookupSource> {
  const database = readCiDatabaseEnvironment(io.env)
  return database === null ? await ownSource(scope, io) : await ciDatabaseSource(scope, database, io)
}

async function ownSource(scope: LookupScope, io: CommandIO): Promise<LookupSource> {
  const clickhouse = await openStoredDatabase(io)
  try {
    const where = `the CI results in ${clickhouse.database} (${clickhouse.where})`
    const isNamed = scope.repositoryId !== 0 || scope.repository !== ''
    const repository = isNamed ? namedIn(scope) : await onlyRepository(clickhouse, where, io)
    const { repositoryId } = repository
    return {
      ...remembering(ownCiResults(clickhouse)),
      search: ciSearch(ownCiQueries(clickhouse), { repository: '', ...repository }),
      where,
      repository,
      reports: storeOn(clickhouse).reports,
      rows: async () => await rowsOfChecks(clickhouse, repositoryId),
      close: async () => await clickhouse.close(),
    }
  } catch (error) {
    await clickhouse.close()
    throw error
  }
}

function namedIn({ repositoryId, repository }: LookupScope): LookupSource['repository'] {
  return repository === '' ? { repositoryId } : { repositoryId, repository }
}

/**
 * The only repository that has CI results, and a line that says so; rows that were imported for any count where they have its
 * name. Where there are no others, all of them do. Throws `InputError` where there are several repositories, or no rows at all.
 */
async function onlyRepository(
  clickhouse: ClickHouse,
  where: string,
  io: CommandIO,
): Promise<LookupSource['repository']> {
  const [stored, names] = await Promise.all([repositoriesOfChecks(clickhouse), namesOfRepositories(clickhouse)])
  if (stored.length === 0)
    throw new InputError(`there is nothing in ${where}: \`perf-triage ledger import\` loads some`)
  const known = stored
    .filter((id) => id !== 0)
    .toSorted((a, b) => a - b)
    .map((id) => ({ repositoryId: id, repository: names.get(id) ?? null }))
  const [only, ...others] = known
  if (only === undefined) return { repositoryId: 0 }
  const text = repositoriesText(known)
  if (others.length > 0)
    throw new InputError(`${known.length} repositories have CI results: ${text}; choose with --repository`)
  io.stderr.write(`perf-triage ledger lookup: the CI results of repository ${text}, the only one stored\n`)
  const { repositoryId, repository } = only
  const named = repository === null ? {} : { repository }
  return { ...named, ...(await knownRepository({ repository: { id: repositoryId }, repositoryId: 0 }, io)) }
}

async function ciDatabaseSource(
  scope: LookupScope,
  { url, user, password }: CiDatabaseEnvironment,
  io: CommandIO,
): Promise<LookupSource> {
  const { table } = scope
  const own = await databaseBeside(io)
  const database = openCiDatabase({ url, user, password, table })
  return {
    ...remembering(database),
    search: ciSearch(database.queries, scope),
    where: `${table} of the CI database ${url}`,
    repository: namedIn(scope),
    reports: own === null ? null : storeOn(own).reports,
    rows: async () => await Promise.resolve(null),
    close: async () => {
      await database.close()
      await own?.close()
    },
  }
}

/** The bot's own database, where there is one: a CI database answers without it. */
async function databaseBeside(io: CommandIO): Promise<ClickHouse | null> {
  try {
    return await openExistingDatabase(io)
  } catch (error) {
    if (error instanceof InputError || error instanceof StoreUnavailable) return null
    throw error
  }
}

/** A refused answer becomes a problem of the result; its words are kept for the person. */
function remembering(inner: CiResults): Pick<LookupSource, 'ciResults' | 'problem'> {
  let problem: CiResultsUnavailable | null = null
  const remember = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      return await asked
    } catch (error) {
      if (error instanceof CiResultsUnavailable) problem = error
      throw error
    }
  }
  return {
    problem: () => problem,
    ciResults: {
      source: inner.source,
      failuresOf: (...wanted) => remember(inner.failuresOf(...wanted)),
      historiesOf: (...wanted) => remember(inner.historiesOf(...wanted)),
      massFailuresOf: (...wanted) => remember(inner.massFailuresOf(...wanted)),
    },
  }
}

/**
 * The number and the name of the repository that was named, as far as the bot of this data folder knows them: rows of CI
 * have the one or the other. Throws `InputError` where a CI database would be asked for a number alone.
 */
export async function knownRepository(
  { repository, repositoryId }: { readonly repository?: RepositoryGiven; readonly repositoryId: number },
  io: CommandIO,
): Promise<Pick<LedgerLookupOptions, 'repositoryId' | 'repository'>> {
  if (repository === undefined) return { repositoryId }
  await using inbox = await openInboxToRead(readInboxEnvironment(io.env))
  const repositories = inbox === null ? null : new Repositories(inbox)
  if ('name' in repository) {
    const [owner = '', name = ''] = repository.name.split('/')
    const known = repositoryId === 0 ? (await repositories?.byName(owner, name))?.repositoryId : repositoryId
    return { repositoryId: known ?? 0, repository: repository.name }
  }
  const known = await repositories?.byId(repository.id)
  if (known !== undefined && known !== null && known.owner !== '') {
    return { repositoryId: repository.id, repository: `${known.owner}/${known.repo}` }
  }
  if (readCiDatabaseEnvironment(io.env) === null) return { repositoryId: repository.id }
  throw new InputError(
    `the name of repository ${repository.id} is not known here, but a CI database needs it: give --repository owner/name`,
  )
}

/** The failures of a repository that people have declared chronic, or taken that back, to the bot of this data folder. */
export async function storedDeclarations(
  { repositoryId }: Pick<LedgerLookupOptions, 'repositoryId'>,
  io: CommandIO,
): Promise<Declarations> {
  await using inbox = repositoryId === 0 ? null : await openInboxToRead(readInboxEnvironment(io.env))
  return inbox === null ? new Map() : await new Decisions(inbox).declarations(repositoryId)
}

/** The people behind rows, as far as the bot of this data folder knows them: a command asks GitHub about nobody. */
export function storedPeople(
  { repositoryId, mode = 'advisory' }: Pick<LedgerLookupOptions, 'repositoryId' | 'mode'>,
  io: CommandIO,
): PeopleOf {
  return async (subject, rows) => {
    await using inbox = repositoryId === 0 ? null : await openInboxToRead(readInboxEnvironment(io.env))
    if (inbox === null) return { ...UNKNOWN_PEOPLE, mode }
    const people = new InboxPeople(inbox)
    return await peopleOf({ people, repositoryId, mode, now: Date.now })(subject, rows)
  }
}

/** Digits of a commit id, as many as git shows at least. */
const FEWEST_DIGITS = 7
const SHORT = /^[\da-f]{7,39}$/i
const TOO_SHORT = /^[\da-f]{1,6}$/i

/**
 * The id of the commit that begins with these digits; what is no such beginning, or of no commit that has CI results, is
 * given back as it is. Throws `InputError` when several commits begin so, and `CiResultsUnavailable`.
 */
export async function wholeCommit(option: string, given: string, search: CiSearch): Promise<string> {
  if (!SHORT.test(given)) return given
  const found = await search.commitsBeginning(given.toLowerCase())
  if (found.length === 0 || found.includes(given)) return given
  if (found.length === 1) return found[0]!
  const several = found.length === MOST_FOUND ? `${MOST_FOUND} commits or more` : `${found.length} commits`
  throw new InputError(`${option} ${given} matches ${several}: ${found.join(', ')}; give more digits`)
}

/** A sentence beside a commit of which nothing is known; empty: nothing. */
export function commitHint(given: string): string {
  return TOO_SHORT.test(given) ? `; give at least ${FEWEST_DIGITS} digits of a commit` : ''
}

/**
 * The configuration of the file; without a name that of `.github/perf-triage.yml`, where that is there. Throws
 * `InputError`, with the first line that is wrong.
 */
export async function lookupConfig(path: string | undefined): Promise<RepositoryConfig> {
  const file = path ?? CONFIG_PATH
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (missing && path === undefined) return DEFAULT_CONFIG
    throw new InputError(missing ? `${file}: there is no such file` : `${file}: ${(error as Error).message}`)
  }
  const { config, problems } = parseRepositoryConfig(text)
  if (config !== null) return config
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  throw new InputError(`${file}:${first?.line ?? 1}: ${first?.message ?? 'can’t be read'}${more}`)
}
