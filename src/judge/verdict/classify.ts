import { median } from '../../intake/measurement/median.ts'
import { type Measurement, queryKey, type Side } from '../../intake/measurement/run.ts'
import { benjaminiHochberg } from '../statistics/benjamini-hochberg.ts'
import { mannWhitney } from '../statistics/mann-whitney.ts'
import { canRandomize, centredThreshold, randomizationTest } from '../statistics/randomization-test.ts'
import type { ClassifiedQuery, Note, SideSummary, Status, StatusReason } from './classified-query.ts'
import { couldHide } from './could-hide.ts'
import { directionOf } from './direction.ts'
import { NEEDED_REPETITIONS } from './evidence/own-measurement.ts'
import { failedIn, partlyFailedIn } from './failed-in.ts'
import { areSeparated, type Measured, outcomeOf } from './outcome.ts'
import { byProcess, processCounts } from './processes.ts'
import { closeCall, ONE_OVERLAPS, withSecondLooks } from './second-look.ts'
import { isOwnThreshold, type QueryThresholds, type ThresholdSettings, thresholdsOf } from './thresholds.ts'
import { worstFirst } from './worst-first.ts'

/**
 * Classifies each measurement: a row for each, worst first (`worst-first.ts`). `docs/classification.md` says what each
 * number means.
 *
 * q-values are over all compared queries of one architecture and metric: hand in all measurements of a head at once, with
 * the architecture of the run filled in where the measurement states none.
 */
export function classify(measurements: readonly Measurement[], settings: ThresholdSettings): ClassifiedQuery[] {
  const plain = thresholdsOf(null, null, settings)
  const rows = measurements.map((measurement) => {
    const told = measurement.better === null ? (settings.betterOf?.(measurement) ?? null) : null
    return classifyOne(told === null ? measurement : { ...measurement, better: told }, settings, plain)
  })
  return worstFirst(withQValues(withSecondLooks(measurements, rows)))
}

/** `plain`: the thresholds of a query of which neither its test, nor an entry, nor history says anything. */
function classifyOne(measured: Measurement, settings: ThresholdSettings, plain: QueryThresholds): ClassifiedQuery {
  const measurement = byProcess(measured)
  if (measurement === measured) return classifySamples(measurement, settings, plain)
  const result = classifySamples(measurement, settings, plain)
  const of = (side: Side) => ({ ...result[side], values: measured[side].length })
  return { ...result, old: of('old'), new: of('new') }
}

function classifySamples(
  measurement: Measurement,
  settings: ThresholdSettings,
  plain: QueryThresholds,
): ClassifiedQuery {
  const problem = whyNotCompared(measurement)
  if (problem !== null) return notCompared(measurement, problem.status, problem.reason)
  if (!isExact(measurement) && isMeasuredOnce(measurement)) return measuredOnce(measurement)
  const { reportThreshold: own, architecture } = measurement
  const learned = settings.learned?.(queryKey(measurement), architecture) ?? null
  const ofEntry = settings.ofEntry?.(measurement) ?? null
  const isPlain = own === null && learned === null && ofEntry === null
  const thresholds = isPlain ? plain : thresholdsOf(own, learned, settings, ofEntry)
  return isExact(measurement) ? compareExactly(measurement, thresholds) : compare(measurement, thresholds)
}

/** With fewer repetitions on a side nothing has changed, however far apart they are. 3 + 3 that do not overlap are one deal of twenty. */
const LEAST_REPETITIONS = 3

/** The measurement has an outcome. */
export function canCompare(measurement: Measurement): boolean {
  return whyNotCompared(measurement) === null && (isExact(measurement) || !isMeasuredOnce(measurement))
}

/** One number a side, or a summary in the place of samples: no way to deal them shows what chance does. */
function isMeasuredOnce({ old, new: fresh, given, comparison }: Measurement): boolean {
  return comparison === undefined && (given !== undefined || (old.length === 1 && fresh.length === 1))
}

/** Counts that were the same each time they were taken on a side: what differs between the sides is no chance. */
function isExact({ old, new: fresh, given, notes = [] }: Measurement): boolean {
  if (!notes.includes('counted')) return false
  if (Object.values(given ?? {}).some(({ kind }) => kind !== 'value')) return false
  return [old, fresh].every((samples) => samples.every((value) => value === samples[0]))
}

interface Problem {
  readonly status: Exclude<Status, 'compared'>
  readonly reason: StatusReason
}

/** First a value that cannot be a measurement, then a missing side, then medians without a difference. */
function whyNotCompared(measurement: Measurement): Problem | null {
  return (
    badValue(measurement) ?? missingSide(measurement) ?? tooManySamples(measurement) ?? incomparableMedians(measurement)
  )
}

