import { expect, onTestFinished, test } from 'vitest'
import { witnessesOfFlags } from '../../../src/bot/triage/flag-witnesses.ts'
import type { PublishContext } from '../../../src/bot/triage/publish.ts'
import { DEFAULT_CONFIG } from '../../../src/config/repository-config.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { openInbox } from '../../../src/inbox/inbox.ts'
import { temporaryFolder } from '../../inbox/temporary-folder.ts'

const HOUR = 3_600_000
const OWN = {
  number: 7,
  author: { id: 1, login: 'ada' },
  openedAt: 0,
  head: 'a'.repeat(40),
  headRepo: 'ada/engine',
  headRef: 'step-1',
  baseRef: 'main',
  repository: { id: 70, owner: 'acme', name: 'engine', defaultBranch: 'main' },
} as PullRequest
const QUERY = { test: 'join', queryIndex: 0, queryName: null, metric: 'client_time' }

/** Whose word the flags in pull requests 8 to 12 are. Everybody is known, so that GitHub is asked about nobody. */
async function witnesses(mode: 'gating' | 'advisory') {
  const inbox = await openInbox(temporaryFolder())
  onTestFinished(() => inbox.close())
  const saw = (number: number, authorId: number, login: string, headRef: string, openedAt: number) =>
    inbox.people.saw(70, {
      number,
      authorId,
      login,
      headRef,
      openedAt,
      wasMerged: false,
      headRepo: `${login}/engine`,
      baseRef: 'main',
    })
  await saw(8, 1, 'ada', 'step-2', HOUR / 2)
  await saw(9, 1, 'ada', 'cache', HOUR / 2)
  await saw(10, 2, 'mallory', 'one', 0)
  await saw(11, 2, 'mallory', 'another', 0)
  await inbox.people.keep(70, { login: 'ada', accountId: 1, trusted: 'has-commit' }, 0)
  await inbox.people.keep(70, { login: 'mallory', accountId: 2, trusted: null }, 0)
  const publishing = { pullRequest: OWN } as PublishContext
  const numbers = [8, 9, 10, 11, 12]
  const of = await witnessesOfFlags({ inbox, now: () => 1 }, publishing, { ...DEFAULT_CONFIG, mode }, numbers)
  return numbers.map((number) => of(QUERY, number))
}

test('the own stack is no witness, another branch of the same author is one, a stranger is one with all of theirs', async () => {
  const [stack, other, ...strangers] = await witnesses('advisory')
  expect([stack, other]).toEqual([null, { name: 'ada/engine:cache', isStranger: false }])
  const mallory = { name: 'mallory', isStranger: true }
  // Nobody has read the last one from GitHub yet.
  expect(strangers).toEqual([mallory, mallory, { name: '', isStranger: true }])
})

test('where the check gates only those count whose word counts', async () => {
  expect((await witnesses('gating')).map((witness) => witness?.name ?? null)).toEqual([
    null,
    'ada/engine:cache',
    null,
    null,
    null,
  ])
})
