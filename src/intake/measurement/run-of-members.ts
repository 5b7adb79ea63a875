import { counted } from '../../text/numbers.ts'
import type { Budget } from './budget.ts'
import { confirmationsOf } from './confirmations.ts'
import { type Draft, type DraftId, draftKey } from './draft.ts'
import { machineOf } from './environment.ts'
import { environmentsOf, hasResult, joinCoreCounts, placeByPaths, splitByEnvironment } from './environments-of-run.ts'
import { clickhouseRaw } from './formats/clickhouse-raw.ts'
import { type Contribution, type Format, MemberError } from './formats/format.ts'
import { LimitReached } from './limits.ts'
import { attachEqualBuilds, inMeasuredOrder } from './measured-turns.ts'
import { metricMeasurements, type RawQuery } from './metric-measurements.ts'
import { type OwnPart, ownKey, ownVerdictOf, publishedByMetric, publishedMeasurements } from './own-report.ts'
import { profilesOf } from './profiles.ts'
import { ordinals } from './query-hash.ts'
import {
  byMetricOf,
  type Confirmation,
  type Labels,
  type Measurement,
  PRIMARY_METRIC,
  type RunContents,
  type Side,
} from './run.ts'
import { notesOf } from './run-notes.ts'
import { attachTestErrors } from './test-errors.ts'
import { mostTelling } from './units.ts'
import type { Warnings } from './warnings.ts'

/** A member that was read. */
export interface ReadMember {
  readonly name: string
  readonly where: string
  readonly format: Format
  readonly contribution: Contribution
}

interface Reading {
  /** The metric that decides. */
  readonly primaryMetric: string
  /** `ReadOptions.metrics` */
  readonly metrics?: ReadonlySet<string> | undefined
  /** `ReadOptions.byMetric` */
  readonly byMetric: boolean
  /** No file says its side: all count as of the new one. */
  readonly isSideAssumed: boolean
  readonly budget: Budget
  readonly warnings: Warnings
}

/** The run that all members of a source are of: each has a part of it. */
export function contentsOf(read: readonly ReadMember[], reading: Reading): RunContents {
  const { budget, warnings } = reading
  const once = inMeasuredOrder(withoutWholeLogs(read))
  const members = [...once, ...assembled(once, warnings)]
  const labels = labelsOf(members)
  compareTwoPrograms(members)
  nameMachine(members)
  const allDrafts = members.flatMap(({ contribution }) => contribution.drafts)
  placeByPaths(members.map(({ name, contribution: { drafts: ofFile } }) => ({ name, drafts: ofFile })))
  splitByEnvironment(allDrafts)
  joinCoreCounts(allDrafts)
  const environments = environmentsOf(allDrafts)
  const machine = onlyMachine(allDrafts)
  if (reading.isSideAssumed) warnOfRepeats(members, warnings)
  const drafts = merged(members, warnings)
  attachEqualBuilds(members, drafts.values())
  const errors = members.flatMap(({ contribution }) => contribution.testErrors)
  attachTestErrors(errors, drafts, budget, warnings)
  warnWhereEnded(members, drafts, warnings)
  const confirmations = confirmationsOf(members.flatMap(({ contribution }) => contribution.rerun ?? []))
  const finishedDrafts = finished([...drafts.values()])
  const ownParts = members.flatMap(({ contribution }) => contribution.own ?? [])
  const runNotes = notesOf(members.flatMap(({ contribution }) => contribution.notes ?? []))
  const own = ownVerdictOf(ownParts, takenBack(confirmations))
  const measured = [...finishedDrafts.values()]
  const metrics = metricsOf(members, drafts, finishedDrafts, reading)
  const parts = isMeasured([...drafts.values()]) ? [] : ownParts
  const stacks = members.flatMap(({ contribution }) => contribution.stacks ?? [])
  const profiles = profilesOf(stacks, measured, warnings)
  const decides = metricThatDecides(members, measured)
  return {
    ...measurementsOf([...measured, ...metrics], parts, reading),
    oldCommit: commitOf(members, 'oldCommit'),
    newCommit: commitOf(members, 'newCommit'),
    warnings: warnings.list(),
    ...(decides !== null && { decides }),
    ...(labels !== null && { labels }),
    ...(machine !== null && { machine }),
    ...(environments.length > 0 && { environments }),
    ...(own !== null && { own }),
    ...(runNotes !== null && { runNotes }),
    ...(confirmations.length > 0 && { confirmations }),
    ...(profiles.length > 0 && { profiles }),
  }
}

