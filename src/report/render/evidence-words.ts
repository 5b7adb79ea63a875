import { queryLabel, type Side } from '../../intake/measurement/run.ts'
import { shortFunctionName } from '../../judge/profile/function-name.ts'
import { shareChange } from '../../judge/profile/words.ts'
import type {
  Evidence,
  GrownFunction,
  HostSpell,
  MovesOnTrunk,
  ShardShifted,
  StillOnTrunk,
} from '../../judge/verdict/evidence/evidence.ts'
import { mayExplain } from '../../judge/verdict/evidence/shard-shift.ts'
import { NAME_LIMIT } from '../../text/markdown.ts'
import { count, counted, onDay, percent, signedPercent, thresholdPercent, values } from '../../text/numbers.ts'
import { code, commit, joined, listed, type Phrase, phrase, word } from '../../text/phrase.ts'
import { decisive } from '../parts.ts'
import type { ReportRow } from '../report.ts'
import { sidesPhrase } from './environment-words.ts'
import { MEASUREMENT_WORDS } from './glossary.ts'

/** Each kind of evidence as one clause, the same for the comment, the check run and the pages. */

/** In a line of facts the numbers that tell most; where there is room, all of them. */
export type Detail = 'main' | 'all'

type Said = {
  readonly [Kind in Evidence['kind']]: (
    evidence: Extract<Evidence, { kind: Kind }>,
    row: ReportRow,
    isAll: boolean,
  ) => Phrase
}

/** The largest differences tell what happened. */
const MOST_WORK = 3

/** A path or the whole name of a function. */
const CODE_LIMIT = 200

/** Points of a percent by which two estimates of the same step may differ without another step: the noise of medians. */
const SAME_STEP = 0.02

const EDGE_WORDS = {
  before: 'what was measured just before was slow too',
  after: 'what was measured just after was slow too',
  first: 'the slowdown began within the samples of one build',
  last: 'the slowdown ended within the samples of one build',
} as const satisfies Record<NonNullable<HostSpell['edge']>, string>

