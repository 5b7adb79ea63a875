import { expect, test } from 'vitest'
import { readReport, writeReport } from '../../../src/store/reports/stored-report.ts'
import { quiet, report } from '../../report/render/report-builder.ts'
import { windowOf } from '../../report/render/window-states.ts'

test('a report with windows comes back as it was', () => {
  const stored = report(quiet(2), { windows: [windowOf(14, 3)] })
  expect(readReport(writeReport(stored))).toEqual({ report: stored })
})

test('a report from before there were failing tests and windows has none', () => {
  const { failingTests: _, windows: __, ...older } = report(quiet(2))
  expect(readReport(JSON.stringify(older))).toEqual({ report: report(quiet(2)) })
})

test('decisions come back as they were made, and what is none of this version’s is left out', () => {
  const decisions = {
    comment: 'post',
    conclusion: null,
    unknowns: ['nothing-judged'],
    labels: ['slow'],
    mute: null,
  } as const
  const stored = { ...report(quiet(2)), decisions }
  expect(readReport(writeReport(stored))).toEqual({ report: stored })
  for (const other of [{ ...decisions, unknowns: ['full-moon'] }, { ...decisions, comment: 1 }, 'post', null]) {
    expect(readReport(JSON.stringify({ ...stored, decisions: other }))).toEqual({ report: report(quiet(2)) })
  }
})
