import { expect, test } from 'vitest'
import { type FoundSeries, rememberedSeries } from '../../../../src/web/pages/query/trunk-of-repository.ts'

const POINT = { time: 1, commit: 'a', referenceCommit: 'b', old: 1, new: 1, difference: 0, threshold: null }

function answerOf(points: number, problem: FoundSeries['problem'] = null): FoundSeries {
  return {
    isLive: false,
    problem,
    series: [
      {
        test: 't',
        queryIndex: 0,
        queryName: null,
        architecture: null,
        metric: 'm',
        source: 'own',
        points: Array.from({ length: points }, () => POINT),
      },
    ],
  }
}

/** Asks with a clock that stands, and counts the questions that went through. */
function asked() {
  let time = Date.UTC(2026, 9, 1)
  const remember = rememberedSeries(() => time)
  const questions: string[] = []
  return {
    questions,
    wait: (milliseconds: number) => {
      time += milliseconds
    },
    ask: async (key: string, answer: FoundSeries = answerOf(10)) =>
      await remember(key, async () => {
        questions.push(key)
        return answer
      }),
  }
}

test('the same question within half a minute is answered from memory, another one is not', async () => {
  const { ask, wait, questions } = asked()
  const first = await ask('a')
  wait(30_000)
  expect(await ask('a')).toBe(first)
  await ask('b')
  wait(1)
  await ask('a')
  expect(questions).toEqual(['a', 'b', 'a'])
})

test('two that ask at once wait for one answer', async () => {
  const { ask, questions } = asked()
  const [one, other] = await Promise.all([ask('a'), ask('a')])
  expect(one).toBe(other)
  expect(questions).toEqual(['a'])
})

test('what failed, or what the CI database did not answer, is asked again', async () => {
  const { ask, questions } = asked()
  await ask('a', answerOf(10, 'too-slow'))
  await ask('a')
  const remember = rememberedSeries(() => 0)
  await expect(remember('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  const answer = answerOf(1)
  expect(await remember('a', async () => answer)).toBe(answer)
  expect(questions).toEqual(['a', 'a'])
})

test('no more than 100,000 points are kept, the newest ones', async () => {
  const { ask, questions } = asked()
  for (const key of ['a', 'b', 'c']) await ask(key, answerOf(40_000))
  await ask('c')
  await ask('b')
  await ask('a')
  await ask('large', answerOf(100_001))
  await ask('large', answerOf(100_001))
  expect(questions).toEqual(['a', 'b', 'c', 'a', 'large', 'large'])
})
