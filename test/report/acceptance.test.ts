import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../src/config/repository-config.ts'
import { redChecksOf } from '../../src/judge/ledger/red-checks.ts'
import { findingsOf } from '../../src/judge/verdict/findings.ts'
import { TestEntries } from '../../src/judge/verdict/test-entries.ts'
import {
  acceptedMeasurement,
  acceptedSuite,
  acceptedUnknowns,
  type Decision,
  firstEnd,
  openFindingsOf,
  standingDecisions,
  withAcceptance,
  withAcceptedStep,
  withIgnored,
  withTakenBack,
} from '../../src/report/acceptance.ts'
import { decided } from '../../src/report/decisions.ts'
import type { ReportRow, TriageReport } from '../../src/report/report.ts'
import { failingTests, failure, judged } from './render/failing-tests-builder.ts'
import { changed, HEAD, notCompared, quiet, report, result, row, shard } from './render/report-builder.ts'
import { windowOf } from './render/window-states.ts'

const NOW = 1_000_000
const by = { reason: 'known', until: null, via: 'command', actor: 'maria', actorId: 1, saidAt: 1 } as const

const slower = (fresh: number) => row('sum', 1, [changed(1, fresh, { changedThreshold: 0.05 })])
const nameOf = ({ test: name, queryIndex }: ReportRow) => `${name} #${queryIndex}`
const accept = (rows: readonly ReportRow[], more: Partial<Decision> = {}): Decision =>
  ({ kind: 'accept', ...by, subject: openFindingsOf(report(rows), nameOf), ...more }) as Decision
const standing = (...decisions: Decision[]) => standingDecisions(decisions, NOW)

describe('a row', () => {
  test.each([
    [1.5, 'acknowledged'],
    [1.54, 'acknowledged'],
    [1.2, 'acknowledged'],
    [1.56, 'regression'],
  ])('accepted at +50%% of a threshold of 5%% and measured at %d', (fresh, verdict) => {
    expect(withAcceptance(slower(fresh), standing(accept([slower(1.5)]))).verdict).toBe(verdict)
  })

  test('that has grown says at which size it was accepted', () => {
    const grown = withAcceptance(slower(2), standing(accept([slower(1.5)])))
    expect(grown.outgrown).toMatchObject({ actor: 'maria', difference: 0.5 })
    expect(grown.accepted).toBeUndefined()
  })

  test('of another query, or one that is not open any more, is left as it is', () => {
    const other = row('other', 1, [changed(1, 1.5)])
    expect(withAcceptance(other, standing(accept([slower(1.5)])))).toBe(other)
    const faster = row('sum', 1, [changed(2, 1)], { verdict: 'improvement' })
    expect(withAcceptance(faster, standing(accept([slower(1.5)])))).toBe(faster)
  })

  test('without a result in the new build is accepted as that; a slowdown that was accepted does not cover it', () => {
    const gone = row('sum', 1, [notCompared('only-old')], { verdict: null })
    expect(withAcceptance(gone, standing(accept([slower(1.5)]))).accepted).toBeUndefined()
    const covered = withAcceptance(gone, standing(accept([gone])))
    expect(covered.accepted).toMatchObject({ difference: null })
    expect(findingsOf(report([covered])).failedInNew).toEqual([])
    expect(findingsOf(report([gone])).failedInNew).toEqual([gone])
  })

  test('without a result on one architecture is accepted there alone, and one that may be of the old build is not accepted of the new one', () => {
    const slow = changed(1, 1.12, { architecture: 'amd' })
    const gone = (architecture: string, failedIn: 'new' | 'unknown') =>
      notCompared('only-old', { architecture, failedIn })
    const arm = row('sum', 1, [gone('arm', 'new'), slow], { decidedBy: 1 })
    const both = row('sum', 1, [gone('amd', 'new'), gone('arm', 'new')], { verdict: null })
    const said = standing(accept([arm]))
    expect(withAcceptance(arm, said).accepted).toBeDefined()
    expect(withAcceptance(both, said)).toMatchObject({ outgrown: { actor: 'maria' }, verdict: null })
    const may = row('sum', 1, [gone('arm', 'unknown')], { verdict: null })
    const did = row('sum', 1, [gone('arm', 'new')], { verdict: null })
    expect(withAcceptance(did, standing(accept([may]))).accepted).toBeUndefined()
    expect(withAcceptance(may, standing(accept([did]))).accepted).toBeDefined()
  })

  test('the worst architecture is the size that counts', () => {
    const two = (amd: number, arm: number) =>
      row('sum', 1, [
        changed(1, amd, { architecture: 'amd', changedThreshold: 0.05 }),
        changed(1, arm, { architecture: 'arm', changedThreshold: 0.05 }),
      ])
    const noisy = row('sum', 1, [
      changed(1, 1.2, { architecture: 'amd', changedThreshold: 0.05 }),
      result(1, 1.9, { architecture: 'arm' }),
    ])
    expect(openFindingsOf(report([noisy]), nameOf).rows[0]!.difference).toBeCloseTo(0.2)
    const said = standing(accept([two(1.2, 1.5)]))
    expect(withAcceptance(two(1.5, 1.2), said).verdict).toBe('acknowledged')
    expect(withAcceptance(two(1.2, 1.6), said).verdict).toBe('regression')
  })
})

