import { type OpenFindings, openRowKey, queryKeyOfOpenRow } from '../../report/acceptance.ts'
import { meantByShortId, shortIds } from '../../report/anchors.ts'
import { type FailureRow, failingView } from '../../report/render/failing-view.ts'
import type { ReportRow, TriageReport } from '../../report/report.ts'
import { queryName } from '../../report/row/name.ts'
import { closestName } from '../../text/closest-name.ts'
import { codeSpan, NAME_LIMIT, shortCommit } from '../../text/markdown.ts'
import { count, list } from '../../text/numbers.ts'
import type { Arguments } from './arguments.ts'

/** A row or a failing test as a person names it. */
interface Named {
  /** As the comment shows it. */
  readonly name: string
  readonly test: string
  /** `openRowKey`; absent: a failing test, which has no short id. */
  readonly key?: string
}

/**
 * The rows that the names mean: one as the comment shows it or by its short id, or all of a test. A sentence where a name means none, with
 * the one that was probably meant.
 */
export function rowsNamed<Row extends Named>(
  rows: readonly Row[],
  names: readonly string[],
  state: string,
): readonly Row[] | string {
  const found = new Set<Row>()
  for (const name of names) {
    const meant = rowsCalled(rows, name)
    if (meant.length === 0) return unknownRow(rows, name, state)
    for (const row of meant) found.add(row)
  }
  return [...found]
}

/**
 * The row of this name, else those of the test of this name, or the row of this short id. None where one row has what another is
 * called: who names a test as another's id would have it accepted in its place.
 */
export function rowsCalled<Row extends Named>(rows: readonly Row[], name: string): readonly Row[] {
  const [named, marked] = [byName(rows, name), byId(rows, name)]
  if (named.length > 0 && marked.some((row) => !named.includes(row))) return []
  return named.length > 0 ? named : marked
}

/** Whether a name or a short id means a row, or one of several. */
export function goesBy(rows: readonly Named[], name: string): boolean {
  return byName(rows, name).length > 0 || beginningWith(rows, name).length > 0
}

/** The rows and the failing tests of a report that a name means, or the row of a short id that is the name of none of them. */
export function meantIn(report: TriageReport, name: string) {
  const [all, failures] = [nameableRows(report), byName(nameableFailures(report), name)]
  if (failures.length > 0 && byId(all, name).length > 0) return { rows: [], failures: [] }
  return { rows: failures.length > 0 ? byName(all, name) : rowsCalled(all, name), failures }
}

function byName<Row extends Named>(rows: readonly Row[], name: string): readonly Row[] {
  const meant = rows.filter((row) => plain(row.name) === plain(name))
  return meant.length > 0 ? meant : rows.filter((row) => plain(row.test) === plain(name))
}

function byId<Row extends Named>(rows: readonly Row[], id: string): readonly Row[] {
  const meant = beginningWith(rows, id)
  return new Set(meant.map(({ name }) => name)).size === 1 ? meant : []
}

/** The rows whose short id begins so: several where it does not tell which is meant. */
function beginningWith<Row extends Named>(rows: readonly Row[], id: string): readonly Row[] {
  const isMeant = meantByShortId(id.trim())
  return isMeant === null ? [] : rows.filter((row) => row.key !== undefined && isMeant(queryKeyOf(row)))
}

function queryKeyOf({ key = '[]' }: Named): string {
  return queryKeyOfOpenRow(key)
}

/** The names of a command that needs no reason: in `unaccept "hash functions"` the last one is written as a reason is. */
export function namesIn({ names, reason }: Arguments, rows: readonly Named[]): readonly string[] {
  return names.length === 0 && reason !== null && goesBy(rows, reason) ? [reason] : names
}

function unknownRow(rows: readonly Named[], name: string, state: string): string {
  return `No row ${codeSpan(name, NAME_LIMIT)} ${state}.${meantInstead(rows, name)}`
}

/** Rows that one id may mean which are named. */
const MOST_MEANT = 5

/** ` Did you mean …?`; empty where no name is near. `#0` is the first row of that number. */
function meantInstead(rows: readonly Named[], name: string): string {
  const several = [...new Set([...beginningWith(rows, name), ...byName(rows, name)])]
  if (several.length > 1) return ` More than one row goes by it: ${withIds(several)}.`
  const near =
    rows.find((row) => row.name.endsWith(` ${name}`))?.name ??
    closestName(
      name,
      rows.flatMap((row) => [row.name, row.test]),
    )
  return near === null ? '' : ` Did you mean ${codeSpan(near, NAME_LIMIT)}?`
}

/** `` `sum #0` (`qf7e1`) and `sum #1` (`qf7e2`) `` */
function withIds(rows: readonly Named[]): string {
  const idOf = shortIds(() => rows.map(queryKeyOf))
  const named = rows
    .slice(0, MOST_MEANT)
    .map((row) => `${codeSpan(row.name, NAME_LIMIT)} (\`${idOf(queryKeyOf(row))}\`)`)
  const more = rows.length - named.length
  return list(more === 0 ? named : [...named, `${count(more)} more`])
}

/** The rows of a report as they are named. */
export function nameableRows({
  rows,
  notMeasuredAgain = [],
  notSeenAgain = [],
}: TriageReport): readonly (Named & { readonly row: ReportRow })[] {
  return [...rows, ...notMeasuredAgain, ...notSeenAgain].map((row) => ({
    row,
    name: queryName(row, NAME_LIMIT),
    test: row.test,
    key: openRowKey(row),
  }))
}

/** The rows that stood open when the person wrote, as the newest report has them. */
export function openRowsIn(
  report: TriageReport,
  { rows }: Pick<OpenFindings, 'rows'>,
): ReturnType<typeof nameableRows> {
  const open = new Set(rows.map(({ key }) => key))
  return nameableRows(report).filter(({ row }) => open.has(openRowKey(row)))
}

/** The failing tests by their names, and by that of the check; a check that failed without one by its own. */
export function nameableFailures({ failingTests }: TriageReport): readonly (Named & { readonly row: FailureRow })[] {
  const rows = failingView(failingTests)?.rows ?? []
  return rows.map((row) => {
    const { testName, checkName } = row.judged.failure
    return { row, name: testName === '' ? checkName : testName, test: checkName }
  })
}

export function unknownIn(report: TriageReport, name: string): string {
  const known = [...nameableRows(report), ...nameableFailures(report)]
  return `The report of ${shortCommit(report.head)} has no row and no failing test ${codeSpan(name, NAME_LIMIT)}.${meantInstead(known, name)}`
}

export function unknownFailure(report: TriageReport, name: string): string {
  return `The report of ${shortCommit(report.head)} has no failing test ${codeSpan(name, NAME_LIMIT)}.${meantInstead(nameableFailures(report), name)}`
}

function plain(name: string): string {
  return name.trim().replaceAll(/\s+/g, ' ').toLowerCase()
}
