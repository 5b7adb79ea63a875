import type { Hono } from 'hono'
import { html } from 'hono/html'
import { ENTRY_KINDS, ENTRY_STATES, type LedgerEntry, NO_OWNER } from '../../../judge/ledger/entry.ts'
import {
  ENTRY_COLUMNS,
  type EnteredByHand,
  enteredByHand,
  entryData,
  entryLabel,
  kindWords,
} from '../../../report/entry/columns.ts'
import {
  entryPath,
  LEDGER_ROUTE,
  ledgerPath,
  parseRepositoryAddress,
  type RepositoryAddress,
} from '../../../report/urls.ts'
import { CLASSIFICATION_WORDS, FAILURE_WORDS } from '../../../report/words.ts'
import {
  DEFAULT_LEDGER_VIEW,
  type EntriesOfKind,
  type EntrySort,
  type FoundEntries,
  type LedgerView,
  MOST_ENTRIES,
} from '../../../store/ledger/found-entries.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted } from '../../../text/numbers.ts'
import { LONGEST_SEARCH } from '../../../text/searched-text.ts'
import { type Column, columnNamed, tsvTable } from '../../../text/table.ts'
import { jsonInPieces, type TextInPieces } from '../../../text/text-pieces.ts'
import { COPY_SCRIPT } from '../../assets/assets.ts'
import { crumbs, LEDGER } from '../../kit/crumbs.ts'
import { type Html, layout } from '../../kit/layout.ts'
import { cells, textCell, withCells } from '../../kit/table.ts'
import { word } from '../../kit/word.ts'
import type { Site } from '../site.ts'
import { dayOf, entryDetail, issueOf, ownerOf } from './entry-words.ts'
import { ledgerReproduce } from './ledger-reproduce.ts'
import { canBeChosen, ENTRIES_PER_PAGE, ledgerViewPath, parseLedgerView, sortedBy } from './ledger-view.ts'

/** The ledger of a repository: its page, JSON and TSV. */
export function ledgerRoutes(
  app: Hono,
  { access, answers, store, declarationsOf, publicUrl, now, version }: Site,
): void {
  app.get(LEDGER_ROUTE, async (context) => {
    const address = parseRepositoryAddress(context.req.param())
    const repository = address === null ? null : await access.visible(context, address.owner, address.repo)
    if (address === null || repository === null) return answers.notFound(context)
    const view = parseLedgerView(new URL(context.req.url).searchParams)
    const onPage = () => store.ledger.find(repository.id, { ...view, perPage: ENTRIES_PER_PAGE })
    const all = () => store.ledger.find(repository.id, { ...view, page: 1, perPage: MOST_ENTRIES })
    const declarations = await declarationsOf(repository.id)
    const byHand: ByHand = ({ entryId }) => enteredByHand(declarations.get(entryId), now())
    const page = { address, repositoryId: repository.id, view, byHand, publicUrl, version }
    return answers.inFormat(context, {
      html: async () => await ledgerPage({ ...page, found: await onPage() }),
      json: async () => ledgerJson(address, view, await all(), byHand),
      tsv: async () => {
        const { entries } = await all()
        return tsvTable(ENTRY_COLUMNS, () => entries)
      },
    })
  })
}

/** What people have said last of an entry; null: nothing. */
type ByHand = (entry: LedgerEntry) => EnteredByHand | null

const NAME_LENGTH = 120
/** Owners that can be chosen; the others are found by a link. */
const MOST_OWNERS = 200

interface LedgerPage {
  readonly address: RepositoryAddress
  readonly repositoryId: number
  readonly view: LedgerView
  readonly found: FoundEntries
  readonly byHand: ByHand
  /** The address of the bot from outside. */
  readonly publicUrl: string
  readonly version: string
}

