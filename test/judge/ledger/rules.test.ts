import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Declaration, lastDeclarations } from '../../../src/judge/ledger/declaration.ts'
import type { FailingExecution, Failure, JudgedFailure, TestHistory } from '../../../src/judge/ledger/failure.ts'
import { infrastructureProblem } from '../../../src/judge/ledger/infrastructure-phrases.ts'
import { judgeFailures, type LedgerInput } from '../../../src/judge/ledger/ledger.ts'
import { redChecksOf } from '../../../src/judge/ledger/red-checks.ts'
import { runsNeeded } from '../../../src/judge/ledger/rules/by-history.ts'
import { signatureOf } from '../../../src/judge/ledger/signature.ts'
import { LEDGER_THRESHOLDS } from '../../../src/judge/ledger/thresholds.ts'
import type { People } from '../../../src/judge/ledger/witness.ts'
import {
  added,
  CHECK,
  DAY,
  failure,
  HOUR,
  history,
  hit,
  input,
  judge,
  judgeWith,
  kinds,
  massFailure,
  NAME_ONLY,
  NAMES,
  NOW,
  output,
  passedBeside,
  stid,
  subject,
  trunkHit,
  trusting,
} from './values.ts'

/** Each rule: what triggers it, what does not, and what it says. */

const classify = (...args: Parameters<typeof judgeWith>) => judgeWith(...args).classification

const sevenPullRequests = [1, 2, 3, 4, 5, 6, 7].map((number) => hit(number))

describe('rollup', () => {
  test('its name is on the list', () => {
    const judged = judgeWith({ failing: sevenPullRequests }, { failures: [failure({ checkName: 'Mergeable Check' })] })
    expect(judged.classification).toBe('rollup')
    expect(judged.reasons[0]).toEqual({ kind: 'sums-up-others' })
  })

  test('the whole name has to fit', () => {
    expect(judge({ failures: [failure({ checkName: 'Mergeable Check 2' })] }).classification).not.toBe('rollup')
    expect(judge({ failures: [failure({ checkName: 'PRs' })] }).classification).not.toBe('rollup')
  })
})

describe('infrastructure', () => {
  const BUILD = 'Build (amd)'
  const job = (text: string, changes: Partial<Failure> = {}) =>
    failure({ testName: '', checkName: BUILD, signature: output(text), ...changes })
  const ofJob = [history({ testName: '', checkName: BUILD, failing: sevenPullRequests })]

  test('a check without a failing test that names the machine', () => {
    const judged = judge({ failures: [job('No space left on device')], histories: ofJob })
    expect(judged.classification).toBe('infrastructure')
    expect(judged.reasons).toEqual([
      { kind: 'no-test-failed', problem: 'disk-full' },
      { kind: 'other-signature', hits: 7, pullRequests: 7 },
    ])
  })

  const NEVER_THE_CODE = ['No space left on device', 'The self-hosted runner lost communication with the server.']
  const MAYBE_THE_CODE = ['Job timed out', 'c++: fatal error: Killed signal terminated program', 'Connection timed out']

  test.each(NEVER_THE_CODE)('%s: whether tests ran or not', (text) => {
    for (const changes of [{}, { testsRan: true }, { testsRan: false }]) {
      expect(judge({ failures: [job(text, changes)], histories: ofJob }).classification).toBe('infrastructure')
    }
  })

  test.each(MAYBE_THE_CODE)('%s: only where no test ran', (text) => {
    const judgeJob = (changes: Partial<Failure>, failing: readonly FailingExecution[]) =>
      judge({ failures: [job(text, changes)], histories: [{ ...ofJob[0]!, failing }] })
    expect(judgeJob({ testsRan: false }, []).classification).toBe('infrastructure')
    for (const changes of [{}, { testsRan: true }]) {
      const judged = judgeJob(changes, [])
      expect(judged.classification).toBe('unknown')
      // It is said all the same.
      expect(judged.reasons).toContainEqual({
        kind: 'no-test-failed',
        problem: infrastructureProblem(text),
      })
      // And what happened elsewhere may still tell.
      const alike = [1, 2, 3].map((number) => hit(number, { signature: output(text) }))
      expect(judgeJob(changes, alike).classification).toBe('chronic')
    }
  })

  test('not a build that does not compile: the other rules, and it is said that no test failed', () => {
    const judged = judge({ failures: [job('ninja: build stopped')], histories: [{ ...ofJob[0]!, failing: [] }] })
    expect(judged.classification).toBe('unknown')
    expect(judged.reasons).toEqual([
      { kind: 'too-few-runs', runs: 0, needed: 59 },
      { kind: 'no-test-failed', problem: null },
    ])
  })

  test('not a test with these words', () => {
    expect(classify({}, { failures: [failure({ signature: output('No space left on device') })] })).toBe('unknown')
  })
})

describe('a check that failed without a test and without a word', () => {
  const LINT = 'Lint'
  const silent = failure({ testName: '', checkName: LINT, signature: NAME_ONLY })
  const judgeLint = (ofHistory: Partial<TestHistory>, changes: Parameters<typeof judge>[0] = {}) =>
    judge({
      failures: [silent],
      histories: [history({ testName: '', checkName: LINT, ...ofHistory })],
      ...changes,
    })
  const red = (...numbers: number[]) =>
    numbers.map((number) => hit(number, { checkName: LINT, signature: output(`reason ${number}`) }))
  const redOnTrunk = (commitSha: string, days: number) =>
    trunkHit(commitSha, NOW - days * DAY, { checkName: LINT, signature: NAME_ONLY })

  test('is not excused by pull requests, however many; the counts are given', () => {
    const judged = judgeLint({ failing: red(1, 2, 3, 4, 5, 6, 7), passes: 500 })
    expect(judged).toMatchObject({ classification: 'unknown', hits: 7, unrelatedPullRequests: 7, runs: 507 })
    expect(judged.reasons).toEqual([{ kind: 'nothing-said', of: 'check', pullRequests: 7 }])
  })

  test('nor by one that failed and passed on the same commit', () => {
    const passesBesideFailures = red(1).map(passedBeside)
    expect(judgeLint({ failing: red(1), passesBesideFailures, passes: 1 }).classification).toBe('unknown')
    // The same with something said is flaky.
    const said = failure({ testName: '', checkName: LINT, signature: output('reason 1') })
    const trusted = { failures: [said], people: trusting(1) }
    expect(judgeLint({ failing: red(1), passesBesideFailures, passes: 1 }, trusted).classification).toBe('flaky')
  })

  test('is chronic by the trunk, on different days', () => {
    const judged = judgeLint({ failing: [...red(1, 2, 3), redOnTrunk('a', 1), redOnTrunk('b', 2)] })
    expect(judged.classification).toBe('chronic')
    expect(kinds(judged)).toEqual(['trunk-hits', 'no-test-failed', 'matched-by-name'])
    const oneDay = [...red(1, 2, 3), redOnTrunk('a', 1), redOnTrunk('b', 1)]
    expect(judgeLint({ failing: oneDay }).classification).toBe('unknown')
  })

  test('is broken on the trunk where that fails now', () => {
    const failing = [redOnTrunk('base', 1)]
    expect(judgeLint({ failing }, { subject: subject({ mergeBase: 'base' }) }).classification).toBe('broken-trunk')
    const two = [trunkHit('a', NOW - HOUR, { checkName: LINT }), trunkHit('b', NOW - 2 * HOUR, { checkName: LINT })]
    const latestTrunk = two.map(({ commitSha, checkName, time }) => ({ commitSha, checkName, time, failed: true }))
    expect(judgeLint({ failing: two, latestTrunk, passes: 1 }).classification).toBe('broken-trunk')
  })

  test('may be part of a mass failure', () => {
    const start = NOW - 20 * 60_000
    const massFailures = [massFailure(start, { checkNames: new Set([LINT]) })]
    const failing = red(1).map((one) => ({ ...one, time: start }))
    expect(judgeLint({ failing }, { massFailures }).classification).toBe('mass-failure')
  })

  test('that never failed elsewhere may be the pull request’s, as any other', () => {
    expect(judgeLint({ passes: 59 }).classification).toBe('pr-suspect')
    expect(judgeLint({ passes: 58 }).reasons).toEqual([
      { kind: 'nothing-said', of: 'check', pullRequests: 0 },
      { kind: 'too-few-runs', runs: 58, needed: 59 },
    ])
    expect(kinds(judgeLint({ passes: 58, failingNotRead: 3 }))).toEqual(['nothing-said', 'more-not-read'])
  })

  test('nor does a test that printed frames alone say anything', () => {
    const frames = signatureOf('a test', 'severity: fail\ncode: ERR_TEST_FAILURE\nduration_ms: 3')
    const mine = { failures: [failure({ testName: '01234_test', signature: frames })] }
    const of = (failing: TestHistory['failing'], changes: Partial<TestHistory> = {}) =>
      judgeWith({ testName: '01234_test', failing, ...changes }, mine)
    const others = [1, 2, 3].map((number) => hit(number, { signature: output('error: connect ECONNREFUSED') }))
    expect(kinds(of(others))).toEqual(['nothing-said', 'too-few-runs', 'other-signature'])
    expect(of(others, { passes: 59 }).classification).toBe('pr-suspect')
    const alike = [1, 2, 3].map((number) => hit(number, { signature: frames }))
    const passesBesideFailures = [passedBeside(alike[0]!)]
    expect(of(alike, { passesBesideFailures }).reasons).toEqual([{ kind: 'nothing-said', of: 'test', pullRequests: 3 }])
    const onTrunk = [1, 2].map((day) => trunkHit(`c${day}`, NOW - day * DAY, { signature: frames }))
    expect(of(onTrunk).classification).toBe('chronic')
  })

  test.each(['Server died', 'Check failed', 'Killed by signal (in clickhouse-server.log)'])(
    '%s: a test whose name says as little',
    (testName) => {
      const mine = failure({ testName, signature: NAME_ONLY })
      const of = { failing: sevenPullRequests, testName }
      const judged = judgeWith(of, { failures: [mine] })
      expect(judged.classification).toBe('unknown')
      expect(judged.reasons).toEqual([{ kind: 'nothing-said', of: 'test', pullRequests: 7 }])
      const days = [1, 2].map((day) => trunkHit(`c${day}`, NOW - day * DAY))
      expect(judgeWith({ ...of, failing: days }, { failures: [mine] }).classification).toBe('chronic')
      // With something said it is a failure like any other.
      expect(judgeWith(of, { failures: [failure({ testName })] }).classification).toBe('chronic')
    },
  )

  test('a test without output is matched by its name as before', () => {
    expect(classify({ failing: sevenPullRequests }, { failures: [failure({ signature: NAME_ONLY })] })).toBe('chronic')
  })

  test('whatever happened in pull requests, it is excused only by the trunk or a mass failure', () => {
    const anyHit = fc
      .record({
        number: fc.integer({ min: 1, max: 9 }),
        hours: fc.integer({ min: 1, max: 700 }),
        signature: fc.constantFrom(NAME_ONLY, output('boom'), stid('2508-38c6')),
      })
      .map(({ number, hours, signature }) => hit(number, { checkName: LINT, time: NOW - hours * HOUR, signature }))
    fc.assert(
      fc.property(fc.array(anyHit, { maxLength: 40 }), fc.nat(200), (failing, passes) => {
        const passesBesideFailures = failing.map(passedBeside)
        const judged = judgeLint({ failing, passes, passesBesideFailures })
        expect(['unknown', 'pr-suspect']).toContain(judged.classification)
        expect(redChecksOf([{ name: LINT, url: null }], [judged], NAMES)[0]!.state).toBe('may-be-yours')
      }),
    )
  })
})

