import { expect, test } from 'vitest'
import { chooseTraceType, grownFunctions } from '../../../src/judge/profile/grown-functions.ts'
import { StackTree } from '../../../src/judge/profile/stack-tree.ts'

type Stacks = Readonly<Record<string, readonly [number, number]>>

function differenceOf(stacks: Stacks) {
  const tree = new StackTree()
  for (const [stack, [old, fresh]] of Object.entries(stacks)) {
    tree.add(stack, 'old', old)
    tree.add(stack, 'new', fresh)
  }
  return tree.finish()
}

const names = (frames: readonly { readonly name: string }[]) => frames.map(({ name }) => name)

test('what grew by more than chance, and what is in one stack with it', () => {
  const { isEnough, grown, near } = grownFunctions(
    differenceOf({
      'main;DB::query(int);DB::Aggregator::executeImpl(int);DB::Arena::alloc()': [150, 270],
      'main;DB::query(int);DB::Aggregator::executeImpl(int)': [160, 170],
      'main;DB::query(int);DB::read()': [690, 560],
      'main;DB::log()': [200, 200],
    }),
    'samples',
  )
  expect(isEnough).toBe(true)
  expect(names(grown)).toEqual(['DB::Aggregator::executeImpl', 'DB::Arena::alloc'])
  expect(grown[0]).toMatchObject({ oldShare: 310 / 1200, newShare: 440 / 1200 })
  expect(names(near)).toEqual(['main', 'DB::query', 'DB::Aggregator::executeImpl', 'DB::Arena::alloc'])
})

test('a new parameter, a template argument or a line that moved is no growth', () => {
  const { isEnough, grown } = grownFunctions(
    differenceOf({
      'main;src/A.cpp:10#DB::f(int);DB::g<int>()': [500, 0],
      'main;src/A.cpp:12#DB::f(int, int);DB::g<long>()': [0, 500],
      'main;DB::h()::$_0::operator()() const': [500, 0],
      'main;DB::h()::$_1::operator()() const': [0, 500],
    }),
    'samples',
  )
  expect([isEnough, grown]).toEqual([true, []])
})

test('recursion counts once, also through a lambda', () => {
  const { grown } = grownFunctions(
    differenceOf({ 'main;f(int);f(int)::{lambda()#1}::operator()() const;f(int)': [100, 200], 'main;g': [900, 800] }),
    'samples',
  )
  expect(grown).toMatchObject([{ name: 'f', oldShare: 0.1, newShare: 0.2 }])
})

test.each([
  ['within three standard errors', { 'main;f': [310, 360], 'main;g': [690, 640] }],
  ['by less than two points', { 'main;f': [100_000, 119_000], 'main;g': [900_000, 881_000] }],
  ['smaller', { 'main;f': [600, 300], 'main;g': [400, 400] }],
] as const)('no growth: %s', (_name, stacks) => {
  expect(names(grownFunctions(differenceOf(stacks), 'samples').grown)).not.toContain('f')
})

test('too few samples, counts with fractions and bytes say nothing', () => {
  const nothing = { isEnough: false, grown: [], near: [], seen: [] }
  expect(grownFunctions(differenceOf({ 'main;f': [9, 90], 'main;g': [90, 90] }), 'samples')).toEqual(nothing)
  expect(grownFunctions(differenceOf({ 'main;f': [300.5, 900], g: [900, 90] }), 'samples')).toEqual(nothing)
  expect(grownFunctions(differenceOf({ 'main;f': [300, 900], g: [900, 90] }), 'bytes')).toEqual(nothing)
})

test('frames that name their file carry it', () => {
  const { grown } = grownFunctions(
    differenceOf({ 'main;src/A.cpp:10#f': [100, 0], 'main;src/A.cpp:12#f': [0, 300], 'main;src/B.cpp:7': [900, 700] }),
    'samples',
  )
  expect(grown).toMatchObject([{ name: 'f', files: ['src/A.cpp'] }])
  const two = { 'main;src/A.cpp:10#f': [100, 400], 'main;src/B.cpp:7#f': [100, 100], 'main;g': [900, 500] } as const
  expect(grownFunctions(differenceOf(two), 'samples').grown).toMatchObject([{ files: ['src/A.cpp', 'src/B.cpp'] }])
})

test('the trace to speak of: processor time first where there is enough, then the clock, then memory', () => {
  const of = (traceType: 'CPU' | 'Real' | 'MemorySample', old: number, fresh: number) => ({
    traceType,
    old,
    new: fresh,
  })
  expect(chooseTraceType([of('Real', 900, 900), of('CPU', 100, 100)])).toBe('CPU')
  expect(chooseTraceType([of('Real', 900, 900), of('CPU', 99, 900)])).toBe('Real')
  expect(chooseTraceType([of('Real', 20, 900), of('CPU', 99, 0), of('MemorySample', 1e6, 1e6)])).toBe('MemorySample')
  expect(chooseTraceType([of('Real', 20, 900), of('CPU', 5, 50)])).toBe('Real')
  expect(chooseTraceType([of('CPU', 0, 0)])).toBeNull()
  expect(chooseTraceType([])).toBeNull()
})
