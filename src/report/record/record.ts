import { queryKey } from '../../intake/measurement/run.ts'
import { wilsonInterval } from '../../judge/statistics/wilson.ts'
import {
  DECLARED_EVIDENCE,
  EVIDENCE_KINDS,
  type Evidence,
  type EvidenceKind,
  type EvidenceSide,
} from '../../judge/verdict/evidence/evidence.ts'
import { isGuarded } from '../../judge/verdict/guard.ts'
import { isOpen, type Verdict, verdictOf } from '../../judge/verdict/verdict.ts'
import { type Decision, openRowKey, standingDecisions } from '../acceptance.ts'
import type { ShownFinding } from '../after-merge.ts'
import { isEarlierRun } from '../earlier-attempts.ts'
import { decisive } from '../parts.ts'
import type { ReportRow, TriageReport } from '../report.ts'

/**
 * Who says what became of a row, the surest first. `trunk`: it was looked for there after the merge. `rerun`: later
 * runs of the same commit. `person`: a command that accepts or ignores it. `label`: a label or a button, which means all that
 * stands open at once and gives no reason.
 */
export const WITNESSES = ['trunk', 'rerun', 'person', 'label'] as const
export type Witness = (typeof WITNESSES)[number]

/** The end of a row: it is slower because of the pull request, or it was not there. */
export interface Truth {
  readonly isReal: boolean
  readonly by: Witness
}

/** The part of a stored report that the record is made of. */
export interface RecordReport {
  readonly pullRequestNumber: number
  /** Rows with a verdict, and those that stand from an earlier run of the head. */
  readonly rows: readonly ReportRow[]
  /** Rows that two later runs of the head took back. */
  readonly withdrawn: readonly ReportRow[]
}

/** Rows of one report, worst first: those of one pull request count together as one. */
const MOST_ROWS = 25

/** The part of a report that the record is made of. */
export function claimedIn(report: TriageReport): Pick<RecordReport, 'rows' | 'withdrawn'> {
  const { rows, notSeenAgain = [], notMeasuredAgain = [], withdrawn = [] } = report
  const claimed = [...notSeenAgain, ...notMeasuredAgain, ...rows].filter(({ verdict }) => verdict !== null)
  return { rows: claimed.slice(0, MOST_ROWS), withdrawn: withdrawn.slice(0, MOST_ROWS) }
}

/** All that is known of one repository. */
export interface RecordSources {
  readonly repositoryId: number
  /** The newest report of each head, the latest first. */
  readonly reports: readonly RecordReport[]
  readonly decisionsOf: (pullRequestNumber: number) => readonly Decision[]
  /** The trunk's answers after merges. */
  readonly shown: readonly { readonly pullRequestNumber: number; readonly shown: readonly ShownFinding[] }[]
}

/** A verdict or a kind of evidence that one row of one pull request had, and what became of the row. */
export interface Claim {
  readonly of: 'verdict' | 'evidence'
  readonly name: Verdict | EvidenceKind
  /** Rows of one pull request come and go together. */
  readonly pullRequest: string
  readonly row: string
  /** Null: nobody has said it. */
  readonly truth: Truth | null
}

/**
 * The bot's claims in a repository, each of a row once, whichever heads it stood on: as the latest one has it of which somebody has
 * said what became of it.
 *
 * The trunk alone says it of rows that were called likely noise, nobody of others that never stood open. A run that
 * confirmed a row is no witness of the verdict that follows from the confirmation, nor of the confirmation: it is one of what
 * the bot says of the later run alone.
 */
export function claimsOf(sources: RecordSources): readonly Claim[] {
  const { repositoryId, reports } = sources
  const shownOf = new Map(sources.shown.map(({ pullRequestNumber, shown }) => [pullRequestNumber, shown]))
  const claims = new Map<string, Claim>()
  for (const { pullRequestNumber, rows, withdrawn } of reports) {
    // Whether they have ended does not matter: they were said.
    const said = standingDecisions(sources.decisionsOf(pullRequestNumber), 0)
    const truthsOf = (row: ReportRow, ofRuns: Truth | null): Truth[] => {
      const ofTrunk = truthOfTrunk(row, shownOf.get(pullRequestNumber) ?? [])
      return [ofTrunk, ofRuns, truthOfPeople(row, said)].filter((truth) => truth !== null)
    }
    const add = (claim: Omit<Claim, 'pullRequest'>) => {
      const key = JSON.stringify([claim.of, claim.name, pullRequestNumber, claim.row])
      const later = claims.get(key)
      if (later !== undefined && (later.truth !== null || claim.truth === null)) return
      claims.set(key, { ...claim, pullRequest: `${repositoryId} ${pullRequestNumber}` })
    }
    for (const row of rows) {
      const truths = truthsOf(row, row.evidence.some(isEarlierRun) ? { isReal: true, by: 'rerun' } : null)
      for (const claim of claimsOfRow(row, truths)) add(claim)
    }
    for (const row of withdrawn) {
      for (const claim of claimsOfRow(row, truthsOf(row, { isReal: false, by: 'rerun' }))) add(claim)
    }
  }
  return [...claims.values()]
}

function claimsOfRow(row: ReportRow, all: readonly Truth[]): Omit<Claim, 'pullRequest'>[] {
  const verdict = verdictWith(row, row.evidence)
  if (verdict === null) return []
  const isAsked = isOpen(verdict) || verdict === 'likely-noise'
  // People and later runs are asked about what stands open.
  const truths = isOpen(verdict) ? all : all.filter(({ by }) => isAsked && by === 'trunk')
  const [surest = null] = truths
  const withoutRuns = truths.find(({ by }) => by !== 'rerun') ?? null
  const alone = verdictWith(
    row,
    row.evidence.filter((item) => !isEarlierRun(item)),
  )
  const of = { of: 'verdict', row: openRowKey(row) } as const
  return [
    { ...of, name: verdict, truth: alone === verdict ? surest : withoutRuns },
    ...(alone !== null && alone !== verdict && isOpen(alone) ? [{ ...of, name: alone, truth: surest }] : []),
    ...(isAsked ? row.evidence : []).map((item) => ({
      ...of,
      of: 'evidence' as const,
      name: item.kind,
      truth: isEarlierRun(item) ? withoutRuns : surest,
    })),
  ]
}

