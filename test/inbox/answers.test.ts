import { expect, onTestFinished, test } from 'vitest'
import type { Errand } from '../../src/inbox/answers.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { openInbox } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const NOON = Date.parse('2026-11-23T12:00:00Z')
const SECOND = 1000

async function inboxOfTest(folder = temporaryFolder()): Promise<Inbox> {
  const inbox = await openInbox(folder)
  onTestFinished(() => inbox.close())
  return inbox
}

let comments = 0

function errand(more: Partial<Errand> = {}): Errand {
  comments += 1
  return {
    installationId: 1,
    repositoryId: 7,
    owner: 'acme',
    repo: 'engine',
    number: 3,
    commentId: comments,
    via: 'command',
    repliesTo: null,
    actorId: 5,
    charged: 'stranger',
    reply: 'words',
    ...more,
  }
}

test('an answer waits until nothing of its installation was written for three seconds, or it has waited long', async () => {
  const { answers, writeSlots } = await inboxOfTest()
  await answers.add(errand(), NOON)
  await answers.add(errand({ charged: 'may-act' }), NOON)
  const writing = async (from: number, until: number) => {
    for (let at = from; at <= until; at += SECOND) await writeSlots.take(1, 'write', 0, at)
  }
  await writing(NOON, NOON + 30 * SECOND)
  expect(await answers.claimNext(NOON + 32 * SECOND)).toBeNull()
  const first = (await answers.claimNext(NOON + 34 * SECOND))!
  expect(first.charged).toBe('may-act')
  // One at a time.
  expect(await answers.claimNext(NOON + 40 * SECOND)).toBeNull()
  await answers.answered(first, NOON + 41 * SECOND)
  await answers.add(errand({ charged: 'may-act' }), NOON + 41 * SECOND)
  await writing(NOON + 42 * SECOND, NOON + 110 * SECOND)
  // Somebody who may act waits for a minute at most, a stranger for longer.
  expect((await answers.claimNext(NOON + 110 * SECOND))?.charged).toBe('may-act')
})

test('who asks on a hundred pull requests waits for themselves', async () => {
  const { answers } = await inboxOfTest()
  for (let number = 1; number <= 100; number += 1) await answers.add(errand({ number, charged: 'author' }), NOON)
  await answers.add(errand({ actorId: 6, charged: 'author' }), NOON + SECOND)
  const order: number[] = []
  for (let at = NOON + 10 * SECOND; order.length < 4; at += 10 * SECOND) {
    const claim = (await answers.claimNext(at))!
    order.push(claim.actorId)
    await answers.answered(claim, at)
  }
  expect(order).toEqual([5, 6, 5, 5])
})

test('what was asked for is there after the end of the process, and its budget too', async () => {
  const folder = temporaryFolder()
  const before = await openInbox(folder)
  const one = errand()
  await before.answers.add(one, NOON)
  expect(await before.answers.claimNext(NOON)).not.toBeNull()
  await before.close()
  const { answers, recoverAfterCrash } = await inboxOfTest(folder)
  await recoverAfterCrash(NOON + SECOND)
  expect(await answers.claimNext(NOON + SECOND)).toMatchObject(one)
  const spent = { words: 1, reactions: 0 }
  expect(await answers.spent(one, NOON - SECOND)).toEqual({
    asAuthor: { words: 0, reactions: 0 },
    asStranger: spent,
    ofStrangers: spent,
  })
})

test('where the hour is used up all answers of the installation wait, and no other’s', async () => {
  const { answers } = await inboxOfTest()
  for (let of = 0; of < 3; of += 1) await answers.add(errand(), NOON)
  const other = errand({ installationId: 2 })
  const claim = (await answers.claimNext(NOON))!
  expect(await answers.fail(claim, NOON + 60 * SECOND, NOON)).toBe('retry')
  await answers.add(other, NOON)
  expect(await answers.claimNext(NOON)).toMatchObject(other)
  expect(await answers.claimNext(NOON + SECOND)).toBeNull()
  expect(await answers.claimNext(NOON + 60 * SECOND)).toMatchObject({ installationId: 1 })
})

test('an edit of a comment that waits for its answer costs no second one', async () => {
  const { answers } = await inboxOfTest()
  const one = errand({ reply: 'reaction' })
  await answers.add(one, NOON)
  await answers.add({ ...one, reply: 'words' }, NOON)
  expect((await answers.spent(one, NOON - SECOND)).asStranger).toEqual({ words: 1, reactions: 0 })
})

test('reports and checks are worked off before what people say, whatever came first', async () => {
  const { deliveries } = await inboxOfTest()
  const receive = (guid: string, event: string, at: number) =>
    deliveries.receive({ guid, event, installationId: 1, payload: '{}' }, at)
  await receive('a', 'issue_comment', NOON)
  await receive('b', 'issue_comment', NOON + 1)
  await receive('c', 'check_run', NOON + 2)
  const next = async () => (await deliveries.claimNext(NOON + SECOND))?.guid
  expect([await next(), await next(), await next()]).toEqual(['c', 'a', 'b'])
})