/** The entries of a repository. */
function ledgerPage(of: LedgerPage): Html {
  const { address, repositoryId, view, found, publicUrl, version } = of
  const name = `${address.owner}/${address.repo}`
  const path = ledgerPath(address)
  const isEmpty = found.counts.length === 0
  return layout({
    title: `${name} · ledger`,
    version,
    wide: true,
    scripts: [COPY_SCRIPT],
    crumbs: crumbs(address, { text: LEDGER }),
    content: html`<h1>Known problems that no single PR causes</h1>
<p>The ledger of ${name}: tests that also fail elsewhere, and queries that vary on their own.</p>
${isEmpty ? empty() : html`${stateCounts(found.counts, view, path)}${entriesPart(of, path)}`}
${ledgerReproduce({ repositoryId, view, address: `${publicUrl}${path}` })}
<p class="downloads">${isEmpty ? 'The ledger' : `All ${counted(found.found, 'matching entry', 'matching entries')}`}: <a href="${ledgerViewPath(path, { ...view, page: 1 }, 'json')}">JSON</a>, <a href="${ledgerViewPath(path, { ...view, page: 1 }, 'tsv')}">tab-separated values</a>.</p>`,
  })
}

function empty(): Html {
  return html`<p><strong>There is no entry yet.</strong> Each failing test of a pull request is looked up in the CI results of the last weeks. If it also fails elsewhere, often enough to be called ${word(CLASSIFICATION_WORDS.chronic.term)}, an ${word(FAILURE_WORDS.entry.term)} is opened for it. A maintainer can add one with <code>chronic</code> in a comment. It closes when the failure has not been seen for a while, and reopens if it comes back. Queries that keep moving on the main branch get entries too.</p>`
}

function stateCounts(counts: readonly EntriesOfKind[], view: LedgerView, path: string): Html {
  const of = sumBy(counts, ({ state }) => state)
  const all = Object.values(of).reduce((sum, entries) => sum + entries, 0)
  const item = (state: LedgerView['state'], entries: number, text: string) =>
    html`<li><a href="${ledgerViewPath(path, { ...DEFAULT_LEDGER_VIEW, state })}#entries"${view.state === state ? html` aria-current="true"` : ''}><b>${count(entries)}</b> ${text}</a></li>`
  return html`<nav aria-label="Entries by state"><ul class="counts">
${item(null, all, 'all')}
${ENTRY_STATES.map((state) => item(state, of[state] ?? 0, state))}
</ul></nav>`
}

const ORDER_WORDS: Record<EntrySort, string> = {
  worst: 'worst first',
  test: 'by test',
  check: 'by check',
  'hits-1': 'most hits in 1 day first',
  'hits-7': 'most hits in 7 days first',
  'hits-30': 'most hits in 30 days first',
  'pull-requests': 'most pull requests first',
  trunk: 'most often on the main branch first',
  'first-seen': 'longest known first',
  'last-seen': 'last seen first',
  opened: 'longest open first',
  expires: 'expiring soonest first',
  reopened: 'most often reopened first',
  owner: 'by owner',
}

function entriesPart({ address, view, found, byHand }: LedgerPage, path: string): Html {
  const first = (found.page - 1) * ENTRIES_PER_PAGE
  const columns = pageColumns(view, path)
  const order = view.reverse ? `${ORDER_WORDS[view.sort]}, reversed` : ORDER_WORDS[view.sort]
  const range =
    found.pages === 1
      ? counted(found.found, 'entry', 'entries')
      : `Entries ${count(first + 1)} to ${count(first + found.entries.length)} of ${count(found.found)}`
  return html`<section id="entries" aria-labelledby="entries-title">
<h2 id="entries-title" class="unseen">Entries</h2>
${filterForm(found.counts, view, path)}
${
  found.entries.length === 0
    ? html`<p>No entry matches. <a href="${path}#entries">Show all</a>.</p>`
    : html`<div class="scroll" role="region" aria-labelledby="entries-caption" tabindex="0">
<table class="rows entries"><caption id="entries-caption">${range}, ${order}</caption>
<thead><tr>${columns.map((column) => columnHead(column, view, path))}</tr></thead>
${found.entries.map((entry) => entryRows(address, entry, byHand(entry), columns))}
</table></div>
${pager('Pages', view, found, path)}`
}
${found.entries.length === 0 ? '' : meanings()}
</section>`
}