describe('what the repository’s file accepts until a day', () => {
  const entry = {
    kind: 'accepted',
    test: 'sum',
    query: null,
    difference: 0.5,
    reason: 'more columns',
    until: '2027-03-01',
  } as const
  const on = (day: string) => new TestEntries([entry], day)
  const nobody = standing()

  test.each([
    [1.5, '2027-03-01', 'acknowledged'],
    [1.54, '2027-02-01', 'acknowledged'],
    [1.56, '2027-02-01', 'regression'],
    [1.5, '2027-03-02', 'regression'],
  ])('+50%% of a threshold of 5%% until the first of March: measured at %d on %s is %s', (fresh, day, verdict) => {
    expect(withAcceptance(slower(fresh), nobody, on(day)).verdict).toBe(verdict)
  })

  test('is said as that, with its end, and where the row has grown', () => {
    const end = Date.parse('2027-03-02') - 1
    const said = { via: 'file', difference: 0.5, reason: 'more columns', until: end }
    expect(withAcceptance(slower(1.5), nobody, on('2027-02-01')).accepted).toMatchObject(said)
    expect(withAcceptance(slower(2), nobody, on('2027-02-01')).outgrown).toMatchObject(said)
    expect(on('2027-03-02').expired).toEqual([entry])
  })

  test('is no row without a result, none of another test, and none that is not open', () => {
    const gone = row('sum', 1, [notCompared('only-old')], { verdict: null })
    expect(withAcceptance(gone, nobody, on('2027-02-01')).accepted).toBeUndefined()
    const other = row('other', 1, [changed(1, 1.5)])
    expect(withAcceptance(other, nobody, on('2027-02-01'))).toBe(other)
    const faster = row('sum', 1, [changed(2, 1)], { verdict: 'improvement' })
    expect(withAcceptance(faster, nobody, on('2027-02-01'))).toBe(faster)
  })

  test('and a person at another size: whichever covers the row', () => {
    const byPerson = standing(accept([slower(1.2)]))
    expect(withAcceptance(slower(1.2), byPerson, on('2027-02-01')).accepted).toMatchObject({ actor: 'maria' })
    expect(withAcceptance(slower(1.5), byPerson, on('2027-02-01')).accepted).toMatchObject({ via: 'file' })
    expect(withAcceptance(slower(1.5), byPerson, on('2027-03-02')).outgrown).toMatchObject({ actor: 'maria' })
  })
})

test('what is accepted is not open: the check of a gating repository passes, and no label says slower', () => {
  const rows = [withAcceptance(slower(1.5), standing(accept([slower(1.5)])))]
  const gating = decided(report(rows, { mode: 'gating' }), DEFAULT_CONFIG)
  expect(gating.decisions).toMatchObject({ conclusion: 'success', labels: [], comment: 'keep' })
  expect(openFindingsOf(gating, nameOf).rows).toEqual([])
})

test('a guarded row that comes after all was accepted fails the check of the same head; one that is taken back does too', () => {
  const guarded = (name: string) =>
    row(name, 1, [changed(1, 1.5, { changedThreshold: 0.05 })], { verdict: 'needs-rerun', guarded: true })
  const first = report([guarded('sum')], { mode: 'gating' })
  const all = accept([], { subject: openFindingsOf(first, nameOf) })
  const conclusion = (names: readonly string[], ...decisions: Decision[]) => {
    const said = standing(...decisions)
    const rows = names.map((name) => withAcceptance(guarded(name), said))
    const judged = report(rows, { mode: 'gating' })
    const letPass = { acceptedUnknowns: acceptedUnknowns(judged, said) }
    return decided({ ...judged, ...letPass }, DEFAULT_CONFIG).decisions.conclusion
  }
  expect(conclusion(['sum'])).toBe('failure')
  expect(conclusion(['sum'], all)).toBe('success')
  expect(conclusion(['sum', 'other'], all)).toBe('failure')
  const back: Decision = { ...accept([guarded('sum')]), kind: 'unaccept' } as Decision
  expect(conclusion(['sum'], all, back)).toBe('failure')
})

