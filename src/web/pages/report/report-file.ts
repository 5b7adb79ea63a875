import { html } from 'hono/html'
import { NEEDED_REPETITIONS } from '../../../judge/verdict/evidence/own-measurement.ts'
import { onceLines } from '../../../report/render/comparison-words.ts'
import { judgedLines } from '../../../report/render/sections/provenance.ts'
import { NO_LINKS, viewOf } from '../../../report/render/view.ts'
import type { TriageReport } from '../../../report/report.ts'
import { capitalized } from '../../../text/phrase.ts'
import { toHtml } from '../../../text/phrase-html.ts'
import { type Html, layout } from '../../kit/layout.ts'
import { changeStrip } from './change-strip.ts'
import { environmentsFold } from './environments.ts'
import { otherMetricsFold, warningsFold } from './report-folds.ts'
import { comparisonList, headline, suitesPart } from './report-head.ts'
import { fileRows } from './report-rows.ts'

/** The report of a run from files, as a page that is a file itself: no commits, no trunk, nothing to go to. */
export function reportFile(report: TriageReport, version: string): Html {
  const results = report.rows.flatMap((row) => row.results)
  return layout({
    title: headline(report),
    version,
    wide: true,
    isFile: true,
    content: html`<h1>Comparison</h1>
<p class="lead"><strong>${headline(report)}</strong></p>
${comparisonList(report)}
${onceLines(results, NEEDED_REPETITIONS).map((line) => html`<p>${toHtml(capitalized([line]))}.</p>`)}
${changeStrip(report)}
${fileRows(report)}
${suitesPart(report)}
<h2>How this was judged</h2>
<ul>${judgedLines(viewOf(report, NO_LINKS)).map((line) => html`<li>${toHtml(capitalized([line]))}</li>`)}</ul>
<div class="folds">
${environmentsFold(report)}
${otherMetricsFold(report)}
${warningsFold(report)}
</div>`,
  })
}
