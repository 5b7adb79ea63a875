import { pino } from 'pino'
import { expect, test } from 'vitest'
import { DEFAULT_INERT_PATHS, InertPaths } from '../../src/bisect/binary-paths.ts'
import type { WindowCommit } from '../../src/bisect/window.ts'
import { type ChangedFunctions, changedFunctions } from '../../src/profile/changed-functions.ts'
import { grownFunctions } from '../../src/profile/grown-functions.ts'
import { StackTree } from '../../src/profile/stack-tree.ts'
import { profileWords } from '../../src/profile/words.ts'
import { type HeadProfiles, profileKey } from '../../src/triage/profiles-of-head.ts'
import { type AskCommits, pullRequestWindowOfHead } from '../../src/triage/pull-request-window-of-head.ts'
import { judged, measured, runOf, STEADY, times } from './judge-setting.ts'

const knownOf = (profiles: HeadProfiles, changed: ChangedFunctions | null) => ({
  profiles,
  changed,
  inertPaths: new InertPaths(DEFAULT_INERT_PATHS),
})

const log = pino({ level: 'silent' })
const HEAD = 'b'.repeat(40)
const MERGE_BASE = 'a'.repeat(40)

const commitOf = (index: number, files: readonly string[] | null): WindowCommit => ({
  sha: String(index).repeat(40),
  title: `change ${index}`,
  files,
  pullRequestNumber: null,
})
const COMMITS = [
  commitOf(1, ['docs/a.md']),
  commitOf(2, ['src/A.cpp']),
  commitOf(3, ['src/B.cpp']),
  commitOf(4, ['src/A.cpp', 'src/C.cpp']),
]

const asksFor = (commits: readonly WindowCommit[], total = commits.length): AskCommits => {
  return async (base, head) => {
    expect([base, head]).toEqual([MERGE_BASE, HEAD])
    return { total, listed: commits }
  }
}
const nobody: AskCommits = () => Promise.reject(new Error('nobody should ask'))

/** A report of one query with a profile in which `A::f` of `file` grew. */
function headOf(fresh: readonly number[], frame: string, changed: ChangedFunctions | null) {
  const tree = new StackTree()
  for (const [stack, old, now] of [
    [`main;${frame}`, 310, 440],
    ['main;B::g', 690, 560],
  ] as const) {
    tree.add(stack, 'old', old)
    tree.add(stack, 'new', now)
  }
  const difference = tree.finish()
  const words = profileWords(difference, 'samples')
  const grown = grownFunctions(difference, 'samples')
  const runs = [runOf([measured('slow', fresh)])]
  const [row] = judged(runs).rows
  const profiles: HeadProfiles = new Map([
    [
      profileKey(row!.results[0]!),
      { shown: { architecture: null, traceType: 'CPU', traceTypes: ['CPU'], words }, grown },
    ],
  ])
  return { report: judged(runs, { mergeBase: MERGE_BASE, profiles, changedFunctions: changed }), profiles }
}

const CHANGED = changedFunctions(
  [
    { path: 'src/A.cpp', patch: '@@ -1,2 +1,3 @@ void A::f()\n     x();\n+    y();' },
    { path: 'src/B.cpp', patch: '@@ -1,2 +1,3 @@ void C::h()\n     x();\n+    y();' },
  ],
  false,
  () => true,
)

test('the commits that can change the binary, and those that touch the file of a function on the path', async () => {
  const { report, profiles } = headOf(times(1.3), 'A::f()', CHANGED)
  const window = await pullRequestWindowOfHead(report, knownOf(profiles, CHANGED), asksFor(COMMITS), log)
  expect(window).toMatchObject({ setAside: 1, steps: 2, middle: '2'.repeat(40), filesUnknown: 0 })
  expect(window!.functional.map(({ sha }) => sha[0])).toEqual(['2', '3', '4'])
  expect(window!.onPath!.map(({ sha }) => sha[0])).toEqual(['2', '4'])
})

test('frames that name their files say it without names', async () => {
  const { report, profiles } = headOf(times(1.3), './build/./src/B.cpp:7#other', CHANGED)
  const window = await pullRequestWindowOfHead(report, knownOf(profiles, CHANGED), asksFor(COMMITS), log)
  expect(window!.onPath!.map(({ sha }) => sha[0])).toEqual(['3'])
})

test('without a word of files nothing is said of any commit', async () => {
  const { report, profiles } = headOf(times(1.3), 'X::y()', CHANGED)
  const window = await pullRequestWindowOfHead(report, knownOf(profiles, CHANGED), asksFor(COMMITS), log)
  expect([window!.functional.length, window!.onPath]).toEqual([3, null])
  const bare = await pullRequestWindowOfHead(report, knownOf(new Map(), null), asksFor(COMMITS), log)
  expect([bare!.functional.length, bare!.onPath]).toEqual([3, null])
})

test('no window, and nobody asked, where no row is a regression', async () => {
  for (const fresh of [STEADY, times(0.7)]) {
    const { report, profiles } = headOf(fresh, 'A::f()', CHANGED)
    expect(await pullRequestWindowOfHead(report, knownOf(profiles, CHANGED), nobody, log)).toBeNull()
  }
  const { report, profiles } = headOf(times(1.3), 'A::f()', CHANGED)
  expect(
    await pullRequestWindowOfHead({ ...report, mergeBase: null }, knownOf(profiles, CHANGED), nobody, log),
  ).toBeNull()
})

test.each([
  ['one commit that can change the binary', asksFor(COMMITS.slice(0, 2))],
  ['more commits than are listed', asksFor(COMMITS, 2000)],
  ['commits that GitHub does not know', async () => null],
  ['a GitHub that fails', () => Promise.reject(new Error('502'))],
] as readonly (readonly [string, AskCommits])[])('no window: %s', async (_name, ask) => {
  const { report, profiles } = headOf(times(1.3), 'A::f()', CHANGED)
  expect(await pullRequestWindowOfHead(report, knownOf(profiles, CHANGED), ask, log)).toBeNull()
})
