import type { EnvironmentField } from '../intake/measurement/environment.ts'
import type { MetricGroup } from '../intake/measurement/metric-group.ts'
import type { ReadWarningCode } from '../intake/measurement/run.ts'
import type { HistoryProblem } from '../judge/history/trunk-series.ts'
import type { Classification, InfrastructureProblem, LookupProblem, RedCheck } from '../judge/ledger/failure.ts'
import type {
  FailedIn,
  Note,
  Outcome,
  RerunReason,
  Status,
  StatusReason,
  ThresholdSource,
} from '../judge/verdict/classified-query.ts'
import type { Verdict } from '../judge/verdict/verdict.ts'
import type { Term, Word } from '../text/word.ts'
import { EVIDENCE_WORDS, WHOLE_RUN } from './evidence-words.ts'
import type { Degradation, ShardProblem, ShardState, Unknown } from './report.ts'

/**
 * The words that comments, check runs and pages use for members of closed unions: a new member does not compile without one. What
 * the field's and the bot's own terms mean is in `docs/glossary.md`; a meaning stands here where one column or a reply alone says it.
 */

/** The place where a statement is to be run. Its tables are named without their database. */
export const IN_THE_DATABASE = 'in the bot’s database, perf_triage if not configured otherwise'

export const MEASUREMENT_WORDS = {
  old: { term: 'old' },
  new: { term: 'new' },
  trunkLevel: {
    term: 'trunk level',
    meaning:
      'Where the head alone was measured: the median of the trunk’s runs since its last lasting step, and how many they are.',
  },
  thisRun: {
    term: 'this run',
    meaning:
      'Where the head alone was measured: the value of the job nearest the trunk, and how many jobs were judged.',
  },
  showsFrom: {
    term: 'shows from',
    meaning: 'The smallest change that the trunk’s history can show of this benchmark with so many jobs.',
  },
  difference: {
    term: 'difference',
  },
  threshold: {
    term: 'threshold',
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
  },
  rankPValue: {
    term: 'rank p',
  },
  qValue: {
    term: 'q',
  },
  overlap: {
    term: 'overlap',
  },
  mayBeChance: {
    term: 'may be chance',
  },
  separated: {
    term: 'old and new don’t overlap',
  },
  becauseOfChange: {
    term: 'because of this change',
  },
  tooNoisy: {
    term: 'too noisy to judge',
  },
  tooFew: {
    term: 'measured too few times to judge',
  },
  wholeRun: WHOLE_RUN,
  guarded: {
    term: 'too large to dismiss as noise',
    meaning:
      'Three times as slow or more, or one and a half times without any overlap. It stands at the top and never counts as noise.',
  },
} as const satisfies Record<string, Term>

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
  },
  improvement: { term: 'faster' },
  'needs-rerun': {
    term: 'needs a rerun',
  },
  'likely-noise': {
    term: 'likely noise',
  },
  'already-on-trunk': {
    term: 'already on the trunk',
  },
  acknowledged: {
    term: 'accepted',
  },
  ignored: {
    term: 'ignored',
  },
} as const satisfies Record<Verdict, Term>

export const STATUS_WORDS = {
  compared: { term: 'compared', meaning: 'Measured on both builds.' },
  'measured-once': {
    term: 'measured once',
    meaning:
      'One number a side, or a tool’s summary in the place of samples: the difference is shown, and nothing tells it from chance.',
  },
  'only-new': { term: 'only in the new build', meaning: 'The old build has no such query or could not run it.' },
  'only-old': { term: 'only in the old build', meaning: 'The new build has no such query or could not run it.' },
  failed: { term: 'failed', meaning: 'The query or its numbers can’t be used.' },
  'not-measured': { term: 'not measured', meaning: 'There is no measurement. This is not “unchanged”.' },
  'not-comparable': { term: 'not comparable', meaning: 'The two sides never ran within the same hour.' },
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
  'no-history': {
    term: 'the trunk has too few runs to judge it by',
    meaning: 'The head alone was measured; the level of the trunk takes five runs of it and more.',
  },
  'no-samples': { term: 'no samples', meaning: 'The source names the query and has no numbers for it.' },
} as const satisfies Record<StatusReason, Word>