/** All of them, in an order that does not depend on how the source was packed. */
function measurementsOf(
  measured: readonly Measurement[],
  published: readonly OwnPart[],
  { primaryMetric, metrics: wanted, byMetric: isByMetric }: Reading,
): Pick<RunContents, 'measurements' | 'byMetric'> {
  if (!isByMetric) {
    const all = [...measured, ...publishedMeasurements(published, primaryMetric, wanted)]
    return { measurements: all.sort(compareMeasurements) }
  }
  const parts = [byMetricOf(measured), publishedByMetric(published, primaryMetric)]
  const metrics = new Set(parts.flatMap((part) => [...part.keys()]))
  const ofMetric = (metric: string) => () =>
    parts.flatMap((part) => part.get(metric)?.() ?? []).sort(compareMeasurements)
  return {
    measurements: [],
    byMetric: new Map([...metrics].sort(compareText).map((metric) => [metric, ofMetric(metric)])),
  }
}

/** A source that has repetitions is believed before the report that was made of them. */
function isMeasured(drafts: readonly Draft[]): boolean {
  return drafts.some((draft) => draft.old.values.length + draft.new.values.length > 0)
}

function takenBack(confirmations: readonly Confirmation[]): ReadonlySet<string> {
  return new Set(confirmations.filter(({ result }) => result === 'not-reproduced').map(ownKey))
}

/** The log of a job of GitHub Actions, and that of one of its steps, as an archive of logs has both. */
const LOG_OF_JOB = /^(.*?\/)?\d+_([^/]+)\.txt$/
const LOG_OF_STEP = /^((?:.*?\/)?)([^/]+)\/\d+_[^/]+\.txt$/

/** The members without the logs of whole jobs of which the steps have all: what a step printed is in both. */
function withoutWholeLogs(members: readonly ReadMember[]): readonly ReadMember[] {
  const inSteps = new Map<string, Set<string>>()
  for (const { name, contribution } of members) {
    const job = LOG_OF_STEP.exec(name)?.slice(1).join('')
    if (job === undefined) continue
    const keys = inSteps.get(job) ?? new Set()
    for (const draft of contribution.drafts) keys.add(draftKey(draft))
    inSteps.set(job, keys)
  }
  return members.filter(({ name, contribution }) => {
    const [, folder = '', job] = LOG_OF_JOB.exec(name) ?? []
    const keys = job === undefined ? undefined : inSteps.get(`${folder}${job}`)
    return keys === undefined || !contribution.drafts.every((draft) => keys.has(draftKey(draft)))
  })
}

/** What files say together that mean nothing each by itself, as further members. */
function assembled(members: readonly ReadMember[], warnings: Warnings): readonly ReadMember[] {
  const withPart = members.flatMap((member) => {
    const { part } = member.contribution
    return part === undefined ? [] : [{ member, part }]
  })
  const together = Map.groupBy(withPart, ({ part }) => part.assemble)
  return [...together].flatMap(([assemble, parts]) => {
    const { member } = parts[0]!
    try {
      return [{ ...member, contribution: assemble(parts.map(({ part }) => part)) }]
    } catch (error) {
      if (error instanceof MemberError) warnings.add('unreadable-member', member.where, null, error.message)
      else if (error instanceof LimitReached) warnings.add('limit-reached', member.where, null, error.message)
      else throw error
      return []
    }
  })
}

/** The machine is the architecture where both sides ran on the same one; else it is what they differ in. */
function nameMachine(members: readonly ReadMember[]): void {
  const machines = members.filter(({ contribution: { label } }) => label?.kind === 'machine')
  const [name, ...others] = new Set(machines.map(({ contribution: { label } }) => label!.text))
  if (name === undefined || others.length > 0) return
  for (const draft of machines.flatMap(({ contribution }) => contribution.drafts)) draft.architecture ??= name
}

