import { expect, test } from 'vitest'
import { runNotePhrases } from '../../../../src/report/render/run-notes.ts'
import { toText } from '../../../../src/text/phrase.ts'
import { rawRun, STEADY } from '../raw-run.ts'
import { readTexts, row } from '../read-text.ts'

/** Lines made to the shapes of the tables that ClickHouse's scripts write; the numbers are made up. */
const RUN = {
  'sum-raw.tsv': `${rawRun('sum', [{ old: STEADY, new: STEADY }])}${row('client-time', 0, 1.5, 1)}${row('client-time', 1, 1.01, 1)}${row('client-time', 2, 'x')}`,
  'analyze/client-times.tsv': row('sum', 0, 1.5, 1) + row('avg', 3, 2.5, 2) + row('avg', 4, 1, 0) + row('no line'),
  'report/partial-queries-report.tsv': row(2.5, 0.125, 'json', 4, 'SELECT 4'),
  'report/unexpected-query-duration.tsv': row('is too short', 0, 0.004, 'sum', 5, 'SELECT 5'),
  'metrics/changes.tsv': row('MemoryTracking', 100, 160, 0.6, 1.6) + row('OSOpenFiles', 10, 9, -0.1, 1.11),
  'other/changes.tsv': row('nothing', 1, 2, 1, 2),
  'run_attributes_v1.tsv':
    row('old_sha', 'new_sha', 'metric', 'metric_value') +
    row('a1', 'b2', 'lscpu-model-name', 'AMD EPYC 7R13') +
    row('a1', 'b2', 'lscpu-l3-cache', '32 MiB').repeat(2) +
    row('a1', 'b2', 'a name', 'of no attribute'),
}

test('what a run says beside its queries is read, the worst first and each query once', async () => {
  const { runNotes, warnings } = await readTexts(RUN)
  expect(warnings).toEqual([])
  expect(runNotes).toEqual({
    slowOnClient: [
      { test: 'sum', queryIndex: 0, ratio: 1.5 },
      { test: 'avg', queryIndex: 3, ratio: 1.25 },
    ],
    partial: [{ test: 'json', queryIndex: 4, seconds: 2.5, spread: 0.125 }],
    unexpectedDuration: [{ test: 'sum', queryIndex: 5, problem: 'is too short', seconds: 0.004 }],
    servers: [
      { metric: 'MemoryTracking', old: 100, new: 160, difference: 0.6 },
      { metric: 'OSOpenFiles', old: 10, new: 9, difference: -0.1 },
    ],
    attributes: [
      { name: 'lscpu-model-name', value: 'AMD EPYC 7R13' },
      { name: 'lscpu-l3-cache', value: '32 MiB' },
    ],
  })
})

test('it is said in a line each, and of many the worst are named', async () => {
  const many = Array.from({ length: 9 }, (_, index) => row('sum', index, 2 + index, 1)).join('')
  const { runNotes } = await readTexts({ ...RUN, 'analyze/client-times.tsv': many })
  const of = { check: 'a', architecture: null }
  const lines = runNotePhrases({ runNotes: [{ ...of, machine: 'AMD `EPYC`', ...runNotes! }] })
  expect(lines.map((line) => toText(line).replaceAll('\u00a0', ' '))).toEqual([
    'measured on: AMD `EPYC`',
    'attributes of the run: lscpu-model-name AMD EPYC 7R13, lscpu-l3-cache 32 MiB',
    'slow on the client, as a multiple of the server’s time: sum #8 10, sum #7 9, sum #6 8, sum #5 7, sum #4 6, 4 more',
    'run by the new build only, median and relative deviation: json #4 2.50 s ± 12.5%',
    'with a duration other than their test expects: sum #5 4.00 ms: is too short',
    'the servers themselves, old to new: MemoryTracking +60.0%, OSOpenFiles −10.0%',
  ])
  expect(runNotePhrases({})).toEqual([])
})

test('a source with nothing but such tables has no measurements', async () => {
  await expect(readTexts({ 'metrics/changes.tsv': RUN['metrics/changes.tsv'] })).rejects.toThrow('no measurements')
})
