import { expect, test, vi } from 'vitest'
import { keptTogether } from '../../src/inbox/arrivals.ts'

test('deliveries that come together are kept together, and one that can’t be kept keeps no other from it', async () => {
  const groups: string[][] = []
  const keep = keptTogether(async (guids: readonly string[]) => {
    groups.push([...guids])
    if (guids.includes('b')) throw new Error('no')
  })
  const answers = await Promise.allSettled(['a', 'b', 'c'].map(keep))
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(groups).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']])
  await keep('d')
  expect(groups.at(-1)).toEqual(['d'])
})

test.each([
  { disk: 'no time', wait: 0, fewest: 40, most: 60 },
  { disk: '100 ms', wait: 100, fewest: 4, most: 6 },
])(
  'deliveries of one second wait $fewest to $most times for a disk that takes $disk',
  async ({ wait, fewest, most }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'performance'] })
    try {
      const groups: number[] = []
      const keep = keptTogether(async (arrived: readonly number[]) => {
        groups.push(arrived.length)
        vi.advanceTimersByTime(wait)
      })
      const kept: Promise<void>[] = []
      const began = performance.now()
      while (performance.now() - began < 1000) {
        kept.push(keep(kept.length))
        await vi.advanceTimersByTimeAsync(5)
      }
      expect(groups[0]).toBe(1)
      expect(groups.length).toBeGreaterThanOrEqual(fewest)
      expect(groups.length).toBeLessThanOrEqual(most)
      await vi.runAllTimersAsync()
      await Promise.all(kept)
    } finally {
      vi.useRealTimers()
    }
  },
)
