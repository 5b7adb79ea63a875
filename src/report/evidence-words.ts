import { queryLabel, type Side } from '../intake/measurement/run.ts'
import { shortFunctionName } from '../judge/profile/function-name.ts'
import { shareChange } from '../judge/profile/words.ts'
import type { EqualBuilds, EqualBuildsDiffer, EqualBuildsOfRun } from '../judge/verdict/evidence/equal-builds.ts'
import type { Evidence, EvidenceKind } from '../judge/verdict/evidence/evidence.ts'
import type { HostSpell } from '../judge/verdict/evidence/host-spell.ts'
import type { GrownFunction } from '../judge/verdict/evidence/on-path.ts'
import { mayExplain, type ShardShifted } from '../judge/verdict/evidence/shard-shift.ts'
import type { MovesOnTrunk, StillOnTrunk } from '../judge/verdict/evidence/trunk-moves.ts'
import { NAME_LIMIT } from '../text/markdown.ts'
import { count, counted, onDay, percent, signedPercent, thresholdPercent, values } from '../text/numbers.ts'
import { code, commit, joined, listed, type Phrase, phrase, word } from '../text/phrase.ts'
import type { Term, Word } from '../text/word.ts'
import { sidesPhrase } from './environment-words.ts'
import { decisive, nounsOf, sampledWords } from './parts.ts'
import type { ReportRow } from './report.ts'

/** Each kind of evidence in words, the same for the comment, the check run and the pages. */

/** In a line of facts the numbers that tell most; where there is room, all of them. */
export type Detail = 'main' | 'all'

/** A kind of evidence in words: its tooltip, and one item of it with its numbers. */
interface EvidenceWord<Item extends Evidence> extends Word {
  readonly clause: (evidence: Item, row: ReportRow, isAll: boolean) => Phrase
}

type EvidenceWords = { readonly [Kind in EvidenceKind]: EvidenceWord<Extract<Evidence, { kind: Kind }>> }

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

/** The shift of an only shard, and the run that has it. */
export const WHOLE_RUN = { term: 'the whole run' } as const satisfies Term

