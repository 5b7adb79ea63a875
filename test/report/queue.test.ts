import { expect, test } from 'vitest'
import { queryKey } from '../../src/intake/measurement/run.ts'
import type { Classification } from '../../src/judge/ledger/failure.ts'
import type { Decision } from '../../src/report/acceptance.ts'
import { digestOf, itemKey, newsSince } from '../../src/report/digest.ts'
import { queueColumns } from '../../src/report/queue/columns.ts'
import { MARKDOWN, moreLines, queueLine } from '../../src/report/queue/lines.ts'
import {
  inQueueOrder,
  isMarked,
  isUnowned,
  kindWords,
  nextStepOf,
  numbersOf,
  othersOfCommit,
  type QueueReport,
  type QueueStep,
  queueOfRepository,
  queueReportSchema,
} from '../../src/report/queue/queue.ts'
import { SLACK, slackDigest } from '../../src/report/render/slack.ts'
import type { StepMark } from '../../src/report/step/marks.ts'
import { DAY } from '../../src/text/time.ts'

const NOW = Date.UTC(2026, 10, 23)
const repository = { owner: 'acme', repo: 'fast.db' }

function failure(testName: string, classification: Classification, checkName = 'Stateless') {
  const counts = { unrelatedPullRequests: 1, trunkHits: 0, runs: 40 }
  return { failure: { testName, checkName, time: NOW - DAY }, classification, ...counts }
}

function step(size: number, changes: Partial<QueueStep> = {}): QueueStep {
  return {
    test: 'sum',
    queryIndex: 2,
    queryName: 'SELECT 1',
    architecture: 'arm',
    metric: 'client_time',
    foundAt: NOW - DAY,
    threshold: 0.03,
    step: size,
    lastGood: { commit: 'a'.repeat(40), time: NOW - 3 * DAY },
    firstBad: { commit: 'b'.repeat(40), time: NOW - 2 * DAY },
    earliest: NOW - 3 * DAY,
    latest: NOW - 2 * DAY,
    window: {
      candidates: 1,
      commit: { sha: 'b'.repeat(40), title: 'Sum in one pass', pullRequestNumber: 41, author: 'ada' },
      pullRequests: [40, 41],
    },
    ...changes,
  }
}

function report(changes: Partial<QueueReport> = {}): QueueReport {
  return {
    pullRequestNumber: 7,
    title: null,
    author: null,
    head: 'c'.repeat(40),
    judgedAt: NOW - DAY,
    failingTests: null,
    ...changes,
  }
}

