import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSetting, type Setting } from './setting.ts'

let setting: Setting

beforeEach(async () => {
  setting = await makeSetting()
})

afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.github.stop()
})

test('pull requests are found by number, state, head and base', async () => {
  const { github, octokit, repo, at } = setting
  const { pulls } = octokit.rest
  const own = github.openPullRequest({ repo, head: 'one', title: 'One', author: 'bob' })
  const fork = github.openPullRequest({ repo, head: 'one', fork: { owner: 'carol' } })
  github.commit(repo, { branch: '26.7', files: { 'x.txt': 'x' } })
  const backport = github.openPullRequest({ repo, head: 'backport', base: '26.7' })
  github.closePullRequest(own)
  const list = async (more: object) => (await pulls.list({ ...at, ...more })).data.map(({ number }) => number)
  expect(await list({})).toEqual([backport.number, fork.number])
  expect(await list({ state: 'all', direction: 'asc' })).toEqual([1, 2, 3])
  expect(await list({ head: 'carol:one' })).toEqual([fork.number])
  expect(await list({ head: 'ClickHouse:one', state: 'closed' })).toEqual([own.number])
  expect(await list({ base: '26.7' })).toEqual([backport.number])
  expect(await list({ per_page: 1, page: 2 })).toEqual([fork.number])
  const { data } = await pulls.get({ ...at, pull_number: own.number })
  expect(data).toMatchObject({ state: 'closed', merged: false, title: 'One', changed_files: 1 })
  expect(data.head.repo?.full_name).toBe('ClickHouse/ClickHouse')
  await expect(pulls.get({ ...at, pull_number: 99 })).rejects.toMatchObject({ status: 404 })
})

test('files and commits are those since the merge base', async () => {
  const { github, octokit, repo, at } = setting
  const pull = github.openPullRequest({ repo, head: 'one', files: { 'src/a.cpp': 'int a;\n', 'README.md': null } })
  github.push(pull, { 'src/b.cpp': 'int b;\nint c;\n' })
  github.commit(repo, { files: { 'src/trunk.cpp': 'int t;\n' } })
  const on = { ...at, pull_number: pull.number }
  const { data: files } = await octokit.rest.pulls.listFiles(on)
  expect(files.map(({ filename, status, additions, deletions }) => [filename, status, additions, deletions])).toEqual([
    ['README.md', 'removed', 0, 1],
    ['src/a.cpp', 'added', 1, 0],
    ['src/b.cpp', 'added', 2, 0],
  ])
  expect(files[2]?.patch).toBe('@@ -0,0 +1,2 @@\n+int b;\n+int c;')
  expect((await octokit.rest.pulls.listCommits(on)).data.map(({ sha }) => sha).at(-1)).toBe(pull.head.sha)
  expect((await octokit.rest.pulls.get(on)).data).toMatchObject({ commits: 2, additions: 3, deletions: 1 })
})

test('the pull requests of a commit: open ones of a head, the merged one of a trunk commit', async () => {
  const { github, octokit, repo, at } = setting
  const pull = github.openPullRequest({ repo, head: 'one' })
  const fork = github.openPullRequest({ repo, head: 'two', fork: { owner: 'carol' } })
  const of = async (sha: string) => {
    const { data } = await octokit.rest.repos.listPullRequestsAssociatedWithCommit({ ...at, commit_sha: sha })
    return data.map(({ number }) => number)
  }
  expect(await of(pull.head.sha)).toEqual([pull.number])
  expect(await of(fork.head.sha)).toEqual([fork.number])
  const trunk = repo.branches.get('master')!
  expect(await of(trunk)).toEqual([])
  github.closePullRequest(pull, { merge: true })
  expect(await of(repo.branches.get('master')!)).toEqual([pull.number])
  expect((await octokit.rest.pulls.get({ ...at, pull_number: 1 })).data.merged).toBe(true)
})

