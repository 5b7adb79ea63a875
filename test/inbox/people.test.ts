import { expect, onTestFinished, test } from 'vitest'
import { DAY } from '../../src/text/time.ts'
import { openInbox } from './opened.ts'
import { temporaryFolder } from './temporary-folder.ts'

async function people() {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  return inbox.people
}

const pull = (number: number, authorId: number, login: string, more: { readonly wasMerged?: boolean } = {}) => ({
  number,
  authorId,
  login,
  wasMerged: false,
  headRepo: `${login}/repo`,
  headRef: `fix-${number}`,
  baseRef: 'main',
  openedAt: 1000 * number,
  ...more,
})

test('authors of the pull requests that were seen, each repository for itself', async () => {
  const known = await people()
  await known.saw(7, pull(3, 101, 'Mallory'))
  await known.saw(7, pull(9, 102, 'ada'))
  await known.saw(8, pull(3, 103, 'bob'))
  expect([...(await known.pullRequests(7, [0, 3, 5])).values()]).toEqual([
    { number: 3, login: 'mallory', headRepo: 'Mallory/repo', headRef: 'fix-3', baseRef: 'main', openedAt: 3000 },
  ])
  expect((await known.pullRequests(8, [3])).get(3)?.login).toBe('bob')
  expect(await known.pullRequests(7, [0])).toEqual(new Map())
})

test('a merged pull request makes its author trusted, whatever was answered before', async () => {
  const known = await people()
  await known.saw(7, pull(3, 101, 'Mallory'))
  expect(await known.standings(7, 0)).toEqual(new Map())
  await known.keep(7, { login: 'mallory', accountId: 101, trusted: null }, 0)
  expect(await known.standings(7, 1)).toEqual(new Map([['mallory', 'stranger']]))
  await known.saw(7, pull(3, 101, 'Mallory', { wasMerged: true }))
  expect(await known.standings(7, 1)).toEqual(new Map([['mallory', 'trusted']]))
  expect(await known.standings(8, 1)).toEqual(new Map())
})

test('a stranger and a permission are asked about again after a day, a commit after 90 days', async () => {
  const known = await people()
  await known.keep(7, { login: 'Stranger', accountId: 1, trusted: null }, 0)
  await known.keep(7, { login: 'writer', accountId: 2, trusted: 'may-write' }, 0)
  await known.keep(7, { login: 'committer', accountId: 3, trusted: 'has-commit' }, 0)
  expect([...(await known.standings(7, DAY - 1))]).toEqual([
    ['committer', 'trusted'],
    ['stranger', 'stranger'],
    ['writer', 'trusted'],
  ])
  expect([...(await known.standings(7, DAY)).keys()]).toEqual(['committer'])
  await known.prune(DAY)
  expect([...(await known.standings(7, 0)).keys()]).toEqual(['committer'])
  expect((await known.standings(7, 90 * DAY)).size).toBe(0)
})

test('who takes over a name inherits nothing', async () => {
  const known = await people()
  await known.saw(7, pull(3, 101, 'ada', { wasMerged: true }))
  await known.keep(7, { login: 'ada', accountId: 101, trusted: 'has-commit' }, 0)
  await known.saw(7, pull(9, 666, 'Ada'))
  expect((await known.standings(7, 0)).get('ada')).toBeUndefined()
  expect((await known.pullRequests(7, [3])).get(3)?.login).toBe('#101')
  expect((await known.standings(7, 0)).get('#101')).toBe('trusted')

  // The first one is met again under a new name.
  await known.saw(7, pull(10, 101, 'lovelace'))
  expect((await known.pullRequests(7, [3])).get(3)?.login).toBe('lovelace')
  expect((await known.standings(7, 0)).get('lovelace')).toBe('trusted')
})

test('an answer about a name that another account has by now takes the name from the one before', async () => {
  const known = await people()
  await known.saw(7, pull(3, 101, 'ada', { wasMerged: true }))
  await known.keep(7, { login: 'ada', accountId: 666, trusted: null }, 0)
  expect((await known.standings(7, 0)).get('ada')).toBe('stranger')
})
