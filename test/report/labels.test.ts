import { expect, test } from 'vitest'
import { labelsOf } from '../../src/report/labels.ts'
import { changed, quiet, report, row, shards } from '../render/report-builder.ts'

const settings = { enabled: true, slower: 'perf: slower', faster: 'perf: faster' }
const slower = row('a', 1, [changed(1, 2)])
const faster = row('a', 2, [changed(2, 1)])

test('follow the verdicts regression and improvement', () => {
  expect(labelsOf(report([slower, faster]), settings)).toEqual(['perf: slower', 'perf: faster'])
  expect(labelsOf(report([slower]), { ...settings, slower: 'regression' })).toEqual(['regression'])
  expect(labelsOf(report([faster]), settings)).toEqual(['perf: faster'])
  expect(labelsOf(report(quiet(3)), settings)).toEqual([])
})

test('neither a rerun nor noise sets one', () => {
  const rows = (['needs-rerun', 'likely-noise', 'acknowledged', 'already-on-trunk'] as const).map((verdict, index) =>
    row('a', index, [changed(1, 2)], { verdict }),
  )
  expect(labelsOf(report(rows), settings)).toEqual([])
})

test('stay as they are when they are off or nothing is known of this head', () => {
  expect(labelsOf(report([slower]), { ...settings, enabled: false })).toBeNull()
  expect(labelsOf(report([], { shards: shards(12, 0) }), settings)).toBeNull()
})