describe('a job that was killed or left no result', () => {
  const CHECK_NAME = 'Integration'
  const of = (text: string, changes: Partial<Failure> = {}) =>
    failure({
      testName: '',
      checkName: CHECK_NAME,
      signature: signatureOf('', text),
      status: 'error',
      testsRan: true,
      ...changes,
    })
  // Between two of its failures the check passed.
  const checks = [{ checkName: CHECK_NAME, passes: 400, runs: 0, trunkClean: [NOW - 2 * DAY] }]
  const judgedWith = (failed: Failure, failing: readonly FailingExecution[] = []) =>
    judge({
      failures: [failed],
      histories: [history({ testName: '', checkName: CHECK_NAME, failing, passes: 400, checks })],
    })

  test.each([
    ['Job killed or terminated, no Result provided', 'no-result'],
    ['Job did not provide Result: job script bug, died CI runner or praktika bug', 'no-result'],
    ['No Result file (bug, or job misbehaviour, must not ever happen)', 'no-result'],
    ['Job execution failed: Pod got deleted unexpectedly.', 'no-result'],
    ['Entrypoint received interrupt: terminated', 'no-result'],
    ['The operation was canceled.', 'no-result'],
    ['Process did not finish before 2h0m0s timeout', 'time-out'],
    ['Process did not exit before 15s grace period', 'time-out'],
    ['', 'no-result'],
    ['The check timed out.', 'no-result'],
  ])('%s: unknown, however often the check passed', (text, problem) => {
    const judged = judgedWith(of(text))
    expect(judged).toMatchObject({ classification: 'unknown', reasons: [{ kind: 'no-test-failed', problem }] })
  })

  test('is no infrastructure either, although no test ran: a change may be why', () => {
    const judged = judgedWith(of('Job killed or terminated, no Result provided', { testsRan: false }))
    expect(judged.classification).toBe('unknown')
  })

  test('others that were killed excuse nothing, the trunk does', () => {
    const text = 'Job killed or terminated, no Result provided'
    const alike = { signature: signatureOf('', text), checkName: CHECK_NAME }
    const inPullRequests = [1, 2, 3, 4].map((number) => hit(number, alike))
    expect(judgedWith(of(text), inPullRequests).reasons[0]).toMatchObject({ kind: 'nothing-said', pullRequests: 4 })
    const onTrunk = [trunkHit('t1', NOW - DAY, alike), trunkHit('t2', NOW - 3 * DAY, alike)]
    const histories = [history({ testName: '', checkName: CHECK_NAME, failing: onTrunk })]
    expect(judge({ failures: [of(text)], histories }).classification).toBe('chronic')
  })

  test('a Go package that failed without a failing test is none either', () => {
    const packageOf = (testName: string) => {
      const failing = [1, 2, 3].map((number) => hit(number, { signature: NAME_ONLY }))
      const histories = [history({ testName, failing })]
      return judge({ failures: [failure({ testName, signature: NAME_ONLY })], histories }).classification
    }
    expect(packageOf('example.com/cart.TestMain')).toBe('unknown')
    expect(packageOf('example.com/cart.TestMainMenu')).toBe('chronic')
  })

  test('a check that failed is judged as ever, and so is a test with these words', () => {
    expect(judgedWith(of('', { status: 'failure' })).classification).toBe('pr-suspect')
    expect(judgedWith(of("error: no member named 'killed' in 'Job'", { status: 'failure' })).classification).toBe(
      'pr-suspect',
    )
    const ofTest = failure({ signature: output('Job killed') })
    expect(judgeWith({ passes: 400 }, { failures: [ofTest] }).classification).toBe('pr-suspect')
  })
})

