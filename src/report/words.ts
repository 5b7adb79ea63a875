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
export const IN_THE_DATABASE = 'in the bot’s database (perf_triage unless configured otherwise)'

export const MEASUREMENT_WORDS = {
  old: { term: 'old' },
  new: { term: 'new' },
  trunkLevel: {
    term: 'baseline',
    meaning:
      'For a run of the head alone: the median of the main branch’s runs since its last lasting step, and their number.',
  },
  thisRun: {
    term: 'this run',
    meaning:
      'For a run of the head alone: the value of the job closest to the baseline, and how many jobs were judged.',
  },
  showsFrom: {
    term: 'detectable from',
    meaning: 'The smallest change of this benchmark that the main branch’s history can detect with this many jobs.',
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
      'The smallest difference that counts as a change: the largest threshold that applies to the query, and where it comes from.',
  },
  unstableFrom: {
    term: 'unstable from',
    meaning: 'The noise from which a query varies too much to show a change.',
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
      'At least three times as slow, or 1.5 times with no overlap. It stands at the top and is never dismissed as noise.',
  },
} as const satisfies Record<string, Term>

export const OUTCOME_WORDS = {
  changed: { term: 'changed', meaning: 'Slower or faster by more than noise explains, and by enough to matter.' },
  unstable: { term: 'unstable', meaning: 'The run time varies too much to see a change; this is not “unchanged”.' },
  'too-small': {
    term: 'too small',
    meaning: 'A real difference, but below the limit for this query or project.',
  },
  'not-significant': { term: 'not significant', meaning: 'Noise is enough to explain any difference.' },
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
    term: 'already on the main branch',
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
      'One number per side, or a tool’s summary instead of samples: the difference is shown, but can’t be told from chance.',
  },
  'only-new': { term: 'only in the new build', meaning: 'The old build has no such query or could not run it.' },
  'only-old': { term: 'only in the old build', meaning: 'The new build has no such query or could not run it.' },
  failed: { term: 'failed', meaning: 'The query or its numbers can’t be used.' },
  'not-measured': { term: 'not measured', meaning: 'There is no measurement. This is not “unchanged”.' },
  'not-comparable': { term: 'not comparable', meaning: 'The two sides never ran within the same hour.' },
} as const satisfies Record<Status, Word>

export const STATUS_REASON_WORDS = {
  'zero-old': { term: 'the old time is zero', meaning: 'There is no percentage of zero.' },
  'not-a-number': { term: 'a time is not a number', meaning: 'The source has a value that isn’t a number.' },
  infinite: { term: 'a time is infinite', meaning: 'The source has an infinite value.' },
  negative: { term: 'a time is negative', meaning: 'The source has a value below zero.' },
  'run-error': { term: 'the query failed while it was measured', meaning: 'An execution ended with an error.' },
  skipped: { term: 'the test was skipped', meaning: 'The run skipped the whole test.' },
  partial: { term: 'works on one build only', meaning: 'The source says that only one of the builds can run it.' },
  'too-many-samples': {
    term: 'it has too many samples',
    meaning: 'There are more repetitions than can be judged exactly in reasonable time.',
  },
  'no-history': {
    term: 'the main branch has too few runs to judge it',
    meaning: 'Only the head was measured, and the baseline needs at least five runs of the main branch.',
  },
  'no-samples': { term: 'no samples', meaning: 'The source names the query but has no numbers for it.' },
} as const satisfies Record<StatusReason, Word>

export const FAILED_IN_WORDS = {
  new: {
    term: 'without a result in the new build',
    meaning:
      'The old build ran the query, but the new one has no number: it failed, crashed or doesn’t have the query.',
  },
  old: {
    term: 'without a result in the old build',
    meaning: 'The new build ran the query, but the old one has no number. That blocks nothing.',
  },
  both: { term: 'failed in both builds', meaning: 'Neither build could run it, so the change isn’t the cause.' },
  unknown: {
    term: 'failed in an unknown build',
    meaning: 'An execution failed, neither build has numbers, and the source doesn’t say which one failed.',
  },
} as const satisfies Record<FailedIn, Term>

