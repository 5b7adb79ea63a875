import { createHash } from 'node:crypto'
import { type Decision, type OpenFindings, standingDecisions } from '../../report/acceptance.ts'
import type { CheckRunOutput } from '../../report/render/check-run.ts'
import type { TriageReport } from '../../report/report.ts'
import { codeSpan, MESSAGE_LIMIT } from '../../text/markdown.ts'

/**
 * The check of samples that a fork measured: its code wrote them, and no rule can tell measured numbers from invented ones.
 */

/** The attempts that a report is of: another one of the same head may print other samples. */
type Measured = Pick<TriageReport, 'head' | 'runs'>

/** The name of a fork's samples, by which they are accepted: `samples HEAD 9f86d081884c7d65`, with a hash of the attempts. */
function samplesKey(measured: Measured): string {
  return `samples ${measured.head} ${namedSamples(measured)}`
}

function namedSamples({ runs = [] }: Measured): string {
  return createHash('sha256').update(JSON.stringify(runs)).digest('hex').slice(0, 16)
}

/** The findings that a person may accept on a fork's head: its samples are one of them. */
export function withSamples(findings: OpenFindings, measured: Measured): OpenFindings {
  return { ...findings, measurement: [...(findings.measurement ?? []), samplesKey(measured)] }
}

/** Whether a maintainer has accepted the samples that a report is of. `now` in milliseconds. */
export function areSamplesAccepted(decisions: readonly Decision[], measured: Measured, now: number): boolean {
  return standingDecisions(decisions, now).measurement.has(samplesKey(measured))
}

/** The check of a fork's samples: never green, and its summary says why. A red one stays red. */
export function neutralAtBest(check: CheckRunOutput, measured: Measured, commandPrefix = '/perf'): CheckRunOutput {
  if (check.conclusion !== 'success') return check
  const command = codeSpan(`${commandPrefix} accept measurement "why"`, MESSAGE_LIMIT)
  const why = `**Neutral because a fork measured this:** its code can write any samples. **Maintainers:** ${command} accepts these samples, \`${namedSamples(measured)}\`, and no later ones.`
  return { ...check, conclusion: 'neutral', summary: `${why}\n\n${check.summary}` }
}
