/**
 * Lines that a test framework writes around every failure: headings, counters, separators, how long it took, the bare code
 * that a process ended with. They are the same whatever failed, so that none is a sign that two failures are the same.
 *
 * Is: `severity: fail`, `duration_ms: 12.5`, `[  FAILED  ] Suite.Test (3 ms)`, `--- FAIL: TestCart (0.00s)`,
 * `Tests run: 5, Failures: 1`, `=== 1 failed, 2 passed in 0.3s ===`, `exitcode: 1`. Is not: `error: 'x' is undefined`,
 * `FAILED test_a.py::test_b - KeyError: 'x'`, `return code: 134` of ClickHouse's runner, `Segmentation fault (exit code 139)`.
 */
export function isFramingLine(line: string): boolean {
  const text = line.trim()
  return text.length <= LONGEST && (wasFramingLine(text) || NEWER_FRAMES.some((frame) => frame.test(text)))
}

/** The same by rule 4 of signatures. */
export function wasFramingLine(line: string): boolean {
  const text = line.trim()
  if (text === '' || text.length > LONGEST) return false
  return FRAMES.some((frame) => frame.test(text)) || isCounter(text)
}

/** No framework writes a longer one, but names of tests may stand in it. */
const LONGEST = 500

const NUMBER = String.raw`-?\d{1,15}(?:[.,]\d{1,15})?`
const SPENT = String.raw`\(?${NUMBER} ?(?:ns|us|µs|ms|s|sec|seconds?|m|min)\)?`
const EXIT = '(?:exit|return) ?(?:code|status|value)'

/** Who tells of the end: `Error:`, `##[error]`, npm's ` ELIFECYCLE `, `subprocess.CalledProcessError:`. */
const SAID_BY = String.raw`(?:(?:##\[error\]|(?:[\w.]{0,100}error|fatal|npm ERR!|ELIFECYCLE)(?: |:)) {0,4}){0,3}`
/** Of a list of arguments the quotes stand within quotes. */
const PROGRAM = '(?:\'.{1,300}\'|"[^"]{1,300}"|`[^`]{1,300}`)'

