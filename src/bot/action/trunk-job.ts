import { historyLine } from '../../intake/imports/history/history-lines.ts'
import { decidingMetric } from '../../intake/measurement/formats/formats.ts'
import { historyRunsOf, keptOfTrunkRun } from '../../judge/verdict/trunk-run.ts'
import { earlierCommit } from '../triage/earlier-commit.ts'
import { appendHistory } from './history-files.ts'
import type { JudgingContext } from './job.ts'
import { type ReadTrunkRun, readTrunk } from './results.ts'
import { trunkSummary } from './summary.ts'

/** A run of the trunk to lines of the history. */

/** Appends what a commit of the trunk was measured at to the history branch, which begins with the first one. */
export async function keepTrunkRuns(context: JudgingContext): Promise<void> {
  const { io, branch, admitted, reading } = context
  const read = await readTrunk(reading, admitted, context.isAdmitted)
  const lines: string[] = []
  for (const one of read) lines.push(...(await linesOf(context, one)))
  await appendHistory(branch, lines, io.now(), `Keep the results of ${admitted.head}`)
  io.log.info({ lines: lines.length }, 'results of the main branch kept')
  await io.summarize(trunkSummary(read.length))
}

async function linesOf({ io, ref, config, repository }: JudgingContext, { run, results, check }: ReadTrunkRun) {
  const decides = decidingMetric(config.metric, results)
  const base = await earlierCommit({ octokit: io.octokit, ref, log: io.log }, run.oldCommit, run.head)
  const place = { run: check.workflowRun?.id ?? 0, branch: repository.defaultBranch, url: check.url ?? '', base }
  return historyRunsOf(run, keptOfTrunkRun(results, decides), decides, place).map(historyLine)
}