/** What the sides were measured of; null: of the same, or no source says. */
function labelsOf(members: readonly ReadMember[]): Labels | null {
  const named = members.flatMap(({ contribution: { label } }) => (label === undefined ? [] : [label]))
  const areSystems = new Set(named.map(({ system }) => system)).size > 1
  const areMachines = new Set(named.map(({ text }) => text)).size > 1
  const of = (wanted: Side) => {
    const texts = named.flatMap(({ side, system, text }) => {
      if (side !== wanted) return []
      if (!areSystems || system === undefined) return [text]
      return [areMachines ? `${system} on ${text}` : system]
    })
    return [...new Set(texts)]
  }
  const [old, fresh] = [of('old'), of('new')]
  const areTwo = old.length > 0 && fresh.length > 0 && old.join() !== fresh.join()
  const kind = !areSystems && named.every((label) => label.kind === 'machine') ? 'machine' : 'program'
  return areTwo ? { kind, old, new: fresh } : null
}

/** The one machine that all of the new side was measured on; null: there are several, or none is said. */
function onlyMachine(drafts: readonly Draft[]): string | null {
  const machines = new Set(
    drafts.filter((draft) => draft.new.values.length > 0).map(({ environment }) => machineOf(environment ?? {})),
  )
  const [machine = null] = machines
  return machines.size === 1 ? machine : null
}

/** `php a.php` on one side and `php b.php` on the other one are one test, which is named after its format. */
function compareTwoPrograms(members: readonly ReadMember[]): void {
  const programs = members.filter(({ format }) => format.comparesPrograms === true)
  const drafts = programs.flatMap(({ contribution }) => contribution.drafts)
  const [old, fresh] = (['old', 'new'] as const).map((side) => {
    return new Set(drafts.filter((draft) => hasResult(draft, side)).map(({ test }) => test))
  })
  if (old!.size !== 1 || fresh!.size !== 1 || [...old!].join() === [...fresh!].join()) return
  for (const draft of drafts) draft.test = programs[0]!.format.name
}

/**
 * The first metric by which a format decides that was measured; of files that have none of them the most telling. null:
 * `PRIMARY_METRIC`.
 */
function metricThatDecides(members: readonly ReadMember[], measured: readonly Measurement[]): string | null {
  const metrics = new Set(measured.map(({ metric }) => metric))
  const deciding = members.flatMap(({ format }) => format.decides ?? [])
  if (deciding.length === 0) return null
  const found = deciding.find((metric) => metrics.has(metric))
  if (found === undefined) return metrics.has(PRIMARY_METRIC) ? null : mostTelling(metrics)
  return found === PRIMARY_METRIC ? null : found
}

/**
 * Says that files hold the same benchmarks, where they may be of two builds: `a/bench.json` and `b/bench.json`. Names that
 * differ in their numbers alone, `1.json` and `2.json`, are repetitions.
 */
function warnOfRepeats(members: readonly ReadMember[], warnings: Warnings): void {
  const holders = new Map<string, string>()
  const repeating = new Set<string>()
  for (const { where, contribution } of members) {
    for (const draft of contribution.drafts) {
      const key = draftKey(draft)
      const holder = holders.get(key)
      if (holder === undefined) holders.set(key, where)
      else if (holder !== where) repeating.add(holder).add(where)
    }
  }
  const different = Map.groupBy(repeating, (where) => where.replaceAll(/\d+/g, '0'))
  const [first, second, ...others] = [...different.values()].map(([one]) => one!)
  if (first === undefined || second === undefined) return
  // a comment has room for a short sentence, whose end says what to do
  const isShort = others.length === 0 && second.length <= 40
  const like = isShort ? second : counted(others.length + 1, 'other file', 'other files')
  const what = `it and ${like} count as repetitions of the new build`
  warnings.add('side-assumed', first, null, `${what}; put files of the old build into old/ and the others into new/`)
}

/** The drafts of all members by their keys; those of one query, metric and architecture are one. */
function merged(members: readonly ReadMember[], warnings: Warnings): Map<string, Draft> {
  placeOneAfterTheOther(members)
  const drafts = new Map<string, Draft>()
  for (const { where, contribution } of members) {
    for (const draft of contribution.drafts) {
      const key = draftKey(draft)
      const known = drafts.get(key)
      if (known === undefined) {
        drafts.set(key, draft)
      } else if (known.unit !== draft.unit) {
        const units = `${draft.unit ?? 'no unit'} but it had ${known.unit ?? 'no unit'} before`
        warnings.add('invalid-value', where, null, `${draft.test} in ${units}: skipped`)
      } else {
        const duplicates = known.addAll(draft)
        if (duplicates > 0) {
          const message = `${duplicates} repetitions of ${draft.test} appear twice: the first ones count`
          warnings.add('duplicate-sample', where, null, message)
        }
      }
    }
  }
  return drafts
}

