import type { ReadWarningCode } from '../measurement/run.ts'
import type { Degradation, ShardProblem, ShardState } from '../triage/report.ts'
import type { Note, Outcome, Status, StatusReason, ThresholdSource } from '../verdict/classified-query.ts'
import type { EvidenceKind } from '../verdict/evidence/evidence.ts'
import type { Verdict } from '../verdict/verdict.ts'

/**
 * Every word that the comment, the check run and the pages use for something, with what it means. A term is written once,
 * here, and everything shown takes it from here. One list per closed union: a new member does not compile without a word.
 */
export interface Word {
  /** As it is shown. */
  readonly term: string
  /** One or two sentences for somebody who meets it for the first time. */
  readonly meaning: string
}

export const MEASUREMENT_WORDS = {
  query: { term: 'query', meaning: 'One statement of a performance test, named by its test and its position there.' },
  old: { term: 'old', meaning: 'The build that the change is compared with, usually of the merge base.' },
  new: { term: 'new', meaning: 'The build of the pull request’s head commit.' },
  repetition: {
    term: 'repetition',
    meaning:
      'One execution of a query on one build. Old and new take turns on the same machine; `7 + 7` is seven on each.',
  },
  shard: { term: 'shard', meaning: 'One check that measures a part of the queries on one machine.' },
  reference: {
    term: 'reference',
    meaning:
      'The commit of the old build. Where it is before the merge base, what the trunk changed in between counts too.',
  },
  difference: {
    term: 'difference',
    meaning: 'How far the new median is from the old one, in percent of the old one; negative is faster.',
  },
  threshold: {
    term: 'threshold',
    meaning:
      'What the difference of this query reaches in 1 % of all ways to deal its repetitions to old and new. A smaller difference may be noise.',
  },
  flaggedFrom: {
    term: 'flagged from',
    meaning:
      'The smallest difference that is called a change: the largest of the thresholds that apply to the query, and where it comes from.',
  },
  unstableFrom: {
    term: 'unstable from',
    meaning: 'The threshold from which a query varies too much for a change to be seen.',
  },
  pValue: {
    term: 'p',
    meaning:
      'The chance of a difference at least this large if the two builds were equally fast, counted over all ways to deal the repetitions. With few repetitions it can’t be small.',
  },
  rankPValue: {
    term: 'rank p',
    meaning:
      'The same chance by the Mann-Whitney test, which looks at the order of all repetitions instead of the medians.',
  },
  qValue: {
    term: 'q',
    meaning:
      'Of all queries with a rank p at least this small, the share that would be there by chance (Benjamini-Hochberg). It ranks rows and changes no outcome.',
  },
  overlap: {
    term: 'overlap',
    meaning:
      'None: every repetition of one build is slower than every one of the other. That is significant by itself.',
  },
  open: {
    term: 'open',
    meaning: 'Somebody should still do something about it: measured slower, or to be measured again.',
  },
  chance: {
    term: 'by chance',
    meaning: 'Among thousands of queries some pass any test by luck. How many to expect is said beside how many did.',
  },
  separated: {
    term: 'every new repetition slower than every old one',
    meaning: 'Old and new do not overlap at all, which repetitions of equally fast builds seldom do.',
  },
  guarded: {
    term: 'too large to wave through',
    meaning:
      'Three times as slow and more, or one and a half times without any overlap. Such a row stands at the top and never counts as noise.',
  },
} as const satisfies Record<string, Word>

export const OUTCOME_WORDS = {
  changed: { term: 'changed', meaning: 'Slower or faster by more than noise explains, and by enough to matter.' },
  unstable: { term: 'unstable', meaning: 'The run time varies too much to see a change; this is not “unchanged”.' },
  'too-small': {
    term: 'too small',
    meaning: 'A real difference, but within what this query or this project lets pass.',
  },
  'not-significant': { term: 'not significant', meaning: 'No difference that noise would not explain.' },
} as const satisfies Record<Outcome, Word>

