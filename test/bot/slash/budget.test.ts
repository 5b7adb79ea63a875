import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Reply, replyTo } from '../../../src/bot/slash/budget.ts'
import type { Answered, Spent, Standing } from '../../../src/inbox/answers.ts'

const NONE: Answered = { words: 0, reactions: 0 }
const FRESH: Spent = { asAuthor: { here: 0, anywhere: 0 }, asStranger: NONE, ofStrangers: NONE }

describe('who is answered how', () => {
  test.each<[Standing, boolean, Partial<Spent>, Reply, Standing]>([
    ['may-act', false, {}, 'words', 'may-act'],
    ['may-act', true, { asStranger: { words: 99, reactions: 99 } }, 'words', 'may-act'],
    ['author', true, {}, 'words', 'author'],
    [
      'author',
      false,
      { asAuthor: { here: 2, anywhere: 19 }, ofStrangers: { words: 99, reactions: 99 } },
      'words',
      'author',
    ],
    ['author', false, { asAuthor: { here: 3, anywhere: 3 } }, 'words', 'stranger'],
    ['author', false, { asAuthor: { here: 0, anywhere: 20 } }, 'words', 'stranger'],
    [
      'author',
      false,
      { asAuthor: { here: 3, anywhere: 3 }, asStranger: { words: 3, reactions: 3 } },
      'none',
      'stranger',
    ],
    ['stranger', false, {}, 'words', 'stranger'],
    ['stranger', true, {}, 'reaction', 'stranger'],
    ['stranger', false, { asStranger: { words: 3, reactions: 0 } }, 'reaction', 'stranger'],
    ['stranger', false, { ofStrangers: { words: 20, reactions: 0 } }, 'reaction', 'stranger'],
    ['stranger', true, { asStranger: { words: 0, reactions: 3 } }, 'none', 'stranger'],
    ['stranger', false, { ofStrangers: { words: 20, reactions: 40 } }, 'none', 'stranger'],
  ])('%s, refused %j, spent %j: %s', (standing, isRefused, spent, reply, charged) => {
    expect(replyTo(standing, isRefused, { ...FRESH, ...spent })).toEqual({ reply, charged })
  })

  interface Asking {
    readonly person: number
    readonly pull: number
    readonly isRefused: boolean
  }
  /** Everybody is the author of the pull requests whose number is a multiple of theirs. */
  const isAuthor = ({ person, pull }: Asking) => pull % (person + 2) === 0
  const asking = fc.record({ person: fc.nat(60), pull: fc.nat(100), isRefused: fc.boolean() })

  test('whatever any number of accounts ask in an hour, on whatever pull requests', () => {
    const inAnHour = fc.array(asking, { minLength: 200, maxLength: 600, size: 'max' })
    fc.assert(
      fc.property(inAnHour, (all) => {
        const given: (Asking & ReturnType<typeof replyTo>)[] = []
        const count = (of: (one: (typeof given)[number]) => boolean): Answered => ({
          words: given.filter((one) => of(one) && one.reply === 'words').length,
          reactions: given.filter((one) => of(one) && one.reply === 'reaction').length,
        })
        for (const ask of all) {
          const asAuthor = count((one) => one.charged === 'author' && one.person === ask.person).words
          const here = count(
            (one) => one.charged === 'author' && one.person === ask.person && one.pull === ask.pull,
          ).words
          const answer = replyTo(isAuthor(ask) ? 'author' : 'stranger', ask.isRefused, {
            asAuthor: { here, anywhere: asAuthor },
            asStranger: count((one) => one.charged === 'stranger' && one.person === ask.person),
            ofStrangers: count((one) => one.charged === 'stranger'),
          })
          // Others can't take these three away.
          if (isAuthor(ask) && here < 3 && asAuthor < 20) expect(answer.reply).toBe('words')
          given.push({ ...ask, ...answer })
        }
        const strangers = count(({ charged }) => charged === 'stranger')
        expect(strangers.words).toBeLessThanOrEqual(20)
        expect(strangers.reactions).toBeLessThanOrEqual(40)
        for (const { person, pull } of all) {
          const own = count((one) => one.charged === 'author' && one.person === person && one.pull === pull)
          expect(own.words).toBeLessThanOrEqual(3)
        }
      }),
      { numRuns: 20 },
    )
  })
})
