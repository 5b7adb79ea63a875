import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  type HistoryAsking,
  headByHistory,
  historyOfHead,
  learnedOfHead,
} from '../../../src/bot/triage/history-of-head.ts'
import { TooLate, withDeadline } from '../../../src/bot/triage/with-deadline.ts'
import { DEFAULT_CONFIG } from '../../../src/config/repository-config.ts'
import { queryKey, type Run, resultKey } from '../../../src/intake/measurement/run.ts'
import type { TrunkHistory } from '../../../src/judge/history/trunk-history.ts'
import type { HistoryProblem } from '../../../src/judge/history/trunk-series.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { classifyHead, type HeadInput } from '../../../src/report/classify-head.ts'
import { judge } from '../../../src/report/judge.ts'
import { rowsToAskAbout } from '../../../src/report/judge-rows.ts'
import { historyWords } from '../../../src/report/render/history-words.ts'
import { suitesOf } from '../../../src/report/suites.ts'
import { openClickHouse } from '../../../src/store/client.ts'
import type { CopyProblem, CopyState, Hours } from '../../../src/store/history/history-copies.ts'
import { type Store, storeOn } from '../../../src/store/store.ts'
import { type CopiedHistory, copiedHistory } from '../../../src/store/sync/copied-history.ts'
import { openHistorySources } from '../../../src/store/sync/history-sources.ts'
import { recordedSuite } from '../../judge/bisect/recorded-suite.ts'
import { classified, judged, measured, runOf, times } from '../../report/judge-setting.ts'
import { migratedDatabase } from '../../store/embedded/engine-fixture.ts'
import { trunkRow } from '../../store/history/trunk-rows.ts'

const NOW = Date.parse('2026-11-20T10:00:00.000Z')
const HOUR = 3_600_000
const commit = (index: number) => index.toString(16).padStart(40, '0')

let store: Store
beforeAll(async () => {
  store = storeOn(await openClickHouse(await migratedDatabase()))
  // A run every three hours; `sum` steps by 20% at the 220th and by 25% at the 237th, which is after the merge base.
  const level = (index: number) => (index < 220 ? 0.1 : index < 237 ? 0.12 : 0.15)
  const noise = (index: number) => 1 + (((index * 7919) % 13) - 6) / 2000
  // `twice` steps by 20% at the 215th and by 8% at the 224th.
  const twice = (index: number) => 0.1 * (index < 215 ? 1 : 1.2) * (index < 224 ? 1 : 1.08)
  // `quick` gets faster by 20% at the 230th, `mended` slower by 25% at the 225th until the 240th.
  const quick = (index: number) => (index < 230 ? 0.1 : 0.08)
  const mended = (index: number) => (index < 225 || index >= 240 ? 0.1 : 0.125)
  for (const [name, levels] of Object.entries({ quick, mended }))
    await store.trunkHistory.save(
      1,
      Array.from({ length: 260 }, (_, index) =>
        trunkRow({
          time: NOW - (260 - index) * 3 * HOUR,
          oldCommit: commit(index - 1),
          newCommit: commit(index),
          test: name,
          queryName: `SELECT ${name}`,
          architecture: '',
          old: levels(index - 1) * noise(2 * index),
          new: levels(index) * noise(2 * index + 1),
        }),
      ),
    )
  // `spiked` steps by 12% at the 220th, eight runs after one of 40%, which is more than the step rule lets pass.
  const spiked = (index: number) => 0.1 * (index < 220 ? 1 : 1.12)
  await store.trunkHistory.save(
    1,
    Array.from({ length: 260 }, (_, index) =>
      trunkRow({
        time: NOW - (260 - index) * 3 * HOUR,
        oldCommit: commit(index - 1),
        newCommit: commit(index),
        test: 'spiked',
        queryName: 'SELECT spiked',
        architecture: '',
        old: spiked(index - 1) * noise(2 * index),
        new: spiked(index) * noise(2 * index + 1) * ([204, 208, 212].includes(index) ? 1.4 : 1),
      }),
    ),
  )
  await store.trunkHistory.save(
    1,
    Array.from({ length: 260 }, (_, index) =>
      trunkRow({
        time: NOW - (260 - index) * 3 * HOUR,
        oldCommit: commit(index - 1),
        newCommit: commit(index),
        test: 'twice',
        queryName: 'SELECT twice',
        architecture: '',
        old: twice(index - 1) * noise(2 * index),
        new: twice(index) * noise(2 * index + 1),
      }),
    ),
  )
  await store.trunkHistory.save(
    1,
    Array.from({ length: 260 }, (_, index) =>
      trunkRow({
        time: NOW - (260 - index) * 3 * HOUR,
        oldCommit: commit(index - 1),
        newCommit: commit(index),
        test: 'sum',
        queryName: 'SELECT sum',
        architecture: '',
        old: level(index - 1) * noise(2 * index),
        new: level(index) * noise(2 * index + 1),
      }),
    ),
  )
})
afterAll(() => store.close())