const SAID: Said = {
  replicated: ({ architectures }, row) =>
    phrase`also ${decisive(row).direction ?? 'moved'} on ${architecturesPhrase(architectures)}`,

  'one-architecture': ({ architecture, others }) =>
    phrase`${architecture === null ? 'here' : phrase`on ${word(architecture)}`} only, not on ${architecturesPhrase(others)}`,

  bimodal: ({ architecture, side, modes: [low, high] }, row) =>
    phrase`two modes on ${side === 'both' ? 'both sides' : `the ${side} side`}${where(architecture, row)}, ${inUnit([low.median, high.median], row.unit)} (${low.samples} and ${high.samples} repetitions)`,

  'shard-shift': (evidence, row, isAll) =>
    evidence.elsewhere === null && !isAll
      ? phrase`below its threshold without the ${signedPercent(evidence.shift)} of ${MEASUREMENT_WORDS.wholeRun.term}`
      : shiftPhrase(evidence, row),

  'too-few-repetitions': ({ architecture, old, new: fresh, needed }, row) =>
    phrase`${old} + ${fresh} repetitions${where(architecture, row)} are too few, ${needed} a side would do`,

  'other-machine': ({ architecture, fields }, row, isAll) => {
    if (!isAll) return phrase`not measured alike${where(architecture, row)}`
    const sides = (side: Side) => Object.fromEntries(fields.map((one) => [one.field, one[side]]))
    const words = sidesPhrase(
      { old: sides('old'), new: sides('new') },
      fields.map(({ field }) => field),
    )
    return phrase`not measured alike${where(architecture, row)}: ${words}`
  },

  'one-process': ({ architecture, old, new: fresh, bound, overlaps, runs }, row) => {
    const processes = phrase`${processesText(old, fresh)}${where(architecture, row)}`
    return overlaps === true
      ? phrase`${processes}, and those of both builds overlap`
      : phrase`${processes}, and processes of one build may differ by ${percent(bound)}${runs === 0 ? '' : ` (${counted(runs, 'trunk run', 'trunk runs')})`}`
  },

  'host-spell': ({ edge, effect, first, last, rows }) => {
    const [from, to] = [code(queryLabel(first), NAME_LIMIT), code(queryLabel(last), NAME_LIMIT)]
    const group = rows === 1 ? phrase`${from}` : phrase`${from} to ${to}`
    if (edge === null) return phrase`the host slowed by ${percent(effect)} or so in this run, around ${group}`
    const moved = rows === 1 ? '' : phrase`${group} were measured one after the other and slowed together; `
    return phrase`${moved}${EDGE_WORDS[edge]}`
  },

  'moved-meanwhile': ({ architecture, changed, compared }, row) =>
    phrase`measured one build after the other${where(architecture, row)}: the machine may have moved meanwhile (${count(changed)} of ${count(compared)} queries did)`,

  'floor-threshold': ({ threshold }) =>
    phrase`judged by the floor of ${thresholdPercent(threshold)}, no threshold of its own was available`,

  'stale-reference': ({ commit: id, commitsBeforeMergeBase }) =>
    phrase`its old build ${commit(id)} is ${counted(commitsBeforeMergeBase, 'commit', 'commits')} before the merge base`,

  confirmed: ({ architecture, difference, by }, row, isAll) =>
    phrase`confirmed by ${by === 'earlier-run' ? 'an earlier run of this commit' : `a rerun${afterRestart(isAll)}`}${where(architecture, row)}${difference === null ? '' : ` (${signedPercent(difference)})`}`,

  'not-reproduced': ({ architecture, difference, threshold }, row, isAll) => {
    const by = isAll && threshold !== null ? `, threshold ${percent(threshold)}` : ''
    return phrase`not reproduced by a rerun${afterRestart(isAll)}${where(architecture, row)}${difference === null ? '' : ` (${signedPercent(difference)}${by})`}`
  },

  'moves-on-trunk': (evidence, row) => onTrunkPhrase(evidence, evidence.times, row),

  'still-on-trunk': (evidence, row) => onTrunkPhrase(evidence, 0, row),

  // In the comment without their numbers: each one that GitHub links would tell that pull request of this one.
  'flagged-elsewhere': ({ architecture, pullRequests, days, strangers = 0 }, row, isAll) =>
    phrase`flagged in ${counted(pullRequests.length, 'other pull request', 'other pull requests')}${strangers === 0 ? '' : ` (${count(strangers)} of them by first-time contributors)`}${where(architecture, row)} within ${counted(days, 'day', 'days')}${isAll ? `: ${pullRequests.map((number) => `#${number}`).join(', ')}` : ''}`,

  'already-on-trunk': ({ architecture, lastGood, firstBad, step, shift, recovered }, row, isAll) => {
    const good = isAll ? phrase`, last good ${commit(lastGood)}` : ''
    const isMore = shift !== undefined && Math.abs(shift - step) > SAME_STEP
    const inAll = isMore ? `, ${signedPercent(shift)} in all since that build` : ''
    const since =
      recovered === null ? '' : phrase`, ${step > 0 ? 'fixed' : 'lost again'} there since ${commit(recovered)}`
    return phrase`already on the trunk${where(architecture, row)} since ${commit(firstBad)} (${signedPercent(step)}${good}), which the old build does not have${inAll}${since}`
  },

  'takes-back': ({ architecture, commit: id, time, step }, row) =>
    phrase`takes back the step of ${signedPercent(step)} that the trunk made${where(architecture, row)} at ${commit(id)}${onDay(time)}`,

  'different-work': ({ architecture, metrics }, row, isAll) => {
    const shown = metrics
      .slice(0, isAll ? metrics.length : MOST_WORK)
      .map(
        ({ metric, difference }) =>
          phrase`${word(metric)} ${difference === null ? 'from\u00a00' : signedPercent(difference)}`,
      )
    return phrase`different work${where(architecture, row)}: ${joined(shown, ', ')}`
  },

  'no-code-changed': ({ files }) =>
    phrase`no code changed, ${files === 1 ? 'the one changed file does' : `the ${count(files)} changed files do`} not reach the build`,

  rotating: ({ before, now, inBoth }) =>
    phrase`${count(inBoth)} of the ${count(before)} flagged for the previous push ${inBoth === 1 ? 'is' : 'are'} among the ${count(now)} of this one`,

  'on-path': ({ architecture, functions }, row, isAll) => {
    const [first] = functions
    if (isAll)
      return joined(
        functions.map((grown) => grownPhrase(grown, where(architecture, row), true)),
        '; ',
      )
    if (first === undefined) return []
    const more = functions.length === 1 ? '' : `, and ${counted(functions.length - 1, 'other', 'others')}`
    return phrase`${grownPhrase(first, where(architecture, row), false)}${more}`
  },

  'off-path': ({ architecture, grown, changed }, row) => {
    const yours = changed === 1 ? 'the one function' : `the ${count(changed)} functions`
    return phrase`${yours} that the pull request changes ${changed === 1 ? 'is' : 'are'} not in the stacks of the ${counted(grown, 'function that grew', 'functions that grew')} in the profile${where(architecture, row)}`
  },
}

