import type { Evidence } from '../../../src/judge/verdict/evidence/evidence.ts'
import { rowAnchor } from '../../../src/report/anchors.ts'
import type { RenderLinks } from '../../../src/report/render/view.ts'
import type { ReportRow, TriageReport } from '../../../src/report/report.ts'
import { changesPicturePath, trunkPicturePath } from '../../../src/report/urls.ts'
import { FAILING_STATES } from './failing-states.ts'
import { HISTORY_STATES } from './history-states.ts'
import { HOSTILE } from './hostile.ts'
import { ONE_SIDED_STATES } from './one-sided-states.ts'
import { PROFILE_STATES } from './profile-states.ts'
import {
  changed,
  HEAD,
  notCompared,
  ownVerdict,
  PREVIOUS_HEAD,
  quiet,
  REFERENCE,
  report,
  result,
  row,
  shard,
  shards,
  unstable,
} from './report-builder.ts'
import { WINDOW_STATES } from './window-states.ts'

/** Pages that exist, for the states that link to them. */
export const PAGES: RenderLinks = {
  reportUrl: 'https://triage.example/r/acme/database/pull/108',
  wordsUrl: 'https://triage.example/words',
  rowUrl: (row) => `https://triage.example/r/acme/database/pull/108/${HEAD}/query/${rowAnchor(row)}`,
  flameGraphUrl: (row) => `https://triage.example/r/acme/database/pull/108/${HEAD}/flame/${rowAnchor(row)}`,
  dashboards: [
    { title: 'Dashboard', url: 'https://triage.example/runs/pr-{pr}-{sha}' },
    { title: 'History', url: 'https://triage.example/history/{test}/{query}' },
  ],
}

/** Every state that the comment has a face for, each with a golden file of its name. */
export interface State {
  readonly report: TriageReport
  readonly previous?: TriageReport
  readonly hasPages?: boolean
  readonly hasPictures?: boolean
  /** Commands are heard. */
  readonly hasCommands?: boolean
}

const FLOOR: Evidence = { kind: 'floor-threshold', threshold: 0.05 }
const ARCHITECTURES = ['amd', 'arm']

const HOW_MEASURED = {
  files: ['.github/workflows/performance.yml', 'ci/a.sh', 'ci/b.sh', 'ci/c.sh', 'ci/d.sh', 'ci/e.sh'],
  more: 3,
  isCut: false,
  version: '4f2c',
}

/** Its sides were measured on two models of CPU. */
const APART: Evidence = {
  kind: 'other-machine',
  architecture: null,
  fields: [{ field: 'cpu', old: ['AMD EPYC 9V74'], new: ['AMD EPYC 7763'] }],
}

const oneRegression = row('join_hash', 3, [changed(0.6391, 0.7588)], { evidence: [FLOOR] })

function manySlower(count: number): ReportRow[] {
  return Array.from({ length: count }, (_, index) => {
    const old = 0.02 + (index % 7) / 100
    return row('aggregate_by_key', index, [changed(old, old * (1 + 2 / (index + 2) + 0.06))], {
      queryName: `SELECT k, sum(v) FROM t WHERE d = ${index} GROUP BY k ORDER BY sum(v) DESC LIMIT 100 SETTINGS max_threads = 8`,
      evidence: [FLOOR],
    })
  })
}

function faster(count: number): ReportRow[] {
  return Array.from({ length: count }, (_, index) =>
    row('string_functions', index, [changed(0.2, 0.2 * (0.9 - index / 50))], {
      queryName: `SELECT countIf(match(URL, 'a${index}')) FROM hits`,
      evidence: [FLOOR],
    }),
  )
}

const hostileRows = HOSTILE.map((text, index) =>
  row(text, index, [changed(0.1, 0.2 - index / 100, { architecture: 'arm | x' })], {
    queryName: text,
    evidence: [FLOOR],
  }),
)

