import type { EnvironmentField } from '../intake/measurement/environment.ts'
import type { MetricGroup } from '../intake/measurement/metric-group.ts'
import type { ReadWarningCode } from '../intake/measurement/run.ts'
import type { HistoryProblem } from '../judge/history/trunk-series.ts'
import type { Classification, InfrastructureProblem, LookupProblem, Reason, RedCheck } from '../judge/ledger/failure.ts'
import type {
  FailedIn,
  Note,
  Outcome,
  RerunReason,
  Status,
  StatusReason,
  ThresholdSource,
} from '../judge/verdict/classified-query.ts'
import { CHANCE_P } from '../judge/verdict/facts.ts'
import type { Verdict } from '../judge/verdict/verdict.ts'
import { EVIDENCE_WORDS, WHOLE_RUN } from './evidence-words.ts'
import type { Degradation, ShardProblem, ShardState, Unknown } from './report.ts'
import type { Word } from './word.ts'

/**
 * Every word that the comment, the check run and the pages use for something, with what it means. A term is written once,
 * here, and everything shown takes it from here; those of the evidence stand with its clauses. One list per closed union: a new
 * member does not compile without a word.
 */

/** The place where a statement is to be run. Its tables are named without their database. */
export const IN_THE_DATABASE = 'in the bot’s database, perf_triage if not configured otherwise'

export const MEASUREMENT_WORDS = {
  query: { term: 'query', meaning: 'One statement of a performance test, named by its test and its position there.' },
  old: { term: 'old', meaning: 'The build that the change is compared with, usually of the merge base.' },
  new: { term: 'new', meaning: 'The build of the pull request’s head commit.' },
  trunkLevel: {
    term: 'trunk',
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
      'What the difference of this query reaches in 1% of all ways to deal its repetitions to old and new; a smaller one may be noise. “As large as chance can show here”: no way to deal them gives more than was measured.',
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
  mayBeChance: {
    term: 'may be chance',
    meaning: `Old and new overlap, and their rank p is above ${CHANCE_P}: among 2,000 queries that did not change some look like this. It needs a second witness: a rerun, another architecture, or a trunk on which it never moved so far.`,
  },
  separated: {
    term: 'old and new don’t overlap',
    meaning:
      'Every new repetition is slower than every old one, or every one faster, which repetitions of equally fast builds seldom do.',
  },
  becauseOfChange: {
    term: 'because of this change',
    meaning:
      'The trunk’s history speaks for it: the query never moved as far there, or moved on another architecture as well, and nothing raises a doubt.',
  },
  tooNoisy: {
    term: 'too noisy to judge',
    meaning:
      'The run time varies too much to see a change. This is not “unchanged”: a slowdown may hide in it, and each row says how large.',
  },
  tooFew: {
    term: 'measured too few times to judge',
    meaning: 'Fewer than three repetitions on a side: nothing tells how much they vary, however far apart they are.',
  },
  wholeRun: WHOLE_RUN,
  guarded: {
    term: 'too large to dismiss as noise',
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
    meaning:
      'It moved, but something known about the machine or the query explains it, or it got faster by no more than chance.',
  },
  'already-on-trunk': {
    term: 'already on the trunk',
    meaning: 'The default branch made the same step after the reference; the pull request did not cause it.',
  },
  acknowledged: {
    term: 'accepted',
    meaning:
      'Somebody with the right to do so has accepted it at this size. It opens again when it grows by more than its threshold.',
  },
  ignored: {
    term: 'ignored',
    meaning:
      'The repository’s configuration file ignores this query until a day, with a reason, or a person ignores it, or a test that fails, on this pull request. What is measured is shown and judges nothing.',
  },
} as const satisfies Record<Verdict, Word>

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
} as const satisfies Record<FailedIn, Word>

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
    meaning: 'One value of the head alone carries no verdict: a second job decides.',
  },
  'already-on-trunk': {
    term: 'the newest trunk run is as slow',
    meaning: 'The newest run of the trunk has half of it or more, and nobody knows yet whether that lasts.',
  },
  'short-history': {
    term: 'too few trunk runs for so few jobs',
    meaning: 'One job takes ten runs of the trunk, two take seven.',
  },
  'moves-on-trunk': {
    term: 'the trunk moves as much',
    meaning: 'In more than one of a hundred runs the trunk itself was as far off its level.',
  },
  guard: { term: 'three times as slow', meaning: 'It is looked at whatever the history shows.' },
} as const satisfies Record<RerunReason, Word>

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
  'shard-without-results': { term: 'a shard gave no results', meaning: 'It is listed with its reason.' },
  'results-not-read': { term: 'a part of the results could not be read', meaning: 'The warnings say which.' },
  'nothing-compared': { term: 'no query could be compared', meaning: 'Each is listed with its reason.' },
  'wrong-builds': {
    term: 'the run compares the wrong builds',
    meaning: 'Both are of one commit, or the new one is of the base, so the change was not measured.',
  },
  'other-machines': {
    term: 'the two builds were not measured alike',
    meaning: 'Another machine, or a debug build, hides what the change does: measure both builds on one, built alike.',
  },
  'nothing-judged': {
    term: 'every query is too noisy to judge',
    meaning: 'More repetitions or a quieter machine would tell.',
  },
  'only-ignored': {
    term: 'every query is ignored or too noisy to judge',
    meaning: 'The repository’s file ignores them, so nothing is known of the change.',
  },
  'guarded-rerun': {
    term: 'a slowdown that is too large to wave through is not settled: rerun the job',
    meaning: 'Only a second measurement can take it back.',
  },
  'failed-in-unknown-build': {
    term: 'queries failed, and the results do not say in which build',
    meaning: 'The log of the job says it.',
  },
  'query-without-value': {
    term: 'a query has no value of the metric that decides',
    meaning: 'It was measured by other metrics only, or not at all, and the results do not say why.',
  },
  'ci-results-unavailable': {
    term: 'the CI results could not be asked for the failing tests',
    meaning: 'They are asked again.',
  },
  'configuration-never-valid': DEGRADATION_WORDS['config-never-valid'],
} as const satisfies Record<Unknown, Word>

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
      'The pull request adds or edits the test, or the test ran often enough elsewhere to have shown the failure and never did.',
  },
  unknown: {
    term: 'unknown',
    meaning: 'Too little is known to say whose failure it is. The row says what is missing; nothing is assumed.',
  },
  'mass-failure': {
    term: 'mass failure',
    meaning:
      'Within the same hour (of a check with few builds up to a day) many tests failed in many pull requests: something they share broke, not one of them.',
  },
  'broken-trunk': {
    term: 'broken on the trunk',
    meaning: 'It failed in the latest runs of the default branch, or already at the merge base.',
  },
  chronic: {
    term: 'chronic',
    meaning: 'The same failure in several unrelated pull requests, or on the trunk on several days.',
  },
  flaky: {
    term: 'flaky',
    meaning: 'Seen elsewhere to fail and to pass on one and the same commit. Never said without having been seen.',
  },
  infrastructure: {
    term: 'infrastructure',
    meaning:
      'No test failed: the runner was lost or its disk was full, or memory, network or time gave out before any test ran.',
  },
  fallout: {
    term: 'fallout',
    meaning:
      'A secondary failure of the same job, such as a server that does not start again after a crash. It stands with its cause.',
  },
  ignored: VERDICT_WORDS.ignored,
  rollup: { term: 'rollup', meaning: 'A check that is red only because others are: it sums them up.' },
} as const satisfies Record<Classification, Word>