const runs: Run[] = [runOf([measured('sum', times(1.2)), measured('other', times(1.2)), measured('calm', times(1))])]
const KEY = resultKey({ test: 'sum', queryIndex: 0, queryName: 'SELECT sum', architecture: null })

const AT: Partial<HeadInput> = {
  references: [{ commit: commit(210), architectures: [null], commitsBeforeMergeBase: 20 }],
  mergeBase: commit(230),
}

/** What the history says of a head, and how it is judged by that. */
async function asked(more: Partial<HistoryAsking> = {}, input: Partial<HeadInput> = {}, of: readonly Run[] = runs) {
  const asking: HistoryAsking = {
    store,
    copied: null,
    now: NOW,
    lookbackDays: 30,
    commitsBetween: async (older, newer) => (older <= newer ? parseInt(newer, 16) - parseInt(older, 16) : null),
    commitLine: async () => Array.from({ length: 21 }, (_, index) => commit(210 + index)),
    log: pino({ level: 'silent' }),
    ...more,
  }
  const before = classified(of, { ...AT, ...input })
  const known = await learnedOfHead(asking, before.input, NOW)
  const learned = known.learned?.lookup ?? null
  const head = classifyHead({ ...before.input, thresholds: { ...before.input.thresholds, learned } })
  const history = await historyOfHead(asking, known, head, rowsToAskAbout(head))
  return { ...history, learned, report: judge(head, { history: history.facts }) }
}

const inRepository = (id: number): Partial<HeadInput> => ({
  repository: { id, owner: 'acme', name: 'engine', isPrivate: false, url: 'https://github.test/acme/engine' },
})

test('thresholds, moves and the step up to the merge base of what has changed, and of nothing else', async () => {
  const { facts, learned, series } = await asked()
  expect(facts.problem).toBeNull()
  expect(facts.learned).toEqual({ source: 'own', newest: NOW - 3 * HOUR })
  expect(learned!(queryKey({ test: 'sum', queryIndex: 0, queryName: 'SELECT sum' }), null)?.changed).toBeGreaterThan(0)
  expect([...facts.queries.keys()]).toHaveLength(2)
  expect(facts.queries.get(KEY)).toMatchObject({
    // Of 239 runs two show a step themselves, and on neither side of one it moved as far.
    moves: { runs: 237, times: 0 },
    step: { lastGood: { commit: commit(219) }, firstBad: { commit: commit(220) } },
  })
  expect(facts.orderOnTrunk?.get(commit(230))).toBe(20)
  expect([...series.keys()]).toEqual([KEY])
})

