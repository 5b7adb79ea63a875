import type { JudgingContext } from './job.ts'
import { readTrunk } from './results.ts'
import { trunkSummary } from './summary.ts'

/** A run of the trunk to lines of the history. */

export async function keepTrunkRuns(context: JudgingContext): Promise<void> {
  const { io, admitted } = context
  const { runs } = await readTrunk(context.reading, admitted, context.isAdmitted)
  await io.summarize(trunkSummary(runs.length))
}