describe('fallout', () => {
  const crash = failure({ testName: 'Logical error: a (STID: 2508-3e7b)', signature: stid('2508-3e7b') })
  const FLAKY = failure({ testName: '01234_flaky', signature: output('expected N, got N') })
  const SERVER_GONE = [
    'Server died',
    'Cannot start clickhouse-server',
    'Cannot start clickhouse-server (in stderr.log)',
  ]

  /** `hitsOf`: by the name of a test its failing executions elsewhere. */
  const judgeJob = (
    failures: readonly Failure[],
    hitsOf: Readonly<Record<string, readonly FailingExecution[]>> = {},
  ): readonly JudgedFailure[] => {
    const histories = failures.map(({ testName, checkName, time }) =>
      history({
        testName,
        checkName: testName === '' ? checkName : null,
        until: time,
        failing: hitsOf[testName] ?? [],
      }),
    )
    return judgeFailures(input({ failures, histories }))
  }
  const chronicAs = ({ signature }: Failure) => [1, 2, 3].map((number) => hit(number, { signature }))
  const ofName = (name: string, judged: ReturnType<typeof judgeFailures>) =>
    judged.find(({ failure: { testName } }) => testName === name)!

  test('beside a failure of the same job that is none', () => {
    for (const other of [crash, FLAKY]) {
      const judged = ofName('Check failed', judgeJob([failure({ testName: 'Check failed' }), other]))
      expect(judged.classification).toBe('fallout')
      expect(judged.causedBy).toBe(other.testName)
      expect(judged.reasons[0]).toEqual({ kind: 'follows-from', testName: other.testName })
    }
    expect(judgeJob([crash])[0]!.causedBy).toBeNull()
  })

  test.each(SERVER_GONE)('%s: only beside a crash', (testName) => {
    const follower = failure({ testName, signature: output('gone') })
    const judged = judgeJob([FLAKY, follower], { [FLAKY.testName]: chronicAs(FLAKY) })
    expect(ofName(FLAKY.testName, judged).classification).toBe('chronic')
    // It is looked up like any other, and the check is not accounted for.
    expect(ofName(testName, judged)).toMatchObject({ classification: 'unknown', causedBy: null, hits: 0 })
    expect(redChecksOf([{ name: CHECK, url: null }], judged, NAMES)[0]!.state).toBe('may-be-yours')

    const beside = ofName(testName, judgeJob([FLAKY, follower, crash]))
    expect(beside).toMatchObject({ classification: 'fallout', causedBy: crash.testName })
  })

  test('of several causes a crash comes before what is none', () => {
    const follower = failure({ testName: 'Check failed' })
    const judged = judgeJob([follower, FLAKY, crash], { [crash.testName]: chronicAs(crash) })
    expect(ofName(FLAKY.testName, judged).classification).toBe('unknown')
    expect(ofName('Check failed', judged).causedBy).toBe(crash.testName)
  })

  test('of several crashes the one that is excused least decides', () => {
    const hung = failure({ testName: 'Hung check failed, possible deadlock found', signature: output('hung') })
    const follower = failure({ testName: 'Server died' })
    const causeOf = (hitsOf: Parameters<typeof judgeJob>[1]) => {
      const judged = judgeJob([follower, crash, hung], hitsOf)
      const [redCheck] = redChecksOf([{ name: CHECK, url: null }], [ofName('Server died', judged), ...judged], NAMES)
      const one = ofName('Server died', judged)
      expect(one.reasons[0]).toEqual({ kind: 'follows-from', testName: one.causedBy })
      return [one.causedBy, redCheck!.state]
    }
    const chronicHung = { [hung.testName]: chronicAs(hung) }
    const chronicCrash = { [crash.testName]: chronicAs(crash) }
    expect(causeOf(chronicCrash)).toEqual([hung.testName, 'may-be-yours'])
    expect(causeOf(chronicHung)).toEqual([crash.testName, 'may-be-yours'])
    // Of equal ones that with a stack trace.
    expect(causeOf({ ...chronicHung, ...chronicCrash })).toEqual([crash.testName, 'accounted-for'])
    expect(causeOf({})).toEqual([crash.testName, 'may-be-yours'])
  })

  test('a generic one among ordinary tests: the first of those that are excused least', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((testName) => failure({ testName, signature: output(testName) }))
    const follower = failure({ testName: 'Check failed' })
    const causeOf = (hitsOf: Parameters<typeof judgeJob>[1]) =>
      ofName('Check failed', judgeJob([follower, a!, b!, c!], hitsOf)).causedBy
    expect(causeOf({})).toBe('a')
    expect(causeOf({ a: chronicAs(a!) })).toBe('b')
    expect(causeOf({ a: chronicAs(a!), b: chronicAs(b!) })).toBe('c')
    expect(causeOf({ a: chronicAs(a!), b: chronicAs(b!), c: chronicAs(c!) })).toBe('a')
  })

  test('is accounted for only when every failure that it may follow from is', () => {
    const names = ['Hung check', 'Segmentation fault', '01234_flaky', '02345_other', 'Logical error: b']
    const anyJob = fc.record({
      chosen: fc.subarray(names, { minLength: 1 }),
      excused: fc.subarray(names),
      name: fc.constantFrom('Server died', 'Check failed'),
    })
    fc.assert(
      fc.property(anyJob, ({ chosen, excused, name }) => {
        const causes = chosen.map((testName) => failure({ testName, signature: output('gone') }))
        const hitsOf = Object.fromEntries(excused.map((testName) => [testName, chronicAs(causes[0]!)]))
        const judged = judgeJob([failure({ testName: name, signature: output('gone') }), ...causes], hitsOf)
        const crashes = chosen.filter((one) => !/^\d/.test(one))
        const possible = crashes.length > 0 ? crashes : name === 'Check failed' ? chosen : []
        const one = ofName(name, judged)
        expect(one.classification).toBe(possible.length > 0 ? 'fallout' : 'unknown')
        const cause = one.causedBy === null ? undefined : ofName(one.causedBy, judged)
        if (possible.length > 0) expect(possible).toContain(one.causedBy)
        // The whole check is looked at elsewhere; here only what this one failure makes of it.
        const alone = redChecksOf(
          [{ name: CHECK, url: null }],
          [one, ...(cause === undefined ? [] : [cause])],
          NAMES,
        )[0]!.state
        const isExcused = possible.length > 0 && possible.every((testName) => excused.includes(testName))
        expect(alone).toBe(isExcused ? 'accounted-for' : 'may-be-yours')
      }),
    )
  })

  test('under a crash that could not be looked up nothing is known', () => {
    const failures = [failure({ testName: 'Server died' }), crash]
    const judged = judgeFailures(input({ failures, histories: [], problem: 'too-slow' }))
    expect(ofName('Server died', judged)).toMatchObject({ classification: 'fallout', causedBy: crash.testName })
    expect(redChecksOf([{ name: CHECK, url: null }], judged, NAMES)[0]!.state).toBe('not-known')
  })

  test('not alone, nor beside other fallout, another job, another attempt or a job row', () => {
    const follower = failure({ testName: 'Check failed' })
    for (const other of [
      failure({ testName: 'Server died' }),
      failure({ ...crash, checkName: 'Stress test (amd_msan)' }),
      failure({ ...crash, time: NOW - HOUR }),
      failure({ ...crash, commitSha: 'another' }),
      failure({ testName: '' }),
    ]) {
      expect(ofName('Check failed', judgeJob([follower, other])).classification).toBe('unknown')
    }
    expect(judgeJob([follower])[0]!.classification).toBe('unknown')
  })

  describe('of a crash: any other test of its job', () => {
    const MINUTE = 60_000
    const at = (minute: number, changes: Partial<Failure>, job = NOW) =>
      failure({ time: job + minute * MINUTE, inJob: { start: job, first: job + minute * MINUTE }, ...changes })
    const lost = { testName: '00005_t', signature: output('Code: 210. DB::NetException: Connection refused (HOST)') }
    const mute = { testName: '00006_t', signature: NAME_ONLY }
    const chronicCrash = { [crash.testName]: chronicAs(crash) }
    const causeOf = (failures: readonly Failure[], changes: Parameters<typeof input>[0] = {}) => {
      const histories = failures.map(({ testName, time }) =>
        history({ testName, until: time, failing: chronicCrash[testName] ?? [] }),
      )
      const judged = judgeFailures(input({ failures, histories, ...changes }))
      const [state] = redChecksOf([{ name: CHECK, url: null }], judged, NAMES)
      return [judged.find((one) => one.failure === failures[0])!.causedBy, state!.state]
    }
    const FOLLOWS = [crash.testName, 'accounted-for']
    const OWN = [null, 'may-be-yours']

    test.each([
      ['Code: 210. DB::NetException: Connection refused (HOST). (NETWORK_ERROR)'],
      ['Reason: return code: 210\nCode: 210. DB::NetException: Connection reset by peer'],
      ['Reason: having stderror:\nCode: 32. DB::Exception: Attempt to read after eof'],
      ['Reason: server died'],
      ['Error: connect ECONNREFUSED HOST'],
      ['psycopg2.OperationalError: server closed the connection unexpectedly'],
      ['Error: socket hang up'],
      ['MySQL server has gone away'],
    ])('that says that the server is lost follows: %s', (text) => {
      expect(causeOf([failure({ ...lost, signature: output(text) }), crash])).toEqual(FOLLOWS)
      // Without a crash it is judged by itself.
      expect(causeOf([failure({ ...lost, signature: output(text) }), FLAKY])).toEqual(OWN)
    })

    test.each([
      ['Reason: result differs with reference:\n-1\n+Connection refused'],
      ['Code: 210. Connection refused (HOST)\nAssertionError: assert N == N'],
      ['AssertionError: expected "Connection refused" to equal "Connection reset"'],
      ['expected OK but was Connection refused'],
      ['Reason: return code: 210'],
      ['Timeout!'],
    ])('that says anything else does not: %s', (text) => {
      expect(causeOf([failure({ ...lost, signature: output(text) }), crash])).toEqual(OWN)
      expect(causeOf([at(20, { ...lost, signature: output(text) }), at(10, crash)])).toEqual(OWN)
    })

    test('that began before the crash does not, whatever it says', () => {
      expect(causeOf([at(9, lost), at(10, crash)])).toEqual(OWN)
      expect(causeOf([at(10, lost), at(10, crash)])).toEqual(FOLLOWS)
      // Its last try was later, its first was not.
      expect(causeOf([{ ...at(11, lost), inJob: { start: NOW, first: NOW + MINUTE } }, at(10, crash)])).toEqual(OWN)
    })

    test('of one whose own time is not known what it says is enough', () => {
      const withoutTime = at(0, lost)
      expect(causeOf([withoutTime, at(10, crash)])).toEqual(FOLLOWS)
      expect(causeOf([at(10, lost), at(0, crash)])).toEqual(FOLLOWS)
    })

    test('that says nothing follows only where it is known to have begun later', () => {
      expect(causeOf([at(11, mute), at(10, crash)])).toEqual(FOLLOWS)
      expect(causeOf([at(11, { ...mute, signature: { kind: 'frames', text: 'x' } }), at(10, crash)])).toEqual(FOLLOWS)
      expect(causeOf([at(9, mute), at(10, crash)])).toEqual(OWN)
      expect(causeOf([at(10, mute), at(10, crash)])).toEqual(OWN)
      expect(causeOf([at(0, mute), at(10, crash)])).toEqual(OWN)
      expect(causeOf([at(11, mute), at(0, crash)])).toEqual(OWN)
      expect(causeOf([failure(mute), crash])).toEqual(OWN)
    })

    test('a test that crashed takes a silent one along only where the server is known to be gone', () => {
      const ofTest = { testName: 'Cart.Adds', signature: output('Segmentation fault') }
      const judged = (others: readonly Failure[]) => causeOf([at(11, mute), at(10, ofTest), ...others])[0]
      expect(judged([])).toBeNull()
      expect(judged([at(12, { testName: 'Server died', signature: NAME_ONLY })])).toBe('Cart.Adds')
      expect(judged([at(12, lost)])).toBe('Cart.Adds')
    })

    test('a crash of another job takes nothing along, and no crash follows from another', () => {
      expect(causeOf([failure(lost), failure({ ...crash, checkName: 'Stress test (amd_msan)' })])).toEqual(OWN)
      expect(causeOf([at(70, lost, NOW), at(10, crash, NOW - 60 * MINUTE)])).toEqual(OWN)
      const second = { testName: 'Logical error: b', signature: output('Connection refused') }
      expect(causeOf([failure(second), crash])).toEqual(OWN)
      expect(causeOf([failure({ ...lost, testName: '' }), crash])[0]).toBeNull()
    })

    test('a test that the pull request changes is asked for itself', () => {
      const changedFiles = [added('tests/queries/0_stateless/00005_t.sql')]
      expect(causeOf([failure(lost), crash], { changedFiles })).toEqual(OWN)
    })

    test('beside a crash that nobody else has it is not excused', () => {
      const other = failure({ testName: 'Logical error: new (STID: 1111-aaaa)', signature: stid('1111-aaaa') })
      expect(causeOf([failure(lost), crash, other])).toEqual([other.testName, 'may-be-yours'])
    })
  })

  test('a check without a failing test is nobody’s fallout, whatever the patterns', () => {
    const failures = [failure({ testName: '' }), crash]
    const names = { rollupChecks: [], falloutTests: ['*'] }
    const histories = [history({ testName: '', checkName: CHECK }), history({ testName: crash.testName })]
    const judged = judgeFailures(input({ failures, histories, names }))
    expect(judged.map(({ classification }) => classification)).toEqual(['unknown', 'unknown'])
  })
})

describe('pr-suspect: the pull request changes the test', () => {
  const failures = [failure({ testName: '03999_my_new_test' })]
  const histories = [history({ testName: '03999_my_new_test', failing: sevenPullRequests })]
  const path = 'tests/queries/0_stateless/03999_my_new_test.sql'

  test('it is asked before the history', () => {
    const judged = judge({ failures, histories, changedFiles: [added(path)] })
    expect(judged.classification).toBe('pr-suspect')
    expect(judged.reasons).toEqual([{ kind: 'test-changed', path, added: true }])
    expect(judged.unrelatedPullRequests).toBe(7)
  })

  test('edited is not added', () => {
    const judged = judge({ failures, histories, changedFiles: [{ path, status: 'modified' }] })
    expect(judged.reasons[0]).toEqual({ kind: 'test-changed', path, added: false })
  })

  test('not when the file is removed, another one, or nobody knows', () => {
    for (const changedFiles of [[{ path, status: 'removed' as const }], [added('src/a.cpp')], [], null]) {
      expect(judge({ failures, histories, changedFiles }).classification).toBe('chronic')
    }
  })
})