/** The words of the table, below it. */
function meanings(): Html {
  return html`<details class="legend"><summary>What the columns and words mean</summary><div>
<dl>
<div><dt>failure</dt><dd>A test or check that fails the same way (with the same ${word(FAILURE_WORDS.signature.term)}) in unrelated pull requests, or on the main branch on several days.</dd></div>
<div><dt>mover</dt><dd>A query that moves as far on the main branch as it was flagged for in pull requests. A hit is a pull request in which it was flagged; on the main branch, its moves count.</dd></div>
<div><dt>open</dt><dd>Seen recently.</dd></div>
<div><dt>expired</dt><dd>Still occurs long after it was opened.</dd></div>
<div><dt>closed</dt><dd>Not seen for a while; it reopens if it comes back.</dd></div>
<div><dt>numbers</dt><dd>Hits, pull requests and main-branch hits cover 30 days unless stated otherwise, as of the bot’s last look at the entry.</dd></div>
<div><dt>worst first</dt><dd>Expired first, then open, then closed; within each by hits in 7 days, then by pull requests.</dd></div>
</dl></div></details>`
}

function filterForm(counts: readonly EntriesOfKind[], view: LedgerView, path: string): Html {
  const option = (value: string, text: string, selected: boolean) =>
    html`<option value="${value}"${selected ? html` selected` : ''}>${text}</option>`
  const owners = Object.keys(
    sumBy(
      counts.filter(({ owner }) => owner !== null && canBeChosen(owner)),
      ({ owner }) => owner!,
    ),
  )
  const shown = owners.slice(0, MOST_OWNERS).sort()
  if (view.owner !== null && view.owner !== NO_OWNER && !shown.includes(view.owner)) shown.unshift(view.owner)
  return html`<form class="filter" method="get" action="${path}#entries" role="search">
<label>Test, check or signature <input name="q" type="search" value="${view.text ?? ''}" maxlength="${LONGEST_SEARCH}" autocomplete="off"></label>
<label>Kind <select name="kind">${option('', 'all', view.kind === null)}${ENTRY_KINDS.map((kind) => option(kind, `${kind}s`, view.kind === kind))}</select></label>
<label>State <select name="state">${option('', 'all', view.state === null)}${ENTRY_STATES.map((state) => option(state, state, view.state === state))}</select></label>
<label>Owner <select name="owner">${option('', 'all', view.owner === null)}${option(NO_OWNER, 'nobody', view.owner === NO_OWNER)}${shown.map((owner) => option(owner, owner, view.owner === owner))}</select></label>
<label>Order <select name="sort">${(Object.keys(ORDER_WORDS) as EntrySort[]).map((sort) => option(sort, ORDER_WORDS[sort], view.sort === sort))}</select></label>
<button type="submit">Show</button>
</form>`
}

function pager(name: string, view: LedgerView, { page, pages }: FoundEntries, path: string): Html | string {
  if (pages === 1) return ''
  const link = (to: number, text: string, rel: string) =>
    to < 1 || to > pages
      ? html`<span class="none">${text}</span>`
      : html`<a rel="${rel}" href="${ledgerViewPath(path, { ...view, page: to })}#entries">${text}</a>`
  return html`<nav class="pager" aria-label="${name}">${link(page - 1, 'Previous', 'prev')}
<span>Page ${count(page)} of ${count(pages)}</span> ${link(page + 1, 'Next', 'next')}</nav>`
}

interface EntryColumn extends Column<LedgerEntry> {
  readonly sort?: EntrySort
  /** In its own order the smallest or earliest stands first. */
  readonly ascends?: boolean
}

/** The columns of the page, which has the numbers first, and what each sorts by. */
const ON_PAGE: Readonly<Record<string, Pick<EntryColumn, 'sort' | 'ascends'>>> = {
  check_name: { sort: 'check', ascends: true },
  hits_1: { sort: 'hits-1' },
  hits_7: { sort: 'hits-7' },
  hits_30: { sort: 'hits-30' },
  unrelated_pull_requests: { sort: 'pull-requests' },
  trunk_hits: { sort: 'trunk' },
  first_seen: { sort: 'first-seen', ascends: true },
  last_seen: { sort: 'last-seen' },
  opened_at: { sort: 'opened', ascends: true },
  expires_at: { sort: 'expires', ascends: true },
  reopened: { sort: 'reopened' },
  owner: { sort: 'owner', ascends: true },
  issue: {},
}

