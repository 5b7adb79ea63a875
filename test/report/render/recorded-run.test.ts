import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { readRuns } from '../../../src/intake/archive/read-run.ts'
import { PRIMARY_METRIC, type Run } from '../../../src/intake/measurement/run.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { classifyHead } from '../../../src/report/classify-head.ts'
import { judge } from '../../../src/report/judge.ts'
import { renderCheckRun } from '../../../src/report/render/check-run.ts'
import { renderComment } from '../../../src/report/render/comment.ts'
import { NO_LINKS } from '../../../src/report/render/view.ts'
import type { TriageReport } from '../../../src/report/report.ts'
import { expectSafe } from './expect-safe.ts'
import { decidedReport, HEAD, REFERENCE, shard } from './report-builder.ts'

const RECORDING = fileURLToPath(new URL('../../../demo/recording/run-25.8-vs-26.9', import.meta.url))

/** A real run (68 queries, ClickHouse 25.8 against 26.9) through the real reader, statistics and verdicts. */
describe('a recorded run', () => {
  let report: TriageReport

  beforeAll(async () => {
    const contents = await readRuns([RECORDING])
    const only = shard(1, 1, { check: 'Performance' })
    const run: Run = {
      ...contents,
      repositoryId: 4711,
      pullRequestNumber: 108,
      head: HEAD,
      check: only.check,
      architecture: null,
      shard: 1,
      shards: 1,
      attempt: 1,
      source: 'recording',
      finishedAt: '2026-11-21T12:00:00Z',
    }
    report = judge(
      classifyHead({
        repository: {
          id: 4711,
          owner: 'acme',
          name: 'database',
          isPrivate: false,
          url: 'https://github.com/acme/database',
        },
        pullRequest: { number: 108, baseRef: 'master' },
        head: HEAD,
        mergeBase: REFERENCE,
        references: [{ commit: REFERENCE, architectures: [null], commitsBeforeMergeBase: 0 }],
        runs: [run],
        shards: [only],
        isFinal: false,
        primaryMetric: PRIMARY_METRIC,
        thresholds: DEFAULT_THRESHOLDS,
        failingTests: null,
        mode: 'advisory',
        previous: null,
        degradations: ['history-not-available'],
        judgedAt: '2026-11-21T12:00:00Z',
      }),
    )
  })

  test('the comment', async () => {
    const body = renderComment({ report, links: NO_LINKS, botId: 'perf-triage', previous: null })
    expectSafe(body, report)
    expect(body).toContain('### 7 of 67 queries got slower, 13 got faster\n')
    await expect(body).toMatchFileSnapshot('../../golden/recorded-run.md')
  })

  test('the check run', () => {
    const check = renderCheckRun(decidedReport(report), NO_LINKS)
    expect(check.title).toBe('7 of 67 queries got slower, 13 got faster')
    expect(check.conclusion).toBe('neutral')
  })
})