describe('mass-failure', () => {
  // NOW is 12:20.
  const mass = massFailure(NOW - 20 * 60_000)

  test('the same test failed elsewhere in that hour', () => {
    const judged = judgeWith({ failing: [hit(1, { time: mass.start })] }, { massFailures: [mass] })
    expect(judged.classification).toBe('mass-failure')
    expect(judged.reasons).toEqual([
      { kind: 'in-mass-failure', tests: 300, pullRequests: 40, start: mass.start, hours: 1 },
      { kind: 'mass-failures-left-out', hits: 1, hours: 1 },
    ])
    expect(judged.hits).toBe(0)
    expect(judged.runs).toBe(1)
  })

  test('of two hours the larger', () => {
    const other = massFailure(mass.start - HOUR / 2, { tests: 400 })
    const judged = judgeWith({ failing: [hit(1, { time: mass.start })] }, { massFailures: [mass, other] })
    expect(judged.reasons[0]).toMatchObject({ kind: 'in-mass-failure', tests: 400 })
  })

  test('not where it failed otherwise there', () => {
    const failing = [1, 2, 3].map((number) => hit(number, { time: mass.start, signature: output('other') }))
    expect(judgeWith({ failing }, { massFailures: [mass] })).toMatchObject({ classification: 'unknown', hits: 0 })
    expect(judgeWith({ failing, passes: 500 }, { massFailures: [mass] }).classification).toBe('pr-suspect')
    const alike = hit(4, { time: mass.start })
    expect(classify({ failing: [...failing, alike] }, { massFailures: [mass] })).toBe('mass-failure')
  })

  test('not a test that failed only here', () => {
    expect(classify({ passes: 500 }, { massFailures: [mass] })).toBe('pr-suspect')
    expect(classify({ failing: [hit(1000, { time: mass.start })] }, { massFailures: [mass] })).toBe('unknown')
  })

  test('not before or after that hour', () => {
    const before = { ...mass, start: NOW - HOUR }
    const failing = [hit(1, { time: NOW - 30 * 60_000 })]
    expect(classify({ failing }, { massFailures: [before] })).toBe('unknown')
    expect(classify({ failing }, { massFailures: [{ ...mass, start: NOW + 1 }] })).toBe('unknown')
  })

  test('its rows are no hits elsewhere', () => {
    const yesterday = massFailure(NOW - DAY)
    const failing = [1, 2, 3, 4].map((number) => hit(number, { time: yesterday.start + number }))
    const judged = judgeWith({ failing: [hit(5), ...failing] }, { massFailures: [yesterday] })
    expect(judged).toMatchObject({ classification: 'unknown', hits: 1, unrelatedPullRequests: 1, runs: 5 })
    expect(judged.reasons).toEqual([
      { kind: 'too-few-hits', pullRequests: 1, trunkHits: 0 },
      { kind: 'mass-failures-left-out', hits: 4, hours: 1 },
    ])
  })
})

describe('broken-trunk', () => {
  const [older, latest] = [trunkHit('older', NOW - 5 * HOUR), trunkHit('latest', NOW - 2 * HOUR)]
  const run = ({ commitSha, checkName, time }: typeof older, failed = true) => ({ commitSha, checkName, time, failed })
  const broken = { failing: [latest, older], latestTrunk: [run(latest), run(older)], passes: 1 }

  test('the latest two trunk runs of the check failed', () => {
    const judged = judgeWith(broken)
    expect(judged.classification).toBe('broken-trunk')
    expect(judged.reasons[0]).toEqual({ kind: 'latest-trunk-runs-failed', commits: ['latest', 'older'] })
  })

  test('whatever came before', () => {
    const passed = run(trunkHit('oldest', NOW - DAY), false)
    expect(classify({ ...broken, latestTrunk: [...broken.latestTrunk, passed] })).toBe('broken-trunk')
  })

  test.each([
    ['the latest passed', { latestTrunk: [run(trunkHit('new', NOW - HOUR), false), run(latest), run(older)] }],
    ['the one before passed', { latestTrunk: [run(latest), run(trunkHit('o', NOW - 3 * HOUR), false), run(older)] }],
    ['there is only one', { failing: [latest], latestTrunk: [run(latest)] }],
    ['one commit ran twice', { failing: [latest, latest], latestTrunk: [run(latest), run(latest)] }],
    ['one commit passed when tried again', { latestTrunk: [run(latest), run(latest, false), run(older)] }],
    ['one commit failed when tried again', { latestTrunk: [run(latest, false), run(latest), run(older)] }],
    ['another signature', { failing: [latest, { ...older, signature: output('other') }] }],
    ['another check', { latestTrunk: broken.latestTrunk.map((one) => ({ ...one, checkName: 'Stress test (amd)' })) }],
    [
      'no pass of that name is known, and it did not appear in a job in between',
      { passes: 0, latestTrunk: [run(latest), run(trunkHit('o', NOW - 3 * HOUR), false), run(older)] },
    ],
  ])('not when %s', (_, changes) => {
    expect(classify({ ...broken, ...changes })).toBe('unknown')
  })

  test('a name that exists only when it fails, where the runs of its check are known', () => {
    const onlyFailures = { ...broken, passes: 0 }
    expect(classify(onlyFailures)).toBe('broken-trunk')
    const before = run(trunkHit('before', NOW - DAY), false)
    expect(classify({ ...onlyFailures, latestTrunk: [...broken.latestTrunk, before] })).toBe('broken-trunk')
  })

  test('nor where a run without it stands between', () => {
    const between = run(trunkHit('between', NOW - 90 * 60_000), false)
    const latestTrunk = [latest, older].map((hit) => run(hit))
    expect(classify({ ...broken, passes: 0, latestTrunk })).toBe('broken-trunk')
    const after = { ...between, time: Math.max(...latestTrunk.map(({ time }) => time)) - 1 }
    expect(classify({ ...broken, passes: 0, latestTrunk: [...latestTrunk, after] })).not.toBe('broken-trunk')
  })

  test('neither the commit itself nor what came after it counts', () => {
    const of = subject({ pullRequestNumber: 0, commitSha: 'latest' })
    expect(classify(broken, { subject: of })).toBe('unknown')
    const oldest = trunkHit('oldest', NOW - 8 * HOUR)
    const three = { ...broken, failing: [latest, older, oldest], latestTrunk: [run(latest), run(older), run(oldest)] }
    expect(judgeWith(three, { subject: of }).reasons[0]).toMatchObject({ commits: ['older', 'oldest'] })
    const later = run(trunkHit('later', NOW + 1000), false)
    expect(classify({ ...broken, latestTrunk: [later, ...broken.latestTrunk] })).toBe('broken-trunk')
  })

  test('a run in a mass failure is passed over', () => {
    const accident = trunkHit('accident', NOW - 3 * HOUR)
    const massFailures = [massFailure(NOW - 3 * HOUR)]
    const latestTrunk = [run(latest), run(accident), run(older)]
    const judged = judgeWith({ ...broken, failing: [latest, accident, older], latestTrunk }, { massFailures })
    expect(judged.reasons[0]).toEqual({ kind: 'latest-trunk-runs-failed', commits: ['latest', 'older'] })
    expect(
      classify({ ...broken, failing: [accident, older], latestTrunk: [run(accident), run(older)] }, { massFailures }),
    ).toBe('unknown')
  })

  test('it failed at the merge base, in whatever check', () => {
    const of = { subject: subject({ mergeBase: 'base' }) }
    const there = trunkHit('base', NOW - DAY, { checkName: 'Stress test (amd)' })
    const judged = judgeWith({ failing: [there] }, of)
    expect(judged.classification).toBe('broken-trunk')
    expect(judged.reasons[0]).toEqual({ kind: 'failed-at-merge-base', commitSha: 'base' })
  })

  test('not when the merge base failed otherwise, is not known, or is another pull request’s commit', () => {
    const of = { subject: subject({ mergeBase: 'base' }) }
    const there = trunkHit('base', NOW - DAY)
    expect(classify({ failing: [{ ...there, signature: output('other') }] }, of)).toBe('unknown')
    expect(classify({ failing: [there] })).toBe('unknown')
    expect(classify({ failing: [{ ...there, commitSha: '' }] }, { subject: subject({ mergeBase: '' }) })).toBe(
      'unknown',
    )
    expect(classify({ failing: [hit(1, { commitSha: 'base' })] }, of)).toBe('unknown')
  })

  test('not when it passed at the merge base when it was tried again, in the same check', () => {
    const of = { subject: subject({ mergeBase: 'base' }) }
    const there = trunkHit('base', NOW - DAY)
    const passed = (checkName: string, commitSha = 'base', pullRequestNumber = 0) => [
      { ...passedBeside(there), commitSha, checkName, pullRequestNumber },
    ]
    const with_ = (passesBesideFailures: TestHistory['passesBesideFailures']) =>
      classify({ failing: [there], passesBesideFailures, passes: 1 }, of)
    expect(with_(passed(there.checkName))).toBe('flaky')
    expect(with_(passed('Stress test (amd)'))).toBe('broken-trunk')
    expect(with_(passed(there.checkName, 'another'))).toBe('broken-trunk')
    // A pull request may have the commit as its head, and its own job.
    expect(with_(passed(there.checkName, 'base', 7))).toBe('broken-trunk')
    const elsewhere = trunkHit('base', NOW - DAY, { checkName: 'Stress test (amd)' })
    const failing = [there, elsewhere]
    expect(classify({ failing, passesBesideFailures: passed(there.checkName), passes: 1 }, of)).toBe('broken-trunk')
  })

  test('is asked before chronic', () => {
    expect(classify({ ...broken, failing: [...sevenPullRequests, latest, older] })).toBe('broken-trunk')
  })
})

