import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { listChangedFiles, MOST_CHANGED_FILES, MOST_PATCH_TEXT } from '../../src/github/changed-files.ts'
import { makeSetting, type Setting } from '../demo/setting.ts'

let setting: Setting

beforeAll(async () => {
  setting = await makeSetting()
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.github.stop())

function files(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`tests/${10_000 + index}.sql`, `${index}\n`]))
}

test('each file by its present name and what became of it', async () => {
  const { github, octokit, repo, at } = setting
  github.commit(repo, { files: { 'tests/a.sql': 'a\n', 'tests/b.sql': 'b\n', 'tests/c.sql': 'c\n' } })
  const changes = { 'tests/a.sql': 'A\n', 'tests/b.sql': null, 'tests/c.sql': null, 'tests/d.sql': 'c\n', new: 'n' }
  const pull = github.openPullRequest({ repo, head: 'changes', files: changes })
  // What the trunk changes meanwhile is not the pull request's.
  github.commit(repo, { files: { 'tests/trunk.sql': 't\n' } })
  const blob: unknown = expect.stringMatching(/^[0-9a-f]{40}$/)
  expect(await listChangedFiles(octokit, at, pull.number)).toEqual({
    files: [
      { path: 'new', status: 'added', blob, patch: '@@ -0,0 +1,1 @@\n+n' },
      { path: 'tests/a.sql', status: 'modified', blob, patch: '@@ -1,1 +1,1 @@\n-a\n+A' },
      { path: 'tests/b.sql', status: 'removed', blob, patch: '@@ -1,1 +0,0 @@\n-b' },
      { path: 'tests/d.sql', status: 'renamed', previousPath: 'tests/c.sql', blob },
    ],
    isCut: false,
  })
})

test('all pages, and no more than GitHub lists', async () => {
  const { github, octokit, repo, at } = setting
  const some = github.openPullRequest({ repo, head: 'some', files: files(201) })
  const found = await listChangedFiles(octokit, at, some.number)
  expect([found.files.length, found.isCut]).toEqual([201, false])

  const many = github.openPullRequest({ repo, head: 'many', files: files(MOST_CHANGED_FILES + 1) })
  github.requests.length = 0
  const cut = await listChangedFiles(octokit, at, many.number)
  expect([cut.files.length, cut.isCut]).toEqual([MOST_CHANGED_FILES, true])
  expect(github.requests).toHaveLength(30)
})

test('diffs with the function that git names, and no more of them than are kept', async () => {
  const { github, octokit, repo, at } = setting
  const source = (line: string) => `int a;\n\nvoid A::f()\n{\n    x();\n    y();\n    z();\n    ${line}\n}\n`
  github.commit(repo, { files: { 'src/A.cpp': source('v();') } })
  const large = (size: number) => `${'x'.repeat(size)}\n`
  const pull = github.openPullRequest({
    repo,
    head: 'diffs',
    files: { 'src/A.cpp': source('w();'), a: large(MOST_PATCH_TEXT - 2000), b: large(3000), c: large(10) },
  })
  const { files } = await listChangedFiles(octokit, at, pull.number)
  expect(files.map(({ path, patch }) => [path, patch !== undefined])).toEqual([
    ['a', true],
    ['b', false],
    ['c', true],
    ['src/A.cpp', true],
  ])
  expect(files.at(-1)!.patch).toBe(
    '@@ -5,5 +5,5 @@ void A::f()\n     x();\n     y();\n     z();\n-    v();\n+    w();\n }',
  )
})
