import { fold, MESSAGE_LIMIT, NAME_LIMIT, plainText } from '../../../text/markdown.ts'
import { count, counted, list } from '../../../text/numbers.ts'
import { code, type Phrase, phrase, toMarkdown } from '../../../text/phrase.ts'
import { decisive, nounOf } from '../../parts.ts'
import type { Ignored, IgnoringEntry, ReportRow } from '../../report.ts'
import { rowName } from '../../row/name.ts'
import { VERDICT_WORDS } from '../../words.ts'
import { byWhom, why } from '../acceptance-words.ts'
import { numbersOf, onArchitecture } from '../facts.ts'
import { fitLines, type Section, SHOWN } from '../layout.ts'
import type { View } from '../view.ts'

/** What the repository's file or a person ignores: a line each, with its reason, its end and what changed in it. Folded. */
export const ignored: Section = {
  name: 'ignored',
  priority: 11,
  reserve: 0,
  render: (view, room) => {
    const entries = Map.groupBy(view.ignored, (row) => JSON.stringify(row.ignored))
    if (entries.size === 0) return ''
    const isByFile = view.ignored.every((row) => row.ignored !== undefined && !('by' in row.ignored))
    const summary = `${count(view.ignored.length)} ${VERDICT_WORDS.ignored.term}${isByFile ? ' by the repository’s file' : ''}`
    const lines = [...entries.values()].map(
      (rows) => `- ${toMarkdown(ignoredPhrase(rows[0]!.ignored!))}: ${rowsWords(view, rows)}`,
    )
    return fold(
      summary,
      fitLines(lines, room - summary.length - 80, (left) => `- and ${counted(left, 'more entry', 'more entries')}`),
    )
  },
}

/** The entry, or `` `flaky #3` by maria: `waits for new disks`, until 1 Mar ``. */
export function ignoredPhrase(ignored: Ignored): Phrase {
  return 'by' in ignored ? phrase`${namePhrase(ignored)} ${byWhom(ignored.by)}${why(ignored.by)}` : entryPhrase(ignored)
}

/** `` `flaky_* #3` until 2027-03-01 (`waits for new disks`) `` */
export function entryPhrase({ test, query, reason, until }: IgnoringEntry): Phrase {
  const because = reason === '' ? [] : phrase` (${code(reason, MESSAGE_LIMIT)})`
  return phrase`${namePhrase({ test, query })} until ${until}${because}`
}

function namePhrase({ test, query }: Pick<IgnoringEntry, 'test' | 'query'>): Phrase {
  const name = typeof query === 'number' ? `${plainText(test, NAME_LIMIT)} #${query}` : test
  const text = typeof query === 'string' ? [' ', code(query, NAME_LIMIT)] : []
  return phrase`${code(name, NAME_LIMIT + 9)}${text}`
}

/** `sum #1 282 → 672 ms +138% and 3 queries without a visible change` */
function rowsWords(view: View, rows: readonly ReportRow[]): string {
  const changed = rows.filter(({ outcome }) => outcome === 'changed')
  const named = changed.slice(0, SHOWN.ignored).map((row) => {
    const result = decisive(row)
    const where = view.report.architectures.length > 1 ? onArchitecture(result.architecture) : ''
    return `${rowName(view, row)} ${numbersOf(result)}${where}`
  })
  const more = changed.length - named.length
  const still = rows.length - changed.length
  return list([
    ...named,
    ...(more > 0 ? [`${count(more)} more that changed`] : []),
    ...(still > 0 ? [`${nounOf(view.report, still)} without a visible change`] : []),
  ])
}
