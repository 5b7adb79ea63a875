import type { Environments } from '../../../intake/measurement/environment.ts'
import type { Measurement, Run } from '../../../intake/measurement/run.ts'
import type { InertPaths } from '../../bisect/binary-paths.ts'
import type { QueryHistory } from '../../history/history-facts.ts'
import { LEARNED_FACTOR, LEAST_RUNS, type LearnedThresholds } from '../../history/learned-thresholds.ts'
import type { ChangedFunctions } from '../../profile/changed-functions.ts'
import { FEWEST_POINTS_GROWN, GROWN_ERRORS, type GrownFunctions } from '../../profile/grown-functions.ts'
import type { ClassifiedQuery } from '../classified-query.ts'
import { byProcess, ENOUGH_PROCESSES } from '../processes.ts'
import { type AlreadyOnTrunk, STEP_SHARE } from './already-on-trunk.ts'
import { differentWork, MEMORY_DIFFERENCE, WORK_DIFFERENCE } from './different-work.ts'
import { EQUAL_SHARE, equalBuilds, FEWEST_EQUAL_TURNS } from './equal-builds.ts'
import { FLAGGED_DAYS, FLAGGED_MINIMUM, FLAGGED_SIZE, flaggedElsewhere } from './flagged-elsewhere.ts'
import type { HostSpell } from './host-spell.ts'
import { FEWEST_CHANGED, FEWEST_COMPARED, FEWEST_SUITES, MOST_CHANGED, type MovedMeanwhile } from './moved-meanwhile.ts'
import { noCodeChanged } from './no-code-changed.ts'
import { offPath, onPath } from './on-path.ts'
import { AGREEING_PROCESSES, oneProcess, PROCESS_FACTOR, PROCESS_SPREAD, SPREAD_RUNS } from './one-process.ts'
import { otherMachine } from './other-machine.ts'
import {
  bimodal,
  type Confirmed,
  confirmedOrNot,
  floorThreshold,
  NEEDED_REPETITIONS,
  tooFewRepetitions,
} from './own-measurement.ts'
import { REPLICATED_SIZE, replicatedOrNot } from './replicated.ts'
import { ROTATING_MINIMUM, ROTATING_OVERLAP, type Rotation, rotating } from './rotating.ts'
import {
  mayExplain,
  SHIFT_CONFIDENCE,
  SHIFT_MINIMUM,
  SHIFT_MINIMUM_QUERIES,
  SHIFT_SHARE,
  type ShardShifted,
} from './shard-shift.ts'
import { type ReferenceBuild, staleReference } from './stale-reference.ts'
import { takesBack } from './takes-back.ts'
import { MOVES_MINIMUM, MOVES_SHARE, movesOrStillOnTrunk, STILL_MINIMUM_RUNS } from './trunk-moves.ts'

/**
 * Evidence speaks for or against the pull request: named facts with their numbers. The rule of each kind is in this folder, with its
 * default threshold and the reason, an example that triggers it and one that does not; its words are in
 * `report/evidence-words.ts`.
 */

/** A row in which evidence is looked for, and what is known around it; null: not known, or there is none. */
export interface Examined {
  /** The result that decides the row. */
  readonly result: ClassifiedQuery
  /** Results of all its architectures whose sides were measured alike, as far as anybody says it. */
  readonly comparable: readonly ClassifiedQuery[]
  readonly measurement: Measurement
  readonly run: Run
  /** Where the sides of the run were measured. */
  readonly environments: readonly Environments[]
  /** The trunk's history of the query; undefined: it has none. */
  readonly history: QueryHistory | undefined
  /** Steps that the trunk made in between, of each architecture that changed the same way. */
  readonly steps: readonly (AlreadyOnTrunk | null)[]
  /** The row's old build, where the trunk has stepped since it or nobody can say. */
  readonly steppedSince: string | null
  /** Doubts about the host of the row's run, by the order of measurement. */
  readonly hosts: readonly (HostSpell | MovedMeanwhile)[]
  /** The part of a result's difference that the shift of its own run explains. */
  readonly shiftOf: (result: ClassifiedQuery) => ShardShifted | null
  readonly confirmedEarlier: Confirmed | null
  readonly pullRequest: number
  /** Every path that the pull request changes, with the earlier names of renamed files; null: not all are known. */
  readonly changedFiles: readonly string[] | null
  /** Paths that can't reach the binary. */
  readonly inertPaths: InertPaths
  readonly changedFunctions: ChangedFunctions | null
  readonly grown: GrownFunctions | null
  readonly rotation: Rotation | null
  /** What the query read and held in the row's run. */
  readonly work: readonly Measurement[]
  readonly references: readonly ReferenceBuild[]
  readonly learned: LearnedThresholds | null
}

