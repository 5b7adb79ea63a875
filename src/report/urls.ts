import { queryHash } from '../intake/measurement/query-hash.ts'
import type { QueryId } from '../intake/measurement/run.ts'
import { isCommitId } from '../text/commits.ts'
import { rowAnchor } from './anchors.ts'

/**
 * The addresses of the pages, for the routes and for whoever links to them. Paths start with a slash; put the public URL
 * in front for a link from outside.
 */

export interface RepositoryAddress {
  readonly owner: string
  readonly repo: string
}

export interface ReportAddress extends RepositoryAddress {
  readonly number: number
  /** Full commit id: the permanent address of the report of that head. Without it: the newest report. */
  readonly head?: string
}

export const INDEX_PATH = '/'
export const WORDS_PATH = '/words'
export const QUEUE_PATH = '/queue'
export const DIGEST_PATH = '/digest'
export const RECORD_PATH = '/record'
export const QUALITY_PATH = '/quality'
/** Where GitHub sends who has installed the App. */
export const INSTALLED_PATH = '/installed'
/** Where programs ask by the Model Context Protocol. */
export const MCP_PATH = '/mcp'
/** What there is, for programs: the documentation, and the JSON of the pages. */
export const LLMS_PATH = '/llms.txt'
export const OPENAPI_PATH = '/openapi.json'
export const METRICS_PATH = '/metrics'
export const SIGN_IN_PATH = '/sign-in'
/** Where GitHub sends the browser back to. */
export const SIGN_IN_CALLBACK_PATH = '/sign-in/callback'
export const SIGN_OUT_PATH = '/sign-out'

/** With this in its query any address signs in and comes back to itself: `?sign-in`. */
export const SIGN_IN_PARAMETER = 'sign-in'

/** The routes with their parameters, in Hono's notation. */
export const REPOSITORY_ROUTE = '/r/:owner/:repo'
export const REPORT_ROUTE = '/r/:owner/:repo/pull/:number'
export const REPORT_OF_HEAD_ROUTE = '/r/:owner/:repo/pull/:number/:head'

/** One row of it: its samples, metrics and profiles. `row` is its anchor. */
export const ROW_ROUTE = `${REPORT_OF_HEAD_ROUTE}/query/:row`

/** The differential flame graph of that row. */
export const FLAME_GRAPH_ROUTE = `${REPORT_OF_HEAD_ROUTE}/flame/:row`

/** The same as a file that stands alone. */
export const FLAME_GRAPH_FILE_ROUTE = `${FLAME_GRAPH_ROUTE}/flame-graph.svg`

/** Of a picture: `key` changes with what it shows. */
const PICTURE_FILE = ':key{[0-9a-f]{16}}/:theme{(?:light|dark)\\.svg}'

/** All queries of that report by the size of their change, as a picture. */
export const CHANGES_PICTURE_ROUTE = `${REPORT_OF_HEAD_ROUTE}/changes/${PICTURE_FILE}`

/** The trunk's history of one of its rows as a small line. */
export const TRUNK_PICTURE_ROUTE = `${ROW_ROUTE}/trunk/${PICTURE_FILE}`

export type Theme = 'light' | 'dark'

/** A query over time; `query` is what `queryAddress` makes of it. */
export const QUERY_ROUTE = `${REPOSITORY_ROUTE}/query/:query`

export const LEDGER_ROUTE = `${REPOSITORY_ROUTE}/ledger`
export const ENTRY_ROUTE = `${LEDGER_ROUTE}/:entry`

/** The failing tests of that report alone, for other programs. */
export const FAILING_TESTS_ROUTE = `${REPORT_OF_HEAD_ROUTE}/failing-tests`

/** Its queries and tests by a part of their names. */
export const SEARCH_ROUTE = `${REPOSITORY_ROUTE}/search`

/** Two measured commits against each other: `OLD...NEW`. Without them the form that asks for them. */
export const COMPARE_FORM_ROUTE = `${REPOSITORY_ROUTE}/compare`
export const COMPARE_ROUTE = `${COMPARE_FORM_ROUTE}/:commits`

/** The recent runs of a repository. */
export function repositoryPath({ owner, repo }: RepositoryAddress): string {
  return `/r/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`
}

export function reportPath({ owner, repo, number, head }: ReportAddress): string {
  const path = `${repositoryPath({ owner, repo })}/pull/${number}`
  return head === undefined ? path : `${path}/${head}`
}

/** The digest of a `day` or a `week`. */
export function digestPath(period: string): string {
  return `${DIGEST_PATH}?period=${period}`
}

/** Signing in, and then to this address. */
export function signInPath(returnPath: string): string {
  return returnPath === INDEX_PATH ? SIGN_IN_PATH : `${SIGN_IN_PATH}?return=${encodeURIComponent(returnPath)}`
}

type HeadAddress = ReportAddress & { readonly head: string }

/** The page of one row of the report of a head. */
export function ownRowPath(address: HeadAddress, query: QueryId): string {
  return `${reportPath(address)}/query/${rowAnchor(query)}`
}

