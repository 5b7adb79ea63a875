import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type AskGitHub, NO_KEPT_MS, rememberedPermissions, YES_KEPT_MS } from '../../../src/web/access/permissions.ts'
import { recordingLog } from '../recording-log.ts'

const REPOSITORY = { id: 1, isPrivate: true, owner: 'acme', repo: 'engine', installationId: 3 }
const ALICE = { id: 7, login: 'alice' }

function asking(answer: AskGitHub) {
  const asked: string[] = []
  const clock = { now: 0 }
  const log = recordingLog()
  const heard = new Map<number, number>()
  const mayRead = rememberedPermissions({
    ask: (repository, user) => {
      asked.push(`${repository.id} ${user.login}`)
      return answer(repository, user)
    },
    versionOf: async (id) => heard.get(id) ?? 0,
    now: () => clock.now,
    log,
  })
  const hear = (id: number) => heard.set(id, (heard.get(id) ?? 0) + 1)
  return { mayRead, asked, clock, log, hear }
}

test('a yes holds for a minute, a no for half of it, each of one person and one repository', async () => {
  let answer = true
  const { mayRead, asked, clock } = asking(async () => answer)
  expect(await mayRead(REPOSITORY, ALICE)).toBe(true)
  answer = false
  clock.now = YES_KEPT_MS - 1
  expect(await mayRead(REPOSITORY, ALICE)).toBe(true)
  clock.now = YES_KEPT_MS
  expect(await mayRead(REPOSITORY, ALICE)).toBe(false)
  answer = true
  clock.now += NO_KEPT_MS - 1
  expect(await mayRead(REPOSITORY, ALICE)).toBe(false)
  clock.now += 1
  expect(await mayRead(REPOSITORY, ALICE)).toBe(true)
  expect(asked).toHaveLength(3)

  await mayRead(REPOSITORY, { id: 8, login: 'bob' })
  await mayRead({ ...REPOSITORY, id: 2 }, ALICE)
  // The login is part of the question.
  await mayRead(REPOSITORY, { id: 7, login: 'alice2' })
  expect(asked.slice(3)).toEqual(['1 bob', '2 alice', '1 alice2'])
})

test('an event of a repository empties what is remembered of it, also what is being asked', async () => {
  let answer: (yes: boolean) => void = () => {}
  let waits = false
  const { mayRead, asked, hear } = asking(() =>
    waits ? new Promise((resolve) => (answer = resolve)) : Promise.resolve(true),
  )
  const other = { ...REPOSITORY, id: 2 }
  expect(await mayRead(REPOSITORY, ALICE)).toBe(true)
  expect(await mayRead(other, ALICE)).toBe(true)
  hear(REPOSITORY.id)
  waits = true
  const second = mayRead(REPOSITORY, ALICE)
  await setImmediate()
  hear(REPOSITORY.id)
  answer(true)
  expect(await second).toBe(false)
  waits = false
  expect(await mayRead(REPOSITORY, ALICE)).toBe(true)
  expect(await mayRead(other, ALICE)).toBe(true)
  expect(asked).toEqual(['1 alice', '2 alice', '1 alice', '1 alice'])
})

test('a permission is as old as its question, not as its answer', async () => {
  const { mayRead, asked, clock } = asking(async () => {
    clock.now += YES_KEPT_MS
    return true
  })
  await mayRead(REPOSITORY, ALICE)
  await mayRead(REPOSITORY, ALICE)
  expect(asked).toHaveLength(2)
})

test('at most one question for each at a time, and fifty in all', async () => {
  const answers: ((answer: boolean) => void)[] = []
  const { mayRead, asked } = asking(() => new Promise((resolve) => answers.push(resolve)))
  const same = [mayRead(REPOSITORY, ALICE), mayRead(REPOSITORY, ALICE), mayRead(REPOSITORY, ALICE)]
  await setImmediate()
  expect(asked).toHaveLength(1)
  const others = Array.from({ length: 60 }, (_, id) => mayRead({ ...REPOSITORY, id: id + 2 }, ALICE))
  await setImmediate()
  expect(asked).toHaveLength(50)
  expect(await Promise.all(others.slice(49))).toEqual(Array(11).fill(false))
  for (const answer of answers) answer(true)
  expect(await Promise.all([...same, ...others.slice(0, 49)])).toEqual(Array(52).fill(true))
  // What was refused for being too much at once is not kept.
  const last = mayRead({ ...REPOSITORY, id: 61 }, ALICE)
  await setImmediate()
  answers.at(-1)!(true)
  expect(await last).toBe(true)
})

test('GitHub does not answer, or can’t be asked: no, and the log says why', async () => {
  const { mayRead, asked, log } = asking(() => Promise.reject(new Error('502')))
  expect(await mayRead(REPOSITORY, ALICE)).toBe(false)
  expect(await mayRead(REPOSITORY, ALICE)).toBe(false)
  expect(asked).toHaveLength(1)
  expect(log.lines).toMatchObject([{ level: 'warn', fields: { repositoryId: 1, userId: 7 } }])
  expect(await mayRead({ ...REPOSITORY, id: 2, installationId: null }, ALICE)).toBe(false)
  expect(asked).toHaveLength(1)
})

test('what is kept is bounded: the oldest is asked for again', async () => {
  const { mayRead, asked } = asking(async () => true)
  for (let id = 0; id <= 10_000; id += 1) await mayRead({ ...REPOSITORY, id }, ALICE)
  await mayRead({ ...REPOSITORY, id: 10_000 }, ALICE)
  expect(asked).toHaveLength(10_001)
  await mayRead({ ...REPOSITORY, id: 0 }, ALICE)
  expect(asked).toHaveLength(10_002)
})
