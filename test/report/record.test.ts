import { expect, test } from 'vitest'
import { queryKey } from '../../src/intake/measurement/run.ts'
import { wilsonInterval } from '../../src/judge/statistics/wilson.ts'
import { type Decision, openRowKey } from '../../src/report/acceptance.ts'
import { findingsAtMerge, type ShownFinding } from '../../src/report/after-merge.ts'
import { decisive } from '../../src/report/parts.ts'
import { claimedIn, claimsOf, type RecordReport, type RecordSources, recordOf } from '../../src/report/record.ts'
import type { ReportRow, TriageReport } from '../../src/report/report.ts'
import { type JudgedBy, judged, measured, OVERLAPPING, runOf, times } from './judge-setting.ts'

/** A report of queries, each slower by its factor, and of one that stays as it is. */
function report(factors: Readonly<Record<string, number>>, by: JudgedBy = {}, attempt = 1): TriageReport {
  const queries = Object.entries(factors).map(([test, factor]) => measured(test, times(factor)))
  return judged([runOf([measured('calm', times(1)), ...queries], { attempt })], by)
}

const ofPullRequest = (pullRequestNumber: number, of: TriageReport): RecordReport => ({
  pullRequestNumber,
  ...claimedIn(of),
})

const rowOf = ({ rows }: TriageReport, name: string): ReportRow => rows.find(({ test: one }) => one === name)!

const by = { reason: 'meant', until: null, via: 'command', actor: 'maria', actorId: 1, saidAt: 10 } as const

function accept(row: ReportRow, change: Partial<Omit<Decision, 'kind' | 'subject'>> = {}): Decision {
  const rows = [
    { key: openRowKey(row), name: row.test, test: row.test, difference: decisive(row).difference, failed: false },
  ]
  return { ...by, ...change, kind: 'accept', subject: { head: 'b'.repeat(40), rows, suites: [], unknowns: [] } }
}

function ignore(row: ReportRow, change: Partial<Omit<Decision, 'kind' | 'subject'>> = {}): Decision {
  const rows = [{ key: queryKey(row), name: row.test, test: row.test, query: row.queryIndex }]
  return { ...by, ...change, kind: 'ignore', subject: { rows, failures: [] } }
}

function shown({ test, queryIndex, queryName, metric }: ReportRow, outcome: ShownFinding['outcome']): ShownFinding {
  const of = { test, queryIndex, queryName, metric, architecture: null, difference: 0.4 }
  return { ...of, outcome, shift: 0.3, low: 0.2, high: 0.4, runsBefore: 20, runsAfter: 5 }
}

function linesOf(sources: Partial<RecordSources>, decisions: Readonly<Record<number, readonly Decision[]>> = {}) {
  const decisionsOf = (number: number) => decisions[number] ?? []
  const claims = claimsOf({ repositoryId: 1, reports: [], decisionsOf, shown: [], ...sources })
  const lines = recordOf(claims)
  return (of: string, name: string) => lines.find((line) => line.of === of && line.name === name)!
}

const outcomes = ({ real, noise, undecided }: ReturnType<ReturnType<typeof linesOf>>) => [real, noise, undecided]

test('the precision is the mean of the pull requests, with Wilson’s interval over their number', () => {
  const [one, two] = [report({ sum: 1.4 }), report({ sum: 1.4, hash: 1.4 })]
  const line = linesOf(
    {
      reports: [ofPullRequest(1, one), ofPullRequest(2, one), ofPullRequest(3, two), ofPullRequest(4, one)],
      shown: [
        {
          pullRequestNumber: 3,
          shown: [shown(rowOf(two, 'sum'), 'confirmed'), shown(rowOf(two, 'hash'), 'did-not-appear')],
        },
      ],
    },
    { 1: [accept(rowOf(one, 'sum'))], 2: [ignore(rowOf(one, 'sum'))] },
  )
  const regression = line('verdict', 'regression')
  expect(regression).toMatchObject({ says: 'real', rows: 5, real: 2, noise: 2, undecided: 1, pullRequests: 3 })
  // (1 + 0 + 1/2) / 3, and Wilson's interval of 1.5 of 3.
  expect(regression.precision!.share).toBeCloseTo(0.5, 12)
  expect(regression.precision!.low).toBeCloseTo(0.12533, 5)
  expect(regression.precision!.high).toBeCloseTo(0.87467, 5)
  expect(line('verdict', 'needs-rerun')).toMatchObject({ rows: 0, pullRequests: 0, precision: null })
  // A doubt is right where the row was not there: the other shares of the same pull requests.
  expect(line('evidence', 'floor-threshold')).toMatchObject({ says: 'noise', real: 2, noise: 2, pullRequests: 3 })
  expect([line('witness', 'trunk'), line('witness', 'person')].map(outcomes)).toEqual([
    [1, 1, 0],
    [1, 1, 0],
  ])
})

