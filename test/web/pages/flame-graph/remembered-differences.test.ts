import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { askedByPage, pageAsking } from '../../../../src/store/page-asking.ts'
import { rememberedDifferences } from '../../../../src/web/pages/flame-graph/remembered-differences.ts'

function setting(mostBytes?: number) {
  let now = Date.UTC(2026, 10, 21)
  const asked: string[] = []
  const remembered = rememberedDifferences(() => now, mostBytes)
  return {
    asked,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    ask: (key: string) =>
      remembered(key, async () => {
        asked.push(key)
        if (key === 'none') return null
        const stack = key === 'large' ? 'x'.repeat(10_000) : key
        return { old: [{ stack, count: 1 }], new: [{ stack, count: 2 }], unit: 'samples' }
      }),
  }
}

test('adds up once within a minute, each its own', async () => {
  const { ask, asked, pass } = setting()
  const first = await ask('a')
  expect([first!.difference.old.sum, first!.difference.new.sum]).toEqual([1, 2])
  expect(await ask('a')).toBe(first)
  expect(await ask('b')).not.toBe(first)
  pass(60_000)
  expect(await ask('a')).toBe(first)
  pass(1)
  expect(await ask('a')).not.toBe(first)
  expect(asked).toEqual(['a', 'b', 'a'])
})

test('who asks at the same time gets the same one', async () => {
  const { ask, asked } = setting()
  const [first, second] = await Promise.all([ask('a'), ask('a')])
  expect(second).toBe(first)
  expect(asked).toEqual(['a'])
})

test('who comes first may leave before the others have it', async () => {
  const remembered = rememberedDifferences(Date.now)
  const first = new AbortController()
  const read = async () => {
    await setImmediate()
    pageAsking()?.signal.throwIfAborted()
    return { old: [{ stack: 'a', count: 1 }], new: [], unit: 'samples' as const }
  }
  const asked = askedByPage(first.signal, () => remembered('a', read))
  const other = askedByPage(new AbortController().signal, () => remembered('a', read))
  first.abort()
  expect((await other)!.difference.old.sum).toBe(1)
  expect(await asked).toBe(await other)
})

test('what is not there is asked for again', async () => {
  const { ask, asked } = setting()
  expect([await ask('none'), await ask('none')]).toEqual([null, null])
  expect(asked).toHaveLength(2)
})

test('a drawing is made once for what was asked', async () => {
  const { ask } = setting()
  const profile = (await ask('a'))!
  let drawn = 0
  const draw = () => `drawing ${++drawn}`
  expect([profile.drawing('flames', draw), profile.drawing('flames', draw)]).toEqual(['drawing 1', 'drawing 1'])
  expect(profile.drawing('icicles', draw)).toBe('drawing 2')
})

test('the oldest make room; what is larger than all of it is not kept', async () => {
  const { ask, asked } = setting(250)
  await ask('a')
  await ask('b')
  await ask('c')
  const before = asked.length
  // The newest one is there still, and the first one is not.
  await ask('c')
  expect(asked).toHaveLength(before)
  await ask('a')
  expect(asked.at(-1)).toBe('a')
  await ask('large')
  await ask('large')
  expect(asked.filter((key) => key === 'large')).toHaveLength(2)
})
