import * as fc from 'fast-check'

const SURROGATES = { first: 0xd8_00, count: 0x8_00 }

/**
 * Any code point but halves of surrogate pairs: the unit of `fc.string` for texts that may hold anything. The unit `binary` of
 * fast-check is the same over a table, which takes each process a second to make.
 */
export const anyCodePoint: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_ff_ff - SURROGATES.count })
  .map((place) => String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count), placeOf)

/** For shrinking, and for the words among generated texts that other programs stumble over, such as `__proto__`. */
function placeOf(text: unknown): number {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined
  if (code === undefined || String.fromCodePoint(code) !== text || !text.isWellFormed()) {
    throw new Error('it is not one code point')
  }
  return code < SURROGATES.first ? code : code - SURROGATES.count
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'
const PLAIN = `${ALPHABET}${ALPHABET.toUpperCase()}0123456789-._~!$&'()*+,;=:@`
const letter = (others: string) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...`${PLAIN}${others}`.split('')), weight: 9 },
    { arbitrary: anyCodePoint.map(encodeURIComponent), weight: 1 },
  )
const pathLetter = letter('')
const laterLetter = letter('/?')

/** An address with query and fragment, as `fc.webUrl` gives it; that one makes the same table. */
export const anyWebUrl: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.webAuthority(),
    fc.array(fc.string({ unit: pathLetter })),
    fc.option(fc.string({ unit: laterLetter })),
    fc.option(fc.string({ unit: laterLetter })),
  )
  .map(([scheme, host, path, query, fragment]) => {
    const after = [query === null ? '' : `?${query}`, fragment === null ? '' : `#${fragment}`]
    return `${scheme}://${host}${path.map((segment) => `/${segment}`).join('')}${after.join('')}`
  })
