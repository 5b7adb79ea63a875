/**
 * Does a line say which value was expected and which was there? Then the values are what failed: `expected: 3, got: 4` is
 * another failure than `expected: 3, got: 0`, and a signature keeps them.
 *
 * Is: `assert 5 == 7`, `AssertionError: 143 != 0`, `expected [1] but found [2]`, `Received: 4`, `left: 3`. Is not, since a
 * number in it is no more than where or how much: `AssertionError: row 17 is missing`, `panic: got 3 errors`, and a limit
 * that was passed: `assert 31.2 < 30`, `12 not less than or equal to 10`.
 */
export function comparesValues(line: string): boolean {
  const read = line.slice(0, LONGEST_READ)
  if (LIMIT.test(read)) return false
  return (
    LABELLED.test(read) ||
    BARE.test(read) ||
    (ASSERTS.test(read) && EQUALS.test(read)) ||
    (EXPECTED.test(read) && ACTUAL.test(read))
  )
}

/** Both sides of a comparison stand in its beginning, or neither is worth reading. */
const LONGEST_READ = 1000

/** How far a limit was passed is chance, and so is how long something took. */
const LIMIT =
  / [<>]=? |\b(?:less|greater|more|fewer|longer|shorter|larger|smaller) than\b|\bat (?:least|most)\b|\b(?:almost|approx(?:imately)?|within|tolerance|elapsed|timed? ?out|timeout)\b/i

/** A value on a line of its own, as Jest, testify, Minitest, GoogleTest and Rust write it. */
const LABELLED = /^[\W_]{0,16}(?:expected|actual|received|got|want(?:ed)?|left|right|which is) {0,8}:/i

/** `143 != 0`, `4 == 3`: all that some runners say. */
const BARE = /^\s{0,16}[^\s=!]{1,100} [!=]==? [^\s=!]{1,100}\s{0,16}$/
const ASSERTS = /\bassert|assertion/i
const EQUALS = /[!=]==?(?!=)|\bis not\b|\bin ["'[({]|\b(?:does not |not )?(?:equals?|match(?:es)?)\b/i

const EXPECTED = /\b(?:expect(?:ed|s)?|want(?:ed)?)\b/i
const ACTUAL =
  /\b(?:got|was|were|found|actual(?:ly)?|received|but|instead|(?:to|not) (?:be|equal|eql|include|match|have|contain|deeply|strictly|loosely))\b/i