/** The flame graph of one row of the report of a head. */
export function flameGraphPath(address: HeadAddress, query: QueryId): string {
  return `${reportPath(address)}/flame/${rowAnchor(query)}`
}

/** The same flame graph as a file. */
export function flameGraphFilePath(address: HeadAddress, query: QueryId): string {
  return `${flameGraphPath(address, query)}/flame-graph.svg`
}

/** The picture of the changes in the report of a head. */
export function changesPicturePath(address: HeadAddress, key: string, theme: Theme): string {
  return `${reportPath(address)}/changes/${key}/${theme}.svg`
}

/** The trunk's history of a row in the report of a head, as a picture. */
export function trunkPicturePath(address: HeadAddress, query: QueryId, key: string, theme: Theme): string {
  return `${ownRowPath(address, query)}/trunk/${key}/${theme}.svg`
}

/** The history of a query: the same address for the same query, whatever its position. Of equal texts each has its own. */
export function queryPath(repository: RepositoryAddress, query: QueryId): string {
  const path = `${repositoryPath(repository)}/query/${queryAddress(query)}`
  return query.ordinal === undefined || query.ordinal === 0 ? path : `${path}?ordinal=${query.ordinal}`
}

/** The same, with what the head of a report measured marked in it. */
export function queryOfReportPath(address: HeadAddress, query: QueryId): string {
  const path = queryPath(address, query)
  return `${path}${path.includes('?') ? '&' : '?'}pull=${address.number}&head=${address.head}`
}

/** The beginning of a test's name, for people. */
export function testInAddress(test: string): string {
  return test.slice(0, 40).replace(/[^A-Za-z0-9_]+/g, '-')
}

/** A name for people and the number that the query is known by in `trunk_history`: `hash_functions-9f2c01d6e4b7a583`. */
export function queryAddress(query: QueryId): string {
  return `${testInAddress(query.test)}-${queryHash(query).toString(16).padStart(16, '0')}`
}

export function searchPath(repository: RepositoryAddress): string {
  return `${repositoryPath(repository)}/search`
}

/** Without commits the form that asks for them. */
export function comparePath(repository: RepositoryAddress, old?: string, fresh?: string): string {
  const path = `${repositoryPath(repository)}/compare`
  return old === undefined || fresh === undefined ? path : `${path}/${old}...${fresh}`
}

/** In the place of a commit: the one that the trunk's newest run measured. */
export const TRUNK_COMMIT = 'trunk'

/** Leads to the page of two commits; where one of them is not known, says so. */
export function compareLink(repository: RepositoryAddress, old: string, fresh: string): string {
  return `${comparePath(repository)}?${new URLSearchParams({ old, new: fresh }).toString()}`
}

export function ledgerPath(repository: RepositoryAddress): string {
  return `${repositoryPath(repository)}/ledger`
}

/** One entry with its timeline. */
export function entryPath(repository: RepositoryAddress, entryId: string): string {
  // An apostrophe would end the quotes of a shell line that names the address.
  return `${ledgerPath(repository)}/${encodeURIComponent(entryId).replaceAll("'", '%27')}`
}

/** The failing tests of the report of one head, as JSON or TSV. */
export function failingTestsPath(address: HeadAddress): string {
  return `${reportPath(address)}/failing-tests`
}

/** The id of a query's row, the same in every report. */
export { rowAnchor }

/** The report at the page that holds this query's row, and at that row. */
export function rowPath(address: ReportAddress, query: QueryId): string {
  const anchor = rowAnchor(query)
  return `${reportPath(address)}?row=${anchor}#${anchor}`
}

/** The glossary, at one word when it is named: `wordsPath('too small')` is `/words#too-small`. */
export function wordsPath(term?: string): string {
  return term === undefined ? WORDS_PATH : `${WORDS_PATH}#${wordAnchor(term)}`
}

/** The id of a word in the glossary: lower case, everything but letters and digits is one hyphen. */
export function wordAnchor(term: string): string {
  return term
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/**
 * GitHub's own rules for names; anything else can't be a report and is not looked up. Owners: up to 39 letters, digits and
 * hyphens, for managed users an underscore too. Repositories: up to 100 letters, digits, `.`, `_`, `-`, but not `.` or `..`.
 */
const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/
const REPOSITORY = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/
const NUMBER = /^[1-9][0-9]{0,9}$/
/** Pull request numbers are stored in 32 bits. */
const LARGEST_NUMBER = 2 ** 31 - 1

/** The address that the named parts of a path give; null when no report can have it. */
export function parseReportAddress(parts: Readonly<Record<string, string | undefined>>): ReportAddress | null {
  const repository = parseRepositoryAddress(parts)
  const { number = '', head } = parts
  if (repository === null || !NUMBER.test(number) || Number(number) > LARGEST_NUMBER) return null
  if (head !== undefined && !isCommitId(head)) return null
  return { ...repository, number: Number(number), ...(head === undefined ? {} : { head }) }
}

/** The same of a repository. */
export function parseRepositoryAddress(parts: Readonly<Record<string, string | undefined>>): RepositoryAddress | null {
  const { owner = '', repo = '' } = parts
  return OWNER.test(owner) && REPOSITORY.test(repo) ? { owner, repo } : null
}