export const FAILED_IN_WORDS = {
  new: {
    term: 'without a result in the new build',
    meaning: 'The old build ran the query, and of the new one there is no number: it failed, died or lacks the query.',
  },
  old: {
    term: 'without a result in the old build',
    meaning: 'The new build ran the query, and of the old one there is no number. That stops nobody.',
  },
  both: { term: 'failed in both builds', meaning: 'Neither build ran it, so the change is not why.' },
  unknown: {
    term: 'failed in an unknown build',
    meaning:
      'An execution ended with an error, no build has numbers, and the source does not say which of them failed.',
  },
} as const satisfies Record<FailedIn, Term>

export const NOTE_WORDS = {
  'too-few-repetitions': EVIDENCE_WORDS['too-few-repetitions'],
  'one-process': EVIDENCE_WORDS['one-process'],
  'uneven-repetitions': { term: 'uneven repetitions', meaning: 'Old and new were executed unequally often.' },
  'rounded-source': {
    term: 'rounded source',
    meaning: 'The source gives rounded numbers; rounding alone can make a difference look significant.',
  },
  'run-errors': { term: 'some repetitions failed', meaning: 'The rest was judged.' },
  'user-space-only': { term: 'user space only', meaning: 'What the kernel did for the program was not counted.' },
  multiplexed: {
    term: 'multiplexed',
    meaning: 'The counter was on for a part of the time, and the tool has scaled its value up.',
  },
  counted: {
    term: 'counted',
    meaning: 'The same work gives the same number: where no repetition differs the sides are compared exactly.',
  },
  'too-few-blocks': {
    term: 'too few blocks',
    meaning: 'The two sides ran side by side in fewer than eight blocks of time: there is no threshold.',
  },
  'short-run': {
    term: 'short run',
    meaning: 'The log spans less than six hours, in which a slow drift of one side looks like a difference.',
  },
  drift: { term: 'drift', meaning: 'Long blocks of time differ more from each other than short ones.' },
  'mix-shift': {
    term: 'mix shift',
    meaning: 'The medians of all executions differ otherwise: the sides ran another mix of groups, or at other times.',
  },
  simpson: {
    term: 'Simpson’s paradox',
    meaning: 'The medians of all executions point one way, and those of every group the other.',
  },
} as const satisfies Record<Note, Word>

export const THRESHOLD_SOURCE_WORDS = {
  floor: { term: 'floor', meaning: 'The built-in minimum.' },
  configured: { term: 'configured', meaning: 'Set in the repository’s configuration file.' },
  entry: {
    term: 'its own in the repository’s file',
    meaning: 'Set for this test or query by an entry in the repository’s configuration file.',
  },
  test: { term: 'set by the test', meaning: 'The test states how much it may vary.' },
  learned: { term: 'learned', meaning: 'From how much this query moved on the trunk within a month.' },
  given: { term: 'given', meaning: 'Set on the command line.' },
  history: {
    term: 'the trunk’s history',
    meaning: 'The head alone was measured: from how far the trunk’s runs are from their own level.',
  },
} as const satisfies Record<ThresholdSource, Word>

export const RERUN_REASON_WORDS = {
  'one-job': {
    term: 'seen in one job',
  },
  'already-on-trunk': {
    term: 'the newest trunk run is as slow',
  },
  'short-history': {
    term: 'too few trunk runs for so few jobs',
  },
  'moves-on-trunk': {
    term: 'the trunk moves as much',
  },
  guard: { term: 'three times as slow' },
} as const satisfies Record<RerunReason, Term>

export const SHARD_STATE_WORDS = {
  measured: { term: 'in', meaning: 'The shard’s results were read.' },
  pending: { term: 'running', meaning: 'The shard’s check has not finished.' },
  failed: { term: 'no results', meaning: 'The shard’s check ended and its results can’t be read.' },
  missing: {
    term: 'not started',
    meaning: 'Known from the names of the other shards; no check of that name was seen.',
  },
  skipped: { term: 'skipped', meaning: 'CI skipped the check; nothing of it was measured.' },
} as const satisfies Record<ShardState, Word>

