import { expect, test } from 'vitest'
import { detailsText, dotsText } from '../../../src/bot/action/summary-details.ts'
import type { ReportRow } from '../../../src/report/report.ts'
import { htmlOf, parse } from '../../report/render/markdown-parser.ts'

// What stands below the rows of a summary, where there are no pages.

const ROW = { test: 'sum', queryIndex: 0, queryName: null, metric: 'client_time' } as ReportRow

test('each sample is a dot, both sides on one scale', () => {
  const [before, after, scale] = dotsText([0.1, 0.1, 0.1, 0.1, 0.11], [0.12, 0.12], 's')!.split('\n')
  expect(before).toBe(`before |⋮${' '.repeat(29)}·${' '.repeat(29)}|`)
  expect(after).toBe(`after  |${' '.repeat(59)}:|`)
  expect(scale).toMatch(/: 100 and 120\sms$/)
})

test('samples that are all alike stand in one place', () => {
  expect(dotsText([1, 1], [1], 's')!.split('\n').slice(0, 2)).toEqual([
    `before |:${' '.repeat(59)}|`,
    `after  |·${' '.repeat(59)}|`,
  ])
})

test('any number of samples can be drawn, and nothing is of no number', () => {
  const many = Array.from({ length: 200_000 }, (_, at) => at)
  expect(dotsText(many, [1], 's')).toContain('fastest and slowest: 0')
  expect(dotsText([Number.NaN], [Number.POSITIVE_INFINITY], 's')).toBeNull()
  const details = { row: ROW, old: [Number.NaN], new: [Number.NaN] }
  expect(detailsText([{ ...details, stacks: null }], 1000)).toBe('')
  expect(detailsText([{ ...details, stacks: ['main 1 2'] }], 1000)).toContain('<summary>Stacks</summary>')
})

test('the name of a row is no HTML, whatever it is', () => {
  const row = { ...ROW, test: '</summary></details><h1><a href="https://a.example">' }
  const text = detailsText([{ row, old: [1], new: [2], stacks: null }], 1000)
  expect(text).toContain(row.test)
  expect(htmlOf(parse(text))).toEqual(['<details><summary>Samples</summary>', '</details>'])
})

test('whatever a stack says it stands in a block of code, and there is a limit of room', () => {
  const stacks = [
    'main;```;<script> 1 2',
    'main\n```\n@acme 3 4',
    ...Array.from({ length: 3 }, () => `${'x'.repeat(1900)} 1 1`),
  ]
  const details = { row: ROW, old: [1], new: [2], stacks }
  const text = detailsText([details], 20_000)
  expect(text).toContain('````\nmain;```;<script> 1 2\nmain ``` @acme 3 4\n')
  expect(text.replaceAll(/(`{3,})\n[\s\S]*?\n\1/g, '')).not.toMatch(/script|@acme/)
  expect(
    detailsText(
      Array.from({ length: 9 }, () => details),
      20_000,
    ).length,
  ).toBeLessThan(20_000)
  const many = { ...details, stacks: Array.from({ length: 40 }, () => `${'x'.repeat(1900)} 1 1`) }
  expect(detailsText([many], 50_000)).toContain('24 more stacks are in the results.')
  expect(detailsText([{ ...many, stacks: many.stacks.slice(0, 17) }], 50_000)).toContain(
    '1 more stack is in the results.',
  )
  expect(detailsText([{ ...details, old: [], stacks: null }], 1000)).toBe('')
})
