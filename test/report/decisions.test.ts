import { expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../src/config/repository-config.ts'
import { decided, labelsOf } from '../../src/report/decisions.ts'
import { readReport, writeReport } from '../../src/store/reports/stored-report.ts'
import { changed, quiet, report, row, shard, shards } from './render/report-builder.ts'

const slower = row('a', 1, [changed(1, 2)])
const faster = row('a', 2, [changed(2, 1)])
const { labels } = DEFAULT_CONFIG
const settings = { enabled: true, slower: 'perf: slower', faster: 'perf: faster' }

test('comment, conclusion and labels are decided by the settings, and stored with the report', () => {
  const gating = decided(report([slower], { mode: 'gating' }), DEFAULT_CONFIG)
  expect(gating.decisions).toEqual({
    comment: 'post',
    conclusion: 'failure',
    unknowns: [],
    labels: [labels.slower],
    mute: null,
  })
  expect(readReport(writeReport(gating)).report?.decisions).toEqual(gating.decisions)

  const silent = decided(report([slower]), { comment: 'never', labels: { ...labels, enabled: false } })
  expect(silent.decisions).toEqual({ comment: 'never', conclusion: 'neutral', unknowns: [], labels: null, mute: null })
  expect(decided(report(quiet(5)), DEFAULT_CONFIG).decisions).toMatchObject({ comment: 'keep', conclusion: 'success' })
})

test('what is not known of a finished head stands beside its conclusion; nothing is concluded of an unfinished one', () => {
  const lost = { shards: [shard(1, 2), shard(2, 2, { state: 'failed', problem: 'unreadable' })] }
  const finished = decided(report(quiet(5), { ...lost, mode: 'gating' }), DEFAULT_CONFIG)
  expect(finished.decisions).toMatchObject({ conclusion: 'failure', unknowns: ['shard-without-results'] })
  const running = decided(report([slower], { shards: shards(12, 4) }), DEFAULT_CONFIG)
  expect(running.decisions).toMatchObject({ comment: 'post', conclusion: null, unknowns: [], labels: [labels.slower] })
})

test('a gate that waits for a maintainer has a comment, where nothing else has to be said', () => {
  const howMeasured = { files: ['ci/run.sh'], more: 0, isCut: false, version: '1' }
  const gating = decided(report(quiet(5), { mode: 'gating', howMeasured }), DEFAULT_CONFIG)
  expect(gating.decisions).toMatchObject({ comment: 'post', conclusion: 'failure' })
  expect(decided(report(quiet(5), { howMeasured }), DEFAULT_CONFIG).decisions.comment).toBe('keep')
})

test('labels follow the verdicts regression and improvement', () => {
  expect(labelsOf(report([slower, faster]), settings)).toEqual(['perf: slower', 'perf: faster'])
  expect(labelsOf(report([slower]), { ...settings, slower: 'regression' })).toEqual(['regression'])
  expect(labelsOf(report([faster]), settings)).toEqual(['perf: faster'])
  expect(labelsOf(report(quiet(3)), settings)).toEqual([])
})

test('neither a rerun nor noise sets a label', () => {
  const rows = (['needs-rerun', 'likely-noise', 'acknowledged', 'already-on-trunk'] as const).map((verdict, index) =>
    row('a', index, [changed(1, 2)], { verdict }),
  )
  expect(labelsOf(report(rows), settings)).toEqual([])
})

test('labels stay as they are when they are off or nothing is known of this head', () => {
  expect(labelsOf(report([slower]), { ...settings, enabled: false })).toBeNull()
  expect(labelsOf(report([], { shards: shards(12, 0) }), settings)).toBeNull()
})
