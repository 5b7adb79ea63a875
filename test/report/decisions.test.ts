import { expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../src/config/repository-config.ts'
import { decided } from '../../src/report/decisions.ts'
import { readReport, writeReport } from '../../src/store/reports/stored-report.ts'
import { changed, quiet, report, row, shard, shards } from '../render/report-builder.ts'

const slower = row('a', 1, [changed(1, 2)])
const { labels } = DEFAULT_CONFIG

test('comment, conclusion and labels are decided by the settings, and stored with the report', () => {
  const gating = decided(report([slower], { mode: 'gating' }), DEFAULT_CONFIG)
  expect(gating.decisions).toEqual({ comment: 'post', conclusion: 'failure', unknowns: [], labels: [labels.slower] })
  expect(readReport(writeReport(gating)).report?.decisions).toEqual(gating.decisions)

  const silent = decided(report([slower]), { comment: 'never', labels: { ...labels, enabled: false } })
  expect(silent.decisions).toEqual({ comment: 'never', conclusion: 'neutral', unknowns: [], labels: null })
  expect(decided(report(quiet(5)), DEFAULT_CONFIG).decisions).toMatchObject({ comment: 'keep', conclusion: 'success' })
})

test('what is not known of a finished head stands beside its conclusion; nothing is concluded of an unfinished one', () => {
  const lost = { shards: [shard(1, 2), shard(2, 2, { state: 'failed', problem: 'unreadable' })] }
  const finished = decided(report(quiet(5), { ...lost, mode: 'gating' }), DEFAULT_CONFIG)
  expect(finished.decisions).toMatchObject({ conclusion: 'failure', unknowns: ['shard-without-results'] })
  const running = decided(report([slower], { shards: shards(12, 4) }), DEFAULT_CONFIG)
  expect(running.decisions).toMatchObject({ comment: 'post', conclusion: null, unknowns: [], labels: [labels.slower] })
})
