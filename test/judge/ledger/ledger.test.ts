import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CheckRow } from '../../../src/intake/imports/checks/check-row.ts'
import type { Failure, MassFailure, Subject } from '../../../src/judge/ledger/failure.ts'
import { historiesWanted } from '../../../src/judge/ledger/history-wanted.ts'
import { judgeFailures } from '../../../src/judge/ledger/ledger.ts'
import { LEDGER_THRESHOLDS } from '../../../src/judge/ledger/thresholds.ts'
import { wilsonInterval } from '../../../src/judge/statistics/wilson.ts'
import { counts, failureOf, historyOf, onTrunk, row, signatureOf } from './ci-database.ts'
import {
  CHECK,
  DAY,
  failure,
  HOUR,
  hit,
  input,
  judgeWith,
  kinds,
  massFailure,
  NAME_ONLY,
  NOW,
  REPOSITORY,
  subject,
  trunkHit,
} from './values.ts'

const LOOKBACK = LEDGER_THRESHOLDS.lookbackDays

/** Judges the failures against a whole database of rows. */
function judgeRows(
  failures: readonly Failure[],
  rows: readonly CheckRow[],
  of: Subject,
  massFailures: readonly MassFailure[] = [],
) {
  const histories = historiesWanted(failures, ({ time }) => time).map((wanted) => historyOf(rows, wanted, of, LOOKBACK))
  return judgeFailures(input({ failures, histories, subject: of, massFailures }))
}

/**
 * Witnesses once more: branches of the repository itself, but none that another one's pull request is built on, that has a
 * commit of another one or that is the subject's; everybody else once, and those without an owner together. Rows of the
 * subject's stack and author are its own. The generated branches have no numbered families.
 */
function witnessesAmong(rows: readonly CheckRow[], mine: Failure, of: Subject) {
  const lower = (text: string) => text.toLowerCase()
  const repository = lower(of.repository)
  const branchOf = ({ headRepo, headRef, pullRequestNumber }: CheckRow) =>
    headRepo !== '' && headRef !== '' ? `${lower(headRepo)}:${headRef}` : `#${pullRequestNumber}`
  const seen = rows.filter(
    (one) =>
      one.testName === mine.testName &&
      (mine.testName !== '' || one.checkName === mine.checkName) &&
      ['FAIL', 'ERROR', 'failure'].includes(one.testStatus) &&
      one.checkStartTime > NOW - LOOKBACK * DAY &&
      one.checkStartTime <= NOW &&
      (repository === '' || one.baseRepo === '' || lower(one.baseRepo) === repository),
  )
  const failing = seen.filter(({ pullRequestNumber }) => pullRequestNumber > 0)
  const ofTrunk = seen.filter(
    ({ pullRequestNumber, headRepo, headRef, baseRef }) =>
      pullRequestNumber === 0 &&
      (repository === '' || ['', repository].includes(lower(headRepo))) &&
      ['', ...of.trunk].includes(headRef === '' ? baseRef : headRef) &&
      (headRef !== '' || ['', ...of.trunk].includes(baseRef)),
  )
  const isOfRepository = (one: CheckRow) => repository !== '' && lower(one.headRepo) === repository
  const branches = new Set(failing.map(branchOf))
  const stacks = [...branches].map((branch) => new Set([branch]))
  const join = (...names: readonly string[]) => {
    const [one, other] = names.map((name) => stacks.find((stack) => stack.has(name))!)
    if (one === other) return
    stacks.splice(stacks.indexOf(one!), 1)
    for (const name of one!) other!.add(name)
  }
  for (const built of failing) {
    const below = `${repository}:${built.baseRef}`
    if (!of.trunk.includes(built.baseRef) && branches.has(below)) join(branchOf(built), below)
    for (const other of failing) {
      const isOne = built.commitSha === other.commitSha && built.commitSha !== of.mergeBase
      const joins = [built, other].some((row) => !counts(row, of)) || [built, other].every(isOfRepository)
      if (isOne && joins && !ofTrunk.some(({ commitSha }) => commitSha === built.commitSha)) {
        join(branchOf(built), branchOf(other))
      }
    }
  }
  const stackOf = (one: CheckRow) => stacks.find((stack) => stack.has(branchOf(one)))!
  const own = new Set(failing.filter((one) => !counts(one, of)).map(stackOf))
  const author = lower(of.headRepo).split('/')[0]
  const ownerOf = (one: CheckRow) => lower(one.headRepo).split('/')[0]!
  return {
    isOwn: (one: CheckRow) =>
      one.pullRequestNumber > 0 &&
      (own.has(stackOf(one)) || (author !== '' && ownerOf(one) === author && !isOfRepository(one))),
    count: (hits: readonly CheckRow[]) =>
      new Set<unknown>(
        hits
          .filter((one) => one.pullRequestNumber > 0 && ['', ...of.trunk].includes(one.baseRef))
          .map((one) => (isOfRepository(one) ? stackOf(one) : ownerOf(one))),
      ).size,
  }
}