/** Of 74 queries of one machine 3 are slower by more than all of it, and 26 by no more; `again`: in a second run. */
function wholeRunSlower(again: number | null): TriageReport {
  const shift = { architecture: null, shard: null, shift: 0.06, queries: 74 }
  return report(
    [
      ...[0, 1, 2].map((index) => row('quantiles', index, [changed(0.05, 0.07 + index / 1000)], { evidence: [FLOOR] })),
      ...Array.from({ length: 26 }, (_, index) =>
        row('arrays', index, [changed(0.05, 0.0535)], {
          verdict: 'needs-rerun',
          evidence: [{ kind: 'shard-shift', elsewhere: null, ...shift }, FLOOR],
        }),
      ),
      ...quiet(45),
    ],
    {
      shards: shards(1),
      shifts: [{ ...shift, notable: true }],
      wholeRun: [{ ...shift, again, verdict: again === null ? 'needs-rerun' : 'regression' }],
    },
  )
}

/** An entry of the repository's file that ignores a query. */
const IGNORED = { test: 'flaky_*', query: null, reason: 'waits for new disks, see #311', until: '2027-03-01' }
const OWN = { changedThreshold: 0.25, changedThresholdSource: 'entry' } as const

const hostileIgnored = HOSTILE.map((text) => ({ test: text, query: text, reason: text, until: '2027-03-01' }))

const ADDRESS = { owner: 'acme', repo: 'database', number: 108, head: HEAD }

/** Forty runs of the trunk about a value, as `withTrunkLines` adds them. */
function withTrunk(row: ReportRow, value: number): ReportRow {
  const values = Array.from({ length: 40 }, (_, run) => Number((value * (1 + ((run * 7) % 11) / 400)).toPrecision(4)))
  return { ...row, trunkLine: { runs: 40, lowest: Math.min(...values), highest: Math.max(...values), values } }
}

/** What is linked where the repository asks for pictures. */
export const PICTURES: RenderLinks = {
  ...PAGES,
  pictures: {
    changesUrl: (key, theme) => `https://triage.example${changesPicturePath(ADDRESS, key, theme)}`,
    trunkUrl: (row, key, theme) => `https://triage.example${trunkPicturePath(ADDRESS, row, key, theme)}`,
  },
}

