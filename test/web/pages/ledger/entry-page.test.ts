import { expect, test } from 'vitest'
import type { LedgerEntry } from '../../../../src/judge/ledger/entry.ts'
import { entryIdOf } from '../../../../src/judge/ledger/entry.ts'
import type { EntryTimeline } from '../../../../src/judge/ledger/entry-timeline.ts'
import { entryPage } from '../../../../src/web/pages/ledger/entry.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 0, 1)

const timeline: EntryTimeline = {
  from: START,
  until: START + 30 * DAY,
  days: Array.from({ length: 30 }, (_, index) => ({
    start: START + index * DAY,
    pullRequestHits: 0,
    trunkHits: 0,
    inMassFailures: 0,
  })),
  latest: [],
  source: 'own',
  databaseProblem: null,
  notRead: 0,
  notCompared: 0,
  massFailuresKnown: true,
}

function entryWith(signature: string): LedgerEntry {
  return {
    entryId: entryIdOf('failure', 'a_test', signature, null),
    kind: 'failure',
    state: 'open',
    checkName: 'Tests',
    testName: 'a_test',
    signature,
    firstSeen: START,
    lastSeen: START,
    openedAt: START,
    closedAt: null,
    expiresAt: START + 90 * DAY,
    reopened: 0,
    hits1: 1,
    hits7: 1,
    hits30: 1,
    unrelatedPullRequests: 1,
    trunkHits: 0,
    owner: null,
    issue: null,
  }
}

test.each([
  ['2508-38c6', 'STID'],
  ['Timed out', 'signature'],
  ['Timeout exceeded', 'signature'],
])('%s is named a %s', async (signature, word) => {
  const html = await entryPage({
    address: { owner: 'acme', repo: 'fast.db' },
    repositoryId: 1,
    entry: entryWith(signature),
    byHand: null,
    timeline,
    githubUrl: 'https://github.com',
    publicUrl: 'https://perf.example.org',
    version: '1',
  })
  const said = /<p>(?:<a[^>]*>)?([^<]{0,40})(?:<\/a>)?: <code>/.exec(String(html))
  expect(said?.[1]).toBe(word)
})
