import { pino } from 'pino'
import { expect, test } from 'vitest'
import { optionalAnswer } from '../../../src/bot/triage/optional-answer.ts'
import { NoAnswer, Stopped } from '../../../src/github/bounded-fetch.ts'
import { StoreUnavailable } from '../../../src/store/store-unavailable.ts'

const log = pino({ level: 'silent' })
const answer = (status: number, headers = {}) =>
  Object.assign(new Error('GitHub'), { name: 'HttpError', status, response: { headers } })

test.each<[string, Error]>([
  ['a rate limit', answer(403, { 'retry-after': '90' })],
  ['a rate limit of one call of many', new AggregateError([new Error('another'), answer(429)])],
  ['the stop of the bot', new Stopped('the bot is stopping')],
  ['a database that is away', new StoreUnavailable('no database')],
])('%s makes the whole triage wait', async (_what, error) => {
  await expect(optionalAnswer(Promise.reject(error), null, 'not known', log)).rejects.toBe(error)
})

test.each<[string, Error]>([
  ['a call that is never answered', new NoAnswer('GitHub sent no headers')],
  ['a call that GitHub fails on', answer(502)],
  ['nothing there', answer(404)],
])('%s leaves a report without what it would add', async (_what, error) => {
  expect(await optionalAnswer(Promise.reject(error), null, 'not known', log)).toBeNull()
})
