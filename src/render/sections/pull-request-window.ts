import type { WindowCommit } from '../../bisect/window.ts'
import { count, counted, list } from '../../text/numbers.ts'
import { commitLink } from '../commit-link.ts'
import type { Section } from '../layout.ts'

/** Commits on the query's path that are named; more are a number. */
const NAMED_COMMITS = 5

/** Where to look inside a pull request of several commits: one line. */
export const pullRequestWindow: Section = {
  name: 'pull-request-window',
  priority: 6,
  reserve: 0,
  render: ({ report, pending }) => {
    const window = pending === null ? (report.pullRequestWindow ?? null) : null
    if (window === null) return ''
    const { commits, functional, middle, steps, onPath, filesUnknown } = window
    const of = (commit: string) => commitLink(report.repository.url, commit)
    const all = `${counted(commits.length, 'commit', 'commits')}, ${functional.length === commits.length ? 'each of which' : `${count(functional.length)} of which`} can change the binary`
    const build =
      middle === null
        ? []
        : [
            `${steps === 1 ? 'one build would find the one,' : `${count(steps)} builds would find the one, first`} ${of(middle)}`,
          ]
    const touched = onPath === null || onPath.length === 0 ? [] : [onPathWords(onPath, filesUnknown, of)]
    return `**Inside this pull request:** ${[all, ...build, ...touched].join('; ')}.`
  },
}

function onPathWords(commits: readonly WindowCommit[], unknown: number, of: (commit: string) => string): string {
  const named = commits.slice(0, NAMED_COMMITS).map(({ sha }) => of(sha))
  const more = commits.length - named.length
  const names = list(more === 0 ? named : [...named, `${count(more)} more`])
  const rest = unknown === 0 ? '' : ` (the files of ${counted(unknown, 'commit', 'commits')} are not known)`
  return `${names} ${commits.length === 1 ? 'touches' : 'touch'} the query’s path${rest}`
}
