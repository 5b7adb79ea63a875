import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { copyProfilesOfHead, MOST_PROFILES, profilesOfHead } from '../../../src/bot/triage/profiles-of-head.ts'
import { type QueryId, resultKey, type StackCount } from '../../../src/intake/measurement/run.ts'
import type { TraceType } from '../../../src/intake/measurement/trace-type.ts'
import { changedFunctions } from '../../../src/judge/profile/changed-functions.ts'
import type { ClassifiedQuery } from '../../../src/judge/verdict/classified-query.ts'
import type { Profiles, ProfileWanted } from '../../../src/store/profiles/profiles.ts'
import type { RunKey } from '../../../src/store/runs/run-rows.ts'
import { StoreUnavailable } from '../../../src/store/store-unavailable.ts'
import {
  amd,
  arm,
  judged,
  judgedHead,
  measured,
  OVERLAPPING,
  runOf,
  STEADY,
  times,
} from '../../report/judge-setting.ts'

const STACK = 'main;DB::executeQuery(int);void DB::Aggregator::executeImpl<DB::Method>(unsigned long) const'
const REST = 'main;DB::executeQuery(int);DB::MergeTreeReader::readRows(unsigned long)'
const BACKUP = 'thread;DB::BackupWriter::copyFile()'

type Sides = { readonly old: readonly StackCount[]; readonly new: readonly StackCount[] }

const GROWN: Sides = {
  old: [
    { stack: STACK, count: 310 },
    { stack: REST, count: 490 },
    { stack: BACKUP, count: 200 },
  ],
  new: [
    { stack: STACK, count: 440 },
    { stack: REST, count: 360 },
    { stack: BACKUP, count: 200 },
  ],
}
const FEW: Sides = { old: [{ stack: STACK, count: 31 }], new: [{ stack: STACK, count: 44 }] }

const sum = (counts: readonly StackCount[]) => counts.reduce((all, { count }) => all + count, 0)

/** What a store holds, by test and trace type; counts the questions. */
function holding(of: (wanted: ProfileWanted) => Partial<Record<TraceType, Sides>>) {
  const asked: string[] = []
  const profiles: Profiles = {
    async summariesOf(wanted) {
      asked.push(wanted.test)
      return Object.entries(of(wanted)).map(([traceType, sides]) => ({
        traceType: traceType as TraceType,
        old: sum(sides.old),
        new: sum(sides.new),
        runs: [],
      }))
    },
    async stacksOf(wanted, traceType) {
      return of(wanted)[traceType] ?? null
    },
  }
  return { profiles, asked }
}

function listening() {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  return { log, lines }
}

const head = 'b'.repeat(40)
const asking = { repositoryId: 1, head, log: pino({ level: 'silent' }) }
const keyOf = (report: ReturnType<typeof judged>, name: string) => {
  const row = report.rows.find((one) => one.test === name)!
  return resultKey(row.results[row.decidedBy]!)
}

const report = judged([runOf([measured('slow', OVERLAPPING), measured('same', STEADY), measured('fast', times(0.8))])])

test('the profiles of rows with a verdict, in words and for the evidence', async () => {
  const { profiles, asked } = holding(({ test: name }) =>
    name === 'slow' ? { CPU: GROWN, Real: FEW, MemorySample: FEW } : {},
  )
  const found = await profilesOfHead(report, { ...asking, profiles })
  expect(asked).toEqual(['slow', 'fast'])
  expect(found.get(keyOf(report, 'slow'))).toMatchObject({
    shown: { traceType: 'CPU', traceTypes: ['CPU', 'Real', 'MemorySample'], architecture: null },
    grown: { isEnough: true, grown: [{ name: 'DB::Aggregator::executeImpl', oldShare: 0.31, newShare: 0.44 }] },
  })
  expect(found.get(keyOf(report, 'fast'))).toBeNull()
  expect(found.has(keyOf(report, 'same'))).toBe(false)
})

test('what the report says with them: the words of each, and what is on the path of the slower one', async () => {
  const { profiles } = holding(({ test: name }) => (name === 'slow' ? { CPU: GROWN } : {}))
  const found = await profilesOfHead(report, { ...asking, profiles })
  const changedIn = (context: string, path: string) =>
    changedFunctions([{ path, patch: `@@ -1,2 +1,3 @@ ${context}\n     x();\n+    y();` }], false, () => true)
  const look = (context: string, path: string) =>
    judged([runOf([measured('slow', OVERLAPPING), measured('fast', times(0.8)), measured('same', STEADY)])], {
      profiles: found,
      changedFunctions: changedIn(context, path),
    }).rows

  const [slow, same, fast] = look('void Aggregator::executeImpl(size_t n) const', 'src/Aggregator.cpp')
  expect(slow).toMatchObject({ test: 'slow', verdict: 'regression', profile: { traceType: 'CPU' } })
  expect(slow!.profile!.words.total.map(({ change }) => change)).toContain('31% → 44%')
  expect(slow!.evidence.find(({ kind }) => kind === 'on-path')).toMatchObject({
    functions: [{ name: 'DB::Aggregator::executeImpl', file: 'src/Aggregator.cpp' }],
  })
  expect([fast!.test, fast!.profile]).toEqual(['fast', null])
  expect([same!.test, same!.profile]).toEqual(['same', undefined])

  // Its samples overlap, and nothing has confirmed it.
  const [off] = look('void BackupWriter::copyFile()', 'src/Backup.cpp')
  expect(off).toMatchObject({ test: 'slow', verdict: 'needs-rerun' })
  expect(off!.evidence.map(({ kind }) => kind)).toContain('off-path')
})

