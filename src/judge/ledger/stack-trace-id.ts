/**
 * The stack trace id of ClickHouse's CI, `2508-38c6`: it knows a crash again whatever the test that met it.
 *
 * The rule is the one that ClickHouse's log parser (`get_stack_trace_id`) writes into the names of failures, kept to the
 * letter so that a computed id equals a stated one: of each frame the function in `DB::`, cut at its first `(` or `<`;
 * what stands above the first `DB::Exception` goes, with every `DB::Exception`; the five topmost functions remain. The
 * first four digits sum up the characters of the first function, the hexadecimal ones those of all five. Sums do not
 * depend on positions, so two stacks can share an id; that is the rule's, not ours to change.
 */

/** Deeper frames are the server's own machinery and differ by the way a query came in. */
const DEEPEST = 5

const STATED = /\bSTID:?\s?(\d{4}-[0-9a-f]{4})(?![0-9a-f])/i

/** The id that a text states as `(STID: 2508-38c6)`, in lower case; null where there is none. */
export function statedStackTraceId(text: string): string | null {
  return STATED.exec(text)?.[1]?.toLowerCase() ?? null
}

/**
 * The id of the first stack trace with functions of ClickHouse. Null where there is none, and for a trace that runs into
 * the end of a text that was cut (`isCut`) before it showed enough functions: where the text ends is chance.
 */
export function stackTraceIdOf(lines: readonly string[], isCut: boolean): string | null {
  let functions: string[] = []
  for (const line of lines) {
    const frame = frameOf(line)
    const startsAgain = frame !== null && /^(?:0\.|#0) /.test(frame)
    if (functions.length > 0 && (frame === null || startsAgain)) {
      const id = idOf(functions)
      if (id !== null) return id
      functions = []
    }
    const name = frame === null ? null : functionOf(frame)
    if (name !== null) functions.push(name)
  }
  return isCut && relevant(functions).length < DEEPEST ? null : idOf(functions)
}

/** Numbered frames (`0. ./src/a.cpp:1: DB::f() @ 0x1`), those of sanitizers (`#0 0x1 in DB::f()`) and bare ones. */
export function isClickHouseFrame(line: string): boolean {
  return frameOf(line) !== null
}

const DAEMON = 'BaseDaemon: '

function frameOf(line: string): string | null {
  const daemon = line.indexOf(DAEMON)
  const text = (daemon < 0 ? line : line.slice(daemon + DAEMON.length)).trim()
  if (/^#\d{1,4} /.test(text)) return text
  if (/ @ 0x[0-9a-f]/i.test(text)) return text
  return /^\d{1,4}(?:\.\d{1,4})?\.? /.test(text) && /\.(?:cpp|h|hpp|cc|c):\d|inlined from|DB::[^:\s][^:]*::/.test(text)
    ? text
    : null
}

function functionOf(frame: string): string | null {
  const line = frame.replaceAll(', DB::', '')
  const at = line.startsWith('DB::') ? 0 : line.indexOf(' DB::') + 1
  if (at === 0 && !line.startsWith('DB::')) return null
  // The address is cut off too, which the published rule leaves on a function without brackets: it differs by build.
  return line.slice(at).split(/[(<]| @ 0x/, 1)[0]!
}

function relevant(functions: readonly string[]): readonly string[] {
  const thrown = functions.findIndex(isException)
  return functions
    .slice(thrown + 1)
    .filter((name) => !isException(name))
    .slice(0, DEEPEST)
}

function isException(name: string): boolean {
  return name.includes('DB::Exception')
}

function idOf(functions: readonly string[]): string | null {
  const top = relevant(functions)
  const first = top[0]
  if (first === undefined) return null
  const decimal = (characterSum(first) % 10_000).toString().padStart(4, '0')
  return `${decimal}-${(characterSum(top.join('')) % 65_536).toString(16).padStart(4, '0')}`
}

function characterSum(text: string): number {
  let sum = 0
  for (const character of text) sum += character.codePointAt(0)!
  return sum
}