function badValue({ old, new: fresh }: Measurement): Problem | null {
  const has = (isBad: (value: number) => boolean) => old.some(isBad) || fresh.some(isBad)
  if (has(Number.isNaN)) return { status: 'failed', reason: 'not-a-number' }
  if (has((value) => !Number.isFinite(value))) return { status: 'failed', reason: 'infinite' }
  if (has((value) => value < 0)) return { status: 'failed', reason: 'negative' }
  return null
}

function missingSide({ old, new: fresh, problems }: Measurement): Problem | null {
  if (old.length > 0 && fresh.length > 0) return null
  const has = (reason: (typeof problems)[number]['reason']) => problems.some((problem) => problem.reason === reason)
  // A query that one server does not know fails there; where the source says so, that is the better reason.
  if (has('run-error') && !has('partial')) return { status: 'failed', reason: 'run-error' }
  const reason = has('partial') ? 'partial' : has('skipped') ? 'skipped' : 'no-samples'
  if (old.length > 0) return { status: 'only-old', reason }
  if (fresh.length > 0) return { status: 'only-new', reason }
  return { status: 'not-measured', reason }
}

/** A few thousand repetitions of one query: no relabeling of that many is counted, and none is guessed. */
function tooManySamples({ old, new: fresh }: Measurement): Problem | null {
  return canRandomize(old.length, fresh.length) ? null : { status: 'failed', reason: 'too-many-samples' }
}

/** A difference is a fraction of the old median: of 0, or of next to nothing, there is none. */
function incomparableMedians({ old, new: fresh }: Measurement): Problem | null {
  const oldMedian = median(old)
  const newMedian = median(fresh)
  if (oldMedian === newMedian) return null
  return Number.isFinite((newMedian - oldMedian) / oldMedian) ? null : { status: 'failed', reason: 'zero-old' }
}

function compare(measurement: Measurement, thresholds: QueryThresholds): ClassifiedQuery {
  const { old, new: fresh, comparison } = measurement
  const tested = comparison === undefined ? testOf(old, fresh) : { ...comparison, ...UNTESTED }
  const { difference, separated } = tested
  const isTooFew = comparison === undefined && Math.min(old.length, fresh.length) < LEAST_REPETITIONS
  // nothing tells how much so few vary
  const threshold = isTooFew ? Number.POSITIVE_INFINITY : tested.threshold
  const centred = comparison === undefined && !isTooFew ? centredThreshold(old, fresh) : undefined
  // a threshold of the query's own was learned or declared of pooled samples
  const noise = isOwnThreshold(thresholds.unstable.source) ? threshold : centred
  const measured = {
    difference,
    threshold,
    separated: !isTooFew && separated === true,
    ...(noise !== undefined && { noise }),
  }
  const row: ClassifiedQuery = {
    ...describe(measurement),
    status: 'compared',
    statusReason: null,
    ...partlyFailed(measurement),
    old: summaryOf(measurement, 'old'),
    new: summaryOf(measurement, 'new'),
    difference,
    threshold: Number.isFinite(threshold) ? threshold : null,
    ...(centred !== undefined && { centredThreshold: Number.isFinite(centred) ? centred : null }),
    pValue: tested.pValue,
    rankPValue: tested.rankPValue,
    qValue: null,
    smallestPValue: tested.smallestPValue,
    separated,
    ...judged(measurement, measured, thresholds),
    notes: [...comparisonNotes(measurement), ...sourceNotes(measurement)],
  }
  return centred === undefined ? row : withWhatIsUnseen(row, measurement, centred)
}

/** What a row may hide that shows no change and leaves one open. */
function withWhatIsUnseen(row: ClassifiedQuery, measurement: Measurement, noise: number): ClassifiedQuery {
  const close = closeCall(row)
  if (row.outcome !== 'unstable' && close === null) return row
  const hidden = couldHide(measurement, noise, row.changedThreshold!)
  return {
    ...row,
    ...(hidden !== null && { couldHide: hidden }),
    ...(close?.leans === true && { leans: ONE_OVERLAPS }),
  }
}

/** No test: nothing was dealt by chance. Any difference is one, and the thresholds say whether it is worth a word. */
function compareExactly(measurement: Measurement, thresholds: QueryThresholds): ClassifiedQuery {
  const [before, after] = [measurement.old[0]!, measurement.new[0]!]
  const exact = {
    difference: before === after ? 0 : (after - before) / before,
    threshold: 0,
    separated: before !== after,
  }
  return {
    ...notCompared(measurement, 'compared', null),
    old: { median: before, repetitions: measurement.old.length },
    new: { median: after, repetitions: measurement.new.length },
    ...exact,
    ...judged(measurement, exact, thresholds),
  }
}

