import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatherCommits } from '../../../src/bot/triage/gather.ts'
import { getPullRequest } from '../../../src/github/pull-requests.ts'
import type { Run } from '../../../src/intake/measurement/run.ts'
import { makeSetting, type Setting } from '../../demo/setting.ts'
import { runOf } from '../../report/judge-setting.ts'

// Which commits runs state as their new build, and what GitHub says of them.

let setting: Setting

beforeAll(async () => {
  setting = await makeSetting()
})
afterAll(() => setting.github.stop())

/** A pull request, and commits to be stated beside its head. */
async function pull() {
  const { github, repo, octokit, at } = setting
  const base = github.commit(repo, { files: { 'a.c': '1' } })
  const head = github.commit(repo, { branch: 'fix', parents: [base.sha], files: { 'b.c': '1' } })
  const newer = github.commit(repo, { files: { 'a.c': '2' } })
  const merge = (into: string) =>
    github.commit(repo, { branch: `merge-${into}`, parents: [into, head.sha], files: { 'c.c': into } }).sha
  const pullRequest = await getPullRequest(octokit, at, github.openPullRequest({ repo, head: 'fix' }).number)
  const gatheredOf = async (runs: readonly Run[]) => {
    github.requests.length = 0
    return await gatherCommits(octokit, at, pullRequest!, runs)
  }
  const gathered = async (stated: readonly string[]) =>
    await gatheredOf(stated.map((newCommit) => runOf([], { oldCommit: base.sha, newCommit })))
  return { base: base.sha, head: head.sha, newer: newer.sha, merge, gathered, gatheredOf }
}

test('a new build has the change alone as the merge of the head into the old build; into a newer base it has more', async () => {
  const { base, head, newer, merge, gathered } = await pull()
  const [own, later] = [merge(base), merge(newer)]
  expect(await gathered([head, own, later, newer])).toMatchObject({ otherHeads: [newer], merges: [own] })
})

test('GitHub is asked about few of the commits that runs state, and what it can’t answer is not known', async () => {
  const { github } = setting
  const { newer, gathered } = await pull()
  const many = Array.from({ length: 50 }, (_, at) => at.toString(16).padStart(40, '0'))
  const asked = await gathered([...many, newer])
  expect(asked).toMatchObject({ otherHeads: [], merges: [] })
  expect(asked.unaskedHeads).toEqual([...many, newer].toSorted().slice(4))
  expect(github.requests.filter(({ path }) => many.some((commit) => path.includes(commit)))).toHaveLength(4)
  for (const kept of [`/commits/${newer}`, `...${newer}`]) {
    github.fault({ path: new RegExp(kept.replaceAll('.', '\\.')), times: 9, kind: 'status', status: 403 })
    expect(await gathered([newer])).toMatchObject({ otherHeads: [], merges: [] })
    github.clearFaults()
  }
  expect(await gathered([newer])).toMatchObject({ otherHeads: [newer] })
})

test('of the old builds that runs state it is asked about those of the most runs, a few at once', async () => {
  const { github } = setting
  const { base, gatheredOf } = await pull()
  const many = Array.from({ length: 50 }, (_, at) => at.toString(16).padStart(40, '0'))
  const { references } = await gatheredOf([...many, base, base].map((oldCommit) => runOf([], { oldCommit })))
  expect(references).toHaveLength(51)
  expect(references.find(({ commit }) => commit === base)).toMatchObject({ commitsBeforeMergeBase: 0 })
  expect(github.requests.filter(({ path }) => many.some((commit) => path.includes(commit)))).toHaveLength(15)
})
