import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { commitRange, commitTitles, MOST_COMMITS, MOST_WITH_FILES } from '../../src/github/commit-range.ts'
import { makeSetting, type Setting } from '../demo/setting.ts'

let setting: Setting

beforeAll(async () => {
  setting = await makeSetting()
  // The first call fetches a token as well.
  await setting.octokit.rest.repos.get(setting.at)
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.github.stop())

function commits(count: number, branch: string): string[] {
  const { github, repo } = setting
  return Array.from(
    { length: count },
    (_, index) =>
      github.commit(repo, { branch, files: { [`${branch}/${index}.c`]: `${index}` }, message: `Change ${index}` }).sha,
  )
}

test('the commits after the base up to the head, oldest first, with files and pull requests', async () => {
  const { github, octokit, repo, at } = setting
  const base = github.commit(repo, { files: { 'src/a.c': 'a\n', 'src/old.c': 'content\n' }, message: 'base' })
  const squash = github.commit(repo, {
    files: { 'src/a.c': 'b\n', 'docs/a.md': 'd\n' },
    message: 'Faster merges (#100963)\n\nBecause (#1)',
  })
  const renamed = github.commit(repo, { files: { 'src/old.c': null, 'docs/old.c': 'content\n' }, message: 'Move it' })
  github.commit(repo, { files: { later: '1' }, message: 'later' })
  github.requests.length = 0
  expect(await commitRange(octokit, at, base.sha, renamed.sha)).toEqual({
    total: 2,
    listed: [
      {
        sha: squash.sha,
        title: 'Faster merges (#100963)',
        files: ['docs/a.md', 'src/a.c'],
        pullRequestNumber: 100_963,
      },
      // A file that leaves the code changes the binary as well.
      { sha: renamed.sha, title: 'Move it', files: ['docs/old.c', 'src/old.c'], pullRequestNumber: null },
    ],
  })
  expect(github.requests).toHaveLength(3)
  expect(await commitRange(octokit, at, base.sha, base.sha)).toEqual({ total: 0, listed: [] })
})

test('what the commits of the trunk are for, with when, in a call', async () => {
  const { github, octokit, repo, at } = setting
  const base = github.commit(repo, { files: { a: 'base' }, message: 'base' })
  github.commit(repo, { files: { a: 'fixed' }, message: 'Fix test_a (#77)\n\nBecause' })
  const head = github.commit(repo, { files: { a: 'later' }, message: 'later' })
  github.requests.length = 0
  const titles = await commitTitles(octokit, at, base.sha, head.sha)
  expect(titles).toEqual([
    { title: 'Fix test_a (#77)', pullRequestNumber: 77, time: expect.any(Number) },
    { title: 'later', pullRequestNumber: null, time: expect.any(Number) },
  ])
  expect(Math.abs(titles![0]!.time - head.date.getTime())).toBeLessThan(60_000)
  expect(github.requests).toHaveLength(1)
  expect(await commitTitles(octokit, at, head.sha, base.sha)).toBeNull()
  expect(await commitTitles(octokit, at, 'f'.repeat(40), head.sha)).toBeNull()
})

test('a merge is one commit, not those of its branch', async () => {
  const { github, octokit, repo, at } = setting
  const base = github.commit(repo, { branch: 'trunk', files: { a: '1' } })
  const inside = github.commit(repo, { branch: 'side', parents: [base.sha], files: { 'src/x.c': '1' } })
  const other = github.commit(repo, { branch: 'trunk', files: { b: '1' } })
  const merge = github.commit(repo, {
    branch: 'trunk',
    parents: [other.sha, inside.sha],
    files: { 'src/x.c': '1' },
    message: 'Merge pull request #77 from o/side\n\nTitle',
  })
  const range = await commitRange(octokit, at, base.sha, merge.sha)
  expect(range?.total).toBe(2)
  expect(range?.listed.map(({ sha }) => sha)).toEqual([other.sha, merge.sha])
  expect(range?.listed[1]).toMatchObject({ title: 'Title', pullRequestNumber: 77, files: ['src/x.c'] })
})

test('unknown commits, and those the wrong way round or apart, are null', async () => {
  const { github, octokit, repo, at } = setting
  const base = github.commit(repo, { branch: 'left', files: { a: '1' } })
  const next = github.commit(repo, { branch: 'left', files: { a: '2' } })
  const apart = github.commit(repo, { branch: 'right', parents: [base.sha], files: { a: '3' } })
  expect(await commitRange(octokit, at, next.sha, base.sha)).toBeNull()
  expect(await commitRange(octokit, at, next.sha, apart.sha)).toBeNull()
  expect(await commitRange(octokit, at, 'f'.repeat(40), next.sha)).toBeNull()
  expect(await commitRange(octokit, at, base.sha, 'f'.repeat(40))).toBeNull()
})

test('all pages; files only of few', async () => {
  const { github, octokit, repo, at } = setting
  const base = github.commit(repo, { branch: 'pages', files: { base: '1' } }).sha
  const shas = commits(250, 'pages')
  github.requests.length = 0
  const range = await commitRange(octokit, at, base, shas.at(-1)!)
  expect(range?.total).toBe(250)
  expect(range?.listed.map(({ sha }) => sha)).toEqual(shas)
  expect(range?.listed.every(({ files }) => files === null)).toBe(true)
  expect(github.requests).toHaveLength(3)

  github.requests.length = 0
  const few = await commitRange(octokit, at, base, shas[MOST_WITH_FILES - 1]!)
  expect(few?.listed.map(({ files }) => files?.[0])).toEqual(
    Array.from({ length: MOST_WITH_FILES }, (_, index) => `pages/${index}.c`),
  )
  expect(github.requests).toHaveLength(1 + MOST_WITH_FILES)
})

test('of too many only the number', async () => {
  const { github, octokit, repo, at } = setting
  const base = github.commit(repo, { branch: 'many', files: { base: '1' } }).sha
  const parents = [base]
  for (let index = 0; index <= MOST_COMMITS; index += 1) {
    const { sha } = repo.graph.add({
      parents: [parents.at(-1)!],
      files: {},
      message: `Change ${index}`,
      author: { name: 'a', email: 'a@example.org', login: null },
      date: new Date(1_700_000_000_000 + index * 1000),
    })
    parents.push(sha)
  }
  github.requests.length = 0
  expect(await commitRange(octokit, at, base, parents.at(-1)!)).toEqual({ total: MOST_COMMITS + 1, listed: [] })
  expect(github.requests).toHaveLength(1)
  const most = await commitRange(octokit, at, base, parents.at(-2)!)
  expect([most?.total, most?.listed.length]).toEqual([MOST_COMMITS, MOST_COMMITS])
})

test('a commit with more files than GitHub lists at once is one whose files nobody knows', async () => {
  const { github, octokit, repo, at } = setting
  const base = github.commit(repo, { branch: 'wide', files: { base: '1' } }).sha
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`docs/${index}.md`, '1']))
  const wide = github.commit(repo, { branch: 'wide', files })
  const range = await commitRange(octokit, at, base, wide.sha)
  expect(range?.listed).toMatchObject([{ sha: wide.sha, files: null }])
})