test('a suite that moves together on the trunk at times is told, and has no cause when it does so again', async () => {
  const suite = Array.from({ length: 5 }, (_, index) => index)
  const isBad = (run: number) => run % 10 === 3
  await store.trunkHistory.save(
    77,
    Array.from({ length: 60 }, (_, run) => run).flatMap((run) =>
      suite.map((index) =>
        trunkRow({
          time: NOW - (60 - run) * 3 * HOUR,
          newCommit: commit(run),
          test: 'bad',
          queryIndex: index,
          queryName: `SELECT ${index}`,
          architecture: '',
          new: isBad(run) && index < 4 ? 0.13 : 0.1,
        }),
      ),
    ),
  )
  const ofSuite = suite.map((index) => ({
    ...measured('bad', times(index < 4 ? 1.3 : 1)),
    queryIndex: index,
    queryName: `SELECT ${index}`,
  }))
  const calm = Array.from({ length: 40 }, (_, index) => measured(`calm_${index}`, times(1)))
  const { input } = classified([runOf([...ofSuite, ...calm])], { ...AT, ...inRepository(77) })
  const asking = { store, copied: null, now: NOW, lookbackDays: 30, log: pino({ level: 'silent' }) }
  const noCommits = { commitsBetween: async () => null, commitLine: async () => null }
  const { head, history, habitsOf } = await headByHistory({ ...asking, ...noCommits }, input, NOW)
  const report = judge(head, { history: history.facts })
  expect(suitesOf(report)[0]).toMatchObject({ test: 'bad', habit: null, cause: { direction: 'slower' } })
  const suiteHabits = await habitsOf(report)
  expect(suiteHabits).toEqual([{ test: 'bad', direction: 'slower', runs: 60, asMany: 6 }])
  expect(suitesOf({ ...report, suiteHabits })[0]).toMatchObject({ cause: null, habit: suiteHabits[0] })
})

test('a short id of the old build is found; no step is asked for where nothing lies between', async () => {
  const short = { commit: commit(210).slice(0, 38), architectures: [null], commitsBeforeMergeBase: 20 }
  // Two commits begin like that.
  const unclear = await asked({}, { references: [short] })
  expect(unclear.facts.queries.get(KEY)?.step).toBeNull()
  const clear = { ...short, commit: commit(210).slice(0, 39) }
  const line = [commit(210), ...Array.from({ length: 20 }, (_, index) => `f${commit(211 + index).slice(1)}`)]
  const { facts } = await asked({ commitLine: async () => line }, { references: [clear], mergeBase: line.at(-1)! })
  expect(facts.orderOnTrunk?.get(clear.commit)).toBe(0)

  let lines = 0
  const commitLine = async () => {
    lines += 1
    return null
  }
  const same = { commit: commit(230), architectures: [null], commitsBeforeMergeBase: 0 }
  expect((await asked({ commitLine }, { references: [same] })).facts.orderOnTrunk).toBeNull()
  expect(lines).toBe(0)
})

test('a commit graph that GitHub does not give is no problem of the history', async () => {
  const commitLine = () => Promise.reject(new Error('502'))
  const { facts } = await asked({ commitLine })
  expect([facts.orderOnTrunk, facts.problem]).toEqual([null, null])
  expect(facts.queries.get(KEY)?.moves).not.toBeNull()
})