describe('the counts are those of a plain recount of the rows', () => {
  const pick = <T>(...values: T[]) => fc.constantFrom(...values)
  const edge = NOW - LOOKBACK * DAY
  const anyRow = fc
    .record({
      pullRequestNumber: pick(0, 0, 1, 2, 3, 1000, 1001),
      commitSha: pick('head', 'a', 'b', 'c'),
      checkName: pick(CHECK, 'Fast test'),
      checkStartTime: pick(
        edge - 1000,
        edge,
        edge + 1000,
        NOW - 9 * DAY,
        NOW - DAY,
        NOW - 3 * HOUR,
        NOW - HOUR,
        NOW,
        NOW + 1000,
      ),
      testStatus: pick('FAIL', 'FAIL', 'ERROR', 'failure', 'OK', 'success', 'PASSED', 'SKIPPED', 'BROKEN', 'slower'),
      testName: pick('a_test', 'a_test', 'a_test', 'a_test[x-1]', 'a|"test"', ''),
      testContextRaw: pick('boom', 'boom', 'other', ''),
      baseRef: pick('master', 'master', '', '26.3'),
      baseRepo: pick(REPOSITORY, 'clickhouse/clickhouse', '', 'fork/ClickHouse'),
      headRef: pick('master', 'master', 'reserve', 'topic', '26.3', ''),
      headRepo: pick(REPOSITORY, 'author/ClickHouse', 'AUTHOR/clickhouse', 'fork/ClickHouse', ''),
    })
    .map(row)
  const anySubject = fc
    .record({
      pullRequestNumber: pick(1000, 1000, 0),
      commitSha: pick('head', ''),
      headRepo: pick('author/ClickHouse', REPOSITORY, ''),
      headRef: pick('reserve', 'master', ''),
      repository: pick(REPOSITORY, REPOSITORY, ''),
      trunk: pick(['master'], ['main', 'master'], ['26.3']),
    })
    .map(subject)
  const anyFailure = fc
    .record({
      testName: pick('a_test', 'a_test', 'a_test[x-1]', 'a|"test"', ''),
      testContextRaw: pick('boom', 'boom', 'other', ''),
      checkName: pick(CHECK, 'Fast test'),
    })
    .map((changes) => failureOf(row({ ...changes, commitSha: 'head', pullRequestNumber: 1000, checkStartTime: NOW })))
  const anyMass = fc.subarray([NOW - 9 * DAY, NOW - 4 * HOUR, NOW - DAY - HOUR / 2, NOW - DAY]).chain((starts) =>
    fc.tuple(
      ...starts.map((start) =>
        fc
          .record({
            hours: pick(1, 1, 24),
            checkName: pick(null, null, CHECK),
            testNames: fc.subarray(['a_test', 'a_test[x-1]', 'a|"test"']).map((names) => new Set(names)),
            checkNames: fc.subarray([CHECK, 'Fast test']).map((names) => new Set(names)),
          })
          .map((changes) => massFailure(start, changes)),
      ),
    ),
  )

  test('hits, pull requests, trunk hits, runs, first and last', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(
        fc.array(anyRow, { maxLength: 60, size: 'max' }),
        anySubject,
        anyFailure,
        anyMass,
        (rows, of, mine, mass) => {
          const [judged] = judgeRows([mine], rows, of, mass)

          const executions = rows.filter(
            (one) =>
              one.testName === mine.testName &&
              (mine.testName !== '' || one.checkName === mine.checkName) &&
              one.checkStartTime > NOW - LOOKBACK * 24 * 3600 * 1000 &&
              one.checkStartTime <= NOW &&
              counts(one, of),
          )
          const { isOwn, count } = witnessesAmong(rows, mine, of)
          const failed = executions.filter(
            (one) => ['FAIL', 'ERROR', 'failure'].includes(one.testStatus) && !isOwn(one),
          )
          const passed = executions.filter(({ testStatus }) => ['OK', 'success', 'PASSED'].includes(testStatus))
          const hits = failed.filter((one) => {
            const signature = signatureOf(one)
            const same = mine.signature.kind === 'name' || JSON.stringify(signature) === JSON.stringify(mine.signature)
            return (
              same &&
              !mass.some(
                ({ start, hours, checkName, testNames, checkNames }) =>
                  one.checkStartTime >= start &&
                  one.checkStartTime < start + hours * 3_600_000 &&
                  [null, one.checkName].includes(checkName) &&
                  (one.testName === '' ? checkNames.has(one.checkName) : testNames.has(one.testName)),
              )
            )
          })
          const witnesses = count(hits)
          const trunkHits = hits.filter((one) => onTrunk(one, of))
          const trunkRuns = [...failed, ...passed].filter((one) => onTrunk(one, of)).length
          const times = hits.map(({ checkStartTime }) => checkStartTime)

          expect(judged).toMatchObject({
            hits: hits.length,
            unrelatedPullRequests: witnesses,
            trunkHits: trunkHits.length,
            runs: failed.length + passed.length,
            firstSeen: times.length === 0 ? null : Math.min(...times),
            lastSeen: times.length === 0 ? null : Math.max(...times),
            trunkRate:
              passed.length === 0 || trunkRuns === 0
                ? null
                : { failed: trunkHits.length, runs: trunkRuns, ...wilsonInterval(trunkHits.length, trunkRuns) },
          })

          // And the classification does not contradict them.
          const trunkDays = new Set(
            trunkHits.map(({ checkStartTime }) => new Date(checkStartTime).toISOString().slice(0, 10)),
          )
          // Of a check without a test and without a word only the trunk tells.
          const isSilent = mine.testName === '' && mine.signature.kind === 'name'
          const mayBeChronic = (!isSilent && witnesses >= 3) || trunkDays.size >= 2
          if (isSilent) expect(judged!.classification).not.toBe('flaky')
          const { classification } = judged!
          seen.add(classification)
          if (!mayBeChronic) expect(classification).not.toBe('chronic')
          // Nothing else is known in such a small history that would take the excuse of three people away.
          if (!isSilent && witnesses >= 3 && trunkHits.length === 0) {
            expect(['chronic', 'mass-failure']).toContain(classification)
          }
          if (hits.length === 0) expect(['unknown', 'pr-suspect', 'mass-failure']).toContain(classification)
        },
      ),
      // One in some hundred is flaky, and one at least has to be.
      { numRuns: 2000 },
    )
    expect([...seen].toSorted()).toEqual(expect.arrayContaining(['chronic', 'flaky', 'unknown']))
  })
})

