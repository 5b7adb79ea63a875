import { expect, onTestFinished, test } from 'vitest'
import type { Errand } from '../../src/inbox/answers.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { IS_POSTGRES, isWaitedFor, openInbox, schemaOf } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

const NOON = Date.parse('2026-11-23T12:00:00Z')
const SECOND = 1000

async function inboxOfTest(folder = temporaryFolder()): Promise<Inbox> {
  const inbox = await openInbox(folder)
  onTestFinished(() => inbox.close())
  return inbox
}

/** Asked for, and given at once. */
async function answered(answers: Inbox['answers'], one: Errand, at: number): Promise<Errand | null> {
  await answers.add(one, at)
  const claim = await answers.claimNext(at)
  if (claim !== null) await answers.answered(claim, at)
  return claim
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

test('an answer waits until nothing of its installation was written for three seconds, or it has waited long; to whoever may act it waits for nothing', async () => {
  const { answers, writeSlots } = await inboxOfTest()
  const minutes = (count: number) => NOON + count * 60 * SECOND
  const stranger = await answered(answers, errand(), NOON)
  expect(stranger).not.toBeNull()
  await writeSlots.take(1, 'write', 0, NOON)
  await answers.add(errand(), NOON)
  expect(await answers.claimNext(NOON + 2 * SECOND)).toBeNull()
  expect(await answered(answers, errand({ charged: 'may-act' }), NOON + 2 * SECOND)).toMatchObject({
    charged: 'may-act',
  })
  await writeSlots.take(1, 'write', 0, minutes(15) - SECOND)
  expect(await answers.claimNext(minutes(15) - SECOND)).toBeNull()
  expect(await answers.claimNext(minutes(15))).toMatchObject({ charged: 'stranger' })
  // One at a time: who may act does not wait for the others either.
  for (let asked = 0; asked < 2; asked += 1) await answers.add(errand({ charged: 'may-act' }), minutes(15))
  await answers.add(errand(), minutes(1))
  expect(await answers.claimNext(minutes(15))).toMatchObject({ charged: 'may-act' })
  expect(await answers.claimNext(minutes(15))).toBeNull()
})

test('the installations are answered in turn, however much one of them asks', async () => {
  const { answers } = await inboxOfTest()
  for (let asked = 0; asked < 5; asked += 1) await answers.add(errand({ charged: 'may-act' }), NOON)
  await answers.add(errand({ installationId: 2 }), NOON + SECOND)
  const order: number[] = []
  for (let at = NOON + 2 * SECOND; order.length < 3; at += SECOND) {
    const claim = (await answers.claimNext(at))!
    order.push(claim.installationId)
    await answers.answered(claim, at)
  }
  expect(order.slice(0, 2)).toContain(2)
  expect(order[2]).toBe(1)
})

test('what became of a rerun is told with the answer to it', async () => {
  const { answers, reruns } = await inboxOfTest()
  const one = errand({ charged: 'may-act' })
  const { repositoryId, commentId } = one
  const rerun = {
    kind: 'job',
    id: 9,
    runId: 8,
    attempt: 1,
    name: 'build',
    line: 'rerun',
    head: 'a'.repeat(40),
  } as const
  await answers.add(one, NOON)
  await reruns.add({ repositoryId, commentId, pullRequestNumber: 3, ...rerun }, NOON)
  expect(await answers.claimNext(NOON)).toBeNull()
  await reruns.settle((await reruns.list(one))[0]!.rowId, 'started')
  expect(await answers.claimNext(NOON)).toMatchObject(one)
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
  const inbox = await inboxOfTest(folder)
  await inbox.recoverAfterCrash(NOON + SECOND)
  expect(await inbox.answers.claimNext(NOON + SECOND)).toMatchObject(one)
  expect(await inbox.answers.spent(one, NOON - SECOND)).toMatchObject({ ofStrangers: { words: 1, reactions: 0 } })
})

test('an answer is charged to its person, to all strangers, and to an author here and anywhere', async () => {
  const { answers } = await inboxOfTest()
  await answers.add(errand({ charged: 'author' }), NOON)
  await answers.add(errand({ charged: 'author', number: 4 }), NOON)
  await answers.add(errand({ charged: 'may-act' }), NOON)
  await answers.add(errand(), NOON)
  await answers.add(errand({ installationId: 2, reply: 'reaction' }), NOON)
  await answers.add(errand({ actorId: 6 }), NOON)
  await answers.add(errand(), NOON - SECOND)
  expect(await answers.spent(errand(), NOON - SECOND)).toEqual({
    asAuthor: { here: 1, anywhere: 2 },
    asStranger: { words: 1, reactions: 1 },
    ofStrangers: { words: 2, reactions: 0 },
  })
})

test('where the hour is used up all answers of the installation wait, and no other’s', async () => {
  const { answers } = await inboxOfTest()
  for (let of = 0; of < 3; of += 1) await answers.add(errand(), NOON)
  const other = errand({ installationId: 2 })
  const claim = (await answers.claimNext(NOON))!
  await answers.fail(claim, { until: NOON + 60 * SECOND }, NOON)
  await answers.add(other, NOON)
  expect(await answers.claimNext(NOON)).toMatchObject(other)
  expect(await answers.claimNext(NOON + SECOND)).toBeNull()
  expect(await answers.claimNext(NOON + 60 * SECOND)).toMatchObject({ installationId: 1 })
})

test('where the hour has writes only for those who may act, the others wait', async () => {
  const { answers } = await inboxOfTest()
  await answers.add(errand(), NOON)
  const claim = (await answers.claimNext(NOON))!
  await answers.add(errand(), NOON)
  const one = errand({ charged: 'may-act' })
  await answers.add(one, NOON)
  await answers.fail(claim, { until: NOON + 60 * SECOND, isOfThisAlone: true }, NOON)
  const next = (await answers.claimNext(NOON))!
  expect(next).toMatchObject(one)
  await answers.answered(next, NOON)
  expect(await answers.claimNext(NOON + 59 * SECOND)).toBeNull()
})

test('an edit of a comment that waits for its answer has no second one, and is charged', async () => {
  const { answers } = await inboxOfTest()
  const one = errand({ reply: 'reaction' })
  await answers.add(one, NOON)
  await answers.add({ ...one, reply: 'words' }, NOON)
  expect((await answers.spent(one, NOON - SECOND)).asStranger).toEqual({ words: 1, reactions: 1 })
  await answers.answered((await answers.claimNext(NOON))!, NOON)
  expect(await answers.claimNext(NOON + SECOND)).toBeNull()
})

test('a stranger’s comment that somebody edited who may act is answered at once, and is still charged to the stranger', async () => {
  const { answers, writeSlots } = await inboxOfTest()
  const one = errand()
  await answers.add(one, NOON)
  await writeSlots.take(1, 'write', 0, NOON)
  expect(await answers.claimNext(NOON)).toBeNull()
  await answers.add({ ...one, actorId: 6, charged: 'may-act' }, NOON)
  expect(await answers.claimNext(NOON)).toMatchObject({ charged: 'may-act' })
  expect((await answers.spent(one, NOON - SECOND)).asStranger).toEqual({ words: 1, reactions: 0 })
})

test('each edit of a comment that waits is charged to who made it, and counts for an hour from then', async () => {
  const { answers } = await inboxOfTest()
  const HOUR = 3600 * SECOND
  const one = errand()
  await answers.add(one, NOON)
  await answers.add({ ...one, reply: 'reaction' }, NOON + HOUR)
  await answers.add({ ...one, actorId: 6 }, NOON + HOUR)
  await answers.add({ ...one, actorId: 7, charged: 'author' }, NOON + HOUR)
  const spentBy = (actorId: number) => answers.spent({ ...one, actorId }, NOON + SECOND)
  const ofStrangers = { words: 1, reactions: 1 }
  expect(await spentBy(5)).toMatchObject({ asStranger: { words: 0, reactions: 1 }, ofStrangers })
  expect(await spentBy(6)).toMatchObject({ asStranger: { words: 1, reactions: 0 }, ofStrangers })
  expect(await spentBy(7)).toMatchObject({ asAuthor: { here: 1, anywhere: 1 }, ofStrangers })
})

test('what an edit grants while the answer is in hand is known to its holder, and to nobody else', async () => {
  const { answers } = await inboxOfTest()
  const one = errand({ reply: 'reaction', charged: 'may-act' })
  await answers.add(one, NOON)
  const claim = (await answers.claimNext(NOON))!
  expect(await answers.granted(claim)).toEqual({ reply: 'reaction', charged: 'may-act' })
  await answers.add({ ...one, reply: 'words' }, NOON)
  expect(await answers.granted(claim)).toEqual({ reply: 'words', charged: 'may-act' })
  expect(await answers.isWaiting(one)).toBe(true)
  const next = (await answers.claimNext(NOON + 180 * SECOND))!
  expect(await answers.granted(claim)).toBeNull()
  await answers.answered(next, NOON + 180 * SECOND)
  expect(await answers.isWaiting(one)).toBe(false)
})

test('an answer that GitHub does not take is tried for a day, and what a process that ends had in hand is due again', async () => {
  const inbox = await inboxOfTest()
  const { answers } = inbox
  await answers.add(errand(), NOON)
  let at = NOON
  let tries = 0
  for (; at < NOON + 24 * 3600 * SECOND; at = (await answers.nextAt())!) {
    await answers.fail((await answers.claimNext(at))!, { until: null }, at)
    tries += 1
  }
  expect(tries).toBeGreaterThan(24 * 10)
  expect(tries).toBeLessThan(24 * 13)
  expect(await answers.claimNext(at)).not.toBeNull()
  expect(await answers.claimNext(at)).toBeNull()
  await inbox.putBack(at)
  expect(await answers.claimNext(at)).not.toBeNull()
  await inbox.prune(at + SECOND)
  expect(await answers.nextAt()).toBeNull()
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

function command({ repositoryId, commentId, number, actorId }: Errand, line: string) {
  const place = { repositoryId, commentId, pullRequestNumber: number }
  return { ...place, line, actor: 'eager', actorId, wasDone: true, words: 'This is how.' }
}

test('what is said while its comment is being answered is answered next', async () => {
  const folder = temporaryFolder()
  const inbox = await inboxOfTest(folder)
  const { answers, commands } = inbox
  const one = errand()
  await answers.add(one, NOON)
  await commands.add(command(one, 'help'), NOON)
  const claim = (await answers.claimNext(NOON))!
  await commands.answered(one, 1, NOON)
  const written = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const said = inbox.together(async () => {
    await answers.add(one, NOON)
    await commands.add(command(one, 'help me'), NOON)
    written.resolve()
    await end.promise
  })
  await written.promise
  const given = answers.answered(claim, NOON)
  if (IS_POSTGRES) await isWaitedFor(await schemaOf(folder), "locktype IN ('advisory', 'transactionid', 'tuple')")
  end.resolve()
  await Promise.all([said, given])
  expect(await answers.claimNext(NOON)).toMatchObject({ commentId: one.commentId })
})

test('whoever held an answer for longer than the lease neither ends it nor puts it off', async () => {
  const { answers } = await inboxOfTest()
  await answers.add(errand({ charged: 'may-act' }), NOON)
  const late = (await answers.claimNext(NOON))!
  const at = NOON + 180 * SECOND
  const next = (await answers.claimNext(at))!
  expect(next.id).toBe(late.id)
  await answers.answered(late, at)
  await answers.fail(late, { until: null }, at)
  // Still in hand.
  expect(await answers.nextAt()).toBe(at + 180 * SECOND)
  await answers.fail(next, { until: at }, at)
  await answers.fail(late, { until: null }, at)
  expect(await answers.claimNext(at)).toMatchObject({ id: late.id })
})
