import * as fc from 'fast-check'

/**
 * Any code point, halves of surrogate pairs too: the unit of `fc.string` for texts that may hold anything. The unit `binary` of
 * fast-check is the same over a table, which takes each process a second to make.
 */
export const anyCodePoint: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ff_ff })
  .map((code) => String.fromCodePoint(code), codeOf)

/** For shrinking, and for the words among generated texts that other programs stumble over, such as `__proto__`. */
function codeOf(text: unknown): number {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined
  if (code === undefined || String.fromCodePoint(code) !== text) throw new Error('it is not one code point')
  return code
}