describe('a history that is copied out of a CI database', () => {
  const environment = {
    url: 'http://127.0.0.1:1',
    user: 'u',
    password: 'p',
    repositories: ['acme/engine'],
    tables: ['query_metrics_v2', 'query_metric_runs_v1'],
  }
  const [medians, rawRuns] = environment.tables.map((name) => `${environment.url}/${name}`) as [string, string]
  const copiedBy = (changes: Partial<typeof environment> = {}, name = 'acme/engine') => {
    const sources = openHistorySources({ ...environment, ...changes })
    return copiedHistory(sources, store.historyCopies, { id: 1, name }, DEFAULT_CONFIG, NOW)
  }
  const end = NOW / HOUR + 1
  const save = async (copiedFrom: string, changes: Partial<CopyState>) =>
    await store.historyCopies.save({
      ...{ repositoryId: 1, copiedFrom, metric: 'client_time', covered: [], counted: new Map<number, number>() },
      ...{ checkedAt: 0, trunk: ['master'], problem: null },
      ...changes,
    })
  // As where nothing was copied: to delete the rows that most of the tests don't store takes a second for each.
  afterEach(async () => {
    for (const table of [medians, rawRuns]) await save(table, {})
  })

  test('where it is down, what is stored stands, and the problem is said', async () => {
    const problem = { kind: 'unreachable', message: 'The CI database can’t be reached.' } as const
    await save(medians, { problem })
    await save(rawRuns, { problem })
    const { facts, learned } = await asked({ copied: copiedBy() })
    expect(facts.problem).toBe('unreachable')
    expect(facts.learned?.source).toBe('own')
    expect(learned).not.toBeNull()
    expect(facts.queries.get(KEY)).toMatchObject({ moves: { runs: 237 }, step: { firstBad: { commit: commit(220) } } })
  })

  test('a table that the operator has not named is not asked, and another repository has none', async () => {
    expect(copiedBy({}, 'acme/other')).toBeNull()
    expect(copiedBy({}, 'Acme/Engine')?.copiedFrom).toEqual([medians, rawRuns])
    const { facts } = await asked({ copied: copiedBy({ tables: ['checks'] }) }, inRepository(2))
    expect(facts.problem).toBe('access-denied')
  })

  test.each<[string, readonly Hours[] | null, boolean, HistoryProblem | null]>([
    ['nothing', null, false, 'copying'],
    ['the newest week', [[end - 7 * 24, end]], false, 'copying'],
    ['the month to learn from, and not the hours since', [[0, end - 3 * 24]], true, 'copying'],
    ['all but the hour that goes on', [[0, end - 1]], true, null],
    ['everything', [[0, end]], true, null],
  ])('%s of it is copied', async (_, covered, isLearned, problem) => {
    if (covered !== null) for (const table of [medians, rawRuns]) await save(table, { covered })
    const { facts, learned, report } = await asked({ copied: copiedBy() })
    expect([facts.problem, learned !== null, facts.learned !== null]).toEqual([problem, isLearned, isLearned])
    if (!isLearned) expect(report.thresholdSources).toMatchObject({ learned: 0 })
    if (problem === 'copying') {
      expect(report.rows.filter(({ becauseOfChange }) => becauseOfChange)).toEqual([])
      expect(historyWords(report.history!)).toContain('still copying the main branch’s history')
    }
  })

  test.each<[string, readonly Hours[], CopyProblem['kind'], boolean]>([
    ['half copied and down', [[end - 12 * 24, end]], 'unreachable', false],
    ['half copied, which may not be read any more', [[end - 12 * 24, end]], 'access-denied', false],
    ['copied and down since', [[0, end - 5 * 24]], 'unreachable', true],
  ])('a table that is %s', async (_, covered, kind, isLearned) => {
    await save(medians, { covered, problem: { kind, message: 'It is not there.' } })
    await save(rawRuns, { covered: [[0, end]] })
    const { facts, learned } = await asked({ copied: copiedBy() })
    expect([facts.problem, learned !== null]).toEqual([kind, isLearned])
  })

  test('what is being copied is said before what can’t be read in another table', async () => {
    await save(medians, { covered: [[end - 12 * 24, end]] })
    await save(rawRuns, { problem: { kind: 'access-denied', message: 'No.' } })
    const { facts, learned } = await asked({ copied: copiedBy() })
    expect([facts.problem, learned]).toEqual(['copying', null])
  })

  test('of two tables one may not exist, and both have to be copied where they do', async () => {
    const absent = { kind: 'missing-table', message: 'There is none.' } as const
    const problemOf = async () => (await asked({ copied: copiedBy() })).facts.problem
    await save(medians, { covered: [[0, end]] })
    expect(await problemOf()).toBe('copying')
    await save(rawRuns, { problem: absent })
    expect(await problemOf()).toBeNull()
    await save(medians, { problem: absent })
    expect(await problemOf()).toBe('missing-table')
  })

  test('rows of a table are used as long as it may be', async () => {
    const rows = [0, 1, 2].map((hours) =>
      trunkRow({
        ...{ source: 'ci-database', copiedFrom: { table: medians, isOfRawRuns: false }, test: 'other' },
        ...{ queryName: 'SELECT other', architecture: '', newCommit: `c${hours}`, time: NOW - (hours + 1) * HOUR },
      }),
    )
    await store.historyCopies.saveRows({ repositoryId: 1, copiedFrom: medians, metric: 'client_time' }, rows)
    onTestFinished(async () => await store.historyCopies.remove(1, medians))
    for (const table of [medians, rawRuns]) await save(table, { covered: [[0, end]] })
    const key = resultKey({ test: 'other', queryIndex: 0, queryName: 'SELECT other', architecture: null })
    const movesWith = async (copied: CopiedHistory | null) =>
      (await asked({ copied })).facts.queries.get(key)?.moves?.runs
    expect(await movesWith(copiedBy())).toBe(3)
    expect(await movesWith(copiedBy({}, 'acme/other'))).toBeUndefined()
    expect(await movesWith(copiedBy({ tables: ['query_metric_runs_v1'] }))).toBeUndefined()
  })
})