test('a shard that is lost after another one was accepted fails the check of the same head', () => {
  const lost = (...numbers: number[]) =>
    report(quiet(3), {
      mode: 'gating',
      shards: [1, 2, 3].map((number) => shard(number, 3, numbers.includes(number) ? { state: 'failed' } : {})),
    })
  const said = standing(accept([], { subject: openFindingsOf(lost(2), nameOf) }))
  const conclusion = (judged: TriageReport) =>
    decided({ ...judged, acceptedUnknowns: acceptedUnknowns(judged, said) }, DEFAULT_CONFIG).decisions.conclusion
  expect(conclusion(lost(2))).toBe('success')
  expect(conclusion(lost(2, 3))).toBe('failure')
  // What was accepted before the names were kept covers every shard.
  const { lostShards, ...before } = openFindingsOf(lost(2), nameOf)
  expect(lostShards).toEqual([shard(2, 3).check])
  const old = standing(accept([], { subject: before }))
  expect(acceptedUnknowns(lost(3), old)).toHaveLength(1)
})

test('a muted pull request is neutral; where it gates the check stays as it is', () => {
  const said = standing({ kind: 'mute', subject: null, ...by })
  const advisory = decided(report(quiet(3)), DEFAULT_CONFIG, said.mute)
  expect(advisory.decisions).toMatchObject({ comment: 'muted', conclusion: 'neutral' })
  const gating = decided(report([slower(1.5)], { mode: 'gating' }), DEFAULT_CONFIG, said.mute)
  expect(gating.decisions).toMatchObject({ comment: 'muted', conclusion: 'failure' })
  expect(decided(report(quiet(3)), { ...DEFAULT_CONFIG, comment: 'never' }, said.mute).decisions.comment).toBe('never')
})

test('a shift of everything is accepted up to three points more, on its machine alone', () => {
  const suite = { architecture: 'arm', shard: null, shift: 0.06 }
  const said = standing(accept([], { subject: { head: HEAD, rows: [], suites: [suite], unknowns: [] } }))
  expect(acceptedSuite({ ...suite, shift: 0.089 }, said).accepted).toMatchObject({ difference: 0.06 })
  expect(acceptedSuite({ ...suite, shift: 0.1 }, said)).toEqual({})
  expect(acceptedSuite({ ...suite, architecture: 'amd' }, said)).toEqual({})
  expect(acceptedSuite({ ...suite, shift: -0.06 }, said)).toEqual({})
  // What was accepted before the check was kept is of any check.
  expect(acceptedSuite({ ...suite, check: 'perf quick' }, said).accepted).toBeDefined()
  const quick = standing(
    accept([], { subject: { head: HEAD, rows: [], suites: [{ ...suite, check: 'perf quick' }], unknowns: [] } }),
  )
  expect(acceptedSuite({ ...suite, check: 'perf quick' }, quick).accepted).toBeDefined()
  expect(acceptedSuite({ ...suite, check: 'perf full' }, quick)).toEqual({})
})

test('a step of the trunk is accepted in the pull request of its window where a person accepted that query', () => {
  const window = windowOf(3, 1, {}, { test: 'sum', queryIndex: 1, queryName: null })
  const inWindow = row('sum', 1, [changed(1, 1.5, { queryName: null, metric: window.metric })])
  const on = (numbers: readonly number[], decision = accept([inWindow])) =>
    withAcceptedStep(window, (number) => standing(...(numbers.includes(number) ? [decision] : []))).acceptedIn
  expect(on([100_993])).toEqual({ pullRequestNumber: 100_993, actor: 'maria', reason: 'known' })
  expect(on([100_990])).toBeUndefined()
  expect(on([100_993], accept([row('other', 1, [changed(1, 1.5)])]))).toBeUndefined()
  const faster = { ...window, step: { ...window.step, step: -0.2 } }
  expect(withAcceptedStep(faster, () => standing(accept([inWindow]))).acceptedIn).toBeUndefined()
})

test('the later decision counts, what has ended does not, and the first end is known', () => {
  const one = accept([slower(1.5)])
  const back: Decision = { ...one, kind: 'unaccept' } as Decision
  expect(standing(one, back).rows.size).toBe(0)
  expect(standing(back, one).rows.size).toBe(1)
  expect(standing({ ...one, until: NOW - 1 }).rows.size).toBe(0)
  expect(standing({ ...one, until: NOW }).rows.size).toBe(1)
  expect(firstEnd([one, { ...one, until: NOW + 5 }, { ...one, until: NOW + 3 }, { ...one, until: 1 }], NOW)).toBe(
    NOW + 3,
  )
  expect(firstEnd([one], NOW)).toBeNull()
})