test('many rows of one pull request weigh as much as one row of another', () => {
  const many = report(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`q${i}`, 1.4])))
  const one = report({ sum: 1.4 })
  const accepted = many.rows.filter(({ verdict }) => verdict !== null).map((row) => accept(row))
  const line = linesOf(
    { reports: [ofPullRequest(1, many), ofPullRequest(2, one)] },
    { 1: accepted, 2: [ignore(rowOf(one, 'sum'))] },
  )
  expect(line('verdict', 'regression')).toMatchObject({
    real: 9,
    noise: 1,
    pullRequests: 2,
    precision: { share: 0.5, ...wilsonInterval(1, 2) },
  })
})

test('two later runs that take a row back make it noise, one leaves it undecided', () => {
  const first = report({ sum: 1.4 })
  const second = report({ sum: 1 }, { earlier: first }, 2)
  const third = report({ sum: 1 }, { earlier: second }, 3)
  const counted = (one: TriageReport) =>
    outcomes(linesOf({ reports: [ofPullRequest(1, one)] })('verdict', 'regression'))
  expect([first, second, third].map(counted)).toEqual([
    [0, 0, 1],
    [0, 0, 1],
    [0, 1, 0],
  ])
})

test('a run that confirms a row is a witness of what the later run alone says, not of the verdict that follows from both', () => {
  const overlapping = (attempt: number, earlier: TriageReport | null) =>
    judged([runOf([measured('calm', times(1)), measured('sum', OVERLAPPING)], { attempt })], { earlier })
  const first = overlapping(1, null)
  const second = overlapping(2, first)
  expect([first, second].map((one) => rowOf(one, 'sum').verdict)).toEqual(['needs-rerun', 'regression'])
  const sources = { reports: [ofPullRequest(1, second)] }
  const line = linesOf(sources)
  expect(outcomes(line('verdict', 'needs-rerun'))).toEqual([1, 0, 0])
  expect(outcomes(line('verdict', 'regression'))).toEqual([0, 0, 1])
  expect(outcomes(line('evidence', 'confirmed'))).toEqual([0, 0, 1])
  expect(outcomes(line('evidence', 'floor-threshold'))).toEqual([1, 0, 0])
  const ofPerson = linesOf(sources, { 1: [ignore(rowOf(second, 'sum'))] })
  expect(outcomes(ofPerson('verdict', 'regression'))).toEqual([0, 1, 0])
  expect(outcomes(ofPerson('verdict', 'needs-rerun'))).toEqual([1, 0, 0])
})

test('what a row was before a person spoke counts: accepted and ignored rows have the verdict that they had', () => {
  const plain = report({ sum: 1.4 })
  const [accepted, ignored] = [accept(rowOf(plain, 'sum')), ignore(rowOf(plain, 'sum'))]
  const row = rowOf(plain, 'sum')
  const reports = [
    { ...row, verdict: 'acknowledged' as const },
    { ...row, verdict: 'ignored' as const, ignored: { test: 'sum', query: 0, by } },
    { ...row, verdict: 'ignored' as const, ignored: { test: 'sum', query: 0, reason: 'old', until: '2027-01-01' } },
  ].map((one, index) => ({ pullRequestNumber: index + 1, rows: [one], withdrawn: [] }))
  const line = linesOf({ reports }, { 1: [accepted], 2: [ignored] })
  expect(outcomes(line('verdict', 'regression'))).toEqual([1, 1, 0])
})