/**
 * The pull request thread of ClickHouse that this was made for: what a maintainer wrote by hand under the head of a pull
 * request, as rows with what must not be counted among them.
 */
describe('the pull request with three red stress tests', () => {
  const PR = 108273
  const of = subject({ pullRequestNumber: PR, commitSha: '43ae659', headRef: 'restore-reserve' })
  const mine = {
    pullRequestNumber: PR,
    commitSha: '43ae659',
    headRepo: of.headRepo,
    headRef: of.headRef,
    checkStartTime: NOW,
  }
  const pullRequest = (number: number, changes: Partial<CheckRow>) =>
    row({
      pullRequestNumber: number,
      commitSha: `c${number}`,
      headRepo: `author-${number}/ClickHouse`,
      headRef: `topic-${number}`,
      checkStartTime: NOW - (1 + (number % 29)) * DAY,
      ...changes,
    })
  const times = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index))

  const RACE = "Logical error: 'promise has been destructed' (STID: 2508-38c6)"
  const REFRESH = "Logical error: 'Unexpected exception in refresh scheduling' (STID: 2508-3e7b)"
  const HUNG = 'Hung check failed, possible deadlock found'
  const ARM_MSAN = 'Stress test (arm_msan)'
  const AMD_MSAN = 'Stress test (amd_msan)'
  const INTEGRATION = 'Integration tests (amd)'
  const PYTEST = 'test_storage_s3/test.py::test_put["a|b",\'c\'-1]'

  const race = { testName: RACE, testContextRaw: '' }
  const traps = (changes: Partial<CheckRow>): readonly CheckRow[] => [
    row({ ...mine, ...changes, commitSha: 'e7c1bde', checkStartTime: NOW - DAY }),
    row({ ...mine, ...changes, pullRequestNumber: 90_000, commitSha: 'first-try', checkStartTime: NOW - 2 * DAY }),
    pullRequest(501, { ...changes, checkStartTime: NOW - LOOKBACK * DAY }),
    pullRequest(502, { ...changes, checkStartTime: NOW - 90 * DAY }),
    pullRequest(503, { ...changes, checkStartTime: NOW + 1000 }),
    pullRequest(504, { ...changes, testStatus: 'SKIPPED' }),
    pullRequest(505, { ...changes, testStatus: 'BROKEN' }),
    pullRequest(506, { ...changes, baseRepo: 'Altinity/ClickHouse' }),
    row({ ...changes, headRepo: 'somebody/ClickHouse', commitSha: 'fork-master' }),
    pullRequest(507, { ...changes, testName: `${changes.testName} ` }),
  ]
  // Seven pull requests, one of them with two commits in two checks: 8 hits.
  const raceRows = [
    ...times(7, (index) => pullRequest(index + 1, { ...race, testStatus: index % 2 === 0 ? 'FAIL' : 'ERROR' })),
    pullRequest(1, { ...race, commitSha: 'c1-again', checkName: AMD_MSAN }),
    ...traps(race),
  ]
  const hungRows = [
    ...times(212, (index) => pullRequest(index + 1, { testName: HUNG, checkName: AMD_MSAN })),
    ...times(67, (index) =>
      pullRequest(index + 1, { testName: HUNG, checkName: ARM_MSAN, commitSha: `again-${index}` }),
    ),
    ...times(61, (index) =>
      row({
        testName: HUNG,
        checkName: AMD_MSAN,
        commitSha: `m${index}`,
        checkStartTime: NOW - (index + 1) * 8 * HOUR,
      }),
    ),
    // Between two of its failures the check ran without it.
    ...times(61, (index) =>
      row({
        testName: '',
        testStatus: '',
        checkStatus: 'success',
        checkName: AMD_MSAN,
        commitSha: `without-${index}`,
        checkStartTime: NOW - (index + 0.5) * 8 * HOUR,
      }),
    ),
    ...traps({ testName: HUNG, checkName: AMD_MSAN }),
    pullRequest(508, { testName: HUNG, checkName: AMD_MSAN, testContextRaw: 'another deadlock' }),
  ]
  const refreshRows = [
    ...times(5, (index) => pullRequest(index + 1, { testName: REFRESH, testContextRaw: '' })),
    row({ testName: REFRESH, headRef: '26.3', commitSha: 'release' }),
    pullRequest(509, { testName: REFRESH, baseRef: '26.3' }),
    ...traps({ testName: REFRESH }),
  ]
  const checkFailedRows = times(400, (index) =>
    pullRequest(index + 1, { testName: 'Check failed', checkName: ARM_MSAN }),
  )
  const pytestRows = [
    ...times(300, (index) => pullRequest(index + 1, { testName: PYTEST, testStatus: 'OK', checkName: INTEGRATION })),
    ...times(9, (index) => pullRequest(index + 1, { testName: PYTEST.replace('-1]', '-2]') })),
    ...times(9, (index) => pullRequest(index + 1, { testName: 'test_storage_s3/test.py::test_put' })),
  ]
  const rows = [...raceRows, ...hungRows, ...refreshRows, ...checkFailedRows, ...pytestRows]
  const failures = [
    row({ ...mine, testName: '', checkName: 'PR', testContextRaw: '' }),
    row({ ...mine, testName: '', checkName: 'Mergeable Check', testContextRaw: '' }),
    row({ ...mine, testName: 'Cannot start clickhouse-server', checkName: ARM_MSAN }),
    row({ ...mine, testName: HUNG, checkName: AMD_MSAN }),
    row({ ...mine, testName: REFRESH, checkName: ARM_MSAN }),
    row({ ...mine, testName: 'Check failed', checkName: ARM_MSAN }),
    row({ ...mine, ...race }),
    row({ ...mine, testName: PYTEST, checkName: INTEGRATION }),
  ].map(failureOf)

  const judged = judgeRows(failures, rows, of)

  test('every count, in the order in which they are shown', () => {
    const shown = judged.map((one) => [
      one.failure.testName,
      one.classification,
      one.unrelatedPullRequests,
      one.hits,
      one.trunkHits,
    ])
    expect(shown).toEqual([
      [PYTEST, 'pr-suspect', 0, 0, 0],
      [HUNG, 'chronic', 212, 340, 61],
      [RACE, 'chronic', 7, 8, 0],
      [REFRESH, 'chronic', 5, 7, 0],
      ['Cannot start clickhouse-server', 'fallout', 0, 0, 0],
      ['Check failed', 'fallout', 400, 400, 0],
      ['', 'rollup', 0, 0, 0],
      ['', 'rollup', 0, 0, 0],
    ])
    expect(judged.map(({ causedBy }) => causedBy)).toEqual([null, null, null, null, REFRESH, REFRESH, null, null])
  })

  test('every reason', () => {
    expect(judged.slice(0, 4).map(({ reasons }) => reasons)).toEqual([
      [{ kind: 'never-elsewhere', of: 'test', runs: 300, chance: 0.95 ** 300, rate: 0.05 }],
      [
        { kind: 'unrelated-pull-requests', pullRequests: 212, needed: 3 },
        { kind: 'trunk-hits', hits: 61, days: 21, needed: 2 },
        { kind: 'other-signature', hits: 1, pullRequests: 1 },
      ],
      [{ kind: 'unrelated-pull-requests', pullRequests: 7, needed: 3 }],
      [
        { kind: 'unrelated-pull-requests', pullRequests: 5, needed: 3 },
        { kind: 'in-other-check', checkName: CHECK },
      ],
    ])
  })

  test('a name that exists only when it fails does not break the trunk where its jobs ran without it', () => {
    expect(judged[1]!.reasons.map(({ kind }) => kind)).not.toContain('latest-trunk-runs-failed')
    expect(judged[1]!.trunkRate).toBeNull()
    expect(judged[1]!.firstBadTrunkCommit).toBeNull()
  })

  test('an evening on which everything failed is left out', () => {
    const start = NOW - 5.5 * DAY
    const evening = times(5, (index) => pullRequest(600 + index, { ...race, checkStartTime: start + index * 1000 }))
    const [one] = judgeRows([failures[6]!], [...raceRows, ...evening], of, [
      massFailure(start, { testNames: new Set([failures[6]!.testName]) }),
    ])
    expect(one).toMatchObject({ classification: 'chronic', unrelatedPullRequests: 7, hits: 8 })
    expect(kinds(one!)).toEqual(['unrelated-pull-requests', 'mass-failures-left-out'])
    const [without] = judgeRows([failures[6]!], [...raceRows, ...evening], of)
    expect(without).toMatchObject({ unrelatedPullRequests: 12, hits: 13 })
  })

  test('without a branch and a repository the same rows are other people’s', () => {
    const nobody = { ...of, repository: '', headRepo: '', headRef: '' }
    const [one] = judgeRows([failures[6]!], raceRows, nobody)
    // Another repository, and the fork that calls its branch master. The first try is a branch of the failure’s own.
    expect(one).toMatchObject({ unrelatedPullRequests: 8, hits: 10, trunkHits: 1 })
  })
})

