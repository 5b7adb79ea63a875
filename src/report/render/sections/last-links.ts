import { link } from '../../../text/markdown.ts'
import { counted } from '../../../text/numbers.ts'
import { FAILING_TESTS_ANCHOR } from '../../anchors.ts'
import { nounOf, nounsOf } from '../../parts.ts'
import type { Section } from '../layout.ts'
import type { View } from '../view.ts'
import { contextParts } from './context.ts'

/** What the numbers are of, where the rest is, and how to be left alone: one small line. */
export const lastLinks: Section = {
  name: 'last-links',
  priority: 2,
  reserve: 0,
  render: (view) => {
    const parts = [...contextParts(view), ...pages(view)]
    return parts.length === 0 ? '' : `<sub>${parts.join(' · ')}</sub>`
  },
}

function pages(view: View): string[] {
  const { report, links, failing, pending } = view
  const { reportUrl, wordsUrl, commandPrefix } = links
  const failures = failing?.rows.length ?? 0
  const all = [
    [report.rows.length, allRows(view), '#rows'],
    [failures, counted(failures, 'failing test', 'failing tests'), `#${FAILING_TESTS_ANCHOR}`],
  ] as const
  return [
    ...(reportUrl === null
      ? []
      : all.flatMap(([number, words, at]) => (number === 0 ? [] : [link(words, `${reportUrl}${at}`)]))),
    ...(wordsUrl === null ? [] : [link('glossary', wordsUrl)]),
    ...(commandPrefix === undefined || pending !== null ? [] : [`\`${commandPrefix} help\``]),
  ]
}

/** `all 10 queries`; beside those that were compared another number would be a riddle. */
function allRows({ report, notCompared }: View): string {
  const { length } = report.rows
  if (length === 1) return nounOf(report, 1)
  return notCompared.length === 0 ? `all ${nounOf(report, length)}` : `all ${nounsOf(report.rows)[1]}`
}
