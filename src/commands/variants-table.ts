import { queryKey, queryLabel } from '../measurement/run.ts'
import { signedPercent, values } from '../text/numbers.ts'
import { type ClassifiedQuery, shownValue } from '../verdict/classified-query.ts'
import { compareWorstFirst } from '../verdict/worst-first.ts'
import { colourOf, outcomeText } from './classify-table.ts'
import { type Colour, formatTable, type TerminalColumn } from './table.ts'
import { plainText, truncate, withSpaces } from './terminal-text.ts'

/** A variant after it was compared with the reference, which is the old side of its rows. */
export interface ComparedVariant {
  readonly name: string
  readonly queries: readonly ClassifiedQuery[]
}

/** A query and metric, with its row in each comparison in the order of the variants; absent: the variant lacks it. */
type VariantRow = readonly (ClassifiedQuery | undefined)[]

const LONGEST_NAME = 24

/**
 * One table of several variants, each against the first: `#3  120 ms   61 ms -49 % faster   125 ms +4 % unstable`. Worst first,
 * by the worst of the variants.
 */
export function variantsTable(
  reference: string,
  variants: readonly ComparedVariant[],
  isShown: (row: ClassifiedQuery) => boolean,
  width: number | null,
  paint: (text: string, colour: Colour | undefined) => string,
): { readonly lines: readonly string[]; readonly notShown: number } {
  const hasArchitectures = variants.some(({ queries }) => new Set(queries.map(keyOf)).size < queries.length)
  const rows = rowsOf(variants, hasArchitectures)
  const shown = rows.filter((row) => row.some((one) => one !== undefined && isShown(one)))
  const metrics = new Set(variants.flatMap(({ queries }) => queries.map(({ metric }) => metric)))
  const name = (text: string) => truncate(plainText(text), LONGEST_NAME)
  const columns: readonly TerminalColumn<VariantRow>[] = [
    { heading: name(reference), isNumber: true, text: (row) => withSpaces(sideText(anyOf(row), 'old')) },
    ...variants.map((variant, index): TerminalColumn<VariantRow> => {
      return {
        heading: name(variant.name),
        isNumber: true,
        text: (row) => withSpaces(cellText(row[index])),
        colour: (row) => (row[index] === undefined ? undefined : colourOf(row[index])),
      }
    }),
    ...(metrics.size > 1 ? [{ heading: 'metric', text: (row: VariantRow) => plainText(anyOf(row).metric) }] : []),
    ...(hasArchitectures
      ? [{ heading: 'architecture', text: (row: VariantRow) => plainText(anyOf(row).architecture ?? '') }]
      : []),
    { heading: 'query', text: (row) => plainText(nameOf(anyOf(row))) },
  ]
  return {
    lines: shown.length === 0 ? [] : formatTable(columns, shown, width, paint),
    notShown: rows.length - shown.length,
  }
}

/** Without the architecture: a machine is that of those variants that ran on the reference's, and of no others. */
function keyOf(row: ClassifiedQuery): string {
  return JSON.stringify([queryKey(row), row.metric])
}

function rowsOf(variants: readonly ComparedVariant[], hasArchitectures: boolean): VariantRow[] {
  const found = new Map<string, (ClassifiedQuery | undefined)[]>()
  const all = variants.flatMap(({ queries }, index) => queries.map((query) => ({ query, index })))
  for (const { query, index } of all.toSorted((a, b) => compareWorstFirst(a.query, b.query))) {
    const key = hasArchitectures ? `${query.architecture} ${keyOf(query)}` : keyOf(query)
    const row = found.get(key) ?? variants.map(() => undefined)
    row[index] ??= query
    found.set(key, row)
  }
  return [...found.values()]
}

function anyOf(row: VariantRow): ClassifiedQuery {
  return row.find((one) => one !== undefined)!
}

/** `61.0 ms -49.2 % faster`; without a value the outcome alone, `failed (run error)`. */
function cellText(row: ClassifiedQuery | undefined): string {
  if (row === undefined) return ''
  const change = row.difference === null ? '' : signedPercent(row.difference)
  return [sideText(row, 'new'), change, outcomeText(row)].filter((part) => part !== '').join('  ')
}

function sideText(row: ClassifiedQuery, side: 'old' | 'new'): string {
  const value = shownValue(row[side])
  return value === null ? '' : values([value], row.unit)
}

function nameOf(row: ClassifiedQuery): string {
  const text = row.queryName === null || row.queryIndex === null ? '' : `  ${row.queryName}`
  return `${queryLabel(row)}${text}`
}
