import type { Hono } from 'hono'
import { html } from 'hono/html'
import { queryLabel } from '../../intake/measurement/run.ts'
import type { LedgerEntry } from '../../judge/ledger/entry.ts'
import { OUTCOME_WORDS } from '../../report/render/glossary.ts'
import { queryName } from '../../report/render/query-name.ts'
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
import type { FoundQuery } from '../../store/runs/found-queries.ts'
import { plainText } from '../../text/markdown.ts'
import { count, counted, minute, signedPercent } from '../../text/numbers.ts'
import { type Column, tsvTable, tsvText } from '../../text/table.ts'
import { jsonInPieces } from '../../text/text-pieces.ts'
import { DAY, isoTime } from '../../text/time.ts'
import { isBeginningOfCommit } from '../kit/compare-form.ts'
import { crumbs, SEARCH } from '../kit/crumbs.ts'
import { type Html, layout } from '../kit/layout.ts'
import { LONGEST_SEARCH, searchedText, searchForm } from '../kit/search-form.ts'
import { cells, headings } from '../kit/table.ts'
import { dayOf, entryDetail, entryLabel, kindWords } from './ledger/entry-words.ts'
import { DEFAULT_LEDGER_VIEW, ledgerViewPath } from './ledger/ledger-view.ts'
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
    ? html`<p>Part of a test’s name, <code>test #position</code>, or part of a query’s text, without regard to case; ${LONGEST_SEARCH} characters at most.</p>`
    : html`${commitPart(address, text)}
${queriesPart(address, found)}
${entriesPart(address, found, text)}
<p class="downloads">What is found: <a href="${data('json')}">JSON</a>; the queries as <a href="${data('tsv')}">tab-separated values</a>.</p>`
}`,
  })
}

/** A commit is no name of a query, and has a page all the same. */
function commitPart(address: RepositoryAddress, text: string): Html | string {
  if (!isBeginningOfCommit(text)) return ''
  return html`<p>A commit? <a href="${compareLink(address, TRUNK_COMMIT, text)}">Compare ${text} with the trunk’s newest run</a>.</p>`
}

function queriesPart(address: RepositoryAddress, { queries, hasMore }: Found): Html {
  const caption = hasMore
    ? `The ${count(queries.length)} that were measured last; name more of the one you look for`
    : counted(queries.length, 'query', 'queries')
  return html`<h2 id="queries">Queries</h2>
${queries.length === 0 ? html`<p>No query of the newest runs is called so.</p>` : rowsTable(caption, queryColumns(address, ''), queries)}`
}

function entriesPart(address: RepositoryAddress, { entries, ofEntries }: Found, text: string): Html {
  const all = ledgerViewPath(ledgerPath(address), { ...DEFAULT_LEDGER_VIEW, text })
  const more = ofEntries > entries.length ? html`, the worst of <a href="${all}">${count(ofEntries)}</a>` : ''
  return html`<h2 id="tests">Tests in the ledger</h2>
${entries.length === 0 ? html`<p>The ledger has no failing test and no moving query of that name.</p>` : rowsTable(html`${counted(entries.length, 'entry', 'entries')}${more}`, entryColumns(address), entries)}`
}

function rowsTable<Row>(caption: Html | string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  return html`<table class="rows"><caption>${caption}</caption>${headings(columns)}
<tbody>${rows.map((row) => html`<tr class="own">${cells(columns, row)}</tr>`)}</tbody></table>`
}

function queryColumns(address: RepositoryAddress, publicUrl: string): readonly Column<FoundQuery>[] {
  return [
    { key: 'test', value: ({ test }) => tsvText(test) },
    { key: 'query_index', value: ({ queryIndex }) => queryIndex },
    { key: 'query_name', value: ({ queryName: name }) => tsvText(name) },
    {
      heading: 'Query',
      cell: (query) => {
        const text = query.queryName === null ? '' : plainText(query.queryName, TEXT_LENGTH)
        return html`<th scope="row"><a href="${queryPath(address, query)}"><bdi>${queryName(query, NAME_LENGTH)}</bdi></a>${text === '' || text === queryLabel(query) ? '' : html`<br><code><bdi>${text}</bdi></code>`}</th>`
      },
    },
    {
      key: 'measured_at',
      value: ({ finishedAt }) => isoTime(finishedAt),
      heading: 'Measured last',
      cell: ({ finishedAt }, name) =>
        html`<td data-name="${name}"><time datetime="${isoTime(finishedAt)}">${minute(finishedAt)}</time></td>`,
    },
    { key: 'pull_request_number', value: ({ last }) => last?.pullRequestNumber ?? null },
    {
      key: 'head',
      value: ({ last }) => last?.head ?? null,
      heading: 'In',
      cell: (query, name) => html`<td data-name="${name}">${whereOf(address, query)}</td>`,
    },
    {
      key: 'difference',
      value: ({ last }) => last?.difference ?? null,
      heading: 'Change',
      isNumber: true,
      cell: ({ last }, name) =>
        html`<td class="n" data-name="${name}">${last?.difference == null ? '–' : html`<data value="${last.difference}">${signedPercent(last.difference)}</data>`}</td>`,
    },
    {
      key: 'outcome',
      value: ({ last }) => last?.outcome ?? null,
      heading: 'Outcome',
      cell: ({ last }, name) => html`<td data-name="${name}">${outcomeWords(last)}</td>`,
    },
    { key: 'direction', value: ({ last }) => last?.direction ?? null },
    { key: 'history', value: (query) => `${publicUrl}${queryPath(address, query)}` },
  ]
}

/** The run that measured a query last: the page of its row, where it has one. */
function whereOf(address: RepositoryAddress, { last, ...query }: FoundQuery): Html {
  if (last === null || last.pullRequestNumber === 0) return html`the trunk`
  const { pullRequestNumber: number, head } = last
  return html`<a href="${ownRowPath({ ...address, number, head }, query)}">#${number}</a> <code>${head.slice(0, 10)}</code>`
}

/** `slower` or `faster` of what changed. */
function outcomeWords(last: FoundQuery['last']): Html | string {
  if (last === null || last.outcome === null) return '–'
  const { outcome, direction } = last
  return outcome === 'changed' && direction !== null
    ? html`<b class="${direction}">${direction}</b>`
    : OUTCOME_WORDS[outcome].term
}

function entryColumns(address: RepositoryAddress): readonly Column<LedgerEntry>[] {
  return [
    {
      heading: 'Test',
      cell: (entry) =>
        html`<th scope="row"><a href="${entryPath(address, entry.entryId)}"><bdi>${entryLabel(entry)}</bdi></a><br>${entryDetail(entry)}</th>`,
    },
    {
      heading: 'Check',
      cell: ({ checkName }, name) =>
        html`<td data-name="${name}"><bdi>${plainText(checkName, NAME_LENGTH) || '–'}</bdi></td>`,
    },
    { heading: 'Kind', cell: (entry, name) => html`<td data-name="${name}">${kindWords(entry)}, ${entry.state}</td>` },
    { heading: 'Last seen', cell: ({ lastSeen }, name) => html`<td data-name="${name}">${dayOf(lastSeen)}</td>` },
    {
      heading: 'Hits in 30 days',
      isNumber: true,
      cell: ({ hits30 }, name) => html`<td class="n" data-name="${name}">${count(hits30)}</td>`,
    },
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