test('what was said again with an end ends then, and brings nothing back that had none', () => {
  const row = { key: '["sum",0]', name: 'sum #0', test: 'sum', query: 0 }
  const failure = { testName: '01234_x', checkName: 'Stateless' }
  const ignore: Decision = { kind: 'ignore', ...by, subject: { rows: [row], failures: [failure] } }
  const unknown = { head: HEAD, rows: [], suites: [], unknowns: ['wrong-builds'] } as const
  const decisions = [
    accept([slower(1.5)]),
    accept([], { subject: unknown }),
    ignore,
    { kind: 'mute', subject: null, ...by } as const,
  ]
  const again = (until: number) => standing(...decisions, ...decisions.map((one) => ({ ...one, saidAt: 2, until })))
  expect(again(NOW)).toMatchObject({ mute: { until: NOW }, rows: { size: 1 }, unknowns: { size: 1 } })
  const { mute, rows, unknowns, ignored } = again(NOW - 1)
  expect([mute, rows.size, unknowns.size, ignored.rows.size, ignored.failures.size]).toEqual([null, 0, 0, 0, 0])
})

test('what stands is the last word on each row, however many decisions there are', () => {
  const decision = fc.record({ kind: fc.constantFrom('accept', 'unaccept'), index: fc.integer({ min: 0, max: 4 }) })
  fc.assert(
    fc.property(fc.array(decision, { maxLength: 30 }), (said) => {
      const decisions = said.map(({ kind, index }) => ({
        ...accept([row(`sum${index}`, 0, [changed(1, 1.5)])]),
        kind,
      })) as Decision[]
      const rows = standing(...decisions).rows
      const expected = [0, 1, 2, 3, 4].filter((index) => said.findLast((one) => one.index === index)?.kind === 'accept')
      expect([...rows.values()].map((one) => one.row.name).toSorted()).toEqual(
        expected.map((index) => `sum${index} #0`),
      )
    }),
  )
})

describe('what was taken back since a report', () => {
  const grown = slower(1.5)
  const suite = { architecture: null, shard: 1, check: 'perf', shift: 0.06 }
  const lost = { unknowns: ['shard-without-results'], lostShards: ['perf 2/3'] } as const
  const whole = { ...openFindingsOf(report([grown]), nameOf), suites: [suite], ...lost }
  const nothing = { head: HEAD, rows: [], suites: [], unknowns: [] }
  const seen = { at: 5, findings: nothing }
  const said = (kind: 'accept' | 'unaccept', saidAt: number, subject: object = whole) =>
    ({ kind, ...by, saidAt, subject }) as Decision

  test('stands open, until it is accepted again', () => {
    const { lostShards, ...others } = whole
    expect(withTakenBack(seen, [said('accept', 1), said('unaccept', 6)], 7)).toEqual({ ...others, lostShards })
    expect(withTakenBack(seen, [said('unaccept', 6), said('accept', 7)], 7)).toEqual(nothing)
    expect(withTakenBack(seen, [said('unaccept', 6), said('accept', 8)], 7)).toEqual(whole)
  })

  test('is nothing that was taken back before the report, after this was said, or of another head', () => {
    expect(withTakenBack(seen, [said('unaccept', 4)], 7)).toEqual(nothing)
    expect(withTakenBack(seen, [said('unaccept', 8)], 7)).toEqual(nothing)
    expect(withTakenBack(seen, [said('unaccept', 6, { ...nothing, ...lost, head: 'b'.repeat(40) })], 7)).toEqual(
      nothing,
    )
  })

  test('is how it was measured too, beside what of that stands open', () => {
    const unaccepted = [said('unaccept', 6, { ...nothing, measurement: ['files 1', 'files 2'] })]
    const shown = { at: 5, findings: { ...nothing, measurement: ['files 2', 'files 3'] } }
    expect(withTakenBack(seen, unaccepted, 7)).toEqual({ ...nothing, measurement: ['files 1', 'files 2'] })
    expect(withTakenBack(shown, unaccepted, 7).measurement).toEqual(['files 2', 'files 3', 'files 1'])
  })

  test('is at the size of the report where that shows it', () => {
    const shown = {
      ...whole,
      rows: whole.rows.map((one) => ({ ...one, difference: 0.9 })),
      suites: [{ ...suite, shift: 0.2 }],
    }
    expect(withTakenBack({ at: 5, findings: shown }, [said('unaccept', 6)], 7)).toEqual(shown)
  })
})

