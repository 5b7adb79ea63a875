import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Limits } from '../../../../src/intake/measurement/limits.ts'
import type { QueryProfile, StackCount } from '../../../../src/intake/measurement/run.ts'
import { LEFT_OUT_FRAME } from '../../../../src/intake/measurement/stack-counts.ts'
import { anyCodePoint } from '../../../any-code-point.ts'
import { codes, readTexts, row } from '../read-text.ts'

const INFERNO = new URL('../../../data/profile-inferno/', import.meta.url)

/** Real stacks of a file of folded ones. */
function folded(name: string): StackCount[] {
  const lines = readFileSync(new URL(name, INFERNO), 'utf8').trim().split('\n')
  return lines.flatMap((line) => {
    const [, stack, count] = /^(.*) (\d+)$/.exec(line) ?? []
    return stack === undefined ? [] : [{ stack, count: Number(count) }]
  })
}

const BEFORE = folded('diff-folded/before.txt')
const AFTER = folded('diff-folded/after.txt')

/** ClickHouse's TSV. */
const escaped = (text: string) =>
  text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll("'", "\\'")

interface Id {
  readonly test?: string
  readonly index?: number
  readonly type?: string
  readonly name?: string
}

function table(stacks: readonly StackCount[], { test = 'sum', index = 0, type = 'CPU', name = 'SELECT 0' }: Id = {}) {
  return stacks.map(({ stack, count }) => row(test, index, type, escaped(name), escaped(stack), count)).join('')
}

const foldedFile = (stacks: readonly StackCount[]) =>
  stacks.map(({ stack, count }) => `${escaped(stack)} ${count}\n`).join('')

function raw(names: readonly string[], test = 'sum'): string {
  return names
    .map((name, index) =>
      [
        row('display-name', index, escaped(name)),
        ...[0, 1].map((side) => row('query', index, `${test}.query${index}.run0`, side, 0.1)),
      ].join(''),
    )
    .join('')
}

const RAW = { 'sum-raw.tsv': raw(['SELECT 0', 'SELECT 1']) }

/** What a reader makes of stacks: each once, the heaviest first, equal ones by their text. */
function summed(stacks: readonly StackCount[]): StackCount[] {
  const counts = new Map<string, number>()
  for (const { stack, count } of stacks) counts.set(stack, (counts.get(stack) ?? 0) + count)
  return Array.from(counts, ([stack, count]) => ({ stack, count })).sort(
    (a, b) => b.count - a.count || (a.stack < b.stack ? -1 : 1),
  )
}

const sum = (stacks: readonly StackCount[]) => stacks.reduce((total, { count }) => total + count, 0)
const named = (profiles: readonly QueryProfile[] | undefined) =>
  profiles?.map((one) => `${one.queryIndex} ${one.queryName} ${one.traceType}: ${one.old.length} + ${one.new.length}`)

