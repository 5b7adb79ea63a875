import { expect, test } from 'vitest'
import { commitTitle } from '../../src/text/commits.ts'

test.each([
  ['Faster merges (#12)', 'because\n', 'Faster merges (#12)'],
  ['Merge pull request #120 from someone/b120', 'Nice title 120\n\nmore\n', 'Nice title 120'],
  ['Merge pull request #120 from someone/b120', '\n  Nice title\n', 'Nice title'],
  ['Merge pull request #120 from someone/b120', '', 'Merge pull request #120 from someone/b120'],
  ["Merge branch 'main'", 'Nice title', "Merge branch 'main'"],
])('%j', (subject, body, title) => {
  expect(commitTitle(subject, body)).toBe(title)
})
