import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { CommitRanges } from '../../../src/bot/triage/commit-ranges.ts'
import { commitLine } from '../../../src/github/commit-range.ts'
import { makeSetting, type Setting } from '../../demo/setting.ts'

let setting: Setting

beforeAll(async () => {
  setting = await makeSetting()
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.github.stop())

function trunk(count: number): string[] {
  const { github, repo } = setting
  return Array.from({ length: count }, (_, index) => github.commit(repo, { files: { 'a.c': `${count} ${index}` } }).sha)
}

test('the line of the trunk has both ends, and no commit of a merged branch', async () => {
  const { github, octokit, repo, at } = setting
  const [first, second] = trunk(2)
  const inside = github.commit(repo, { branch: 'side', parents: [first!], files: { 'b.c': '1' } })
  const merge = github.commit(repo, { parents: [second!, inside.sha], files: { 'b.c': '1' } })
  expect(await commitLine(octokit, at, first!, merge.sha)).toEqual([first, second, merge.sha])
  expect(await commitLine(octokit, at, first!.slice(0, 10), merge.sha)).toEqual([first, second, merge.sha])
  expect(await commitLine(octokit, at, first!, first!)).toEqual([first])
  // It is an ancestor, and not on the line.
  expect(await commitLine(octokit, at, inside.sha, merge.sha)).toBeNull()
  expect(await commitLine(octokit, at, merge.sha, first!)).toBeNull()
  expect(await commitLine(octokit, at, '0'.repeat(40), merge.sha)).toBeNull()
})

test('what lies between two commits is asked once; what is not known is asked again', async () => {
  const { github, octokit, repo, at } = setting
  const of = { ...at, id: repo.id }
  const [first, , last] = trunk(3)
  const ranges = new CommitRanges()
  const line = await ranges.line(octokit, of, first!, last!)
  const range = await ranges.range(octokit, of, first!, last!)
  const between = await ranges.between(octokit, of, first!, last!)
  expect([line?.length, range?.total, between]).toEqual([3, 2, 2])
  github.requests.length = 0
  expect(await ranges.line(octokit, of, first!, last!)).toBe(line)
  expect(await ranges.range(octokit, of, first!, last!)).toBe(range)
  expect(await ranges.between(octokit, of, first!, last!)).toBe(between)
  expect(github.requests).toEqual([])
  expect(await ranges.line(octokit, of, '0'.repeat(40), last!)).toBeNull()
  expect(await ranges.line(octokit, of, '0'.repeat(40), last!)).toBeNull()
  expect(github.requests).toHaveLength(2)
  // Of more than fifty the oldest is forgotten.
  for (const commit of trunk(50)) await ranges.line(octokit, of, last!, commit)
  github.requests.length = 0
  await ranges.line(octokit, of, first!, last!)
  expect(github.requests.length).toBeGreaterThan(0)
})