function queueOf(
  reports: readonly QueueReport[],
  decisions: readonly Decision[] = [],
  steps: readonly QueueStep[] = [],
  marks: readonly StepMark[] = [],
) {
  const times = { from: NOW - 7 * DAY, now: NOW }
  const items = queueOfRepository({
    repository,
    reports,
    steps,
    marks,
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

function accepted(kind: 'accept' | 'unaccept', until: number | null, saidAt: number, row = ROW): Decision {
  const subject = { head: 'c'.repeat(40), rows: [row], suites: [], unknowns: [] }
  return { kind, subject, reason: 'on purpose', until, via: 'command', actor: 'maria', actorId: 1, saidAt }
}

test('what nobody explained stands first, what has expired last', () => {
  const failures = [failure('mine', 'pr-suspect'), failure('odd', 'unknown'), failure('old', 'chronic', 'Fast')]
  const redChecks = [
    { name: 'Stateless', state: 'may-be-yours' },
    { name: 'Fast', state: 'accounted-for' },
    { name: 'Build', state: 'not-known' },
  ] as const
  const all = report({ failingTests: { failures, redChecks: [...redChecks] } })
  const items = queueOf([all], [accepted('accept', NOW - DAY, 1)], [step(0.2)])
  expect(items.map(({ kind, what }) => `${kind} ${what}`)).toEqual([
    'failing-test odd',
    'red-check Build',
    'failing-test mine',
    'trunk-step sum #2',
    'expired-acceptance sum #2',
    'expired-entry slow',
  ])
  expect(items.map((item) => numbersOf(item).replaceAll('\u00a0', ' '))).toEqual([
    'in Stateless; 1 other pull request, 0 on the main branch, of 40 runs',
    'none of its failing tests are known',
    'in Stateless; 1 other pull request, 0 on the main branch, of 40 runs',
    '+20.0% on arm in aaaaaaaaaa..bbbbbbbbbb: bbbbbbbbbb Sum in one pass by ada',
    'accepted by maria at +12.0%: on purpose',
    '5 hits in 7 days, 3 pull requests and 1 on the main branch in 30; nobody owns it',
  ])
  expect(new Set(items.map((item) => nextStepOf(item))).size).toBe(6)
})

test('steps stand by their size; one that is old, or accepted in a pull request of its window, does not', () => {
  const steps = [
    step(0.2),
    step(0.3, { test: 'x', window: null }),
    step(0.5, { test: 'y', firstBad: { commit: 'd', time: NOW - 8 * DAY } }),
  ]
  expect(queueOf([], [], steps).slice(0, -1)).toMatchObject([
    { kind: 'trunk-step', step: 0.3, commits: null, commit: null },
    {
      kind: 'trunk-step',
      step: 0.2,
      path: expect.stringMatching(/\?architecture=arm$/),
      commits: 1,
      commit: { pullRequestNumber: 41, author: 'ada' },
    },
  ])
  const key = JSON.stringify([queryKey(step(0.2)), 'client_time'])
  const said = accepted('accept', null, 1, { ...ROW, key })
  expect(queueOf([], [said], steps).map(({ what }) => what)).toEqual(['x #2', 'slow'])
})

test('an acceptance has expired while no later word on its row stands', () => {
  const expired = accepted('accept', NOW - DAY, 1)
  const kinds = (...decisions: readonly Decision[]) => queueOf([report()], decisions).map(({ kind }) => kind)
  expect(kinds(expired)).toEqual(['expired-acceptance', 'expired-entry'])
  expect(kinds(expired, accepted('accept', null, 2))).toEqual(['expired-entry'])
  expect(kinds(expired, accepted('unaccept', null, 2))).toEqual(['expired-entry'])
  expect(kinds(accepted('accept', NOW + DAY, 1))).toEqual(['expired-entry'])
})

test('a marked step waits for nobody until it grows by more than its threshold; the last mark counts', () => {
  const mark = (state: StepMark['state'], size: number, changes: Partial<StepMark> = {}): StepMark => {
    const { window: _, foundAt: __, ...marked } = step(size)
    const by = { assignee: null, reason: 'the new hash', actor: 'maria', actorId: 1, markedAt: NOW }
    return { step: marked, state, ...by, ...changes }
  }
  const marked = (size: number, marks: readonly StepMark[], changes: Partial<QueueStep> = {}) => {
    const [item] = queueOf([], [], [step(size, changes)], marks)
    return [isMarked(item!), kindWords(item!), nextStepOf(item!)]
  }
  const stateOf = (marks: readonly StepMark[]) =>
    queueColumns('').find(({ key }) => key === 'state')!.value!(queueOf([], [], [step(0.12)], marks)[0]!)
  expect(marked(0.14, [mark('known', 0.12)])).toEqual([true, 'step on the main branch, known', 'Nothing: it is known.'])
  expect(marked(0.16, [mark('known', 0.12)])).toEqual([
    false,
    'step on the main branch',
    'Look at it again: it has grown since it was marked.',
  ])
  expect(marked(0.16, [mark('known', 0.12), mark('assigned', 0.16, { assignee: 'ada' })])[1]).toBe(
    'step on the main branch, assigned',
  )
  expect(marked(0.12, [mark('known', 0.12), mark('open', 0.12)])[0]).toBe(false)
  expect([[], [mark('known', 0.12)], [mark('assigned', 0.12)]].map(stateOf)).toEqual(['open', 'known', 'assigned'])
  // Later runs move the first bad commit within the interval; another architecture is another step.
  const later = { commit: 'e'.repeat(40), time: NOW - 2.5 * DAY }
  expect(marked(0.12, [mark('known', 0.12)], { firstBad: later })[0]).toBe(true)
  expect(marked(0.12, [mark('known', 0.12)], { architecture: 'amd' })[0]).toBe(false)
  const [item] = queueOf([], [], [step(0.12)], [mark('assigned', 0.12, { assignee: 'ada' })])
  expect(numbersOf(item!).replaceAll('\u00a0', ' ')).toContain('; assigned to ada by maria at +12.0%: the new hash')
})

test('the other steps of a commit are those that begin at it, or whose window leaves it alone', () => {
  const [own, amd, join] = [step(0.12), step(0.1, { architecture: 'amd' }), step(0.2, { test: 'join' })]
  const later = { firstBad: { commit: 'e'.repeat(40), time: NOW - DAY } }
  const oneCommit = step(0.3, { ...later, test: 'hash' })
  const unknown = step(0.3, { ...later, test: 'scan', window: null })
  const others = (all: readonly QueueStep[], of = own) =>
    othersOfCommit(of, all).map(({ test: name, architecture }) => `${name} ${architecture}`)
  expect(others([own, amd, join, oneCommit, unknown])).toEqual(['sum amd', 'join arm', 'hash arm'])
  // A step that is not kept any more leads to its first bad commit alone.
  expect(others([amd, oneCommit, unknown])).toEqual(['sum amd'])
  expect(others([step(0.12, { window: null }), unknown])).toEqual([])
})

test('a report with a failing test that a person ignores is read, and the others of it wait', () => {
  const failures = [failure('01234_a', 'ignored'), failure('01235_b', 'unknown')]
  const read = queueReportSchema.parse(report({ failingTests: { failures, redChecks: [] } }))
  const tests = queueOf([read]).filter(({ kind }) => kind === 'failing-test')
  expect(tests.map(({ what }) => what)).toEqual(['01235_b'])
})

test('a digest has what began to wait in its period; news are items that the one before did not have', () => {
  const items = queueOf([], [], [step(0.2), step(0.3, { test: 'x', foundAt: NOW - 3 * DAY })])
  const names = (period: 'day' | 'week') => digestOf(period, items, NOW).fresh.map(({ what }) => what)
  expect([names('day'), names('week')]).toEqual([['sum #2'], ['x #2', 'sum #2', 'slow']])
  expect(digestOf('day', items, NOW).waiting).toEqual([
    { repository: 'acme/fast.db', total: 3, kinds: { 'trunk-step': 2, 'expired-entry': 1 } },
  ])
  const before = items.map(itemKey)
  expect(newsSince(items, before)).toBeNull()
  expect(newsSince(items.slice(1), before)).toBeNull()
  expect(newsSince(queueOf([], [], [step(0.21)]), before)).toBeNull()
  expect(newsSince(items, before.slice(1))).toEqual([items[0]])
  expect(newsSince([], before)).toEqual([])
  expect(newsSince([], [])).toBeNull()
})

test('what nobody has marked, owns or accepted is unowned', () => {
  const failures = [failure('mine', 'pr-suspect')]
  const redChecks = [{ name: 'Build', state: 'not-known' }] as const
  const all = report({ failingTests: { failures, redChecks: [...redChecks] } })
  const { window: _, foundAt: __, ...marked } = step(0.3, { test: 'x' })
  const by = { assignee: 'ada', reason: '', actor: 'maria', actorId: 1, markedAt: NOW }
  const items = queueOf(
    [all],
    [accepted('accept', NOW - DAY, 1)],
    [step(0.2), step(0.3, { test: 'x' })],
    [{ step: marked, state: 'assigned', ...by }],
  )
  expect(items.filter(isUnowned).map(({ kind, what }) => `${kind} ${what}`)).toEqual([
    'red-check Build',
    'failing-test mine',
    'trunk-step sum #2',
    'expired-entry slow',
  ])
  const entry = items.find(({ kind }) => kind === 'expired-entry')!
  expect(isUnowned({ ...entry, owner: 'storage' } as typeof entry)).toBe(false)
})

test('a line to paste links the name, and what comes from outside pings nobody', () => {
  const by = { sha: 'b'.repeat(40), title: 'Sum', pullRequestNumber: 41, author: '@here `x` <!channel>' }
  const window = { candidates: 1, commit: by, pullRequests: [41] }
  const what = '`@here` <!channel> [a](https://evil.example)'
  const [named] = queueOf([report({ failingTests: { failures: [failure(what, 'unknown')], redChecks: [] } })])
  const [found] = queueOf([], [], [step(0.2, { window })])
  expect(queueLine(found!, null, MARKDOWN)).toBe(
    '- step on the main branch `sum #2` in `acme/fast.db`: Ask ``@here `x` <!channel>``, then revert or accept it.',
  )
  expect(queueLine(named!, 'https://perf.example.org', MARKDOWN)).toBe(
    `- failing test [\`\` \`@here\` <!channel> [a](https://evil.example) \`\`](https://perf.example.org/r/acme/fast.db/pull/7/${'c'.repeat(40)}) in \`acme/fast.db\`: Read its output, and run the check again.`,
  )
  for (const item of [named!, found!]) expect(queueLine(item, null, SLACK)).not.toMatch(/@here|<!|`[^\u200b]/)
  expect(queueLine(found!, 'https://perf.example.org', SLACK)).toMatch(
    /^• step on the main branch <https:[^|>]*\|sum #2> in acme/,
  )
  expect([moreLines(2, SLACK), moreLines(0, MARKDOWN)]).toEqual([['• and 2 more'], []])
})

test('texts from outside ping nobody, end no link and change no markup in Slack', () => {
  const what = '<!channel> <@U1> @here a|b> *x* & `y`\n<https://evil.example|ok>'
  const [item] = queueOf([report({ failingTests: { failures: [failure(what, 'unknown')], redChecks: [] } })])
  const { text, link_names: links } = slackDigest('day', [item!], 1, 'https://perf.example.org', '/digest?period=day')
  expect(links).toBe(false)
  expect(text.match(/<[^>]*>/g)).toEqual([
    '<https://perf.example.org/digest?period=day|The digest of the day>',
    expect.stringMatching(
      /^<https:\/\/perf\.example\.org\/r\/acme\/fast\.db\/pull\/7\/c{40}\|&lt;!channel&gt; [^|]*>$/,
    ),
  ])
  expect(text.split('\n')).toHaveLength(2)
  expect(text).toMatch(/^\*Performance, daily:\* 1 new item, 1 needs attention\. /)
  expect(slackDigest('week', [], 0, null, '/digest').text).toBe(
    '*Performance, weekly:* nothing needs attention any more.',
  )
  expect(text).not.toMatch(/@here|[*]x|<!|<@/)
  expect(slackDigest('day', [item!], 1, null, '/digest').text).not.toContain('https://perf')
})