export const FAILURE_WORDS = {
  hit: {
    term: 'hit',
    meaning:
      'One failing execution of the same test with the same signature outside this pull request, in any check, within the lookback.',
  },
  unrelated: {
    term: 'unrelated pull requests',
    meaning:
      'Different pull requests aimed at the trunk among the hits. One with several commits or several checks counts once.',
  },
  onTrunk: { term: 'on the trunk', meaning: 'Hits in runs of the default branch itself.' },
  signature: {
    term: 'signature',
    meaning:
      'What identifies the same failure again: a stack trace id, or else the first failing lines of the output without numbers, paths and times.',
  },
  stackTraceId: {
    term: 'STID',
    meaning: 'Stack trace id: a short name for the functions at the top of the stack in which the failure happened.',
  },
  lookback: { term: 'lookback', meaning: 'How many days of CI results are looked at, back from the failure.' },
  execution: { term: 'execution', meaning: 'One passing or failing run of the test outside this pull request.' },
  trunkRate: {
    term: 'trunk runs',
    meaning:
      'Executions on the default branch: how many of them failed, and between which shares the true rate lies (Wilson, 95%).',
  },
  proof: { term: 'proof', meaning: 'The place where anybody can count the hits again.' },
  entry: {
    term: 'entry',
    meaning:
      'What the ledger keeps of a chronic failure from its first hit until it has been quiet. One that is still open after 90 days has expired and is said to have, so that nobody gets used to it.',
  },
} as const satisfies Record<string, Word>