/** The verdict by this evidence, before a person said anything of the row; null: the file ignores it, or there is no change to judge. */
function verdictWith(row: ReportRow, evidence: readonly Evidence[]): Verdict | null {
  const { verdict, results, ignored } = row
  const isAsJudged = verdict !== 'acknowledged' && verdict !== 'ignored'
  if (isAsJudged && evidence.length === row.evidence.length) return verdict
  if (verdict === 'ignored' && !(ignored !== undefined && 'by' in ignored)) return null
  const deciding = decisive(row)
  const others = results.filter((result) => result !== deciding)
  return verdictOf(deciding, results.some(isGuarded), evidence, others)
}

function truthOfTrunk(row: ReportRow, shown: readonly ShownFinding[]): Truth | null {
  const found = shown.find((one) => openRowKey(one) === openRowKey(row))
  return found === undefined || found.outcome === 'not-told'
    ? null
    : { isReal: found.outcome === 'confirmed', by: 'trunk' }
}

/** The later one of an acceptance and an ignore counts; an acceptance of a smaller size says nothing of the row. */
function truthOfPeople(row: ReportRow, { rows, ignored }: ReturnType<typeof standingDecisions>): Truth | null {
  const accepted = row.outgrown === undefined ? rows.get(openRowKey(row)) : undefined
  const left = ignored.rows.get(queryKey(row))?.by
  const isReal = (accepted?.saidAt ?? 0) > (left?.saidAt ?? 0)
  const said = isReal ? accepted : left
  return said === undefined ? null : { isReal, by: said.via === 'command' ? 'person' : 'label' }
}

/** The claim of a verdict or a kind of evidence about a row; `neither`: it has no precision. */
export type Says = 'real' | 'noise' | 'neither'

const SAID_BY_SIDE: Readonly<Record<EvidenceSide, Says>> = {
  change: 'real',
  noise: 'noise',
  machine: 'noise',
  trunk: 'noise',
  doubt: 'noise',
  neither: 'neither',
}

/** How often a verdict, a kind of evidence or a witness was right. */
export interface RecordLine {
  readonly of: 'verdict' | 'evidence' | 'witness'
  readonly name: Verdict | EvidenceKind | Witness
  readonly says: Says
  /** Rows, each once a pull request: `real` + `noise` + `undecided`. */
  readonly rows: number
  readonly real: number
  readonly noise: number
  readonly undecided: number
  /** Pull requests with a row that is not undecided. */
  readonly pullRequests: number
  /** The share of rows of which what it says was so, each of `pullRequests` counted once, with Wilson's interval of 95%; null: nothing was decided. */
  readonly precision: { readonly share: number; readonly low: number; readonly high: number } | null
}

/** The verdicts of the bot; the others are people's. */
const SAID_BY_VERDICT = {
  regression: 'real',
  'needs-rerun': 'real',
  'likely-noise': 'noise',
  'already-on-trunk': 'neither',
  improvement: 'neither',
} as const satisfies Partial<Readonly<Record<Verdict, Says>>>

/** How often the bot was right, a line each verdict, kind of evidence and witness. */
export function recordOf(claims: readonly Claim[]): readonly RecordLine[] {
  const byName = Map.groupBy(claims, ({ of, name }) => `${of} ${name}`)
  const decided = new Map<string, Claim>()
  for (const claim of claims) {
    if (claim.of === 'verdict' && claim.truth !== null)
      decided.set(`${claim.pullRequest} ${claim.row} ${claim.truth.by}`, claim)
  }
  const byWitness = Map.groupBy(decided.values(), ({ truth }) => truth!.by)
  return [
    ...(Object.keys(SAID_BY_VERDICT) as (keyof typeof SAID_BY_VERDICT)[]).map((verdict) =>
      lineOf('verdict', verdict, SAID_BY_VERDICT[verdict], byName.get(`verdict ${verdict}`)),
    ),
    ...EVIDENCE_KINDS.map((kind) =>
      lineOf('evidence', kind, SAID_BY_SIDE[DECLARED_EVIDENCE[kind].side], byName.get(`evidence ${kind}`)),
    ),
    ...WITNESSES.map((by) => lineOf('witness', by, 'neither', byWitness.get(by))),
  ]
}

function lineOf(of: RecordLine['of'], name: RecordLine['name'], says: Says, claims: readonly Claim[] = []): RecordLine {
  const decided = claims.filter(({ truth }) => truth !== null)
  const real = decided.filter(({ truth }) => truth!.isReal).length
  const pullRequests = Map.groupBy(decided, ({ pullRequest }) => pullRequest)
  const wasRight = ({ truth }: Claim) => truth!.isReal === (says === 'real')
  const shares = [...pullRequests.values()].map((ofIt) => ofIt.filter(wasRight).length / ofIt.length)
  const right = shares.reduce((sum, share) => sum + share, 0)
  const n = shares.length
  return {
    of,
    name,
    says,
    rows: claims.length,
    real,
    noise: decided.length - real,
    undecided: claims.length - decided.length,
    pullRequests: n,
    precision: says === 'neither' || n === 0 ? null : { share: right / n, ...wilsonInterval(Math.min(right, n), n) },
  }
}