describe('the stacks of all queries', () => {
  test('are read with their counts, left as old and right as new', async () => {
    const contents = await readTexts({
      ...RAW,
      'report/stacks.left.tsv': table(BEFORE) + table(BEFORE.slice(0, 2), { type: 'MemorySample' }),
      'report/stacks.right.tsv': table(AFTER) + table(AFTER.slice(0, 3), { type: 'MemorySample' }),
    })
    expect(contents.warnings).toEqual([])
    expect(contents.measurements).toHaveLength(2)
    const id = { test: 'sum', queryIndex: 0, queryName: 'SELECT 0' }
    expect(contents.profiles).toEqual([
      { ...id, traceType: 'CPU', old: summed(BEFORE), new: summed(AFTER) },
      { ...id, traceType: 'MemorySample', old: summed(BEFORE.slice(0, 2)), new: summed(AFTER.slice(0, 3)) },
    ])
  })

  test('have the names of their measurements: cut texts, and the place among equal ones', async () => {
    const long = 'x'.repeat(1000)
    const contents = await readTexts({
      'report/stacks.left.tsv': [0, 1, 2].map((index) => table(BEFORE, { index, name: 'SELECT 1' })).join(''),
      'report/stacks.right.tsv':
        table(AFTER, { index: 1, name: 'SELECT 1' }) + table(AFTER, { index: 2, name: `${long}...(2)` }),
      'sum-raw.tsv': raw(['SELECT 1', 'SELECT 1', `${long}...(2)`]),
    })
    expect(
      contents.profiles?.map(({ queryIndex, queryName, ordinal }) => ({ queryIndex, queryName, ordinal })),
    ).toEqual(contents.measurements.map(({ queryIndex, queryName, ordinal }) => ({ queryIndex, queryName, ordinal })))
    expect(contents.profiles?.map(({ ordinal }) => ordinal)).toEqual([undefined, 1, undefined])
    expect(contents.profiles?.[2]?.queryName).toBe(long)
  })

  test('come without escapes, and lines of the same stack add up', async () => {
    const stack = "main;DB::f()::'lambda'(int);operator\\"
    const contents = await readTexts({
      ...RAW,
      'stacks.left.tsv': table([
        { stack, count: 3 },
        { stack: 'a\nb;c\td', count: 1 },
        { stack, count: 4 },
      ]),
      'stacks.right.tsv': '',
    })
    expect(contents.profiles?.[0]?.old).toEqual([
      { stack, count: 7 },
      { stack: 'a b;c d', count: 1 },
    ])
    expect(contents.profiles?.[0]?.new).toEqual([])
    expect(contents.warnings).toEqual([])
  })

  test('of a trace type that is not known are passed over with one warning', async () => {
    const unknown = table(BEFORE, { type: 'ProfileEvent' })
    const contents = await readTexts({
      ...RAW,
      'stacks.left.tsv': unknown + table(BEFORE, { type: 'Real' }) + unknown,
      'stacks.right.tsv': unknown + table(AFTER, { type: 'Real' }),
    })
    expect(named(contents.profiles)).toEqual(['0 SELECT 0 Real: 8 + 8'])
    expect(contents.warnings).toEqual([
      {
        code: 'invalid-value',
        where: 'stacks.left.tsv',
        message: 'stacks of the unknown trace type "ProfileEvent": skipped',
      },
    ])
  })

  test('of a query that was not measured belong to nothing', async () => {
    const contents = await readTexts({
      ...RAW,
      'stacks.left.tsv': table(BEFORE, { index: 7 }) + table(BEFORE, { test: 'other' }),
      'stacks.right.tsv': table(AFTER, { index: 7 }),
    })
    expect(contents).not.toHaveProperty('profiles')
    expect(contents.warnings.map(({ where, message }) => `${where}: ${message}`)).toEqual([
      'stacks.left.tsv: 2 profiles of queries that were not measured: left out',
      'stacks.right.tsv: 1 profile of queries that were not measured: left out',
    ])
  })

  test('that nobody sampled: both files empty', async () => {
    const contents = await readTexts({ ...RAW, 'stacks.left.tsv': '', 'stacks.right.tsv': '' })
    expect(contents).not.toHaveProperty('profiles')
    expect(contents.warnings).toEqual([])
  })

  test('alone are no run', async () => {
    await expect(readTexts({ 'stacks.left.tsv': table(BEFORE) })).rejects.toThrow('no measurements')
  })

  test('with bad lines', async () => {
    const contents = await readTexts({
      ...RAW,
      'stacks.left.tsv': [
        'no tabs\n',
        row('sum', 0, 'CPU', 'SELECT 0'),
        row('', 0, 'CPU', 'SELECT 0', 'a', 1),
        row('x'.repeat(1001), 0, 'CPU', 'SELECT 0', 'a', 1),
        row('sum', -1, 'CPU', 'SELECT 0', 'a', 1),
        row('sum', 0, 'CPU', 'SELECT 0', 'a', 'many'),
        row('sum', 0, 'CPU', 'SELECT 0', 'a', -1),
        row('sum', 0, 'CPU', 'SELECT 0', 'a', '99999999999999999999'),
        row('sum', 0, 'CPU', 'SELECT 0', 'a', '1.5'),
        row('sum', 0, 'CPU', 'SELECT 0', '', 1),
        row('sum', 0, 'CPU', 'SELECT 0', 'a', 'b', 1),
        row('sum', 0, 'CPU', 'SELECT 0', 'a'),
        row('sum', 0, 'CPU', 'SELECT 0', 'never', 0),
        row('sum', 0, 'CPU', 'SELECT 0', 'main', 2),
      ].join(''),
      'stacks.right.tsv': table(AFTER),
    })
    expect(contents.profiles?.[0]?.old).toEqual([{ stack: 'main', count: 2 }])
    expect(codes(contents)).toEqual(
      Array.from({ length: 12 }, (_, line) => `malformed-line stacks.left.tsv:${line + 1}`),
    )
  })
})