test('an empty history is a state, and so is one that breaks', async () => {
  const empty = await asked({}, inRepository(2))
  expect([empty.facts.problem, empty.facts.learned]).toEqual(['empty', null])
  expect(empty.facts.queries.get(KEY)).toEqual({ moves: null, flaggedElsewhere: [], step: null })

  const breaks = () => Promise.reject(new Error('Code: 241. Memory limit exceeded'))
  const broken: TrunkHistory = {
    ...store.trunkHistory,
    learnedThresholds: breaks,
    moves: breaks,
    series: breaks,
  }
  const { facts, learned } = await asked({
    store: {
      runs: { oneSidedHistories: async () => new Map(), everyOf: async () => [] },
      trunkHistory: broken,
      reports: { flaggedElsewhere: breaks },
    },
  })
  expect([facts.problem, facts.learned, learned]).toEqual(['unexpected-answer', null, null])
})

test('nobody waits for longer than agreed', async () => {
  const never = () => new Promise<number>(() => {})
  await expect(withDeadline(never, 20)).rejects.toThrow(TooLate)
  expect(await withDeadline(async () => 7, 1000)).toBe(7)
  let asked = 0
  const ask = async () => {
    asked += 1
  }
  await expect(withDeadline(ask, 0)).rejects.toThrow(TooLate)
  expect(asked).toBe(0)
  await expect(withDeadline(() => Promise.reject(new Error('no')), 1000)).rejects.toThrow('no')
})

test('two steps between the old build and the merge base: the larger one is named, both are the trunk’s', async () => {
  const slower = [runOf([measured('twice', times(1.296))], { oldCommit: commit(210) })]
  const { facts } = await asked({}, {}, slower)
  const [row] = judged(slower, { ...AT, history: facts }).rows
  expect(row).toMatchObject({
    verdict: 'already-on-trunk',
    evidence: [{ kind: 'already-on-trunk', firstBad: commit(215) }, {}, {}, {}],
  })
  const [evidence] = row!.evidence
  expect(evidence?.kind === 'already-on-trunk' && evidence.shift).toBeCloseTo(0.296, 1)
})

test('a query that is too noisy to step alone is asked where its neighbour stepped, which nobody asked about', async () => {
  // Of the demo's engine: `#1` steps by 26% at its run 25, here 225; `#0` by 14% with it, in spikes of 30%.
  const suite = recordedSuite('orders_sort').slice(0, 2)
  const textOf = (queryIndex: number | null) => `SELECT ${queryIndex} FROM orders`
  const rows = suite.flatMap(({ queryIndex, points }) =>
    points.map(({ old, new: fresh, difference, threshold }, run) =>
      trunkRow({
        ...{ time: NOW - (60 - run) * 3 * HOUR, oldCommit: commit(200 + run), newCommit: commit(201 + run) },
        ...{ test: 'orders_sort', queryIndex: queryIndex!, queryName: textOf(queryIndex), architecture: '' },
        ...{ old, new: fresh, difference, threshold: threshold! },
      }),
    ),
  )
  const at = {
    references: [{ commit: commit(220), architectures: [null], commitsBeforeMergeBase: 20 }],
    mergeBase: commit(240),
  }
  const commitLine = async () => Array.from({ length: 21 }, (_, index) => commit(220 + index))
  await store.trunkHistory.save(4, rows)
  const slowerBy = (sizes: readonly number[]) => [
    runOf(
      sizes.map((size, queryIndex) =>
        measured('orders_sort', times(1 + size), { queryIndex, queryName: textOf(queryIndex) }),
      ),
      { oldCommit: commit(220) },
    ),
  ]
  const repository = { id: 4 } as HeadInput['repository']
  const rowOf = async (of: readonly Run[]) => {
    const input = { ...at, repository: { ...classified(of).input.repository, ...repository } }
    const { facts, series } = await asked({ commitLine }, input, of)
    const [row] = judged(of, { ...input, history: facts }).rows
    return { row, facts, series }
  }
  const { row, facts, series } = await rowOf(slowerBy([0.17, 0]))
  expect(row).toMatchObject({
    queryIndex: 0,
    verdict: 'already-on-trunk',
    evidence: [{ kind: 'already-on-trunk', lastGood: commit(222), firstBad: commit(225) }, {}, {}],
  })
  // Two of its 40 runs moved as far, both before the step; of the runs at which the step may be none counts.
  expect(facts.queries.get(resultKey(row!.results[0]!))?.moves).toMatchObject({ runs: 14, times: 0 })
  expect([...series.keys()]).toEqual([resultKey(row!.results[0]!)])
  const alone = await rowOf(slowerBy([0.17]))
  expect(alone.row?.verdict).not.toBe('already-on-trunk')
})