describe('chronic', () => {
  test('three unrelated pull requests, not two', () => {
    const judged = judgeWith({ failing: [hit(1), hit(2), hit(3)] })
    expect(judged.classification).toBe('chronic')
    expect(judged.reasons).toEqual([{ kind: 'unrelated-pull-requests', pullRequests: 3, needed: 3 }])
    expect(classify({ failing: [hit(1), ...Array.from({ length: 40 }, () => hit(2))] })).toBe('unknown')
  })

  test('two hits on the trunk on different days in UTC, not five on one', () => {
    const midnight = Date.UTC(2026, 5, 23)
    const judged = judgeWith({ failing: [trunkHit('b', midnight), trunkHit('a', midnight - 1000)] })
    expect(judged.classification).toBe('chronic')
    expect(judged.reasons).toEqual([{ kind: 'trunk-hits', hits: 2, days: 2, needed: 2 }])
    const oneDay = [0, 1, 2, 3, 23].map((hour) => trunkHit(`c${hour}`, midnight + hour * HOUR))
    expect(classify({ failing: oneDay })).toBe('unknown')
  })

  test('both are said', () => {
    const failing = [hit(1), hit(2), hit(3), trunkHit('a', NOW - DAY), trunkHit('b', NOW - 2 * DAY)]
    expect(kinds(judgeWith({ failing }))).toEqual(['unrelated-pull-requests', 'trunk-hits'])
  })

  test('as configured', () => {
    const thresholds = { ...LEDGER_THRESHOLDS, chronicPullRequests: 2, chronicTrunkDays: 1 }
    expect(classify({ failing: [hit(1), hit(2)] }, { thresholds })).toBe('chronic')
    expect(classify({ failing: [trunkHit('a', NOW - DAY)] }, { thresholds })).toBe('chronic')
  })

  test.each([
    [
      'numbers of one branch',
      [1, 2, 3].map((number) => hit(number, { headRef: 'same', headRepo: 'somebody/ClickHouse' })),
    ],
    ['backports', [1, 2, 3].map((number) => hit(number, { baseRef: '26.3' }))],
    ['release branches', [1, 2, 3].map((day) => trunkHit(`c${day}`, NOW - day * DAY, { headRef: '26.3' }))],
    [
      'commits of one pull request',
      [1, 2, 3].map((commit) => hit(1, { commitSha: `c${commit}`, time: NOW - commit * DAY })),
    ],
    ['checks of one pull request', [1, 2, 3].map((check) => hit(1, { checkName: `Stress ${check}` }))],
  ])('not by %s', (_, failing) => {
    const judged = judgeWith({ failing })
    expect(judged).toMatchObject({ classification: 'unknown', hits: 3, trunkHits: 0 })
    expect(kinds(judged)).toEqual(['too-few-hits'])
  })
})

describe('chronic: declared by a person', () => {
  const by = {
    reason: 'a port',
    until: NOW + DAY,
    via: 'command',
    actor: 'maria',
    actorId: 7,
    saidAt: NOW - DAY,
  } as const
  const subjectOf = (signature: string, testName = 'a_test') => ({
    pullRequestNumber: 4,
    failures: [{ testName, checkName: CHECK, signature, issue: { number: 12, url: 'https://x/issues/12' } }],
  })
  const declared = (signature = 'boom', more = {}): Declaration => ({
    kind: 'chronic',
    subject: subjectOf(signature),
    ...by,
    ...more,
  })
  const withdrawn: Declaration = { ...by, kind: 'unchronic', subject: subjectOf('boom'), until: null }
  const judgeDeclared = (declarations: readonly Declaration[], changes: Partial<LedgerInput> = {}) =>
    judge({ declarations: lastDeclarations(declarations), ...changes })

  test('with who, why, until when and the issue, whatever the history says of it', () => {
    const reason = { kind: 'declared-chronic', by, issue: { number: 12, url: 'https://x/issues/12' } }
    const runs = { passes: 400, trunkPasses: 0 }
    expect(judgeWith(runs).classification).toBe('pr-suspect')
    const judged = judgeDeclared([declared()], { histories: [history(runs)] })
    expect(judged).toMatchObject({ classification: 'chronic', reasons: [reason], hits: 0, runs: 400 })
    expect(redChecksOf([{ name: CHECK, url: null }], [judged], NAMES)[0]!.state).toBe('accounted-for')
    const also = judgeDeclared([declared()], { histories: [history({ failing: [hit(1), hit(2), hit(3)] })] })
    expect(kinds(also)).toEqual(['declared-chronic', 'unrelated-pull-requests'])
  })

  test('also by the signature of the rule before, until it ends', () => {
    const before = { formerSignature: output('FAILED: boom') }
    const judgeBefore = (until: number) =>
      judgeDeclared([declared('FAILED: boom', { until })], { failures: [failure(before)] })
    expect(judgeBefore(NOW + DAY).classification).toBe('chronic')
    expect(kinds(judgeBefore(NOW - DAY))).toContain('declaration-expired')
    expect(judgeDeclared([declared('FAILED: boom')]).classification).toBe('unknown')
  })

  test('also where the history can not be asked', () => {
    const judged = judgeDeclared([declared()], { problem: 'unreachable' })
    expect(judged.classification).toBe('chronic')
    expect(kinds(judged)).toEqual(['declared-chronic', 'lookup-failed'])
  })

  test('not for another output, another test, nor where the pull request changes the test', () => {
    expect(judgeDeclared([declared('another')]).classification).toBe('unknown')
    expect(judgeDeclared([declared()], { failures: [failure({ testName: 'b_test' })] }).classification).toBe('unknown')
    expect(judgeDeclared([declared('')]).classification).toBe('unknown')
    const [name, failures] = ['03999_my_new_test', [failure({ testName: '03999_my_new_test' })]]
    const declarations = [declared('boom', { subject: subjectOf('boom', name) })]
    expect(judgeDeclared(declarations, { failures }).classification).toBe('chronic')
    const changedFiles = [added(`tests/queries/0_stateless/${name}.sql`)]
    expect(judgeDeclared(declarations, { failures, changedFiles }).classification).toBe('pr-suspect')
  })

  test('to the last millisecond; after it nothing is excused, and that is said until somebody takes it back', () => {
    expect(judgeDeclared([declared()], { judgedAt: NOW + DAY }).classification).toBe('chronic')
    const over = judgeDeclared([declared()], { judgedAt: NOW + DAY + 1 })
    expect(over.classification).toBe('unknown')
    expect(kinds(over)).toEqual(['too-few-runs', 'declaration-expired'])
    expect(kinds(judgeDeclared([declared(), withdrawn], { judgedAt: NOW + DAY + 1 }))).toEqual(['too-few-runs'])
  })

  test('the last word counts', () => {
    expect(judgeDeclared([declared(), withdrawn]).classification).toBe('unknown')
    expect(judgeDeclared([withdrawn, declared()]).classification).toBe('chronic')
  })
})

describe('flaky', () => {
  const beside = [passedBeside(hit(1))]
  const people = trusting(1, 2)

  test('failed and passed on one commit in two jobs of one check elsewhere', () => {
    const judged = judgeWith({ failing: [hit(1)], passesBesideFailures: beside, passes: 1 }, { people })
    expect(judged.classification).toBe('flaky')
    expect(judged.reasons).toEqual([{ kind: 'passed-on-same-commit', commits: 1, example: 'commit-1' }])
  })

  test('a commit of the trunk that is judged is its own witness, a pull request is not', () => {
    const both = { passedOnCommit: true, commitSha: 'judged' }
    const onTrunk = failure({ ...both, pullRequestNumber: 0, headRef: 'master', headRepo: '' })
    const bySha = { failures: [onTrunk], subject: subject({ pullRequestNumber: 0, commitSha: 'judged' }) }
    expect(judgeWith({}, bySha)).toMatchObject({
      classification: 'flaky',
      reasons: [{ kind: 'passed-on-same-commit', commits: 1, example: 'judged' }],
    })
    expect(judgeWith({}, { failures: [failure(both)] }).classification).toBe('unknown')
  })

  test('looked up by its test alone, the pull request of the failure is no witness either', () => {
    const mine = hit(1, { commitSha: 'commit-1' })
    const nobody = subject({ pullRequestNumber: 0, commitSha: '', headRepo: '', headRef: '' })
    const of = { pullRequestNumber: 1, commitSha: 'commit-1', headRepo: mine.headRepo, headRef: mine.headRef }
    const failures = [failure(of)]
    const history = { failing: [mine], passesBesideFailures: beside, passes: 1 }
    expect(judgeWith(history, { failures, subject: nobody, people }).classification).toBe('unknown')
    const another = [failure({ ...of, pullRequestNumber: 2, commitSha: 'commit-2', headRef: 'branch-2' })]
    expect(judgeWith(history, { failures: another, subject: nobody, people }).classification).toBe('flaky')
  })

  test('commits are counted once, the newest is the example', () => {
    const failing = [hit(1, { time: NOW - 2 * HOUR }), hit(2), hit(2)]
    const passesBesideFailures = failing.map(passedBeside)
    expect(judgeWith({ failing, passesBesideFailures }, { people }).reasons[0]).toEqual({
      kind: 'passed-on-same-commit',
      commits: 2,
      example: 'commit-2',
    })
  })

  test.each([
    ['it passed in another check', [{ ...beside[0]!, checkName: 'Stress test (amd)' }], [hit(1)]],
    ['it passed on another commit', [{ ...beside[0]!, commitSha: 'commit-2' }], [hit(1)]],
    ['it passed in another pull request', [{ ...beside[0]!, pullRequestNumber: 2 }], [hit(1)]],
    ['its author is not trusted', [passedBeside(hit(3))], [hit(3)]],
    ['it failed otherwise there', beside, [hit(1, { signature: output('other') })]],
    ['it is its own commit', beside, [hit(1000, { commitSha: 'commit-1' })]],
  ])('not when %s', (_, passesBesideFailures, failing) => {
    expect(classify({ failing, passesBesideFailures }, { people })).toBe('unknown')
  })

  test('that it passed here on a retry is said and excuses nothing', () => {
    const judged = judgeWith({ passes: 500 }, { failures: [failure({ passedOnRetry: true })] })
    expect(judged.classification).toBe('pr-suspect')
    expect(kinds(judged)).toEqual(['never-elsewhere', 'passed-on-retry'])
  })
})

describe('the same stack under another text', () => {
  const crash = failure({ testName: "'Bucket 58 is lost' (STID: 2508-468c)", signature: stid('2508-468c') })
  const elsewhere = [1, 2, 3].map((number) => hit(number, { signature: stid('2508-468c') }))
  const RAN = [{ checkName: CHECK, passes: 0, runs: 400, trunkClean: [] }]
  const of = (changes: Partial<TestHistory>) =>
    judge({ failures: [crash], histories: [history({ testName: crash.testName, checks: RAN, ...changes })] })

  test('is neither chronic nor a failure that comes nowhere else', () => {
    expect(of({}).classification).toBe('pr-suspect')
    const judged = of({ sameStack: elsewhere })
    expect([judged.classification, judged.hits]).toEqual(['unknown', 0])
    expect(judged.reasons).toEqual([{ kind: 'same-stack', hits: 3, pullRequests: 3 }])
  })

  test('is said beside what the hits say', () => {
    const judged = of({ failing: elsewhere, sameStack: elsewhere.slice(0, 1) })
    expect([judged.classification, ...kinds(judged)]).toEqual(['chronic', 'unrelated-pull-requests', 'same-stack'])
  })

  test('counts nothing of its own pull request, of mass failures and from before the lookback', () => {
    const own = hit(1000, { signature: stid('2508-468c') })
    const old = hit(1, { time: NOW - 61 * DAY })
    expect(of({ sameStack: [own, old] }).classification).toBe('pr-suspect')
    const inMass = judge({
      failures: [crash],
      histories: [history({ testName: crash.testName, checks: RAN, sameStack: elsewhere })],
      massFailures: [massFailure(NOW - 1.5 * HOUR, { testNames: new Set(["'Bucket N is lost' (STID: 2508-468c)"]) })],
    })
    expect(inMass.classification).toBe('pr-suspect')
  })
})

