import type { ProbotOctokit } from 'probot'
import { expect, test } from 'vitest'
import type { LocalGitHub } from '../../demo/github/local-github.ts'
import type { Permissions, Repository } from '../../demo/github/state.ts'
import { clientOf, makeSetting } from './setting.ts'

const at = { owner: 'ClickHouse', repo: 'ClickHouse' }
const branch = 'heads/perf-triage-history'

function octokitOfJob(github: LocalGitHub, repo: Repository, permissions: Permissions): ProbotOctokit {
  return clientOf(github, { token: github.jobToken(repo, permissions) })
}

/** A commit of one file on top of the parent's files, which no branch names yet. */
async function commitOf({ rest }: ProbotOctokit, path: string, content: string, parent: string): Promise<string> {
  const blob = await rest.git.createBlob({
    ...at,
    content: Buffer.from(content).toString('base64'),
    encoding: 'base64',
  })
  const { data: base } = await rest.git.getCommit({ ...at, commit_sha: parent })
  const tree = await rest.git.createTree({
    ...at,
    base_tree: base.tree.sha,
    tree: [{ path, mode: '100644', type: 'blob', sha: blob.data.sha }],
  })
  const commit = await rest.git.createCommit({ ...at, message: 'A line', tree: tree.data.sha, parents: [parent] })
  return commit.data.sha
}

test('blobs, trees and commits become a branch, which moves forward only', async () => {
  const { github, repo } = await makeSetting()
  try {
    const octokit = octokitOfJob(github, repo, { contents: 'write' })
    const start = repo.branches.get('master')!
    const first = await commitOf(octokit, 'history/2026-11.jsonl', '{"v":1}\n', start)
    await octokit.rest.git.createRef({ ...at, ref: `refs/${branch}`, sha: first })
    const second = await commitOf(octokit, 'history/2026-11.jsonl', '{"v":1}\n{"v":1}\n', first)
    const rival = await commitOf(octokit, 'decisions.jsonl', '{"v":1}\n', first)
    await octokit.rest.git.updateRef({ ...at, ref: branch, sha: second })
    await expect(octokit.rest.git.updateRef({ ...at, ref: branch, sha: rival })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('Update is not a fast forward'),
    })
    await expect(octokit.rest.git.createRef({ ...at, ref: `refs/${branch}`, sha: rival })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('Reference already exists'),
    })
    expect((await octokit.rest.git.getRef({ ...at, ref: branch })).data.object.sha).toBe(second)
    await octokit.rest.git.updateRef({ ...at, ref: branch, sha: rival, force: true })
    const { data: tree } = await octokit.rest.git.getTree({ ...at, tree_sha: rival, recursive: '1' })
    expect(tree.tree.map(({ path, type }) => [path, type])).toEqual([
      ['README.md', 'blob'],
      ['decisions.jsonl', 'blob'],
      ['history', 'tree'],
      ['history/2026-11.jsonl', 'blob'],
    ])
    const file = tree.tree.find(({ path }) => path === 'history/2026-11.jsonl')!
    const { data: blob } = await octokit.rest.git.getBlob({ ...at, file_sha: file.sha })
    expect(Buffer.from(blob.content, 'base64').toString()).toBe('{"v":1}\n')
    const contents = await octokit.rest.repos.getContent({ ...at, path: 'decisions.jsonl', ref: 'perf-triage-history' })
    expect(contents.data).toMatchObject({ path: 'decisions.jsonl', sha: expect.stringMatching(/^[0-9a-f]{40}$/) })
    await octokit.rest.git.deleteRef({ ...at, ref: branch })
    await expect(octokit.rest.git.getRef({ ...at, ref: branch })).rejects.toMatchObject({ status: 404 })
    expect(github.violations).toEqual([])
  } finally {
    await github.stop()
  }
})

test('a file leaves a tree by a sha of null', async () => {
  const { github, repo } = await makeSetting()
  try {
    const { rest } = octokitOfJob(github, repo, { contents: 'write' })
    const tree = [{ path: 'README.md', mode: '100644' as const, type: 'blob' as const, sha: null }]
    const { data } = await rest.git.createTree({ ...at, base_tree: repo.branches.get('master')!, tree })
    // Git's own id of the empty tree.
    expect(data).toMatchObject({ sha: '4b825dc642cb6eb9a060e54bf8d69288fbee4904', tree: [] })
  } finally {
    await github.stop()
  }
})

test('a job writes as github-actions[bot], and only what its token may', async () => {
  const { github, repo } = await makeSetting()
  try {
    const pull = github.openPullRequest({ repo, head: 'faster' })
    const may = octokitOfJob(github, repo, { checks: 'write', pull_requests: 'write' })
    const comment = await may.rest.issues.createComment({ ...at, issue_number: pull.number, body: 'Measured.' })
    expect(comment.data).toMatchObject({ user: { login: 'github-actions[bot]' } })
    const check = await may.rest.checks.create({ ...at, name: 'perf-triage', head_sha: pull.head.sha })
    expect(check.data.app).toMatchObject({ id: 15_368, slug: 'github-actions' })
    const reads = octokitOfJob(github, repo, { contents: 'read' })
    const refused = { status: 403, message: expect.stringContaining('Resource not accessible by integration') }
    await expect(reads.rest.issues.createComment({ ...at, issue_number: 1, body: '.' })).rejects.toMatchObject(refused)
    await expect(reads.rest.git.createBlob({ ...at, content: '.' })).rejects.toMatchObject(refused)
    await expect(reads.rest.checks.create({ ...at, name: 'x', head_sha: pull.head.sha })).rejects.toMatchObject(refused)
    await expect(may.rest.apps.getAuthenticated()).rejects.toMatchObject({ status: 401 })
    expect(github.violations).toEqual([])
  } finally {
    await github.stop()
  }
})
