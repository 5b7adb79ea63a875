import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { findFailingTests, massFailuresOf } from '../src/bot/triage/failing-tests.ts'
import { DEFAULT_CONFIG } from '../src/config/repository-config.ts'
import { NOTHING_GIVEN } from '../src/intake/imports/checks/given-values.ts'
import { JobTime } from '../src/intake/imports/checks/job-time.ts'
import { openCiResults } from '../src/intake/imports/checks/read-check-rows.ts'
import { Warnings } from '../src/intake/measurement/warnings.ts'
import { countHistory } from '../src/judge/ledger/counted-history.ts'
import type { Classification, Failure, Subject } from '../src/judge/ledger/failure.ts'
import { historiesWanted } from '../src/judge/ledger/history-wanted.ts'
import { LEDGER_THRESHOLDS } from '../src/judge/ledger/thresholds.ts'
import { UNKNOWN_PEOPLE } from '../src/judge/ledger/witness.ts'
import { saveChecks } from '../src/store/checks/checks.ts'
import type { CiResults } from '../src/store/checks/ci-results.ts'
import { ownCiResults } from '../src/store/checks/own-ci-results.ts'
import { openClickHouse } from '../src/store/client.ts'
import { migrate } from '../src/store/migrate.ts'
import { openEmbedded } from '../src/store/open-embedded.ts'
import { DAY } from '../src/text/time.ts'

/**
 * How well the ledger foretells, with lookbacks of different length, that a failure comes again elsewhere 8 to 37 days
 * later, judged by the hits that the ledger itself would count there. A failure counts only where the results hold the
 * longest lookback before it and 37 days after it, so that every lookback is asked about the same ones.
 */
const LOOKBACKS = [14, 30, 60, 90]
const FROM_DAYS = 8
const TO_DAYS = 37
const REPOSITORY_ID = 1
/** The ledger says with these that the failure is not the pull request's own, and that it will be back. */
const FORETOLD: readonly Classification[] = ['chronic', 'flaky', 'broken-trunk', 'mass-failure']

interface Foretold {
  readonly days: number
  /** Said to come again, and those of them that did. */
  readonly said: number
  readonly right: number
}

async function foretell(ciResults: CiResults, subjects: readonly Subject[], known: { from: number; to: number }) {
  const scores = new Map(LOOKBACKS.map((days) => [days, { days, said: 0, right: 0 }]))
  const counts = { failures: 0, judged: 0, again: 0 }
  for (const subject of subjects) {
    const found = await ciResults.failuresOf({ repositoryId: REPOSITORY_ID, ...subject })
    counts.failures += found.failures.length
    const isWithin = ({ time }: Failure) =>
      time - Math.max(...LOOKBACKS) * DAY >= known.from && time + TO_DAYS * DAY <= known.to
    const failures = found.failures.filter(isWithin)
    if (failures.length === 0) continue
    counts.judged += failures.length
    const again = await comeAgain(ciResults, failures, subject)
    counts.again += again.size
    for (const [days, score] of scores) {
      const { failures: judged } = await findFailingTests({
        ciResults,
        repositoryId: REPOSITORY_ID,
        subject,
        names: DEFAULT_CONFIG.ledger,
        thresholds: { ...LEDGER_THRESHOLDS, lookbackDays: days },
        changedFiles: null,
        until: null,
        isLeftOut: () => false,
        isAwaited: false,
        isFinal: true,
        redChecks: [],
        judgedAt: known.to,
        found: { ...found, failures },
      })
      const said = judged.filter(({ classification }) => FORETOLD.includes(classification))
      score.said += said.length
      score.right += said.filter(({ failure }) => again.has(failure)).length
    }
  }
  return { ...counts, scores: [...scores.values()] }
}

/** The failures with a hit in the days from `FROM_DAYS` to `TO_DAYS` after them. */
async function comeAgain(ciResults: CiResults, failures: readonly Failure[], subject: Subject): Promise<Set<Failure>> {
  const thresholds = { ...LEDGER_THRESHOLDS, lookbackDays: TO_DAYS - FROM_DAYS }
  const until = ({ time }: Failure) => time + TO_DAYS * DAY
  const again = new Set<Failure>()
  for (const failure of failures) {
    const [histories, massFailures] = await Promise.all([
      ciResults.historiesOf(historiesWanted([failure], until), subject, REPOSITORY_ID, thresholds),
      massFailuresOf(ciResults, [until(failure)], subject, REPOSITORY_ID, thresholds),
    ])
    const { hits } = countHistory(failure, histories[0]!, {
      ...thresholds,
      subject,
      massFailures,
      people: UNKNOWN_PEOPLE,
    })
    if (hits.length > 0) again.add(failure)
  }
  return again
}

function textOf({ failures, judged, again, scores }: Awaited<ReturnType<typeof foretell>>, days: number): string {
  const head = `${failures} failures in ${days} days of results, ${judged} of them with ${Math.max(...LOOKBACKS)} days before and ${TO_DAYS} after`
  if (judged === 0) return `${head}: nothing can be said of any lookback`
  const share = (part: number, whole: number) => (whole === 0 ? '–' : (part / whole).toFixed(3))
  const line = ({ days: lookback, said, right }: Foretold) =>
    `  ${lookback} days  precision ${share(right, said)} (${right} of ${said})  recall ${share(right, again)} (of ${again})`
  return [`${head}:`, ...scores.map(line)].join('\n')
}

const subjectRow = z.object({
  commitSha: z.string(),
  pullRequestNumber: z.number(),
  headRepo: z.string(),
  headRef: z.string(),
})
const SUBJECTS = `SELECT commit_sha AS commitSha, pull_request_number AS pullRequestNumber,
  any(head_repo) AS headRepo, any(head_ref) AS headRef
  FROM checks WHERE outcome = 'failing' GROUP BY 1, 2 ORDER BY min(check_start_time), commitSha`
const KNOWN =
  'SELECT toUnixTimestamp(min(check_start_time)) AS first, toUnixTimestamp(max(check_start_time)) AS last FROM checks'

/** `FILE…` as `ledger import` reads them; `--check NAME` where they name none; `--repository OWNER/NAME`; `--trunk NAME`. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'string' },
    repository: { type: 'string', default: '' },
    trunk: { type: 'string', multiple: true, default: ['master', 'main'] },
  },
})
const dataDir = await mkdtemp(join(tmpdir(), 'perf-triage-bench-'))
const embedded = await openEmbedded({ dataDir })
const clickhouse = await openClickHouse({ url: null, dataDir, timeout: 290_000 })
try {
  await migrate(clickhouse)
  for (const where of positionals) {
    const input = { where, bytes: createReadStream(where), modified: null }
    const given = { ...NOTHING_GIVEN, checkName: values.check ?? null }
    const options = { format: 'auto', given, time: new JobTime(null), warnings: new Warnings(100) }
    await saveChecks(clickhouse, REPOSITORY_ID, (await openCiResults(input, options)).rows())
  }
  const rows = await clickhouse.read('subjects', SUBJECTS, {}, subjectRow)
  const subjects = rows.map((row) => ({
    ...row,
    repository: values.repository,
    trunk: values.trunk,
    mergeBase: null,
  }))
  const [known] = await clickhouse.read('known', KNOWN, {}, z.object({ first: z.number(), last: z.number() }))
  const { from, to } = { from: known!.first * 1000, to: known!.last * 1000 }
  console.log(textOf(await foretell(ownCiResults(clickhouse), subjects, { from, to }), Math.ceil((to - from) / DAY)))
} finally {
  await clickhouse.close()
  await embedded.stop()
  await rm(dataDir, { recursive: true, force: true })
}