export const VERDICT_WORDS = {
  regression: {
    term: 'slower',
    meaning: 'Measured slower, with nothing known that explains it away: explain it, mend it or accept it.',
  },
  improvement: { term: 'faster', meaning: 'Measured faster, with nothing known that explains it away.' },
  'needs-rerun': {
    term: 'needs a rerun',
    meaning: 'The measurement can’t decide. Run the performance check again before you draw a conclusion.',
  },
  'likely-noise': {
    term: 'likely noise',
    meaning: 'It moved, but something known about the machine or the query explains it.',
  },
  'already-on-trunk': {
    term: 'already on the trunk',
    meaning: 'The default branch made the same step after the reference; the pull request did not cause it.',
  },
  acknowledged: { term: 'acknowledged', meaning: 'Somebody with the right to do so has accepted this change.' },
} as const satisfies Record<Verdict, Word>

export const EVIDENCE_WORDS = {
  replicated: {
    term: 'replicated',
    meaning: 'The query moved the same way on another architecture, which shares nothing but the two builds.',
  },
  'one-architecture': {
    term: 'one architecture only',
    meaning: 'It moved on one architecture and stood still on the others. That narrows the cause and excuses nothing.',
  },
  bimodal: {
    term: 'two modes',
    meaning: 'The repetitions fall into two separate groups, so a median may jump from one to the other by chance.',
  },
  'shard-shift': {
    term: 'the whole shard moved',
    meaning: 'All queries of that machine moved together, and without that this row is below its threshold.',
  },
  'too-few-repetitions': {
    term: 'too few repetitions',
    meaning: 'Fewer than the row says are needed, so even a clear difference could be luck.',
  },
  'floor-threshold': {
    term: 'judged by the floor',
    meaning: 'The built-in minimum decided, since nothing is known about how much this query moves by itself.',
  },
  'stale-reference': {
    term: 'old reference',
    meaning: 'The old build is of a commit before the merge base; what the trunk changed in between counts too.',
  },
} as const satisfies Record<EvidenceKind, Word>

export const STATUS_WORDS = {
  compared: { term: 'compared', meaning: 'Measured on both builds.' },
  'only-new': { term: 'only in the new build', meaning: 'The old build has no such query or could not run it.' },
  'only-old': { term: 'only in the old build', meaning: 'The new build has no such query or could not run it.' },
  failed: { term: 'failed', meaning: 'The query or its numbers can’t be used.' },
  'not-measured': { term: 'not measured', meaning: 'There is no measurement. This is not “unchanged”.' },
} as const satisfies Record<Status, Word>

export const STATUS_REASON_WORDS = {
  'zero-old': { term: 'the old time is zero', meaning: 'A difference in percent of zero does not exist.' },
  'not-a-number': { term: 'a time is not a number', meaning: 'The source gives a value that is no number.' },
  infinite: { term: 'a time is infinite', meaning: 'The source gives an infinite value.' },
  negative: { term: 'a time is negative', meaning: 'The source gives a value below zero.' },
  'run-error': { term: 'the query failed while it was measured', meaning: 'An execution ended with an error.' },
  skipped: { term: 'the test was skipped', meaning: 'The run left the whole test out.' },
  partial: { term: 'works on one build only', meaning: 'The source says that only one of the builds can run it.' },
  'too-many-samples': {
    term: 'it has too many samples',
    meaning: 'More repetitions than can be judged exactly in a bounded time.',
  },
  'no-samples': { term: 'no samples', meaning: 'The source names the query and has no numbers for it.' },
} as const satisfies Record<StatusReason, Word>

export const NOTE_WORDS = {
  'too-few-repetitions': EVIDENCE_WORDS['too-few-repetitions'],
  'uneven-repetitions': { term: 'uneven repetitions', meaning: 'Old and new were executed unequally often.' },
  'rounded-source': {
    term: 'rounded source',
    meaning: 'The source gives rounded numbers; rounding alone can make a difference look significant.',
  },
  'run-errors': { term: 'some repetitions failed', meaning: 'The rest was judged.' },
} as const satisfies Record<Note, Word>