describe('what is known of the trunk', () => {
  const pass = { commitSha: 'good', time: NOW - 10 * HOUR }
  const [first, second] = [trunkHit('bad-1', NOW - 9 * HOUR), trunkHit('bad-2', NOW - HOUR)]

  test('the first bad commit after the last pass', () => {
    const judged = judgeWith({ failing: [second, first], lastTrunkPass: pass, passes: 9, trunkPasses: 9 })
    expect(judged).toMatchObject({ firstBadTrunkCommit: 'bad-1', lastTrunkPass: pass })
    expect(judged.trunkRate).toEqual({ failed: 2, runs: 11, ...wilsonInterval(2, 11) })
  })

  test.each([
    ['no pass is known', { failing: [second, first], lastTrunkPass: null }],
    ['it passed since', { failing: [second, first], lastTrunkPass: { ...pass, time: NOW } }],
    ['only one commit failed since', { failing: [second, second], lastTrunkPass: pass }],
    [
      'one commit failed since, one before',
      { failing: [second, first], lastTrunkPass: { ...pass, time: NOW - 9 * HOUR } },
    ],
    ['older failures were not read', { failing: [second, first], lastTrunkPass: pass, failingNotRead: 1 }],
  ])('none where %s', (_, changes) => {
    expect(judgeWith(changes).firstBadTrunkCommit).toBeNull()
  })

  test('what was not read does not matter where it is older than the pass', () => {
    const older = hit(1, { time: NOW - DAY })
    const judged = judgeWith({ failing: [second, first, older], lastTrunkPass: pass, failingNotRead: 1 })
    expect(judged.firstBadTrunkCommit).toBe('bad-1')
  })

  test('without passes there is no rate, nor where it never ran on the trunk', () => {
    expect(judgeWith({ failing: [first] }).trunkRate).toBeNull()
    expect(judgeWith({ failing: [hit(1)], passes: 9 }).trunkRate).toBeNull()
    expect(judgeWith({ failing: [first], passes: 9 }).trunkRate).toMatchObject({ failed: 1, runs: 1 })
  })
})