describe('a file that was cut', () => {
  const two = (stacks: readonly StackCount[]) => table(stacks) + table(stacks, { index: 1, name: 'SELECT 1' })

  test('has no query that it ends in, and says nothing of those behind it', async () => {
    const contents = await readTexts({
      'sum-raw.tsv': raw(['SELECT 0', 'SELECT 1', 'SELECT 2']),
      'stacks.left.tsv': two(BEFORE).slice(0, -5),
      'stacks.right.tsv': two(AFTER) + table(AFTER, { index: 2, name: 'SELECT 2' }),
    })
    expect(named(contents.profiles)).toEqual(['0 SELECT 0 CPU: 8 + 8'])
    expect(codes(contents)).toEqual(['truncated-line stacks.left.tsv:16', 'unreadable-member stacks.left.tsv'])
  })

  test('or is missing: no side stands alone', async () => {
    const contents = await readTexts({ ...RAW, 'stacks.right.tsv': two(AFTER) })
    expect(contents).not.toHaveProperty('profiles')
    expect(contents.warnings[0]?.message).toBe(
      '2 profiles have only one side, since the other side’s file is incomplete: left out',
    )
  })

  test('by a limit, likewise', async () => {
    const contents = await readTexts(
      { ...RAW, 'stacks.left.tsv': two(BEFORE), 'stacks.right.tsv': two(AFTER) },
      { limits: { profiles: 3 } },
    )
    expect(named(contents.profiles)).toEqual(['0 SELECT 0 CPU: 8 + 8'])
    expect(codes(contents)).toEqual(['limit-reached stacks.right.tsv', 'unreadable-member stacks.left.tsv'])
    expect(contents.measurements).toHaveLength(2)
  })
})