export const NOTE_WORDS = {
  'too-few-repetitions': EVIDENCE_WORDS['too-few-repetitions'],
  'one-process': EVIDENCE_WORDS['one-process'],
  'uneven-repetitions': { term: 'uneven repetitions', meaning: 'Old and new were not run the same number of times.' },
  'rounded-source': {
    term: 'rounded source',
    meaning: 'The source gives rounded numbers; rounding alone can make a difference look significant.',
  },
  'run-errors': { term: 'some repetitions failed', meaning: 'The rest were judged.' },
  'user-space-only': { term: 'user space only', meaning: 'Work done by the kernel was not counted.' },
  multiplexed: {
    term: 'multiplexed',
    meaning: 'The counter ran for only part of the time; the tool scaled its value up.',
  },
  counted: {
    term: 'counted',
    meaning: 'The same work always gives the same number. Where no repetition differs, the sides are compared exactly.',
  },
  'too-few-blocks': {
    term: 'too few blocks',
    meaning: 'The two sides ran side by side in fewer than eight blocks of time, too few for a threshold.',
  },
  'short-run': {
    term: 'short run',
    meaning: 'The log spans less than six hours, so a slow drift of one side can look like a difference.',
  },
  drift: { term: 'drift', meaning: 'Long blocks of time differ more from each other than short ones.' },
  'mix-shift': {
    term: 'mix shift',
    meaning:
      'The medians of all executions show another change: the sides ran a different mix of groups, or at different times.',
  },
  simpson: {
    term: 'Simpson’s paradox',
    meaning: 'The medians of all executions point one way, while those of every group point the other way.',
  },
} as const satisfies Record<Note, Word>

export const THRESHOLD_SOURCE_WORDS = {
  floor: { term: 'default', meaning: 'The built-in limit.' },
  configured: { term: 'configured', meaning: 'Set in the repository’s configuration file.' },
  entry: {
    term: 'set for it in the repository’s file',
    meaning: 'Set for this test or query by an entry in the repository’s configuration file.',
  },
  test: { term: 'set by the test', meaning: 'The test states how much it may vary.' },
  learned: { term: 'learned', meaning: 'From how much this query varied on the main branch over a month.' },
  given: { term: 'given', meaning: 'Set on the command line.' },
  history: {
    term: 'the main branch’s history',
    meaning: 'Only the head was measured: from how far runs of the main branch are from their own level.',
  },
} as const satisfies Record<ThresholdSource, Word>

export const RERUN_REASON_WORDS = {
  'one-job': {
    term: 'seen in one job',
  },
  'already-on-trunk': {
    term: 'the newest run on the main branch is as slow',
  },
  'short-history': {
    term: 'too few runs on the main branch for so few jobs',
  },
  'moves-on-trunk': {
    term: 'the main branch moves as much',
  },
  guard: { term: 'three times as slow' },
} as const satisfies Record<RerunReason, Term>

export const SHARD_STATE_WORDS = {
  measured: { term: 'in', meaning: 'The shard’s results were read.' },
  pending: { term: 'running', meaning: 'The shard’s check has not finished.' },
  failed: { term: 'no results', meaning: 'The shard’s check ended, but its results can’t be read.' },
  missing: {
    term: 'not started',
    meaning: 'The names of the other shards imply it, but no check of that name was seen.',
  },
  skipped: { term: 'skipped', meaning: 'CI skipped the check, so it measured nothing.' },
} as const satisfies Record<ShardState, Word>

export const SHARD_PROBLEM_WORDS = {
  'no-results': { term: 'it left no results', meaning: 'Nothing with the configured name was uploaded.' },
  ambiguous: {
    term: 'more than one artifact could be its results',
    meaning: 'Make the pattern in the configuration name the parts that tell them apart.',
  },
  expired: { term: 'its results have expired', meaning: 'The artifact was deleted when its retention period ended.' },
  'download-failed': { term: 'its results could not be downloaded', meaning: 'The bot will try again.' },
  'host-not-allowed': {
    term: 'its results are on a host that is not allowed',
    meaning: 'Whoever runs the bot can add it to ARTIFACT_HOSTS.',
  },
  'too-large': { term: 'its results are too large', meaning: 'They exceed the limits for outside input.' },
  unreadable: {
    term: 'its results could not be read',
    meaning: 'The archive or its files are damaged, or in an unsupported format.',
  },
  'not-compared': {
    term: 'base and head were not compared',
    meaning: '`perf-triage measure` says why: equal trees, a failed build or failed turns.',
  },
  'needed-failed': {
    term: 'it was skipped because an earlier job failed or was cancelled',
    meaning: 'GitHub skips a job when a job it needs has failed.',
  },
  'shard-skipped': {
    term: 'it was skipped while other shards of the same run were not',
    meaning: 'What it would have measured is missing.',
  },
  empty: { term: 'its results hold no measurements', meaning: 'The archive was read but has nothing to compare.' },
} as const satisfies Record<ShardProblem, Word>

