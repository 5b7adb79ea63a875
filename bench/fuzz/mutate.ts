/** Numbers of a case, the same for the same seed: 32 bits of mulberry32. */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** 0 to below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  /** One in `n`. */
  oneIn(n: number): boolean {
    return this.below(n) === 0
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }
}

/** What parsers stumble over: ends of things, numbers at their limits, quotes that never end, names that are something else. */
const TOKENS = [
  ...[
    '\0',
    '\n',
    '\r\n',
    '\t',
    '"',
    "'",
    '\\',
    '\\N',
    '\\x',
    ',',
    ';',
    ':',
    '[',
    ']',
    '{',
    '}',
    '<',
    '>',
    '</',
    '&#0;',
    '<![CDATA[',
  ],
  ...[
    '0',
    '-0',
    '-1',
    '1e999',
    '-1e999',
    'NaN',
    'nan',
    'inf',
    '9007199254740993',
    '18446744073709551616',
    '1e-400',
    '.',
    '1.7976931348623157e308',
  ],
  ...[
    'null',
    'true',
    '__proto__',
    'constructor',
    'toString',
    'length',
    '../../etc/passwd',
    '/',
    'C:\\',
    '\u{1F9EA}',
    '\u202E',
    '\uFEFF',
    '\uD800',
  ],
  ...[
    '/perf ',
    '@perf-triage ',
    'until 2026-02-30',
    '```',
    '| --- |',
    '<!--',
    '> '.repeat(40),
    '['.repeat(200),
    '{"a":'.repeat(200),
    ' '.repeat(500),
  ],
  ...[
    'PK\u0003\u0004',
    'PK\u0005\u0006',
    '\u001f\u008b',
    '(\u00b5/\u00fd',
    'ustar',
    '# TYPE',
    '<?xml version="1.0"?>',
    '<!DOCTYPE a [<!ENTITY b "b">]>',
  ],
].map((token) => Buffer.from(token, 'utf8'))

/** Larger than any honest file of the corpus, so that a case stays a case of milliseconds. */
const MOST_BYTES = 256 * 1024

/** The bytes with one to eight faults in them. `others` lend parts of theirs. */
export function mutated(bytes: Buffer, chance: Chance, others: readonly Buffer[]): Buffer {
  let result = Buffer.from(bytes)
  const faults = 1 + chance.below(8)
  for (let fault = 0; fault < faults; fault += 1) result = faulty(result, chance, others)
  return result.length > MOST_BYTES ? result.subarray(0, MOST_BYTES) : result
}

function faulty(bytes: Buffer<ArrayBuffer>, chance: Chance, others: readonly Buffer[]): Buffer<ArrayBuffer> {
  const at = chance.below(bytes.length + 1)
  const long = chance.oneIn(4) ? chance.below(bytes.length + 1) : chance.below(32)
  const end = Math.min(bytes.length, at + long)
  switch (chance.below(8)) {
    case 0: {
      if (at < bytes.length) bytes[at] = chance.below(256)
      return bytes
    }
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])
    case 2:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)])
    case 3:
      return bytes.subarray(0, at)
    case 4: {
      const other = chance.of(others)
      const from = chance.below(other.length + 1)
      return Buffer.concat([bytes.subarray(0, at), other.subarray(from, from + long), bytes.subarray(at)])
    }
    case 5: {
      const line = bytes.subarray(Math.max(0, bytes.lastIndexOf(10, at)), end)
      return Buffer.concat([
        bytes.subarray(0, at),
        ...Array.from({ length: 1 + chance.below(20) }, () => line),
        bytes.subarray(at),
      ])
    }
    default:
      return Buffer.concat([bytes.subarray(0, at), chance.of(TOKENS), bytes.subarray(end)])
  }
}
