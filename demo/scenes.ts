import { createHash } from 'node:crypto'
import type { CheckRow } from '../src/intake/imports/checks/check-row.ts'
import type { TriageReport } from '../src/report/report.ts'
import { DAY, HOUR } from '../src/text/time.ts'
import type { RedCheck, Results } from './ci.ts'
import type { FileChanges } from './github/commit-graph.ts'
import type { PullRequest } from './github/state.ts'
import { NEW_TEST, seedThread } from './seed-thread.ts'
import { engineFiles, type Past, SHOP_ENGINE } from './trunk.ts'

/** A pull request of the demo, and what must be said of it. */
export interface Scene {
  readonly title: string
  /** What its author says. */
  readonly body: string
  readonly head: string
  readonly files: FileChanges
  readonly resultsOf: (pull: PullRequest, past: Past) => Results
  /** Whether the bot comments. */
  readonly isCommented: boolean
  /** What must be in the comment; `check` is the title of the check run. */
  readonly mustSay: (said: {
    readonly body: string
    readonly report: TriageReport
    readonly past: Past
  }) => readonly (readonly [what: string, isThere: boolean])[]
}

/** What docs/classification.md gives for the recorded comparison of two releases. */
const RELEASES = { slower: 7, faster: 21, unstable: 16, tooSmall: 2, notSignificant: 21, notCompared: 1 }

const recording = (name: string) => new URL(`recording/${name}/`, import.meta.url)