export const DEGRADATION_WORDS = {
  'history-not-available': {
    term: 'history is not available',
    meaning: 'How much a query normally varies is unknown, so default limits stand in for learned ones.',
  },
  'config-invalid': {
    term: 'the configuration file is not valid',
    meaning: 'The last valid one is used. A pull request that changes it is told of each wrong line.',
  },
  'config-never-valid': {
    term: 'the configuration file is not valid, and there is no earlier valid one',
    meaning: 'The defaults are used. The check fails unless the file says `mode: advisory` or never mentions gating.',
  },
  'other-pull-requests-unknown': {
    term: 'other pull requests were not checked for the same change',
    meaning: 'Without a server nobody knows their reports.',
  },
} as const satisfies Record<Degradation, Word>

/** Why a check that gates fails although nothing was found: the end of a sentence. */
/** Entries of `tests` in the repository's file whose last day is over. */
export const EXPIRED_WORDS = {
  term: 'entries of the repository’s file that ignored or accepted queries have expired',
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
  'results-not-read': { term: 'some results could not be read' },
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
    term: 'a slowdown too large to dismiss as noise is unresolved: rerun the job',
  },
  'failed-in-unknown-build': {
    term: 'queries failed, and the results don’t say in which build',
  },
  'query-without-value': {
    term: 'a query has no value for the deciding metric',
  },
  'ci-results-unavailable': {
    term: 'the failing tests could not be looked up in the CI results',
  },
  'failing-tests-not-read': {
    term: 'not all failing tests were judged',
  },
  'configuration-never-valid': DEGRADATION_WORDS['config-never-valid'],
} as const satisfies Record<Unknown, Term>

export const WARNING_WORDS = {
  'truncated-line': { term: 'a line is cut off', meaning: 'The file ends in the middle of it. The line was left out.' },
  'malformed-line': { term: 'a line can’t be read', meaning: 'It was left out.' },
  'invalid-value': { term: 'a value can’t be read', meaning: 'It was left out.' },
  'duplicate-sample': { term: 'a sample appears twice', meaning: 'The first one counts.' },
  'run-error': { term: 'an execution failed', meaning: 'The source says so.' },
  'unreadable-member': { term: 'a file can’t be read', meaning: 'The rest of the archive was read.' },
  'refused-member': { term: 'a file was refused', meaning: 'Its name, size or kind is not allowed.' },
  'limit-reached': { term: 'a limit was reached', meaning: 'Anything beyond it was not read.' },
  'light-stacks': {
    term: 'the lightest stacks are counted together',
    meaning: 'A profile keeps its heaviest stacks one by one.',
  },
  'same-name': {
    term: 'two benchmarks with the same name',
    meaning: 'They are told apart by their order in the file, if their tool lists each one once.',
  },
  'side-assumed': { term: 'no file name says which build', meaning: 'All files count as the new build.' },
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
    term: 'broken on the main branch',
    meaning: 'It failed in the latest runs of the main branch, or already at the merge base.',
  },
  chronic: {
    term: 'chronic',
    meaning: 'The same failure in several unrelated pull requests, or on the main branch on several days.',
  },
  flaky: {
    term: 'flaky',
    meaning: 'It both failed and passed elsewhere on the same commit.',
  },
  infrastructure: {
    term: 'infrastructure',
    meaning: 'No test failed: the runner was lost, the network failed, or the job ran out of disk, memory or time.',
  },
  fallout: {
    term: 'fallout',
    meaning:
      'A secondary failure of the same job, such as a server that does not start again after a crash. It is shown with its cause.',
  },
  ignored: {
    ...VERDICT_WORDS.ignored,
    meaning: 'The repository’s configuration file or a person ignores it. It is shown but doesn’t count.',
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
      'Distinct pull requests into the main branch among the hits. One with several commits or checks counts once.',
  },
  onTrunk: { term: 'on the main branch', meaning: 'Hits in runs of the main branch itself.' },
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
    term: 'the CI results database can’t be reached',
    meaning: 'The bot keeps trying until it answers.',
  },
  'too-slow': {
    term: 'the CI results database took too long to answer',
    meaning: 'The query was stopped at its time limit; the bot will try again.',
  },
  'access-denied': {
    term: 'the CI results database denies access',
    meaning: 'Whoever runs the bot must let its user read the table.',
  },
  'missing-table': {
    term: 'the configured table of CI results does not exist',
    meaning: 'Name the right table in the configuration.',
  },
  'missing-column': {
    term: 'the table of CI results lacks a column',
    meaning: 'It needs the columns of ClickHouse’s CI database.',
  },
  'unexpected-answer': {
    term: 'the CI results database gave an answer that can’t be read',
    meaning: 'The bot will try again; its log has the details.',
  },
} as const satisfies Record<LookupProblem, Word>