function pageColumns(view: LedgerView, path: string): readonly EntryColumn[] {
  const ownersPath = (owner: string) => `${ledgerViewPath(path, { ...view, owner, page: 1 })}#entries`
  const columns = withCells(ENTRY_COLUMNS, {
    check_name: ({ checkName }) => html`<th scope="row"><bdi>${plainText(checkName, NAME_LENGTH) || '–'}</bdi></th>`,
    first_seen: textCell(({ firstSeen }) => dayOf(firstSeen)),
    last_seen: textCell(({ lastSeen }) => dayOf(lastSeen)),
    opened_at: textCell(({ openedAt }) => dayOf(openedAt)),
    expires_at: textCell(({ state, closedAt, expiresAt }) =>
      state === 'closed' ? html`closed ${dayOf(closedAt)}` : dayOf(expiresAt),
    ),
    owner: textCell(({ owner }) => ownerOf(owner, ownersPath, '–')),
    issue: textCell(({ issue }) => issueOf(issue)),
  })
  return Object.entries(ON_PAGE).map(([name, order]) => ({ ...columnNamed(columns, name), ...order }))
}

function columnHead({ heading, sort, isNumber, ascends }: EntryColumn, view: LedgerView, path: string): Html {
  const isSorted = sort === view.sort
  const sorted = isSorted ? html` aria-sort="${(ascends === true) !== view.reverse ? 'ascending' : 'descending'}"` : ''
  const text =
    sort === undefined
      ? heading
      : html`<a href="${ledgerViewPath(path, sortedBy(view, sort))}#entries">${heading}${isSorted ? html` <span aria-hidden="true">${view.reverse ? '▴' : '▾'}</span>` : ''}</a>`
  return html`<th scope="col"${isNumber ? html` class="n"` : ''}${sorted}>${text}</th>`
}

function entryRows(
  address: RepositoryAddress,
  entry: LedgerEntry,
  byHand: EnteredByHand | null,
  columns: readonly EntryColumn[],
): Html {
  const { state } = entry
  return html`<tbody>
<tr class="query"><th scope="rowgroup" colspan="${columns.length}"><a class="label" href="${entryPath(address, entry.entryId)}"><bdi>${entryLabel(entry)}</bdi></a>
<span class="tag ${state}">${state}</span><span class="tag">${kindWords(entry)}</span>${byHand === null ? '' : byHandTag(byHand)}
${entryDetail(entry)}</th></tr>
<tr>${cells(columns, entry)}</tr>
</tbody>
`
}

function byHandTag({ state, by: { actor } }: EnteredByHand): Html {
  return html`<span class="tag">${state === 'withdrawn' ? 'undone' : 'declared'} by <bdi>${plainText(actor, NAME_LENGTH)}</bdi></span>`
}

/** All entries that the view finds, of all its pages. */
function ledgerJson(
  { owner, repo }: RepositoryAddress,
  view: LedgerView,
  { entries, found, counts }: FoundEntries,
  byHand: ByHand,
): TextInPieces {
  return jsonInPieces({
    schemaVersion: 1,
    repository: `${owner}/${repo}`,
    view: { ...view, page: undefined },
    states: sumBy(counts, ({ state }) => state),
    kinds: sumBy(counts, ({ kind }) => kind),
    found,
    entries: entries.map((entry) => entryData(entry, byHand(entry))),
  })
}

/** How many entries there are of each. */
function sumBy(counts: readonly EntriesOfKind[], key: (of: EntriesOfKind) => string): Readonly<Record<string, number>> {
  const sums = new Map<string, number>()
  for (const of of counts) sums.set(key(of), (sums.get(key(of)) ?? 0) + of.entries)
  return Object.fromEntries(sums)
}