/** In the order of the record. */
export const EVIDENCE_WORDS: EvidenceWords = {
  replicated: {
    term: 'replicated',
    meaning: 'The query moved the same way on another architecture, which shares only the two builds.',
    clause: ({ architectures }, row) =>
      phrase`also ${decisive(row).direction ?? 'moved'} on ${architecturesPhrase(architectures)}`,
  },

  'one-architecture': {
    term: 'one architecture only',
    meaning: 'It moved on one architecture and not on the others. That narrows down the cause but excuses nothing.',
    clause: ({ architecture, others }) =>
      phrase`${architecture === null ? 'here' : phrase`on ${word(architecture)}`} only, not on ${architecturesPhrase(others)}`,
  },

  bimodal: {
    term: 'two modes',
    meaning: 'The repetitions fall into two separate groups, so the median may jump between them by chance.',
    clause: ({ architecture, side, modes: [low, high] }, row) =>
      phrase`two modes on ${side === 'both' ? 'both sides' : `the ${side} side`}${where(architecture, row)}, ${inUnit([low.median, high.median], row.unit)} (${low.samples} and ${high.samples} repetitions)`,
  },

  'shard-shift': {
    term: 'the whole shard moved',
    meaning: 'All queries on that machine moved together; without that shift, this row is below its threshold.',
    clause: (evidence, row, isAll) =>
      evidence.elsewhere === null && !isAll
        ? phrase`below its threshold once the ${signedPercent(evidence.shift)} of ${WHOLE_RUN.term} is taken off`
        : shiftPhrase(evidence, row),
  },

  'other-machine': {
    term: 'not measured alike',
    meaning:
      'The two builds ran on machines that can’t be compared, or one is a debug build. That alone may explain the difference.',
    clause: ({ architecture, fields }, row, isAll) => {
      if (!isAll) return phrase`not measured alike${where(architecture, row)}`
      const sides = (side: Side) => Object.fromEntries(fields.map((one) => [one.field, one[side]]))
      const words = sidesPhrase(
        { old: sides('old'), new: sides('new') },
        fields.map(({ field }) => field),
      )
      return phrase`not measured alike${where(architecture, row)}: ${words}`
    },
  },

  'too-few-repetitions': {
    term: 'too few repetitions',
    meaning: 'There are fewer repetitions than needed, so even a clear difference could be luck.',
    clause: ({ architecture, old, new: fresh, needed }, row) =>
      phrase`${old} + ${fresh} repetitions${where(architecture, row)} are too few; ${needed} per side would be enough`,
  },

  'one-process': {
    term: 'one process per side',
    meaning:
      'Fewer than five processes per side were measured, and processes of the same build differ on their own. A small difference needs three jobs that show it.',
    clause: ({ architecture, old, new: fresh, bound, overlaps, runs }, row) => {
      const processes = phrase`${processesText(old, fresh)}${where(architecture, row)}`
      return overlaps === true
        ? phrase`${processes}, and the two builds overlap`
        : phrase`${processes}, and processes of the same build can differ by ${percent(bound)}${runs === 0 ? '' : ` (${counted(runs, 'run on the main branch', 'runs on the main branch')})`}`
    },
  },

  'equal-builds': {
    term: 'equal builds',
    meaning: 'A copy of the old build was measured in the same turns. This is how far equal builds differ.',
    clause: equalBuildsPhrase,
  },

  'equal-builds-differ': {
    term: 'equal builds differ',
    meaning:
      'A copy of the old build was measured in the same turns and differed from it about as much as the new build did.',
    clause: equalBuildsPhrase,
  },

  'host-spell': {
    term: 'the host slowed for a while',
    meaning:
      'Rows measured one after another moved together, and the samples around them show the host slowing down or recovering.',
    clause: ({ edge, effect, first, last, rows }) => {
      const [from, to] = [code(queryLabel(first), NAME_LIMIT), code(queryLabel(last), NAME_LIMIT)]
      const group = rows === 1 ? phrase`${from}` : phrase`${from} to ${to}`
      if (edge === null) return phrase`the host slowed by about ${percent(effect)} in this run, around ${group}`
      const moved = rows === 1 ? '' : phrase`${group} were measured one after another and slowed together; `
      return phrase`${moved}${EDGE_WORDS[edge]}`
    },
  },

  'moved-meanwhile': {
    term: 'the machine may have changed',
    meaning:
      'One build was measured after the other. So many queries moved, or in such long stretches, that the machine may be the cause.',
    clause: ({ architecture, changed, compared }, row) =>
      phrase`one build was measured after the other${where(architecture, row)}, and the machine may have changed in between (${count(changed)} of ${counted(compared, ...nounsOf([row]))} moved)`,
  },

  'floor-threshold': {
    term: 'judged by the default limit',
    meaning: 'The built-in limit decided, since it isn’t known how much this query normally varies.',
    clause: ({ threshold }) =>
      phrase`judged by the default limit of ${thresholdPercent(threshold)} (no limit learned for this query yet)`,
  },

  'stale-reference': {
    term: 'old reference',
    meaning:
      'The old build is of a commit before the merge base, so what changed on the main branch in between counts too.',
    clause: ({ commit: id, commitsBeforeMergeBase }) =>
      phrase`its old build ${commit(id)} is ${counted(commitsBeforeMergeBase, 'commit', 'commits')} older than the merge base`,
  },

  confirmed: {
    term: 'confirmed by a rerun',
    meaning:
      'The run measured the query again after restarting both servers, or an earlier run of this commit measured it too, and it moved the same way.',
    clause: ({ architecture, difference, by }, row, isAll) =>
      phrase`confirmed by ${by === 'earlier-run' ? 'an earlier run of this commit' : `a rerun${afterRestart(isAll)}`}${where(architecture, row)}${difference === null ? '' : ` (${signedPercent(difference)})`}`,
  },

  'not-reproduced': {
    term: 'not reproduced',
    meaning: 'The run measured the query again after restarting both servers, and it did not move again.',
    clause: ({ architecture, difference, threshold }, row, isAll) => {
      const by = isAll && threshold !== null ? `, threshold ${percent(threshold)}` : ''
      return phrase`not reproduced by a rerun${afterRestart(isAll)}${where(architecture, row)}${difference === null ? '' : ` (${signedPercent(difference)}${by})`}`
    },
  },

  'moves-on-trunk': {
    term: 'moves on the main branch',
    meaning:
      'It moves as far in runs of the main branch, where almost nothing changed, too often for this to mean anything.',
    clause: (evidence, row) => onTrunkPhrase(evidence, evidence.times, row),
  },

  'still-on-trunk': {
    term: 'steady on the main branch',
    meaning: 'It never moved as far in many runs of the main branch.',
    clause: (evidence, row) => onTrunkPhrase(evidence, 0, row),
  },

  'flagged-elsewhere': {
    term: 'flagged elsewhere',
    meaning: 'It moved the same way at the same time in unrelated pull requests.',
    // In the comment without their numbers: each one that GitHub links would tell that pull request of this one.
    clause: ({ architecture, pullRequests, days, strangers = 0 }, row, isAll) =>
      phrase`flagged in ${counted(pullRequests.length, 'other pull request', 'other pull requests')}${strangers === 0 ? '' : ` (${count(strangers)} of them by first-time contributors)`}${where(architecture, row)} within ${counted(days, 'day', 'days')}${isAll ? `: ${pullRequests.map((number) => `#${number}`).join(', ')}` : ''}`,
  },

  'already-on-trunk': {
    term: 'the main branch made the same step',
    meaning:
      'The main branch made a step between the old build and the merge base, so the old build doesn’t have it yet.',
    clause: ({ architecture, lastGood, firstBad, step, shift, recovered }, row, isAll) => {
      const good = isAll ? phrase`, last good ${commit(lastGood)}` : ''
      const isMore = shift !== undefined && Math.abs(shift - step) > SAME_STEP
      const inAll = isMore ? `, ${signedPercent(shift)} in total since that build` : ''
      const since =
        recovered === null ? '' : phrase`, ${step > 0 ? 'fixed' : 'lost again'} there since ${commit(recovered)}`
      return phrase`already on the main branch${where(architecture, row)} since ${commit(firstBad)} (${signedPercent(step)}${good}), which the old build doesn’t have${inAll}${since}`
    },
  },

  'takes-back': {
    term: 'undoes a step',
    meaning:
      'The main branch made a step of about this size in the other direction and still has it; this change undoes it. That excuses nothing.',
    clause: ({ architecture, commit: id, time, step }, row) =>
      phrase`undoes the step of ${signedPercent(step)} that the main branch made${where(architecture, row)} at ${commit(id)}${onDay(time)}`,
  },

  'different-work': {
    term: 'different work',
    meaning: 'The two builds read or held different amounts for the same query: they did not do the same work.',
    clause: ({ architecture, metrics }, row, isAll) => {
      const shown = metrics
        .slice(0, isAll ? metrics.length : MOST_WORK)
        .map(
          ({ metric, difference }) =>
            phrase`${word(metric)} ${difference === null ? 'from\u00a00' : signedPercent(difference)}`,
        )
      return phrase`different work${where(architecture, row)}: ${joined(shown, ', ')}`
    },
  },

  'no-code-changed': {
    term: 'no code changed',
    meaning: 'The pull request changes only documentation, tests and the like, so both builds should be the same.',
    clause: ({ files }) =>
      phrase`no code changed: ${files === 1 ? 'the only changed file doesn’t' : `the ${count(files)} changed files don’t`} reach the build`,
  },

  rotating: {
    term: 'different queries each time',
    meaning: 'Few of the queries flagged for the previous push are flagged for this one.',
    clause: ({ before, now, inBoth }) =>
      phrase`${count(inBoth)} of the ${count(before)} flagged for the previous push ${inBoth === 1 ? 'is' : 'are'} among the ${count(now)} flagged now`,
  },

  'on-path': {
    term: 'on the changed path',
    meaning:
      'A function that takes a larger share of the stack samples than before is one that the pull request changes, or is in a file that it touches.',
    clause: ({ architecture, functions }, row, isAll) => {
      const [first] = functions
      if (isAll)
        return joined(
          functions.map((grown) => grownPhrase(grown, row, where(architecture, row), true)),
          '; ',
        )
      if (first === undefined) return []
      const more = functions.length === 1 ? '' : `, and ${counted(functions.length - 1, 'other', 'others')}`
      return phrase`${grownPhrase(first, row, where(architecture, row), false)}${more}`
    },
  },

  'off-path': {
    term: 'off the changed path',
    meaning:
      'Every function that the pull request changes is known and has stack samples, but none together with a function whose share grew. Inlined code can hide one.',
    clause: ({ architecture, grown, changed }, row) => {
      const yours = changed === 1 ? 'the only function' : `the ${count(changed)} functions`
      return phrase`${yours} that the pull request changes ${changed === 1 ? 'is' : 'are'} not in the stacks of the ${counted(grown, 'function that grew', 'functions that grew')} in the profile${where(architecture, row)}`
    },
  },
}

