import { fileURLToPath } from 'node:url'
import { readRun } from '../../src/intake/archive/read-run.ts'
import type { Measurement, Run } from '../../src/intake/measurement/run.ts'
import { classify } from '../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'
import { classifyHead } from '../../src/report/classify-head.ts'
import { judge } from '../../src/report/judge.ts'
import type { TriageReport } from '../../src/report/report.ts'
import type { Store } from '../../src/store/store.ts'

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** 68 queries of ClickHouse 25.8 against 26.9. */
export const DEMO_RUN = pathOf('../../demo/recording/run-25.8-vs-26.9')
/** The same queries, one build against itself. */
export const A_A_RUN = pathOf('../data/run-a-a')
/** Four queries with some eighty counters each. */
export const METRICS_RUN = pathOf('../data/run-metrics/measurements.jsonl.gz')

export const REPOSITORY: TriageReport['repository'] = {
  id: 42,
  owner: 'acme',
  name: 'fast.db',
  isPrivate: false,
  url: 'https://github.com/acme/fast.db',
}

export interface Part {
  readonly architecture: string | null
  /** One of the sources above, or measurements. */
  readonly source: string | readonly Measurement[]
  readonly profiles?: Run['profiles']
}

/** Runs of one head as the bot stores them: read, classified, saved, read back and judged. The same report comes back. */
export async function storeReport(
  store: Store,
  number: number,
  head: string,
  parts: readonly Part[],
  change: (report: TriageReport) => TriageReport = (report) => report,
): Promise<TriageReport> {
  for (const { architecture, source, profiles } of parts) {
    const contents =
      typeof source === 'string'
        ? await readRun(source)
        : { measurements: source, oldCommit: null, newCommit: null, warnings: [] }
    const run: Run = {
      ...contents,
      ...(profiles !== undefined && { profiles }),
      repositoryId: REPOSITORY.id,
      pullRequestNumber: number,
      head,
      check: `Performance (${architecture})`,
      architecture,
      shard: null,
      shards: null,
      attempt: 1,
      source: 'artifact 7',
      finishedAt: '2026-11-21T10:00:00.000Z',
    }
    const placed = run.measurements.map((one) => ({ ...one, architecture: one.architecture ?? architecture }))
    await store.runs.save(run, classify(placed, DEFAULT_THRESHOLDS))
  }
  const report = change(
    judge(
      classifyHead({
        repository: REPOSITORY,
        pullRequest: { number, baseRef: 'main' },
        head,
        mergeBase: null,
        references: [],
        runs: await store.runs.of(REPOSITORY.id, head),
        shards: [],
        isFinal: true,
        primaryMetric: 'client_time',
        thresholds: DEFAULT_THRESHOLDS,
        failingTests: null,
        mode: 'advisory',
        previous: null,
        degradations: [],
        judgedAt: '2026-11-21T10:05:00.000Z',
      }),
    ),
  )
  await store.reports.save(report)
  return report
}
