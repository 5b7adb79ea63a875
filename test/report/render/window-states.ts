import {
  type BisectWindow,
  bisectWindow,
  type WindowCommit,
  withCommits,
} from '../../../src/judge/bisect/bisect-window.ts'
import type { TrunkPoint, TrunkSeries, TrunkStep } from '../../../src/judge/history/trunk-series.ts'
import { HOSTILE } from './hostile.ts'
import { changed, quiet, report, row, shards } from './report-builder.ts'
import type { State } from './states.ts'

const LAST_GOOD = '5b7f2aa3c4d5e6f708192a3b4c5d6e7f80910213'
const FIRST_BAD = 'e02d9c10a7b4f5e6d7c8b9a0112233445566778a'

function point(commit: string, daysIntoJune: number, value: number): TrunkPoint {
  const time = Date.UTC(2026, 5, daysIntoJune, 10, 30)
  return {
    time,
    commit,
    referenceCommit: LAST_GOOD,
    old: 0.561,
    new: value,
    difference: value / 0.561 - 1,
    threshold: 0.06,
  }
}

const SERIES: TrunkSeries = {
  test: 'insert_codecs',
  queryIndex: 12,
  queryName: 'INSERT INTO t SELECT number FROM numbers(1000000)',
  architecture: 'arm',
  metric: 'client_time',
  source: 'ci-database',
  points: Array.from({ length: 40 }, (_, index) => point(`${index}`, index, 0.561)),
}

const [lastGood, firstBad] = [point(LAST_GOOD, 14, 0.561), point(FIRST_BAD, 16, 0.646)]

const STEP: TrunkStep = {
  lastGood,
  firstBad,
  before: 0.561,
  after: 0.646,
  step: 0.646 / 0.561 - 1,
  earliest: firstBad,
  latest: firstBad,
  seenBy: 'both',
  recovered: null,
}

function shaOf(index: number): string {
  return index.toString(16).padStart(8, '0').repeat(5)
}

export function windowCommit(index: number, more: Partial<WindowCommit> = {}): WindowCommit {
  return {
    sha: shaOf(index),
    title: `Change ${index} (#${100_990 + index})`,
    files: ['docs/en/index.md'],
    pullRequestNumber: 100_990 + index,
    ...more,
  }
}

/** A window over `total` commits, `functional` of which can change the binary. */
export function windowOf(
  total: number,
  functional: number,
  step: Partial<TrunkStep> = {},
  of: Partial<TrunkSeries> = {},
): BisectWindow {
  const listed = Array.from({ length: total }, (_, index) =>
    windowCommit(index + 1, index < functional ? { files: ['src/Core/Sort.cpp'] } : {}),
  )
  return withCommits(bare(step, of), { total, listed })
}

/** The same before anybody asked for commits. */
export function bare(step: Partial<TrunkStep> = {}, of: Partial<TrunkSeries> = {}): BisectWindow {
  return bisectWindow({ ...SERIES, ...of }, { ...STEP, ...step }, 's')
}

/** The window of the thread: one change, and what was not built from it. */
const SEED = withCommits(
  bisectWindow(
    { ...SERIES, test: 'jit_sort', queryIndex: 12 },
    {
      ...STEP,
      lastGood: { ...lastGood, commit: `bd123fed28c5${'0'.repeat(28)}` },
      firstBad: { ...firstBad, commit: `d8dd2c3a1a82${'0'.repeat(28)}` },
      earliest: { ...firstBad, commit: `d8dd2c3a1a82${'0'.repeat(28)}` },
      latest: { ...firstBad, commit: `d8dd2c3a1a82${'0'.repeat(28)}` },
      before: 0.639,
      after: 0.759,
      step: 0.759 / 0.639 - 1,
    },
    's',
  ),
  {
    total: 1,
    listed: [
      windowCommit(1, {
        title: 'perf: fix reserve in SortingTransform MergeSorter (#100963)',
        files: ['src/Processors/Transforms/SortingTransform.cpp'],
        pullRequestNumber: 100_963,
      }),
    ],
  },
)

const blamed = row('insert_codecs', 12, [changed(0.561, 0.65, { architecture: 'arm' })], {
  verdict: 'already-on-trunk',
})

function withWindows(windows: readonly BisectWindow[]): State {
  return { report: report([blamed, ...quiet(40, ['arm'])], { architectures: ['arm'], shards: shards(12), windows }) }
}

const wide = { earliest: point(shaOf(9001), 12, 0.6), latest: point(shaOf(9002), 18, 0.65) }

export const WINDOW_STATES: Readonly<Record<string, State>> = {
  'window-one-functional': withWindows([windowOf(14, 1)]),
  'window-seed-thread': withWindows([SEED]),
  'window-many-functional': withWindows([windowOf(40, 13)]),
  'window-two-functional': withWindows([windowOf(2, 2)]),
  'window-nothing-functional': withWindows([windowOf(6, 0)]),
  'window-commits-unknown': withWindows([bare()]),
  'window-too-many-commits': withWindows([withCommits(bare(), { total: 5000, listed: [] })]),
  'window-no-commits': withWindows([withCommits(bare(), { total: 0, listed: [] })]),
  'window-unsure-place': withWindows([windowOf(14, 3, wide)]),
  'window-fixed': withWindows([windowOf(14, 1, { recovered: point(shaOf(9003), 20, 0.562) })]),
  'window-faster': withWindows([windowOf(3, 1, { before: 0.646, after: 0.561, step: 0.561 / 0.646 - 1 })]),
  'window-too-noisy': withWindows([
    windowOf(8, 4, {}, { points: SERIES.points.map((one) => ({ ...one, threshold: 3 })) }),
  ]),
  'window-several': {
    ...withWindows(
      Array.from({ length: 12 }, (_, index) =>
        windowOf(14, index + 1, { lastGood: point(shaOf(index + 1), 14, 0.561) }, { queryIndex: index }),
      ),
    ),
    hasPages: true,
  },
  'window-of-many-queries': withWindows(
    Array.from({ length: 12 }, (_, index) =>
      windowOf(14, 1, { after: 0.646 + index / 50, step: (0.646 + index / 50) / 0.561 - 1 }, { queryIndex: index }),
    ),
  ),
  'window-hostile': withWindows(
    HOSTILE.slice(0, 5).map((text) =>
      withCommits(
        bisectWindow(
          { ...SERIES, test: text, queryName: text, architecture: text, metric: text },
          {
            ...STEP,
            lastGood: { ...lastGood, commit: text, time: Number.NaN },
            recovered: { ...firstBad, commit: text },
          },
          text,
        ),
        {
          total: 2,
          listed: [windowCommit(1, { title: text, files: [text] }), windowCommit(2, { sha: text, files: null })],
        },
      ),
    ),
  ),
}
