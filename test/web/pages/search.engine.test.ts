import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { entryOf } from '../../../bench/entry-timeline.ts'
import { ownRowPath, queryPath } from '../../../src/report/urls.ts'
import type { Store } from '../../../src/store/store.ts'
import { openStore } from '../../../src/store/store.ts'
import { pages } from '../../../src/web/pages.ts'
import { measured, STEADY, times } from '../../report/judge-setting.ts'
import { migratedDatabase } from '../../store/embedded/engine-fixture.ts'
import { REPOSITORY, storeReport } from '../measured-report.ts'
import { recordingLog } from '../recording-log.ts'
import { LONG, longRows, NOW } from './query/query-histories.ts'

const SEARCH = '/r/acme/fast.db/search'
const HEAD = 'c'.repeat(40)
const HOSTILE = 'SELECT \'100%_\\\' FROM <b>"x"</b> WHERE ÄPFEL > 1'

let store: Store
beforeAll(async () => {
  store = await openStore(await migratedDatabase())
  const source = [
    measured('hash_functions', times(2), { queryIndex: 1, queryName: 'SELECT cityHash64(number)' }),
    measured('hash_functions', STEADY, { queryIndex: 11, queryName: HOSTILE }),
    measured('joins', STEADY, { queryIndex: 1, queryName: 'SELECT 1' }),
  ]
  await storeReport(store, 7, HEAD, [{ architecture: 'amd', source }])
  await store.trunkHistory.save(REPOSITORY.id, longRows(3))
  await store.ledger.save(REPOSITORY.id, [
    entryOf({ testName: 'test_hash_ring/test.py::test', checkName: 'Integration', signature: 'x', n: 1 }, 0),
    entryOf({ testName: 'other', checkName: 'Integration', signature: 'y', n: 1 }, 1),
  ])
})
afterAll(() => store?.close())

async function ask(path: string): Promise<{ status: number; text: string }> {
  const options = { publicUrl: 'https://perf.example.org', version: '1.2.3', log: recordingLog(), now: () => NOW }
  const answer = await pages({ store, ...options }).request(path)
  return { status: answer.status, text: await answer.text() }
}

const foundSchema = z.object({
  queries: z.array(
    z.looseObject({ test: z.string(), queryIndex: z.number().nullable(), queryName: z.string().nullable() }),
  ),
  entries: z.array(z.looseObject({ testName: z.string() })),
})

/** The names of what is found. */
async function found(q: string): Promise<string[]> {
  const { text } = await ask(`${SEARCH}?${new URLSearchParams({ q, format: 'json' }).toString()}`)
  const { queries, entries } = foundSchema.parse(JSON.parse(text))
  return [
    ...queries.map(({ test: name, queryIndex }) => `${name} #${queryIndex}`),
    ...entries.map(({ testName }) => testName),
  ]
}

test('finds queries by test, position and text, and tests of the ledger, whatever the case', async () => {
  const ring = 'test_hash_ring/test.py::test'
  expect(await found('HASH')).toEqual(['hash_functions #1', 'hash_functions #11', ring])
  expect(await found('hash_functions #11')).toEqual(['hash_functions #11'])
  expect(await found(' cityhash64( ')).toEqual(['hash_functions #1'])
  expect(await found('äpfel')).toEqual(['hash_functions #11'])
  expect(await found('%_\\')).toEqual(['hash_functions #11'])
  expect(await found("'")).toEqual(['hash_functions #11'])
  expect(await found('nothing about the kind')).toEqual([])
})

test('where no run has a query the history of the trunk is searched', async () => {
  expect(await found(LONG.test)).toEqual([`${LONG.test} #${LONG.queryIndex}`])
})

test('a query leads to its history and to the row that measured it last; nothing that is searched for is markup', async () => {
  const { text } = await ask(`${SEARCH}?q=hash`)
  const slow = { test: 'hash_functions', queryIndex: 1, queryName: 'SELECT cityHash64(number)' }
  const address = { owner: REPOSITORY.owner, repo: REPOSITORY.name }
  expect(text).toContain(`href="${queryPath(address, slow)}"`)
  expect(text).toContain(`href="${ownRowPath({ ...address, number: 7, head: HEAD }, slow)}"`)
  expect(text).toContain('<b class="slower">slower</b>')
  expect(text).not.toContain('<b>"x"</b>')
  for (const path of [queryPath(address, slow), ownRowPath({ ...address, number: 7, head: HEAD }, slow)])
    expect((await ask(path)).status).toBe(200)
  const hostile = await ask(`${SEARCH}?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect([hostile.status, hostile.text.includes('<script>alert')]).toEqual([200, false])
})

test('every page of a repository has the form; what can’t be searched for asks for something else', async () => {
  for (const path of ['/r/acme/fast.db', '/r/acme/fast.db/ledger', '/r/acme/fast.db/pull/7'])
    expect((await ask(path)).text).toContain(`method="get" action="${SEARCH}" role="search"`)
  for (const q of ['', '%20', '%00', 'a'.repeat(201)]) {
    const { status, text } = await ask(`${SEARCH}?q=${q}`)
    expect([status, text.includes('Part of a test’s name')]).toEqual([200, true])
  }
  const none = await ask('/r/acme/none/search?q=hash')
  expect([none.status, none.text]).toEqual([404, (await ask('/r/acme/none')).text])
})
