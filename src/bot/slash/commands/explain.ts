import { ledgerThresholds } from '../../../config/repository-config.ts'
import type { OpenFindings } from '../../../report/acceptance.ts'
import {
  explainFailure,
  explainRows,
  type FailureStatement,
  foldedStatement,
} from '../../../report/render/explanation.ts'
import type { FailureRow } from '../../../report/render/failing-view.ts'
import { NO_LINKS, viewOf } from '../../../report/render/view.ts'
import type { ReportRow, TriageReport } from '../../../report/report.ts'
import { IN_THE_DATABASE } from '../../../report/words.ts'
import { hitsSql } from '../../../store/checks/hits-sql.ts'
import { proofSql } from '../../../store/checks/play-link.ts'
import { resultsSql } from '../../../store/runs/results-sql.ts'
import { shortCommit } from '../../../text/markdown.ts'
import { counted } from '../../../text/numbers.ts'
import { sqlLiteral } from '../../../text/quote.ts'
import { DAY } from '../../../text/time.ts'
import { argumentsOf } from '../arguments.ts'
import { type Command, type CommandContext, refused } from '../command.ts'
import { meantIn, nameableFailures, openRowsIn, unknownIn } from '../rows-named.ts'

/** Rows and failures of one answer: each is a part of a screen. */
const MOST = 3

/** A statement with a longer name would fill the answer. */
const LONGEST_NAME = 500

/**
 * For whoever wonders why the bot says what it says. The person sees a reply: the evidence with its numbers, the statement that
 * counts it, and what would give another verdict.
 */
export const explain: Command = {
  name: 'explain',
  usage: 'explain ROW | FAILING TEST | all',
  who: 'everybody',
  isQuestion: true,
  readsReport: true,
  summary:
    'Explains a row or a failing test: the evidence with its numbers, the SQL that counts it, and what would change the verdict. `all` is everything that is open.',
  run(context, words) {
    const { config, report, saidAt } = context
    const given = argumentsOf(words, saidAt)
    if (typeof given === 'string') return refused(given)
    const name = [...given.names, ...(given.reason === null ? [] : [given.reason])].join(' ')
    if (name === '') {
      return refused(`Name a row or a failing test, as in \`${config.commands.prefix} explain order_by_read #1\`.`)
    }
    if (report === null) return refused('There is no report of this pull request yet.')
    const isAll = name.toLowerCase() === 'all'
    const { rows, failures } = isAll ? openIn(report, context.findings ?? NOTHING_OPEN) : meantIn(report, name)
    const all = rows.length + failures.length
    if (all === 0) {
      return refused(
        isAll
          ? `No row or failing test is open in the report of ${shortCommit(report.head)}.`
          : unknownIn(report, name),
      )
    }
    const more = all - MOST
    const shown = rows.slice(0, MOST).map(({ row }) => row)
    const of = isAll ? 'more' : 'more with that name'
    const left = more > 0 ? [`And ${counted(more, of, of)}: name one row.`] : []
    const parts = [
      ...rowAnswers(report, shown, context.site),
      ...failureAnswers(context, report, failures.slice(0, MOST - shown.length)),
      ...left,
    ]
    return { wasDone: true, words: parts.join('\n\n') }
  },
}

const NOTHING_OPEN: Pick<OpenFindings, 'rows'> = { rows: [] }

function openIn(report: TriageReport, findings: Pick<OpenFindings, 'rows'>) {
  return { rows: openRowsIn(report, findings), failures: nameableFailures(report).filter(isLeftToAuthor) }
}

type Failures = ReturnType<typeof nameableFailures>

function isLeftToAuthor({ row: { judged } }: Failures[number]): boolean {
  return judged.classification === 'pr-suspect' || judged.classification === 'unknown'
}

/** With one statement for all of them. */
function rowAnswers(report: TriageReport, rows: readonly ReportRow[], site: string | null): string[] {
  if (rows.length === 0) return []
  const sql = resultsSql(report, rows)
  const statement = sql === null ? [] : [foldedStatement({ where: IN_THE_DATABASE, sql })]
  return [explainRows(report, rows, site), ...statement]
}

function failureAnswers(context: CommandContext, report: TriageReport, failures: Failures): string[] {
  const view = viewOf(report, NO_LINKS)
  const { failing } = view
  if (failing === null) return []
  return failures.map(({ row }) =>
    explainFailure(view, failing.tests, row, ledgerThresholds(context.config), statementOf(context, report, row)),
  )
}

/** The statement where the hits were counted; null where nothing was, or a name is too long for it. */
function statementOf(
  { config: { ledger } }: CommandContext,
  { repository: { id, owner, name }, failingTests }: TriageReport,
  { judged: { failure, hits } }: FailureRow,
): FailureStatement | null {
  if (hits === null || failingTests === null) return null
  const { testName, checkName, signature, time } = failure
  if ([testName, checkName].some(({ length }) => length > LONGEST_NAME)) return null
  const { lookbackDays } = failingTests
  if (failingTests.source === 'own') {
    const of = { repositoryId: id, repository: `${owner}/${name}`, testName, checkName, signature }
    return { where: IN_THE_DATABASE, sql: hitsSql(of, { from: time - lookbackDays * DAY, until: time }) }
  }
  if (testName === '') return null
  return { where: 'in the CI database', sql: proofSql(ledger.table, failure, time, lookbackDays, sqlLiteral) }
}
