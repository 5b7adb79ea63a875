import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Classification, Failure, Reason } from '../src/judge/ledger/failure.ts'
import type { judgeFailures } from '../src/judge/ledger/ledger.ts'
import type { signatureOf } from '../src/judge/ledger/signature.ts'
import type { LedgerThresholds } from '../src/judge/ledger/thresholds.ts'
import { DAY } from '../src/text/time.ts'
import { generatedYear } from './excuses/generated-year.ts'
import { Histories, type KnownRow, subjectOf } from './excuses/histories.ts'
import { recordedBuilds, recordedRates } from './excuses/recorded.ts'
import type { Cause, Head, World } from './excuses/world.ts'

/**
 * What the ledger's excuses are worth, over a generated year of CI of which is known why each test failed, and over recorded
 * results. `precision` is the share of failures with an excuse that were not the pull request's own; `recall` the share of
 * all such failures that got it. Two checkouts of the rules are compared on the same year: which excuses are lost, by which
 * rule, and how many of those that later failures elsewhere confirm.
 *
 *     node bench/excuses.ts [--rules FOLDER] [--against FOLDER] [--seed 1] [--mode advisory|gating]
 *
 * Of the rules `judgeFailures` and `signatureOf` are taken, from `FOLDER/src/judge/ledger`, or `FOLDER/src/ledger` of a checkout from before the rooms were moved. Histories and mass failures are made
 * here by their definitions in docs/ledger.md, so that a change of the statements shows in neither.
 */

const EXCUSES: readonly Classification[] = ['chronic', 'flaky', 'mass-failure', 'broken-trunk']

/** An excuse is confirmed where the failure came again elsewhere in the days from here. */
const CONFIRMED_FROM = 8 * DAY
const CONFIRMED_TO = 37 * DAY

const NAMES = { rollupChecks: [], falloutTests: ['Check failed', 'Server died'] }

type Mode = 'advisory' | 'gating'

interface Rules {
  readonly judge: typeof judgeFailures
  readonly signed: typeof signatureOf
  readonly thresholds: LedgerThresholds
}

async function rulesOf(folder: string): Promise<Rules> {
  const ledger = ['src/judge/ledger', 'src/ledger'].map((path) => join(folder, path)).find((path) => existsSync(path))
  if (ledger === undefined) throw new Error(`${folder}: no checkout with src/judge/ledger`)
  const from = async (file: string) => (await import(pathToFileURL(join(ledger, file)).href)) as unknown
  const { judgeFailures: judge } = (await from('ledger.ts')) as { judgeFailures: Rules['judge'] }
  const { signatureOf: signed } = (await from('signature.ts')) as { signatureOf: Rules['signed'] }
  const { LEDGER_THRESHOLDS: thresholds } = (await from('thresholds.ts')) as { LEDGER_THRESHOLDS: LedgerThresholds }
  return { judge, signed, thresholds }
}

interface Judged {
  readonly row: KnownRow
  readonly classification: Classification
  readonly reasons: readonly Reason[]
  readonly isConfirmed: boolean
}

/** Every failure of the heads, in the same order for all rules. */
function judgedBy({ judge, signed, thresholds }: Rules, world: World, mode: Mode): readonly Judged[] {
  const histories = new Histories(world, signed, thresholds)
  const heads = world.heads.filter(({ time }) => world.judged.from <= time && time <= world.judged.to)
  return heads.flatMap((head) => judgedOfHead(head, judge, world, histories, thresholds, mode))
}

function judgedOfHead(
  head: Head,
  judge: Rules['judge'],
  world: World,
  histories: Histories,
  thresholds: LedgerThresholds,
  mode: Mode,
): readonly Judged[] {
  const failures = histories.failuresOf(head)
  if (failures.length === 0) return []
  const subject = subjectOf(head)
  const ofTest = Map.groupBy(failures, (failure) => failure.testName || failure.checkName)
  const standings = new Map(
    [...new Set(world.authors.values())].map(
      (author) =>
        [
          author,
          (world.trustedFrom.get(author) ?? Number.POSITIVE_INFINITY) <= head.time ? 'trusted' : 'stranger',
        ] as const,
    ),
  )
  const judged = judge({
    failures,
    histories: [...ofTest.values()].map((same) => {
      const failedIn = same.map(({ checkName }) => checkName)
      return histories.historyOf(same[0]!, failedIn, subject, head.time)
    }),
    massFailures: histories.massFailuresOf(subject, head.time),
    subject,
    names: NAMES,
    changedFiles: [],
    thresholds,
    until: () => head.time,
    problem: null,
    people: { mode, authors: world.authors, standings },
    judgedAt: head.time,
  })
  const results = new Map(judged.map((one) => [one.failure as Failure & { readonly row: KnownRow }, one]))
  return failures.map((failure) => {
    const { classification, reasons } = results.get(failure)!
    return { row: failure.row, classification, reasons, isConfirmed: comesAgain(failure.row, world, histories) }
  })
}

/** The failure with this signature, on the trunk or in a pull request of somebody else. */
function comesAgain(row: KnownRow, { authors }: World, histories: Histories): boolean {
  const from = row.time + CONFIRMED_FROM
  const author = authors.get(row.pullRequestNumber)
  return histories
    .alike(row)
    .some(
      (later) =>
        later.time >= from &&
        later.time <= row.time + CONFIRMED_TO &&
        later.signature.kind === row.signature.kind &&
        later.signature.text === row.signature.text &&
        (later.pullRequestNumber === 0 || authors.get(later.pullRequestNumber) !== author),
    )
}

