import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../demo/github/local-github.ts'

let github: LocalGitHub
let folder: string

beforeEach(async () => {
  github = await startLocalGitHub()
  folder = await mkdtemp(join(tmpdir(), 'git-host-'))
})

afterEach(async () => {
  await github.stop()
  await rm(folder, { recursive: true })
})

async function git(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_TERMINAL_PROMPT: '0' }
  const { stdout } = await promisify(execFile)('git', [...args], { cwd: folder, env })
  return stdout.trim()
}

test('a clone has the commits by their ids, and git finds nothing wrong with them', async () => {
  const repo = github.createRepository({ owner: 'acme', name: 'engine', defaultBranch: 'main' })
  const script = { mode: '100755', content: Buffer.from('#!/bin/sh\n') } as const
  const { sha } = github.commit(repo, {
    files: { 'bin/run.sh': script, 'a.txt': 'a\n', 'a/b.txt': 'ü' },
    message: 'A script\n',
  })
  github.tag(repo, 'v1', sha)
  await git('clone', '--quiet', `${github.url}/acme/engine`, '.')
  expect(await git('rev-parse', 'HEAD', 'v1')).toBe(`${sha}\n${sha}`)
  expect(await git('fsck', '--strict')).toBe('')
  expect(await readFile(join(folder, 'a/b.txt'), 'utf8')).toBe('ü')
  expect((await stat(join(folder, 'bin/run.sh'))).mode & 0o100).not.toBe(0)
})

test('the merge commit of a pull request of a fork has the base as its first parent', async () => {
  const repo = github.createRepository({ owner: 'acme', name: 'engine' })
  const pull = github.openPullRequest({ repo, head: 'faster', fork: { owner: 'mallory' }, files: { 'new.c': '1\n' } })
  await git('clone', '--quiet', '--depth=1', `${github.url}/acme/engine.git`, '.')
  await git('fetch', '--quiet', 'origin', 'refs/pull/1/merge')
  expect(await git('rev-parse', 'FETCH_HEAD', 'FETCH_HEAD^1', 'FETCH_HEAD^2')).toBe(
    [pull.mergeCommitSha, pull.base.sha, pull.head.sha].join('\n'),
  )
  const later = github.push(pull, { 'new.c': '2\n' })
  await git('fetch', '--quiet', 'origin', 'refs/pull/1/head')
  expect(await git('rev-parse', 'FETCH_HEAD')).toBe(later.sha)
  await git('fetch', '--quiet', `${github.url}/mallory/engine`, pull.head.sha)
})

test('a private repository is for who may read it, and nobody pushes', async () => {
  const repo = github.createRepository({ owner: 'acme', name: 'engine', private: true })
  const url = `${github.url}/acme/engine`
  await expect(git('ls-remote', url)).rejects.toThrow(/could not read Username|Authentication failed/)
  const withToken = (token: string) => url.replace('//', `//x-access-token:${token}@`)
  await expect(git('ls-remote', withToken(github.jobToken(repo, { checks: 'write' })))).rejects.toThrow(/not found/)
  const token = github.jobToken(repo, { contents: 'write' })
  await git('clone', '--quiet', withToken(token), '.')
  await git('-c', 'user.name=x', '-c', 'user.email=x@localhost', 'commit', '--quiet', '--allow-empty', '-m', 'Mine')
  await expect(git('push', '--quiet')).rejects.toThrow(/403/)
})
