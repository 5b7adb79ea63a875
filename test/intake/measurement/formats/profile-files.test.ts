import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readRun } from '../../../../src/intake/archive/read-run.ts'
import { MemberError } from '../../../../src/intake/measurement/formats/format.ts'
import { pprofProfile } from '../../../../src/intake/measurement/formats/pprof-profile.ts'
import type { QueryProfile, Side } from '../../../../src/intake/measurement/run.ts'
import { readTexts } from '../read-text.ts'

const FOLDER = new URL('../../../data/profile-go/', import.meta.url)
const file = (path: string) => readFileSync(new URL(path, FOLDER))
const profileOf = (side: Side) => gunzipSync(file(`${side}/cpu.pprof`))

/** The stacks that `go tool pprof -traces` prints, the outermost frame first, by their samples of 10 ms. */
function tracesOf(side: Side): Record<string, number> {
  const stacks: Record<string, number> = {}
  const [, ...parts] = file(`${side}/cpu.traces.txt`)
    .toString('utf8')
    .split(/^-+\+-+$/m)
  for (const part of parts) {
    const lines = part.split('\n').filter((line) => line.trim() !== '')
    const [, time] = /^\s*(\d+)ms\s/.exec(lines[0] ?? '') ?? []
    if (time === undefined) continue
    const frames = lines.map((line) => line.replace(/^\s*(?:\d+ms\s+)?/, '').replace(/ \(inline\)$/, ''))
    const stack = frames.toReversed().join(';')
    stacks[stack] = (stacks[stack] ?? 0) + Number(time) / 10
  }
  return stacks
}

function read(bytes: Uint8Array): { readonly type: string; readonly stacks: Record<string, number> } {
  const stacks: Record<string, number> = {}
  const type = pprofProfile(bytes, (stack, count) => {
    stacks[stack] = (stacks[stack] ?? 0) + count
  })
  return { type, stacks }
}

test.each(['old', 'new'] as const)('each stack of the %s profile is counted as go tool pprof counts it', (side) => {
  const expected = tracesOf(side)
  expect(Object.keys(expected).length).toBeGreaterThan(20)
  expect(read(profileOf(side))).toEqual({ type: 'CPU', stacks: expected })
})

const sum = (profile: QueryProfile | undefined, side: Side) =>
  profile?.[side].reduce((total, { count }) => total + count, 0)
const through = (side: Side, frame: string) =>
  Object.entries(tracesOf(side)).reduce((total, [stack, count]) => (stack.includes(frame) ? total + count : total), 0)

test('each benchmark of Go has the stacks that run through its function', async () => {
  const { measurements, profiles, warnings } = await readRun(FOLDER.pathname)
  expect(warnings).toEqual([])
  expect(new Set(measurements.map(({ queryName }) => queryName))).toEqual(
    new Set(['BenchmarkCount-2', 'BenchmarkSort/words=1-2', 'BenchmarkSort/words=0-2']),
  )
  expect(profiles).toHaveLength(3)
  for (const profile of profiles!) {
    const name = /^Benchmark[A-Z][a-z]+/.exec(profile.queryName!)![0]
    expect([profile.test, profile.traceType]).toEqual(['example.com/words', 'CPU'])
    for (const side of ['old', 'new'] as const)
      expect(sum(profile, side)).toBe(through(side, `example.com/words.${name}`))
  }
})

const line = (package_: string, name: string) => `pkg: ${package_}\n${`${name}-2 1 5 ns/op\n`.repeat(2)}`

test('folded stacks of few benchmarks are of all of them, those called as a benchmark are its own', async () => {
  const both = (path: string, text: string) => ({ [`old/${path}`]: text, [`new/${path}`]: `${text}main;more 2\n` })
  const results = line('a', 'BenchmarkX') + line('a', 'BenchmarkY')
  const { profiles } = await readTexts({
    ...both('bench.txt', results),
    ...both('perf.folded', 'main;work 7\n# a comment\n'),
    ...both('BenchmarkY-2.folded', 'main;own 3\n'),
  })
  const told = profiles!.map(({ queryName, old, new: fresh }) => [queryName, old, fresh.length])
  expect(told).toEqual([
    ['BenchmarkX-2', [{ stack: 'main;work', count: 7 }], 2],
    ['BenchmarkY-2', [{ stack: 'main;own', count: 3 }], 2],
  ])
})

