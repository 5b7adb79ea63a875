import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { pageTurns } from '../../../src/web/kit/page-turns.ts'

const LIMITS = {
  atOnce: 2,
  atOnceOfOne: 1,
  waitingOfOne: 2,
  waiting: 5,
  longestWait: 10_000,
  refusedAfter: 0,
  longestRest: 0,
  crowd: 1,
}
const HERE = new AbortController().signal

/** Takes a turn and writes its visitor down when it comes. */
function asking(turns: ReturnType<typeof pageTurns>, order: string[], signal = HERE) {
  return async (visitor: string) => {
    const turn = await turns.take(visitor, signal)
    order.push(typeof turn === 'string' ? `${visitor} ${turn}` : visitor)
    return typeof turn === 'string' ? null : turn
  }
}

test('a visitor with many requests has one turn at a time, and whoever comes later is not behind them', async () => {
  const order: string[] = []
  const ask = asking(pageTurns(LIMITS), order)
  const first = await ask('flood')
  const more = [ask('flood'), ask('flood')]
  const other = await ask('other')
  expect(order).toEqual(['flood', 'other'])
  const third = ask('third')
  first!.end()
  const turn = await third
  expect(order).toEqual(['flood', 'other', 'third'])
  other!.end()
  const second = await more[0]
  turn!.end()
  second!.end()
  ;(await more[1])!.end()
  expect(order).toEqual(['flood', 'other', 'third', 'flood', 'flood'])
})

test('who asks for more than a share is told so, and who finds everything taken is told that', async () => {
  const order: string[] = []
  const ask = asking(pageTurns({ ...LIMITS, waiting: 3, longestWait: 100 }), order)
  await ask('flood')
  await ask('other')
  const waiting = [ask('flood'), ask('flood'), ask('third')]
  expect(await ask('flood')).toBeNull()
  expect(await ask('fourth')).toBeNull()
  expect(order.slice(2)).toEqual(['flood share', 'fourth busy'])
  await Promise.all(waiting)
  expect(order.slice(4)).toEqual(['flood share', 'flood share', 'third busy'])
})

test('a refusal comes late', async () => {
  const turns = pageTurns({ ...LIMITS, waitingOfOne: 0, refusedAfter: 50 })
  await turns.take('flood', HERE)
  const began = performance.now()
  expect(await turns.take('flood', HERE)).toBe('share')
  expect(performance.now() - began).toBeGreaterThan(45)
})

test('who goes away waits no longer', async () => {
  const order: string[] = []
  const turns = pageTurns(LIMITS)
  const gone = new AbortController()
  const turn = await turns.take('one', HERE)
  const left = asking(turns, order, gone.signal)('one')
  const stays = asking(turns, order)('one')
  gone.abort()
  await left
  if (typeof turn !== 'string') turn.end()
  await stays
  expect(order).toEqual(['one share', 'one'])
})

test('the more of one visitor wait, the longer it rests, and others do not wait for that', async () => {
  const order: string[] = []
  const ask = asking(pageTurns({ ...LIMITS, atOnce: 1, longestRest: 1_000, crowd: 0.5 }), order)
  const turn = await ask('flood')
  const [more, other] = [ask('flood'), ask('other')]
  await sleep(40)
  const ended = performance.now()
  turn!.end()
  ;(await other)!.end()
  await more
  expect(order).toEqual(['flood', 'other', 'flood'])
  expect(performance.now() - ended).toBeGreaterThan(110)
})

test('while others wait a turn rests as long as its page took', async () => {
  const turns = pageTurns({ ...LIMITS, longestRest: 1_000 })
  const turn = await turns.take('one', HERE)
  const next = turns.take('one', HERE)
  await sleep(60)
  const ended = performance.now()
  if (typeof turn !== 'string') turn.end()
  await next
  expect(performance.now() - ended).toBeGreaterThan(50)
})
