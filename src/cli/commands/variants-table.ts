import { queryLabel } from '../../intake/measurement/run.ts'
import { type ClassifiedQuery, shownValue } from '../../judge/verdict/classified-query.ts'
import { NEEDED_REPETITIONS } from '../../judge/verdict/evidence/own-measurement.ts'
import { nounsOf } from '../../report/parts.ts'
import { labelLines, onceLines, suiteLines, waitingLines } from '../../report/render/comparison-words.ts'
import {
  anyOf,
  hasArchitectures,
  together,
  type VariantRow,
  type VariantsReport,
  variantRows,
} from '../../report/variants.ts'
import { signedPercent, values } from '../../text/numbers.ts'
import { toText } from '../../text/phrase.ts'
import {
  colourOf,
  countsLine,
  isOfNote,
  outcomeText,
  queryText,
  SHOWN_WITHOUT_NOTE,
  warningLines,
} from './classify-table.ts'
import type { CommandIO } from './command.ts'
import { type Colour, formatTable, painter, type TerminalColumn } from './table.ts'
import { plainText, terminalWidth, truncate } from './terminal-text.ts'

/** As the heading of a column, and beside the numbers in a line. */
const LONGEST_NAME = 24
const LONGEST_IN_LINE = 60

/**
 * The lines that `classify --variant` prints for a person: how each variant came out against the first, then one table of them:
 * `#3  120 ms   61 ms −49% faster   125 ms +4% unstable`. Worst first, by the worst of the variants.
 */
export function variantsTable(report: VariantsReport, all: boolean, io: CommandIO): string[] {
  const { reference, variants } = report
  const paint = painter(io.stdout, io.env)
  const width = terminalWidth(io.stdout)
  const lines = variants.flatMap((variant) => {
    const { name, queries, labels } = variant
    const words = [
      ...labelLines(labels),
      ...suiteLines(queries, labels).map((line) => toText(line)),
      ...waitingLines(queries),
    ]
    return [
      paint(`${shownName(name)} against ${shownName(reference)}: ${countsLine(variant)}`, 'bold'),
      ...words.map((line) => `  ${plainText(line)}`),
    ]
  })
  const table = rowsTable(report, all ? () => true : isOfNote, width, paint)
  if (table.lines.length > 0) lines.push('', ...table.lines)
  const { results, warnings } = together(report)
  const folded =
    table.notShown === 0 ? [] : [`not shown: ${table.notShown} without a change in any variant (--all shows them)`]
  for (const line of [...onceLines(results, NEEDED_REPETITIONS), ...folded]) lines.push('', paint(line, 'dim'))
  return warnings.length === 0 ? lines : [...lines, '', ...warningLines(warnings, width, paint)]
}

function shownName(name: string): string {
  return truncate(plainText(name), LONGEST_IN_LINE)
}

function rowsTable(
  report: VariantsReport,
  isShown: (row: ClassifiedQuery) => boolean,
  width: number | null,
  paint: (text: string, colour: Colour | undefined) => string,
): { readonly lines: readonly string[]; readonly notShown: number } {
  const { reference, variants } = report
  const rows = variantRows(report)
  const metrics = new Set(variants.flatMap(({ queries }) => queries.map(({ metric }) => metric)))
  const told = rows.filter((row) => row.some((one) => one !== undefined && isShown(one)))
  const shown = told.length > 0 ? told : rows.slice(0, SHOWN_WITHOUT_NOTE)
  const name = (text: string) => truncate(plainText(text), LONGEST_NAME)
  const columns: readonly TerminalColumn<VariantRow>[] = [
    { heading: nounsOf(rows.map(anyOf))[0], text: (row) => plainText(queryLabel(anyOf(row))) },
    { heading: name(reference), isNumber: true, text: (row) => sideText(anyOf(row), 'old') },
    ...variants.map((variant, index): TerminalColumn<VariantRow> => {
      return {
        heading: name(variant.name),
        isNumber: true,
        text: (row) => cellText(row[index]),
        colour: (row) => (row[index] === undefined ? undefined : colourOf(row[index])),
      }
    }),
    { heading: 'metric', text: (row) => (metrics.size > 1 ? plainText(anyOf(row).metric) : '') },
    ...(hasArchitectures(report)
      ? [{ heading: 'architecture', text: (row: VariantRow) => plainText(anyOf(row).architecture ?? '') }]
      : []),
    { heading: 'text', text: (row) => queryText(anyOf(row)) },
  ]
  return {
    lines: shown.length === 0 ? [] : formatTable(columns, shown, width, paint),
    notShown: rows.length - shown.length,
  }
}

/** `61.0 ms −49.2% faster`; without a value the outcome alone, `failed (run error)`. */
function cellText(row: ClassifiedQuery | undefined): string {
  if (row === undefined) return ''
  const change = row.difference === null ? '' : signedPercent(row.difference)
  return [sideText(row, 'new'), change, outcomeText(row)].filter((part) => part !== '').join('  ')
}

function sideText(row: ClassifiedQuery, side: 'old' | 'new'): string {
  const value = shownValue(row[side])
  return value === null ? '' : values([value], row.unit)
}
