import type { OwnQuery } from './own-verdict.ts'

/** What the report of a run says beside the comparison of its queries, of which the first of each list are kept. */
export interface RunNotes {
  /** Queries whose client took longer than the server: how many times as long. */
  readonly slowOnClient?: readonly (OwnQuery & { readonly ratio: number })[]
  /** Queries that the new build alone could run. */
  readonly partial?: readonly (OwnQuery & { readonly seconds: number; readonly spread: number })[]
  /** Queries that are shorter or longer than their test says. */
  readonly unexpectedDuration?: readonly (OwnQuery & { readonly problem: string; readonly seconds: number })[]
  /** Metrics of the two servers, not of a query, in the median over the run. */
  readonly servers?: readonly ServerMetric[]
  /** Attributes of the machine: the model of its CPU, sizes of caches. */
  readonly attributes?: readonly RunAttribute[]
}

export interface RunAttribute {
  /** `lscpu-model-name` and the like. */
  readonly name: string
  readonly value: string
}

export interface ServerMetric {
  readonly metric: string
  readonly old: number
  readonly new: number
  /** A fraction of the old median. */
  readonly difference: number
}

/** Lines of each list that are kept, the worst ones. */
const MOST_NOTES = 50

/** Client over server from which on a query is slow on the client, as ClickHouse's report had it. */
const SLOW_ON_CLIENT = 1.02

/** null: as long as the server, or nobody can tell. */
export function slowOnClient(query: OwnQuery, client: number | null, server: number | null): RunNotes | null {
  if (client === null || server === null || !(server > 0)) return null
  const ratio = client / server
  return ratio > SLOW_ON_CLIENT && Number.isFinite(ratio) ? { slowOnClient: [{ ...query, ratio }] } : null
}

/** The notes of all files; null: there are none. A query stands once in each list. */
export function notesOf(all: readonly RunNotes[]): RunNotes | null {
  const slow = worst(onceEach(all.flatMap((one) => one.slowOnClient ?? [])), ({ ratio }) => ratio)
  const partial = worst(onceEach(all.flatMap((one) => one.partial ?? [])), ({ spread }) => spread)
  const duration = onceEach(all.flatMap((one) => one.unexpectedDuration ?? [])).slice(0, MOST_NOTES)
  const servers = worst(
    all.flatMap((one) => one.servers ?? []),
    ({ difference }) => Math.abs(difference),
  )
  const attributes = all.flatMap((one) => one.attributes ?? [])
  const notes = {
    ...(slow.length > 0 && { slowOnClient: slow }),
    ...(partial.length > 0 && { partial }),
    ...(duration.length > 0 && { unexpectedDuration: duration }),
    ...(servers.length > 0 && { servers }),
    ...(attributes.length > 0 && { attributes: different(attributes).slice(0, MOST_NOTES) }),
  }
  return Object.keys(notes).length === 0 ? null : notes
}

function onceEach<Line extends OwnQuery>(lines: readonly Line[]): Line[] {
  return [...new Map(lines.toReversed().map((line) => [`${line.queryIndex} ${line.test}`, line])).values()].toReversed()
}

/** A job with two machines has two values of one attribute. */
export function different(attributes: readonly RunAttribute[]): RunAttribute[] {
  return [...new Map(attributes.map((one) => [`${one.name} ${one.value}`, one])).values()]
}

function worst<Line>(lines: readonly Line[], size: (line: Line) => number): Line[] {
  return lines.toSorted((a, b) => size(b) - size(a)).slice(0, MOST_NOTES)
}