/** One item of evidence with its numbers. */
export function evidencePhrase(evidence: Evidence, row: ReportRow, detail: Detail): Phrase {
  // The table has for each kind the function that takes it; TypeScript does not follow the key through the union.
  const said = SAID[evidence.kind] as (evidence: Evidence, row: ReportRow, isAll: boolean) => Phrase
  return said(evidence, row, detail === 'all')
}

/** The shift of an only shard is said once, of the whole run; again of a row that is more than that or is noise for it. */
export function isSaidOfWholeRun(evidence: Evidence, row: ReportRow): boolean {
  if (evidence.kind !== 'shard-shift' || evidence.elsewhere !== null || row.verdict === 'likely-noise') return false
  return mayExplain(evidence.shift, decisive(row))
}

export function architecturesPhrase(architectures: readonly (string | null)[]): Phrase {
  return listed(architectures.map((architecture) => [architecture === null ? 'another machine' : word(architecture)]))
}

/** ` on arm`, or nothing where no architecture is known. */
export function onArchitecturePhrase(architecture: string | null): Phrase {
  return architecture === null ? [] : phrase` on ${word(architecture)}`
}

/** `one process a side`, `3 + 3 processes` */
export function processesText(old: number, fresh: number): string {
  return old === 1 && fresh === 1 ? 'one process a side' : `${old} + ${fresh} processes`
}

/** ` on arm` where the row has more than one architecture. */
function where(architecture: string | null, row: ReportRow): Phrase {
  return row.results.length > 1 ? onArchitecturePhrase(architecture) : []
}

/** `13.0 and 18.0 ms`; the name of a unit that is not ours comes from outside. */
function inUnit(all: readonly number[], unit: string | null): Phrase {
  return unit === null || unit === 's' || unit === 'bytes'
    ? [values(all, unit)]
    : phrase`${values(all, null)}\u00a0${word(unit)}`
}

function afterRestart(isAll: boolean): string {
  return isAll ? ' after a restart of both servers' : ''
}

function shiftPhrase({ shard, architecture, shift, elsewhere, queries }: ShardShifted, row: ReportRow): Phrase {
  const machine = shard === null ? MEASUREMENT_WORDS.wholeRun.term : `all of shard ${shard}`
  const others =
    elsewhere === null
      ? 'and there is no other shard to compare with'
      : `the other shards by ${signedPercent(elsewhere)}`
  return phrase`${machine}${where(architecture, row)} moved by ${signedPercent(shift)} (${counted(queries, 'query', 'queries')}), ${others}`
}

function onTrunkPhrase(
  { architecture, runs, lowest, highest }: MovesOnTrunk | StillOnTrunk,
  times: number,
  row: ReportRow,
) {
  return phrase`moved this much in ${count(times)} of ${counted(runs, 'trunk run', 'trunk runs')}${where(architecture, row)} (${signedPercent(lowest)} to ${signedPercent(highest)})`
}

function grownPhrase(grown: GrownFunction, on: Phrase, isAll: boolean): Phrase {
  const name = isAll
    ? phrase`${code(grown.name, CODE_LIMIT)} (${code(grown.file, CODE_LIMIT)})`
    : [code(shortFunctionName(grown.name), NAME_LIMIT)]
  const why = grown.onlyFile === true ? 'in a file that the pull request touches' : 'which the pull request changes'
  return phrase`${name} ${shareChange(grown)} of the stack samples${on}, ${why}`
}
