import type { JudgedFailure } from '../../judge/ledger/failure.ts'
import { count } from '../../text/numbers.ts'
import { type Column, tsvText } from '../../text/table.ts'
import { isoTime } from '../../text/time.ts'
import { CLASSIFICATION_WORDS } from '../words.ts'

/** A failing test in the TSV; with a heading on a terminal too. */
export const FAILURE_COLUMNS: readonly Column<JudgedFailure>[] = [
  { key: 'check_name', value: ({ failure }) => tsvText(failure.checkName) },
  { key: 'test_name', value: ({ failure }) => tsvText(failure.testName) },
  { key: 'signature', value: ({ failure }) => tsvText(failure.signature.text) },
  { key: 'signature_kind', value: ({ failure }) => failure.signature.kind },
  { key: 'status', value: ({ failure }) => failure.status },
  { key: 'time', value: ({ failure }) => isoTime(failure.time) },
  { key: 'report_url', value: ({ failure }) => failure.reportUrl },
  {
    key: 'classification',
    value: ({ classification }) => classification,
    heading: 'failure is',
    text: ({ classification }) => CLASSIFICATION_WORDS[classification].term,
  },
  countColumn('unrelated_pull_requests', 'pull requests', (judged) => judged.unrelatedPullRequests),
  countColumn('hits', 'hits', ({ hits }) => hits),
  countColumn('trunk_hits', 'main branch', ({ trunkHits }) => trunkHits),
  { key: 'runs', value: ({ runs }) => runs },
  { key: 'first_seen', value: ({ firstSeen }) => isoTime(firstSeen), heading: 'since' },
  { key: 'last_seen', value: ({ lastSeen }) => isoTime(lastSeen) },
  { key: 'first_bad_trunk_commit', value: ({ firstBadTrunkCommit }) => firstBadTrunkCommit },
  { key: 'caused_by', value: ({ causedBy }) => causedBy },
  { key: 'issue', value: ({ issue }) => issue?.url ?? null },
  { key: 'owner', value: ({ owner }) => owner },
  { key: 'reasons', value: ({ reasons }) => JSON.stringify(reasons) },
  { key: 'examples', value: ({ examples }) => JSON.stringify(examples) },
]

/** A check that sums up others has no failures of its own to count: of these a person sees none. */
function countColumn(
  key: string,
  heading: string,
  value: (judged: JudgedFailure) => number | null,
): Column<JudgedFailure> {
  const text = (judged: JudgedFailure) => {
    const number = judged.classification === 'rollup' ? null : value(judged)
    return number === null ? '' : count(number)
  }
  return { key, value, heading, isNumber: true, text }
}
