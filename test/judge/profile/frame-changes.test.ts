import { readFile } from 'node:fs/promises'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { frameChanges, largestChanges } from '../../../src/judge/profile/frame-changes.ts'
import { differenceOf, readOld, type Stack, stacks } from './stacks.ts'

const byName = (changes: ReturnType<typeof frameChanges>, name: string) => changes.find((one) => one.name === name)!

test('recursion counts once', async () => {
  const file = new URL('../../data/profile-speedscope/stackcollapse/recursion.txt', import.meta.url)
  const { difference } = await readOld([await readFile(file)])
  const changes = frameChanges(difference)
  // of ten stacks, `a` is in all but `b;b`, however often
  expect(byName(changes, 'a')).toMatchObject({ total: { old: 9 }, self: { old: 1 } })
  expect(byName(changes, 'b')).toMatchObject({ total: { old: 9 }, self: { old: 5 } })
  expect(byName(changes, 'c')).toMatchObject({ total: { old: 4, oldShare: 0.4, newShare: 0 }, self: { old: 4 } })
})

test('any two profiles: total is the stacks that hold the frame, self those that end in it', () => {
  fc.assert(
    fc.property(stacks(), stacks(), (old, fresh) => {
      const sum = (list: readonly Stack[], holds: (frames: string[]) => boolean) =>
        list.reduce((all, [stack, count]) => all + (holds(stack.split(';')) ? count : 0), 0)
      for (const { name, total, self } of frameChanges(differenceOf(old, fresh))) {
        for (const [side, list] of [
          ['old', old],
          ['new', fresh],
        ] as const) {
          expect(total[side]).toBe(sum(list, (frames) => frames.includes(name)))
          expect(self[side]).toBe(sum(list, (frames) => frames.at(-1) === name))
        }
        expect(self.old).toBeLessThanOrEqual(total.old)
        expect(total.newShare).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: 300 },
  )
})

test('any two profiles: a frame that only calls has the totals of another one', () => {
  fc.assert(
    fc.property(stacks(), stacks(), (old, fresh) => {
      const changes = frameChanges(differenceOf(old, fresh))
      const stays = changes.filter(({ onlyCalls }) => !onlyCalls)
      for (const { total } of changes.filter(({ onlyCalls }) => onlyCalls)) {
        expect(stays.some((one) => one.total.old === total.old && one.total.new === total.new && one.callers > 0)).toBe(
          true,
        )
      }
      expect(changes.filter(({ onlyCalls }) => onlyCalls).length).toBe(
        stays.reduce((all, { callers }) => all + callers, 0),
      )
    }),
    { numRuns: 300 },
  )
})

test('a chain of wrappers is one finding', () => {
  const changes = frameChanges(
    differenceOf(
      [
        ['main;run;wrap;work;leaf', 10],
        ['main;run;wrap;work', 20],
        ['main;other', 70],
      ],
      [
        ['main;run;wrap;work;leaf', 20],
        ['main;run;wrap;work', 40],
        ['main;other', 40],
      ],
    ),
  )
  expect(largestChanges(changes, 'total', 5).map(({ name, callers }) => [name, callers])).toEqual([
    ['work', 2],
    ['other', 0],
    ['leaf', 0],
  ])
  expect(largestChanges(changes, 'self', 5).map(({ name }) => name)).toEqual(['other', 'work', 'leaf'])
})

test('a function that another one calls too is more than its first caller', () => {
  const changes = frameChanges(
    differenceOf(
      [['main;a;f', 10]],
      [
        ['main;a;f', 10],
        ['main;b;f', 5],
      ],
    ),
  )
  expect(byName(changes, 'a').onlyCalls).toBe(false)
  expect(byName(changes, 'f')).toMatchObject({ callers: 0, total: { old: 10, new: 15 } })
  expect(byName(changes, 'main').onlyCalls).toBe(false)
})

test('equal changes: the deeper frame first, then by name', () => {
  const changes = frameChanges(
    differenceOf(
      [['x', 1]],
      [
        ['m;b', 1],
        ['m;a', 1],
        ['n', 1],
      ],
    ),
  )
  expect(largestChanges(changes, 'total', 5).map(({ name }) => name)).toEqual(['x', 'm', 'a', 'b', 'n'])
})