export const HISTORY_PROBLEM_WORDS = {
  unreachable: {
    term: 'the main branch’s history can’t be reached',
    meaning: 'Default limits stand in for learned ones; the bot will try again.',
  },
  'too-slow': {
    term: 'the main branch’s history took too long to answer',
    meaning: 'Default limits stand in for learned ones; the bot will try again.',
  },
  'access-denied': {
    term: 'the main branch’s history denies access',
    meaning: 'Whoever runs the bot must let its user read the table, and name the table in CIDB_TABLES.',
  },
  'missing-table': {
    term: 'the configured table of the main branch’s history does not exist',
    meaning:
      'In the configuration, name the right one in history.table or history.runsTable; history.table: null means there is none.',
  },
  'missing-column': {
    term: 'the table of the main branch’s history lacks a column',
    meaning: 'It needs the columns of ClickHouse’s query_metrics_v2, or of query_metric_runs_v1.',
  },
  'unexpected-answer': {
    term: 'the main branch’s history gave an answer that can’t be read',
    meaning: 'Default limits stand in for learned ones; the bot’s log has the details.',
  },
  copying: {
    term: 'still copying the main branch’s history',
    meaning: 'Default limits stand in for learned ones; the run is judged again once the copy is complete.',
  },
  empty: {
    term: 'the main branch’s history is empty',
    meaning:
      'No performance run that compares two commits of the main branch is stored yet, so nothing could be learned.',
  },
} as const satisfies Record<HistoryProblem, Word>

export const RED_CHECK_WORDS = {
  'accounted-for': {
    term: 'accounted for',
    meaning:
      'Every failure in the check is chronic, flaky, broken on the main branch, infrastructure, part of a mass failure, or fallout of one of these.',
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
    term: 'correlates with time',
    meaning:
      'Whether slower repetitions have more of it: Spearman’s rank correlation within each side, pooled, from −1 to 1. A difference between the builds doesn’t count.',
  },
} as const satisfies Record<string, Word>

export const METRIC_GROUP_WORDS = {
  time: { term: 'time', meaning: 'Wall-clock time of the query or one of its phases.' },
  cpu: { term: 'CPU', meaning: 'Processor time, waiting for a processor, threads, hardware counters, compilation.' },
  memory: { term: 'memory', meaning: 'Allocations, page faults and what the query held.' },
  io: { term: 'I/O', meaning: 'Files read and written, blocks compressed and decompressed, data spilled to disk.' },
  cache: { term: 'cache', meaning: 'Hits and misses of any cache, and what was read ahead.' },
  network: { term: 'network', meaning: 'Connections, packets, and storage reached over the network.' },
  work: { term: 'work', meaning: 'Rows, bytes, parts, marks and ranges: how much the query had to look at.' },
  other: { term: 'other metrics', meaning: 'Metrics whose names don’t tell their group.' },
} as const satisfies Record<MetricGroup, Word>

/** Of a changed row whose metric has no known direction. */
export const UNDIRECTED_WORDS = 'changed, unknown whether better or worse'

/** In the place of repetitions, of a source that gives medians and thresholds and no samples. */
export const WITHOUT_SAMPLES = 'medians and thresholds as rounded by the source'
