import { z } from 'zod'
import { queryKey } from '../../intake/measurement/run.ts'
import { queryIdSchema } from '../../intake/measurement/run-schemas.ts'
import type { BisectWindow } from '../../judge/bisect/bisect-window.ts'
import type { TrunkPoint } from '../../judge/history/trunk-series.ts'
import { signedPercent } from '../../text/numbers.ts'

/** What a person says of a step of the trunk; `open` takes back what was said before. */
export const MARK_STATES = ['known', 'accepted', 'assigned', 'open'] as const
export type MarkState = (typeof MARK_STATES)[number]

const pointOfStep = z.object({ commit: z.string(), time: z.number() })

export const markedStepSchema = queryIdSchema.extend({
  architecture: z.string().nullable(),
  metric: z.string(),
  /** T when nothing changes, a fraction; null: nothing is known of the noise. */
  threshold: z.number().nullable(),
  /** A fraction of the value before. */
  step: z.number(),
  lastGood: pointOfStep,
  firstBad: pointOfStep,
  /** The interval in which it may have happened. */
  earliest: z.number(),
  latest: z.number(),
})

/** A step of the trunk as far as marks know it. Times are milliseconds since 1970. */
export type MarkedStep = Readonly<z.output<typeof markedStepSchema>>

export function markedStepOf(window: BisectWindow): MarkedStep {
  const { test, queryIndex, queryName, ordinal, architecture, metric, threshold, step } = window
  const point = ({ commit, time }: TrunkPoint) => ({ commit, time })
  return {
    ...{ test, queryIndex, queryName, architecture, metric, threshold },
    ...(ordinal !== undefined && { ordinal }),
    step: step.step,
    lastGood: point(step.lastGood),
    firstBad: point(step.firstBad),
    earliest: step.earliest.time,
    latest: step.latest.time,
  }
}

export const stepMarkSchema = z.object({
  /** As the person saw it. */
  step: markedStepSchema,
  state: z.enum(MARK_STATES),
  /** A login; null: assigned to nobody. */
  assignee: z.string().nullable(),
  reason: z.string(),
  actor: z.string(),
  /** GitHub's numeric id of the actor: names change. */
  actorId: z.int(),
  /** Milliseconds since 1970. */
  markedAt: z.int(),
})
export type StepMark = Readonly<z.output<typeof stepMarkSchema>>

/** The last word on a step; null: there is none, or it was taken back. Steps and marks may be a thousand each. */
export function lastWords(marks: readonly StepMark[]): (step: MarkedStep) => StepMark | null {
  const keyOf = (step: MarkedStep) => JSON.stringify([queryKey(step), step.architecture, step.metric])
  const ofQuery = Map.groupBy(marks, ({ step }) => keyOf(step))
  return (step) => {
    const last = ofQuery.get(keyOf(step))?.findLast((mark) => isSameStep(mark.step, step))
    return last === undefined || last.state === 'open' ? null : last
  }
}

/**
 * Whether the step has grown by more than its threshold since it was marked.
 *
 * Triggers: +18% where +12% was marked and the threshold is 5%. Does not: +14%.
 */
export function hasOutgrown(step: MarkedStep, { step: marked }: StepMark): boolean {
  return step.step > marked.step + (step.threshold ?? marked.threshold ?? 0)
}

/** Later runs may move the first bad commit within the interval in which the step may have happened. */
export function isSameStep(a: MarkedStep, b: MarkedStep): boolean {
  return (
    queryKey(a) === queryKey(b) &&
    a.architecture === b.architecture &&
    a.metric === b.metric &&
    (a.firstBad.commit === b.firstBad.commit || isWithin(a, b) || isWithin(b, a))
  )
}

function isWithin({ firstBad: { time } }: MarkedStep, { earliest, latest }: MarkedStep): boolean {
  return time >= earliest && time <= latest
}

/** `assigned to ada by maria at +12.0%: looks at it this week`. Texts of people stand in it as they are. */
export function markWords({ state, assignee, actor, step, reason }: StepMark): string {
  const to = assignee === null ? '' : ` to ${assignee}`
  return `${state}${to} by ${actor} at ${signedPercent(step.step)}${reason === '' ? '' : `: ${reason}`}`
}