const REASON_WORDS = {
  ignored: VERDICT_WORDS.ignored,
  'declared-chronic': {
    term: 'declared chronic',
    meaning:
      'A person has entered this very failure (the test with its signature) into the ledger, for all pull requests of the repository until a day.',
  },
  'declaration-expired': {
    term: 'was declared chronic',
    meaning: 'A person had declared it chronic until a day that is over, so that excuses it no more.',
  },
  'sums-up-others': {
    term: 'sums up others',
    meaning: 'The configuration names this check as one that only sums up others.',
  },
  'no-test-failed': {
    term: 'no test failed',
    meaning: 'The check ended red and none of its tests did. What it says of its machine is said.',
  },
  'follows-from': {
    term: 'follows from',
    meaning:
      'Another failure of the same job is the cause of this one. Of several that may be, the one that is excused least.',
  },
  'test-changed': {
    term: 'added or edited by this pull request',
    meaning: 'The file of the test is among the changed files, so the test itself may be the reason.',
  },
  'in-mass-failure': {
    term: 'in a mass failure',
    meaning:
      'It is one of many tests that failed in many pull requests within an hour, of a check with few builds within up to a day.',
  },
  'failed-at-merge-base': {
    term: 'failed at the merge base',
    meaning: 'The commit that the pull request starts from fails in the same way.',
  },
  'latest-trunk-runs-failed': {
    term: 'failed in the latest trunk runs',
    meaning: 'The newest runs of this check on the default branch all failed in the same way.',
  },
  'unrelated-pull-requests': {
    term: 'enough unrelated pull requests',
    meaning: 'As many unrelated pull requests failed in the same way as make a failure chronic, or more.',
  },
  'trunk-hits': {
    term: 'hits on different days',
    meaning: 'On as many different days as make a failure chronic the default branch failed in the same way.',
  },
  'passed-on-same-commit': {
    term: 'failed and passed on the same commit',
    meaning: 'The same check of the same commit failed once and passed once, so the code alone does not decide it.',
  },
  'never-elsewhere': {
    term: 'failed like this nowhere else',
    meaning:
      'The test ran so often elsewhere that a chronic failure would have shown itself. The chance that it did not is said.',
  },
  'too-few-runs': {
    term: 'too few executions',
    meaning: 'It has not failed elsewhere, but did not run often enough there for that to mean anything.',
  },
  'too-few-hits': {
    term: 'too few hits',
    meaning: 'It has failed elsewhere, but not often enough to be called chronic.',
  },
  'fails-more-here': {
    term: 'fails more often here',
    meaning:
      'In this pull request it fails in far more of its checks than elsewhere in its executions. The chance is that of a coincidence; failures elsewhere do not excuse it.',
  },
  'stack-in-changed-file': {
    term: 'goes through a changed file',
    meaning: 'The stack of the failure names a file that the pull request changes. It decides nothing.',
  },
  'stack-in-other-files': {
    term: 'goes through other files',
    meaning:
      'The stack of the failure names files, and none that the pull request changes. A change may break what it does not touch.',
  },
  'of-stretches': {
    term: 'failed while the trunk was broken',
    meaning:
      'Who builds on a broken commit of the trunk fails alike, so these pull requests show nothing of their own.',
  },
  'in-other-check': {
    term: 'seen in another check',
    meaning:
      'It failed alike in another check and not in this one, where it ran too seldom to tell, or the stack is the same.',
  },
  'only-in-other-checks': {
    term: 'only in other checks',
    meaning:
      'It fails alike in other checks, and ran often enough in this one to have shown it. Failures of another platform do not excuse it here.',
  },
  'ended-stretch': {
    term: 'was broken on the trunk',
    meaning:
      'The trunk failed like this for a while and passes again. That explains builds from that time and no later ones.',
  },
  'fixed-on-trunk': {
    term: 'passes on the trunk since',
    meaning: 'It used to fail on the trunk, and has passed there so often since that it was probably fixed.',
  },
  'word-not-counted': {
    term: 'not counted',
    meaning:
      'Where a check gates, only pull requests of people count who may write to the repository or had one merged before.',
  },
  'nothing-said': {
    term: 'nothing says why',
    meaning:
      'Neither name nor output says what went wrong, so failures elsewhere can’t be told to be the same and excuse nothing.',
  },
  'other-signature': {
    term: 'fails differently elsewhere',
    meaning: 'The same test fails with another signature elsewhere. That is another failure and excuses nothing.',
  },
  'same-stack': {
    term: 'the same stack under another text',
    meaning:
      'Failures elsewhere state the same stack trace id and say something else. Two crashes can share an id, so they excuse nothing; nor is this failure new for certain.',
  },
  'matched-by-name': {
    term: 'matched by name',
    meaning: 'There is no output to compare, so every failure of that name counts as the same.',
  },
  'mass-failures-left-out': {
    term: 'mass failures left out',
    meaning:
      'Failures of a test that failed in many pull requests at once, together with many other tests, are no hits.',
  },
  'passed-on-retry': {
    term: 'passed on a retry',
    meaning: 'The test passed when the same job ran it again. That alone excuses nothing.',
  },
  'more-not-read': {
    term: 'older failures not read',
    meaning: 'There are more failures than are read, so that the counts are too low.',
  },
  'clock-ahead': {
    term: 'a clock is ahead',
    meaning: 'The time of the failure lies in the future, so the clock of its machine or of the database is wrong.',
  },
  'lookup-failed': {
    term: 'not looked up',
    meaning: 'The CI results could not be asked, so nothing is known of other failures of this test.',
  },
} as const satisfies Record<Reason['kind'], Word>