const FRAMES: readonly RegExp[] = [
  // TAP and the YAML block under a line of it.
  /^(?:---|\.\.\.|TAP version \d{1,3}|\d{1,9}\.\.\d{1,9}|not ok(?: \d{1,9})?)$/,
  new RegExp(`^(?:duration_ms|duration|time): ?['"]?(?:${NUMBER}|${SPENT})['"]?$`, 'i'),
  /^(?:severity|type|failureType|code|status|result|outcome|verdict): ?['"]?(?:fail|failed|failure|error|crashed|test|suite|subtestsFailed|testCodeFailure|ERR_TEST_FAILURE)['"]?$/i,
  /^(?:stack|error|message|output|stdout|stderr|details|diagnostics?|signal|exitcode): ?(?:[|>][-+]?|~|null)?$/i,
  // The end of a process by itself; beyond 128 the code is the signal that killed it.
  new RegExp(
    String.raw`^${SAID_BY}(?:the )?(?:(?:child |sub)?(?:process|command|program|script|test|task|job) )?(?:${PROGRAM} )?(?:(?:${EXIT}|exit)|(?:exited|ended|finished|completed|failed|terminated|returned)(?: with)? (?:(?:an? )?(?:non-?zero )?(?:error )?(?:${EXIT}|code|status)))[ :=]{1,3}(?:-?\d{1,2}|1[01]\d|12[0-8])\.?$`,
    'i',
  ),
  // GoogleTest.
  new RegExp(
    String.raw`^\[ {1,10}(?:FAILED|RUN|OK|PASSED|SKIPPED|DISABLED) {0,10}\](?: (?:\S{1,300}?(?:, where (?:GetParam\(\)|TypeParam) ?= ?.{1,200}?)?(?: ${SPENT})?|(?:tests: )?\d{1,9} tests?(?:\(s\))?(?:[.]|, listed below:)))?$`,
  ),
  /^\[[=-]{4,20}\](?: (?:Global test environment (?:set-up|tear-down)\.?|(?:Running )?\d{1,9} tests? from .{1,300}|tests: (?:Running )?\d{1,9} test\(s\)(?: run)?\.))?$/,
  // Go, where names of tests and packages stand behind.
  new RegExp(String.raw`^--- (?:FAIL|PASS|SKIP): \S{1,300}(?: ${SPENT})?$`),
  new RegExp(
    String.raw`^(?:FAIL|ok|PASS)(?:\s{1,8}\S{0,150}[./]\S{0,150}|\t\S{1,300})?(?:\s{1,8}(?:\(cached\)|${SPENT}))?(?: \[(?:build|setup) failed\])?$`,
  ),
  /^=== (?:RUN|PAUSE|CONT|NAME)\s{1,8}\S{1,300}$/,
  // pytest: its headings, and a name in the summary without a message behind it.
  /^={2,200} (?:FAILURES|ERRORS|PASSES|test session starts|short test summary info|warnings summary|.{0,100}\b(?:failed|passed|errors?|skipped|warnings?)\b.{0,60} in \d.{0,40}) ={2,200}$/,
  /^_{3,200} .{1,300} _{3,200}$/,
  /^[-*#~]{3,200} ?(?:captured |begin |end )?(?:std(?:out|err|in)|log|output|failures?|errors?)(?: [\w ]{0,60})? ?[-*#~]{3,200}$/i,
  /^(?:FAILED|ERROR|XFAIL|PASSED) \S{0,150}(?:::|\.py)\S{0,150}$/,
  // Rust.
  /^test \S{1,300} \.\.\. (?:FAILED|ok|ignored)$/,
  /^---- \S{1,300} (?:stdout|stderr) ----$/,
  /^error: (?:test failed, to rerun pass|\d{1,9} targets? failed)/,
  // JUnit and its like, PHPUnit, CTest, Jest.
  /^(?:FAILURES!{1,9}|failures:|failed tests:|tests in error:|There (?:was|were) \d{1,9} (?:failures?|errors?):|The following tests FAILED:|Errors while running CTest)$/i,
  /^(?:FAIL|FAILED|✕|✗|×|✖)\s{1,4}[\w@./\\-]{1,300}\.[cm]?[jt]sx?$/,
]

/** By rule 4 of signatures these were reasons. */
const NEWER_FRAMES: readonly RegExp[] = [
  // Of up to three words who ended: `mix test failed with exit status 2`, `##[error]Bash exited with code '1'.`.
  new RegExp(
    String.raw`^[^\p{L}\d#]{0,4}${SAID_BY}(?:(?:[^\s\d:]{1,60} {1,4}){0,3}(?:exited|terminated)(?: with)?:? {1,2}(?:an? )?(?:${EXIT}|exit|code|status)(?: exit status)?|(?:[^\s\d:]{1,60} {1,4}){0,3}(?:failed|ended|finished|completed|aborted)(?: with)?:? {1,2}(?:an? )?(?:${EXIT}|exit))[ :=('"]{0,4}(?:\d{1,2}|1[01]\d|12[0-8])['")]{0,2}[.!]?$`,
    'iu',
  ),
  new RegExp(
    String.raw`^${SAID_BY}(?:Job failed: exit code|script returned exit code|InvocationError for command .{1,300} \(exited with code) (?:\d{1,2}|1[01]\d|12[0-8])\)?$`,
    'i',
  ),
  // Where the reason may be found, and what was not run for it.
  /^info Visit https:\/\/\S{1,200} for documentation about this command\.$/,
  /^(?:the )?(?:tests?|checks?|jobs?|steps?) (?:was|were) (?:not run|skipped) (?:because|since|as) (?:an?|the) (?:previous|earlier) (?:step|job|test|check)s? (?:has )?(?:failed|was skipped)\.?$/i,
  /^(?:full )?(?:log|logs|output)(?: (?:written|saved|is|can be found))?(?: (?:to|in|at))?:? {1,4}\S{1,200}\.(?:log|txt|err|out)$/i,
  /^(?:please )?(?:see|check) \S{1,200}\.(?:log|txt|err|out|html?|xml|json)(?: for (?:more |further )?(?:details?|information|output))?\.?$/i,
  /^please refer to \S{1,300}(?: \(if any exist\))? for (?:the )?(?:individual |detailed )?(?:test )?(?:results?|reports?|details?|information)\.?$/i,
  /^(?:npm (?:ERR!|error)|ELIFECYCLE) {1,4}(?:Test failed\. {1,4}See above for more details\.|(?:code|errno) (?:ELIFECYCLE|\d{1,3}))$/,
  new RegExp(String.raw`^(?:rc ?= ?|non-?zero ${EXIT}:? ?)(?:\d{1,2}|1[01]\d|12[0-8])$`, 'i'),
  new RegExp(String.raw`^${EXIT}(?: was)?:? ?(?:\d{1,2}|1[01]\d|12[0-8])(?: \(expected:? 0\))?$`, 'i'),
  /^(?:\*{3} ?failed(?: ?\*{3})?|(?:retry|attempt) \d{1,3}(?:(?: of |\/)\d{1,3})? failed|(?:still )?failed after \d{1,3} (?:attempts|retries|tries))[.:!]?$/i,
  /^The command "[^"]{1,300}" exited with (?:\d{1,2}|1[01]\d|12[0-8])\.$|^Done\. Your build exited with \d{1,3}\.$|^Build step '[^']{1,100}' marked build as failure$/,
  /^Cleaning up project directory and file based variables$|^error: Recipe `[^`]{1,100}` failed (?:on|at) line \d{1,6} with exit code (?:\d{1,2}|1[01]\d|12[0-8])$|^lerna ERR! .{1,200} exited (?:\d{1,2}|1[01]\d|12[0-8]) in '[^']{1,200}'$/,
  // Maven.
  /^(?:BUILD FAILURE|-{20,100}|There are test failures\.|-> \[Help \d\]|\[Help \d\] https?:\/\/\S{1,200}|To see the full stack trace of the errors, re-run Maven .{1,60}|Re-run Maven using .{1,100}|For more information about the errors .{1,100})$/,
  /^Failed to execute goal \S{1,200}(?:-surefire-|-failsafe-)plugin:\S{1,100} \([\w-]{1,60}\) on project \S{1,100}: (?:There are test failures\.|There was a timeout or other error in the fork\.)$/,
  /^(?:\[\w{1,10}\] )?(?:Total time: {1,3}\d[\d:.,]{0,11} ?(?:s|min|h)\b.{0,60}|Finished at: \d{4}-\S{1,40})$/,
  // Linkers, after the line that says what was not found.
  /^(?:collect2: error: ld returned \d{1,3} exit status|clang(?:\+\+)?(?:-\d{1,3})?: error: linker command failed with exit code \d{1,3} \(use -v to see invocation\))$/,
  // valgrind, around what it found.
  /^==\d{1,10}== {1,8}(?:Memcheck, a memory error detector|Copyright \(C\) \d{4}.{1,100}|Using Valgrind-.{1,100}|Command: .{1,300}|Parent PID: \d{1,10}|(?:HEAP|LEAK) SUMMARY:|ERROR SUMMARY: \d{1,9} errors? from .{1,100}|For (?:lists of detected|counts of detected).{1,100}|Rerun with --leak-check=full.{1,100}|All heap blocks were freed -- no leaks are possible|(?:in use at exit|total heap usage|definitely lost|indirectly lost|possibly lost|still reachable|suppressed): \d.{0,100})$/,
  /^(?:testing\.go:\d{1,6}: )?race detected during execution of test$|^Found \d{1,9} data race\(s\)$/,
  // Gradle, Nx, sbt, rake, meson and Bazel: the task that failed, and what runs it.
  /^(?:> )?There (?:were|was) failing tests?\.(?: See the (?:report|results) at: \S{1,400})?$/,
  /^(?:FAILURE: Build failed with an exception\.|\* What went wrong:|Execution failed for task '[^']{1,200}'\.|> Task :\S{1,200} FAILED)$/,
  /^(?:NX {1,4})?Running target \S{1,200} for project \S{1,200} failed$/,
  /^> Run with --(?:stacktrace|info|debug|scan)\b.{0,120}$|^\* (?:Try:|Get more help at .{1,100})$|^BUILD FAILED in \d[\d hms.]{0,30}$|^\d{1,6} actionable tasks?: .{1,100}$/,
  /^(?:ERROR: Build did NOT complete successfully|INFO: Build completed, \d{1,6} tests? FAILED, .{1,60}|Executed \d{1,6} out of \d{1,6} tests?: .{1,100}|FAILURE: Build completed with \d{1,6} failures?\.)$/,
  /^(?:\[error\] )?\([^()]{1,200}\) sbt\.TestsFailedException: Tests unsuccessful$/,
  /^(?:rake aborted!|Summary of Failures:|ERROR {1,4}run failed: command {1,4}exited \(\d{1,3}\)|Command failed with status \(\d{1,3}\): \[.{1,400})$/,
  /^\d{1,6}\/\d{1,6} .{1,300}? (?:FAIL|ERROR|TIMEOUT) {1,20}\d[\d.]{0,12} ?s(?: {1,8}exit status \d{1,3})?$/,
  /^(?:Executing tests from \S{1,300}|exec \$\{PAGER:-\S{1,100}\} "\$0" \|\| exit 1)$/,
  // Node.js shows them of an error beside its message.
  /^(?:generatedMessage|code|operator|diff): ?(?:true|false|'(?:ERR_ASSERTION|ERR_TEST_FAILURE|[a-zA-Z]{1,40}qual|simple)'),?$/,
  /^(?:name|failureType): ?'(?:AssertionError|testCodeFailure|subtestsFailed)',?$/,
  // doctest of C++, and unittest.
  /^\[doctest\] (?:doctest version|run with|test cases:|assertions:|Status:)/,
  /^(?:FAIL|ERROR): \w{1,200} \([\w.]{1,300}\)$|^\w{1,200} \([\w.]{1,300}\) \.\.\. (?:FAIL|ERROR)$/,
  // XCTest.
  /^Test Case '[^']{1,300}' failed \(\d[\d.]{0,15} seconds\)\.?$/,
  // Go, where names of tests and packages stand behind.
  new RegExp(String.raw`^=== FAIL: \S{1,200} \S{1,300}(?: ${SPENT})?$`),
  // Ginkgo and busted.
  /^• \[(?:FAILED|PANICKED|TIMEDOUT)\] \[\d[\d.]{0,15} seconds\]$|^Failure → \S{1,300} @ \d{1,6}$/,
  // JUnit and its like, PHPUnit, CTest, Jest.
  /^\d{1,6} - \S.{0,300} \((?:Failed|Not Run)\)$/,
]

/** The words beside the numbers of a counter: `Tests: 1 failed, 2 total`, `1 failing`, `test result: FAILED. 1 passed`. */
const COUNTED = new Set(
  (
    'all assertions deselected done duration elapsed errors executed fail failed failing failure failures files filtered finished flaky ' +
    'from have ignored in measured ms not of ok out pass passed passing pending ran result run s sec seconds skip skipped ' +
    'snapshots success successes suite suites test tests time times todo total took was were xfailed xpassed'
  ).split(' '),
)
const COUNTERS = /^(?:fail|failed|failing|failures|errors|pass|passed|passing|tests|skipped|suites)$/i
const ONE = /\b1 (?:error|failure)\b/gi

/** Numbers and the words of a counter alone. A sign before it makes it a line of a difference. */
function isCounter(text: string): boolean {
  if (!/\d/.test(text) || !/^[#\p{L}\d([][\p{L}\d\s,.;:%()=/#|[\]-]*$/u.test(text)) return false
  const words = text.replace(ONE, '1 failed').match(/[\p{L}_]+/gu) ?? []
  return words.some((word) => COUNTERS.test(word)) && words.every((word) => COUNTED.has(word.toLowerCase()))
}

/**
 * How a check ended, where its status does not say it: by GitHub's conclusion the sentence that the bot keeps as the first
 * line of what was said. It says that the check ended, not what was wrong.
 */
export const CHECK_ENDINGS: Readonly<Record<string, string>> = {
  timed_out: 'The check timed out.',
  startup_failure: 'The check could not be started.',
  action_required: 'The check waits for somebody to do something.',
  cancelled: 'The check was cancelled.',
  stale: 'GitHub gave up waiting for the check.',
}

/** Lines of the runner of a job itself when it goes, whatever it ran. */
const SHUT_DOWN =
  /^(?:##\[error\])?(?:Error: )?The (?:hosted |self-hosted )?runner (?:has received a shutdown signal|lost communication with the server|.{1,100} lost communication with the server)\b/i

const ENDINGS: ReadonlySet<string> = new Set(Object.values(CHECK_ENDINGS))

/**
 * The words of such lines: parts of a check, how it ended, and where more is said. `no` and `not` are not among them,
 * since `no files` and `file not found` say what was wrong, nor is `time`.
 */
const IDLE = new Set(
  [
    'a an and any all another are as at be because been by due for from had has have in is it more of on one or other others operation',
    'out some that the there this to was were with your',
    'action actions build builds check checks command commands compilation deployment file files job jobs lint linting',
    'pipeline pipelines process program run runs script stage stages step steps suite suites target targets task tasks',
    'test tests unit integration workflow workflows',
    'broken cancelled canceled code complete completed conclusion ended error errored errors exit exited fail failed',
    'failing fails failure failures finished flaky found ignored issue issues n/a none null occurred ok passed passes',
    'passing pending previous problem problems returned skipped something status stopped succeeded success successful',
    'successfully terminated total undefined unexpected unknown unsuccessful warning warnings went wrong zero non nonzero',
    'above below click details further here information log logs look output please report result results see',
    'summary view',
    'appveyor buildkite circleci gitlab jenkins travis ci',
  ].flatMap((words) => words.split(' ')),
)

/** The process of a test is gone, or an assertion failed: which, and why, stands elsewhere, or nowhere. */
const BARE =
  /^(?:the )?(?:(?:test|child|process|program|command)(?: process)? )?(?:was )?(?:killed|crashed|terminated)[.!]?$|^(?:test )?assertion (?:failed|failure|error)[.:!]?$|^(?:[\w$]{1,100}\.){0,10}(?:Assertion(?:Failed)?(?:Error|Exception)|(?:Runtime)?(?:Exception|Error)|Throwable)[.:!]?$|^(?:true|false)$/i

/**
 * A message of a test that says no more than that it failed. Unlike an idle line it stays where something stands beside
 * it, such as the place of `AssertionError`.
 *
 * Is: `Killed`, `Test crashed`, `Assertion failed`, `AssertionError`, `false`, `Command failed: make test`. Is not:
 * `Killed by the OOM killer`, `Aborted`, a crash; `java.lang.NullPointerException`; `AssertionError: row 3 is missing`.
 */
export function isBareMessage(line: string): boolean {
  const text = line.trim()
  return text.length <= LONGEST && (BARE.test(text) || COMMAND_FAILED.test(text))
}

/** Above what the command wrote, as Node.js has it: `Error: Command failed: make test`. */
export const COMMAND_FAILED = /^(?:Error: )?Command failed(?: with exit code (?:\d{1,2}|1[01]\d|12[0-8]))?: \S.{0,400}$/

/** More words than any such sentence has: the rest of a long line needs no look. */
const MOST_WORDS = 40
const URL = /https?:\/\/\S+/g
/** A name such as `a_test` or `src/error.log` is one. */
const WORD = /[\p{L}\p{N}_]+(?:[./\\][\p{L}\p{N}_]+)*/gu
/** `3`, `0.5s`, `12ms`: how many, or how long it took. */
const A_NUMBER = /^\d+(?:\.\d+)?(?:ms|s|m|min|mins|h)?$/
/** The program whose end is told. */
const QUOTED = /'[^']{1,200}'|"[^"]{1,200}"|`[^`]{1,200}`/g
const ENDS_WITH_EXIT_CODE = /\b(?:code|status)\b[ :=]{0,3}-?\d{1,10}[.!]?$/i

/** ninja and make, after the line that says what did not compile. */
const STOPPED =
  /^ninja: build stopped: |^(?:g?make|mingw32-make)(?:\[\d{1,4}\])?: \*\*\* .{0,400}(?:\bError \d{1,4}|\bStop\.)/

/** `no logs found`, `(no output)`: somebody looked for the reason. */
const NOTHING_FOUND =
  /^[([<]?(?:there (?:is|was|are|were) )?no (?:further |more |test |error )?(?:logs?|log file|output|stdout|stderr|details?|message|information|stack ?trace|reports?|reason|results?)(?: (?:was|were|is|are))?(?: (?:found|available|captured|collected|given|provided|produced|recorded|left))?(?: (?:matching|at|in) \S{1,300})?[)\]>]?[.!]?$/i

/**
 * A line that says that a check or a test failed and not why. Each failure leaves one of them whatever its reason is, so
 * that one is no sign that two failures are the same. Of a test, where a number may be what was wrong, only sentences
 * without one, and how its process ended.
 *
 * Is: `Process completed with exit code 1.`, `2 of 3 jobs failed, see the log`, `fail: 3, passed: 1234`, `The check timed
 * out.`, `no logs found`. Is not: `No space left on device`, `Job timed out after 60 minutes`, `error: use of undeclared
 * identifier 'x'`.
 */
export function isIdleLine(line: string, testName = ''): boolean {
  const text = line.trim()
  if (ENDINGS.has(text) || STOPPED.test(text) || NOTHING_FOUND.test(text)) return true
  const isOfTest = testName !== ''
  // of a check it is the reason: the machine's
  if (isOfTest && SHUT_DOWN.test(text)) return true
  // `Passed in:` of busted stands above a value
  if (isOfTest && /\d|["'`]|^\S*$|^\S*(?:Error|Exception): |^Passed in:$/.test(text)) return false
  const said = (ENDS_WITH_EXIT_CODE.test(text) ? text.replace(QUOTED, '') : text).replace(URL, '')
  let words = 0
  for (const [word] of said.matchAll(WORD)) {
    words += 1
    if (words > MOST_WORDS || !(A_NUMBER.test(word) || IDLE.has(word.toLowerCase()))) return false
  }
  return words > 0 || said !== text
}

/** Words of the line that stands for what was cut out of an output, or tells that its front was. */
const CUT_WORDS = new Set(
  (
    'a above all and are at been before beginning below bytes byte character characters chars console content contents cut ' +
    'data due earlier elided entries entry exceeded exceeds first for from front full gb gib has have head hidden in is it kb ' +
    'kib large last limit line lines log logs long longer lost mb mib message messages middle more of omitted omitting only ' +
    'other out output part previous preceding removed remaining rest see showing shown size skipped skipping snip snipped ' +
    'start stderr stdout suppressed tail text than the this to too total trimmed truncated truncating truncation warning was ' +
    'were dropped dropping clipped abridged shortened note'
  ).split(' '),
)
const CUTS =
  /truncat|omitt|skipp|elided|snip\b|snipped|trimmed|suppressed|clipped|abridged|shortened|dropp|removed|hidden|\bcut\b|\b(?:showing|shown|only).{0,40}\blast\b|\blast\b.{0,40}\bonly\b/i

/**
 * The line stands for lines that somebody cut out of the output.
 *
 * Is: `~~~~~ truncated 912 lines ~~~~~`, also behind the name of a step; `[... 500 lines omitted ...]`, `Log is too long,
 * showing the last 300 lines`, `<snip>`. Is not: `Error: the message was truncated at byte 17`.
 */
export function isCutMark(line: string): boolean {
  const text = line.trim()
  if (text.length > LONGEST || !CUTS.test(text)) return false
  const colon = text.lastIndexOf(': ')
  return [text, text.slice(colon + 1)].some((part) => {
    const words = part.match(/[\p{L}_]+/gu) ?? []
    return CUTS.test(part) && words.length > 0 && words.every((word) => CUT_WORDS.has(word.toLowerCase()))
  })
}

/** In parentheses the file is where the reason stands. */
const POINTER_IN_PARENTHESES = /\((?:see|in|check|log:?) [^()]{0,300}\)/gi
/** Numbers that a runner puts beside a name: which of how many, how long it took, how it ended. */
const BESIDE_A_NAME = new RegExp(
  [
    String.raw`^\W{0,4}\d{1,6}(?:\/\d{1,6})?(?:[.)]| (?=Test\b))`,
    String.raw`#\d{1,6}\b|\[ {0,4}\d{1,3}%\]|\bwith \d{1,6} issues?\b|\bin \d{1,4} out of \d{1,4}\b|(?<=not ok )\d{1,9}`,
    String.raw`\[ {0,8}${SPENT} {0,4}\]|\b${SPENT}(?![\w.])`,
    String.raw`\b(?:${EXIT}|exited with)[ :=]{1,3}(?:\d{1,2}|1[01]\d|12[0-8])\b|:\d{1,6}$`,
  ].join('|'),
  'gi',
)
const STATUS = new Set(
  (
    'FAIL FAILED FAILURE Fail Failed Failure fail failed fails failing failure ERROR TIMEOUT not ok Test TEST test Testcase Case case ' +
    'step spec suite target task Info info is was has in after on the with Time elapsed status result see See above below output ' +
    'log logs for details run'
  ).split(' '),
)
/** Without one it may be anything about the test. */
const MARKS_A_FAILURE =
  /\bfail(?:ed|ure|s|ing)?\b|\bERROR\b|\bnot ok\b|[✗✘×✖✕❌●]|<<< |\bexit(?:ed)?\b|^\W{0,4}\d{1,6}[.)] |\bsee\b/i

/**
 * The name of the test alone, whole or its last part, or with nothing beside it but how it ended.
 *
 * Is of `CartTest.total`: `total`, `CartTest > total FAILED`, `[FAIL] total (0.3s)`, `1) CartTest.total`, `FAILED total (see
 * total.log)`. Is not: `total FAILED: no refund`, `total exited with code 139`, `refund FAILED`.
 */
export function isStatusOf(line: string, testName: string): boolean {
  const text = line.trim()
  if (text === '' || text.length > LONGEST || testName === '') return false
  if (text === testName) return true
  const pointing = text.replace(POINTER_IN_PARENTHESES, ' ')
  if (pointing !== text && wordsOf(pointing).every((word) => STATUS.has(word))) return true
  const last = lastPartOf(testName)
  if (text.length > 3 && text === last) return true
  if (!MARKS_A_FAILURE.test(text)) return false
  const named = new Set(wordsOf(testName))
  const words = wordsOf(pointing.replace(BESIDE_A_NAME, ' '))
  const said = new Set(words)
  const isNamed = wordsOf(last).every((word) => said.has(word))
  return isNamed && words.every((word) => STATUS.has(word) || named.has(word))
}

function wordsOf(text: string): readonly string[] {
  return text.slice(0, LONGEST).match(/[\p{L}\p{N}_]+/gu) ?? []
}

/** `total` of `org.example.CartTest.total` and of `test_cart.py::total`, `Cart totals` of `Shop › Cart totals`. */
function lastPartOf(testName: string): string {
  return testName
    .slice(0, LONGEST)
    .split(/::|[./#]| › | > /)
    .at(-1)!
}
