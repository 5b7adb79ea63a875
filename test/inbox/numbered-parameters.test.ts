import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { numbered } from '../../src/inbox/postgres.ts'

test('a parameter has one number, wherever it stands', () => {
  expect(numbered('SELECT :b, :a FROM t WHERE x = :b')).toEqual({
    text: 'SELECT $1, $2 FROM t WHERE x = $1',
    parameters: ['b', 'a'],
  })
})

test('what looks like one in a string, a quoted name, a comment or a cast is none', () => {
  const texts = ["':a it''s :b'", '":a"', '-- :a\n', '/* :a\n:b */', 'x::text', "CAST('12:30' AS TIME)"]
  for (const text of texts) expect(numbered(text)).toEqual({ text, parameters: [] })
})

test('whatever stands around them, parameters are found and everything else stays', () => {
  const other = fc.constantFrom(' x ', "':a'", '":a"', '-- :a\n', '/* :a */', '::int', ',', '(', '\n')
  const name = fc.constantFrom('a', 'now', 'dueAt', 'a_1')
  fc.assert(
    fc.property(fc.array(fc.record({ other, name: fc.option(name) })), (parts) => {
      const text = parts.map((part) => part.other + (part.name === null ? '' : `:${part.name} `)).join('')
      const names = [...new Set(parts.flatMap((part) => part.name ?? []))]
      const expected = parts
        .map((part) => part.other + (part.name === null ? '' : `$${names.indexOf(part.name) + 1} `))
        .join('')
      expect(numbered(text)).toEqual({ text: expected, parameters: names })
    }),
  )
})