test('a comparison tells ahead from behind and names the merge base', async () => {
  const { github, octokit, repo, at } = setting
  const root = repo.branches.get('master')!
  const trunk = github.commit(repo, { files: { 'trunk.txt': '1' } })
  const one = github.commit(repo, { branch: 'work', files: { 'work.txt': '1' }, parents: [root] })
  const two = github.commit(repo, { branch: 'work', files: { 'work.txt': '2' } })
  const compare = async (basehead: string) =>
    (await octokit.rest.repos.compareCommitsWithBasehead({ ...at, basehead })).data
  const diverged = await compare(`${trunk.sha}...${two.sha}`)
  expect(diverged).toMatchObject({ status: 'diverged', ahead_by: 2, behind_by: 1, total_commits: 2 })
  expect(diverged.merge_base_commit.sha).toBe(root)
  expect(diverged.commits.map(({ sha }) => sha)).toEqual([one.sha, two.sha])
  expect(diverged.files?.map(({ filename }) => filename)).toEqual(['work.txt'])
  expect(await compare('master...master')).toMatchObject({ status: 'identical', ahead_by: 0 })
  expect(await compare(`work...${root}`)).toMatchObject({ status: 'behind', behind_by: 2 })
  await expect(compare(`master...${'0'.repeat(40)}`)).rejects.toMatchObject({ status: 404 })
})

test('a squash merge base deep in the trunk is found', async () => {
  const { github, octokit, repo, at } = setting
  for (let number = 0; number < 40; number += 1) github.commit(repo, { files: { 'n.txt': String(number) } })
  const pull = github.openPullRequest({ repo, head: 'late' })
  for (let number = 0; number < 35; number += 1) github.commit(repo, { files: { 'm.txt': String(number) } })
  const basehead = `${pull.head.sha}...master`
  const compare = octokit.rest.repos.compareCommitsWithBasehead
  const first = await compare({ ...at, basehead })
  expect(first.data).toMatchObject({ ahead_by: 35, behind_by: 1, total_commits: 35 })
  const second = await compare({ ...at, basehead, page: 2 })
  expect([first.data.commits.length, second.data.commits.length]).toEqual([30, 5])
  expect(second.data.commits.at(-1)?.sha).toBe(repo.branches.get('master'))
  const all = await octokit.paginate(octokit.rest.repos.listCommits, { ...at, per_page: 50 })
  expect(all).toHaveLength(76)
  const named = await octokit.rest.repos.listCommits({ ...at, path: 'm.txt' })
  expect(named.data).toHaveLength(30)
})

test('a commit by sha, short sha and branch, a branch by name', async () => {
  const { octokit, repo, at } = setting
  const sha = repo.branches.get('master')!
  for (const ref of [sha, sha.slice(0, 10), 'master', 'heads/master']) {
    expect((await octokit.rest.repos.getCommit({ ...at, ref })).data.sha).toBe(sha)
  }
  expect((await octokit.rest.repos.getBranch({ ...at, branch: 'master' })).data.commit.sha).toBe(sha)
  await expect(octokit.rest.repos.getCommit({ ...at, ref: 'none' })).rejects.toMatchObject({ status: 404 })
})

test('contents at a ref, as an object, raw, as a folder, and not at all', async () => {
  const { github, octokit, repo, at } = setting
  const path = '.github/perf-triage.yml'
  const old = github.commit(repo, { files: { [path]: 'mode: advisory\n' } })
  github.commit(repo, { files: { [path]: 'mode: gating\n' } })
  const get = (more: object) => octokit.rest.repos.getContent({ ...at, path, ...more })
  const { data } = await get({ ref: old.sha })
  if (Array.isArray(data) || data.type !== 'file') throw new Error('not a file')
  expect(Buffer.from(data.content, 'base64').toString()).toBe('mode: advisory\n')
  const raw: unknown = (await get({ mediaType: { format: 'raw' } })).data
  expect(raw).toBe('mode: gating\n')
  expect((await get({ path: '.github' })).data).toMatchObject([{ name: 'perf-triage.yml', type: 'file' }])
  expect((await get({ path: '' })).data).toMatchObject([{ name: '.github', type: 'dir' }, { name: 'README.md' }])
  await expect(get({ path: 'no/such.yml' })).rejects.toMatchObject({ status: 404 })
  await expect(get({ ref: 'nowhere' })).rejects.toMatchObject({ status: 404 })
  const { config } = await octokit.config.get({ ...at, path })
  expect(config).toEqual({ mode: 'gating' })
})

test('the permission of a person', async () => {
  const { github, octokit, repo, at } = setting
  github.setPermission(repo, 'alice', 'maintain')
  github.setPermission(repo, 'bob', 'triage')
  const level = async (username: string) => {
    const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ ...at, username })
    return [data.permission, data.role_name]
  }
  expect(await level('alice')).toEqual(['write', 'maintain'])
  expect(await level('bob')).toEqual(['read', 'triage'])
  github.state.account('stranger')
  expect(await level('stranger')).toEqual(['read', 'read'])
  await expect(level('nobody-at-all')).rejects.toMatchObject({ status: 404 })
})
