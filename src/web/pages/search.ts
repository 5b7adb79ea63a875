import type { Hono } from 'hono'
import { html } from 'hono/html'
import { queryLabel } from '../../intake/measurement/run.ts'
import type { LedgerEntry } from '../../judge/ledger/entry.ts'
import { entryLabel, kindWords } from '../../report/entry/columns.ts'
import { QUERY_COLUMNS } from '../../report/row/columns.ts'
import { queryName } from '../../report/row/name.ts'
import {
  compareLink,
  entryPath,
  ledgerPath,
  ownRowPath,
  parseRepositoryAddress,
  queryPath,
  type RepositoryAddress,
  SEARCH_ROUTE,
  searchPath,
  TRUNK_COMMIT,
} from '../../report/urls.ts'
import { DEFAULT_LEDGER_VIEW } from '../../store/ledger/found-entries.ts'
import type { FoundQuery } from '../../store/runs/found-queries.ts'
import { plainText } from '../../text/markdown.ts'
import { count, counted, signedPercent } from '../../text/numbers.ts'
import { htmlTime } from '../../text/phrase-html.ts'
import { LONGEST_SEARCH, searchedText } from '../../text/searched-text.ts'
import { type Column, tsvTable } from '../../text/table.ts'
import { jsonInPieces } from '../../text/text-pieces.ts'
import { DAY, isoTime } from '../../text/time.ts'
import { isBeginningOfCommit } from '../kit/compare-form.ts'
import { crumbs, SEARCH, searchForm } from '../kit/crumbs.ts'
import { type Html, layout } from '../kit/layout.ts'
import { cardTable, countColumn, nameColumn, textColumn } from '../kit/table.ts'
import { outcomeWord } from '../kit/word.ts'
import { dayOf, entryDetail } from './ledger/entry-words.ts'
import { ledgerViewPath } from './ledger/ledger-view.ts'
import type { Site } from './site.ts'

/** Of each kind so many are shown. */
const MOST_FOUND = 50

/** Days of the trunk's history that are searched where the newest runs have nothing. */
const TRUNK_DAYS = 180

const NAME_LENGTH = 200
const TEXT_LENGTH = 300

/** Queries and entries of the ledger of one repository, by a part of their names. */
export function searchRoutes(app: Hono, site: Site): void {
  const { access, answers, now, publicUrl, version } = site
  app.get(SEARCH_ROUTE, async (context) => {
    const address = parseRepositoryAddress(context.req.param())
    const visible = address === null ? null : await access.visible(context, address.owner, address.repo)
    if (address === null || visible === null) return answers.notFound(context)
    const text = searchedText(context.req.query('q'))
    const found = text === null ? NOTHING : await find(site, { ...address, id: visible.id }, text, now())
    return answers.inFormat(context, {
      html: () => searchPage(address, text, found, version),
      json: () => jsonInPieces({ schemaVersion: 1, q: text, ...foundJson(found, address, publicUrl) }),
      tsv: () => tsvTable(queryColumns(address, publicUrl), () => found.queries),
    })
  })
}

interface Found {
  /** Those measured last first. */
  readonly queries: readonly FoundQuery[]
  /** The worst first. */
  readonly entries: readonly LedgerEntry[]
  /** How many entries there are in all. */
  readonly ofEntries: number
  /** There are more queries than these. */
  readonly hasMore: boolean
}

const NOTHING: Found = { queries: [], entries: [], ofEntries: 0, hasMore: false }

async function find(
  { store, trunkHistoryOf }: Pick<Site, 'store' | 'trunkHistoryOf'>,
  repository: RepositoryAddress & { readonly id: number },
  text: string,
  now: number,
): Promise<Found> {
  const { metric, copiedFrom } = await trunkHistoryOf(repository)
  const of = { repositoryId: repository.id, metric, copiedFrom, since: now - TRUNK_DAYS * DAY }
  const [queries, { entries, found }] = await Promise.all([
    store.queries.find({ ...of, text, limit: MOST_FOUND + 1 }),
    store.ledger.find(repository.id, { ...DEFAULT_LEDGER_VIEW, text, perPage: MOST_FOUND }),
  ])
  return {
    queries: queries.slice(0, MOST_FOUND),
    entries,
    ofEntries: found,
    hasMore: queries.length > MOST_FOUND,
  }
}

