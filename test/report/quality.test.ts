import { expect, test } from 'vitest'
import { parseRepositoryConfig } from '../../src/config/parse-repository-config.ts'
import { testEntries } from '../../src/config/repository-config.ts'
import {
  commandOf,
  ignoreLineOf,
  inQualityOrder,
  type MeasuredOften,
  neededWords,
  nextStepOf,
  qualityOf,
  reasonWords,
} from '../../src/report/quality/quality.ts'

const REPOSITORY = { owner: 'acme', repo: 'fast.db' }

function measured(changes: Partial<MeasuredOften> = {}): MeasuredOften {
  return {
    test: 'join',
    queryIndex: 0,
    queryName: 'SELECT 1',
    architecture: 'amd',
    runs: 40,
    trunkRuns: 40,
    judgedRuns: 40,
    unstableRuns: 2,
    changedRuns: 1,
    medianThreshold: 0.03,
    medianValue: 0.1,
    medianRepetitions: 7,
    ...changes,
  }
}

const reasonsOf = (changes: Partial<MeasuredOften>, metric = 'client_time') =>
  qualityOf(REPOSITORY, metric, [measured(changes)])[0]?.reasons ?? []

test('each reason at its limit and beside it', () => {
  expect(reasonsOf({})).toEqual([])
  expect(reasonsOf({ unstableRuns: 21 })).toEqual(['unstable'])
  expect(reasonsOf({ unstableRuns: 20 })).toEqual([])
  expect(reasonsOf({ medianValue: 0.0049 })).toEqual(['too-short'])
  expect(reasonsOf({ medianValue: 0.005 })).toEqual([])
  expect(reasonsOf({ medianValue: 2 })).toEqual(['too-slow'])
  expect(reasonsOf({ medianValue: 1.99 })).toEqual([])
  expect(reasonsOf({ runs: 74, judgedRuns: 74, changedRuns: 0 })).toEqual(['never-different'])
  expect(reasonsOf({ runs: 72, judgedRuns: 72, changedRuns: 0 })).toEqual([])
  expect(reasonsOf({ runs: 74, judgedRuns: 74, changedRuns: 1 })).toEqual([])
})

test('of few runs nothing is said, and of counters neither short nor slow', () => {
  const few = { runs: 9, judgedRuns: 9, unstableRuns: 9, changedRuns: 0, medianValue: 0.001 }
  expect(reasonsOf(few)).toEqual([])
  expect(reasonsOf({ medianValue: 3 }, 'SelectedRows')).toEqual([])
  expect(reasonsOf({ judgedRuns: 0, unstableRuns: 0, changedRuns: 0, medianThreshold: null })).toEqual([])
})

test('what noise hides is not never different', () => {
  const reasons = reasonsOf({ runs: 100, judgedRuns: 100, unstableRuns: 100, changedRuns: 0, medianValue: 0.002 })
  expect(reasons).toEqual(['unstable', 'too-short'])
})

test('the noisiest stand first, and each says why and what to do', () => {
  const rows = inQualityOrder(
    qualityOf(REPOSITORY, 'client_time', [
      measured({ test: 'calm', runs: 80, judgedRuns: 80, changedRuns: 0 }),
      measured({ test: 'slow', medianValue: 2.5 }),
      measured({ test: 'short', medianValue: 0.002, medianThreshold: null, judgedRuns: 0 }),
      measured({ test: 'noisy', unstableRuns: 30, medianThreshold: 0.1, medianRepetitions: null }),
      measured({ test: 'wild', unstableRuns: 40, medianThreshold: 0.98 }),
    ]),
  )
  const lines = rows.map((row) => [row.test, reasonWords(row), neededWords(row), nextStepOf(row)].join(' | '))
  expect(lines.map((line) => line.replaceAll('\u00a0', ' '))).toEqual([
    'wild | unstable in most runs: median noise ±98.0%, ±10% or more in 40 of 40 runs | more than 499 | Remove it, or find out why it varies: no number of repetitions will be enough.',
    'noisy | unstable in most runs: median noise ±10.0%, ±10% or more in 30 of 40 runs | about 73 | Measure it 73 times per side, or find out why it varies.',
    'short | too short to time: 2.00 ms per repetition, below 5.00 ms | – | Give each repetition 3 times the work, or run the query 3 times in one.',
    'slow | too slow: 2.50 s per repetition, at least 2.00 s | 5 | Give it less work, so that a repetition takes less than 2.00 s; it has enough repetitions.',
    'calm | never shows a difference: no change of 5% or more in 80 runs, so one shows in fewer than 4.6% of runs | 5 | Remove it, unless it covers code that no other query runs.',
  ])
})

test('each can be followed: a command where repetitions are all it lacks, and a line that the repository’s file takes', () => {
  const NOW = Date.parse('2026-11-28T12:00:00Z')
  const rows = qualityOf(REPOSITORY, 'client_time', [
    measured({ test: 'noisy', unstableRuns: 30, medianThreshold: 0.1 }),
    measured({ test: 'many', unstableRuns: 30, medianThreshold: 0.2 }),
    measured({ test: 'wild', unstableRuns: 40, medianThreshold: 0.98 }),
    measured({ test: 'short {x}', unstableRuns: 30, medianThreshold: 0.1, medianValue: 0.002, queryIndex: null }),
    measured({ test: 'calm', runs: 80, judgedRuns: 80, changedRuns: 0 }),
  ])
  const show = 'perf-triage measure --show 5% --output results --run "COMMAND"'
  expect(rows.map(commandOf)).toEqual([show, null, null, null, null])
  const lines = rows.map((row) => ignoreLineOf(row, NOW))
  expect(lines[3]).toBe(
    '  - {"test":"short *x*","query":"SELECT 1","ignore":"unstable in most runs, too short to time","until":"2026-12-28"}',
  )
  const entries = testEntries(parseRepositoryConfig(`tests:\n${lines.join('\n')}\n`).config!, NOW)
  for (const row of rows) {
    expect(entries.ignoring(row)).toMatchObject({ until: '2026-12-28' })
  }
})