export const SHARD_PROBLEM_WORDS = {
  'no-results': { term: 'it left no results', meaning: 'Nothing with the configured name was uploaded.' },
  ambiguous: {
    term: 'more than one artifact could be its results',
    meaning: 'The pattern in the configuration has to name the parts that tell them apart.',
  },
  expired: { term: 'its results have expired', meaning: 'The artifact was deleted when its time was over.' },
  'download-failed': { term: 'its results could not be downloaded', meaning: 'It will be tried again.' },
  'host-not-allowed': {
    term: 'its results are on a host that is not allowed',
    meaning: 'Who runs the bot adds it to ARTIFACT_HOSTS.',
  },
  'too-large': { term: 'its results are too large', meaning: 'They are above the limits for input from outside.' },
  unreadable: {
    term: 'its results could not be read',
    meaning: 'The archive or the files in it are damaged, or of no format that is read.',
  },
  'needed-failed': {
    term: 'it was skipped because another job failed or was cancelled before it',
    meaning: 'GitHub skips a job when one that it needs has failed.',
  },
  'shard-skipped': {
    term: 'it was skipped and other shards of the same run were not',
    meaning: 'What it would have measured is missing.',
  },
  empty: { term: 'its results hold no measurements', meaning: 'The archive was read and has nothing to compare.' },
} as const satisfies Record<ShardProblem, Word>

export const DEGRADATION_WORDS = {
  'history-not-available': {
    term: 'history is not available',
    meaning: 'How much a query moves by itself is unknown, so floors stand in for learned thresholds.',
  },
  'config-invalid': {
    term: 'the configuration file is not valid',
    meaning: 'The last valid one is used. A pull request that changes it is told of each wrong line.',
  },
  'config-never-valid': {
    term: 'the configuration file is not valid, and none before it was',
    meaning: 'The defaults are used, and the check fails unless the file says `mode: advisory` or nothing of a gate.',
  },
} as const satisfies Record<Degradation, Word>

/** Why a check that gates fails although nothing was found: the end of a sentence. */
/** Entries of `tests` in the repository's file whose last day is over. */
export const EXPIRED_WORDS = {
  term: 'what the repository’s file ignored or accepted has expired',
  meaning: 'These queries are judged again. Renew the entries in the file, or remove them.',
} as const satisfies Word

/** The fields of an environment, as a table heads its lines. */
export const ENVIRONMENT_WORDS = {
  cpu: 'CPU',
  caches: 'caches',
  clock: 'clock',
  cpus: 'CPUs',
  os: 'system',
  architecture: 'architecture',
  build: 'build',
  runtime: 'runtime',
  compiler: 'compiler',
  flags: 'flags',
  host: 'host',
} as const satisfies Record<EnvironmentField, string>

export const UNKNOWN_WORDS = {
  'shard-without-results': { term: 'a shard gave no results' },
  'results-not-read': { term: 'a part of the results could not be read' },
  'nothing-compared': { term: 'no query could be compared' },
  'wrong-builds': {
    term: 'the run compares the wrong builds',
  },
  'other-machines': {
    term: 'the two builds were not measured alike',
  },
  'nothing-judged': {
    term: 'every query is too noisy to judge',
  },
  'only-ignored': {
    term: 'every query is ignored or too noisy to judge',
  },
  'guarded-rerun': {
    term: 'a slowdown that is too large to dismiss as noise is not settled: rerun the job',
  },
  'failed-in-unknown-build': {
    term: 'queries failed, and the results do not say in which build',
  },
  'query-without-value': {
    term: 'a query has no value of the metric that decides',
  },
  'ci-results-unavailable': {
    term: 'the CI results could not be asked for the failing tests',
  },
  'configuration-never-valid': DEGRADATION_WORDS['config-never-valid'],
} as const satisfies Record<Unknown, Term>

