import type { Signature } from './signature.ts'

/**
 * Different values of one comparison, the failure's own among them, from which on they are chance: a test that reads a
 * clock or a random number is wrong in another way each time.
 *
 * Reached: `Expected: 3`, here with `Received: 7`, elsewhere with `Received: 4` and with `Received: 12`. Not reached: 7 here
 * and 4 in forty other pull requests, which is another wrong result.
 */
export const VARYING_VALUES = 3

/**
 * The texts of other signatures of the same test that differ from this one in the actual value alone, where that value is
 * shown to vary. Empty where no words name the actual value.
 *
 * `elsewhere`: failures that are neither the subject's own nor those of anybody whose word does not count.
 */
export function textsOfOtherValues({ kind, text }: Signature, elsewhere: Iterable<Signature>): ReadonlySet<string> {
  const alike = kind === 'output' ? withoutActualValue(text) : null
  if (alike === null) return new Set()
  const texts = new Set<string>()
  for (const one of elsewhere) {
    if (one.kind === 'output' && one.text !== text && withoutActualValue(one.text) === alike) texts.add(one.text)
  }
  return texts.size + 1 < VARYING_VALUES ? new Set() : texts
}

/** `Actual: 4`, `Received: 4`, `got: 4`, `But was: 4`, and that of Qt with the expression in brackets. */
const NAMED_LINE = /^([\W_]{0,16}(?:actual|received|got|but (?:was|got))(?: {0,8}\(.{1,200}?\))? {0,8}:).+$/i
/** `but was:<4>`, `Actual:<4>`, `got 4`, in a line that says what was expected as well. */
const NAMED_WORD =
  /\b((?:but was|but got|got|received|actual)\b:? ?)(?:<[^<>]{0,200}>|\[[^[\]]{0,200}\]|'[^']{0,200}'|"[^"]{0,200}"|[^\s,;()<>[\]'"]{1,200})/gi
const EXPECTED = /\b(?:expect(?:ed|ing|s)?|want(?:ed)?)\b/i
/** GoogleTest writes it below an expression, whichever side that is: below both, neither is known to be the expected one. */
const WHICH_IS = /^Which is: .+$/

/**
 * The text of a signature with the value that was there left out; null where no words name it, or where not all of what
 * was compared stands in the text.
 *
 * Is: `expected: 3, got: …`. Null: `4 == 3`, `AssertionError: 143 != 0`, a difference, `code 1`.
 */
export function withoutActualValue(text: string): string | null {
  const lines = text.split('\n')
  if (lines.some((line) => /^and more: [0-9a-f]{8}$/.test(line) || /^[-+]/.test(line))) return null
  const whichIs = lines.filter((line) => WHICH_IS.test(line)).length
  if (whichIs > 1 || !(whichIs === 1 || EXPECTED.test(text))) return null
  const replaced = lines.map((line) => {
    if (WHICH_IS.test(line)) return 'Which is: …'
    const labelled = line.replace(NAMED_LINE, '$1 …')
    return labelled === line && EXPECTED.test(line) ? line.replace(NAMED_WORD, '$1…') : labelled
  })
  const left = replaced.join('\n')
  return left === text ? null : left
}
