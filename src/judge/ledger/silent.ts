import { fitsAny, type NamePattern } from '../../text/name-pattern.ts'
import { saysProcessIsGone } from './crash.ts'
import type { Failure } from './failure.ts'
import { infrastructureProblem } from './infrastructure-phrases.ts'

/** Longest part of a name or signature that is looked at. */
const READ = 1000

/** A file in which somebody may find the reason: `(see upgrade_error_messages.txt)`, `in clickhouse-server.log`. */
const POINTER =
  /\((?:see|in|check)\b[^()]{0,300}\)|\b(?:in|see|check) \S{1,100}\.(?:log|txt|err|out|tsv|html?|xml|json|gz)\b/gi

/** Parts of a CI, the ends that they come to, and the words between. One that says more, as `deadlock` does, is a reason. */
const EVENT_WORDS = new Set(
  [
    'cannot could unable a an the in of by on with for at from to after during before pre post was were is has have had be been no not and or some other found detected see check possible',
    'internal generic unknown unexpected unhandled uncaught',
    'job jobs test tests testing checks step steps stage stages build builds run runs runner script suite suites server servers',
    'process processes service workflow task tasks pipeline worker workers container pod node instance host machine daemon',
    'program command fuzzer fuzz stress clickhouse start started file files empty setup teardown infrastructure infra environment',
    'error errors failure failures failed fail fails failing exception exceptions problem problems issue issues broken bad',
    'crash crashed crashes crashing died dead gone lost stopped aborted abort aborts terminated interrupted cancelled canceled',
    'core cores dump dumps dumped coredump coredumps oom killer kill killed kills out memory signal signals',
    'sigkill sigsegv sigabrt sigterm sigbus sigill sigfpe sanitizer sanitizers valgrind leak leaks asan tsan msan ubsan lsan addresssanitizer',
    'threadsanitizer memorysanitizer leaksanitizer undefinedbehaviorsanitizer assert asserts assertion assertions segmentation fault segfault',
    'panic panicked fatal timeout timeouts timed time limit exceeded expired exit exited exits code status nonzero non zero',
    'message messages log logs output outputs report reports dmesg stderr stdout console journal kernel',
  ].flatMap((words) => words.split(' ')),
)
const EVENT =
  /\b(?:errors?|failures?|fail(?:ed|s|ing)?|exceptions?|problems?|crash\w{0,3}|died|dead|core ?dumps?|oom|kill(?:ed|er|s)?|signals?|sig[a-z]{3,4}|\w{0,20}sanitizers?|[atm]san|ubsan|lsan|asserts?|assertions?|leaks?|lost|unexpected|not empty|segfault|segmentation|abort(?:ed|s)?|panic(?:ked)?|fatal|time-?outs?|timed out|limit exceeded|out of memory|exit(?:ed|s)?|thrown|terminated|interrupted|cancell?ed)\b/i
/** A name such as `a_test` or `src/error.test` is one. */
const WORD = /[\p{L}\p{N}_]+(?:[./\\][\p{L}\p{N}_]+)*/gu

/** In parentheses the file is no subject of the test, whatever else the name says. */
const FILE_IN_PARENTHESES =
  /\((?:see|in|check)\b[^()]{0,200}\.(?:log|txt|err|out|tsv|html?|xml|json|gz)\b[^()]{0,200}\)/gi
/** `Logical error in clickhouse-server.log`; tests, too, print in `stderr`. */
const EVENT_IN_FILE = new RegExp(
  `${EVENT.source}(?: \\w{1,20})? (?:in|see|check) (?:\\S{1,100}\\.log|dmesg|journalctl|syslog)$`,
  'i',
)
/** `connection timeout` is what a test may be about. */
const LOST_CONNECTION = /\blost connection\b|\bconnection (?:was )?lost\b/gi

/**
 * The name of a test is that of a kind of event, or points at a file in which the reason stands: what happened, and not of
 * which cause. The whole of it has to, or an ordinary test would say nothing.
 *
 * Is: `Sanitizer assert (in stderr.log or clickhouse-server.log)`, `Unknown job error`, `OOM in dmesg`, `Core dumps found
 * (cores)`. Is not: `01234_timeout`; `Cluster reconnects after server died`; `prints usage in stderr`; `Hung check failed,
 * possible deadlock found (see hung_check.log)`, a kind of crash; `Logical error: 'Bad cast'`, which says what was wrong.
 */
export function namesAnEvent(testName: string): boolean {
  const read = testName.slice(0, READ).trim()
  if (/\bhung\b|\bdeadlock\b/i.test(read)) return false
  const besides = read.replace(FILE_IN_PARENTHESES, '')
  return (besides !== read && EVENT.test(besides)) || EVENT_IN_FILE.test(read) || saysNoMore(read)
}

/** Of an output, which may name a file and go on: `Error in server.log: Code: 115. Unknown setting`. */
function saysNoMore(text: string): boolean {
  const read = text.slice(0, READ)
  const words = read.replace(POINTER, ' ').replace(LOST_CONNECTION, 'lost').match(WORD) ?? []
  const isEvent = EVENT.test(read) || saysProcessIsGone(read)
  return isEvent && words.every((word) => /^\d+$/.test(word) || EVENT_WORDS.has(word.toLowerCase()))
}

/** gotestsum's name of a package that failed although none of its tests did. */
const TEST_MAIN = /(?:^|[. ])TestMain$/

/**
 * A failure of which nothing is said: what its output holds is no reason (`lines-without-reason.ts`, or its own name once
 * more), or it has no output and a name that does not say either what failed: a check without a failing test, a name of
 * `ledger.falloutTests`, or one of an event. Nothing shows that two such failures are the same, and everybody breaks their
 * own build.
 *
 * Is: `Lint`, `Process completed with exit code 1.`; `Server died`, alone or with the output `Server died`; `01234_test`,
 * `severity: fail`. Is not: `01234_test` without output, whose name says what failed; nor `Lint`, `error: 'x' is defined
 * but never used`.
 */
export function isSilent(
  { testName, signature }: Pick<Failure, 'testName' | 'signature'>,
  falloutTests: readonly NamePattern[],
): boolean {
  if (signature.kind === 'frames') return true
  // Killed, by whatever: a hang of its own looks like this, too.
  if (testName === '' && infrastructureProblem(signature.text) === 'no-result') return true
  if (signature.kind === 'stack-trace-id') return false
  const isNamed = !namesAnEvent(testName) && !TEST_MAIN.test(testName) && !fitsAny(falloutTests, testName)
  if (testName !== '' && isNamed) return false
  return signature.kind === 'name' || (testName !== '' && saysNoMore(signature.text))
}