describe('values that vary', () => {
  const wrong = (value: number) => output(`expected: 3, got: ${value}`)
  const mine = { failures: [failure({ signature: wrong(7) })] }
  const others = [1, 2, 3].map((number) => hit(number, { signature: wrong(number + 20) }))

  test('a third value of the same comparison shows that the value is chance', () => {
    expect(judgeWith({ failing: others }, mine)).toMatchObject({ classification: 'chronic', hits: 3 })
  })

  test('the same other value in forty pull requests is another wrong result', () => {
    const failing = Array.from({ length: 40 }, (_, index) => hit(index + 1, { signature: wrong(4) }))
    expect(judgeWith({ failing }, mine)).toMatchObject({ classification: 'unknown', hits: 0 })
  })

  test('in gating a stranger shows nothing by made-up values', () => {
    const people = { ...trusting(1, 2), mode: 'gating' as const }
    expect(judgeWith({ failing: others }, { ...mine, people })).toMatchObject({ hits: 2 })
    const strangers = { ...trusting(1), mode: 'gating' as const }
    expect(judgeWith({ failing: others }, { ...mine, people: strangers })).toMatchObject({ hits: 0 })
  })
})

test('a unit test that says of itself that an assertion failed is no crash of a server', () => {
  const unit = failure({ testName: 'math adds', signature: output('Assertion failed: sum is off') })
  const refused = failure({ testName: 'api starts', signature: output('Error: connect ECONNREFUSED HOST') })
  const histories = [unit, refused].map(({ testName }) => history({ testName, passes: 90 }))
  const classes = (failures: readonly Failure[]) =>
    new Map(judgeFailures(input({ failures, histories })).map((one) => [one.failure.testName, one.classification]))
  expect(classes([unit, refused]).get('api starts')).toBe('pr-suspect')
  const crash = { ...unit, signature: stid('2508-38c6') }
  expect(classes([crash, refused]).get('api starts')).toBe('fallout')
})

describe('another matter here', () => {
  const checks = (...names: readonly string[]) =>
    names.map((checkName, index) => ({ checkName, passes: index === 0 ? 210 : 100, runs: 0, trunkClean: [] }))
  const SIX = [1, 2, 3, 4, 5, 6].map((shard) => `tests (py3.${shard})`)
  const tenHits = Array.from({ length: 10 }, (_, index) =>
    hit(index + 1, { checkName: SIX[index % 6]!, time: NOW - (index + 1) * DAY }),
  )
  const here = (count: number, changes: Partial<Failure> = {}) =>
    SIX.slice(0, count).map((checkName) => failure({ checkName, ...changes }))
  const judgeHere = (failures: readonly Failure[], changes: Partial<TestHistory> = {}) =>
    judgeFailures(
      input({
        failures,
        histories: [history({ failing: tenHits, passes: 710, checks: checks(...SIX), ...changes })],
      }),
    )

  test('6 of 6 checks here, 10 of 720 executions elsewhere', () => {
    for (const judged of judgeHere(here(6))) {
      expect(judged.classification).toBe('unknown')
      expect(judged.reasons).toEqual([
        { kind: 'fails-more-here', failed: 6, checks: 6, hits: 10, runs: 720, chance: expect.closeTo(5.2e-10, 11) },
      ])
    }
  })

  test('where no passes are known nobody can weigh', () => {
    expect(judgeHere(here(6), { passes: 0 })[0]!.classification).toBe('chronic')
  })

  test('as often elsewhere, or in two checks alone, it is chronic', () => {
    const seldom = checks(...SIX).map((check) => ({ ...check, passes: 1 }))
    expect(judgeHere(here(6), { passes: 6, checks: seldom })[0]!.classification).toBe('chronic')
    expect(judgeHere(here(2))[0]!.classification).toBe('chronic')
  })

  test('the checks in which it passed here count, and so does one that it failed in and passed', () => {
    expect(judgeHere(here(2, { passedInChecks: 4 }))[0]!.classification).toBe('chronic')
    expect(judgeHere(here(2, { passedInChecks: 1 }))[0]!.classification).toBe('chronic')
    expect(judgeHere(here(3, { passedInChecks: 1 }))[0]!.reasons[0]).toMatchObject({ failed: 3, checks: 4 })
    const [first, ...rest] = here(3)
    const tried = { ...first!, passedOnCommit: true }
    expect(judgeHere([tried, ...rest])[0]!.classification).toBe('chronic')
  })

  test('two checks are too few, however rare it is elsewhere', () => {
    const rare = checks(...SIX).map((check) => ({ ...check, passes: 20_000 }))
    const failing = tenHits.slice(0, 3)
    expect(judgeHere(here(2), { failing, passes: 120_000, checks: rare })[0]!.classification).toBe('chronic')
    expect(judgeHere(here(3), { failing, passes: 120_000, checks: rare })[0]!.classification).toBe('unknown')
  })

  test('an outage is one cause: checks that began when two others failed alike are left out', () => {
    const others = [21, 22].map((number) => hit(number, { checkName: SIX[0]!, time: NOW - 19 * 60_000 }))
    expect(judgeHere(here(6), { failing: [...tenHits, ...others] })[0]!.classification).toBe('chronic')
    expect(judgeHere(here(6), { failing: [...tenHits, others[0]!] })[0]!.classification).toBe('unknown')
    const trunk = trunkHit('t', NOW - 5 * 60_000, { checkName: SIX[0]! })
    expect(judgeHere(here(6), { failing: [...tenHits, others[0]!, trunk] })[0]!.classification).toBe('chronic')
    const earlier = others.map((one) => ({ ...one, time: NOW - 21 * 60_000 }))
    expect(judgeHere(here(6), { failing: [...tenHits, ...earlier] })[0]!.classification).toBe('unknown')
  })

  test('it never takes away what a person declared, the broken trunk or a mass failure', () => {
    const base = trunkHit('base', NOW - DAY, { checkName: SIX[0]! })
    const [judged] = judgeFailures(
      input({
        failures: here(6),
        histories: [history({ failing: [...tenHits, base], passes: 710, checks: checks(...SIX) })],
        subject: subject({ mergeBase: 'base' }),
      }),
    )
    expect(judged!.classification).toBe('broken-trunk')
  })

  const WINDOWS = 'tests (windows)'
  const onWindows = [1, 2, 3, 4].map((number) => hit(number, { checkName: WINDOWS }))
  const onLinux = (passes: number, changes: Partial<TestHistory> = {}, onWindowsToo = 8) =>
    judge({
      failures: [failure({ checkName: 'tests (linux, 1/3)' })],
      histories: [
        history({
          failing: onWindows,
          passes: passes + 8,
          checks: [
            { checkName: 'tests (linux, 2/3)', passes, runs: 0, trunkClean: [] },
            { checkName: WINDOWS, passes: onWindowsToo, runs: 0, trunkClean: [] },
          ],
          ...changes,
        }),
      ],
    })

  test('a failure of other configurations alone excuses only where this one ran too seldom to tell', () => {
    const seldom = onLinux(58)
    expect(seldom.classification).toBe('chronic')
    expect(seldom.reasons[1]).toEqual({ kind: 'in-other-check', checkName: WINDOWS })
    const often = onLinux(59)
    expect(often.classification).toBe('pr-suspect')
    expect(often.reasons).toEqual([{ kind: 'only-in-other-checks', checkName: WINDOWS, runs: 59 }])
  })

  test('where it is rare elsewhere, as many runs without it tell nothing: it is unknown', () => {
    const rare = onLinux(59, {}, 500)
    expect(rare.classification).toBe('unknown')
    expect(kinds(rare)).toEqual(['only-in-other-checks'])
  })

  test('one hit of this configuration is enough, whichever the shard', () => {
    const failing = [...onWindows, hit(9, { checkName: 'tests (linux, 3/3)' })]
    expect(onLinux(500, { failing })).toMatchObject({ classification: 'chronic' })
  })

  test('a stack is the same in every check', () => {
    const crash = stid('2508-38c6')
    const judged = judge({
      failures: [failure({ checkName: 'tests (linux)', signature: crash })],
      histories: [
        history({
          failing: onWindows.map((row) => ({ ...row, signature: crash })),
          passes: 500,
          checks: checks('tests (linux)', WINDOWS),
        }),
      ],
    })
    expect(judged.classification).toBe('chronic')
    expect(kinds(judged)).toEqual(['unrelated-pull-requests', 'in-other-check'])
  })

  test('executions of another platform are no witnesses, those of one that failed like it are', () => {
    const windows = failure({ checkName: WINDOWS })
    const of = (failing: readonly FailingExecution[]) =>
      judge({
        failures: [windows],
        histories: [
          history({
            failing,
            passes: 220,
            checks: [
              { checkName: WINDOWS, passes: 10, runs: 0, trunkClean: [] },
              { checkName: 'tests (linux)', passes: 210, runs: 0, trunkClean: [] },
            ],
          }),
        ],
      })
    expect(of([]).reasons).toEqual([{ kind: 'too-few-runs', runs: 10, needed: 59 }])
    const other = output('another reason')
    const shared = [
      hit(1, { checkName: WINDOWS, signature: other }),
      hit(2, { checkName: 'tests (linux)', signature: other }),
    ]
    expect(of(shared).reasons[0]).toMatchObject({ kind: 'never-elsewhere', runs: 222 })
    expect(of(shared.slice(0, 1)).reasons[0]).toEqual({ kind: 'too-few-runs', runs: 11, needed: 59 })
  })
})

