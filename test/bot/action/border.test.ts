import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Admitted, admit, type BorderQuestions, REFUSAL_WORDS, REFUSALS } from '../../../src/bot/action/border.ts'
import type { OpenPull } from '../../../src/github/pull-requests.ts'

const MEASURES = '.github/workflows/measure.yml'
const JUDGES = '.github/workflows/judge.yml'
const HEAD = 'a'.repeat(40)
const OTHER_HEAD = 'b'.repeat(40)
const BASE_ID = 1
const FORK_ID = 2
const JOB = { repositoryId: BASE_ID, defaultBranch: 'main', workflow: JUDGES }

const FILES: Readonly<Record<string, string>> = {
  [JUDGES]: 'name: judge\non:\n  workflow_run:\n    workflows: [measure]\n    types: [completed]\n',
  [MEASURES]: 'name: measure\non: [pull_request, push]\n',
  '.github/workflows/docs.yml': 'name: docs\non: [pull_request]\n',
  '.github/workflows/unnamed.yml': 'on: [pull_request]\n',
}

const PULL: OpenPull = { number: 7, head: HEAD, headRef: 'work', headRepositoryId: FORK_ID }

function asking(
  pulls: readonly OpenPull[] = [PULL],
  files: Readonly<Record<string, string>> = FILES,
  trunk: readonly string[] = [HEAD],
): BorderQuestions & { readonly labels: string[] } {
  const labels: string[] = []
  return {
    labels,
    fileOfTrunk: async (path) => files[path] ?? null,
    isOnTrunk: async (commit) => trunk.includes(commit),
    openPulls: async (label) => {
      labels.push(label)
      return pulls
    },
  }
}

const BASE = { id: BASE_ID, full_name: 'acme/engine' }
const FORK = { id: FORK_ID, full_name: 'mallory/engine' }
const RUN = {
  id: 11,
  run_attempt: 1,
  event: 'pull_request',
  path: MEASURES,
  head_branch: 'work',
  head_sha: HEAD,
  head_repository: FORK,
}
const event = (run: object = {}, rest: object = {}) => ({
  action: 'completed',
  repository: BASE,
  workflow_run: { ...RUN, ...run },
  ...rest,
})

test('a run of a fork’s pull request is judged for the one open pull request that has its head', async () => {
  const ask = asking()
  expect(await admit(event(), JOB, ask)).toEqual({
    runId: 11,
    attempt: 1,
    workflow: MEASURES,
    head: HEAD,
    event: 'pull_request',
    headRepository: 'mallory/engine',
    branch: 'work',
    isFork: true,
    pullRequestNumber: 7,
  })
  expect(ask.labels).toEqual(['mallory:work'])
})

test('a push of the default branch is of no pull request', async () => {
  const push = event({ event: 'push', head_branch: 'main', head_repository: BASE })
  expect(await admit(push, JOB, asking())).toMatchObject({ pullRequestNumber: null, isFork: false })
})

test.each<[string, unknown, (typeof REFUSALS)[number], BorderQuestions?]>([
  ['no event of a workflow run', { action: 'opened' }, 'unreadable-event'],
  ['a head that is no commit', event({ head_sha: '${{ github.sha }}' }), 'unreadable-event'],
  ['the event of another repository', event({}, { repository: FORK }), 'other-repository'],
  ['a run that begins', event({}, { action: 'requested' }), 'not-completed'],
  ['pull_request_target', event({ event: 'pull_request_target' }), 'other-event'],
  ['a schedule', event({ event: 'schedule' }), 'other-event'],
  ['a path out of the folder', event({ path: '.github/workflows/../measure.yml' }), 'not-a-workflow-file'],
  ['a path below the folder', event({ path: '.github/workflows/a/measure.yml' }), 'not-a-workflow-file'],
  ['a dynamic workflow', event({ path: 'dynamic/pages/build' }), 'not-a-workflow-file'],
  [
    'a judging workflow that waits for none',
    event(),
    'no-named-workflow',
    asking([PULL], { [MEASURES]: 'name: measure' }),
  ],
  ['a file that the fork has added under that name', event({ path: '.github/workflows/evil.yml' }), 'other-workflow'],
  ['a file that the fork has renamed', event({ path: '.github/workflows/docs.yml' }), 'other-workflow'],
  ['a file without that name', event({ path: '.github/workflows/unnamed.yml' }), 'other-workflow'],
  ['a file that can’t be read', event(), 'other-workflow', asking([PULL], { ...FILES, [MEASURES]: 'name: [measure' })],
  ['a fork that is gone', event({ head_repository: null }), 'head-repository-gone'],
  ['a head without a branch', event({ head_branch: null }), 'no-branch'],
  ['a push of another branch', event({ event: 'push', head_branch: 'work', head_repository: BASE }), 'not-the-trunk'],
  ['a push of a fork’s main', event({ event: 'push', head_branch: 'main' }), 'not-the-trunk'],
  [
    'a tag of the name main on a commit elsewhere',
    event({ event: 'push', head_branch: 'main', head_repository: BASE, head_sha: OTHER_HEAD }),
    'not-the-trunk',
  ],
  ['no pull request', event(), 'no-pull-request', asking([])],
  ['a pull request that was pushed to', event(), 'no-pull-request', asking([{ ...PULL, head: OTHER_HEAD }])],
  ['a branch of the same name elsewhere', event(), 'no-pull-request', asking([{ ...PULL, headRepositoryId: 3 }])],
  ['the same branch in another case', event(), 'no-pull-request', asking([{ ...PULL, headRef: 'Work' }])],
  ['a pull request whose fork is gone', event(), 'no-pull-request', asking([{ ...PULL, headRepositoryId: null }])],
  ['two pull requests to two bases', event(), 'several-pull-requests', asking([PULL, { ...PULL, number: 8 }])],
])('%s is refused', async (_, payload, refusal, ask = asking()) => {
  expect(await admit(payload, JOB, ask)).toBe(refusal)
})