test('a step that only the pair, its run and the levels show together is the trunk’s as well', async () => {
  const slower = [runOf([measured('spiked', times(1.12))], { oldCommit: commit(210) })]
  const { facts } = await asked({}, {}, slower)
  const [known] = facts.queries.values()
  expect(known?.step).toMatchObject({ firstBad: { commit: commit(220) }, seenBy: 'paired-evidence' })
  const [row] = judged(slower, { ...AT, history: facts }).rows
  expect(row).toMatchObject({
    verdict: 'already-on-trunk',
    evidence: [{ kind: 'already-on-trunk', lastGood: commit(219), firstBad: commit(220) }, {}, {}],
  })
})

describe('a step that the row takes back', () => {
  /** The row of a query that was measured against this build, which is the merge base. */
  async function rowOf(name: string, factor: number, oldBuild: number | null, more: Partial<HistoryAsking> = {}) {
    const oldCommit = oldBuild === null ? null : commit(oldBuild)
    const heads = [runOf([measured(name, times(factor))], { oldCommit })]
    const references =
      oldCommit === null ? [] : [{ commit: oldCommit, architectures: [null], commitsBeforeMergeBase: 0 }]
    const of = { references, mergeBase: oldCommit }
    const { facts } = await asked(more, of, heads)
    expect(facts.problem).toBeNull()
    return judged(heads, { ...of, history: facts }).rows[0]!
  }
  const takenBack = async (...row: Parameters<typeof rowOf>) =>
    (await rowOf(...row)).evidence.find(({ kind }) => kind === 'takes-back')

  test('is the newest one of its size that the old build has', async () => {
    expect(await takenBack('sum', 0.81, 245)).toMatchObject({ commit: commit(237), time: NOW - 23 * 3 * HOUR })
    expect(await takenBack('sum', 0.81, 237)).toMatchObject({ commit: commit(237) })
    expect(await takenBack('sum', 0.81, 236)).toMatchObject({ commit: commit(220) })
    expect(await takenBack('sum', 0.81, 219)).toBeUndefined()
    expect(await takenBack('sum', 0.5, 245)).toBeUndefined()
    expect(await takenBack('sum', 1.25, 245)).toBeUndefined()
  })

  test('is said of an optimisation that is gone, and excuses nothing', async () => {
    const row = await rowOf('quick', 1.25, 245)
    expect(row.verdict).toBe('regression')
    const evidence = row.evidence.find((item) => item.kind === 'takes-back')
    expect(evidence).toMatchObject({ commit: commit(230) })
    expect(evidence?.step).toBeCloseTo(-0.2, 2)
    expect(await takenBack('quick', 0.8, 245)).toBeUndefined()
  })

  test('is none that the trunk has taken back itself, before the old build or after it', async () => {
    expect(await takenBack('mended', 0.8, 245)).toBeUndefined()
    expect(await takenBack('mended', 0.8, 235)).toBeUndefined()
  })

  test('is none where nobody can say whether the old build has it, and none from before the lookback', async () => {
    expect(await takenBack('sum', 0.81, 245, { commitsBetween: async () => null })).toBeUndefined()
    expect(
      await takenBack('sum', 0.81, 245, { commitsBetween: () => Promise.reject(new Error('502')) }),
    ).toBeUndefined()
    expect(await takenBack('sum', 0.81, null)).toBeUndefined()
    expect(await takenBack('sum', 0.81, 245, { lookbackDays: 2 })).toBeUndefined()
  })
})