describe('stretches of the trunk', () => {
  const clean = (...hours: readonly number[]) => ({
    passes: 80,
    checks: [{ checkName: CHECK, passes: 80, runs: 0, trunkClean: hours.map((hour) => NOW - hour * HOUR) }],
  })
  const broken = [20, 19, 18].map((days) => trunkHit(`c${days}`, NOW - days * DAY))

  test('one that has ended is said and does not excuse, on however many days it lay', () => {
    const ended = { failing: broken, ...clean(500, 17 * 24, 100, 50) }
    const judged = judgeWith(ended)
    expect(judged.classification).toBe('unknown')
    expect(judged.reasons[0]).toEqual({
      kind: 'ended-stretch',
      from: broken[0]!.time,
      to: broken[2]!.time,
      commits: 3,
      runs: 3,
      mergeBase: 'not-known',
    })
    const later = { subject: subject({ mergeBase: 'later' }) }
    expect(judgeWith(ended, later).reasons[0]).toMatchObject({ mergeBase: 'not-known' })
    const latestTrunk = [{ commitSha: 'later', checkName: CHECK, time: NOW - DAY, failed: false }]
    expect(judgeWith({ ...ended, latestTrunk }, later).reasons[0]).toMatchObject({ mergeBase: 'outside' })
    expect(judgeWith(ended, { subject: subject({ mergeBase: 'c19' }) }).classification).toBe('broken-trunk')
  })

  test('pull requests that failed meanwhile are no witnesses, whoever failed at another time', () => {
    const meanwhile = [1, 2, 3].map((number) => hit(number, { time: NOW - 18.5 * DAY }))
    const of = clean(500, 17 * 24, 100)
    const later = [4, 5, 6].map((number) => hit(number, { time: NOW - 2 * DAY }))
    const stale = judgeWith({ failing: [...broken, ...meanwhile, later[0]!], ...of })
    expect(stale).toMatchObject({ classification: 'unknown', unrelatedPullRequests: 4 })
    expect(stale.reasons.slice(1)).toEqual([
      { kind: 'of-stretches', pullRequests: 3 },
      { kind: 'too-few-hits', pullRequests: 1, trunkHits: 3 },
    ])
    expect(judgeWith({ failing: [...broken, ...meanwhile, ...later], ...of }).classification).toBe('chronic')
  })

  test('two stretches that began on different days are chronic', () => {
    const failing = [...broken, trunkHit('again', NOW - 9 * DAY)]
    const judged = judgeWith({ failing, ...clean(17 * 24, 100) })
    expect(judged.classification).toBe('chronic')
    expect(judged.reasons[0]).toEqual({ kind: 'trunk-hits', hits: 4, days: 2, needed: 2 })
  })

  test('fixed there since: as long without it as it never was before', () => {
    const failing = [20, 17, 14, 11].map((days) => trunkHit(`c${days}`, NOW - days * DAY))
    const before = [500, 19 * 24, 16 * 24, 13 * 24]
    const since = Array.from({ length: 40 }, (_, index) => index + 1)
    const fixed = { failing, ...clean(...before, ...since) }
    expect(judgeWith(fixed).reasons.at(-1)).toEqual({
      kind: 'fixed-on-trunk',
      since: NOW - 40 * HOUR,
      runs: 40,
      buildIsOlder: false,
    })
    expect(judgeWith(fixed, { subject: subject({ mergeBase: 'c14' }) }).reasons[0]!.kind).toBe('failed-at-merge-base')
    const { checkName } = failing[0]!
    const latestTrunk = [{ commitSha: 'older', checkName, time: NOW - 12 * DAY, failed: false }]
    const older = judgeWith({ ...fixed, latestTrunk }, { subject: subject({ mergeBase: 'older' }) })
    expect(older.reasons.at(-1)).toMatchObject({ kind: 'fixed-on-trunk', buildIsOlder: true })
    expect(older.reasons.at(-1)).not.toHaveProperty('between')
    const newest = { commitSha: 'newest', checkName, time: NOW - HOUR, failed: false }
    expect(judgeWith({ ...fixed, latestTrunk: [...latestTrunk, newest] }).reasons.at(-1)).toMatchObject({
      kind: 'fixed-on-trunk',
      between: { lastFailed: 'c11', newest: 'newest' },
    })
    const isThere = { ...fixed, latestTrunk: [{ commitSha: 'later', checkName, time: NOW - HOUR, failed: false }] }
    expect(kinds(judgeWith(isThere, { subject: subject({ mergeBase: 'later' }) }))).toEqual(['trunk-hits'])
    // However often it failed before, nine runs may be of one evening; and one commit of the trunk tells nothing of it.
    const often = Array.from({ length: 40 }, (_, index) => hit(index + 1, { time: NOW - 12 * DAY }))
    const lately = (runs: number) => clean(...before, ...since.slice(0, runs))
    expect(kinds(judgeWith({ failing: [...failing, ...often], ...lately(9) }))).not.toContain('fixed-on-trunk')
    expect(kinds(judgeWith({ failing: [...failing, ...often], ...lately(10) }))).toContain('fixed-on-trunk')
    expect(kinds(judgeWith({ failing: [failing[0]!, ...often], ...lately(40) }))).not.toContain('fixed-on-trunk')
    // A few runs without it are nothing new.
    expect(kinds(judgeWith({ failing, ...clean(...before, 1, 2, 3, 4) }))).toEqual(['trunk-hits'])
  })
})

describe('gating believes no stranger', () => {
  const gating = (...trusted: readonly number[]) => ({ people: { ...trusting(...trusted), mode: 'gating' as const } })
  const failing = [hit(1), hit(2), hit(3), hit(4)]

  test('pull requests count whose authors are trusted; the others are said', () => {
    expect(classify({ failing })).toBe('chronic')
    expect(classify({ failing }, gating(1, 2, 3))).toBe('chronic')
    const judged = judgeWith({ failing }, gating(1, 2))
    expect(judged).toMatchObject({ classification: 'unknown', unrelatedPullRequests: 2, hits: 2, witnesses: 2 })
    expect(judged.reasons).toEqual([
      { kind: 'too-few-hits', pullRequests: 2, trunkHits: 0 },
      { kind: 'word-not-counted', strangers: 0, notKnown: 2 },
    ])
  })

  test('nor do a stranger’s failures take an accusation away', () => {
    const ran = { failing: [hit(1)], passes: 100 }
    expect(classify(ran)).toBe('unknown')
    const judged = judgeWith(ran, gating())
    expect(judged).toMatchObject({ classification: 'pr-suspect', hits: 0, unrelatedPullRequests: 0 })
    expect(kinds(judged)).toEqual(['never-elsewhere', 'word-not-counted'])
  })

  test('nor do passes of a stranger make one, whatever checks and branches they are of', () => {
    const claimed = [1, 2, 3].map((shard) => {
      return { checkName: `tests (linux, ${shard}/60)`, passes: 0, passedBy: ['mallory'], runs: 0, trunkClean: [] }
    })
    const of = (passedBy: readonly string[], settings: { readonly people: People } = gating()) =>
      judge({
        failures: [failure({ checkName: 'tests (linux, 1/60)' })],
        histories: [history({ passes: 5000, checks: [...claimed, { ...claimed[0]!, passedBy }] })],
        ...settings,
      })
    const owners = Array.from({ length: 100 }, (_, index) => `owner-${index}`)
    expect(of([]).reasons).toEqual([{ kind: 'too-few-runs', runs: 0, needed: 59 }])
    expect(of(owners).classification).toBe('unknown')
    // In advisory a person is one execution, and mallory another.
    expect(of(owners, { people: trusting() }).reasons[0]).toMatchObject({ runs: 101 })
  })

  test('nor do more failing rows than are read', () => {
    const unread = { passes: 5000, failingNotRead: 7 }
    expect(classify(unread)).toBe('unknown')
    expect(classify(unread, gating())).toBe('pr-suspect')
  })

  test('a mass failure that no three trusted pull requests carry takes no failure of theirs away', () => {
    const start = NOW - 3 * HOUR
    const massFailures = [massFailure(start)]
    const inIt = [1, 2].map((number) => hit(number, { time: start + 1 }))
    const rows = { failing: [...inIt, hit(3, { time: NOW - 9 * DAY })] }
    expect(judgeWith(rows, { massFailures, ...gating(1, 2, 3) })).toMatchObject({ classification: 'chronic', hits: 3 })
    // A stack of one trusted author is one of the three.
    const stack = [1, 2, 3].map((step) =>
      hit(step, { time: start + step, headRef: `step-${step}`, headRepo: 'author-1/ClickHouse' }),
    )
    expect(judgeWith({ failing: stack }, { massFailures, ...gating(1) })).toMatchObject({ hits: 3 })
    const carried = { failing: [...rows.failing, hit(4, { time: start + 2 })] }
    expect(judgeWith(carried, { massFailures, ...gating(1, 2, 3, 4) })).toMatchObject({ hits: 1 })
  })

  test('a mass failure excuses where as many trusted pull requests failed alike in it', () => {
    const start = NOW - HOUR / 2
    const massFailures = [massFailure(start)]
    const inIt = failing.map((row) => ({ ...row, time: start + 1 }))
    const mine = { massFailures }
    const of = (...trusted: readonly number[]) => classify({ failing: inIt }, { ...mine, ...gating(...trusted) })
    expect([of(1, 2, 3), of(1, 2), classify({ failing: inIt.slice(0, 1) }, mine)]).toEqual([
      'mass-failure',
      'unknown',
      'mass-failure',
    ])
  })

  test('advisory says how many of them are first-time contributors', () => {
    const people = { ...trusting(1, 2), standings: new Map([['author-4', 'stranger' as const]]) }
    expect(judgeWith({ failing }, { people }).reasons).toEqual([
      { kind: 'unrelated-pull-requests', pullRequests: 4, needed: 3, strangers: 1 },
    ])
  })
})

