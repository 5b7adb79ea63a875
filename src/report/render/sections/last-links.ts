import { isSlower } from '../../../judge/verdict/findings.ts'
import { link } from '../../../text/markdown.ts'
import { counted } from '../../../text/numbers.ts'
import { FAILING_TESTS_ANCHOR } from '../../anchors.ts'
import { nounOf } from '../../parts.ts'
import type { Section } from '../layout.ts'
import type { View } from '../view.ts'
import { contextParts } from './context.ts'
import { isSaidInHeadline, runWords } from './headline.ts'

/** What the numbers are of, where the rest is, and how to be left alone: one small line. */
export const lastLinks: Section = {
  name: 'last-links',
  priority: 2,
  reserve: 0,
  render: (view) => {
    const parts = [...contextParts(view), ...fasterRun(view), ...pages(view)]
    return parts.length === 0 ? '' : `<sub>${parts.join(' · ')}</sub>`
  },
}

/** A faster run asks for nothing, and may be why others look fast. */
function fasterRun(view: View): string[] {
  if (isSaidInHeadline(view)) return []
  return view.wholeRun.filter((shift) => !isSlower(shift)).map((shift) => runWords(shift, view))
}

function pages({ report, links, failing, pending }: View): string[] {
  const { reportUrl, wordsUrl, commandPrefix } = links
  const failures = failing?.rows.length ?? 0
  const all = [
    [
      report.rows.length,
      report.rows.length === 1 ? nounOf(report, 1) : `all ${nounOf(report, report.rows.length)}`,
      '#rows',
    ],
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