export const THRESHOLD_SOURCE_WORDS = {
  floor: { term: 'floor', meaning: 'The built-in minimum.' },
  configured: { term: 'configured', meaning: 'Set in the repository’s configuration file.' },
  test: { term: 'set by the test', meaning: 'The test states how much it may vary.' },
  learned: { term: 'learned', meaning: 'From how much this query moved on the trunk within a month.' },
  given: { term: 'given', meaning: 'Set on the command line.' },
} as const satisfies Record<ThresholdSource, Word>

export const SHARD_STATE_WORDS = {
  measured: { term: 'in', meaning: 'The shard’s results were read.' },
  pending: { term: 'running', meaning: 'The shard’s check has not finished.' },
  failed: { term: 'no results', meaning: 'The shard’s check ended and its results can’t be read.' },
  missing: {
    term: 'not started',
    meaning: 'Known from the names of the other shards; no check of that name was seen.',
  },
} as const satisfies Record<ShardState, Word>

export const SHARD_PROBLEM_WORDS = {
  'no-results': { term: 'it left no results', meaning: 'Nothing with the configured name was uploaded.' },
  ambiguous: {
    term: 'more than one artifact could be its results',
    meaning: 'The pattern in the configuration has to name the parts that tell them apart.',
  },
  expired: { term: 'its results have expired', meaning: 'The artifact was deleted when its time was over.' },
  'download-failed': { term: 'its results could not be downloaded', meaning: 'It will be tried again.' },
  'host-not-allowed': { term: 'its results are on a host that is not allowed', meaning: 'See ARTIFACT_HOSTS.' },
  'too-large': { term: 'its results are too large', meaning: 'They are above the limits for input from outside.' },
  unreadable: { term: 'its results could not be read', meaning: 'The archive or the files in it are damaged.' },
  empty: { term: 'its results hold no measurements', meaning: 'The archive was read and has nothing to compare.' },
} as const satisfies Record<ShardProblem, Word>

export const DEGRADATION_WORDS = {
  'history-not-available': {
    term: 'history is not available',
    meaning: 'How much a query moves by itself is unknown, so floors stand in for learned thresholds.',
  },
  'config-invalid': {
    term: 'the configuration file is not valid',
    meaning: 'The last valid one is used, or the defaults where there was none.',
  },
} as const satisfies Record<Degradation, Word>

export const WARNING_WORDS = {
  'truncated-line': { term: 'a line is cut off', meaning: 'The file ends in the middle of it. It was left out.' },
  'malformed-line': { term: 'a line can’t be read', meaning: 'It was left out.' },
  'invalid-value': { term: 'a value can’t be read', meaning: 'It was left out.' },
  'duplicate-sample': { term: 'a sample is there twice', meaning: 'The first one counts.' },
  'run-error': { term: 'an execution failed', meaning: 'The source says so.' },
  'unreadable-member': { term: 'a file can’t be read', meaning: 'The rest of the archive was read.' },
  'refused-member': { term: 'a file was refused', meaning: 'Its name, size or kind is not allowed.' },
  'limit-reached': { term: 'a limit was reached', meaning: 'What lies beyond it was not read.' },
} as const satisfies Record<ReadWarningCode, Word>

/** All words in the order in which a reader needs them: a title for each group. */
export const GLOSSARY: readonly { readonly title: string; readonly words: readonly Word[] }[] = [
  { title: 'What to do', words: Object.values(VERDICT_WORDS) },
  { title: 'What was measured', words: Object.values(OUTCOME_WORDS) },
  { title: 'What speaks for and against it', words: Object.values(EVIDENCE_WORDS) },
  { title: 'Numbers', words: Object.values(MEASUREMENT_WORDS) },
  { title: 'Where a threshold comes from', words: Object.values(THRESHOLD_SOURCE_WORDS) },
  { title: 'Not compared', words: [...Object.values(STATUS_WORDS), ...Object.values(STATUS_REASON_WORDS)] },
  { title: 'Notes on a row', words: Object.values(NOTE_WORDS) },
  { title: 'Shards', words: [...Object.values(SHARD_STATE_WORDS), ...Object.values(SHARD_PROBLEM_WORDS)] },
  { title: 'Sources that were down', words: Object.values(DEGRADATION_WORDS) },
  { title: 'Warnings of the readers', words: Object.values(WARNING_WORDS) },
]
