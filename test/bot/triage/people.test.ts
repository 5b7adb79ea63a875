import { expect, onTestFinished, test } from 'vitest'
import { peopleOf } from '../../../src/bot/triage/people.ts'
import { openInbox } from '../../../src/inbox/inbox.ts'
import type { KnownPerson } from '../../../src/inbox/people.ts'
import type { People } from '../../../src/judge/ledger/witness.ts'
import { temporaryFolder } from '../../inbox/temporary-folder.ts'
import { hit, REPOSITORY, subject } from '../../judge/ledger/values.ts'

/** The people of one look, and whom it asked about: `answer` is what GitHub says. */
async function setting(answer?: (login: string) => KnownPerson | null) {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  const asked: string[] = []
  const ask = (login: string) => {
    asked.push(login)
    return Promise.resolve(answer!(login))
  }
  const look = (mode: People['mode'] = 'gating') =>
    peopleOf({ people: inbox.people, repositoryId: 7, mode, now: () => 0, ...(answer !== undefined && { ask }) })
  return { people: inbox.people, asked, look }
}
const SUBJECT = subject()
const stranger = (login: string): KnownPerson => ({ login, accountId: null, trusted: null })
const fork = (number: number, owner: string) =>
  hit(number, { headRepo: `${owner}/ClickHouse`, headRef: `branch-${number}` })

test('asks about those of the first rows, each once, twenty in one look, and remembers what was answered', async () => {
  const { asked, look } = await setting(stranger)
  const rows = Array.from({ length: 50 }, (_, index) => fork(index + 1, `Owner${Math.floor(index / 2)}`))
  const { standings, mode } = await look()(SUBJECT, rows)
  expect(mode).toBe('gating')
  expect(asked).toEqual(Array.from({ length: 20 }, (_, index) => `owner${index}`))
  expect([standings.get('owner19'), standings.get('owner20')]).toEqual(['stranger', undefined])
  expect((await look()(SUBJECT, rows)).standings.size).toBe(25)
  expect(asked.slice(20)).toEqual(['owner20', 'owner21', 'owner22', 'owner23', 'owner24'])
})

test('the author of a pull request that was seen stands before the owner of its branch', async () => {
  const { people, asked, look } = await setting(stranger)
  const { headRepo, headRef } = fork(5, 'team')
  const seen = { number: 5, authorId: 9, login: 'Mallory', wasMerged: false, baseRef: 'master', openedAt: 0 }
  await people.saw(7, { ...seen, headRepo, headRef })
  const { authors } = await look()(SUBJECT, [fork(5, 'team')])
  expect([...authors]).toEqual([[5, 'mallory']])
  expect(asked).toEqual(['mallory'])
})

test('nobody is asked about the trunk, the repository itself, the subject and another repository', async () => {
  const { asked, look } = await setting(stranger)
  await look()(SUBJECT, [
    hit(0, { headRepo: 'somebody/ClickHouse', headRef: 'master' }),
    hit(3, { headRepo: REPOSITORY, headRef: 'fix' }),
    fork(SUBJECT.pullRequestNumber, 'me'),
    { ...fork(4, 'elsewhere'), baseRepo: 'other/repository' },
    hit(6, { headRepo: '', headRef: '' }),
  ])
  expect(asked).toEqual([])
})

test('who was not answered for is not known, and asked about again', async () => {
  const { asked, look } = await setting(() => null)
  expect((await look()(SUBJECT, [fork(5, 'somebody')])).standings.size).toBe(0)
  await look()(SUBJECT, [fork(5, 'somebody')])
  expect(asked).toEqual(['somebody', 'somebody'])
})

test('where GitHub can not be asked the inbox alone knows', async () => {
  const { people, look } = await setting()
  await people.keep(7, { login: 'ada', accountId: 2, trusted: 'has-commit' }, 0)
  const { standings, mode } = await look('advisory')(SUBJECT, [fork(5, 'ada'), fork(6, 'bob')])
  expect([[...standings], mode]).toEqual([[['ada', 'trusted']], 'advisory'])
})

test('a name that another account has by now makes nobody trusted', async () => {
  const { people, look } = await setting((login) => ({ login, accountId: 666, trusted: 'may-write' }))
  const seen = { number: 5, authorId: 9, login: 'ada', wasMerged: false, baseRef: 'master', openedAt: 0 }
  await people.saw(7, { ...seen, headRepo: 'ada/ClickHouse', headRef: 'branch-5' })
  const { authors, standings } = await look()(SUBJECT, [fork(5, 'ada')])
  expect(standings.get(authors.get(5)!)).toBeUndefined()
})