export const STATES: Readonly<Record<string, State>> = {
  pictures: {
    report: report([
      withTrunk(oneRegression, 0.63),
      row('sort', 1, [changed(0.0201, 0.0223)], { evidence: [FLOOR] }),
      ...faster(3),
      ...quiet(40),
    ]),
    hasPages: true,
    hasPictures: true,
  },
  'pictures-hostile': {
    report: report([...hostileRows.map((hostile) => withTrunk({ ...hostile, unit: hostile.test }, 0.1)), ...quiet(40)]),
    hasPages: true,
    hasPictures: true,
  },
  ignored: {
    report: report(
      [
        row('join_hash', 3, [changed(0.6391, 0.8588, OWN)]),
        row('flaky_read', 0, [changed(0.282, 0.672)], { verdict: 'ignored', ignored: IGNORED }),
        row('flaky_read', 1, [changed(0.5, 0.4)], { verdict: 'ignored', ignored: IGNORED }),
        row('flaky_write', 0, [unstable(0.5, 0.51)], { verdict: 'ignored', ignored: IGNORED }),
        row('sum', 2, [result(0.5, 0.51)], {
          verdict: 'ignored',
          ignored: { test: 'sum', query: 2, reason: 'measures the allocator', until: '2026-12-31' },
        }),
        row('aggregate', 1, [result(0.1, 0.12, { ...OWN, outcome: 'too-small', threshold: 0.02 })]),
        ...quiet(40),
      ],
      {
        expired: [
          { test: 'join_*', query: null, reason: 'until the upgrade', until: '2026-11-01', rows: 1 },
          { test: 'sort_limit', query: 0, reason: 'new hardware', until: '2026-11-20', rows: 1 },
        ],
        thresholdSources: { floor: 44, configured: 0, test: 0, learned: 0, given: 0, entry: 2 },
      },
    ),
  },

  'ignored-alone': {
    report: report([
      row('flaky_read', 0, [changed(0.282, 0.672)], { verdict: 'ignored', ignored: IGNORED }),
      ...quiet(40),
    ]),
  },

  'ignored-hostile': {
    report: report(
      [
        ...hostileIgnored.map((entry, index) =>
          row(entry.test, index, [changed(0.1, 0.2, { architecture: 'arm | x' })], {
            queryName: entry.test,
            verdict: 'ignored',
            ignored: entry,
          }),
        ),
        ...quiet(3, ['arm | x']),
      ],
      {
        architectures: ['arm | x', 'amd'],
        expired: hostileIgnored.map((entry) => ({ ...entry, rows: 1 })),
      },
    ),
  },

  'one-regression': { report: report([oneRegression, ...quiet(40)], { shards: shards(12) }) },

  'one-regression-with-pages': {
    report: report([oneRegression, ...quiet(40)], { shards: shards(12) }),
    hasPages: true,
  },

  many: {
    report: report([...manySlower(23), ...faster(31), ...quiet(1900)], { shards: shards(12) }),
    hasCommands: true,
  },

  'two-architectures': {
    report: report(
      [
        row(
          'join_hash',
          3,
          [changed(0.502, 0.588, { architecture: 'amd' }), changed(0.639, 0.759, { architecture: 'arm' })],
          { decidedBy: 1, evidence: [{ kind: 'replicated', architectures: ['amd'] }, FLOOR] },
        ),
        row(
          'jit_sort',
          12,
          [result(0.502, 0.509, { architecture: 'amd' }), changed(0.639, 0.759, { architecture: 'arm' })],
          {
            decidedBy: 1,
            queryName:
              'SELECT WatchID FROM hits_100m_single ORDER BY WatchID ASC, CounterID DESC, ClientIP ASC LIMIT 2000000',
            evidence: [{ kind: 'one-architecture', architecture: 'arm', others: ['amd'] }, FLOOR],
          },
        ),
        row(
          'memcpy_long',
          0,
          [changed(0.0213, 0.0179, { architecture: 'amd' }), changed(0.0188, 0.0221, { architecture: 'arm' })],
          {
            decidedBy: 1,
            queryName: 'SELECT ignore(reinterpretAsString(number)) FROM numbers(10000000)',
            evidence: [FLOOR],
          },
        ),
        ...quiet(2031, ARCHITECTURES),
      ],
      {
        architectures: ARCHITECTURES,
        shards: [...shards(6, 6, { architecture: 'amd' }), ...shards(6, 6, { architecture: 'arm' })],
      },
    ),
  },

  'three-architectures': {
    report: report(
      [
        row(
          'join_hash',
          3,
          [
            result(0.502, 0.509, { architecture: 'amd' }),
            changed(0.639, 0.759, { architecture: 'arm' }),
            changed(1.12, 1.31, { architecture: 's390x' }),
          ],
          { decidedBy: 1, evidence: [{ kind: 'replicated', architectures: ['s390x'] }, FLOOR] },
        ),
        row(
          'json_extract',
          1,
          [
            changed(0.0802, 0.0961, { architecture: 'amd' }),
            notCompared('failed', { architecture: 'arm', statusReason: 'run-error' }),
          ],
          { evidence: [FLOOR] },
        ),
      ],
      { architectures: ['amd', 'arm', 's390x'], shards: shards(3) },
    ),
  },

  'needs-rerun-two-modes': {
    report: report(
      [
        row('order_by_read', 1, [changed(0.0132, 0.0178, { separated: false, threshold: 0.31, pValue: 0.0087 })], {
          queryName: 'SELECT * FROM visits ORDER BY StartDate LIMIT 100',
          verdict: 'needs-rerun',
          evidence: [
            {
              kind: 'bimodal',
              architecture: null,
              side: 'both',
              modes: [
                { median: 0.0131, samples: 9 },
                { median: 0.0179, samples: 5 },
              ],
            },
            FLOOR,
          ],
        }),
        ...quiet(67),
      ],
      {
        shards: [shard(1, 1, { check: 'Performance', url: 'https://github.com/acme/database/actions/runs/77/job/88' })],
      },
    ),
  },

  'shard-shift': {
    report: report(
      [
        ...[0, 1, 2].map((index) =>
          row('arrays', index, [changed(0.05, 0.0535, { architecture: 'arm', separated: false, threshold: 0.066 })], {
            queryName: `SELECT arraySum(range(${index}00)) FROM numbers(1000000)`,
            verdict: 'likely-noise',
            evidence: [
              { kind: 'shard-shift', architecture: 'arm', shard: 3, shift: 0.041, elsewhere: 0.002, queries: 212 },
              FLOOR,
            ],
          }),
        ),
        ...quiet(600, ['arm']),
      ],
      {
        architectures: ['arm'],
        shards: shards(6, 6, { architecture: 'arm' }),
        shifts: [{ architecture: 'arm', shard: 3, queries: 212, shift: 0.041, notable: true }],
      },
    ),
  },

  'whole-run-slower': { report: wholeRunSlower(null) },
  'whole-run-slower-again': { report: wholeRunSlower(0.055) },

  'faster-by-chance': {
    report: report([
      row('arrays', 0, [changed(0.05, 0.046, { separated: false, threshold: 0.066, rankPValue: 0.011 })], {
        verdict: 'likely-noise',
        evidence: [FLOOR],
      }),
      ...[0, 1, 2].map((index) => row('json', index, [unstable(0.02, 0.0206)])),
      ...quiet(27),
    ]),
  },

  'one-process': {
    report: report([
      row(
        'sort',
        1,
        [
          changed(0.31, 0.34, {
            old: { median: 0.31, repetitions: 10, processes: 1 },
            new: { median: 0.34, repetitions: 10, processes: 1 },
            notes: ['one-process'],
          }),
        ],
        {
          verdict: 'needs-rerun',
          evidence: [
            { kind: 'one-process', architecture: null, old: 1, new: 1, bound: 0.15, agreeing: 1, runs: 0 },
            FLOOR,
          ],
        },
      ),
      ...quiet(12),
    ]),
  },

  'host-moved': {
    report: report([
      ...[96, 97].map((index) =>
        row('sort', index, [changed(0.31, 0.39)], {
          verdict: 'needs-rerun',
          evidence: [
            {
              kind: 'host-spell',
              architecture: null,
              edge: index === 96 ? 'before' : null,
              effect: 0.25,
              first: { test: 'sort', queryIndex: 96, queryName: null },
              last: { test: 'sort', queryIndex: 99, queryName: null },
              rows: 4,
            },
            { kind: 'moved-meanwhile', architecture: null, changed: 9, compared: 40 },
            FLOOR,
          ],
        }),
      ),
      ...quiet(12),
    ]),
  },

  'too-few-repetitions': {
    report: report(
      [
        row(
          'uniq_exact',
          4,
          [
            changed(0.31, 0.42, {
              old: { median: 0.31, repetitions: 3 },
              new: { median: 0.42, repetitions: 3 },
              pValue: 0.2,
              notes: ['too-few-repetitions'],
            }),
          ],
          {
            verdict: 'needs-rerun',
            evidence: [{ kind: 'too-few-repetitions', architecture: null, old: 3, new: 3, needed: 5 }, FLOOR],
          },
        ),
        ...quiet(12),
      ],
      { smallestPValue: 0.2 },
    ),
  },

  // Nearly all of one suite, three of a large one, and two of another, which is nothing to speak of.
  'ten-suites': {
    report: report(
      Array.from({ length: 10 }, (_, suite) => suite).flatMap((suite) =>
        Array.from({ length: suite === 1 ? 30 : 6 }, (_, query) => {
          const isSlower = query < ([5, 3, 2][suite] ?? 0)
          const measured = isSlower ? changed(0.1, 0.12 + query / 50) : result(0.1, 0.1)
          return row(`suite_${suite}`, query, [measured])
        }),
      ),
    ),
  },

  'other-judges-red': {
    report: report(quiet(68), {
      shards: [
        shard(1, 2, {
          conclusion: 'failure',
          said: '3 too long, 2 slower; 1 confirmed regression(s) on the performance dashboard',
        }),
        shard(2, 2, { said: '1 faster, 2 slower' }),
      ],
    }),
  },

  'other-judges-green': {
    report: report([row('hash', 0, [changed(0.1, 0.14)]), ...quiet(67)], {
      shards: shards(2, 2, { said: '1 slower, 4 unstable' }),
    }),
  },

  // The run's own report calls a row slower that is likely noise here, and none of those open here; the dashboard another one.
  'other-judges-own': {
    report: report([row('hash', 0, [changed(0.1, 0.14)]), ...quiet(66), row('sum', 8, [unstable(0.1, 0.11)])], {
      shards: [shard(1, 2, { conclusion: 'failure', said: '1 slower; 1 confirmed regression(s)' }), shard(2, 2)],
      ownVerdicts: [
        {
          ...ownVerdict('failure', [{ test: 'sum', queryIndex: 8, flag: 'slower' }]),
          message: '1 too long, 1 slower',
          thresholds: 'bare',
          dashboard: [{ test: 'lazy_final', queryIndex: 0 }],
        },
        ownVerdict('success', []),
      ],
    }),
  },

  'failed-in-part': {
    report: report([
      ...quiet(3),
      row('sort', 9, [unstable(0.02, 0.021, { partlyFailedIn: 'new', notes: ['run-errors'] })]),
    ]),
  },

  'only-faster': { report: report([...quiet(40), ...faster(3)]) },

  'all-noise': {
    report: report(
      [0.14, 0.31, 0.4, 0.4, null, 0.02].map((slowdown, index) => {
        const ruledOut = slowdown === 0.02 ? 0.1 : null
        const repetitions = [9, 31, 117, 141, null, 21][index]!
        return row('sort', index, [unstable(0.02, 0.021, { couldHide: { slowdown, ruledOut, repetitions } })])
      }),
      { degradations: [] },
    ),
  },

  'may-be-slower': {
    report: report(
      [
        row(
          'join_hash',
          1,
          [result(0.02, 0.0212, { outcome: 'not-significant', leans: { reason: 'one-repetition-overlaps' } })],
          { verdict: 'needs-rerun', evidence: [FLOOR] },
        ),
        row(
          'join_hash',
          2,
          [unstable(0.02, 0.0242, { leans: { reason: 'leans-slower', difference: 0.19, pValue: 0.0012 } })],
          { verdict: 'needs-rerun', evidence: [FLOOR] },
        ),
        ...quiet(30),
      ],
      { degradations: [] },
    ),
  },

  nothing: { report: report(quiet(2034), { shards: shards(12), degradations: [] }) },

  'partial-shards': {
    report: report([oneRegression, ...quiet(670)], { shards: shards(12, 4) }),
  },

  'partial-nothing-yet': { report: report(quiet(670), { shards: shards(12, 4) }) },

  'no-shard-yet': { report: report([], { shards: shards(12, 0), references: [], architectures: [] }) },

  'measurement-changed': {
    report: report([oneRegression, ...quiet(30)], { howMeasured: HOW_MEASURED }),
  },

  'measurement-changed-gating': {
    report: report([oneRegression, ...quiet(30)], { howMeasured: HOW_MEASURED, mode: 'gating' }),
    hasCommands: true,
  },

  'measurement-accepted': {
    report: report(quiet(30), {
      howMeasured: { ...HOW_MEASURED, files: ['.github/workflows/performance.yml'], more: 0 },
      mode: 'gating',
      acceptedMeasurement: {
        reason: 'the new runner',
        until: null,
        via: 'command',
        actor: 'maria',
        actorId: 1,
        saidAt: Date.parse('2026-11-20T10:00:00Z'),
      },
    }),
  },

  'measurement-hostile': {
    report: report(quiet(3), {
      howMeasured: { files: HOSTILE.slice(0, 10), more: 9000, isCut: false, version: '1' },
      shards: HOSTILE.slice(0, 7).map((check, index) =>
        shard(index + 1, 7, { check, origin: { kind: 'other-workflow', workflow: HOSTILE[index + 1] ?? null } }),
      ),
      mode: 'gating',
    }),
    hasCommands: true,
  },

  'other-workflow': {
    report: report([oneRegression, ...quiet(30)], {
      shards: [
        shard(1, 2),
        shard(2, 2, { origin: { kind: 'other-workflow', workflow: '.github/workflows/other.yml' } }),
      ],
      mode: 'gating',
    }),
    hasCommands: true,
  },

  'no-trunk-run': {
    report: report(quiet(30), {
      shards: [1, 2, 3, 4, 5, 6, 7].map((number) =>
        shard(number, 7, { origin: { kind: 'unknown', workflow: '.github/workflows/performance.yml' } }),
      ),
      mode: 'gating',
    }),
  },

  'shard-failed': {
    report: report(
      [
        oneRegression,
        ...quiet(30),
        row('json_extract', 7, [notCompared('only-new')]),
        row('json_extract', 8, [notCompared('only-new', { statusReason: 'partial' })]),
        row('window_frames', 2, [notCompared('failed', { statusReason: 'run-error' })]),
      ],
      {
        shards: [
          shard(1, 3),
          shard(2, 3, { state: 'failed', problem: 'no-results', conclusion: 'failure' }),
          shard(3, 3, { state: 'failed', problem: 'expired' }),
        ],
      },
    ),
  },

  'given-up-shards': {
    report: report([oneRegression, ...quiet(30)], {
      shards: [
        shard(1, 3),
        shard(2, 3, { state: 'pending', conclusion: null }),
        shard(3, 3, { state: 'missing', conclusion: null, url: null }),
      ],
      complete: true,
    }),
  },

  'all-shards-failed': {
    report: report([], {
      shards: [
        shard(1, 2, { state: 'failed', problem: 'no-results', conclusion: 'timed_out' }),
        shard(2, 2, { state: 'failed', problem: 'too-large' }),
      ],
      references: [],
    }),
  },

  degraded: {
    report: report([oneRegression, ...quiet(67)], {
      degradations: ['history-not-available', 'config-invalid'],
      warnings: [
        { code: 'truncated-line', where: 'sum-raw.tsv:1201', message: 'the file ends in the middle of a line' },
        { code: 'duplicate-sample', where: 'join-raw.tsv:17', message: 'repetition 3 of the old side' },
      ],
    }),
  },

  'hostile-names': {
    report: report([...hostileRows, row('@all #1', null, [notCompared('failed', { statusReason: 'run-error' })])], {
      architectures: ['arm | x'],
      shards: [
        shard(1, 2, { check: HOSTILE[0]!, url: 'https://github.com/acme/database/runs/1)|[x](y' }),
        shard(2, 2, {
          check: HOSTILE[4]!,
          url: 'javascript:alert(1)',
          state: 'failed',
          problem: 'unreadable',
          refusal: HOSTILE.join(' '),
          conclusion: '@all',
        }),
      ],
      references: [{ commit: '@octocat <b> | `', architectures: ['arm | x'], commitsBeforeMergeBase: null }],
      warnings: HOSTILE.map((text) => ({ code: 'malformed-line' as const, where: text, message: text })),
      sinceLastPush: { head: 'deadbeef|', new: 9, resolved: HOSTILE.slice(0, 2), unchanged: 0 },
      ownVerdicts: [{ ...ownVerdict('failure', []), flagged: null, message: HOSTILE.join(' ') }],
    }),
  },

  'budget-3000-slower': { report: report(manySlower(3000), { shards: shards(12) }) },

  'budget-3000-slower-with-pages': { report: report(manySlower(3000), { shards: shards(12) }), hasPages: true },

  'since-last-push': {
    report: report(
      [
        row('insert_codecs', 12, [changed(0.561, 0.65)], { sinceLastPush: 'new', evidence: [FLOOR] }),
        { ...oneRegression, sinceLastPush: 'unchanged' as const },
        ...quiet(40),
      ],
      {
        sinceLastPush: { head: PREVIOUS_HEAD, new: 1, resolved: ['order_by_read #1', 'uniq_exact #4'], unchanged: 1 },
      },
    ),
  },

  'pending-new-head': {
    report: report([], { shards: shards(12, 0), references: [], architectures: [] }),
    previous: report([oneRegression, ...quiet(40)], { head: PREVIOUS_HEAD, shards: shards(12) }),
  },

  'stale-reference': {
    report: report(
      [
        row('join_hash', 3, [changed(0.6391, 0.7588)], {
          evidence: [{ kind: 'stale-reference', commit: REFERENCE, commitsBeforeMergeBase: 14 }, FLOOR],
        }),
        ...quiet(40),
      ],
      {
        mergeBase: HEAD.replace('9c', 'ab'),
        references: [{ commit: REFERENCE, architectures: [null], commitsBeforeMergeBase: 14 }],
      },
    ),
  },

  'not-measured-alike': {
    report: report(
      [
        row('join_hash', 3, [changed(0.6391, 0.7588)], { verdict: 'needs-rerun', evidence: [APART] }),
        row('sort_limit', 4, [changed(0.2, 0.12)], { verdict: 'likely-noise', evidence: [APART] }),
        ...quiet(40),
      ],
      {
        environments: [
          {
            check: 'perf',
            architecture: null,
            old: { cpu: ['AMD EPYC 9V74'], cpus: ['4'], runtime: ['JDK 21.0.1'], host: ['runner-1'] },
            new: { cpu: ['AMD EPYC 7763'], cpus: ['4'], runtime: ['JDK 21.0.2'], host: ['runner-2'] },
            differing: ['cpu', 'runtime', 'host'],
          },
        ],
      },
    ),
  },

  'two-references': {
    report: report(
      [
        row('join_hash', 3, [changed(0.6391, 0.7588, { architecture: 'arm' })], {
          evidence: [{ kind: 'stale-reference', commit: REFERENCE, commitsBeforeMergeBase: 2 }, FLOOR],
        }),
        ...quiet(40, ARCHITECTURES),
      ],
      {
        architectures: ARCHITECTURES,
        references: [
          { commit: HEAD.replace('9c', 'ab'), architectures: ['amd'], commitsBeforeMergeBase: 0 },
          { commit: REFERENCE, architectures: ['arm'], commitsBeforeMergeBase: 2 },
        ],
      },
    ),
  },

  guarded: {
    report: report(
      [
        row('array_join', 5, [unstable(0.00104, 0.0242, { threshold: 24.1, pValue: 0.09 })], {
          guarded: true,
          verdict: 'needs-rerun',
          queryName: 'SELECT count() FROM (SELECT arrayJoin(arr) FROM events) WHERE NOT ignore(*)',
          evidence: [FLOOR],
        }),
        row('group_by_card', 0, [changed(0.0213, 0.495)], { guarded: true, evidence: [FLOOR] }),
        ...quiet(20),
        row('sort_limit', 90, [unstable(0.2, 0.23)]),
        row('sort_limit', 91, [unstable(0.2, 0.21, { threshold: 0.34 })]),
        row('sort_limit', 92, [result(0.2, 0.207, { outcome: 'too-small', pValue: 0.01, threshold: 0.02 })]),
      ],
      { thresholdSources: { floor: 20, configured: 3, test: 2, learned: 0, given: 0 } },
    ),
  },

  ...FAILING_STATES,
  ...HISTORY_STATES,
  ...ONE_SIDED_STATES,
  ...WINDOW_STATES,
  ...PROFILE_STATES,
}
