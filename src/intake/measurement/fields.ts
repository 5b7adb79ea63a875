import { Buffer } from 'node:buffer'

/** Numbers and escapes of text files. Units are in `units.ts`. */

const ESCAPES: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  b: '\b',
  f: '\f',
  a: '\x07',
  v: '\v',
  '0': '\0',
}

/** Undoes the escapes of ClickHouse's TSV: `\t \n \r \b \f \0 \\ \'` and bytes as `\xHH`. */
export function unescapeTsv(field: string): string {
  if (!field.includes('\\')) return field
  return field.replaceAll(/((?:\\x[0-9a-fA-F]{2})+)|\\(.)/gs, (_, bytes: string | undefined, character: string) =>
    bytes === undefined
      ? (ESCAPES[character] ?? character)
      : Buffer.from(bytes.replaceAll('\\x', ''), 'hex').toString('utf8'),
  )
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const NOT_FINITE = /^([+-]?)(nan|inf(?:inity)?)$/i

/**
 * A measured value as it stands in a text file, with the spellings of C and Python for NaN and infinity, or null when
 * it is no number. Stricter than `Number`, which takes an empty field for 0.
 */
export function parseSample(text: string): number | null {
  if (DECIMAL.test(text)) return Number(text)
  const special = NOT_FINITE.exec(text)
  if (special === null) return null
  if (special[2]!.toLowerCase() === 'nan') return Number.NaN
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/**
 * A value in another unit, `10 ** by` times as large: the decimal point of its text is shifted, since a multiplication rounds
 * twice. `0.03` by -3 is 0.00003, where 0.03 / 1000 is 0.000029999999999999997. null: it is no finite number.
 */
export function parseShifted(text: string, by: number): number | null {
  if (!DECIMAL.test(text)) return null
  const [digits, exponent = '0'] = text.toLowerCase().split('e')
  const value = Number(`${digits}e${Number(exponent) + by}`)
  return Number.isFinite(value) ? value : null
}

/** A 0-based position, or null. */
export function parseIndex(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null
}
