import { runsInDoubt } from '../../src/bot/triage/confirm.ts'
import { DEFAULT_CONFIG } from '../../src/config/repository-config.ts'
import type { Measurement, Run } from '../../src/intake/measurement/run.ts'
import { resultKey, runKey } from '../../src/intake/measurement/run.ts'
import { notPassedOf } from '../../src/report/check-conclusion.ts'
import { classifyHead, type HeadInput, runOfResult } from '../../src/report/classify-head.ts'
import { decided } from '../../src/report/decisions.ts'
import { judge } from '../../src/report/judge.ts'
import { withVerdict } from '../../src/report/parts.ts'
import type { Shard, TriageReport } from '../../src/report/report.ts'
import type { Suite } from '../one-sided/histories.ts'
import { headOf, runOf } from './head.ts'
import type { RecordedRun } from './recorded-runs.ts'

/** Pull requests that change nothing, in a repository with `mode: gating` and `undecided: block`, once nothing runs again. */
export interface Blocked {
  readonly name: string
  readonly pullRequests: number
  /** Of which the bot has run a job again, once or twice. */
  readonly rerun: number
  /** By a row that no run decides. */
  readonly undecided: number
  /** By a row that is called a regression, as without `undecided`. */
  readonly regression: number
}

/** As the budget of reruns lets the bot measure one commit. */
export const MOST_RUNS = 3

/** Runs of the trunk before a head that was measured alone. */
const LEAST_TRUNK = 20
const MOST_TRUNK = 100

const SETTINGS = { ...DEFAULT_CONFIG, undecided: 'block' } as const

const MEASURED: Shard = {
  check: 'performance',
  architecture: null,
  shard: null,
  shards: null,
  state: 'measured',
  problem: null,
  url: null,
  conclusion: 'success',
}

/** The report of one attempt, after those that it follows. */
type Attempt = (earlier: readonly TriageReport[]) => { readonly report: TriageReport; readonly isDoubtful: boolean }

/** The last report of a pull request: a further run is measured as long as the bot would start one. */
function lastReport(attempt: Attempt): { readonly report: TriageReport; readonly runs: number } {
  const reports: TriageReport[] = []
  for (;;) {
    const { report, isDoubtful } = attempt(reports)
    const rerunIsDue = isDoubtful && reports.length + 1 < MOST_RUNS
    reports.push(decided(report, SETTINGS, null, rerunIsDue))
    if (!rerunIsDue) return { report: reports.at(-1)!, runs: reports.length }
  }
}

function judged(input: HeadInput, earlier: readonly TriageReport[]): ReturnType<Attempt> {
  const head = classifyHead({ ...input, shards: [MEASURED], mode: 'gating', earlier: earlier.at(-1) ?? null })
  const report = judge(head)
  return { report, isDoubtful: runsInDoubt(report, runOfResult(head)).length > 0 }
}

function blocked(name: string, found: readonly ReturnType<typeof lastReport>[]): Blocked {
  const count = (is: (one: (typeof found)[number]) => boolean) => found.filter(is).length
  return {
    name,
    pullRequests: found.length,
    rerun: count(({ runs }) => runs > 1),
    undecided: count(({ report }) => notPassedOf(report).some(({ kind }) => kind === 'undecided')),
    regression: count(({ report }) => withVerdict(report.rows, 'regression').length > 0),
  }
}

/** Both sides of one build: each three different ones of the recorded runs, in each order, are the attempts of a pull request. */
export function blockedTwoSided(runs: readonly RecordedRun[]): Blocked {
  const same = runs.filter(({ isSameBuild }) => isSameBuild)
  const found = same.flatMap((first) =>
    same.flatMap((second) =>
      same.flatMap((third) => {
        if (new Set([first, second, third]).size < MOST_RUNS) return []
        const attempts = [first, second, third]
        return [attempts]
      }),
    ),
  )
  return blocked(
    'two-sided, 22 recorded runs',
    found.map((attempts) =>
      lastReport((earlier) => {
        const attempt = earlier.length
        const run = { ...runOf(attempts[attempt]!, 1, 1), head: 'a'.repeat(40), attempt: attempt + 1 }
        return judged(headOf(run), earlier)
      }),
    ),
  )
}

/** The head alone: each three runs in a row of a recorded history are the attempts of a pull request, those before them its trunk. */
export function blockedOneSided(
  { name, series }: Suite,
  isUnchanged: (which: number, run: number) => boolean,
): Blocked {
  const runs = Math.max(...series.map(({ values }) => values.length))
  const found = Array.from({ length: Math.max(0, runs - LEAST_TRUNK - MOST_RUNS + 1) }, (_, index) => {
    const first = LEAST_TRUNK + index
    const counted = series.flatMap(({ values, better }, which) => {
      const trunk = values.slice(Math.max(0, first - MOST_TRUNK), first)
      const jobs = values.slice(first, first + MOST_RUNS)
      const isMeasured = trunk.filter(Number.isFinite).length >= LEAST_TRUNK && jobs.every((value) => value > 0)
      return isMeasured && isUnchanged(which, first) ? [{ which, better, trunk, jobs }] : []
    })
    return counted.length === 0 ? null : lastReport((earlier) => alone(counted, earlier))
  })
  return blocked(
    name,
    found.filter((one) => one !== null),
  )
}

interface Benchmark {
  readonly which: number
  readonly better: 'lower' | 'higher'
  readonly trunk: readonly number[]
  readonly jobs: readonly number[]
}

function alone(benchmarks: readonly Benchmark[], earlier: readonly TriageReport[]): ReturnType<Attempt> {
  const job = earlier.length
  const idOf = ({ which }: Benchmark) => ({ test: `b${which}`, queryIndex: 0, queryName: null })
  const measurements = benchmarks.map(
    (one): Measurement => ({
      ...idOf(one),
      metric: 'client_time',
      unit: 's',
      architecture: null,
      old: [],
      new: [one.jobs[job]!],
      reportThreshold: null,
      rounded: false,
      problems: [],
      ...(one.better === 'higher' && { better: 'higher' }),
    }),
  )
  const recorded = {
    name: 'job',
    isSameBuild: true,
    oldCommit: '',
    newCommit: 'a'.repeat(40),
    time: job,
    measurements,
    warnings: [],
  }
  const run: Run = { ...runOf(recorded, 1, 1), oldCommit: null, newCommit: null, attempt: job + 1 }
  const queries = new Map(
    benchmarks.map((one) => [
      resultKey({ ...idOf(one), architecture: null }),
      { trunk: one.trunk, jobs: one.jobs.slice(0, job + 1) },
    ]),
  )
  const trunkRuns = Math.max(...benchmarks.map(({ trunk }) => trunk.length))
  const oneSided = new Map([[runKey(run), { trunkRuns, jobs: job + 1, queries }]])
  return judged({ ...headOf(run), oneSided }, earlier)
}
