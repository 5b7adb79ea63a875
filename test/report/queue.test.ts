import { expect, test } from 'vitest'
import type { Decision } from '../../src/report/acceptance.ts'
import { inQueueOrder, nextStepOf, numbersOf, type QueueReport, queueOfRepository } from '../../src/report/queue.ts'
import { DAY } from '../../src/text/time.ts'

const NOW = Date.UTC(2026, 10, 23)
const repository = { owner: 'acme', repo: 'fast.db' }

function failure(testName: string, classification: 'unknown' | 'pr-suspect' | 'chronic', checkName = 'Stateless') {
  const counts = { unrelatedPullRequests: 1, trunkHits: 0, runs: 40 }
  return { failure: { testName, checkName, time: NOW - DAY }, classification, ...counts }
}

function window(step: number, changes: Partial<QueueReport['windows'][number]> = {}): QueueReport['windows'][number] {
  return {
    test: 'sum',
    queryIndex: 2,
    queryName: 'SELECT 1',
    architecture: 'arm',
    metric: 'client_time',
    step: {
      step,
      lastGood: { commit: 'a'.repeat(40) },
      firstBad: { commit: 'b'.repeat(40), time: NOW - 2 * DAY },
      recovered: null,
    },
    commits: { total: 2, listed: [{}, {}] },
    functional: [{ sha: 'b'.repeat(40), title: 'Sum in one pass', pullRequestNumber: 41 }],
    ...changes,
  }
}

function report(changes: Partial<QueueReport> = {}): QueueReport {
  return {
    pullRequestNumber: 7,
    head: 'c'.repeat(40),
    judgedAt: NOW - DAY,
    failingTests: null,
    windows: [],
    ...changes,
  }
}

function queueOf(reports: readonly QueueReport[], decisions: readonly Decision[] = []) {
  const times = { from: NOW - 7 * DAY, now: NOW }
  const items = queueOfRepository({
    repository,
    reports,
    expiredEntries: [ENTRY],
    decisionsOf: () => decisions,
    ...times,
  })
  return inQueueOrder(items)
}

const ENTRY = {
  entryId: 'failure||slow|Timeout',
  kind: 'failure',
  state: 'expired',
  testName: 'slow',
  checkName: 'Stateless',
  signature: 'Timeout',
  firstSeen: 0,
  lastSeen: NOW,
  openedAt: 0,
  closedAt: null,
  expiresAt: NOW - 3 * DAY,
  reopened: 0,
  hits1: 0,
  hits7: 5,
  hits30: 9,
  unrelatedPullRequests: 3,
  trunkHits: 1,
  owner: null,
  issue: null,
} as const

const ROW = { key: '["sum"]', name: 'sum #2', test: 'sum', difference: 0.12, failed: false }

function accepted(kind: 'accept' | 'unaccept', until: number | null, saidAt: number): Decision {
  const subject = { head: 'c'.repeat(40), rows: [ROW], suites: [], unknowns: [] }
  return { kind, subject, reason: 'on purpose', until, via: 'command', actor: 'maria', actorId: 1, saidAt }
}

test('what nobody explained stands first, what has expired last', () => {
  const failures = [failure('mine', 'pr-suspect'), failure('odd', 'unknown'), failure('old', 'chronic', 'Fast')]
  const redChecks = [
    { name: 'Stateless', state: 'may-be-yours' },
    { name: 'Fast', state: 'accounted-for' },
    { name: 'Build', state: 'not-known' },
  ] as const
  const all = report({ failingTests: { failures, redChecks: [...redChecks] }, windows: [window(0.2)] })
  const items = queueOf([all], [accepted('accept', NOW - DAY, 1)])
  expect(items.map(({ kind, what }) => `${kind} ${what}`)).toEqual([
    'failing-test odd',
    'red-check Build',
    'failing-test mine',
    'trunk-step sum #2',
    'expired-acceptance sum #2',
    'expired-entry slow',
  ])
  expect(items.map((item) => numbersOf(item).replaceAll('\u00a0', ' '))).toEqual([
    'in Stateless; 1 other pull request, 0 on the trunk, of 40 runs',
    'no failing test of it is known',
    'in Stateless; 1 other pull request, 0 on the trunk, of 40 runs',
    '+20.0 % on arm in aaaaaaaaaa..bbbbbbbbbb: bbbbbbbbbb Sum in one pass',
    'accepted by maria at +12.0 %: on purpose',
    '5 hits in 7 days, 3 pull requests and 1 on the trunk in 30; nobody owns it',
  ])
  expect(new Set(items.map(nextStepOf)).size).toBe(6)
})

test('a step stands once, the largest first; one that is accepted, old, faster or taken back does not', () => {
  const other = (step: number, changes: Partial<QueueReport['windows'][number]>) =>
    window(step, { test: 'x', ...changes })
  const old = { ...window(0.5).step, firstBad: { commit: 'd', time: NOW - 8 * DAY } }
  const windows = [
    window(0.2),
    other(0.3, { commits: null }),
    other(0.4, { queryName: 'SELECT 2', acceptedIn: {} }),
    other(0.5, { queryName: 'SELECT 3', step: old }),
    other(-0.5, { queryName: 'SELECT 4' }),
    other(0.6, { queryName: 'SELECT 5', step: { ...window(0.6).step, recovered: {} } }),
  ]
  const items = queueOf([report({ windows }), report({ pullRequestNumber: 8, windows: [window(0.25)] })])
  expect(items.slice(0, -1)).toMatchObject([
    { kind: 'trunk-step', step: 0.3, commits: null, commit: null },
    { kind: 'trunk-step', step: 0.2, commits: 1, commit: { pullRequestNumber: 41 } },
  ])
})

test('an acceptance has expired while no later word on its row stands', () => {
  const expired = accepted('accept', NOW - DAY, 1)
  const kinds = (...decisions: readonly Decision[]) => queueOf([report()], decisions).map(({ kind }) => kind)
  expect(kinds(expired)).toEqual(['expired-acceptance', 'expired-entry'])
  expect(kinds(expired, accepted('accept', null, 2))).toEqual(['expired-entry'])
  expect(kinds(expired, accepted('unaccept', null, 2))).toEqual(['expired-entry'])
  expect(kinds(accepted('accept', NOW + DAY, 1))).toEqual(['expired-entry'])
})
