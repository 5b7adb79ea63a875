import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { standingOnGitHub } from '../../src/github/people.ts'
import { makeSetting, type Setting } from '../demo/setting.ts'

let setting: Setting

beforeAll(async () => {
  setting = await makeSetting()
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.github.stop())

/** The answer, and what was asked for it. */
async function asked(login: string) {
  const { github, octokit, at } = setting
  github.requests.length = 0
  const person = await standingOnGitHub(octokit, at, login)
  const paths = github.requests.map(({ path }) => path).filter((path) => path.includes('/repos/'))
  return { trusted: person.trusted, isAccount: person.accountId !== null, calls: paths.length }
}

test.each(['write', 'maintain', 'admin'] as const)('who may %s is trusted after one call', async (level) => {
  setting.github.setPermission(setting.repo, `may-${level}`, level)
  expect(await asked(`may-${level}`)).toEqual({ trusted: 'may-write', isAccount: true, calls: 1 })
})

test('who may only read or triage is trusted by a commit on the default branch alone', async () => {
  const { github, repo } = setting
  github.setPermission(repo, 'triager', 'triage')
  expect(await asked('triager')).toEqual({ trusted: null, isAccount: true, calls: 2 })
  github.openPullRequest({ repo, head: 'offer', fork: { owner: 'Newcomer' } })
  expect(await asked('newcomer')).toEqual({ trusted: null, isAccount: true, calls: 2 })
  github.commit(repo, { files: { a: 'a' }, author: 'Newcomer' })
  expect(await asked('newcomer')).toEqual({ trusted: 'has-commit', isAccount: true, calls: 2 })
})

test('an account that GitHub does not know is a stranger', async () => {
  expect(await asked('nobody-by-that-name')).toEqual({ trusted: null, isAccount: false, calls: 2 })
})

test('the address of somebody who has commits is no name: nobody is asked', async () => {
  const { github, repo } = setting
  const { author } = github.commit(repo, { files: { b: 'b' }, author: 'ada' })
  expect(author.email).toContain('@')
  expect(await asked(author.email)).toEqual({ trusted: null, isAccount: false, calls: 0 })
  expect(await asked('../../../user')).toEqual({ trusted: null, isAccount: false, calls: 0 })
})

test('where GitHub does not answer it says nothing', async () => {
  const { github, octokit, at } = setting
  github.fault({ path: /collaborators/, kind: 'status', status: 502, times: 1 })
  await expect(standingOnGitHub(octokit, at, 'triager')).rejects.toThrow('Server Error')
  github.fault({ path: /commits\?/, kind: 'status', status: 502, times: 1 })
  await expect(standingOnGitHub(octokit, at, 'triager')).rejects.toThrow('Server Error')
})