describe('pr-suspect: it fails nowhere else', () => {
  test('59 executions rule out a rate of 5%, 58 do not', () => {
    const judged = judgeWith({ passes: 59 })
    expect(judged.classification).toBe('pr-suspect')
    expect(judged.reasons).toEqual([{ kind: 'never-elsewhere', of: 'test', runs: 59, chance: 0.95 ** 59, rate: 0.05 }])
    expect(judgeWith({ passes: 58 }).reasons).toEqual([{ kind: 'too-few-runs', runs: 58, needed: 59 }])
    expect(classify({ passes: 58 })).toBe('unknown')
  })

  test('failures of one person with another reason are one execution', () => {
    const failing = Array.from({ length: 80 }, (_, index) =>
      hit(index + 1, { headRepo: 'mallory/ClickHouse', signature: output('other') }),
    )
    expect(judgeWith({ failing }).reasons[0]).toEqual({ kind: 'too-few-runs', runs: 1, needed: 59 })
  })

  test('a name that exists only when it fails could have shown itself in each run of its check', () => {
    const ran = (runs: number, passes = 0) => ({ passes, checks: [{ checkName: CHECK, passes, runs, trunkClean: [] }] })
    const judged = judgeWith(ran(400))
    expect(judged.classification).toBe('pr-suspect')
    expect(judged.reasons).toEqual([
      { kind: 'never-elsewhere', of: 'check', runs: 400, chance: 0.95 ** 400, rate: 0.05 },
    ])
    expect(classify(ran(58))).toBe('unknown')
    // Where its passes are known, they are what counts.
    expect(classify(ran(400, 12))).toBe('unknown')
  })

  test('a chance that equals the largest one will do', () => {
    const thresholds = { ...LEDGER_THRESHOLDS, chronicRate: 0.5, missedChance: 0.25 }
    expect(classify({ passes: 2 }, { thresholds })).toBe('pr-suspect')
    expect(classify({ passes: 1 }, { thresholds })).toBe('unknown')
  })

  test('failures with another signature are executions, are said, and do not excuse', () => {
    const failing = [1, 2, 3].map((number) => hit(number, { signature: output('other') }))
    const judged = judgeWith({ failing, passes: 56 })
    expect(judged).toMatchObject({ classification: 'pr-suspect', hits: 0, runs: 59, unrelatedPullRequests: 0 })
    expect(judged.reasons[1]).toEqual({ kind: 'other-signature', hits: 3, pullRequests: 3 })
  })

  test('not with a single hit, be it of a release branch', () => {
    expect(classify({ failing: [trunkHit('r', NOW - DAY, { headRef: '26.3' })], passes: 5000 })).toBe('unknown')
  })

  test('the author’s own other branch takes nothing away by the same stack under other words', () => {
    const mine = failure({ testName: "'Bucket 7' (STID: 2508-468c)", signature: stid('2508-468c') })
    const of = (headRepo: string) =>
      judge({
        failures: [mine],
        histories: [
          history({
            testName: mine.testName,
            passes: 100,
            sameStack: [hit(9, { headRepo, headRef: 'other', signature: stid('2508-468c') })],
          }),
        ],
      }).classification
    expect([of('author/ClickHouse'), of('another/ClickHouse')]).toEqual(['pr-suspect', 'unknown'])
  })

  test('not when it failed alike in a mass failure', () => {
    const start = NOW - 5 * HOUR
    const rows = { failing: [hit(1, { time: start + 1 })], passes: 400 }
    expect(classify(rows, { massFailures: [massFailure(start)] })).toBe('unknown')
  })

  test('passes of the head’s own author do not count', () => {
    const of = (passedBy: readonly string[]) =>
      judgeWith({ passes: 90, checks: [{ checkName: CHECK, passes: 58, passedBy, runs: 0, trunkClean: [] }] })
    expect(of(['author']).reasons[0]).toEqual({ kind: 'too-few-runs', runs: 58, needed: 59 })
    expect(of(['author', 'another']).classification).toBe('pr-suspect')
  })

  test('not when failing rows were not read', () => {
    const judged = judgeWith({ passes: 5000, failingNotRead: 7 })
    expect(judged.classification).toBe('unknown')
    expect(judged.reasons).toEqual([{ kind: 'more-not-read', hits: 7 }])
  })

  test('the executions needed are the fewest that the rule takes', () => {
    expect(runsNeeded(LEDGER_THRESHOLDS)).toBe(59)
    for (const chronicRate of [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99]) {
      for (const missedChance of [0.001, 0.01, 0.05, 0.1, 0.125, 0.25, 0.5]) {
        let runs = 0
        while ((1 - chronicRate) ** runs > missedChance) runs += 1
        expect(runsNeeded({ ...LEDGER_THRESHOLDS, chronicRate, missedChance })).toBe(runs)
      }
    }
  })
})

describe('the first that applies stands', () => {
  test('rollup before infrastructure', () => {
    const job = failure({ testName: '', checkName: 'PR', signature: output('No space left on device') })
    const histories = [history({ testName: '', checkName: 'PR' })]
    expect(judge({ failures: [job], histories }).classification).toBe('rollup')
  })

  test('fallout before a test that the pull request changes', () => {
    const failures = [failure({ testName: '03999_t' }), failure({ testName: 'crash' })]
    const names = { rollupChecks: [], falloutTests: ['03999_*'] }
    const changedFiles = [added('tests/queries/0_stateless/03999_t.sql')]
    const judged = judgeFailures(input({ failures, names, changedFiles }))
    expect(judged.map(({ classification }) => classification)).toEqual(['unknown', 'fallout'])
  })

  test('a test that the pull request changes before a mass failure, that before a broken trunk', () => {
    const massFailures = [massFailure(NOW - HOUR / 2)]
    const failing = [hit(1, { time: NOW - HOUR / 4 }), trunkHit('base', NOW - DAY)]
    const both = { massFailures, subject: subject({ mergeBase: 'base' }) }
    expect(classify({ failing }, both)).toBe('mass-failure')
    const failures = [failure({ testName: '03999_t' })]
    const changedFiles = [added('tests/queries/0_stateless/03999_t.sql')]
    expect(classify({ testName: '03999_t', failing }, { ...both, failures, changedFiles })).toBe('pr-suspect')
  })

  test('chronic before flaky', () => {
    const passesBesideFailures = [passedBeside(hit(1))]
    expect(classify({ failing: sevenPullRequests, passesBesideFailures })).toBe('chronic')
  })
})

describe('what is said beside', () => {
  test('without output every failure of that name matches', () => {
    const failing = [hit(1), hit(2, { signature: stid('1-a') }), hit(3, { signature: NAME_ONLY })]
    const judged = judgeWith({ failing }, { failures: [failure({ signature: NAME_ONLY })] })
    expect(judged.classification).toBe('chronic')
    expect(kinds(judged)).toEqual(['unrelated-pull-requests', 'matched-by-name'])
  })

  test('other signatures of a mass failure are not said', () => {
    const massFailures = [massFailure(NOW - DAY)]
    const other = { signature: output('other') }
    const failing = [hit(1, other), hit(2, { ...other, time: NOW - DAY })]
    expect(judgeWith({ failing }, { massFailures }).reasons).toContainEqual({
      kind: 'other-signature',
      hits: 1,
      pullRequests: 1,
    })
  })

  test('rows without output do not match an output', () => {
    const failing = [1, 2, 3].map((number) => hit(number, { signature: NAME_ONLY }))
    expect(judgeWith({ failing })).toMatchObject({ classification: 'unknown', hits: 0, runs: 3 })
  })

  test('a clock that is ahead, by more than five minutes', () => {
    const ahead = (by: number) => judge({ judgedAt: NOW - by }).reasons.slice(1)
    expect(ahead(5 * 60_000)).toEqual([])
    expect(ahead(301_000)).toEqual([{ kind: 'clock-ahead' }])
    // The same at every look: the report does not change while the clock runs.
    expect(ahead(3 * HOUR)).toEqual(ahead(2 * HOUR))
    expect(ahead(-DAY)).toEqual([])
  })

  test('older failures that were not read', () => {
    expect(kinds(judgeWith({ failing: sevenPullRequests, failingNotRead: 12 }))).toEqual([
      'unrelated-pull-requests',
      'more-not-read',
    ])
  })
})

describe('the lookup failed', () => {
  const failures = [
    failure({ testName: 'plain', checkName: 'Fast test' }),
    failure({ testName: 'Check failed' }),
    failure({ testName: 'crash' }),
    failure({ testName: '', checkName: 'Build', signature: output('No space left on device') }),
    failure({ testName: '', checkName: 'PR' }),
    failure({ testName: '03999_my_new_test', checkName: 'Fast test' }),
  ]
  const changedFiles = [added('tests/queries/0_stateless/03999_my_new_test.sql')]
  // Were they looked at, everything would be chronic and flaky.
  const histories = failures.map(({ testName, checkName }) =>
    history({
      testName,
      checkName: testName === '' ? checkName : null,
      failing: sevenPullRequests,
      passesBesideFailures: sevenPullRequests.map(passedBeside),
    }),
  )
  const expected = [
    ['03999_my_new_test', 'pr-suspect', ['test-changed', 'lookup-failed']],
    ['plain', 'unknown', ['lookup-failed']],
    ['crash', 'unknown', ['lookup-failed']],
    ['Check failed', 'fallout', ['follows-from', 'lookup-failed']],
    ['', 'infrastructure', ['no-test-failed', 'lookup-failed']],
    ['', 'rollup', ['sums-up-others', 'lookup-failed', 'no-test-failed']],
  ]
  const shape = (judged: ReturnType<typeof judgeFailures>) =>
    judged.map((one) => [one.failure.testName, one.classification, kinds(one)])

  test('nothing is called chronic or flaky, and no number is given', () => {
    const judged = judgeFailures(input({ failures, histories, changedFiles, problem: 'too-slow' }))
    expect(shape(judged)).toEqual(expected)
    for (const one of judged) {
      expect(one).toMatchObject({
        hits: null,
        unrelatedPullRequests: null,
        trunkHits: null,
        runs: null,
        trunkRate: null,
        firstSeen: null,
        lastSeen: null,
        lastTrunkPass: null,
        firstBadTrunkCommit: null,
        examples: [],
      })
    }
    expect(judged[1]!.reasons).toEqual([{ kind: 'lookup-failed', problem: 'too-slow' }])
  })

  test('a history that is missing is an answer that nobody expected', () => {
    const judged = judgeFailures(input({ failures, histories: [], changedFiles }))
    expect(shape(judged)).toEqual(expected)
    expect(judged[1]!.reasons).toEqual([{ kind: 'lookup-failed', problem: 'unexpected-answer' }])
  })
})