test('the trunk counts before runs, these before people, of whom the last word counts, whether or not it has ended', () => {
  const one = report({ sum: 1.4 })
  const sum = rowOf(one, 'sum')
  const reports = [ofPullRequest(1, one)]
  const line = (decisions: readonly Decision[], outcome?: ShownFinding['outcome'], head = reports[0]!) => {
    const onTrunk = outcome === undefined ? [] : [{ pullRequestNumber: 1, shown: [shown(sum, outcome)] }]
    return outcomes(linesOf({ reports: [head], shown: onTrunk }, { 1: decisions })('verdict', 'regression'))
  }
  const [real, noise, undecided] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]
  expect(line([accept(sum)], 'did-not-appear')).toEqual(noise)
  expect(line([ignore(sum)], 'confirmed')).toEqual(real)
  expect(line([ignore(sum)], 'not-told')).toEqual(noise)
  expect(line([accept(sum), ignore(sum, { saidAt: 20 })])).toEqual(noise)
  expect(line([accept(sum, { saidAt: 20 }), ignore(sum)])).toEqual(real)
  expect(line([{ ...accept(sum), until: 11 }])).toEqual(real)
  expect(line([accept(sum), { ...accept(sum), kind: 'unaccept' } as Decision])).toEqual(undecided)
  const outgrown = { ...sum, outgrown: { ...by, difference: 0.1 } }
  expect(line([accept(sum)], undefined, { ...reports[0]!, rows: [outgrown] })).toEqual(undecided)
  const takenBack = { ...reports[0]!, rows: [], withdrawn: [sum] }
  expect([line([accept(sum)], undefined, takenBack), line([], 'confirmed', takenBack)]).toEqual([noise, real])
  const byLabel = linesOf({ reports }, { 1: [accept(sum, { via: 'label', reason: '' })] })
  expect([byLabel('witness', 'label'), byLabel('witness', 'person')].map(({ real: of }) => of)).toEqual([1, 0])
})

test('a row counts once a pull request and verdict, as the latest head has it that is decided', () => {
  const [newest, older] = [report({ sum: 1.4 }), report({ sum: 1.5 })]
  const reports = [ofPullRequest(1, newest), { pullRequestNumber: 1, rows: [], withdrawn: [rowOf(older, 'sum')] }]
  expect(outcomes(linesOf({ reports })('verdict', 'regression'))).toEqual([0, 1, 0])
  const twice = [ofPullRequest(1, newest), ofPullRequest(1, older)]
  expect(outcomes(linesOf({ reports: twice })('verdict', 'regression'))).toEqual([0, 0, 1])
})

test('of likely noise the trunk alone says what became of it, and it is right where the trunk shows nothing', () => {
  const one = judged([runOf([measured('calm', times(1)), measured('sum', OVERLAPPING)])], {
    changedFiles: ['docs/a.md'],
  })
  const sum = rowOf(one, 'sum')
  expect(sum.verdict).toBe('likely-noise')
  expect(findingsAtMerge(one)).toEqual([expect.objectContaining({ test: 'sum', isSilent: true })])
  const line = linesOf(
    {
      reports: [1, 2, 3].map((number) => ofPullRequest(number, one)),
      shown: [
        { pullRequestNumber: 1, shown: [shown(sum, 'did-not-appear')] },
        { pullRequestNumber: 2, shown: [shown(sum, 'confirmed')] },
      ],
    },
    { 3: [ignore(sum)] },
  )
  const half = { rows: 3, real: 1, noise: 1, undecided: 1, precision: { share: 0.5, ...wilsonInterval(1, 2) } }
  expect(line('verdict', 'likely-noise')).toMatchObject({ says: 'noise', ...half })
  expect(line('evidence', 'no-code-changed')).toMatchObject({ says: 'noise', ...half })
  expect(line('witness', 'person').rows).toBe(0)
})

test('of other rows that never stood open the number alone is known', () => {
  const faster = report({ sum: 0.6 })
  const line = linesOf({ reports: [ofPullRequest(1, faster)] }, { 1: [ignore(rowOf(faster, 'sum'))] })
  expect(line('verdict', 'improvement')).toMatchObject({ says: 'neither', rows: 1, undecided: 1, precision: null })
  expect(line('evidence', 'floor-threshold').rows).toBe(0)
})
