/**
 * Parts of a line that differ between two runs of the same failure are replaced by a word in capitals, and the rest
 * stays readable: `N` a number, a hexadecimal id or a random part of a name, `TIME`, `DURATION`, `SIZE`, `HOST`,
 * `UUID`, `TMP` a temporary name. Of a path its last part stays, as `…/name.py`. The number after `code`, `status`,
 * `signal`, `errno`, `error` or `HTTP` says what failed and stays.
 *
 * Where numbers are what failed they stay: of compared values (`assert 5 == 7`) those that are no times or ids, of a
 * difference against a reference all but times, addresses and temporary names, since a reference is the same in each run.
 *
 * Every pattern here either is bounded or takes a maximal run of characters in one go, so that the work is proportional
 * to the length whatever a line holds.
 */

/** All words that stand for something left out, and the mark of a shortened path. */
export const PLACEHOLDER = /\b(?:TIME|DURATION|SIZE|HOST|UUID|TMP)\b|N|…\//

const ESCAPE = String.fromCharCode(27)
// Real escapes, the way JUnit writes them where XML can't hold one, and the rest of one that lost its first character.
const COLOUR = new RegExp(
  String.raw`(?:${ESCAPE}|\u241b|#x1B)\[[0-9;?]{0,32}[A-Za-z]|\[\d{1,3}(?:;\d{1,3}){0,4}m`,
  'gi',
)
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu
const SPACES = /[\s\p{Z}]+/gu

