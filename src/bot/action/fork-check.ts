import { type Decision, type OpenFindings, standingDecisions } from '../../report/acceptance.ts'
import type { CheckRunOutput } from '../../report/render/check-run.ts'
import { codeSpan, MESSAGE_LIMIT } from '../../text/markdown.ts'

/**
 * What a check may say of samples that a fork measured: its code wrote them, and no rule can tell measured numbers from invented ones.
 */

/** What an acceptance of a fork's samples is of: they are those of one head. */
export function samplesKey(head: string): string {
  return `samples ${head}`
}

/** What a person may accept of a report on a fork's head. */
export function withSamples(findings: OpenFindings): OpenFindings {
  return { ...findings, measurement: [...(findings.measurement ?? []), samplesKey(findings.head)] }
}

/** Whether a maintainer has accepted the samples of a head. `now` in milliseconds. */
export function areSamplesAccepted(decisions: readonly Decision[], head: string, now: number): boolean {
  return standingDecisions(decisions, now).measurement.has(samplesKey(head))
}

/** The check of a fork's samples: never green, and its summary says why. A red one stays red. */
export function neutralAtBest(check: CheckRunOutput, commandPrefix = '/perf'): CheckRunOutput {
  if (check.conclusion !== 'success') return check
  const command = codeSpan(`${commandPrefix} accept measurement "why"`, MESSAGE_LIMIT)
  const why = `**Neutral because a fork measured this:** its code can write any samples. **Maintainers:** ${command} accepts those of this commit.`
  return { ...check, conclusion: 'neutral', summary: `${why}\n\n${check.summary}` }
}
