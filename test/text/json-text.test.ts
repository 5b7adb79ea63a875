import { expect, test } from 'vitest'
import { z } from 'zod'
import { jsonText } from '../../src/text/json-text.ts'

test('text is read as JSON of one shape; all else is refused, with its reason', () => {
  const labels = jsonText(z.array(z.string()))
  expect(labels.parse('["slow"]')).toEqual(['slow'])
  const problemOf = (text: unknown) => labels.safeParse(text).error?.issues[0]?.message
  expect(problemOf('["slow"')).toBe('is not JSON')
  expect(problemOf('[1]')).toContain('expected string, received number')
  expect(problemOf(null)).toContain('expected string, received null')
})
