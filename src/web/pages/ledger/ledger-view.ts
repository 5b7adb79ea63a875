import { ENTRY_KINDS, ENTRY_STATES, NO_OWNER } from '../../../judge/ledger/entry.ts'
import { ENTRY_SORTS, type EntrySort, type LedgerView } from '../../../store/ledger/found-entries.ts'
import { plainText } from '../../../text/markdown.ts'
import { LONGEST_SEARCH, searchedText } from '../../../text/searched-text.ts'

/** Entries that one page of a ledger shows. */
export const ENTRIES_PER_PAGE = 100

/** Reads `?q=…&kind=…&state=…&owner=…&sort=…&order=reverse&page=…`; what it does not know counts as absent. */
export function parseLedgerView(parameters: URLSearchParams): LedgerView {
  const page = parameters.get('page') ?? ''
  return {
    text: searchedText(parameters.get('q')),
    kind: ENTRY_KINDS.find((kind) => kind === parameters.get('kind')) ?? null,
    state: ENTRY_STATES.find((state) => state === parameters.get('state')) ?? null,
    owner: searchedText(parameters.get('owner')),
    sort: ENTRY_SORTS.find((sort) => sort === parameters.get('sort')) ?? 'worst',
    reverse: parameters.get('order') === 'reverse',
    page: /^[1-9][0-9]{0,5}$/.test(page) ? Number(page) : 1,
  }
}

/** A name that shows as what it is can be chosen and linked; nobody's is longer or holds what is not visible. */
export function canBeChosen(owner: string): boolean {
  return owner !== NO_OWNER && searchedText(owner) === owner && plainText(owner, LONGEST_SEARCH) === owner
}

/** `path` with the view as its query part; what is as by default is left out. */
export function ledgerViewPath(path: string, view: LedgerView, format?: 'json' | 'tsv'): string {
  const parameters = new URLSearchParams()
  if (view.text !== null) parameters.set('q', view.text)
  if (view.kind !== null) parameters.set('kind', view.kind)
  if (view.state !== null) parameters.set('state', view.state)
  if (view.owner !== null) parameters.set('owner', view.owner)
  if (view.sort !== 'worst') parameters.set('sort', view.sort)
  if (view.reverse) parameters.set('order', 'reverse')
  if (view.page !== 1) parameters.set('page', String(view.page))
  if (format !== undefined) parameters.set('format', format)
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`
}

/** Sorted by it, the other way round where it is sorted by it already. */
export function sortedBy(view: LedgerView, sort: EntrySort): LedgerView {
  return { ...view, sort, reverse: view.sort === sort && !view.reverse, page: 1 }
}