/** In the order in which a person reads what they find: what decides first, what narrows the claim last. */
const RULES = [
  ({ result, environments }) => [result.history === undefined ? otherMachine(result, environments) : null],
  ({ steps }) => steps,
  ({ result, history }) => [takesBack(result, history?.takenBack ?? null)],
  ({ result }) => [tooFewRepetitions(result)],
  ({ result, measurement, history }) => [oneProcess(result, measurement, history?.moves ?? null)],
  ({ result, measurement }) => [equalBuilds(result, measurement)],
  ({ hosts }) => hosts,
  ({ result, shiftOf }) => [shiftOf(result)],
  ({ result, run, confirmedEarlier }) => [confirmedOrNot(result, run.confirmations ?? []) ?? confirmedEarlier],
  ({ result, history }) => [movesOrStillOnTrunk(result, history?.moves ?? null)],
  ({ result, history, pullRequest, run, steppedSince }) => [
    flaggedElsewhere(result, history?.flaggedElsewhere ?? [], pullRequest, Date.parse(run.finishedAt), steppedSince),
  ],
  ({ changedFiles, inertPaths }) => [noCodeChanged(changedFiles, inertPaths)],
  ({ result, rotation }) => [rotating(result, rotation)],
  ({ measurement }) => [bimodal(byProcess(measurement))],
  ({ result, comparable, shiftOf }) => [replicatedOrNot(result, comparable, isOfItsRun(shiftOf))],
  ({ result, grown, changedFunctions }) => [onPath(result, grown, changedFunctions)],
  ({ result, grown, changedFunctions }) => [offPath(result, grown, changedFunctions)],
  ({ result, work }) => [differentWork(result, work)],
  ({ result, references, run }) => [staleReference(result.architecture, references, run.oldCommit)],
  ({ result, learned }) => [floorThreshold(result, learned)],
] as const satisfies readonly ((row: Examined) => readonly ({ readonly kind: string } | null)[])[]

/** The closed list: whatever a rule finds. */
export type Evidence = NonNullable<ReturnType<(typeof RULES)[number]>[number]>

export type EvidenceKind = Evidence['kind']

/**
 * The evidence of a row. `remembered` is what an earlier report has of it and nobody can be asked for now: it stands where none of its
 * kind is found.
 */
export function evidenceOf(row: Examined, remembered: readonly Evidence[]): Evidence[] {
  const found = RULES.flatMap((rule): readonly (Evidence | null)[] => rule(row)).filter((item) => item !== null)
  const kinds = new Set(found.map(({ kind }) => kind))
  const all = [...found, ...remembered.filter(({ kind }) => !kinds.has(kind))]
  const isPair = row.result.history === undefined && !kinds.has('other-machine')
  return isPair ? all : all.filter(({ kind }) => DECLARED_EVIDENCE[kind].ofAnyRow === true)
}

/** All of a result's run moved, and it by no more than that. */
function isOfItsRun(shiftOf: Examined['shiftOf']): (result: ClassifiedQuery) => boolean {
  return (result) => {
    const shifted = shiftOf(result)
    return shifted !== null && mayExplain(shifted.shift, result)
  }
}

/**
 * The side that a kind of evidence is on. `change`: the pull request is why. `noise`: the row moves without it. `machine`: so
 * does everything on its shard. `trunk`: the trunk did it. `doubt`: the measurement supports less than it seems to. `neither`:
 * it narrows what is claimed, or informs.
 */
export type EvidenceSide = 'change' | 'noise' | 'machine' | 'trunk' | 'doubt' | 'neither'

