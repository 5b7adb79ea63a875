import { codeSpan, NAME_LIMIT, shortCommit } from '../../text/markdown.ts'
import { counted, signedPercent } from '../../text/numbers.ts'
import type { ShownFinding } from '../after-merge.ts'
import { queryCode } from '../row/name.ts'
import { onArchitecture } from './facts.ts'

/** The first line of the comment about a merge: it tells that comment from all others. */
const AFTER_MERGE_MARKER = '<!-- perf-triage-after-merge'

export function isAboutMerge(body: string): boolean {
  return body.startsWith(AFTER_MERGE_MARKER)
}

/** What the trunk shows since a pull request was merged: one comment, a line a query. */
export function renderAfterMerge(mergeCommit: string, branch: string, shown: readonly ShownFinding[]): string {
  return [
    `${AFTER_MERGE_MARKER} ${mergeCommit} -->`,
    `**Since the merge** as ${shortCommit(mergeCommit)}, ${codeSpan(branch, NAME_LIMIT)} shows this of what was measured here:`,
    '',
    ...shown.map((finding) => `- ${findingWords(finding)}`),
  ].join('\n')
}

const OUTCOMES: Readonly<Record<ShownFinding['outcome'], (on: string) => string>> = {
  confirmed: (on) => `confirmed, ${on} on the main branch`,
  'did-not-appear': (on) => `did not appear: ${on} on the main branch`,
  'not-told': (on) => `unclear: ${on} on the main branch`,
}

/** `sum #0` on arm, +50% here: confirmed, +48% on the trunk (between +46% and +49%; 5 runs since, 20 before)` */
function findingWords({
  difference,
  outcome,
  shift,
  low,
  high,
  runsBefore,
  runsAfter,
  ...query
}: ShownFinding): string {
  const words = OUTCOMES[outcome](signedPercent(shift))
  const runs = `${counted(runsAfter, 'run', 'runs')} since, ${runsBefore} before`
  return `${queryCode(query)}${onArchitecture(query.architecture)}, ${signedPercent(difference)} here: ${words} (between ${signedPercent(low)} and ${signedPercent(high)}; ${runs})`
}
