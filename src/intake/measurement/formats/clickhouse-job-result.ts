import { z } from 'zod'
import { messageOf, queryOf, said, statusOf } from './clickhouse-status.ts'
import { type Contribution, type MemberReader, NOTHING } from './format.ts'
import { WholeText } from './whole-text.ts'

/** Characters of a result; a job has some 1,500 children of 500 characters. */
const MOST_RESULT = 16 * 1024 * 1024

/** Reads what ClickHouse's CI runner says of a job. */
export function jobResultReader(): MemberReader {
  return new WholeText(MOST_RESULT, jobResult)
}

/** A result of the CI runner, whose children are stages, tests or jobs. */
const result = z.looseObject({
  name: z.string(),
  status: z.string().optional(),
  info: z.string().nullish(),
  results: z.array(z.unknown()).nullish(),
  ext: z.looseObject({ labels: z.array(z.unknown()).nullish() }).nullish(),
})
type Result = z.infer<typeof result>

const dashboardLabel = z.looseObject({ name: z.literal('dashboard') })

/** The stage that concludes. */
const VERDICT_STAGE = 'Check Results'

function jobResult(text: string): Contribution {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return NOTHING
  }
  const job = result.safeParse(value).data
  if (job === undefined) return NOTHING
  // a workflow has several jobs, of which nobody knows which one this run is of
  const stages = [job, ...childrenOf(job)].flatMap(childrenOf).filter(({ name }) => name === VERDICT_STAGE)
  const [stage] = stages
  if (stage === undefined || stages.length > 1) return NOTHING
  return said({
    of: 'job',
    status: statusOf(stage.status),
    message: messageOf(stage.info) ?? messageOf(job.info),
    dashboard: childrenOf(stage).filter(isOfDashboard).flatMap(queryOf),
  })
}

function childrenOf({ results }: Result): Result[] {
  return (results ?? []).flatMap((child) => result.safeParse(child).data ?? [])
}

function isOfDashboard({ status, ext }: Result): boolean {
  return statusOf(status) === 'failure' && (ext?.labels ?? []).some((label) => dashboardLabel.safeParse(label).success)
}
