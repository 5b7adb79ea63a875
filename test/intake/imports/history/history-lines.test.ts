import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type HistoryRow,
  type HistoryRun,
  historyLine,
  parseHistoryLines,
  trunkRowsOf,
} from '../../../../src/intake/imports/history/history-lines.ts'

const NOON = Date.UTC(2026, 5, 1, 12)

function rowWith(changes: Partial<HistoryRow> = {}): HistoryRow {
  return {
    test: 'join',
    queryName: 'SELECT 1',
    queryIndex: 0,
    old: 2,
    new: 3,
    difference: 0.5,
    threshold: 0.1,
    repetitions: 15,
    processes: 0,
    ...changes,
  }
}

function runWith(changes: Partial<HistoryRun> = {}): HistoryRun {
  return {
    run: 123,
    attempt: 1,
    check: 'perf',
    shard: null,
    shards: null,
    commit: 'c'.repeat(40),
    base: 'b'.repeat(40),
    branch: 'main',
    url: '',
    time: NOON,
    architecture: null,
    metric: 'client_time',
    rows: [rowWith()],
    ...changes,
  }
}

describe('a line', () => {
  test('leaves out what its reader knows', () => {
    const rows = [
      rowWith(),
      rowWith({ processes: 3, difference: 0.25 }),
      rowWith({ queryName: null, old: null, difference: null, threshold: null, repetitions: 0 }),
      rowWith({ old: 0, difference: 0, threshold: null, repetitions: 0 }),
    ]
    expect(historyLine(runWith({ rows }))).toBe(
      `{"v":1,"run":123,"attempt":1,"check":"perf","commit":"${'c'.repeat(40)}","base":"${'b'.repeat(40)}",` +
        '"branch":"main","time":"2026-06-01T12:00:00.000Z","architecture":null,"metric":"client_time","rows":[' +
        '["join","SELECT 1",0,2,3,0.1,15],["join","SELECT 1",0,2,3,0.1,15,3,0.25],["join",null,0,null,3],["join","SELECT 1",0,0,3,null,0,0,0]]}',
    )
  })

  test('is read as it was written', () => {
    const text = fc.string({ unit: 'binary', maxLength: 8 })
    const value = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((number) => number + 0)
    const count = fc.nat(1000)
    const row = fc
      .record({
        test: text.filter((one) => one !== ''),
        queryName: fc.option(text),
        queryIndex: fc.option(fc.nat(0xffff_fffe)),
        old: value,
        new: value,
        difference: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
        threshold: fc.option(value),
        repetitions: count,
        processes: count,
        sides: fc.constantFrom('both', 'old', 'new', 'neither'),
      })
      .map(({ sides, ...of }): HistoryRow => {
        if (sides === 'both') return of
        const [old, fresh] = [sides === 'old' ? of.old : null, sides === 'new' ? of.new : null]
        return { ...of, old, new: fresh, difference: null, threshold: null }
      })
    const run = fc.record(
      {
        run: count,
        attempt: count,
        check: text,
        shard: fc.constant(null),
        shards: fc.constant(null),
        commit: fc.constant('c'.repeat(40)),
        base: fc.constantFrom(null, 'b'.repeat(64)),
        branch: text,
        url: text,
        time: fc.nat(4_294_967_294).map((seconds) => seconds * 1000 + 7),
        architecture: fc.constantFrom(null, 'amd64'),
        stated: fc.constant('arm'),
        machine: text,
        metric: text.filter((one) => one !== ''),
        rows: fc.array(row, { maxLength: 3 }),
      },
      { requiredKeys: Object.keys(runWith()) as (keyof HistoryRun)[] },
    )
    const sharded = fc.tuple(run, fc.option(fc.tuple(count, fc.option(count)))).map(([one, place]) => ({
      ...one,
      ...(place !== null && { shard: place[0], shards: place[1] }),
    }))
    fc.assert(
      fc.property(sharded, (one) => {
        const line = historyLine(one)
        expect(line).not.toContain('\n')
        expect(parseHistoryLines(line)).toEqual({ runs: [one], duplicates: 0, problems: new Map() })
      }),
      { numRuns: 40 },
    )
  })
})