function searchPage(address: RepositoryAddress, text: string | null, found: Found, version: string): Html {
  const name = `${address.owner}/${address.repo}`
  const path = searchPath(address)
  const data = (format: string) => `${path}?${new URLSearchParams({ q: text ?? '', format }).toString()}`
  return layout({
    title: `${text === null ? SEARCH : `${plainText(text, NAME_LENGTH)} · search`} · ${name}`,
    version,
    wide: true,
    crumbs: crumbs(address, { text: SEARCH }),
    content: html`<h1>Search ${name}</h1>
${searchForm(path, text ?? '')}
${
  text === null
    ? html`<p>Part of a test’s name, <code>test #position</code>, or part of a query’s text, in any case; at most ${LONGEST_SEARCH} characters.</p>`
    : html`${commitPart(address, text)}
${queriesPart(address, found)}
${entriesPart(address, found, text)}
<p class="downloads">Results: <a href="${data('json')}">JSON</a>; the queries as <a href="${data('tsv')}">tab-separated values</a>.</p>`
}`,
  })
}

/** A commit is no name of a query, and has a page all the same. */
function commitPart(address: RepositoryAddress, text: string): Html | string {
  if (!isBeginningOfCommit(text)) return ''
  return html`<p>A commit? <a href="${compareLink(address, TRUNK_COMMIT, text)}">Compare ${text} with the main branch’s newest run</a>.</p>`
}

function queriesPart(address: RepositoryAddress, { queries, hasMore }: Found): Html {
  const caption = hasMore
    ? `The ${count(queries.length)} measured most recently; type more of the name to narrow it down`
    : counted(queries.length, 'query', 'queries')
  return html`<h2 id="queries">Queries</h2>
${queries.length === 0 ? html`<p>No query of the newest runs has that name.</p>` : cardTable(caption, queryColumns(address, ''), queries)}`
}

function entriesPart(address: RepositoryAddress, { entries, ofEntries }: Found, text: string): Html {
  const all = ledgerViewPath(ledgerPath(address), { ...DEFAULT_LEDGER_VIEW, text })
  const more = ofEntries > entries.length ? html`, the worst of <a href="${all}">${count(ofEntries)}</a>` : ''
  return html`<h2 id="tests">Tests in the ledger</h2>
${entries.length === 0 ? html`<p>The ledger has no failing test or moving query with that name.</p>` : cardTable(html`${counted(entries.length, 'entry', 'entries')}${more}`, entryColumns(address), entries)}`
}

function queryColumns(address: RepositoryAddress, publicUrl: string): readonly Column<FoundQuery>[] {
  return [
    ...QUERY_COLUMNS,
    nameColumn('Query', (query) => {
      const text = query.queryName === null ? '' : plainText(query.queryName, TEXT_LENGTH)
      return html`<a href="${queryPath(address, query)}"><bdi>${queryName(query, NAME_LENGTH)}</bdi></a>${text === '' || text === queryLabel(query) ? '' : html`<br><code><bdi>${text}</bdi></code>`}`
    }),
    {
      key: 'measured_at',
      value: ({ finishedAt }) => isoTime(finishedAt),
      ...textColumn('Last measured', ({ finishedAt }) => htmlTime(finishedAt)),
    },
    { key: 'pull_request_number', value: ({ last }) => last?.pullRequestNumber ?? null },
    {
      key: 'head',
      value: ({ last }) => last?.head ?? null,
      ...textColumn('In', (query) => whereOf(address, query)),
    },
    {
      key: 'difference',
      value: ({ last }) => last?.difference ?? null,
      ...countColumn('Change', ({ last }) =>
        last?.difference == null
          ? '–'
          : html`<data value="${last.difference}">${signedPercent(last.difference)}</data>`,
      ),
    },
    {
      key: 'outcome',
      value: ({ last }) => last?.outcome ?? null,
      ...textColumn('Outcome', ({ last }) => (last === null ? '–' : outcomeWord(last, '–'))),
    },
    { key: 'direction', value: ({ last }) => last?.direction ?? null },
    { key: 'history', value: (query) => `${publicUrl}${queryPath(address, query)}` },
  ]
}

/** The run that measured a query last: the page of its row, where it has one. */
function whereOf(address: RepositoryAddress, { last, ...query }: FoundQuery): Html {
  if (last === null || last.pullRequestNumber === 0) return html`the main branch`
  const { pullRequestNumber: number, head } = last
  return html`<a href="${ownRowPath({ ...address, number, head }, query)}">#${number}</a> <code>${head.slice(0, 10)}</code>`
}

function entryColumns(address: RepositoryAddress): readonly Column<LedgerEntry>[] {
  return [
    nameColumn(
      'Test',
      (entry) =>
        html`<a href="${entryPath(address, entry.entryId)}"><bdi>${entryLabel(entry)}</bdi></a><br>${entryDetail(entry)}`,
    ),
    textColumn('Check', ({ checkName }) => html`<bdi>${plainText(checkName, NAME_LENGTH) || '–'}</bdi>`),
    textColumn('Kind', (entry) => `${kindWords(entry)}, ${entry.state}`),
    textColumn('Last seen', ({ lastSeen }) => dayOf(lastSeen)),
    countColumn('Hits in 30 days', ({ hits30 }) => count(hits30)),
  ]
}

function foundJson({ queries, entries, ofEntries, hasMore }: Found, address: RepositoryAddress, publicUrl: string) {
  return {
    queries: queries.map(({ finishedAt, ...query }) => ({
      ...query,
      measuredAt: isoTime(finishedAt),
      history: `${publicUrl}${queryPath(address, query)}`,
    })),
    hasMore,
    entries: entries.map((entry) => ({
      entryId: entry.entryId,
      kind: entry.kind,
      state: entry.state,
      testName: entry.testName,
      checkName: entry.checkName,
      address: `${publicUrl}${entryPath(address, entry.entryId)}`,
    })),
    ofEntries,
  }
}
