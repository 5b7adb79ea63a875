import { EXAMPLE_HITS, type FailingExecution, type Hit, type Subject } from './failure.ts'
import { pullRequestOf } from './row-origin.ts'

/**
 * The hits that a person is shown: the newest of each pull request (of each commit where there is none) and, while there
 * is room, the newest of the rest. At most `EXAMPLE_HITS`, newest first. `hits` are newest first.
 */
export function exampleHits(hits: readonly FailingExecution[], subject: Subject): readonly Hit[] {
  const seen = new Set<string>()
  const firsts: FailingExecution[] = []
  const rest: FailingExecution[] = []
  for (const hit of hits) {
    const source = pullRequestOf(hit, subject) ?? `commit ${hit.commitSha}`
    if (seen.has(source)) rest.push(hit)
    else firsts.push(hit)
    seen.add(source)
  }
  return [...firsts, ...rest]
    .slice(0, EXAMPLE_HITS)
    .toSorted((a, b) => b.time - a.time)
    .map(({ pullRequestNumber, commitSha, checkName, time, reportUrl }) => ({
      pullRequestNumber,
      commitSha,
      checkName,
      time,
      reportUrl,
    }))
}