test('a profile of one side, or of no side, is left out without a word; one of many benchmarks with one', async () => {
  const results = { 'old/bench.txt': line('a', 'BenchmarkX'), 'new/bench.txt': line('a', 'BenchmarkX') }
  const one = await readTexts({ ...results, 'new/perf.folded': 'main 1\n', 'perf.folded': 'main 1\n' })
  expect([one.profiles, one.warnings]).toEqual([undefined, []])
  const many = Array.from({ length: 30 }, (_, index) => line('a', `BenchmarkX${index}`)).join('')
  const { profiles, warnings } = await readTexts({
    'old/bench.txt': many,
    'new/bench.txt': many,
    'old/perf.folded': 'main 1\n',
    'new/perf.folded': 'main 1\n',
  })
  expect(profiles).toBeUndefined()
  expect(warnings.map(({ message }) => message)).toEqual([
    'a profile of 30 benchmarks together doesn’t say which one a stack belongs to: left out',
  ])
})

test('hostile profiles: a refusal of one line, or what there is of it', () => {
  const whole = profileOf('old')
  const cuts = Array.from({ length: 64 }, (_, index) => whole.subarray(0, Math.floor((whole.length * index) / 64)))
  const flipped = Array.from({ length: 256 }, (_, index) => {
    const bytes = Uint8Array.from(whole)
    bytes[Math.floor((whole.length * index) / 256)]! ^= 1 << (index % 8)
    return bytes
  })
  const huge = [
    Uint8Array.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
    new Uint8Array(1000).fill(0xff),
    new Uint8Array(1000),
    Uint8Array.from([0x0b, 0x01]),
  ]
  for (const bytes of [...cuts, ...flipped, ...huge]) {
    try {
      read(bytes)
    } catch (error) {
      if (!(error instanceof MemberError)) throw error
      expect(error.message).toMatch(/^[^\n]{10,300}$/)
    }
  }
  for (const bytes of huge) expect(() => read(bytes)).toThrow(MemberError)
})

/** A field of bytes. */
const field = (number: number, bytes: readonly number[]) => [number * 8 + 2, ...varint(bytes.length), ...bytes]
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}

test('a stack of endless recursion is cut, and a profile of too many characters of stacks is refused', () => {
  const strings = ['', 'samples', 'count', 'cpu', 'nanoseconds', 'f'.repeat(1000)].flatMap((text) =>
    field(6, [...Buffer.from(text)]),
  )
  const types = [...field(1, [8, 1, 16, 2]), ...field(1, [8, 3, 16, 4])]
  const places = [...field(4, [8, 1, ...field(4, [8, 1])]), ...field(5, [8, 1, 16, 5])]
  const deep = field(2, [...field(1, Array<number>(5000).fill(1)), ...field(2, [3, 30])])
  const profile = (samples: number) =>
    Buffer.concat([
      Buffer.from([...types, ...places, ...strings]),
      ...Array.from({ length: samples }, () => Buffer.from(deep)),
    ])
  const { stacks } = read(profile(1))
  const [[stack, count] = []] = Object.entries(stacks)
  expect([stack!.split(';').length, count]).toEqual([2000, 3])
  expect(() => read(profile(100))).toThrow(/its stacks have more than 134,217,728 characters/)
})

test('a profile of too many bytes beside results is a warning, and the results are read', async () => {
  const results = { 'old/bench.txt': line('a', 'BenchmarkX'), 'new/bench.txt': line('a', 'BenchmarkX') }
  const bomb = Buffer.alloc(65 * 1024 * 1024)
  const { measurements, warnings } = await readTexts({ ...results, 'new/cpu.pprof': bomb })
  expect(measurements).toHaveLength(1)
  expect(warnings).toMatchObject([{ code: 'unreadable-member', where: 'new/cpu.pprof' }])
})
