import { stripVTControlCharacters } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import type { LedgerEntry } from '../../../src/judge/ledger/entry.ts'
import { openClickHouse } from '../../../src/store/client.ts'
import { storeOn } from '../../../src/store/store.ts'
import { migratedDatabase, variablesOf } from '../../store/embedded/engine-fixture.ts'
import { sampleReport } from '../../web/sample-report.ts'
import { ledger } from './ledger-setting.ts'

const REPOSITORY = sampleReport().repository
let env: Record<string, string> = {}

beforeAll(async () => {
  const database = await migratedDatabase()
  env = variablesOf(database)
  const clickhouse = await openClickHouse(database)
  try {
    const store = storeOn(clickhouse)
    await store.reports.save(sampleReport())
    await store.ledger.save(REPOSITORY.id, [
      entry('02995_settings', { state: 'open', hits7: 3, hits30: 8, unrelatedPullRequests: 7 }),
      entry('test_s3::put\u{1b}[2J', { state: 'expired', owner: 'storage', trunkHits: 4 }),
      entry('', { state: 'closed', checkName: 'Docs check' }),
    ])
  } finally {
    await clickhouse.close()
  }
})

function entry(testName: string, changes: Partial<LedgerEntry>): LedgerEntry {
  const [seen, opened] = [Date.UTC(2025, 9, 20), Date.UTC(2025, 9, 1)]
  return {
    entryId: `failure||${testName}|`,
    kind: 'failure',
    state: 'open',
    testName,
    checkName: 'Stateless (asan)',
    signature: '',
    firstSeen: opened,
    lastSeen: seen,
    openedAt: opened,
    closedAt: null,
    expiresAt: seen,
    reopened: 0,
    hits1: 0,
    hits7: 0,
    hits30: 0,
    unrelatedPullRequests: 0,
    trunkHits: 0,
    owner: null,
    issue: null,
    ...changes,
  }
}

test('a line for each entry, what has expired first', async () => {
  const { code, stdout, stderr } = await ledger(['list', '--as', 'table'], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n')).toEqual([
    'last seen: Oct 20, 2025 · repository: acme/fast.db',
    'test              state    kind                hits in 7 days  30 days  pull requests  main branch  owner    check',
    'test_s3::put\u{fffd}[2J  expired  failure                          0        0              0            4  storage  Stateless (asan)',
    '02995_settings    open     failure                          3        8              7            0           Stateless (asan)',
    'Docs check        closed   failure of a check               0        0              0            0',
    '',
    '3 entries',
    '',
  ])
  const piped = await ledger(['list'], { env })
  expect(piped.stdout).toMatch(/^entry_id\tkind\tstate\t.*\trepository\n(?:.*\tacme\/fast\.db\n){3}$/)
  const { stdout: narrow } = await ledger(['list'], { env, columns: 120 })
  for (const line of stripVTControlCharacters(narrow).split('\n')) expect(line.length).toBeLessThanOrEqual(120)
})

test.each<[readonly string[], readonly string[]]>([
  [['--state', 'open'], ['02995_settings']],
  [['--owner', 'storage'], ['test_s3::put\u{1b}[2J']],
  [['--search', 'SETTINGS'], ['02995_settings']],
  [['--kind', 'mover'], []],
  [
    ['--repository', `${REPOSITORY.owner}/${REPOSITORY.name}`.toUpperCase()],
    ['test_s3::put\u{1b}[2J', '02995_settings', ''],
  ],
  [['--repository', String(REPOSITORY.id), '--state', 'closed'], ['']],
])('%j', async (argv, names) => {
  const { code, stdout } = await ledger(['list', '--json', ...argv], { env })
  expect(code).toBe(0)
  const { found, entries } = JSON.parse(stdout) as { found: number; entries: Record<string, unknown>[] }
  expect(entries.map(({ testName }) => testName)).toEqual(names)
  expect(found).toBe(names.length)
  for (const one of entries) {
    expect(one).toMatchObject({
      repository: `${REPOSITORY.owner}/${REPOSITORY.name}`,
      lastSeen: '2025-10-20T00:00:00.000Z',
      byHand: null,
    })
  }
})

test('nothing is found, or nothing is known of the repository', async () => {
  expect(await ledger(['list', '--search', 'nonesuch', '--as', 'table'], { env })).toMatchObject({
    code: 0,
    stdout: 'No entry of the ledger matches.\n',
  })
  expect(await ledger(['list', '--repository', '4711', '--json'], { env })).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('"message": "no report of repository 4711 is stored"') as string,
  })
})
