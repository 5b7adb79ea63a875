import { html } from 'hono/html'
import { describe, expect, test } from 'vitest'
import { POSTING_WORDS, reportSummary } from '../../../src/bot/action/summary.ts'
import { nounOf } from '../../../src/report/parts.ts'
import { type QueueReport, type QueueSources, queueOfRepository } from '../../../src/report/queue/queue.ts'
import { renderCheckRun } from '../../../src/report/render/check-run.ts'
import { renderComment } from '../../../src/report/render/comment.ts'
import { measuredLine } from '../../../src/report/render/sections/headline.ts'
import { type Summary, summaryOf, summarySchema } from '../../../src/report/render/summary.ts'
import { NO_LINKS, viewOf } from '../../../src/report/render/view.ts'
import type { TriageReport } from '../../../src/report/report.ts'
import type { RecentReport } from '../../../src/store/reports/recent-reports.ts'
import { count } from '../../../src/text/numbers.ts'
import { countLinks, headline } from '../../../src/web/pages/report/report-head.ts'
import { DEFAULT_VIEW, rowsShown } from '../../../src/web/pages/report/report-view.ts'
import { repositoryJson, repositoryPage } from '../../../src/web/pages/repository.ts'
import { decidedReport } from './report-builder.ts'
import { STATES } from './states.ts'

const ADDRESS = { owner: 'acme', repo: 'fast.db' }

/** A report as the list of runs reads it. */
function runOf({ pullRequest, head, judgedAt, mode, complete, counts }: TriageReport, said: Summary): RecentReport {
  const { number: pullRequestNumber, baseRef } = pullRequest
  return { pullRequestNumber, head, judgedAt: Date.parse(judgedAt), baseRef, mode, complete, counts, said }
}

/** The report as the queue reads it. */
function sourcesOf({ pullRequest, head, judgedAt, failingTests }: TriageReport): QueueSources {
  const { number: pullRequestNumber } = pullRequest
  const report = { pullRequestNumber, title: null, author: null, head, judgedAt: Date.parse(judgedAt), failingTests }
  const nothing = { steps: [], marks: [], expiredEntries: [], decisionsOf: () => [], from: 0, now: 0 }
  return { repository: ADDRESS, reports: [report as QueueReport], ...nothing }
}

async function escaped(text: string): Promise<string> {
  return (await html`${text}`).toString()
}

describe('every surface tells a report in one way', () => {
  for (const [name, { report, previous }] of Object.entries(STATES)) {
    test(name, async () => {
      const summary = summaryOf(report)
      const measured = measuredLine(viewOf(report, NO_LINKS))
      const isOfFailures = report.rows.length === 0 && report.shards.length === 0 && report.complete
      expect(headline(report)).toBe(`${summary.headline}.`)
      if (!isOfFailures && summary.failingTests === null) expect(summary.headline).toBe(measured)

      // Until a new head has results the old ones stand.
      if (previous == null) {
        const [, first] = renderComment({ report, links: NO_LINKS, botId: 'bot', previous: null }).split('\n')
        const isNamed = /^### (?:Query|Benchmark) .* got slower.*: /.test(first!)
        if (isNamed) expect([summary.slower, summary.faster]).toEqual([1, 0])
        else expect(first).toBe(`### ${summary.headline}`)
        // the Action's summary says it and has all rows
        const [, , said, , news, ...rest] = reportSummary(
          { report: decidedReport(report), details: [] },
          NO_LINKS,
          'posted',
          'bot',
        ).split('\n')
        expect([said, news]).toEqual([POSTING_WORDS.posted, first])
        if (report.rows.length > 0) expect(rest).toContain(`### ${nounOf(report, report.rows.length)}`)
      }

      const { title } = renderCheckRun(decidedReport(report), NO_LINKS)
      if (report.complete && report.rows.length > 0) {
        const isOpen = summary.failingTests !== null && summary.failingTests.yours + summary.failingTests.unknown > 0
        expect(title.startsWith(isOpen ? summary.headline! : measured)).toBe(true)
      }

      const counted = /(\d[\d,]*) of [\d,]+ (?:quer(?:y|ies)|benchmarks?) (?:got|is|are|may be) slower/i.exec(measured)
      if (counted !== null) expect(Number(counted[1]!.replaceAll(',', ''))).toBe(summary.slower)
      if (summary.first !== null) expect(summary.hasOpen).toBe(true)
      const said = summarySchema.parse(JSON.parse(JSON.stringify(summary)))
      expect(said).toEqual(summary)

      const run = runOf(report, said)
      const page = String(
        await repositoryPage({ address: ADDRESS, reports: [run], before: null, next: null, version: '' }),
      )
      expect(page).toContain(`>${await escaped(summary.headline!)}`)
      const { runs } = JSON.parse([...repositoryJson([run], null).pieces()].join(''))
      expect(runs[0].said).toEqual(summary)

      const { yours, unknown } = summary.failingTests ?? { yours: 0, unknown: 0 }
      // What follows from another failure, or is down to infrastructure, waits for nobody.
      const queued = queueOfRepository(sourcesOf(report)).filter((item) => item.kind === 'failing-test')
      expect(queued.some(({ classification }) => classification === 'pr-suspect')).toBe(yours > 0)
      if (unknown === 0) expect(queued.some(({ classification }) => classification === 'unknown')).toBe(false)

      const links = String(await countLinks(report, DEFAULT_VIEW, '/'))
      for (const filter of ['slower', 'faster'] as const) {
        expect(links).toContain(
          `<li class="${filter}">\n<a href="/?outcome=${filter}#rows"><b>${count(summary[filter])}</b>`,
        )
        expect(rowsShown(report, { ...DEFAULT_VIEW, show: filter }).matching).toBe(summary[filter])
      }
    })
  }

  test('what was stored before there was a line is read all the same', () => {
    const { headline: _, title, author, hasOpen, first, failingTests, ...before } = summaryOf(STATES['many']!.report)
    expect(summarySchema.parse(before)).toEqual({
      ...before,
      headline: null,
      title: null,
      author: null,
      hasOpen: null,
      first: null,
      failingTests: null,
    })
    expect({ title, author, hasOpen, first, failingTests }).toEqual({
      title: null,
      author: null,
      hasOpen: true,
      first: expect.any(String),
      failingTests: null,
    })
  })
})