/** Says how a tool may have ended early, where a side lacks benchmarks of the other and has none of its own. */
function warnWhereEnded(members: readonly ReadMember[], drafts: ReadonlyMap<string, Draft>, warnings: Warnings): void {
  for (const ofHint of Map.groupBy(members, ({ format }) => format.endsEarly).values()) {
    const [{ format, where }] = ofHint as [ReadMember]
    if (format.endsEarly === undefined) continue
    const keys = new Set(ofHint.flatMap(({ contribution }) => contribution.drafts.map(draftKey)))
    const all = [...keys].flatMap((key) => drafts.get(key) ?? []).filter(({ metric }) => metric === format.decides?.[0])
    const [lacksOld, lacksNew] = (['old', 'new'] as const).map((side) => all.find((draft) => !hasResult(draft, side)))
    const [first, side] = lacksOld === undefined ? [lacksNew, 'new'] : [lacksOld, 'old']
    if (first === undefined || (lacksOld !== undefined && lacksNew !== undefined)) continue
    // an entry that could not be read is why
    if (warnings.list().some(({ code }) => code === 'invalid-value' || code === 'malformed-line')) continue
    const name = (first.queryName ?? first.test).slice(0, 100)
    warnings.add('run-error', where, null, `${name} has no result for the ${side} build: ${format.endsEarly}`)
  }
}

/** What was measured of a file comes after all of those before it. */
function placeOneAfterTheOther(members: readonly ReadMember[]): void {
  let next = 0
  for (const { contribution } of members) {
    const series = contribution.drafts.flatMap((draft) => [draft.old, draft.new])
    for (const one of series) one.shiftPlaces(next)
    next = series.reduce((most, { lastPlace }) => Math.max(most, lastPlace + 1), next)
  }
}

/** The metrics that stand beside the raw files. */
function metricsOf(
  members: readonly ReadMember[],
  drafts: ReadonlyMap<string, Draft>,
  finishedDrafts: ReadonlyMap<Draft, Measurement>,
  { primaryMetric, budget, warnings }: Reading,
): Measurement[] {
  const files = members.flatMap(({ contribution }) => contribution.metrics ?? [])
  if (files.length === 0) return []
  const raw = new Map<Draft, RawQuery>()
  for (const { format, contribution } of members) {
    if (format !== clickhouseRaw) continue
    for (const draft of contribution.drafts) {
      const measurement = finishedDrafts.get(draft)
      if (measurement === undefined) continue
      raw.set(draft, { measurement, placeOf: (side, id) => draft[side].placeOf(id) })
    }
  }
  // in the order of the measurements: where there are too many, those of the last queries are left out
  const inOrder = [...finishedDrafts.keys()].flatMap((draft) => raw.get(draft) ?? [])
  const has = (measurement: Measurement, metric: string) => drafts.has(draftKey({ ...measurement, metric }))
  const known = { primaryMetric, has, measurements: [...finishedDrafts.values()] }
  return metricMeasurements(files, inOrder, known, budget.limits, warnings)
}

/** The first member that states the commit stands. */
function commitOf(members: readonly ReadMember[], which: 'oldCommit' | 'newCommit'): string | null {
  return members.find(({ contribution }) => contribution[which] !== null)?.contribution[which] ?? null
}

/** The measurements in an order that does not depend on how the source was packed. */
function finished(drafts: Draft[]): Map<Draft, Measurement> {
  drafts.sort(compareMeasurements)
  const ordinalOf = ordinals(drafts)
  return new Map(drafts.map((draft) => [draft, draft.finish(ordinalOf(draft))]))
}

function compareMeasurements(a: DraftId, b: DraftId): number {
  return (
    compareText(a.test, b.test) ||
    (a.queryIndex ?? -1) - (b.queryIndex ?? -1) ||
    compareText(a.queryName ?? '', b.queryName ?? '') ||
    compareText(a.metric, b.metric) ||
    compareText(a.architecture ?? '', b.architecture ?? '')
  )
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
