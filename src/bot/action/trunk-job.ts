import { historyLine, parseHistoryLines, trunkRowsOf } from '../../intake/imports/history/history-lines.ts'
import { decidingMetric } from '../../intake/measurement/formats/formats.ts'
import { unitOf } from '../../intake/measurement/metric-group.ts'
import { type BisectWindow, slowdownsOf } from '../../judge/bisect/bisect-window.ts'
import { trunkHistoryOfRows } from '../../judge/history/trunk-history-of-rows.ts'
import { historyRunsOf, keptOfTrunkRun } from '../../judge/verdict/trunk-run.ts'
import { DAY } from '../../text/time.ts'
import { earlierCommit } from '../triage/earlier-commit.ts'
import { appendHistory, linesSince } from './history-files.ts'
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
  const metrics = new Set(read.map(({ results }) => decidingMetric(context.config.metric, results)))
  await io.summarize(trunkSummary(read.length, await slowdowns(context, metrics)))
}

/** What is lastingly slower on the trunk than some time ago, by the App's rule for its queue; the newest first. */
async function slowdowns(
  { io, branch, config, repository }: JudgingContext,
  metrics: ReadonlySet<string>,
): Promise<readonly BisectWindow[]> {
  const to = io.now()
  const from = to - config.lookbackDays * DAY
  const { runs } = parseHistoryLines(await linesSince(branch, await branch.tree(), from))
  const history = trunkHistoryOfRows(runs.values().flatMap(trunkRowsOf))
  const found: BisectWindow[] = []
  for (const metric of metrics) {
    const of = { repositoryId: repository.id, metric, now: to, copiedFrom: [] }
    for await (const some of history.allSeries(of, { from, to }))
      found.push(...some.flatMap((series) => slowdownsOf(series, unitOf(metric))))
  }
  return found.toSorted((a, b) => b.step.firstBad.time - a.step.firstBad.time)
}

async function linesOf({ io, ref, config, repository }: JudgingContext, { run, results, check }: ReadTrunkRun) {
  const decides = decidingMetric(config.metric, results)
  const base = await earlierCommit({ octokit: io.octokit, ref, log: io.log }, run.oldCommit, run.head)
  const place = { run: check.workflowRun?.id ?? 0, branch: repository.defaultBranch, url: check.url ?? '', base }
  return historyRunsOf(run, keptOfTrunkRun(results, decides), decides, place).map(historyLine)
}
