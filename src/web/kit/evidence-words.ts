import { shareChange } from '../../profile/words.ts'
import { plainText } from '../../text/markdown.ts'
import { count, counted, list, onDay, percent, signedPercent, thresholdPercent, values } from '../../text/numbers.ts'
import type { Evidence } from '../../verdict/evidence/evidence.ts'

type Words = {
  readonly [Kind in Evidence['kind']]: (evidence: Extract<Evidence, { kind: Kind }>, unit: string | null) => string
}

const WORDS: Words = {
  replicated: ({ architectures }) => `moves the same way on ${list(architectures.map(architectureName))} as well`,
  'one-architecture': ({ architecture, others }) =>
    `moves on ${architectureName(architecture)} only, not on ${list(others.map(architectureName))}`,
  bimodal: ({ architecture, side, modes: [low, high] }, unit) =>
    `the samples of ${side === 'both' ? 'both sides' : `the ${side} side`}${onArchitecture(architecture)} fall into two modes, ${values([low.median, high.median], unit)} (${count(low.samples)} and ${count(high.samples)} samples)`,
  'shard-shift': ({ architecture, shard, shift, elsewhere, queries }) =>
    `everything in ${shard === null ? 'this run' : `shard ${shard}`}${onArchitecture(architecture)} moved by ${signedPercent(shift)} (${counted(queries, 'query', 'queries')}), ${elsewhere === null ? 'and there is no other shard to compare with' : `the other shards by ${signedPercent(elsewhere)}`}`,
  'too-few-repetitions': ({ old, new: fresh, needed }) =>
    `too few repetitions: ${old} old and ${fresh} new, ${needed} a side would do`,
  'floor-threshold': ({ threshold }) =>
    `judged by the floor of ${thresholdPercent(threshold)}, no threshold of its own was available`,
  'stale-reference': ({ commit, commitsBeforeMergeBase }) =>
    `the old build ${plainText(commit, 40).slice(0, 12)} is ${counted(commitsBeforeMergeBase, 'commit', 'commits')} before the merge base`,
  confirmed: ({ architecture, difference }) =>
    `moved again${onArchitecture(architecture)} in the rerun after a restart of both servers${difference === null ? '' : ` (${signedPercent(difference)})`}`,
  'not-reproduced': ({ architecture, difference, threshold }) =>
    `did not move again${onArchitecture(architecture)} in the rerun after a restart of both servers${difference === null ? '' : ` (${signedPercent(difference)}${threshold === null ? '' : `, threshold ${percent(threshold)}`})`}`,
  'moves-on-trunk': ({ architecture, times, runs, lowest, highest }) =>
    `moved this much in ${count(times)} of ${counted(runs, 'run', 'runs')} of the trunk${onArchitecture(architecture)}, from ${signedPercent(lowest)} to ${signedPercent(highest)}`,
  'still-on-trunk': ({ architecture, runs, lowest, highest }) =>
    `moved this much in none of ${counted(runs, 'run', 'runs')} of the trunk${onArchitecture(architecture)}, from ${signedPercent(lowest)} to ${signedPercent(highest)}`,
  'flagged-elsewhere': ({ architecture, pullRequests, days }) =>
    `flagged the same way${onArchitecture(architecture)} in ${counted(pullRequests.length, 'other pull request', 'other pull requests')} within ${counted(days, 'day', 'days')}: ${pullRequests.map((number) => `#${number}`).join(', ')}`,
  'already-on-trunk': ({ architecture, lastGood, firstBad, step, shift, recovered }) =>
    `the trunk stepped by ${signedPercent(step)}${onArchitecture(architecture)} between ${shortId(lastGood)} and ${shortId(firstBad)}, after the old build and before the merge base${shift === undefined ? '' : `, between which it moved by ${signedPercent(shift)} in all`}${recovered === null ? '' : `, ${step > 0 ? 'fixed' : 'lost again'} there since ${shortId(recovered)}`}`,
  'takes-back': ({ architecture, commit, time, step }) =>
    `takes back the step of ${signedPercent(step)} that the trunk made${onArchitecture(architecture)} at ${shortId(commit)}${onDay(time)}`,
  'different-work': ({ architecture, metrics }) =>
    `the two builds did different work${onArchitecture(architecture)}: ${metrics.map(({ metric, difference }) => `${plainText(metric, 60)} ${difference === null ? 'from 0' : signedPercent(difference)}`).join(', ')}`,
  'no-code-changed': ({ files }) =>
    files === 1
      ? 'the one changed file does not reach the build'
      : `none of the ${count(files)} changed files reaches the build`,
  rotating: ({ before, now, inBoth }) =>
    `of ${counted(before, 'query', 'queries')} flagged for the previous push and ${count(now)} for this one ${count(inBoth)} ${inBoth === 1 ? 'is' : 'are'} the same`,
  'on-path': ({ architecture, functions }) =>
    `grown in the profile${onArchitecture(architecture)}: ${functions.map(({ name, file, oldShare, newShare, onlyFile }) => `${plainText(name, 200)} ${shareChange({ oldShare, newShare })} of the stack samples, ${onlyFile === true ? 'in a file that the pull request touches' : 'which the pull request changes'} (${plainText(file, 200)})`).join('; ')}`,
  'off-path': ({ architecture, grown, changed }) =>
    `${changed === 1 ? 'the one function that the pull request changes is' : `none of the ${count(changed)} functions that the pull request changes is`} ${changed === 1 ? 'not ' : ''}in the stacks of the ${counted(grown, 'function that grew', 'functions that grew')} in the profile${onArchitecture(architecture)}`,
}

function shortId(commit: string): string {
  return plainText(commit, 40).slice(0, 12)
}

/** One item of evidence as a clause, not escaped. `unit` is that of the row's metric. */
export function evidenceWords(evidence: Evidence, unit: string | null): string {
  // The table has for each kind the function that takes it; TypeScript does not follow the key through the union.
  const words = WORDS[evidence.kind] as (evidence: Evidence, unit: string | null) => string
  return words(evidence, unit)
}

/** The name of an architecture where a sentence needs one. */
export function architectureName(architecture: string | null): string {
  return architecture === null ? 'the unnamed architecture' : plainText(architecture, 40)
}

/** ` on arm`; nothing where the source names none: there is only one then, in all but the oddest of runs. */
export function onArchitecture(architecture: string | null): string {
  return architecture === null ? '' : ` on ${architectureName(architecture)}`
}