export const WARNING_WORDS = {
  'truncated-line': { term: 'a line is cut off', meaning: 'The file ends in the middle of it. It was left out.' },
  'malformed-line': { term: 'a line can’t be read', meaning: 'It was left out.' },
  'invalid-value': { term: 'a value can’t be read', meaning: 'It was left out.' },
  'duplicate-sample': { term: 'a sample is there twice', meaning: 'The first one counts.' },
  'run-error': { term: 'an execution failed', meaning: 'The source says so.' },
  'unreadable-member': { term: 'a file can’t be read', meaning: 'The rest of the archive was read.' },
  'refused-member': { term: 'a file was refused', meaning: 'Its name, size or kind is not allowed.' },
  'limit-reached': { term: 'a limit was reached', meaning: 'What lies beyond it was not read.' },
  'same-name': {
    term: 'two benchmarks of one name',
    meaning: 'They are kept apart by their order in the file, where their tool has each once.',
  },
  'side-assumed': { term: 'no name says which build', meaning: 'All files count as measured of the new build.' },
} as const satisfies Record<ReadWarningCode, Word>

export const CLASSIFICATION_WORDS = {
  'pr-suspect': {
    term: 'looks like yours',
    meaning:
      'The pull request adds or edits the test, or the test ran often enough elsewhere to have shown this failure and never did.',
  },
  unknown: {
    term: 'unknown',
    meaning: 'Too little is known to say whose failure it is. The row says what is missing.',
  },
  'mass-failure': {
    term: 'mass failure',
    meaning: 'Many tests failed in many pull requests within the same hour: something they share broke.',
  },
  'broken-trunk': {
    term: 'broken on the trunk',
    meaning: 'It failed in the latest runs of the trunk, or already at the merge base.',
  },
  chronic: {
    term: 'chronic',
    meaning: 'The same failure in several unrelated pull requests, or on the trunk on several days.',
  },
  flaky: {
    term: 'flaky',
    meaning: 'It failed and passed elsewhere on one and the same commit.',
  },
  infrastructure: {
    term: 'infrastructure',
    meaning: 'No test failed: the runner was lost, or disk, memory, network or time ran out.',
  },
  fallout: {
    term: 'fallout',
    meaning:
      'A secondary failure of the same job, such as a server that does not start again after a crash. It is shown with its cause.',
  },
  ignored: {
    ...VERDICT_WORDS.ignored,
    meaning: 'The repository’s configuration file or a person ignores it. It is shown and judges nothing.',
  },
  rollup: { term: 'rollup', meaning: 'A check that is red only because others are.' },
} as const satisfies Record<Classification, Word>

export const FAILURE_WORDS = {
  hit: {
    term: 'hit',
  },
  unrelated: {
    term: 'unrelated pull requests',
    meaning:
      'Different pull requests aimed at the trunk among the hits. One with several commits or several checks counts once.',
  },
  onTrunk: { term: 'on the trunk', meaning: 'Hits in runs of the default branch itself.' },
  signature: {
    term: 'signature',
  },
  stackTraceId: { term: 'STID' },
  entry: {
    term: 'entry',
  },
} as const satisfies Record<string, Term>

export const INFRASTRUCTURE_WORDS = {
  'runner-lost': { term: 'the runner was lost' },
  'time-out': { term: 'the job ran out of time' },
  'disk-full': { term: 'the disk was full' },
  'out-of-memory': { term: 'the machine ran out of memory' },
  network: { term: 'the network failed' },
  'no-result': {
    term: 'the job was killed or left no result',
  },
} as const satisfies Record<InfrastructureProblem, Term>

/** The term is the reason as a clause, the meaning what has to happen. */
export const LOOKUP_PROBLEM_WORDS = {
  unreachable: {
    term: 'the database of CI results can’t be reached',
    meaning: 'It is asked again by itself until it answers.',
  },
  'too-slow': {
    term: 'the database of CI results took too long to answer',
    meaning: 'The question was given up after its time limit and is asked again by itself.',
  },
  'access-denied': {
    term: 'the database of CI results denies access',
    meaning: 'Whoever runs the bot has to allow its user to read the table.',
  },
  'missing-table': {
    term: 'the configured table of CI results does not exist',
    meaning: 'The configuration has to name the one that does.',
  },
  'missing-column': {
    term: 'the table of CI results lacks a column',
    meaning: 'It needs the columns of ClickHouse’s CI database.',
  },
  'unexpected-answer': {
    term: 'the answer of the database of CI results can’t be read',
    meaning: 'It is asked again by itself; the log of the bot has the details.',
  },
} as const satisfies Record<LookupProblem, Word>