test('a workflow that GitHub names with its branch is the same file, and one name may stand for the list', async () => {
  const judges = 'on: { workflow_run: { workflows: measure } }'
  const path = `${MEASURES}@refs/heads/main`
  expect(await admit(event({ path }), JOB, asking([PULL], { ...FILES, [JUDGES]: judges }))).toMatchObject({
    workflow: MEASURES,
  })
})

test('a workflow without a name is waited for by its path', async () => {
  const path = '.github/workflows/unnamed.yml'
  const files = { ...FILES, [JUDGES]: `on: { workflow_run: { workflows: ["${path}"] } }` }
  expect(await admit(event({ path }), JOB, asking([PULL], files))).toMatchObject({ workflow: path })
})

test('each refusal has one sentence', () => {
  for (const refusal of REFUSALS) expect(REFUSAL_WORDS[refusal]).toMatch(/^[A-Z][^.]*\S.*\.$/)
  expect(new Set(Object.values(REFUSAL_WORDS)).size).toBe(REFUSALS.length)
})

const HOSTILE = [
  '',
  'main',
  'work',
  'Work',
  'x:y',
  '../..',
  '${{ secrets.GITHUB_TOKEN }}',
  '<script>',
  '\n::set-output name=a::b',
]
const name = fc.oneof(fc.constantFrom(...HOSTILE), fc.string())
/** Mostly as it should be: else nothing would ever be let in. */
const mostly = <T, U>(right: T, wrong: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: wrong })
const repository = fc.record({ id: fc.constantFrom(BASE_ID, FORK_ID, 3), full_name: name })
const payload = fc.record({
  action: mostly('completed', fc.constantFrom('requested', '')),
  repository: mostly(BASE, repository),
  workflow_run: fc.record({
    id: mostly(11, fc.oneof(fc.integer(), name)),
    run_attempt: mostly(1, fc.integer()),
    event: fc.constantFrom('pull_request', 'pull_request', 'push', 'pull_request_target', 'workflow_dispatch', ''),
    path: mostly(
      MEASURES,
      fc.oneof(fc.constantFrom(...Object.keys(FILES), '.github/workflows/evil.yml', `x/${MEASURES}`), name),
    ),
    head_branch: mostly('work', fc.oneof(fc.constant('main'), fc.option(name))),
    head_sha: mostly(HEAD, fc.oneof(fc.constant(OTHER_HEAD), name)),
    head_repository: fc.oneof(fc.constantFrom(BASE, FORK), fc.option(repository)),
    // What a stranger might hope is read.
    pull_requests: fc.array(fc.record({ number: fc.nat() })),
    number: fc.nat(),
  }),
})
const pulls = fc.array(
  fc.record({
    number: fc.integer({ min: 1, max: 99 }),
    head: mostly(HEAD, fc.constant(OTHER_HEAD)),
    headRef: mostly('work', fc.constantFrom('Work', 'main', 'x:y')),
    headRepositoryId: fc.constantFrom(BASE_ID, FORK_ID, 3, null),
  }),
  { maxLength: 4 },
)

test('whatever an event says, what is let in is a run of the waited-for file for one pull request that GitHub has, or of the trunk', async () => {
  let admitted = 0
  await fc.assert(
    fc.asyncProperty(payload, pulls, fc.subarray([HEAD, OTHER_HEAD]), async (given, open, trunk) => {
      const decided = await admit(given, JOB, asking(open, FILES, trunk))
      if (typeof decided === 'string') {
        expect(REFUSALS).toContain(decided)
        return
      }
      admitted += 1
      const { workflow_run: run } = given
      expect(given.repository.id).toBe(BASE_ID)
      expect(decided.workflow).toBe(MEASURES)
      expect(decided.head).toBe(run.head_sha)
      expect(holds(decided, run.head_repository!.id, open, trunk)).toBe(true)
    }),
    { numRuns: 4000 },
  )
  expect(admitted).toBeGreaterThan(50)
})

/** Said once more, without a look at how it is found. */
function holds(
  { pullRequestNumber, head, branch, isFork }: Admitted,
  from: number,
  open: readonly OpenPull[],
  trunk: readonly string[],
): boolean {
  if (isFork !== (from !== BASE_ID)) return false
  if (pullRequestNumber === null) return !isFork && branch === 'main' && trunk.includes(head)
  const same = open.filter((pull) => pull.head === head && pull.headRef === branch && pull.headRepositoryId === from)
  return same.length === 1 && same[0]!.number === pullRequestNumber
}
