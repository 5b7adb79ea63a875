import { describe, expect, test } from 'vitest'
import { renderCheckRun } from '../../../src/report/render/check-run.ts'
import { renderComment } from '../../../src/report/render/comment.ts'
import { measuredLine } from '../../../src/report/render/sections/headline.ts'
import { summaryOf, summarySchema } from '../../../src/report/render/summary.ts'
import { NO_LINKS, viewOf } from '../../../src/report/render/view.ts'
import { headline } from '../../../src/web/pages/report/report-head.ts'
import { decidedReport } from './report-builder.ts'
import { STATES } from './states.ts'

describe('every surface tells a report in one way', () => {
  for (const [name, { report, previous }] of Object.entries(STATES)) {
    test(name, () => {
      const summary = summaryOf(report)
      const measured = measuredLine(viewOf(report, NO_LINKS))
      const isOfFailures = report.rows.length === 0 && report.shards.length === 0 && report.complete
      expect(headline(report)).toBe(`${measured}.`)
      if (!isOfFailures && summary.failingTests === null) expect(summary.headline).toBe(measured)

      // Until a new head has results the old ones stand.
      if (previous == null) {
        const [, first] = renderComment({ report, links: NO_LINKS, botId: 'bot', previous: null }).split('\n')
        const isNamed = /^### `.* got slower.*: /.test(first!)
        if (isNamed) expect([summary.slower, summary.faster]).toEqual([1, 0])
        else expect(first).toBe(`### ${summary.headline}`)
      }

      const { title } = renderCheckRun(decidedReport(report), NO_LINKS)
      if (report.complete && report.rows.length > 0) {
        const isOpen = summary.failingTests !== null && summary.failingTests.yours + summary.failingTests.unknown > 0
        expect(title.startsWith(isOpen ? summary.headline! : measured)).toBe(true)
      }

      const said = /(\d[\d,]*) of [\d,]+ (?:quer(?:y|ies)|benchmarks?) (?:got|is|are|may be) slower/i.exec(measured)
      if (said !== null) expect(Number(said[1]!.replaceAll(',', ''))).toBe(summary.slower)
      if (summary.first !== null) expect(summary.hasOpen).toBe(true)
      expect(summarySchema.parse(JSON.parse(JSON.stringify(summary)))).toEqual(summary)
    })
  }

  test('what was stored before there was a line is read all the same', () => {
    const { headline: _, hasOpen, first, failingTests, ...before } = summaryOf(STATES['many']!.report)
    expect(summarySchema.parse(before)).toEqual({
      ...before,
      headline: null,
      hasOpen: null,
      first: null,
      failingTests: null,
    })
    expect({ hasOpen, first, failingTests }).toEqual({ hasOpen: true, first: expect.any(String), failingTests: null })
  })
})