const isExcused = ({ classification }: Judged) => EXCUSES.includes(classification)
const isOwn = ({ row }: Judged) => row.failed.cause.kind === 'own'

function share(part: number, whole: number): string {
  return whole === 0 ? '    –' : `${((100 * part) / whole).toFixed(1).padStart(5)}%`
}

function tableOf(all: readonly Judged[]): readonly string[] {
  const elsewhere = all.filter((one) => !isOwn(one))
  const line = (name: string, some: readonly Judged[]) => {
    const right = some.filter((one) => !isOwn(one)).length
    return `  ${name.padEnd(14)}${String(some.length).padStart(7)} failures  precision ${share(right, some.length)}  recall ${share(right, elsewhere.length)}`
  }
  return [
    `${all.length} failures of pull requests, ${all.length - elsewhere.length} of them their own`,
    ...EXCUSES.map((excuse) =>
      line(
        excuse,
        all.filter(({ classification }) => classification === excuse),
      ),
    ),
    line('any excuse', all.filter(isExcused)),
  ]
}

/** What became of the failures of each cause. */
function causesOf(all: readonly Judged[]): readonly string[] {
  const causes: readonly Cause['kind'][] = ['own', 'flaky', 'broken-trunk', 'outage']
  const columns: readonly Classification[] = [...EXCUSES, 'pr-suspect', 'unknown']
  return [
    `  ${'cause'.padEnd(14)}${columns.map((column) => column.padStart(14)).join('')}`,
    ...causes.map((cause) => {
      const some = all.filter(({ row }) => row.failed.cause.kind === cause)
      const counts = columns.map((column) => some.filter(({ classification }) => classification === column).length)
      return `  ${cause.padEnd(14)}${counts.map((n) => String(n).padStart(14)).join('')}`
    }),
  ]
}

/** By the reason that decides now. */
function takenAway(before: readonly Judged[], after: readonly Judged[]): readonly string[] {
  const lost = after.flatMap((one, at) =>
    isExcused(before[at]!) && !isExcused(one) ? [{ before: before[at]!, after: one }] : [],
  )
  const won = after.filter((one, at) => isExcused(one) && !isExcused(before[at]!))
  const byReason = Map.groupBy(
    lost,
    ({ before: { classification }, after: now }) => `${classification} by ${now.reasons[0]?.kind ?? 'no reason'}`,
  )
  const own = (some: readonly { readonly after: Judged }[]) => some.filter(({ after: one }) => isOwn(one)).length
  const confirmed = before.filter((one) => isExcused(one) && one.isConfirmed)
  const lostConfirmed = lost.filter(({ before: one }) => one.isConfirmed)
  const foreign = confirmed.filter((one) => !isOwn(one)).length
  const lostForeign = lostConfirmed.length - own(lostConfirmed)
  return [
    `${lost.length} excuses lost, ${own(lost)} of them of own failures; ${won.length} won, ${won.filter(isOwn).length} of them of own failures`,
    ...[...byReason]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .map(([reason, some]) => `  ${String(some.length).padStart(6)} ${reason}, ${own(some)} own`),
    `confirmed by later failures elsewhere: ${confirmed.length} excuses, lost ${lostConfirmed.length} (${share(lostConfirmed.length, confirmed.length).trim()})`,
    `  of these not own: ${foreign}, lost ${lostForeign} (${share(lostForeign, foreign).trim()})`,
  ]
}

function reasonsOf(all: readonly Judged[]): string {
  const byReason = Map.groupBy(
    all.filter((one) => !isExcused(one)),
    ({ classification, reasons }) => `${classification} by ${reasons[0]?.kind ?? 'no reason'}`,
  )
  const told = [...byReason]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([reason, some]) => `${some.length} ${reason} (${some.filter(isOwn).length} own)`)
  return `  not excused: ${told.join(', ')}`
}

const { values } = parseArgs({
  options: {
    rules: { type: 'string', default: '.' },
    against: { type: 'string' },
    seed: { type: 'string', default: '1' },
    mode: { type: 'string', multiple: true, default: ['advisory', 'gating'] },
  },
})
const rules = await rulesOf(resolve(values.rules))
const against = values.against === undefined ? null : await rulesOf(resolve(values.against))
const rates = recordedRates()
const worlds: readonly (readonly [string, World])[] = [
  [
    `a generated year, seed ${values.seed}, with ${rates.length} recorded rates of flaky tests`,
    generatedYear(Number(values.seed), rates),
  ],
  ["KubeVirt's recorded builds, causes not known", recordedBuilds()],
]
for (const [name, world] of worlds) {
  for (const mode of values.mode as Mode[]) {
    const after = judgedBy(rules, world, mode)
    console.log([`${name}, ${mode}`, ...tableOf(after), ...causesOf(after), reasonsOf(after)].join('\n'))
    if (against !== null) {
      const before = judgedBy(against, world, mode)
      console.log(
        ['by the other rules', ...tableOf(before), ...causesOf(before), ...takenAway(before, after)].join('\n'),
      )
    }
    console.log('')
  }
}
