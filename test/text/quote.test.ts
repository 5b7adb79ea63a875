import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { shellQuote, sqlLiteral, sqlName, sqlText } from '../../src/text/quote.ts'
import { anyCodePoint } from '../any-code-point.ts'
import { HOSTILE } from '../report/render/hostile.ts'

const texts = fc.oneof(
  fc.constantFrom(...HOSTILE, "a'b", '$(id)', '`id`', '-rf', '\\', "'\\''", '!!', '~', '*', '#', ''),
  fc.string({ unit: anyCodePoint, maxLength: 30 }),
)

test('a shell reads the text back, and what is shown can be seen', () => {
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 8 }), (all) => {
      const quoted = all.map((text) => [text, shellQuote(text)] as const).filter(([, word]) => word !== null)
      for (const [, word] of quoted) expect(word).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
      const script = quoted.map(([, word]) => `printf '%s\\0' ${word}`).join('\n')
      const read = execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1)
      expect(read).toEqual(quoted.map(([text]) => text))
    }),
    { numRuns: 40 },
  )
})

test('names stay readable', () => {
  expect(shellQuote('hash_functions')).toBe('hash_functions')
  expect(shellQuote('two words')).toBe("'two words'")
  expect(shellQuote("it's")).toBe("'it'\\''s'")
  expect(shellQuote('--all')).toBe("'--all'")
  expect(shellQuote('')).toBe("''")
  // Blank, though letter and symbol.
  expect(shellQuote('\u3164x')).toBe(`"$(printf '%b' '\\0343\\0205\\0244x')"`)
  expect(shellQuote('\u2800x')).toBe(`"$(printf '%b' '\\0342\\0240\\0200x')"`)
  expect(shellQuote('a\u202eb')).toBe(`"$(printf '%b' 'a\\0342\\0200\\0256b')"`)
})

test('what no argument can hold has no word', () => {
  for (const text of ['a\0b', 'a\n', '\ud800', 'x'.repeat(1001)]) expect(shellQuote(text)).toBeNull()
})

test('texts and names in a statement of ClickHouse end where they should', () => {
  expect(sqlText("a'b\\c\0 ü\r\n")).toBe("'a\\'b\\\\c\\0 ü\\r\\n'")
  expect(sqlName('a`b\\c.d')).toBe('`a\\`b\\\\c.d`')
})

test('a literal of ClickHouse is ASCII that can be seen', () => {
  expect(sqlLiteral("a'b\\c")).toBe("'a\\'b\\\\c'")
  expect(sqlLiteral('ü\n')).toBe("'\\xC3\\xBC\\x0A'")
  fc.assert(
    fc.property(texts, (text) => {
      expect(sqlLiteral(text)).toMatch(/^'(?:[ -&(-[\]-~]|\\['\\x])*'$/)
    }),
  )
})
