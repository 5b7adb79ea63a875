import { expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../src/config/repository-config.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'
import { decided } from '../../src/report/decisions.ts'
import { reportChanges } from '../../src/report/report-changes.ts'
import { type JudgedBy, judged, measured, runOf, times } from './judge-setting.ts'

const report = (by: JudgedBy = {}, queries = [measured('sum', times(1.08)), measured('calm', times(1))]) =>
  decided(judged([runOf(queries)], by), DEFAULT_CONFIG)
const wordsOf = ({ rows, decisions }: ReturnType<typeof reportChanges>) => [
  rows.map(({ test: name, before, after }) => [
    name,
    before?.verdict ?? before?.outcome,
    after?.verdict ?? after?.outcome,
  ]),
  decisions.map(({ part, before, after }) => [part, before, after]),
]

test('the same measurements by the same rules differ in nothing', () => {
  expect(reportChanges(report(), report({ judgedAt: '2026-12-24T00:00:00.000Z' }))).toEqual({ rows: [], decisions: [] })
})

test('a row of another outcome is named with both, and what is done about it', () => {
  const thresholds = { ...DEFAULT_THRESHOLDS, configured: { changed: 0.2, unstable: null } }
  expect(wordsOf(reportChanges(report(), report({ thresholds })))).toEqual([
    [['sum', 'regression', 'too-small']],
    [
      ['comment', 'post', 'keep'],
      ['conclusion', 'neutral', 'success'],
      ['labels', ['perf: slower'], []],
    ],
  ])
})

test('a row that one of them lacks is named; decisions that were not stored are no difference', () => {
  const { decisions: _decisions, ...older } = report()
  const without = report({}, [measured('calm', times(1))])
  expect(wordsOf(reportChanges(older, without))).toEqual([[['sum', 'regression', undefined]], []])
  expect(reportChanges(without, report()).rows).toMatchObject([
    { test: 'sum', before: null, after: { verdict: 'regression' } },
  ])
})