describe('files of one query each', () => {
  test('are read where there is no table', async () => {
    const text = "SELECT '/a\tb' FROM t"
    const contents = await readTexts({
      'report/tmp/sum_1_CPU_SELECT 1.stacks.left.tsv': foldedFile(BEFORE),
      'report/tmp/sum_1_CPU_SELECT 1.stacks.right.tsv': foldedFile(AFTER),
      'report/tmp/sum_1_CPU_SELECT 1.stacks.diff.tsv': 'main 1 2\n',
      "report/tmp/sum_2_MemorySample_SELECT \\'_a\\tb\\'.stacks.left.tsv": '',
      "report/tmp/sum_2_MemorySample_SELECT \\'_a\\tb\\'.stacks.right.tsv": foldedFile([
        { stack: "f()::'lambda'()", count: 7 },
      ]),
      'sum-raw.tsv': raw(['SELECT 0', 'SELECT 1', text]),
    })
    expect(contents.warnings).toEqual([])
    expect(contents.profiles).toEqual([
      {
        test: 'sum',
        queryIndex: 1,
        queryName: 'SELECT 1',
        traceType: 'CPU',
        old: summed(BEFORE),
        new: summed(AFTER),
      },
      {
        test: 'sum',
        queryIndex: 2,
        queryName: text,
        traceType: 'MemorySample',
        old: [],
        new: [{ stack: "f()::'lambda'()", count: 7 }],
      },
    ])
  })

  const other = [{ stack: 'other', count: 1 }]
  const file = {
    left: 'report/tmp/sum_0_CPU_SELECT 0.stacks.left.tsv',
    right: 'report/tmp/sum_0_CPU_SELECT 0.stacks.right.tsv',
  }
  const tables = { 'report/stacks.left.tsv': table(BEFORE), 'report/stacks.right.tsv': table(AFTER) }
  const files = { [file.left]: foldedFile(other), [file.right]: foldedFile(other) }

  test.each([
    ['behind them', { ...tables, ...files }],
    ['before them', { ...files, ...tables }],
  ])('are nothing beside tables %s', async (_, both) => {
    const { profiles, warnings } = await readTexts({ ...RAW, ...both })
    expect(profiles).toEqual([expect.objectContaining({ old: summed(BEFORE), new: summed(AFTER) })])
    expect(warnings).toEqual([])
  })

  test('stand in for a table that was cut', async () => {
    const { profiles } = await readTexts({ ...RAW, ...files, 'report/stacks.left.tsv': table(BEFORE).slice(0, -1) })
    expect(profiles).toEqual([expect.objectContaining({ old: other, new: other })])
  })

  test('of which one is missing, or names nothing that was measured', async () => {
    const contents = await readTexts({
      ...RAW,
      [file.left]: foldedFile(BEFORE),
      'report/tmp/sum_9_CPU_SELECT 9.stacks.left.tsv': foldedFile(BEFORE),
      'report/tmp/nothing.stacks.left.tsv': foldedFile(BEFORE),
    })
    expect(contents).not.toHaveProperty('profiles')
    expect(contents.warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'invalid-value: 2 profiles whose file names no measured query: left out',
      'unreadable-member: 1 profile has only one side, since the other side’s file is incomplete: left out',
    ])
  })

  test('whose name fits two tests go by the text', async () => {
    const key = 'sum_0_CPU_SELECT a_1_CPU_b'
    const contents = await readTexts({
      [`${key}.stacks.left.tsv`]: foldedFile(BEFORE),
      [`${key}.stacks.right.tsv`]: foldedFile(AFTER),
      'sum-raw.tsv': raw(['SELECT a_1_CPU_b']),
      'sum_0_CPU_SELECT a-raw.tsv': raw(['x', 'y'], 'sum_0_CPU_SELECT a'),
    })
    expect(contents.profiles?.map((one) => one.test)).toEqual(['sum'])
  })

  test('with bad lines', async () => {
    const contents = await readTexts({
      ...RAW,
      [file.left]: 'main\nmain 1.5\n 3\nmain;f 3\n',
      [file.right]: foldedFile(AFTER),
    })
    expect(contents.profiles?.[0]?.old).toEqual([{ stack: 'main;f', count: 3 }])
    expect(codes(contents)).toEqual([1, 2, 3].map((line) => `malformed-line ${file.left}:${line}`))
  })
})

describe('more stacks than are kept', () => {
  const read = async (old: string, fresh: string, limits: Partial<Limits>) =>
    await readTexts({ ...RAW, 'stacks.left.tsv': old, 'stacks.right.tsv': fresh }, { limits })

  test('the heaviest of each profile stay, the others are one stack', async () => {
    const stacks = Array.from({ length: 100 }, (_, i) => ({ stack: `main;f${100 + i}`, count: 100 - i }))
    const { profiles, warnings } = await read(table(stacks), table(stacks.slice(0, 3)), { profileText: 45 })
    expect(profiles?.[0]?.old).toEqual([...stacks.slice(0, 5), { stack: LEFT_OUT_FRAME, count: sum(stacks.slice(5)) }])
    expect(profiles?.[0]?.new).toEqual(stacks.slice(0, 3))
    expect(warnings).toEqual([
      {
        code: 'light-stacks',
        where: 'stacks.left.tsv',
        message: 'sum #0 CPU old: the lightest stacks, 95 of 100 with 90.3% of the count, are left out',
      },
    ])
  })

  test('in the whole source: every query keeps its heaviest, the last as the first', async () => {
    const stacks = Array.from({ length: 8 }, (_, i) => ({ stack: `main;f${100 + i}`, count: 100 - i }))
    const all = table(stacks) + table(stacks, { index: 1, name: 'SELECT 1' })
    const { profiles, measurements } = await read(all, all, { stackText: 128 })
    expect(measurements).toHaveLength(2)
    const kept = [...stacks.slice(0, 1), { stack: LEFT_OUT_FRAME, count: sum(stacks.slice(1)) }]
    expect(profiles?.map((one) => [one.old, one.new])).toEqual([
      [kept, kept],
      [kept, kept],
    ])
  })
})

