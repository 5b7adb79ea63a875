import { describe, expect, test } from 'vitest'
import {
  hasWaitedLongEnough,
  LOOK_AGAIN_MS,
  LOOK_RARELY_MS,
  lastTimeOf,
  lookAgainAt,
  PATIENCE_MS,
} from '../../../src/bot/triage/look-again.ts'
import type { PerformanceCheck } from '../../../src/bot/triage/performance-checks.ts'
import type { TriageReport } from '../../../src/report/report.ts'
import { failingTests } from '../../report/render/failing-tests-builder.ts'
import { report, shard } from '../../report/render/report-builder.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const SECOND = 1000

const check = (secondsAgo: number, more: Partial<PerformanceCheck> = {}): PerformanceCheck => ({
  check: 'perf',
  architecture: null,
  shard: null,
  shards: null,
  state: 'finished',
  conclusion: 'success',
  url: null,
  startedAt: null,
  finishedAt: new Date(NOW - secondsAgo * SECOND).toISOString(),
  attempt: 1,
  workflowRun: null,
  artifacts: [],
  isAmbiguous: false,
  ...more,
})

const history = (problem: NonNullable<TriageReport['history']>['problem']) =>
  ({ history: { problem } }) as Partial<TriageReport>

/** How long until the next look, in milliseconds. */
function inMs(more: Partial<TriageReport>, { checks = [check(60)], gaveUp = false } = {}): number | null {
  const at = lookAgainAt(report([], { shards: [shard(1, 1)], ...more }), checks, gaveUp, NOW)
  return at === null ? null : at - NOW
}

describe('the next look without an event', () => {
  test('is none where everything is there', () => {
    expect(inMs({})).toBeNull()
    expect(inMs({ failingTests: failingTests([]) })).toBeNull()
  })

  test('comes where something may still come, and not without checks or after the bot gave up', () => {
    const incomplete = { complete: false }
    expect(inMs(incomplete)).toBe(LOOK_AGAIN_MS)
    expect(inMs(incomplete, { checks: [] })).toBeNull()
    expect(inMs(incomplete, { gaveUp: true })).toBeNull()
  })

  test('comes for a shard of which a source is not there yet, whatever another one gave', () => {
    expect(inMs({ shards: [shard(1, 1, { state: 'failed', problem: 'empty', awaited: true })] })).toBe(LOOK_AGAIN_MS)
  })

  test.each([
    ['no-results', LOOK_AGAIN_MS],
    ['empty', null],
  ] as const)('a shard with the problem %s: %s', (problem, expected) => {
    expect(inMs({ shards: [shard(1, 1, { state: 'failed', problem })], complete: true })).toBe(expected)
  })

  test.each([
    [0, 30 * SECOND],
    [60, 30 * SECOND],
    [200, 100 * SECOND],
    [3600, LOOK_AGAIN_MS],
  ])('a download that failed %d s after the results is tried again in %d ms', (ago, expected) => {
    const failed = { shards: [shard(1, 1, { state: 'failed', problem: 'download-failed' })], complete: true }
    expect(inMs(failed, { checks: [check(ago)] })).toBe(expected)
  })

  test('comes in ten minutes while a red check is not in the CI results, or these could not be asked', () => {
    expect(inMs({ failingTests: failingTests([], {}, ['Stress test']) })).toBe(LOOK_AGAIN_MS)
    const down = failingTests([], { problem: 'unreachable' })
    expect(inMs({ failingTests: down })).toBe(LOOK_AGAIN_MS)
    // Nothing else is waited for.
    expect(inMs({ failingTests: down }, { gaveUp: true })).toBe(LOOK_RARELY_MS)
    expect(inMs({ failingTests: down }, { checks: [] })).toBe(LOOK_RARELY_MS)
    expect(inMs({ failingTests: failingTests([], {}, ['Stress test']) }, { gaveUp: true })).toBeNull()
    // What may be the pull request's is known.
    const known = failingTests([], {}, ['Stress test'])
    const redChecks = known.redChecks.map((one) => ({ ...one, state: 'may-be-yours' as const }))
    expect(inMs({ failingTests: { ...known, redChecks } })).toBeNull()
  })

  test('comes while the history is copied, and rarely once the bot gave up', () => {
    expect(inMs(history('copying'))).toBe(LOOK_AGAIN_MS)
    expect(inMs(history('copying'), { gaveUp: true })).toBe(LOOK_RARELY_MS)
  })

  test.each(['unreachable', 'too-slow', 'unexpected-answer'] as const)(
    'comes rarely while the history is %s',
    (problem) => {
      expect(inMs(history(problem))).toBe(LOOK_RARELY_MS)
      expect(inMs(history(problem), { gaveUp: true })).toBeNull()
    },
  )

  test.each(['access-denied', 'missing-table'] as const)(
    'is none where the history will not be read then: %s',
    (problem) => {
      expect(inMs(history(problem))).toBeNull()
    },
  )
})

test('checks are waited for six hours after the last of them began or ended', () => {
  const ended = check(PATIENCE_MS / SECOND)
  expect(hasWaitedLongEnough([ended], NOW)).toBe(false)
  expect(hasWaitedLongEnough([ended], NOW + 1)).toBe(true)
  const began = check(0, { state: 'pending', finishedAt: null, startedAt: new Date(NOW).toISOString() })
  expect(hasWaitedLongEnough([ended, began], NOW + 1)).toBe(false)
  expect(lastTimeOf([ended, began])).toBe(NOW)
  expect(hasWaitedLongEnough([check(0, { finishedAt: null })], NOW)).toBe(false)
})