test('too few stack samples are said and prove nothing', async () => {
  const { profiles } = holding(() => ({ CPU: FEW }))
  const found = await profilesOfHead(report, { ...asking, profiles })
  const { shown, grown } = found.get(keyOf(report, 'slow'))!
  expect(shown.words.cautions).toEqual([expect.stringMatching(/^Too few stack samples/)])
  expect(grown).toEqual({ isEnough: false, grown: [], near: [], seen: [] })
})

test('no more than a bounded number, the worst rows first', async () => {
  const names = Array.from({ length: MOST_PROFILES + 5 }, (_, index) => `t${100 + index}`)
  const many = judged([runOf(names.map((name, index) => measured(name, times(2 - index / 100))))])
  const { profiles, asked } = holding(() => ({}))
  await profilesOfHead(many, { ...asking, profiles })
  expect(asked).toEqual(many.rows.slice(0, MOST_PROFILES).map(({ test: name }) => name))
  expect(asked).toContain('t100')
})

test('a head without any profile is asked once, however many rows it has', async () => {
  const { profiles, asked } = holding(() => ({ CPU: GROWN }))
  let times = 0
  const mayHaveAny = async () => {
    times += 1
    return false
  }
  const found = await profilesOfHead(report, { ...asking, profiles, mayHaveAny })
  expect([...found]).toEqual([
    [keyOf(report, 'slow'), null],
    [keyOf(report, 'fast'), null],
  ])
  expect([asked, times]).toEqual([[], 1])
})

test('a store that is down is one line in the log, and asked once', async () => {
  const { log, lines } = listening()
  let asked = 0
  const profiles: Profiles = {
    summariesOf: async () => {
      asked += 1
      throw new StoreUnavailable('it is down')
    },
    stacksOf: () => Promise.reject(new StoreUnavailable('it is down')),
  }
  expect(await profilesOfHead(report, { ...asking, profiles, log })).toEqual(new Map())
  expect(asked).toBe(1)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('the profile of a query could not be read')
})

test('a store that does not answer is left at the deadline', async () => {
  const { log, lines } = listening()
  const profiles: Profiles = { summariesOf: () => new Promise(() => {}), stacksOf: () => new Promise(() => {}) }
  expect(await profilesOfHead(report, { ...asking, profiles, log, deadline: 20 })).toEqual(new Map())
  expect(lines).toHaveLength(1)
})

describe('copies', () => {
  const { report: both, runOf: runOfResult } = judgedHead([
    arm(measured('slow', OVERLAPPING), measured('same', STEADY), measured('fast', times(0.8))),
    amd(measured('slow', times(1.1)), measured('other', times(1.5))),
  ])

  function copying(fail: (test: string) => Error | null = () => null) {
    const copied: string[] = []
    const copy = async ({ architecture }: RunKey, { test: name }: QueryId) => {
      copied.push(`${name} ${architecture}`)
      const error = fail(name)
      if (error !== null) throw error
    }
    return { copies: { copy }, copied }
  }

  test('are of rows with a verdict, of all architectures, deciding ones first, to the runs that measured them', async () => {
    const deciding = both.rows.flatMap((row) => {
      const { test: name, architecture } = row.results[row.decidedBy]!
      return row.verdict === null ? [] : [`${name} ${architecture}`]
    })
    const { log, lines } = listening()
    const { copies, copied } = copying()
    await copyProfilesOfHead(both, { copies, runOf: runOfResult, known: new Map(), log })
    expect(copied.slice(0, deciding.length)).toEqual(deciding)
    expect(copied.toSorted()).toEqual(['fast arm', 'other amd', 'slow amd', 'slow arm'])

    // A row that was just found to have none is not asked for again.
    const known = new Map([[keyOf(both, 'fast'), null]])
    const fewer = copying()
    await copyProfilesOfHead(both, { copies: fewer.copies, runOf: runOfResult, known, log })
    expect(fewer.copied.toSorted()).toEqual(['other amd', 'slow amd', 'slow arm'])

    // A measurement of another architecture than its run’s.
    const strangers = copying()
    const elsewhere = (result: ClassifiedQuery) => ({ ...runOfResult(result)!, architecture: null })
    await copyProfilesOfHead(both, { copies: strangers.copies, runOf: elsewhere, known: new Map(), log })
    expect(strangers.copied).toEqual([])
    expect(lines).toEqual([])
  })

  test('that fail are lines in the log; a database that is down or too slow is left', async () => {
    const copyAll = async (fail: (test: string) => Error | null, deadline = 60_000) => {
      const { log, lines } = listening()
      const { copies, copied } = copying(fail)
      await copyProfilesOfHead(both, { copies, runOf: runOfResult, known: new Map(), log, deadline })
      return [copied.length, lines.length]
    }
    expect(await copyAll((name) => (name === 'fast' ? new TypeError('not a number') : null))).toEqual([4, 1])
    expect(await copyAll(() => new StoreUnavailable('it is down'))).toEqual([1, 1])
    expect(await copyAll(() => null, 0)).toEqual([0, 1])
  })
})

test('an answer that can’t be read takes no other one’s place', async () => {
  const { log, lines } = listening()
  const { profiles } = holding(({ test: name }) => (name === 'fast' ? { CPU: GROWN } : {}))
  const broken: Profiles = {
    ...profiles,
    summariesOf: (wanted) =>
      wanted.test === 'slow' ? Promise.reject(new TypeError('not a number')) : profiles.summariesOf(wanted),
  }
  const found = await profilesOfHead(report, { ...asking, profiles: broken, log })
  expect([...found.keys()]).toEqual([keyOf(report, 'fast')])
  expect(lines).toHaveLength(1)
})
