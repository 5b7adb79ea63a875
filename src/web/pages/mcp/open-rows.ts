import { z } from 'zod'
import { CLASSIFICATIONS } from '../../../judge/ledger/failure.ts'
import { findingsOf } from '../../../judge/verdict/findings.ts'
import { failingView } from '../../../report/render/failing-view.ts'
import { verdictLine } from '../../../report/render/sections/headline.ts'
import { summaryOf } from '../../../report/render/summary.ts'
import { NO_LINKS, viewOf } from '../../../report/render/view.ts'
import { CHECK_CONCLUSIONS } from '../../../report/report.ts'
import { reportPath } from '../../../report/urls.ts'
import { addressOf } from '../shown-report.ts'
import { paragraphs, Sentences, untrusted, untrustedText } from './outside.ts'
import { rowAnswer, rowShape } from './rows.ts'
import { proof, replayOf, reportAsked } from './sources.ts'
import { first, NO_REPORT, OF_REPORT, tool } from './tool.ts'

const count = z.int().nonnegative()

export const openRows = tool({
  name: 'open_rows',
  title: 'Open rows and failing tests of a pull request',
  description:
    'What a pull request has to look at: how its performance check concludes, the open rows (slower, to be measured again, or without a result), worst first, and its failing tests with what each is.',
  input: OF_REPORT,
  output: {
    pullRequest: count,
    head: z.string(),
    complete: z.boolean().describe('All shards have ended.'),
    conclusion: z.enum(CHECK_CONCLUSIONS).nullable(),
    counts: z.object({ open: count, slower: count, faster: count, tooNoisy: count, failed: count }),
    rows: z.array(
      z.strictObject({
        state: z.enum(['open', 'failed-in-new', 'failed-in-one', 'not-measured-again', 'not-seen-again']),
        ...rowShape,
      }),
    ),
    failing: z.object({ yours: count, unknown: count, known: count }).nullable(),
    failingTests: z.array(
      z.strictObject({
        test: untrustedText,
        check: untrustedText,
        classification: z.enum([...CLASSIFICATIONS, 'ignored']),
        isNew: z.boolean().describe('The pull request adds the test.'),
      }),
    ),
  },
  async ask(sources, asked) {
    const report = await reportAsked(sources, asked)
    if (report === null) return NO_REPORT
    const findings = findingsOf(report)
    const view = viewOf(report, NO_LINKS)
    const { slower, faster, tooNoisy, failed, failingTests: failing } = summaryOf(report)
    const states = [
      ['open', findings.open],
      ['failed-in-new', findings.failedInNew],
      ['failed-in-one', findings.failedUnknown],
      ['not-measured-again', findings.notMeasuredAgain],
      ['not-seen-again', findings.notSeenAgain],
    ] as const
    const rows = states.flatMap(([state, of]) => of.map((row) => ({ state, row })))
    const tests = failingView(report.failingTests)?.rows ?? []
    const headline = paragraphs(() => verdictLine(view))
    return (most) => {
      const sentences = new Sentences()
      const answer = sentences.lines(headline)[0].join(' ')
      const [shownRows, moreRows] = first(rows, most)
      const [shownTests, moreTests] = first(tests, most)
      return {
        answer,
        pullRequest: report.pullRequest.number,
        head: report.head,
        complete: report.complete,
        conclusion: report.decisions?.conclusion ?? null,
        counts: { open: findings.open.length, slower, faster, tooNoisy, failed },
        rows: shownRows.map(({ state, row }) => ({ state, ...rowAnswer(row, view) })),
        failing,
        failingTests: shownTests.map(({ judged: { failure, classification, reasons } }) => ({
          test: untrusted(failure.testName === '' ? failure.checkName : failure.testName),
          check: untrusted(failure.checkName),
          classification,
          isNew: reasons.some((reason) => reason.kind === 'test-changed' && reason.added),
        })),
        proof: proof(sources, reportPath(addressOf(report)), replayOf(asked)),
        references: sentences.list(),
        more: moreRows + moreTests,
      }
    }
  },
})
