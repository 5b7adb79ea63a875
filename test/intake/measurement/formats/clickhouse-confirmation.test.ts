import { describe, expect, test } from 'vitest'
import { codes, readTexts, row } from '../read-text.ts'

const repetitions = (index: number, old: number, fresh: number, count = 3) =>
  Array.from({ length: count }, (_, run) =>
    [old, fresh].map((time, side) => row('query', index, `sum.query${index}.run${run}`, side, time)).join(''),
  ).join('')

const RAW = { 'sum-raw.tsv': repetitions(0, 1, 1.3) + repetitions(1, 1, 1.4) + repetitions(2, 1, 0.5) }
const FLAGGED = row('sum', 0, 0.3, 0.05, 0.15) + row('sum', 1, 0.4, 0.05, 0.15) + row('sum', 2, -0.5, 0.05, 0.15)
const statistics = (index: number, difference: number, threshold: number) =>
  row('[1]', `[${1 + difference}]`, `[${difference}]`, `[${threshold}]`, 'sum', index)

const read = async (files: Readonly<Record<string, string>>) => await readTexts({ ...RAW, ...files })

describe('the confirmation rerun of a run', () => {
  test('confirms what was measured again and is in no list, and takes back what is', async () => {
    const contents = await read({
      'analyze-confirm/flagged-queries.tsv': FLAGGED,
      'analyze-confirm/unconfirmed-queries.tsv': row('sum', 1, 0.02, 0.06),
      'analyze-confirm/query-metric-stats.tsv': statistics(0, 0.28, 0.06) + statistics(1, 0.02, 0.06),
    })
    expect(contents.confirmations).toEqual([
      { test: 'sum', queryIndex: 0, result: 'confirmed', difference: 0.28, threshold: 0.06 },
      { test: 'sum', queryIndex: 1, result: 'not-reproduced', difference: 0.02, threshold: 0.06 },
      // Query 2 was flagged and not measured again: nothing is said of it.
    ])
    expect(contents.measurements.map(({ new: fresh }) => fresh.length)).toEqual([3, 3, 3])
    expect(contents.warnings).toEqual([])
  })

  test('that never took place confirms nothing, though its list is there and empty', async () => {
    const contents = await read({
      'logs/analyze-confirm/flagged-queries.tsv': FLAGGED,
      'logs/analyze-confirm/unconfirmed-queries.tsv': '',
    })
    expect(contents).not.toHaveProperty('confirmations')
    expect(contents.warnings).toEqual([])
  })

  test('is judged by its rule where it left no list', async () => {
    const { confirmations } = await read({
      'analyze-confirm/flagged-queries.tsv': FLAGGED,
      'analyze-confirm/query-metric-stats.tsv':
        statistics(0, 0.28, 0.3) + statistics(1, 0.16, 0.05) + statistics(2, 0.6, 0.05),
    })
    expect(confirmations?.map(({ queryIndex, result }) => [queryIndex, result])).toEqual([
      [0, 'not-reproduced'],
      [1, 'confirmed'],
      [2, 'not-reproduced'],
    ])
  })

  test('is read from its repetitions where there are no statistics; unequal sides are not believed', async () => {
    const { confirmations } = await read({
      'analyze-confirm/flagged-queries.tsv': FLAGGED,
      'analyze-confirm/unconfirmed-queries.tsv': '',
      'analyze-confirm/sum-raw.tsv':
        repetitions(0, 1, 1.25) + repetitions(1, 1, 1.1) + repetitions(2, 1, 0.5) + row('query', 2, 'x', 0, 1),
    })
    expect(confirmations).toEqual([
      { test: 'sum', queryIndex: 0, result: 'confirmed', difference: 0.25, threshold: null },
      expect.objectContaining({ queryIndex: 1, result: 'not-reproduced' }),
    ])
  })

  test('of which only the two lists are left', async () => {
    const { confirmations } = await read({
      'analyze-confirm/flagged-queries.tsv': FLAGGED,
      'analyze-confirm/unconfirmed-queries.tsv': row('sum', 1, 0.02, 0.06),
    })
    expect(confirmations?.map(({ queryIndex, result }) => [queryIndex, result])).toEqual([
      [0, 'confirmed'],
      [1, 'not-reproduced'],
      [2, 'confirmed'],
    ])
  })

  test('of which only the table of the report is left', async () => {
    const { confirmations } = await read({
      'report/unconfirmed-changes.tsv': row(1, 1.4, 0.4, 0.05, 0.02, 0.06, 'sum', 1, 'SELECT 1'),
    })
    expect(confirmations).toEqual([
      { test: 'sum', queryIndex: 1, result: 'not-reproduced', difference: 0.02, threshold: 0.06 },
    ])
  })

  test('whose files are damaged gives warnings and no guesses', async () => {
    const contents = await read({
      'analyze-confirm/flagged-queries.tsv': `${FLAGGED}sum\tx\t0.1\t0.1\t0.1\n`,
      'analyze-confirm/query-metric-stats.tsv': `${statistics(0, 0.28, 0.06)}[1]\t[1.4]\t[0.4]\t[0.05]\tsum\t1`,
    })
    expect(contents.confirmations?.map(({ queryIndex }) => queryIndex)).toEqual([0])
    expect(codes(contents)).toEqual([
      'malformed-line analyze-confirm/flagged-queries.tsv:4',
      'truncated-line analyze-confirm/query-metric-stats.tsv:2',
    ])
  })

  test('alone is no run, and its files mean nothing outside their folder', async () => {
    await expect(readTexts({ 'analyze-confirm/sum-raw.tsv': repetitions(0, 1, 2) })).rejects.toThrow('no measurements')
    const contents = await read({ 'flagged-queries.tsv': FLAGGED, 'query-metric-stats.tsv': statistics(0, 0.28, 0.06) })
    expect(contents).not.toHaveProperty('confirmations')
  })
})
