import { CHECK_ENDINGS } from './check-endings.ts'

/**
 * Lines of a check that say that it failed and not why. Every check that fails for a reason of its own leaves one of them,
 * so one is no sign that two failures are the same. A test is not asked: where it is in question its name already says
 * what failed, and without a line left every failure of that name would be the same.
 */

const ENDINGS: ReadonlySet<string> = new Set(Object.values(CHECK_ENDINGS))

/**
 * What such lines are made of: what a check is made of, how it ended, and where more is said. `no` and `not` are not
 * among them, since `no files` and `file not found` say what was wrong, nor is `time`.
 */
const IDLE = new Set(
  [
    'a an and any all another as at be because been by due for from had has have in is it more of on one or other others operation',
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

/** More words than any such sentence has: the rest of a long line needs no look. */
const MOST_WORDS = 40
const URL = /https?:\/\/\S+/g
/** A name such as `a_test` or `src/error.log` is one. */
const WORD = /[\p{L}\p{N}_]+(?:[./\\][\p{L}\p{N}_]+)*/gu
/** `3`, `0.5s`, `12ms`: how many, or how long it took. */
const NUMBER = /^\d+(?:\.\d+)?(?:ms|s|m|min|mins|h)?$/
/** The program whose end is told. */
const QUOTED = /'[^']{1,200}'|"[^"]{1,200}"|`[^`]{1,200}`/g
const ENDS_WITH_EXIT_CODE = /\b(?:code|status)\b[ :=]{0,3}-?\d{1,10}[.!]?$/i

/** ninja and make, after the line that says what did not compile. */
const STOPPED =
  /^ninja: build stopped: |^(?:g?make|mingw32-make)(?:\[\d{1,4}\])?: \*\*\* .{0,400}(?:\bError \d{1,4}|\bStop\.)/

/**
 * Is: `Process completed with exit code 1.`, `2 of 3 jobs failed, see the log`, `fail: 3, passed: 1234`, `The check timed
 * out.` Is not: `No space left on device`, `Job timed out after 60 minutes`, `error: use of undeclared identifier 'x'`.
 */
export function isIdleLine(line: string): boolean {
  const text = line.trim()
  if (ENDINGS.has(text) || STOPPED.test(text)) return true
  const said = (ENDS_WITH_EXIT_CODE.test(text) ? text.replace(QUOTED, '') : text).replace(URL, '')
  let words = 0
  for (const [word] of said.matchAll(WORD)) {
    words += 1
    if (words > MOST_WORDS || !(NUMBER.test(word) || IDLE.has(word.toLowerCase()))) return false
  }
  return words > 0 || said !== text
}