describe('a failing test that a person ignores', () => {
  const suspect = judged('pr-suspect', failure('01234_x', 'Stateless'), [])
  const other = judged('pr-suspect', failure('01235_y', 'Stateless'), [])
  const said = standing({
    kind: 'ignore',
    ...by,
    subject: { rows: [], failures: [{ testName: '01234_x', checkName: 'Another check' }] },
  })

  test('fails the check of a gating repository no more, and keeps its place among those that are explained', () => {
    const conclusion = (...failures: ReturnType<typeof judged>[]) =>
      decided(report(quiet(3), { mode: 'gating', failingTests: failingTests(failures) }), DEFAULT_CONFIG).decisions
        .conclusion
    expect(conclusion(suspect)).toBe('failure')
    expect(conclusion(...withIgnored([suspect], said))).toBe('success')
    const marked = withIgnored([suspect, other], said)
    expect(marked.map(({ failure: { testName }, classification }) => [testName, classification])).toEqual([
      ['01235_y', 'pr-suspect'],
      ['01234_x', 'ignored'],
    ])
    expect(marked[1]!.reasons[0]).toMatchObject({ kind: 'ignored', by: { actor: 'maria' } })
    expect(conclusion(...marked)).toBe('failure')
  })

  test('leaves its check accounted for, unless something else failed in it', () => {
    const red = [{ name: 'Stateless', url: null }]
    const names = { rollupChecks: [], falloutTests: [] }
    expect(redChecksOf(red, withIgnored([suspect], said), names)[0]!.state).toBe('accounted-for')
    expect(redChecksOf(red, withIgnored([suspect, other], said), names)[0]!.state).toBe('may-be-yours')
  })

  test('of a check without a failing test the name of the check counts', () => {
    const ofCheck = standing({
      kind: 'ignore',
      ...by,
      subject: { rows: [], failures: [{ testName: '', checkName: 'Lint' }] },
    })
    const lint = (checkName: string) => withIgnored([judged('unknown', failure('', checkName), [])], ofCheck)
    expect(lint('Lint')[0]!.classification).toBe('ignored')
    expect(lint('Build')[0]!.classification).toBe('unknown')
  })
})

test('that less was measured than usual is accepted for this head and these numbers', () => {
  const lessThanUsual = { trunkRuns: 5, shards: { measured: 3, usual: 5, skipped: [] } }
  const measured = report([], { mode: 'gating', lessThanUsual })
  const subject = openFindingsOf(measured, () => '')
  const said = standingDecisions([{ kind: 'accept', subject, ...by }], 2)
  const who = (more: Partial<TriageReport>) => acceptedMeasurement({ ...measured, ...more }, said)?.actor ?? null
  expect(who({})).toBe('maria')
  expect(who({ head: 'f'.repeat(40) })).toBeNull()
  expect(who({ lessThanUsual: { ...lessThanUsual, shards: { measured: 2, usual: 5, skipped: [] } } })).toBeNull()
  expect(who({ lessThanUsual: { ...lessThanUsual, repetitions: { measured: 3, usual: 13 } } })).toBeNull()
})

test('how a head was measured is accepted as long as its files and workflows are the same', () => {
  const howMeasured = { files: ['ci/run.sh'], more: 0, isCut: false, version: '1' }
  const from = (workflow: string | null) => shard(1, 1, { origin: { kind: 'other-workflow', workflow } })
  const measured = report([], { mode: 'gating', howMeasured, shards: [from('a.yml')] })
  const subject = openFindingsOf(measured, () => '')
  expect(subject.measurement).toEqual(['files 1', 'workflow a.yml'])
  const said = standingDecisions([{ kind: 'accept', subject, ...by }], 2)
  const who = (more: Partial<TriageReport>, decisions = said) =>
    acceptedMeasurement({ ...measured, ...more }, decisions)?.actor ?? null
  expect(who({})).toBe('maria')
  expect(who({ shards: [shard(1, 1)] })).toBe('maria')
  expect(who({ shards: [{ ...from('b.yml'), state: 'failed' }] })).toBe('maria')
  expect(who({ howMeasured: { ...howMeasured, version: '2' } })).toBeNull()
  expect(who({ shards: [from('a.yml'), from(null)] })).toBeNull()
  expect(who({}, standingDecisions([{ kind: 'accept', subject, ...by, until: 1 }], 2))).toBeNull()
  expect(acceptedMeasurement(report([]), said)).toBeNull()
  expect(openFindingsOf({ ...measured, mode: 'advisory' }, () => '')).not.toHaveProperty('measurement')
})