export const SCENES: readonly Scene[] = [
  {
    title: 'Upgrade the engine from 25.8 to 26.9',
    body: 'The next release, with everything that came since.',
    head: 'upgrade',
    files: { 'src/version.txt': '26.9\n' },
    resultsOf: () => ({ recordings: [recording('run-25.8-vs-26.9')] }),
    isCommented: true,
    mustSay: ({ body, report: { counts } }) => [
      [
        '7 slower, 21 faster, 16 unstable, 2 too small, 21 not significant, 1 not compared',
        Object.entries(RELEASES).every(([outcome, count]) => counts[outcome as keyof typeof counts] === count),
      ],
      ['7 of 67 queries got slower, 13 got faster', body.includes('7 of 67 queries got slower, 13 got faster')],
      ['what is not known yet', body.includes('`master` has 0 of the 101 runs needed')],
    ],
  },
  {
    title: 'Join keys of every type',
    body: 'Joins by several columns of any type, by one key made of all of them.',
    head: 'join-keys',
    files: engineFiles('pull', 'join'),
    resultsOf: () => ({ recordings: [new URL('pull-2/', SHOP_ENGINE), new URL('pull-2-again/', SHOP_ENGINE)] }),
    isCommented: true,
    mustSay: ({ body }) => [
      ['one query got slower', /^### Query \[`orders_join #2`\]\(\S+\) got slower/m.test(body)],
      [
        'the function that grew and that the change touches',
        body.includes('`hashCompositeKey`, which this PR changes, grew from'),
      ],
      ['where to look first', body.includes('\n\nLook at your change to `hashCompositeKey`.')],
      ['the address of a flame graph', /\/flame\//.test(body)],
    ],
  },
  {
    title: 'A test for unknown identifiers',
    body: 'The error must name the identifier.',
    head: 'new-test',
    files: { 'tests/queries/0_stateless/03999_my_new_test.sql': 'SELECT x;\n' },
    resultsOf: (pull) => ({ recordings: [new URL('pull-3/', SHOP_ENGINE)], redChecks: redChecksOf(pull) }),
    isCommented: true,
    mustSay: ({ body }) => [
      [
        'its own new test first, one that looks like its own, three chronic failures and a flaky one',
        body.includes('### Your new test fails, 1 more looks like yours; 4 are known failures.') &&
          body.includes('2 look like yours, 3 chronic, 1 flaky'),
      ],
      [
        'what to do, and what each red check is',
        body.includes('Fix your new test and check the other.') && body.includes('**7 red checks**'),
      ],
      ['the fallout of one of them', body.includes('with its fallout')],
    ],
  },
  {
    title: 'Load orders in parts',
    body: 'Large files no longer have to fit into memory.',
    head: 'old-base',
    files: { 'src/load.js': 'export const loadPart = (orders, from, to) => orders.slice(from, to)\n' },
    // Built long ago: the old build is a commit before the step of the trunk.
    resultsOf: (_pull, { measured }) => ({ recordings: [new URL('pull-4/', SHOP_ENGINE)], oldCommit: measured[19]! }),
    isCommented: true,
    mustSay: ({ body, report, past }) => [
      [
        'no new slowdown, what is slower is on the main branch already',
        body.includes('### No new slowdown') && body.includes('both were already on master'),
      ],
      [
        'both of its slower queries already on the main branch, one of them only by what its neighbour shows',
        report.rows.filter(({ verdict }) => verdict === 'already-on-trunk').length === 2 &&
          report.windows.some(({ step: { seenBy } }) => seenBy === 'neighbour'),
      ],
      ['nothing to do for the author', body.includes('\n\nNothing to do.\n\n')],
      [
        'one window for both, folded',
        /For on-call: [^\n]*\n\n\*\*Bisect window\*\* for `orders_sort #\d` and `orders_sort #\d`/.test(body),
      ],
      [
        'a bisect window with the commit that made it slower',
        report.windows.some(({ functional }) => functional.length === 1 && functional[0]?.sha === past.step),
      ],
    ],
  },
  {
    title: 'Name the releases by their year',
    body: 'Words only.',
    head: 'words',
    files: { 'docs/releases.md': '2026\n' },
    resultsOf: () => ({ recordings: [new URL('../test/data/run-a-a/', import.meta.url)] }),
    isCommented: false,
    mustSay: ({ report }) => [['nothing slower', report.counts.slower === 0]],
  },
]

/** The rows of the CI database about other pull requests and the trunk. */
export function earlierFailures(pull: PullRequest): CheckRow[] {
  return threadOf(pull).rows.filter(({ commitSha }) => commitSha !== pull.head.sha)
}

function redChecksOf(pull: PullRequest): RedCheck[] {
  const { rows, redChecks } = threadOf(pull)
  return redChecks.map((name) => {
    const own = rows.filter(
      ({ commitSha, checkName, testName, testStatus }) =>
        commitSha === pull.head.sha && checkName === name && testName !== '' && testStatus === 'FAIL',
    )
    return { name, failures: own.map(({ testName, testContextRaw }) => ({ test: testName, output: testContextRaw })) }
  })
}

function threadOf({ number, head }: PullRequest) {
  const thread = seedThread({ number, head: head.sha, headRef: head.ref, headRepo: 'acme/engine' })
  // those of others are counted there, which no commit looks like
  const rows = thread.rows.map((row) =>
    row.commitSha === head.sha ? row : { ...row, commitSha: createHash('sha1').update(row.commitSha).digest('hex') },
  )
  return { ...thread, rows: [...rows, ...flakyRows(rows)] }
}

/** A test that fails here, and that failed in a maintainer's pull request and passed there in a second job. */
function flakyRows(rows: readonly CheckRow[]): CheckRow[] {
  const own = rows.find(({ testName, testStatus }) => testName === NEW_TEST && testStatus === 'FAIL')!
  const failed = { ...own, testName: '03207_keeper_reconnects', testContextRaw: 'Timeout! Killing process group' }
  const elsewhere = {
    ...failed,
    pullRequestNumber: 105_001,
    commitSha: createHash('sha1').update('flaky').digest('hex'),
    headRef: 'branch-105001',
    headRepo: own.baseRepo,
    reportUrl: `${own.reportUrl}#1`,
    checkStartTime: own.checkStartTime - 2 * DAY,
  }
  return [
    failed,
    elsewhere,
    {
      ...elsewhere,
      testStatus: 'OK',
      testContextRaw: '',
      reportUrl: `${own.reportUrl}#2`,
      checkStartTime: elsewhere.checkStartTime + HOUR,
    },
  ]
}
