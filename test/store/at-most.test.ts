import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atMost } from '../../src/store/at-most.ts'

test('so many run at once, the others in turn, and an error ends only its own', async () => {
  const turns = atMost(2)
  const began: number[] = []
  let running = 0
  let most = 0
  const ended = await Promise.allSettled(
    Array.from({ length: 7 }, (_, index) =>
      turns(async () => {
        began.push(index)
        running += 1
        most = Math.max(most, running)
        await setTimeout(index % 2)
        running -= 1
        if (index === 3) throw new Error('three')
        return index
      }),
    ),
  )
  expect(most).toBe(2)
  expect(began).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(ended.map((one) => (one.status === 'fulfilled' ? one.value : 'error'))).toEqual([0, 1, 2, 'error', 4, 5, 6])
  expect(await turns(async () => 'again')).toBe('again')
})