export const HISTORY_PROBLEM_WORDS = {
  unreachable: {
    term: 'the history of the trunk can’t be reached',
    meaning: 'Floors stand in for what it would teach; it is asked again by itself.',
  },
  'too-slow': {
    term: 'the history of the trunk took too long to answer',
    meaning: 'Floors stand in for what it would teach; it is asked again by itself.',
  },
  'access-denied': {
    term: 'the history of the trunk denies access',
    meaning: 'Whoever runs the bot has to let its user read the table, and name the table in CIDB_TABLES.',
  },
  'missing-table': {
    term: 'the configured table of the trunk’s history does not exist',
    meaning:
      'In the configuration, history.table or history.runsTable has to name the one that does; history.table: null says that there is none.',
  },
  'missing-column': {
    term: 'the table of the trunk’s history lacks a column',
    meaning: 'It needs the columns of ClickHouse’s query_metrics_v2, or of query_metric_runs_v1.',
  },
  'unexpected-answer': {
    term: 'the answer of the trunk’s history can’t be read',
    meaning: 'Floors stand in for what it would teach; the log of the bot has the details.',
  },
  copying: {
    term: 'still copying the history of the trunk',
    meaning: 'Floors stand in for what it would teach; it is judged again by itself once it is copied.',
  },
  empty: {
    term: 'the history of the trunk is empty',
    meaning:
      'No performance run of the default branch against an earlier commit of it is stored yet, so no threshold is learned.',
  },
} as const satisfies Record<HistoryProblem, Word>

export const RED_CHECK_WORDS = {
  'accounted-for': {
    term: 'accounted for',
    meaning:
      'Every failure in the check is chronic, flaky, broken on the trunk, infrastructure, part of a mass failure or fallout of such a one.',
  },
  'may-be-yours': {
    term: 'not accounted for',
    meaning: 'At least one failure in the check may be the pull request’s, or is unknown.',
  },
  'not-known': { term: 'nothing known yet', meaning: 'The results of the check have not been seen yet.' },
} as const satisfies Record<RedCheck['state'], Word>

/** Of the other metrics of a query. */
export const METRIC_WORDS = {
  withPrimary: {
    term: 'goes with the time',
    meaning:
      'Whether repetitions that took longer have more of it: Spearman’s rank correlation within each side, both sides together, from -1 to 1. That the two builds differ does not count.',
  },
} as const satisfies Record<string, Word>

export const METRIC_GROUP_WORDS = {
  time: { term: 'time', meaning: 'Time on the clock, of the query or of one of its phases.' },
  cpu: { term: 'CPU', meaning: 'Processor time, waiting for a processor, threads, hardware counters, compilation.' },
  memory: { term: 'memory', meaning: 'Allocations, page faults and what the query held.' },
  io: { term: 'I/O', meaning: 'Files read and written, blocks compressed and decompressed, data spilled to disk.' },
  cache: { term: 'cache', meaning: 'Hits and misses of any cache, and what was read ahead.' },
  network: { term: 'network', meaning: 'Connections, packets, and storage that is reached over the network.' },
  work: { term: 'work', meaning: 'Rows, bytes, parts, marks and ranges: how much the query had to look at.' },
  other: { term: 'other metrics', meaning: 'What no name tells the group of.' },
} as const satisfies Record<MetricGroup, Word>

/** Of a changed row whose metric has no known direction. */
export const UNDIRECTED_WORDS = 'changed, better or worse not known'

/** In the place of repetitions, of a source that gives medians and thresholds and no samples. */
export const WITHOUT_SAMPLES = 'medians and thresholds as the source rounds them'
