/** What the query part of the address of a query's history asks for. */
export interface QueryView {
  /** As stored; null: the unnamed one. Undefined: not asked for, the page shows the first and the data all of them. */
  readonly architecture: string | null | undefined
  /** undefined: the one that the repository judges by. */
  readonly metric: string | undefined
  readonly days: number
  /** How many queries of the same test and text come before it. */
  readonly ordinal: number
}

export const DAYS = [30, 90, 365] as const
export const DEFAULT_DAYS = 365

/** How the address says the architecture that has no name. */
const UNNAMED = '-'
const LONGEST_NAME = 200
const MOST_ORDINAL = 999

/** What is not understood is as by default, so that an address that somebody shortened still works. */
export function parseQueryView(parameters: URLSearchParams): QueryView {
  const architecture = named(parameters.get('architecture'))
  const ordinal = parameters.get('ordinal') ?? ''
  return {
    architecture: architecture === UNNAMED ? null : architecture,
    metric: named(parameters.get('metric')),
    days: DAYS.find((days) => String(days) === parameters.get('days')) ?? DEFAULT_DAYS,
    ordinal: /^\d{1,3}$/.test(ordinal) ? Math.min(Number(ordinal), MOST_ORDINAL) : 0,
  }
}

/** `path` with the view as its query part; what is as by default is left out. */
export function queryViewPath(path: string, view: QueryView, format?: 'json' | 'tsv'): string {
  const parameters = new URLSearchParams()
  const set = (key: string, text: string | undefined) => {
    if (named(text ?? null) !== undefined) parameters.set(key, text!)
  }
  set('architecture', view.architecture === null ? UNNAMED : view.architecture)
  set('metric', view.metric)
  if (view.days !== DEFAULT_DAYS) parameters.set('days', String(view.days))
  if (view.ordinal > 0) parameters.set('ordinal', String(view.ordinal))
  if (format !== undefined) parameters.set('format', format)
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

function named(text: string | null): string | undefined {
  return text === null || text === '' || text.length > LONGEST_NAME ? undefined : text
}