test('the old build is that of the run: one that has the step already leaves nothing between', async () => {
  const other = { commit: commit(230), architectures: [null], commitsBeforeMergeBase: 0 }
  const references = [...AT.references!, other]
  const from = async (oldCommit: string | null) =>
    (await asked({}, { references }, [{ ...runs[0]!, oldCommit }])).facts.queries.get(KEY)
  expect((await from(commit(210)))?.step).toMatchObject({ firstBad: { commit: commit(220) } })
  expect((await from(commit(230)))?.step).toBeNull()
  // Shards have different ones, and this run does not say which.
  expect((await from(null))?.step).toBeNull()
})

test('what moves by itself on the trunk is known though its learned threshold keeps it from being flagged', async () => {
  // Every tenth run moves by 8% and back: a learned threshold of 12%.
  const moving = (test: string, repositoryId: number, every: number, count = 260) =>
    store.trunkHistory.save(
      repositoryId,
      Array.from({ length: count }, (_, index) =>
        trunkRow({
          time: NOW - (count - index) * 3 * HOUR,
          oldCommit: commit(index),
          newCommit: commit(index + 1),
          test,
          queryName: `SELECT ${test}`,
          architecture: '',
          old: 0.1,
          new: index % every === 0 ? (index % 20 === 0 ? 0.108 : 0.092) : 0.1,
        }),
      ),
    )
  await moving('calm', 5, 10)
  await moving('other', 5, 1000)
  const { facts, learned } = await asked({}, { ...inRepository(5), references: [] })
  const key = queryKey({ test: 'calm', queryIndex: 0, queryName: 'SELECT calm' })
  expect(learned!(key, null)!.changed).toBeCloseTo(0.12)
  expect(facts.movers).toEqual([
    {
      test: 'calm',
      queryIndex: 0,
      queryName: 'SELECT calm',
      architecture: null,
      atLeast: 0.05,
      moves: expect.objectContaining({ runs: 239, times: 23, lastTime: NOW - 10 * 3 * HOUR }) as unknown,
      flaggedElsewhere: [],
    },
  ])
  expect(
    (
      await asked(
        {},
        { ...inRepository(5), thresholds: { ...DEFAULT_THRESHOLDS, configured: { changed: 0.1, unstable: null } } },
      )
    ).facts.movers,
  ).toEqual([])
})

test('the run of a step is no move of a mover', async () => {
  const level = (index: number) => (index >= 220 ? 0.12 : 0.1)
  const stepping = (test: string, moved: readonly number[]) =>
    store.trunkHistory.save(
      7,
      Array.from({ length: 260 }, (_, index) =>
        trunkRow({
          time: NOW - (260 - index) * 3 * HOUR,
          oldCommit: commit(index),
          newCommit: commit(index + 1),
          test,
          queryName: `SELECT ${test}`,
          architecture: '',
          old: level(index - 1),
          new: level(index) * (moved.includes(index) ? 1.08 : 1),
        }),
      ),
    )
  // Six moves of 239 are more than 1%, and five are not: for one of the two that is the step.
  await stepping('calm', [40, 80, 120, 160, 200])
  await stepping('other', [40, 80, 120, 160, 200, 240])
  const { facts } = await asked({}, { ...inRepository(7), references: [] })
  expect(facts.movers?.map(({ test, moves }) => [test, moves.times])).toEqual([['other', 6]])
})

test('a history that is shorter than what learning needs is told', async () => {
  const rows = Array.from({ length: 23 }, (_, index) =>
    trunkRow({ time: NOW - 20 * 24 * HOUR + index * HOUR, newCommit: commit(index), test: 'sum', architecture: '' }),
  )
  await store.trunkHistory.save(6, rows)
  const { facts } = await asked({}, { ...inRepository(6), references: [] })
  expect([facts.problem, facts.learned]).toEqual([
    null,
    {
      source: 'own',
      newest: rows.at(-1)!.time,
      tooShort: { runs: 23, moreThan: 100, days: 30, endedDaysAgo: 7 },
    },
  ])
})
