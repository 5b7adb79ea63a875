import { fold, link } from '../../../text/markdown.ts'
import { counted } from '../../../text/numbers.ts'
import { sampledWords } from '../../parts.ts'
import type { ReportRow } from '../../report.ts'
import { queryCode } from '../../row/name.ts'
import { onArchitecture } from '../facts.ts'
import { type Section, SHOWN } from '../layout.ts'
import { profileList } from '../profile-words.ts'
import type { View } from '../view.ts'

/** For the summary and the line that counts what is not shown. */
const REST = 300

/** Where the time of open rows went: the frames whose share changed most, worst row first. Folded. */
export const profiles: Section = {
  name: 'profiles',
  priority: 12,
  reserve: 0,
  render: (view, room) => {
    const rows = view.open.filter(({ profile }) => profile != null)
    const texts: string[] = []
    let free = room - REST
    for (const row of rows.slice(0, SHOWN.profiles)) {
      const text = ofRow(view, row)
      free -= text.length + 2
      if (free < 0) break
      texts.push(text)
    }
    if (texts.length === 0) return ''
    const left = rows.length - texts.length
    const rest = left === 0 ? [] : [leftOut(view, left)]
    return fold('Where the time went', [...texts, ...rest].join('\n\n'))
  },
}

function ofRow({ links, report }: View, row: ReportRow): string {
  const profile = row.profile!
  const where = report.architectures.length > 1 ? onArchitecture(profile.architecture) : ''
  const url = links.flameGraphUrl?.(row) ?? null
  const graph = url === null ? '' : ` · ${link('flame graph', url)}`
  const title = `**${queryCode(row)}**${where}, shares of all ${sampledWords(profile)}, old → new${graph}`
  return `${title}\n\n${profileList(profile.words)}`
}

function leftOut({ links }: View, left: number): string {
  const where = links.reportUrl === null ? '' : `, in ${link('the report', links.reportUrl)}`
  return `and ${counted(left, 'more query with a profile', 'more queries with profiles')}${where}`
}