describe('examples', () => {
  test('of different pull requests where there are, newest first, at most 20', () => {
    const many = Array.from({ length: 30 }, (_, index) => hit(1, { time: NOW - index * 1000 }))
    const others = Array.from({ length: 15 }, (_, index) => hit(2 + index, { time: NOW - DAY - index * 1000 }))
    const { examples } = judgeWith({ failing: [...many, ...others] })
    expect(examples.map(({ pullRequestNumber }) => pullRequestNumber)).toEqual([
      ...Array.from({ length: 5 }, () => 1),
      ...others.map(({ pullRequestNumber }) => pullRequestNumber),
    ])
    expect(examples[0]).toEqual({
      pullRequestNumber: 1,
      commitSha: 'commit-1',
      checkName: CHECK,
      time: NOW,
      reportUrl: '',
    })
  })

  test('each commit of the trunk has its place beside the pull requests', () => {
    const many = Array.from({ length: 30 }, (_, index) => hit(1, { time: NOW - index * 1000 }))
    const failing = [...many, trunkHit('a', NOW - DAY), trunkHit('b', NOW - 2 * DAY)]
    const { examples } = judgeWith({ failing })
    expect(examples).toHaveLength(20)
    expect(examples.slice(-2).map(({ commitSha }) => commitSha)).toEqual(['a', 'b'])
  })

  test('commits of the trunk are told apart, and nothing else is shown', () => {
    const failing = [trunkHit('a', NOW - 1000), trunkHit('b', NOW - 2000), hit(1, { signature: NAME_ONLY })]
    expect(judgeWith({ failing }).examples.map(({ commitSha }) => commitSha)).toEqual(['a', 'b'])
    expect(judgeWith({}).examples).toEqual([])
  })
})

test('rows of a history in any order give the same', () => {
  const failing = [hit(3), trunkHit('a', NOW - 9 * DAY), hit(1, { time: NOW - 2 * DAY }), trunkHit('b', NOW - 5 * DAY)]
  expect(judgeWith({ failing })).toEqual(judgeWith({ failing: failing.toReversed() }))
})

test('the end of the lookback may be another than the failure', () => {
  const late = { ...hit(1), time: NOW + DAY }
  const until = () => NOW + 2 * DAY
  const histories = [
    {
      ...historyOf([], { testName: 'a_test', checkName: null, failedIn: [], until: until() }, subject(), 30),
      failing: [late],
    },
  ]
  const [judged] = judgeFailures(input({ failures: [failure()], histories, until }))
  expect(judged).toMatchObject({ hits: 1, lastSeen: NOW + DAY })
})
