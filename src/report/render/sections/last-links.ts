import { link } from '../../../text/markdown.ts'
import { count, counted } from '../../../text/numbers.ts'
import { FAILING_TESTS_ANCHOR } from '../../anchors.ts'
import { MEASUREMENT_WORDS } from '../glossary.ts'
import type { Section } from '../layout.ts'

/** Where the rest is: the pages that exist, and how to be left alone. */
export const lastLinks: Section = {
  name: 'last-links',
  priority: 2,
  reserve: 0,
  render: ({ report, links, faster, tooNoisy, failing, pending }) => {
    const { reportUrl, wordsUrl, commandPrefix } = links
    const failures = failing?.rows.length ?? 0
    const pages = [
      [report.rows.length, `All ${counted(report.rows.length, 'query', 'queries')}`, '#rows'],
      [faster.length, `${count(faster.length)} faster`, '?outcome=faster#rows'],
      [tooNoisy.length, `${count(tooNoisy.length)} ${MEASUREMENT_WORDS.tooNoisy.term}`, '?outcome=unstable#rows'],
      [failures, counted(failures, 'failing test', 'failing tests'), `#${FAILING_TESTS_ANCHOR}`],
    ] as const
    const all = [
      ...(reportUrl === null
        ? []
        : pages.flatMap(([number, words, at]) => (number === 0 ? [] : [link(words, `${reportUrl}${at}`)]))),
      ...(wordsUrl === null ? [] : [link('what the words mean', wordsUrl)]),
      ...(commandPrefix === undefined || pending !== null ? [] : [`\`${commandPrefix} mute\``]),
    ]
    return all.join(' · ')
  },
}
