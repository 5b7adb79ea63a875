import { toMarkdown } from '../../text/phrase.ts'
import { commitUrlIn } from '../commit-link.ts'
import type { Section } from '../layout.ts'
import { pullRequestWindowPhrase } from '../window-words.ts'

/** Where to look inside a pull request of several commits: one line. */
export const pullRequestWindow: Section = {
  name: 'pull-request-window',
  priority: 6,
  reserve: 0,
  render: ({ report, pending }) => {
    const window = pending === null ? (report.pullRequestWindow ?? null) : null
    if (window === null) return ''
    const words = toMarkdown(pullRequestWindowPhrase(window), commitUrlIn(report.repository.url))
    return `**Inside this pull request:** ${words}.`
  },
}