test('no text makes the reader fail or invent a stack, and no sum is lost', async () => {
  const stack = fc.oneof(
    fc.string({ unit: anyCodePoint, minLength: 1, maxLength: 30 }),
    fc.constantFrom(...BEFORE.map((one) => one.stack), "a\\'b", '\\', '(x);;', ' '),
  )
  const counts = fc.array(fc.record({ stack, count: fc.nat(1000) }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(counts, counts, fc.integer({ min: 20, max: 400 }), async (old, fresh, stackText) => {
      const contents = await readTexts(
        { ...RAW, 'stacks.left.tsv': table(old), 'stacks.right.tsv': table(fresh) },
        { limits: { stackText } },
      )
      // only of what was escaped: line ends and tabs
      const clean = (text: string) => (escaped(text) === text ? text : text.replaceAll(/\p{Cc}/gu, ' '))
      const shown = (stacks: readonly StackCount[]) =>
        stacks
          .map((one) => ({ ...one, stack: clean(one.stack.toWellFormed()) }))
          .filter((one) => one.stack.trim() !== '' && one.count > 0)
      const profile = contents.profiles?.[0] ?? { old: [], new: [] }
      for (const side of ['old', 'new'] as const) {
        const given = shown(side === 'old' ? old : fresh)
        expect(sum(profile[side])).toBe(sum(given))
        const expected = new Map(summed(given).map((one) => [one.stack, one.count]))
        const kept = profile[side].filter((one) => one.stack !== LEFT_OUT_FRAME)
        expect(new Set(kept.map((one) => one.stack)).size).toBe(kept.length)
        expect(kept.reduce((text, one) => text + one.stack.length, 0)).toBeLessThanOrEqual(stackText)
        if (kept.length === profile[side].length) expect(kept).toEqual(summed(given))
        for (const one of kept) expect(one.count).toBeLessThanOrEqual(expected.get(one.stack) ?? -1)
      }
    }),
    { numRuns: 200 },
  )
})

test('any lines at all: the measurements stand', async () => {
  const field = fc.oneof(
    fc.string({ unit: anyCodePoint, maxLength: 8 }),
    fc.constantFrom('sum', '0', 'CPU', 'a;b', '1'),
  )
  const lines = fc.array(fc.array(field, { maxLength: 8 }).map((fields) => fields.join('\t')))
  await fc.assert(
    fc.asyncProperty(lines, lines, fc.boolean(), async (old, fresh, inFiles) => {
      const name = inFiles ? 'sum_0_CPU_SELECT 0.stacks.' : 'stacks.'
      const files = { [`${name}left.tsv`]: old.join('\n'), [`${name}right.tsv`]: fresh.join('\n') }
      const contents = await readTexts({ ...RAW, ...files })
      expect(contents.measurements).toHaveLength(2)
      for (const { stack, count } of contents.profiles?.flatMap((one) => [...one.old, ...one.new]) ?? []) {
        expect(stack.trim()).not.toBe('')
        expect(count).toBeGreaterThan(0)
      }
    }),
    { numRuns: 200 },
  )
})
