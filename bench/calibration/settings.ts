import { pino } from 'pino'
import { type HistoryAsking, historyOfHead, learnedOfHead } from '../../src/bot/triage/history-of-head.ts'
import type { Run } from '../../src/intake/measurement/run.ts'
import { classify } from '../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'
import { trunkRowsOfRun } from '../../src/judge/verdict/trunk-run.ts'
import { classifyHead } from '../../src/report/classify-head.ts'
import { judge } from '../../src/report/judge.ts'
import { rowsToAskAbout } from '../../src/report/judge-rows.ts'
import type { TriageReport } from '../../src/report/report.ts'
import type { Store } from '../../src/store/store.ts'
import { BRANCH, headOf, judgeRun, runOf } from './head.ts'
import type { RecordedRun } from './recorded-runs.ts'
import { seeded } from './seeded.ts'

/** A run and what the bot would have said of it. */
export interface JudgedRun {
  readonly run: RecordedRun
  readonly report: TriageReport
}

const DAY = 86_400_000
/** As the repository's configuration has it by default. */
const LOOKBACK_DAYS = 30
const LOG = pino({ level: 'silent' })

/** Repositories in the store, one for each setting: they never see each other. */
const PAST = 1
const BUSY = 2
/** And, beyond it, one for each run. */
const RESAMPLED = 1000

/** By the measurement alone: no history was asked. */
export function withoutHistory(runs: readonly RecordedRun[]): JudgedRun[] {
  return runs.map((run, index) => ({ run, report: judgeRun(runOf(run, PAST, index + 1)) }))
}

/**
 * With the trunk's history as it was when the run was measured: of `runs`, in the order of time, each is judged as a pull
 * request's and then stored as the trunk's, release changes included.
 */
export async function withPast(store: Store, runs: readonly RecordedRun[]): Promise<JudgedRun[]> {
  const judged: JudgedRun[] = []
  for (const [index, run] of runs.entries()) {
    judged.push({ run, report: await judgeInStore(store, runOf(run, PAST, index + 1)) })
    await saveAsTrunk(store, runOf(run, PAST, 0))
  }
  return judged
}

/**
 * The same, and each run is that of an open pull request as well, which the others can see: what is flagged again and again
 * at one time. Every run counts twice here, as the trunk's and as a pull request's.
 */
export async function withPastAndPullRequests(store: Store, runs: readonly RecordedRun[]): Promise<JudgedRun[]> {
  const judged: JudgedRun[] = []
  for (const [index, run] of runs.entries()) {
    const own = runOf(run, BUSY, index + 1)
    judged.push({ run, report: await judgeInStore(store, own) })
    await store.runs.save(own, classify(own.measurements, DEFAULT_THRESHOLDS))
    await saveAsTrunk(store, runOf(run, BUSY, 0))
  }
  return judged
}

/** Runs of a resampled history, five a day: more than `LEAST_RUNS` are in the month learned from and in the lookback. */
export const RESAMPLED_RUNS = 190
const RESAMPLED_PER_DAY = 5
/** Runs that follow each other and are drawn together: what lasts longer than a run stays in the history. */
const BLOCK = 3
const SEED = 20_261_121

/**
 * With a history that is long enough to learn from, made of the other runs of the same build: blocks of three that follow
 * each other, drawn with replacement until there are `RESAMPLED_RUNS`. The judged run is never in its own history; later
 * ones are. What is drawn again and again is no new observation: a history of as many measured runs would hold larger moves.
 */
export async function withResampledPast(store: Store, runs: readonly RecordedRun[]): Promise<JudgedRun[]> {
  const random = seeded(SEED)
  const judged: JudgedRun[] = []
  for (const [index, run] of runs.entries()) {
    const others = runs.filter((other) => other !== run && other.isSameBuild)
    const drawn: RecordedRun[] = []
    while (drawn.length < RESAMPLED_RUNS) {
      const first = Math.floor(random() * others.length)
      for (let i = 0; i < BLOCK; i += 1) drawn.push(others[(first + i) % others.length]!)
    }
    const repositoryId = RESAMPLED + index
    const rows = drawn.slice(0, RESAMPLED_RUNS).flatMap((other, age) => {
      const time = run.time - ((age + 1) * DAY) / RESAMPLED_PER_DAY
      const newCommit = age.toString(16).padStart(40, '0')
      return trunkRows(runOf({ ...other, time, newCommit }, repositoryId, 0))
    })
    await store.trunkHistory.save(repositoryId, rows)
    judged.push({ run, report: await judgeInStore(store, runOf(run, repositoryId, 1)) })
  }
  return judged
}

/** As the bot judges: learned thresholds first, then what else the history says of the rows with a verdict. */
export async function judgeInStore(store: Store, run: Run): Promise<TriageReport> {
  const time = Date.parse(run.finishedAt)
  const asking: HistoryAsking = {
    store,
    copied: null,
    now: time,
    lookbackDays: LOOKBACK_DAYS,
    commitLine: async () => null,
    commitsBetween: async () => null,
    log: LOG,
  }
  const input = headOf(run)
  const known = await learnedOfHead(asking, input, time)
  const learned = known.learned?.lookup ?? null
  const head = classifyHead({ ...input, thresholds: { ...DEFAULT_THRESHOLDS, learned } })
  // The old build is the merge base: nothing of the trunk lies between.
  const asked = { ...head, input: { ...head.input, references: [] } }
  const { facts } = await historyOfHead(asking, known, asked, rowsToAskAbout(head))
  if (facts.problem !== null && facts.problem !== 'empty') throw new Error(`no history: ${facts.problem}`)
  return judge(head, { history: facts })
}

export async function saveAsTrunk(store: Store, run: Run): Promise<void> {
  await store.trunkHistory.save(run.repositoryId, trunkRows(run))
}

function trunkRows(run: Run) {
  return trunkRowsOfRun(run, classify(run.measurements, DEFAULT_THRESHOLDS), { baseBranch: BRANCH })
}