interface DeclaredKind {
  readonly side: EvidenceSide
  /** What it does where its side does not say it. */
  readonly weight?: 'narrows the claim' | 'informs' | 'explains'
  /**
   * It says how often such a thing happens, such as *other queries were flagged for the previous push*: it is no witness. Absent: it is
   * of this very measurement, such as *a rerun did not show it*.
   */
  readonly isRate?: true
  /**
   * Who has to be asked for it. `github`: it stands on the pull request's files or on the order of commits, so that a replay takes it
   * from the stored report. `store`: a replay finds it anew.
   */
  readonly from: 'store' | 'github'
  /**
   * It also stands where the sides of the row can't be held against each other: the head alone was measured, or they were not
   * measured alike.
   */
  readonly ofAnyRow?: true
  /** When it is there, in Markdown: the rule of its file in a sentence, for `docs/verdicts.md`. */
  readonly rule: string
}

/** Each kind of evidence, in the order of the record. */
export const DECLARED_EVIDENCE: Readonly<Record<EvidenceKind, DeclaredKind>> = {
  replicated: {
    side: 'change',
    from: 'store',
    rule: `another architecture moved the same way, significantly and at least ${half(REPLICATED_SIZE)} as far; its machine as a whole did not`,
  },
  'one-architecture': {
    side: 'neither',
    weight: 'narrows the claim',
    from: 'store',
    rule: `every other architecture was compared and is not significant`,
  },
  confirmed: {
    side: 'change',
    from: 'store',
    rule: `a second measurement moved the same way beyond its threshold: after a restart of both servers, or, at least half as far, in an [earlier run of this commit](#several-runs-of-one-commit)`,
  },
  'not-reproduced': {
    side: 'noise',
    from: 'store',
    rule: `measured again after a restart, it did not move`,
  },
  'moves-on-trunk': {
    side: 'noise',
    from: 'store',
    rule: `in ${MOVES_MINIMUM} or more runs of the main branch against an earlier commit it moved at least as far, and in more than ${percent(MOVES_SHARE)} of all by the lower end of Wilson's 95% interval: 14 of 214 runs, not 3 of 400. [One side of a step](#beside-a-step) counts`,
  },
  'still-on-trunk': {
    side: 'change',
    isRate: true,
    from: 'store',
    rule: `it never moved as far, in at least ${STILL_MINIMUM_RUNS} runs`,
  },
  'flagged-elsewhere': {
    side: 'doubt',
    from: 'store',
    rule: `${FLAGGED_MINIMUM} or more other pull requests of different [witnesses](ledger.md#witnesses) changed the same way within ${FLAGGED_DAYS} days, at least ${half(FLAGGED_SIZE)} as far and beyond this row’s threshold. Accepted rows don’t count, nor first-time contributors where the check gates, nor this old build where the main branch has stepped since`,
  },
  'already-on-trunk': {
    side: 'trunk',
    from: 'github',
    rule: `between the old build and the merge base [the main branch moved the same way](#what-the-trunk-did-in-between), at least ${half(STEP_SHARE)} as far, and a step of it lies there`,
  },
  'takes-back': {
    side: 'neither',
    weight: 'informs',
    from: 'github',
    rule: `the row [undoes a step](#a-step-taken-back) of the main branch`,
  },
  'different-work': {
    side: 'change',
    weight: 'explains',
    from: 'store',
    rule: `rows, bytes, parts or marks read, rows joined, inserted or returned differ by ${percent(WORK_DIFFERENCE)} or more, or memory by ${percent(MEMORY_DIFFERENCE)}. No repetition of one side has the other’s value. Thresholds of the source count as well`,
  },
  'on-path': {
    side: 'change',
    from: 'github',
    rule: `functions that the pull request changes [grew in the profile](flame-graphs.md#in-the-comment): by ${points(FEWEST_POINTS_GROWN)} points and ${GROWN_ERRORS} standard errors or more, with at least 100 samples per side`,
  },
  'off-path': {
    side: 'doubt',
    from: 'github',
    rule: `something grew that much, and as far as [all is visible](flame-graphs.md#in-the-comment) neither it, nor its callers, nor what it calls is changed`,
  },
  'no-code-changed': {
    side: 'noise',
    from: 'github',
    ofAnyRow: true,
    rule: `every changed file is documentation, a test or the like (\`UNBUILT_PATHS\` in \`src/judge/bisect/binary-paths.ts\`); CI and build files excuse nothing`,
  },
  rotating: {
    side: 'noise',
    isRate: true,
    from: 'store',
    rule: `of ${ROTATING_MINIMUM} results or more flagged on this head and on the previous one, at most ${percent(ROTATING_OVERLAP)} are the same; for the rows that are not`,
  },
  bimodal: {
    side: 'doubt',
    from: 'store',
    rule: `the samples of one side fall into [two modes](classification.md#modes)`,
  },
  'shard-shift': {
    side: 'machine',
    from: 'store',
    rule: `the queries of that machine moved together: ${SHIFT_MINIMUM_QUERIES} or more, their median log ratio by ${percent(SHIFT_MINIMUM)} or more with ${percent(SHIFT_CONFIDENCE)} confidence. Without that the row is below its threshold. Noise where other shards stood still and it is at least ${half(SHIFT_SHARE)} of the difference; [doubt](#a-shift-of-everything) where there is no other shard`,
  },
  'equal-builds': {
    side: 'neither',
    weight: 'informs',
    from: 'store',
    rule: `a copy of the old build was measured in ${FEWEST_EQUAL_TURNS} or more of the same turns, and the two are less than ${half(EQUAL_SHARE)} as far apart as the row’s builds`,
  },
  'equal-builds-differ': {
    side: 'doubt',
    from: 'store',
    rule: `they are at least ${half(EQUAL_SHARE)} as far apart`,
  },
  'other-machine': {
    side: 'doubt',
    from: 'store',
    ofAnyRow: true,
    rule: `the sides had different CPUs, systems, architectures or build types, as far as [the tool says](formats.md#environments). Such a row and its other architectures don’t speak for each other`,
  },
  'too-few-repetitions': {
    side: 'doubt',
    from: 'store',
    rule: `fewer than ${NEEDED_REPETITIONS} per side`,
  },
  'one-process': {
    side: 'doubt',
    from: 'store',
    rule: `fewer than ${ENOUGH_PROCESSES} [processes](classification.md#processes) per side, and one of three. Processes of old and new overlap. Or the difference is below ${PROCESS_FACTOR} times what processes of one build differ by (median of at least ${SPREAD_RUNS} runs on the main branch, else ${percent(PROCESS_SPREAD)}). Or it is below ${LEARNED_FACTOR} times the third largest of at most ${LEAST_RUNS} runs on the main branch. ${AGREEING_PROCESSES} jobs, machines or pairs of processes that each show it settle it. A server in turns is one process, until a threshold is learned`,
  },
  'host-spell': {
    side: 'doubt',
    from: 'store',
    rule: `not measured in turns, it moved together with its neighbours in the order of measurement. The sample just before or after them is raised as well, or their own first or last is not. Rows of that run that moved by half to twice as much are doubted too`,
  },
  'moved-meanwhile': {
    side: 'doubt',
    from: 'store',
    rule: `one build was measured after the other, and of ${FEWEST_COMPARED} rows or more ${percent(MOST_CHANGED)} changed, in ${FEWEST_SUITES} suites or more. Or slower and faster ones of ${FEWEST_CHANGED} changed suites stand together more than chance allows (1%)`,
  },
  'stale-reference': {
    side: 'doubt',
    from: 'store',
    rule: `the old build is some commits older than the merge base, as far as the run says which it is`,
  },
  'floor-threshold': {
    side: 'doubt',
    from: 'store',
    rule: `judged by the default limit, since none was learned for this query`,
  },
}

// A record has no other keys than those of its type.
export const EVIDENCE_KINDS = Object.keys(DECLARED_EVIDENCE) as readonly EvidenceKind[]

/** `half` for 0.5, as the rules have it. */
function half(share: number): string {
  return share === 0.5 ? 'half' : percent(share)
}

function percent(share: number): string {
  return `${points(share)}%`
}

/** Percentage points, without what binary fractions leave. */
function points(share: number): number {
  return Number((100 * share).toPrecision(6))
}