/** What equal builds differed by, of a run as a whole. `nouns` are those of its rows. */
export function equalBuildsOfRunPhrase(
  { queries, difference }: EqualBuildsOfRun,
  nouns: readonly [one: string, many: string],
): Phrase {
  const most = queries === 1 ? '' : queries < 20 ? 'all ' : '95% of '
  return phrase`across the run equal builds differed by up to ${percent(difference)} (${most}${counted(queries, ...nouns)})`
}

/** One item of evidence with its numbers. */
export function evidencePhrase(evidence: Evidence, row: ReportRow, detail: Detail): Phrase {
  // The table has for each kind the function that takes it; TypeScript does not follow the key through the union.
  const { clause } = EVIDENCE_WORDS[evidence.kind] as EvidenceWord<Evidence>
  return clause(evidence, row, detail === 'all')
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
  return old === 1 && fresh === 1 ? 'one process per side' : `${old} + ${fresh} processes`
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
  return isAll ? ' after restarting both servers' : ''
}

function shiftPhrase({ shard, architecture, shift, elsewhere, queries }: ShardShifted, row: ReportRow): Phrase {
  const machine = shard === null ? WHOLE_RUN.term : `all of shard ${shard}`
  const others =
    elsewhere === null ? 'with no other shard to compare it to' : `the other shards by ${signedPercent(elsewhere)}`
  return phrase`${machine}${where(architecture, row)} moved by ${signedPercent(shift)} (${counted(queries, ...nounsOf([row]))}), ${others}`
}