export const INFRASTRUCTURE_WORDS = {
  'runner-lost': { term: 'the runner was lost', meaning: 'The machine stopped answering or was shut down.' },
  'time-out': { term: 'the job ran out of time', meaning: 'It was stopped when the time allowed was over.' },
  'disk-full': { term: 'the disk was full', meaning: 'No space was left on the machine.' },
  'out-of-memory': { term: 'the machine ran out of memory', meaning: 'The operating system stopped the job.' },
  network: { term: 'the network failed', meaning: 'Something could not be downloaded or reached.' },
  'no-result': {
    term: 'the job was killed or left no result',
    meaning: 'It did not come to its end, and does not say why.',
  },
} as const satisfies Record<InfrastructureProblem, Word>

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
  surprise: {
    term: 'sorted by surprise',
    meaning:
      'First what does not overlap at all, the largest ratio first; then the smallest p, of equal ones the largest difference in thresholds. What is equal on both sides stands last.',
  },
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

/** All words in the order in which a reader needs them: a title for each group. */
export const GLOSSARY: readonly { readonly title: string; readonly words: readonly Word[] }[] = [
  { title: 'What to do', words: Object.values(VERDICT_WORDS) },
  { title: 'What was measured', words: Object.values(OUTCOME_WORDS) },
  { title: 'What speaks for and against it', words: Object.values(EVIDENCE_WORDS) },
  { title: 'Failing tests', words: Object.values(CLASSIFICATION_WORDS) },
  { title: 'What is counted of a failing test', words: Object.values(FAILURE_WORDS) },
  { title: 'What speaks for and against a failing test', words: Object.values(REASON_WORDS) },
  { title: 'Infrastructure', words: Object.values(INFRASTRUCTURE_WORDS) },
  { title: 'Red checks', words: Object.values(RED_CHECK_WORDS) },
  { title: 'Numbers', words: Object.values(MEASUREMENT_WORDS) },
  { title: 'Metrics of a query', words: [...Object.values(METRIC_WORDS), ...Object.values(METRIC_GROUP_WORDS)] },
  { title: 'Where a threshold comes from', words: Object.values(THRESHOLD_SOURCE_WORDS) },
  { title: 'Why a run of the head alone asks for another job', words: Object.values(RERUN_REASON_WORDS) },
  {
    title: 'Not compared',
    words: [...Object.values(STATUS_WORDS), ...Object.values(STATUS_REASON_WORDS), ...Object.values(FAILED_IN_WORDS)],
  },
  { title: 'Notes on a row', words: Object.values(NOTE_WORDS) },
  { title: 'Shards', words: [...Object.values(SHARD_STATE_WORDS), ...Object.values(SHARD_PROBLEM_WORDS)] },
  {
    title: 'Sources that were down',
    words: [
      ...Object.values(DEGRADATION_WORDS),
      ...Object.values(HISTORY_PROBLEM_WORDS),
      ...Object.values(LOOKUP_PROBLEM_WORDS),
    ],
  },
  { title: 'Why a check that gates fails though nothing was found', words: Object.values(UNKNOWN_WORDS) },
  { title: 'Warnings of the readers', words: Object.values(WARNING_WORDS) },
]

/** Of a changed row whose metric has no known direction. */
export const UNDIRECTED_WORDS = 'changed, better or worse not known'

/** In the place of repetitions, of a source that gives medians and thresholds and no samples. */
export const WITHOUT_SAMPLES = 'medians and thresholds as the source rounds them'
