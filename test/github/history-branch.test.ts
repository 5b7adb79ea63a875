import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../demo/github/local-github.ts'
import type { Repository } from '../../demo/github/state.ts'
import { BranchBusy, HistoryBranch } from '../../src/github/history-branch.ts'
import { createJobClient } from '../../src/github/job-client.ts'
import type { Octokit } from '../../src/github/octokit.ts'

const NAME = 'kept'

let github: LocalGitHub
let repositories = 0

beforeAll(async () => {
  github = await startLocalGitHub({ limits: { contentPerMinute: 1e9 } })
})
afterAll(async () => {
  expect(github.violations).toEqual([])
  await github.stop()
})

function repository(): Repository {
  repositories += 1
  return github.createRepository({ owner: 'acme', name: `kept-${repositories}`, files: { 'src/a.cpp': '0' } })
}

/** A job of its own, with its own client. */
function branchOf(repo: Repository, prepare: (octokit: Octokit) => void = () => {}): HistoryBranch {
  const octokit = createJobClient({
    token: github.jobToken(repo, { contents: 'write' }),
    apiUrl: `${github.url}/api/v3`,
    paced: false,
    stopping: new AbortController().signal,
  })
  prepare(octokit)
  return new HistoryBranch(octokit, { owner: repo.owner.login, repo: repo.name }, NAME)
}

const append = (branch: HistoryBranch, path: string, line: string) =>
  branch.change(async (tree) => {
    const before = (await branch.contents(tree, path))?.toString('utf8') ?? ''
    return { files: new Map([[path, `${before}${line}\n`]]), message: `Append ${line}` }
  })

async function linesOf(branch: HistoryBranch, path: string): Promise<string[]> {
  const contents = await branch.contents(await branch.tree(), path)
  return (contents?.toString('utf8') ?? '').split('\n').filter((line) => line !== '')
}

const commits = ({ graph, branches }: Repository) => graph.ancestors(branches.get(NAME)!).length

test('there is nothing at first; the first line makes a branch without a parent, which has none of the code', async () => {
  const repo = repository()
  const branch = branchOf(repo)
  expect(await branch.tree()).toEqual({ commit: null, tree: null, files: new Map() })
  await append(branch, 'a.jsonl', '1')
  await append(branch, 'b.jsonl', '2')
  expect([...(await branch.tree()).files.keys()].toSorted()).toEqual(['a.jsonl', 'b.jsonl'])
  expect(commits(repo)).toBe(2)
  expect(repo.graph.get(repo.branches.get('master')!)?.files.has('a.jsonl')).toBe(false)
})

test('a change that wants nothing writes nothing', async () => {
  const repo = repository()
  await branchOf(repo).change(async () => null)
  expect(repo.branches.has(NAME)).toBe(false)
})

test('twelve writers at once lose nothing, the first commits of a branch among them', async () => {
  const repo = repository()
  const lines = Array.from({ length: 12 }, (_, index) => `writer ${index}`)
  await Promise.all(lines.map((line, index) => append(branchOf(repo), `${index % 2}.jsonl`, line)))
  const kept = [...(await linesOf(branchOf(repo), '0.jsonl')), ...(await linesOf(branchOf(repo), '1.jsonl'))]
  expect(kept.toSorted()).toEqual(lines.toSorted())
  expect(commits(repo)).toBe(12)
})

test('a squash leaves one commit, and nobody who writes meanwhile loses anything', async () => {
  const repo = repository()
  for (const line of ['1', '2', '3']) await append(branchOf(repo), 'a.jsonl', line)
  const squashing = branchOf(repo)
  const squash = squashing.squash(async (tree) => ({
    files: new Map([
      ['a.packed', await squashing.contents(tree, 'a.jsonl')],
      ['a.jsonl', null],
    ]),
    message: 'Close',
  }))
  const lines = Array.from({ length: 8 }, (_, index) => `writer ${index}`)
  await Promise.all([squash, ...lines.map((line) => append(branchOf(repo), 'b.jsonl', line))])
  const branch = branchOf(repo)
  const packed = await linesOf(branch, 'a.packed')
  expect(packed).toEqual(['1', '2', '3'])
  expect((await linesOf(branch, 'b.jsonl')).toSorted()).toEqual(lines.toSorted())
  expect([...(await branch.tree()).files.keys()].toSorted()).toEqual(['a.packed', 'b.jsonl'])
  expect(commits(repo)).toBeLessThanOrEqual(9)
})

test('who died while commits were replaced holds others for five minutes and no longer', async () => {
  const repo = repository()
  await append(branchOf(repo), 'a.jsonl', '1')
  const dying = branchOf(repo)
  await dying.change(async () => ({
    files: new Map([['closing.json', JSON.stringify({ until: github.state.now().getTime() + 5 * 60_000 })]]),
    message: 'Others wait',
  }))
  const waiting = append(branchOf(repo), 'a.jsonl', '2')
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await linesOf(branchOf(repo), 'a.jsonl')).toEqual(['1'])
  github.advance(5 * 60_000 + 1000)
  await waiting
  expect(await linesOf(branchOf(repo), 'a.jsonl')).toEqual(['1', '2'])
  expect([...(await branchOf(repo).tree()).files.keys()]).toEqual(['a.jsonl'])
})

test('a squash that took too long replaces nothing', async () => {
  const repo = repository()
  await append(branchOf(repo), 'a.jsonl', '1')
  const slow = branchOf(repo, (octokit) => {
    octokit.hook.before('request', (options) => {
      const { parents } = options as { readonly parents?: readonly string[] }
      if (parents?.length === 0) github.advance(3 * 60_000)
    })
  })
  const squash = slow.squash(async () => ({ files: new Map([['a.jsonl', null]]), message: 'Close' }))
  await expect(squash).rejects.toThrow(BranchBusy)
  expect(await linesOf(branchOf(repo), 'a.jsonl')).toEqual(['1'])
})

test('a branch that a rule protects is given up after three refusals, by what GitHub says', async () => {
  const repo = repository()
  const branch = branchOf(repo)
  await append(branch, 'a.jsonl', '1')
  const message = 'Repository rule violations found'
  github.fault({ method: 'PATCH', path: /\/git\/refs\//, times: 100, kind: 'status', status: 422, message })
  const before = github.requests.length
  await expect(append(branch, 'a.jsonl', '2')).rejects.toThrow(message)
  expect(github.requests.slice(before).filter(({ method }) => method === 'PATCH')).toHaveLength(3)
  github.clearFaults()
  expect(await linesOf(branch, 'a.jsonl')).toEqual(['1'])
})