function equalBuildsPhrase({ architecture, difference }: EqualBuilds | EqualBuildsDiffer, row: ReportRow): Phrase {
  return phrase`equal builds differed by up to ${percent(difference)} in this ${nounsOf([row])[0]}${where(architecture, row)}`
}

function onTrunkPhrase(
  { architecture, runs, lowest, highest }: MovesOnTrunk | StillOnTrunk,
  times: number,
  row: ReportRow,
) {
  return phrase`moved this much in ${count(times)} of ${counted(runs, 'run on the main branch', 'runs on the main branch')}${where(architecture, row)} (${signedPercent(lowest)} to ${signedPercent(highest)})`
}

function grownPhrase(grown: GrownFunction, { profile }: ReportRow, on: Phrase, isAll: boolean): Phrase {
  const sampled = profile == null ? 'the samples' : sampledWords(profile)
  const name = isAll
    ? phrase`${code(grown.name, CODE_LIMIT)} (${code(grown.file, CODE_LIMIT)})`
    : [code(shortFunctionName(grown.name), NAME_LIMIT)]
  const why = grown.onlyFile === true ? 'in a file that this PR touches' : 'which this PR changes'
  return phrase`${name}, ${why}, grew from ${shareChange(grown).replace(' → ', ' to ')} of ${sampled}${on}`
}
