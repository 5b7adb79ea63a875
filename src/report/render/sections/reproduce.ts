import { unsafePlaceholder } from '../../../text/command-template.ts'
import { fenced, fold } from '../../../text/markdown.ts'
import { shellQuote } from '../../../text/quote.ts'
import { fillIn, placeholdersOf } from '../../../text/url-template.ts'
import { decisive } from '../../parts.ts'
import type { ReportRow } from '../../report.ts'
import { type Section, SHOWN } from '../layout.ts'

/** What can't be seen in a name could hide a part of what it does. */
const UNSEEN = /\p{C}|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

/** The repository's own command for the worst rows, to be copied into a shell. Folded. */
export const reproduce: Section = {
  name: 'reproduce',
  priority: 6,
  reserve: 0,
  render: ({ open, links, pending }, room) => {
    const template = links.reproduce ?? null
    if (template === null || pending !== null) return ''
    const commands = open
      .slice(0, SHOWN.commands)
      .flatMap((row) => commandFor(row, template) ?? [])
      .join('\n')
    if (commands === '') return ''
    const text = fold('Reproduce it', fenced(commands, 'sh'))
    return text.length > room ? '' : text
  },
}

/** Null where a value is missing, can't be seen whole, would be read as an option, or could run: a file that was kept may ask for that. */
export function commandFor(row: ReportRow, template: string): string | null {
  if (unsafePlaceholder(template) !== null) return null
  const { architecture } = decisive(row)
  const query = row.queryIndex === null ? row.queryName : `${row.queryIndex}`
  const values: Record<string, string> = {
    test: row.test,
    ...(query !== null && { query }),
    ...(architecture !== null && { architecture }),
  }
  const isFit = (name: string) => {
    const value = values[name]
    return (
      value !== undefined && value !== '' && !value.startsWith('-') && !UNSEEN.test(value) && shellQuote(value) !== null
    )
  }
  return placeholdersOf(template).every(isFit) ? fillIn(template, values, (value) => shellQuote(value)!) : null
}
