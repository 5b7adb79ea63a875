import { expect, test } from 'vitest'
import { xmlRoot } from '../../../src/imports/checks/xml-root.ts'
import { computed } from '../../computing-time.ts'

test.each([
  ['<testsuites>', 'testsuites'],
  ['<?xml version="1.0"?>\n<!-- <no> --><?pi <no>?><testsuite name="a">', 'testsuite'],
  ['<!DOCTYPE testsuite><testsuite/>', 'testsuite'],
  ['<!DOCTYPE t [ <!ENTITY a "<b>"> ]> <x:testsuite/>', 'x:testsuite'],
  ['<!-- a comment that goes on', null],
  ['<!DOCTYPE t [ <!ENTITY', null],
  ['no xml', null],
  ['< >', null],
  ['', null],
])('%j', (head, root) => {
  expect(xmlRoot(head)).toBe(root)
})

test('beginnings that never end cost no more than their length', () => {
  const start = computed()
  for (const piece of ['<!--', '<!', '<?', '<!DOCTYPE [', '<!-->']) xmlRoot(piece.repeat(65_536 / piece.length))
  expect(computed() - start).toBeLessThan(200)
})