/** The outcome with the thresholds that it follows from. */
function judged({ better }: Measurement, measured: Measured, { changed, unstable }: QueryThresholds) {
  return {
    outcome: outcomeOf(measured, changed.value, unstable.value),
    direction: directionOf(measured.difference, better),
    changedThreshold: changed.value,
    changedThresholdSource: changed.source,
    unstableThreshold: unstable.value,
    unstableThresholdSource: unstable.source,
  }
}

function testOf(old: readonly number[], fresh: readonly number[]) {
  const test = randomizationTest(old, fresh)
  return { ...test, rankPValue: mannWhitney(old, fresh).pValue, separated: areSeparated(old, fresh) }
}

/** Without samples there is no p. */
const UNTESTED = { pValue: null, rankPValue: null, smallestPValue: null, separated: null } as const

function notCompared(measurement: Measurement, status: Status, statusReason: StatusReason | null): ClassifiedQuery {
  const build = failedIn(measurement)
  return {
    ...describe(measurement),
    status,
    statusReason,
    ...(build === null ? partlyFailed(measurement) : { failedIn: build }),
    old: summaryOf(measurement, 'old'),
    new: summaryOf(measurement, 'new'),
    difference: null,
    threshold: null,
    pValue: null,
    rankPValue: null,
    qValue: null,
    smallestPValue: null,
    separated: null,
    outcome: null,
    direction: null,
    changedThreshold: null,
    changedThresholdSource: null,
    unstableThreshold: null,
    unstableThresholdSource: null,
    notes: sourceNotes(measurement),
  }
}

/** The difference is shown, and nothing is made of it. */
function measuredOnce(measurement: Measurement): ClassifiedQuery {
  const [before, after] = [median(measurement.old), median(measurement.new)]
  const difference = before === after ? 0 : (after - before) / before
  return {
    ...notCompared(measurement, 'measured-once', null),
    difference,
    direction: directionOf(difference, measurement.better),
  }
}

function describe(measurement: Measurement) {
  const { test, queryIndex, queryName, ordinal, metric, unit, better = 'lower', architecture } = measurement
  const query = { test, queryIndex, queryName, ...(ordinal === undefined ? {} : { ordinal }) }
  return { ...query, metric, unit, better, architecture }
}

/** Samples that are not numbers have no middle. */
function summaryOf(measurement: Measurement, side: Side): SideSummary {
  const samples = measurement[side]
  const given = measurement.given?.[side]
  if (given !== undefined) return { median: null, repetitions: given.repetitions, given }
  const hasMedian = samples.length > 0 && samples.every(Number.isFinite)
  const repetitions = measurement.comparison === undefined ? samples.length : null
  const processes = processCounts(measurement)?.[side]
  return { median: hasMedian ? median(samples) : null, repetitions, ...(processes !== undefined && { processes }) }
}

function partlyFailed(measurement: Measurement): Pick<ClassifiedQuery, 'partlyFailedIn'> {
  const build = partlyFailedIn(measurement)
  return build === null ? {} : { partlyFailedIn: build }
}

function comparisonNotes(measurement: Measurement): Note[] {
  const { old, new: fresh, comparison } = measurement
  const notes: Note[] = []
  if (comparison !== undefined) return notes
  if (Math.min(old.length, fresh.length) < NEEDED_REPETITIONS) notes.push('too-few-repetitions')
  if (old.length !== fresh.length) notes.push('uneven-repetitions')
  if (processCounts(measurement) !== null) notes.push('one-process')
  return notes
}

function sourceNotes({ rounded, problems, notes: stated = [] }: Measurement): Note[] {
  const notes: Note[] = [...stated]
  if (rounded) notes.push('rounded-source')
  if (problems.some(({ reason }) => reason === 'run-error')) notes.push('run-errors')
  return notes
}

function withQValues(rows: readonly ClassifiedQuery[]): ClassifiedQuery[] {
  const families = Map.groupBy(rows, ({ architecture, metric }) => JSON.stringify([architecture, metric]))
  return [...families.values()].flatMap((family) => {
    const compared = family.filter(({ rankPValue }) => rankPValue !== null)
    const qValues = benjaminiHochberg(compared.map(({ rankPValue }) => rankPValue!))
    const others = family.filter(({ rankPValue }) => rankPValue === null)
    return [...compared.map((row, index) => ({ ...row, qValue: qValues[index]! })), ...others]
  })
}
