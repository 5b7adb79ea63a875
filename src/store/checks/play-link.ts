import { readFileSync } from 'node:fs'
import type { Failure } from '../../judge/ledger/failure.ts'
import { sqlName, sqlText } from '../../text/quote.ts'
import { DAY } from '../../text/time.ts'
import { statementIn } from '../sql-file.ts'
import { isOfTest } from './hits-sql.ts'

/** The public statement that proves a failure’s hits, as a link. */

// As the bundle of the Action takes it in.
const PROOF = statementIn(readFileSync(new URL('./proof-of-failure.sql', import.meta.url), 'utf8'))

/** A CI database that the public may ask on ClickHouse's play page. */
export interface PlayPage {
  /** `https://play.clickhouse.com/play?user=play`; what stands behind `#` there is the statement in base64. */
  readonly url: string
  /** `checks` or `database.checks`. */
  readonly table: string
}

/**
 * The address at which anybody can count the hits of a failure in `(until - lookbackDays, until]`. Null for a check that
 * failed without a failing test, which has no name to ask for.
 */
export function playLink(page: PlayPage, failure: Failure, until: number, lookbackDays: number): string | null {
  if (failure.testName === '') return null
  const sql = proofSql(page.table, failure, until, lookbackDays, sqlText)
  return `${page.url.split('#', 1)[0]}#${Buffer.from(sql).toString('base64')}`
}

/** The statement itself. `quoted` makes a literal of a text. */
export function proofSql(
  table: string,
  failure: Failure,
  until: number,
  lookbackDays: number,
  quoted: (text: string) => string,
): string {
  return withLiterals(PROOF.replace('test_name = {testName:String}', '{isOfTest:Bool}'), {
    table: table.split('.').map(sqlName).join('.'),
    isOfTest: isOfTest(failure.testName, quoted),
    pullRequestNumber: String(failure.pullRequestNumber),
    commitSha: quoted(failure.commitSha),
    headRef: quoted(failure.headRef),
    headRepo: quoted(failure.headRepo),
    repository: quoted(failure.baseRepo),
    from: quoted(dateTime(until - lookbackDays * DAY)),
    until: quoted(dateTime(until)),
  })
}

/** A play page takes a statement only, no parameters. `values` are SQL already. */
function withLiterals(sql: string, values: Readonly<Record<string, string>>): string {
  return sql.replace(/\{(\w+):\w+\}/g, (whole, name: string) => values[name] ?? whole)
}

function dateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')
}
