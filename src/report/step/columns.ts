import type { AcceptedIn } from '../../judge/bisect/bisect-window.ts'
import type { TrunkPoint, TrunkStep } from '../../judge/history/trunk-series.ts'
import { change, signedPercent } from '../../text/numbers.ts'
import type { Column } from '../../text/table.ts'
import { isoTime } from '../../text/time.ts'
import type { StepMark } from './marks.ts'

/** A step on pages, on a terminal and in the JSON. What is of the trunk alone, and links, a page adds; places in a file a command does. */

/** What a step of the trunk and one of the numbers in a file have in common. */
type Sized = Pick<TrunkStep, 'before' | 'after' | 'step'>

/** From 0 there is no percentage. */
export const SIZE = {
  heading: 'Step',
  isNumber: true,
  text: ({ step }) => (Number.isFinite(step) ? signedPercent(step) : `${step > 0 ? 'up' : 'down'} from 0`),
} as const satisfies Column<Sized>

/** `unit`: that of the metric. */
export function levelColumn(unit: string | null) {
  return {
    heading: 'Before → after',
    isNumber: true,
    text: ({ before, after }) => change(before, after, unit, false),
  } as const satisfies Column<Sized>
}

/** What saw a step, and what it is called where it was alone. */
const SEERS: Readonly<Record<TrunkStep['seenBy'], { readonly seer: string; readonly alone: string | null }>> = {
  both: { seer: 'the levels and the pairs', alone: null },
  'change-point': { seer: 'the levels', alone: 'the change points' },
  'step-rule': { seer: 'the pairs', alone: 'the step rule' },
  'paired-evidence': { seer: 'the pair at the step, the run and the levels together', alone: 'paired evidence' },
  neighbour: {
    seer: 'the levels, asked where a neighbour stepped',
    alone: 'the levels where a neighbour stepped',
  },
}

export const SEEN_BY = {
  heading: 'Seen by',
  text: ({ seenBy }) => SEERS[seenBy].seer,
} as const satisfies Column<TrunkStep>

/** `seen by the step rule alone`; null: more than one thing saw it. */
export function seenAlone({ seenBy }: TrunkStep): string | null {
  const { alone } = SEERS[seenBy]
  return alone === null ? null : `seen by ${alone} alone`
}

/** What people have said of a step of the trunk. */
export interface SaidOfStep {
  /** The last mark; null: there is none. */
  readonly mark: StepMark | null
  /** The pull request in which it was accepted; null: none is known. */
  readonly acceptedIn: AcceptedIn | null
  /** How many other known steps its commit may have made: they can be marked with it. */
  readonly others: number
}

/** A step for other programs, with what people have said of it. */
export function stepJson(step: TrunkStep, { mark, acceptedIn }: SaidOfStep) {
  const { lastGood, firstBad, earliest, latest, recovered } = step
  return {
    ...step,
    lastGood: pointJson(lastGood),
    firstBad: pointJson(firstBad),
    earliest: pointJson(earliest),
    latest: pointJson(latest),
    recovered: recovered === null ? null : pointJson(recovered),
    mark: mark === null ? null : markJson(mark),
    acceptedIn: acceptedIn === null ? null : acceptedJson(acceptedIn),
  }
}

export function pointJson(point: TrunkPoint) {
  return { ...point, time: isoTime(point.time) }
}

function markJson({ state, assignee, reason, actor, markedAt, step }: StepMark) {
  return { state, assignee, reason, actor, markedAt: isoTime(markedAt), step: step.step }
}

function acceptedJson({ pullRequestNumber, actor, reason }: AcceptedIn) {
  return { pullRequestNumber, actor, reason }
}