const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AP]M\b)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?`
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}'
const DATE = String.raw`\d{4}[-./]\d{2}[-./]\d{2}|(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?(?:${MONTH} {1,2}\d{1,2}|\d{1,2} ${MONTH})\b(?:,? \d{4}\b)?`
// A number with or without separators of thousands.
const AMOUNT = String.raw`(?:\d{1,3}(?:[,_]\d{3}){1,5}|\d{1,15})(?:\.\d{1,15})?`
const UNIT = '(?:ns|us|µs|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|milliseconds?|microseconds?)'

/**
 * The line is read in one pass, from the left, the first alternative that fits: a number that says what failed · a time
 * · a duration · a size · a word up to the next space, quote, bracket or the like.
 */
const PART = new RegExp(
  [
    String.raw`(?<kept>\b(?:code|status|signal|errno|error|http)\b["': =#]{0,3}-?\d{1,4}(?![\w.:-]*\d))`,
    String.raw`(?<time>(?<![\w.])(?:(?:${DATE})(?:(?:T| |, | at )(?:${CLOCK})(?: \d{4}\b)?)?|\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?)(?![\w:]))`,
    String.raw`(?<duration>(?<![\w.+-])${AMOUNT}(?:e[+-]?\d{1,3})? ?${UNIT}(?:\d{1,9}(?:\.\d{1,9})?${UNIT}){0,3}(?![\w/]))`,
    String.raw`(?<size>(?<![\w.+-])${AMOUNT} ?[KMGTP]i?B\b)`,
    String.raw`(?<word>[^\s"'\x60<>()[\]{},;|=&!?*]+)`,
  ].join('|'),
  'giu',
)

/** The text without what colours it in a terminal. */
export function withoutColours(text: string): string {
  return text.replace(COLOUR, '')
}

/** A line without colours and unseen characters, each run of spaces one. Still with its numbers. */
export function cleanLine(line: string): string {
  return withoutColours(line).replace(SPACES, ' ').replace(UNSEEN, '').trim()
}

/** The numbers that stay. */
type Numbers = 'none' | 'compared' | 'all'

/** The line with everything left out that differs between two runs. Never throws. */
export function normalizeLine(line: string): string {
  return normalized(line, 'none')
}

/** The same of a line that says what was expected and what was there: `assert 5 == 7` stays. Never throws. */
export function normalizeComparison(line: string): string {
  const clean = cleanLine(line)
  return NUMBERS_OF_CMOCKA.test(clean) ? clean : formerComparison(VARYING.reduce(withoutVarying, clean))
}

/** The same by rule 4 of signatures. */
export function formerComparison(line: string): string {
  return normalized(line, 'compared')
}

/** `0x4 != 0x3`: numbers, since an address has more digits. */
const NUMBERS_OF_CMOCKA = /^0x[0-9a-f]{1,8} != 0x[0-9a-f]{1,8}$/

/** Numbers that vary though a comparison holds them, and what stands there instead. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  // `cart_test.cpp(12): error`, where brackets keep the line from being part of a name
  [/(\.[a-z]{1,5})\(\d{1,6}(?:,\d{1,6})?\)/gi, '$1(N)'],
  // of PostgreSQL `, Line: 12, PID: 4711`, and how long Karate waited
  [/(, (?:Line|PID): |\bresponse time in milliseconds: )\d{1,10}\b/g, '$1N'],
  // of Erlang
  [/#(PID|Port|Reference)<[\d.]{1,60}>/g, '#$1<N>'],
  // none varies in `{"a":3}`, which is two words
  [/":(?=-?\d)/g, '": '],
]

function withoutVarying(line: string, [pattern, replacement]: readonly [RegExp, string]): string {
  return line.replace(pattern, replacement)
}

/** The same of a line that a difference against a reference marks with `-` or `+`. Never throws. */
export function normalizeDifference(line: string): string {
  const clean = cleanLine(line)
  return clean.slice(0, 1) + normalized(clean.slice(1), 'all')
}

/** The same of a place that is all there is to tell a failure by: `at com.acme.CartTest.total(CartTest.java:91)`. Never throws. */
export function normalizePlace(line: string): string {
  return normalized(line, 'all')
}

function normalized(line: string, numbers: Numbers): string {
  const parts = cleanLine(line).replace(PART, (found: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>
    if (groups['kept'] !== undefined) return found
    if (groups['time'] !== undefined) return 'TIME'
    if (groups['duration'] !== undefined) return 'DURATION'
    return groups['size'] === undefined ? normalizeWord(found, numbers) : 'SIZE'
  })
  // A list of numbers is as long as the run happened to make it.
  return parts.replace(/\bN(?:, ?N\b)+/g, 'N')
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const NUMBER = /^[+-]?\d[\d.,_]*(?:e[+-]?\d{1,5})?%?$/i
// An address with its port: without one it looks like a version, and both are numbers.
const IPV4 = /(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}:\d{1,5}(?![\d.])/g
const SCHEME = /^[a-z][a-z0-9+.-]{1,20}:\/\//i
const HOST_AND_PORT =
  /^(?:localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.(?:com|net|org|io|dev|internal|local|cluster|svc|lan))(?::\d{1,5})?$/i

// `'1\\n'` as Python shows a text.
const ESCAPED = /(\\[nrt])/

function normalizeWord(whole: string, numbers: Numbers): string {
  if (numbers === 'none' || !whole.includes('\\') || isPath(whole)) return normalizeSentenceWord(whole, numbers)
  const parts = whole.split(ESCAPED)
  return parts.map((part, at) => (at % 2 === 1 ? part : normalizeSentenceWord(part, numbers))).join('')
}

function normalizeSentenceWord(whole: string, numbers: Numbers): string {
  // Punctuation after a word is the sentence's.
  let end = whole.length
  while (end > 0 && '.:'.includes(whole[end - 1]!)) end -= 1
  return normalizeBare(whole.slice(0, end), numbers) + whole.slice(end)
}

function normalizeBare(word: string, numbers: Numbers): string {
  if (word === '') return ''
  if (NUMBER.test(word)) return normalizeNumber(word, numbers)
  const scheme = SCHEME.exec(word)?.[0]
  if (scheme !== undefined) {
    const path = word.slice(scheme.length)
    return scheme.toLowerCase() + (path.includes('/') ? `HOST/${lastPart(path, numbers)}` : 'HOST')
  }
  if (HOST_AND_PORT.test(word) || isIpv6(word)) return 'HOST'
  if (!isPath(word)) return normalizeName(word.replace(IPV4, 'HOST'), numbers)
  const last = lastPart(word, numbers)
  // The name of the folder may be random as well as that of the file.
  return last !== 'TMP' && TEMPORARY_FOLDER.test(word) ? `…/TMP/${last}` : `…/${last}`
}

// Seconds since 1970 from 2017 to 2033, or what they are a thousand, a million or a thousand million of.
const UNIX_TIME = /^1[5-9]\d{8}(?:\d{3}){0,3}(?:\.\d{1,9})?$/
// Ids of threads and the like have as many digits; what a test compares is smaller.
const MOST_DIGITS_COMPARED = 9

function normalizeNumber(word: string, numbers: Numbers): string {
  if (numbers === 'none') return 'N'
  if (UNIX_TIME.test(word)) return 'TIME'
  if (numbers === 'all') return word
  const whole = word.split('.', 1)[0]!.replace(/\D/g, '')
  return whole.length > MOST_DIGITS_COMPARED ? 'N' : word
}

function isIpv6(word: string): boolean {
  return word.length <= 45 && /^[0-9a-f:.]+$/i.test(word) && word.includes('::') && /\d/.test(word)
}

function isPath(word: string): boolean {
  if (/^(?:[~.]{0,2}\/|[a-z]:[\\/]|\\\\)./i.test(word)) return true
  const slash = word.indexOf('/')
  if (slash < 0) return false
  return word.includes('/', slash + 1) || /\.[a-z][a-z0-9]{0,5}(?::\d|$)/i.test(word.slice(slash, slash + 300))
}

const TEMPORARY_FOLDER = /^(?:\/private)?(?:\/tmp\/|\/var\/tmp\/|\/var\/folders\/)|[\\/]te?mp[\\/]/i

/** The last part of a path; `TMP` of a temporary one whose name says nothing. */
function lastPart(path: string, numbers: Numbers): string {
  let end = path.length
  while (end > 0 && '/\\'.includes(path[end - 1]!)) end -= 1
  const start = Math.max(path.lastIndexOf('/', end - 1), path.lastIndexOf('\\', end - 1)) + 1
  const name = path.slice(start, end)
  if (!name.includes('.') && !name.includes(':') && TEMPORARY_FOLDER.test(path)) return 'TMP'
  return normalizeName(name, numbers)
}

// Python's tempfile, and mktemp.
const TEMPORARY_NAME = /\btmp(?:[a-z0-9_]{8}|(?=[a-z_]{0,7}\d)[a-z0-9_]{6,7}|\.[A-Za-z0-9]{6,10})(?![A-Za-z0-9_])/g
/**
 * The database of one test, as ClickHouse's runner calls it. A digit at the end alone may be somebody's own
 * `test_rows1`.
 */
const TEMPORARY_DATABASE = /(?<![A-Za-z0-9])test_(?=[a-z]{0,7}\d[a-z\d]{0,7}[a-z])[a-z\d]{6,8}(?![A-Za-z0-9_])/g
// Kubernetes makes them of consonants and digits that can't be confused: `-7d9f8b6c5-x2x4z` of a deployment, `-x2x4z`.
const RANDOM = '[bcdfghjklmnpqrstvwxz2456789]'
const POD = new RegExp(
  String.raw`-(?:${RANDOM}{8,10}-${RANDOM}{5}|(?=[a-z]{0,3}\d[a-z\d]{0,3}[a-z])${RANDOM}{5})(?![A-Za-z0-9_-])`,
  'g',
)

function normalizeName(name: string, numbers: Numbers): string {
  const known = name
    .replace(UUID, 'UUID')
    .replace(TEMPORARY_NAME, 'TMP')
    .replace(TEMPORARY_DATABASE, 'test_TMP')
    .replace(POD, '-N')
  if (numbers === 'all') return known.replace(/\b0x[0-9a-f]{1,32}\b/gi, 'N')
  return known.replace(/[A-Za-z0-9]+/g, (segment) =>
    segment === 'UUID' || segment === 'TMP' ? segment : normalizeSegment(segment),
  )
}

/** A run of letters and digits. */
function normalizeSegment(segment: string): string {
  if (!/\d/.test(segment)) return segment
  const digits = segment.replace(/^0x/i, '')
  // A digest or an address: digits among letters up to f. One that happens to have digits only is a number, so both are N.
  if (digits.length >= 7 && /^[0-9a-f]+$/i.test(digits)) return 'N'
  if (segment !== digits && /^[0-9a-f]+$/i.test(digits)) return 'N'
  // `x7k2p`: digits and letters take turns too often for a name that somebody gave.
  if ((segment.match(/\d+/g)?.length ?? 0) >= 3) return 'N'
  return segment.replace(/\d+/g, 'N')
}