describe('the lines of files', () => {
  const line = historyLine(runWith())

  test('say a run once, whichever file has it again', () => {
    const others = [
      { run: 124 },
      { attempt: 2 },
      { check: 'other' },
      { shard: 2, shards: 3 },
      { architecture: 'arm' },
      { stated: 'arm' },
      { metric: 'memory' },
    ].map(runWith)
    const again = historyLine(runWith({ time: NOON + 1000, commit: 'd'.repeat(40) }))
    const { runs, duplicates } = parseHistoryLines(
      `${line}\n${others.map(historyLine).join('\n')}\n`,
      `${again}\n${line}`,
    )
    expect(runs).toEqual([runWith(), ...others])
    expect(duplicates).toBe(2)
  })

  test('are read beside those that can’t be', () => {
    const broken = (changes: Readonly<Record<string, unknown>>) => JSON.stringify({ ...JSON.parse(line), ...changes })
    const rows = (...row: readonly unknown[]) => broken({ rows: [row] })
    const malformed = [line.slice(0, 60), '{', 'x', '<<<<<<< HEAD']
    const unexpected = [
      ...['null', '[]', '7', '{}', '"run"', '{"v":"2"}', '{"v":0}'],
      ...[{ run: -1 }, { run: 1.5 }, { commit: 'main' }, { commit: `${'c'.repeat(40)}\n` }, { base: '' }].map(broken),
      ...[{ time: 'yesterday' }, { time: NOON }, { time: '2300-01-01T00:00:00Z' }, { metric: '' }].map(broken),
      ...[{ rows: {} }, { rows: null }, { rows: [{}] }, { shard: [1] }, { check: 'x'.repeat(100_001) }].map(broken),
      ...[rows(), rows('join', null, 0, 1), rows('', null, 0, 1, 1), rows('join', null, -1, 1, 1)],
      ...[rows('join', null, 0, -1, 1), rows('join', null, 0, '1', 1), rows('join', null, 0, 1, 1, 'T')],
      rows('join', null, 0, 1, 1, 0.1, 1, 0, 0, 'more'),
      line.replace('0.1,15]', '1e999,15]'),
    ]
    const later = [broken({ v: 2 }), '{"v":3,"everything":"else"}']
    const all = [...malformed, ...unexpected, '', '  ', ...later, line]
    const { runs, problems } = parseHistoryLines(all.join('\n'))
    expect(runs).toEqual([runWith()])
    expect(Object.fromEntries(problems)).toEqual({
      malformed: malformed.length,
      unexpected: unexpected.length,
      'newer-version': later.length,
    })
  })

  test('of any text are read to their end', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constant(line),
      fc.string().map((cut) => line + cut),
    )
    fc.assert(
      fc.property(fc.array(anything), (lines) => {
        const text = lines.join('\n')
        const { runs, duplicates, problems } = parseHistoryLines(text)
        const counted = [...problems.values()].reduce((sum, count) => sum + count, runs.length + duplicates)
        expect(counted).toBe(text.split('\n').filter((one) => one.trim() !== '').length)
      }),
    )
  })

  test('with half a surrogate pair have what a database would hold', () => {
    const { runs } = parseHistoryLines(historyLine(runWith({ rows: [rowWith({ queryName: 'a\ud800' })] })))
    expect(runs[0]!.rows[0]!.queryName).toBe('a\ufffd')
  })
})

test('rows of the database are what was compared with an earlier commit of the main branch', () => {
  const rows = [rowWith(), rowWith({ old: null, difference: null }), rowWith({ new: null, difference: null })]
  expect(trunkRowsOf(runWith({ rows }))).toHaveLength(1)
  expect(trunkRowsOf(runWith({ rows, base: null }))).toEqual([])
  const [row] = trunkRowsOf(runWith({ architecture: 'amd', stated: 'arm', rows }))
  expect(row!.architecture).toBe('arm')
})
