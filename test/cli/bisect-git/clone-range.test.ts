import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cloneRange, MOST_COMMITS } from '../../../src/cli/bisect-git/clone-range.ts'
import { GIT_LIMITS, GitProblem } from '../../../src/cli/bisect-git/git-command.ts'
import { Clone } from '../../judge/bisect/clone-builder.ts'

let clone: Clone

beforeEach(() => {
  clone = new Clone()
})
afterEach(() => clone.remove())

test('the commits after the last good one up to the first bad one, oldest first, with their files', async () => {
  const good = clone.commit('one', { a: '1' })
  const docs = clone.commit('Describe it (#12)', { 'docs/a.md': 'a', 'src/with space.c': 'x' })
  const empty = clone.commit('nothing')
  clone.git('mv', 'a', 'ä\n"b')
  const moved = clone.commit('move')
  const bad = clone.commit('last', { z: '1' })
  clone.commit('later', { y: '1' })
  expect(await cloneRange(clone.folder, good, bad)).toEqual({
    commits: {
      total: 4,
      listed: [
        { sha: docs, title: 'Describe it (#12)', files: ['docs/a.md', 'src/with space.c'], pullRequestNumber: 12 },
        { sha: empty, title: 'nothing', files: [], pullRequestNumber: null },
        { sha: moved, title: 'move', files: ['a', 'ä\n"b'], pullRequestNumber: null },
        { sha: bad, title: 'last', files: ['z'], pullRequestNumber: null },
      ],
    },
  })
  expect(await cloneRange(clone.folder, bad, bad)).toEqual({ commits: { total: 0, listed: [] } })
})

test('a merge is one commit, with what it brought', async () => {
  const good = clone.commit('one', { a: '1' })
  clone.git('checkout', '-q', '-b', 'side')
  clone.commit('inside 1', { 'src/x.c': '1' })
  clone.commit('inside 2', { 'src/y.c': '1' })
  clone.git('checkout', '-q', 'main')
  clone.commit('two', { b: '1' })
  clone.git('merge', '-q', '--no-ff', '-m', 'Merge pull request #77 from o/side', '-m', 'Faster\n\nmerges', 'side')
  const bad = clone.git('rev-parse', 'HEAD')
  const range = await cloneRange(clone.folder, good, bad)
  expect(range).toMatchObject({
    commits: {
      total: 2,
      listed: [{ title: 'two' }, { sha: bad, title: 'Faster', files: ['src/x.c', 'src/y.c'], pullRequestNumber: 77 }],
    },
  })
})

test('a commit that is not there, what is no commit id, and commits the wrong way round', async () => {
  const good = clone.commit('one', { a: '1' })
  const bad = clone.commit('two', { a: '2' })
  const unknown = 'f'.repeat(40)
  expect(await cloneRange(clone.folder, unknown, bad)).toEqual({ missing: unknown })
  expect(await cloneRange(clone.folder, good, unknown)).toEqual({ missing: unknown })
  for (const text of ['--output=x', 'HEAD', 'main', '', `${good}..${bad}`]) {
    expect(await cloneRange(clone.folder, text, bad)).toEqual({ missing: text })
  }
  // The id of a tree is no commit.
  const tree = clone.git('rev-parse', 'HEAD^{tree}')
  expect(await cloneRange(clone.folder, tree, bad)).toEqual({ missing: tree })
  expect(await cloneRange(clone.folder, bad, good)).toEqual({ unrelated: true })
})

test('of too many commits only the number', async () => {
  const good = clone.commit('one')
  const script = Array.from({ length: MOST_COMMITS + 1 }, (_, index) =>
    [
      `commit refs/heads/main`,
      `committer a <a@example.org> ${1_700_000_000 + index} +0000`,
      'data 1',
      'x',
      ...(index === 0 ? [`from ${good}`] : []),
      '',
    ].join('\n'),
  ).join('\n')
  const { execFileSync } = await import('node:child_process')
  execFileSync('git', ['-C', clone.folder, 'fast-import', '--quiet'], { input: script })
  const bad = clone.git('rev-parse', 'main')
  expect(await cloneRange(clone.folder, good, bad)).toEqual({ commits: { total: MOST_COMMITS + 1, listed: [] } })
  const before = await cloneRange(clone.folder, good, clone.git('rev-parse', 'main~1'))
  expect(before).toMatchObject({ commits: { total: MOST_COMMITS } })
  expect('commits' in before && before.commits.listed.length).toBe(MOST_COMMITS)
})

test('no clone, and an answer that is too large or takes too long, are said in one line', async () => {
  const good = clone.commit('one', { a: '1' })
  const bad = clone.commit('x'.repeat(5000), { a: '2' })
  const outside = mkdtempSync(join(tmpdir(), 'perf-triage-none-'))
  try {
    const none = cloneRange(outside, good, bad)
    await expect(none).rejects.toThrow(GitProblem)
    await expect(none).rejects.toThrow(/: not a clone of a repository$/)
    await expect(cloneRange(join(outside, 'x'), good, bad)).rejects.toThrow(/: not a clone of a repository$/)
  } finally {
    rmSync(outside, { recursive: true })
  }
  await expect(cloneRange(clone.folder, good, bad, { ...GIT_LIMITS, outputBytes: 1000 })).rejects.toThrow(
    /more than 0 MB/,
  )
  await expect(cloneRange(clone.folder, good, bad, { ...GIT_LIMITS, milliseconds: 1 })).rejects.toThrow(/0.001 seconds/)
})

test('a clone’s configuration starts no program', async () => {
  const good = clone.commit('one', { a: '1' })
  const bad = clone.commit('two', { 'a.txt': '2' })
  const mark = join(clone.folder, 'started')
  const command = `touch '${mark}'; false`
  for (const name of [
    'core.fsmonitor',
    'core.pager',
    'pager.log',
    'core.sshCommand',
    'core.editor',
    'core.askPass',
    'diff.external',
    'diff.text.command',
    'diff.text.textconv',
    'gpg.program',
    'gpg.ssh.program',
    'credential.helper',
    'alias.log',
  ]) {
    clone.git(
      'config',
      name,
      name.startsWith('alias') || name === 'credential.helper' ? `!${command}` : `sh -c "${command}"`,
    )
  }
  clone.git('config', 'log.showSignature', 'true')
  clone.git('config', 'color.ui', 'always')
  clone.git('config', 'log.decorate', 'full')
  clone.git('config', 'log.follow', 'true')
  clone.git('config', 'diff.noprefix', 'true')
  clone.git('config', 'diff.renames', 'copies')
  clone.git('config', 'diff.orderFile', '/dev/null')
  clone.git('config', 'format.pretty', 'fuller')
  clone.git('config', 'log.diffMerges', 'combined')
  clone.git('config', 'core.attributesFile', join(clone.folder, 'attributes'))
  // A partial clone whose missing objects come from a remote that is a program.
  clone.git('config', 'remote.origin.url', `ext::sh -c "touch% '${mark}'"`)
  clone.git('config', 'remote.origin.promisor', 'true')
  clone.git('config', 'extensions.partialClone', 'origin')
  clone.git('config', 'core.repositoryFormatVersion', '1')
  const range = await cloneRange(clone.folder, good, bad)
  expect(range).toMatchObject({ commits: { total: 1, listed: [{ sha: bad, title: 'two', files: ['a.txt'] }] } })
  expect(await cloneRange(clone.folder, 'f'.repeat(40), bad)).toEqual({ missing: 'f'.repeat(40) })
  expect(existsSync(mark)).toBe(false)
})
