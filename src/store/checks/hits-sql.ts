import { SIGNATURE_RULE, type Signature } from '../../judge/ledger/signature.ts'
import { varyingName } from '../../judge/ledger/test-name.ts'
import { sqlLiteral } from '../../text/quote.ts'

/** SQL that a reader runs to count a failure’s hits in the bot’s database. */

interface FailureWanted {
  readonly repositoryId: number
  /** `owner/name` */
  readonly repository: string
  /** Empty: a check that failed without a failing test. */
  readonly testName: string
  readonly checkName: string
  readonly signature: Signature
}

/** Day by day, what the bot has stored of a failure wherever it was, as a statement for whoever asks the database. */
export function hitsSql(
  { repositoryId, repository, testName, checkName, signature: { kind, text } }: FailureWanted,
  { from, until }: { readonly from: number; readonly until: number },
): string {
  const name = `'${repository.toLowerCase()}'`
  const time = `check_start_time >= ${sqlTime(from)} AND check_start_time <= ${sqlTime(until)}`
  const conditions = [
    `repository_id IN (0, ${repositoryId})`,
    `outcome = 'failing'`,
    isOfTest(testName, sqlLiteral),
    time,
    ...(testName === '' ? [`check_name = ${sqlLiteral(checkName)}`] : []),
    ...(kind === 'name'
      ? []
      : [`signature_rule = ${SIGNATURE_RULE}`, `signature_kind = '${kind}'`, `signature = ${sqlLiteral(text)}`]),
    `(repository_id = ${repositoryId} OR lower(base_repo) = ${name})`,
    `(base_repo = '' OR lower(base_repo) = ${name})`,
    `(pull_request_number > 0 OR head_repo = '' OR lower(head_repo) = ${name})`,
    ...(testName === ''
      ? [
          `(commit_sha, check_name, check_start_time) NOT IN (
      SELECT commit_sha, check_name, check_start_time
      FROM checks
      WHERE repository_id IN (0, ${repositoryId})
        AND outcome IN ('failing', 'measured')
        AND test_name != ''
        AND check_name = ${sqlLiteral(checkName)}
        AND ${time})`,
        ]
      : []),
  ]
  return `SELECT
    toDate(check_start_time) AS day,
    countIf(pull_request_number > 0) AS in_pull_requests,
    countIf(pull_request_number = 0) AS on_trunk
FROM checks FINAL
WHERE ${conditions.join('\n  AND ')}
GROUP BY day
ORDER BY day`
}

/** The condition that a row is of a test, under all names that are compared as one. `quoted` makes a literal of a text. */
export function isOfTest(testName: string, quoted: (text: string) => string): string {
  const varying = varyingName(testName)
  return varying === null ? `test_name = ${quoted(testName)}` : `match(test_name, ${quoted(varying.pattern)})`
}

/** A time in milliseconds as a statement compares with it. */
export function sqlTime(milliseconds: number): string {
  return `toDateTime('${new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')}', 'UTC')`
}
