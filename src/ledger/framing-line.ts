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
  if (text === '' || text.length > LONGEST) return false
  return FRAMES.some((frame) => frame.test(text)) || isCounter(text)
}

/** No framework writes a longer one, but names of tests may stand in it. */
const LONGEST = 500

const NUMBER = String.raw`-?\d{1,15}(?:[.,]\d{1,15})?`
const SPENT = String.raw`\(?${NUMBER} ?(?:ns|us|µs|ms|s|sec|seconds?|m|min)\)?`
const EXIT = '(?:exit|return) ?(?:code|status|value)'

const FRAMES: readonly RegExp[] = [
  // TAP and the YAML block under a line of it.
  /^(?:---|\.\.\.|TAP version \d{1,3}|\d{1,9}\.\.\d{1,9}|not ok(?: \d{1,9})?)$/,
  new RegExp(`^(?:duration_ms|duration|time): ?['"]?(?:${NUMBER}|${SPENT})['"]?$`, 'i'),
  /^(?:severity|type|failureType|code|status|result|outcome): ?['"]?(?:fail|failed|failure|error|crashed|test|suite|subtestsFailed|testCodeFailure|ERR_TEST_FAILURE)['"]?$/i,
  /^(?:stack|error|message|output|stdout|stderr|details|diagnostics?|signal|exitcode): ?(?:[|>][-+]?|~|null)?$/i,
  // The end of a process by itself; beyond 128 the code is the signal that killed it.
  new RegExp(
    String.raw`^(?:the )?(?:(?:process|command|program|test) )?(?:(?:${EXIT}|exit)|(?:exited|ended|finished|completed|failed|terminated) with (?:(?:non-?zero )?${EXIT}|code|status))[ :=]{1,3}(?:-?\d{1,2}|1[01]\d|12[0-8])\.?$`,
    'i',
  ),
  // GoogleTest.
  new RegExp(
    String.raw`^\[ {0,10}(?:FAILED|RUN|OK|PASSED|SKIPPED|DISABLED) {0,10}\](?: (?:\S{1,300}?(?:, where (?:GetParam\(\)|TypeParam) ?= ?.{1,200}?)?(?: ${SPENT})?|\d{1,9} tests?(?:[.]|, listed below:)))?$`,
  ),
  /^\[[=-]{4,20}\](?: (?:Global test environment (?:set-up|tear-down)\.?|(?:Running )?\d{1,9} tests? from .{1,300}))?$/,
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

/** The words beside the numbers of a counter: `Tests: 1 failed, 2 total`, `1 failing`, `test result: FAILED. 1 passed`. */
const COUNTED = new Set(
  (
    'all assertions deselected done duration elapsed errors executed fail failed failing failures files filtered finished flaky ' +
    'from have ignored in measured ms not of ok out pass passed passing pending ran result run s sec seconds skip skipped ' +
    'snapshots suite suites test tests time times todo total took was were xfailed xpassed'
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
