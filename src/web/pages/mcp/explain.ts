import { z } from 'zod'
import { meantIn } from '../../../bot/slash/rows-named.ts'
import { ledgerThresholds } from '../../../config/repository-config.ts'
import { CLASSIFICATIONS, type FailingTests } from '../../../judge/ledger/failure.ts'
import { FAILING_TESTS_ANCHOR } from '../../../report/anchors.ts'
import { explainFailure, explainRows } from '../../../report/render/explanation.ts'
import type { FailureRow } from '../../../report/render/failing-view.ts'
import { NO_LINKS, viewOf } from '../../../report/render/view.ts'
import type { TriageReport } from '../../../report/report.ts'
import { queryName } from '../../../report/row/name.ts'
import { reportPath } from '../../../report/urls.ts'
import { NAME_LIMIT } from '../../../text/markdown.ts'
import { addressOf } from '../shown-report.ts'
import { paragraphs, Sentences, untrusted, untrustedOrNull, untrustedText } from './outside.ts'
import { rowPagePath, verdictShape } from './rows.ts'
import { proof, replayOf, reportAsked } from './sources.ts'
import { NO_REPORT, OF_REPORT, tool } from './tool.ts'

const count = z.int().nonnegative().nullable()

export const explain = tool({
  name: 'explain',
  title: 'Explain a row or a failing test',
  description:
    'Why a row or a failing test of a pull request is called what it is called: the evidence with its numbers, and what would change it. The same sentences as the command explain in a comment.',
  input: { ...OF_REPORT, row: z.string().max(300).describe('The id or name of a row, or the name of a failing test.') },
  output: {
    kind: z.enum(['row', 'failing-test']),
    name: untrustedText,
    row: z.string().nullable().describe('The id of the row.'),
    verdict: verdictShape,
    classification: z.enum([...CLASSIFICATIONS, 'ignored']).nullable(),
    causedBy: untrustedText.nullable().describe('The failure that it follows from.'),
    unrelatedPullRequests: count,
    hits: count,
    trunkHits: count,
    runs: count,
    said: z.array(z.string()).describe('Evidence, then what would change it. Marks stand for texts under references.'),
  },
  async ask(sources, asked) {
    const report = await reportAsked(sources, asked)
    if (report === null) return NO_REPORT
    const { rows, failures } = meantIn(report, asked.row)
    const failure = failures[0]?.row ?? falloutNamed(report, asked.row)
    const row = rows[0]?.row
    if (rows.length + failures.length > 1) return 'Several rows or failing tests have this name. open_rows lists ids.'
    if (row === undefined && failure === null) return 'The report has no such row or failing test. open_rows lists ids.'
    const view = viewOf(report, NO_LINKS)
    const thresholds = ledgerThresholds(await sources.configOf(report.repository.id))
    const explanation = paragraphs(() =>
      row !== undefined
        ? explainRows(report, [row], null)
        : explainFailure(view, report.failingTests!, failure!, thresholds, null),
    )
    const judged = row === undefined ? failure!.judged : null
    const where =
      row === undefined
        ? proof(
            sources,
            `${reportPath(addressOf(report))}#${FAILING_TESTS_ANCHOR}`,
            `ledger lookup --pr ${asked.pullRequest} --sha ${report.head}`,
          )
        : proof(sources, rowPagePath(report, view, row, 'query'), replayOf(asked))
    return (most) => {
      const sentences = new Sentences()
      const [[answer = '', ...said], more] = sentences.lines(explanation, most + 1)
      return {
        answer,
        kind: row === undefined ? ('failing-test' as const) : ('row' as const),
        name: untrusted(row === undefined ? nameOf(failure!) : queryName(row, NAME_LIMIT)),
        row: row === undefined ? null : view.idOf(row),
        verdict: row?.verdict ?? null,
        classification: judged?.classification ?? null,
        causedBy: untrustedOrNull(judged?.causedBy),
        unrelatedPullRequests: judged?.unrelatedPullRequests ?? null,
        hits: judged?.hits ?? null,
        trunkHits: judged?.trunkHits ?? null,
        runs: judged?.runs ?? null,
        said,
        proof: where,
        references: sentences.list(),
        more,
      }
    }
  },
})

function nameOf({ judged: { failure } }: FailureRow): string {
  return failure.testName === '' ? failure.checkName : failure.testName
}

/** A failure that follows from another one stands with that one. */
function falloutNamed({ failingTests }: TriageReport, name: string): FailureRow | null {
  const failures: FailingTests['failures'] = failingTests?.failures ?? []
  const judged = failures.find(({ failure }) => failure.testName === name)
  return judged === undefined ? null : { judged, checks: [judged.failure.checkName], fallout: [] }
}
