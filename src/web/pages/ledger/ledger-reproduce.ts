import { queryHash } from '../../../intake/measurement/query-hash.ts'
import { queryOfHistoryKey } from '../../../judge/history/query-of-history-key.ts'
import { type LedgerEntry, NO_OWNER } from '../../../judge/ledger/entry.ts'
import type { EntryTimeline } from '../../../judge/ledger/entry-timeline.ts'
import { signatureOfText } from '../../../judge/ledger/signature.ts'
import type { RepositoryAddress } from '../../../report/urls.ts'
import { IN_THE_DATABASE } from '../../../report/words.ts'
import { hitsSql, sqlTime } from '../../../store/checks/hits-sql.ts'
import type { LedgerView } from '../../../store/ledger/found-entries.ts'
import { sqlLiteral } from '../../../text/quote.ts'
import type { Html } from '../../kit/layout.ts'
import { reproduce } from '../../kit/reproduce.ts'
import { ledgerViewPath } from './ledger-view.ts'

/** Ways to get the numbers of the ledger without its pages. Addresses are full ones. */

/** Longer texts would fill the page; they are in the JSON. */
const LONGEST_TEXT = 2000

export function ledgerReproduce(of: {
  readonly repositoryId: number
  readonly view: LedgerView
  readonly address: string
}): Html {
  return reproduce([
    ['From this address:', `curl --silent --fail '${ledgerViewPath(of.address, { ...of.view, page: 1 }, 'json')}'`],
    [`The same, ${IN_THE_DATABASE}:`, ledgerSql(of.repositoryId, of.view)],
  ])
}

export function ledgerSql(repositoryId: number, { text, kind, state, owner }: LedgerView): string {
  const conditions = [
    `repository_id = ${repositoryId}`,
    ...(text === null
      ? []
      : [
          `(${['test_name', 'check_name', 'signature'].map((column) => `positionCaseInsensitiveUTF8(${column}, ${sqlLiteral(text)}) > 0`).join('\n    OR ')})`,
        ]),
    ...(kind === null ? [] : [`kind = '${kind}'`]),
    state === null ? `state IN ('open', 'closed', 'expired')` : `state = '${state}'`,
    ...(owner === null ? [] : [owner === NO_OWNER ? 'owner IS NULL' : `owner = ${sqlLiteral(owner)}`]),
  ]
  return `SELECT *
FROM ledger_entries FINAL
WHERE ${conditions.join('\n  AND ')}
ORDER BY transform(state, ['expired', 'open'], [0, 1], 2), hits_7 DESC, unrelated_pull_requests DESC, hits_30 DESC`
}

export interface EntryToReproduce {
  readonly repositoryId: number
  readonly repository: RepositoryAddress
  readonly entry: LedgerEntry
  readonly timeline: EntryTimeline
  readonly address: string
}

export function entryReproduce(of: EntryToReproduce): Html {
  const { entry, timeline, address, repositoryId } = of
  const isLong = [entry.testName, entry.checkName, entry.signature].some(({ length }) => length > LONGEST_TEXT)
  return reproduce([
    ['The timeline with the latest hits, from this address:', `curl --silent --fail '${address}?format=json'`],
    [
      `The entry, ${IN_THE_DATABASE}:`,
      `SELECT *
FROM ledger_entries FINAL
WHERE repository_id = ${repositoryId}
  AND entry_id = ${sqlLiteral(entry.entryId)}
FORMAT Vertical`,
    ],
    ...(isLong || timeline.source === 'ci-database'
      ? []
      : [
          [
            entry.kind === 'mover' ? 'Its days there:' : 'Its days there, including rows of mass failures:',
            daysSql(of),
          ] as const,
        ]),
  ])
}

/** Day by day, as the timeline counts but for mass failures. */
export function daysSql(of: Omit<EntryToReproduce, 'address'>): string {
  const { repositoryId, repository, entry, timeline } = of
  return entry.kind === 'mover'
    ? flagsSql(of)
    : hitsSql(
        {
          ...entry,
          repositoryId,
          repository: `${repository.owner}/${repository.repo}`,
          signature: signatureOfText(entry.signature),
        },
        timeline,
      )
}

function flagsSql({ repositoryId, entry, timeline }: Omit<EntryToReproduce, 'address'>): string {
  const key = queryOfHistoryKey(entry.signature)
  const query = key?.query ?? { test: entry.testName, queryName: null, queryIndex: null }
  const conditions = [
    `repository_id = ${repositoryId}`,
    `query_hash = ${queryHash(query)}`,
    `ifNull(ordinal, 0) = ${query.ordinal ?? 0}`,
    `ifNull(architecture, '') = ${sqlLiteral(key?.architecture ?? '')}`,
    `finished_at >= ${sqlTime(timeline.from)}`,
    `finished_at <= ${sqlTime(timeline.until)}`,
    `(pull_request_number, head, judged_at) IN (
      SELECT pull_request_number, head, max(judged_at)
      FROM reports
      WHERE repository_id = ${repositoryId}
      GROUP BY pull_request_number, head)`,
  ]
  return `SELECT toDate(finished_at) AS day, count() AS in_pull_requests
FROM flags FINAL
WHERE ${conditions.join('\n  AND ')}
GROUP BY day
ORDER BY day`
}
