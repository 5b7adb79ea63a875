import { expect, onTestFinished, test } from 'vitest'
import { mayReadPrivate } from '../../src/github/repository.ts'
import { makeSetting } from '../demo/setting.ts'

async function setting() {
  const made = await makeSetting()
  onTestFinished(() => made.github.stop())
  const { github, repo, octokit, at } = made
  github.setPermission(repo, 'alice', 'read')
  const userOf = (login: string) => ({ id: github.state.account(login).id, login })
  const may = (login: string, id = repo.id) => mayReadPrivate(octokit, at, id, userOf(login))
  return { ...made, may }
}

test('who may read a private repository, and nobody of another one', async () => {
  const { github, repo, may } = await setting()
  github.setPrivate(repo, true)
  expect(await may('alice')).toBe(true)
  expect(await may('eve')).toBe(false)
  expect(await may('alice', repo.id + 1)).toBe(false)
})

test('what everybody may read says nothing of who may read it when it is private', async () => {
  const { github, repo, may } = await setting()
  github.setPrivate(repo, false)
  expect(await may('eve')).toBe(false)
  expect(await may('alice')).toBe(false)
})
