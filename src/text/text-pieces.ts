/**
 * A text that may be too large to be held as a whole: pieces to be put one after the other. Each call of `pieces` begins
 * anew and gives the same, so that an answer can be measured before it is sent.
 */
export interface TextInPieces {
  pieces(): Iterable<string>
}

/** Levels of a document at which it is written piece by piece; what lies deeper is one piece. */
const DEPTH = 4

/**
 * The value as JSON on one line. A number that JSON has no word for is the text that ClickHouse and the TSV have: `"nan"`,
 * `"inf"`, `"-inf"`. What is `undefined` is left out. For plain values alone: objects, arrays, texts, numbers.
 */
export function jsonInPieces(value: object): TextInPieces {
  return {
    *pieces() {
      yield* written(value, DEPTH)
      yield '\n'
    },
  }
}

function* written(value: unknown, depth: number): Generator<string> {
  if (typeof value !== 'object' || value === null || depth === 0) {
    yield jsonOf(value)
  } else if (Array.isArray(value)) {
    let before = '['
    for (const item of value) {
      yield before
      yield* written(item ?? null, depth - 1)
      before = ','
    }
    yield before === '[' ? '[]' : ']'
  } else {
    let before = '{'
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue
      yield `${before}${JSON.stringify(key)}:`
      yield* written(item, depth - 1)
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  }
}

function jsonOf(value: unknown): string {
  // Printing with a replacer takes several times as long.
  return isWithoutWord(value) ? JSON.stringify(value, withWords) : JSON.stringify(value)
}

function isWithoutWord(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(isWithoutWord)
}

function withWords(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? (numberWord(value) ?? value) : value
}

/** How ClickHouse writes what is no finite number; null for those that are. */
export function numberWord(value: number): string | null {
  if (Number.isFinite(value)) return null
  if (Number.isNaN(value)) return 'nan'
  return value > 0 ? 'inf' : '-inf'
}
