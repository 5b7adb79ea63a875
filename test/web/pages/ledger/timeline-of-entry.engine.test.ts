import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../../../src/config/repository-config.ts'
import { entryPath } from '../../../../src/report/urls.ts'
import { type CiDatabases, openCiDatabases } from '../../../../src/store/checks/ci-databases.ts'
import { timelineOf } from '../../../../src/web/pages/ledger/timeline-of-entry.ts'
import { pages } from '../../../../src/web/pages.ts'
import { engineOfRun, migratedDatabase } from '../../../store/embedded/engine-fixture.ts'
import { recordingLog } from '../../recording-log.ts'
import { type LedgerSetting, makeLedgerSetting, NOW, REPOSITORY } from './ledger-setting.ts'

/** The bot's own table has the columns of a CI database: asked as one, it has to say the same. */

let setting: LedgerSetting
let databases: CiDatabases
const silent = createServer(() => {})
const log = recordingLog()

const configOf = async () => ({ ...DEFAULT_CONFIG, ledger: { ...DEFAULT_CONFIG.ledger, table: tableOf() } })
const tableOf = () => `${setting.clickhouse.database}.checks`
const NAME = `${REPOSITORY.owner}/${REPOSITORY.repo}`.toLowerCase()
const repository = { id: REPOSITORY.id, owner: REPOSITORY.owner, repo: REPOSITORY.repo }

function sourcesOf(of: CiDatabases | null) {
  // A busy machine has longer than a person waits.
  return { store: setting.store, configOf, databases: of, log, now: () => NOW, databaseMs: 60_000 }
}

function opened(changes: { readonly url?: string; readonly tables?: readonly string[] } = {}): CiDatabases {
  const { url, user, password } = engineOfRun()
  return openCiDatabases({ url, user, password, repositories: [NAME], tables: [tableOf()], ...changes })
}

beforeAll(async () => {
  setting = await makeLedgerSetting(await migratedDatabase())
  databases = opened()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  silent.closeAllConnections()
  silent.close()
  await databases?.close()
  await setting?.close()
})

test.each(['chronic', 'expired', 'closed', 'check'] as const)(
  'the CI database gives the same days and hits of %s as the bot’s own rows',
  async (kind) => {
    const entry = (await setting.store.ledger.entry(REPOSITORY.id, setting[kind]))!
    const own = await timelineOf(sourcesOf(null))(repository, entry)
    const theirs = await timelineOf(sourcesOf(databases))(repository, entry)
    expect([own.source, theirs.source]).toEqual(['own', 'ci-database'])
    expect(theirs.days).toEqual(own.days)
    const sorted = ({ latest }: typeof own) =>
      latest.map((hit) => JSON.stringify(hit, Object.keys(hit).toSorted())).toSorted()
    expect(sorted(theirs)).toEqual(sorted(own))
    expect(theirs).toMatchObject({ notRead: 0, notCompared: 0, databaseProblem: null })
  },
)

test('of a mover the CI database is not asked', async () => {
  const entry = (await setting.store.ledger.entry(REPOSITORY.id, setting.mover))!
  expect(await timelineOf(sourcesOf(databases))(repository, entry)).toMatchObject({ source: 'own' })
})

test('one that does not answer in time, and one that refuses: the bot’s own rows, and why', async () => {
  const entry = (await setting.store.ledger.entry(REPOSITORY.id, setting.chronic))!
  const slow = opened({ url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` })
  const refusing = opened({ tables: ['other'] })
  try {
    const late = await timelineOf({ ...sourcesOf(slow), databaseMs: 50 })(repository, entry)
    expect(late).toMatchObject({ source: 'own', databaseProblem: 'too-slow' })
    expect(late.latest).toHaveLength(10)

    const app = pages({
      store: setting.store,
      timelineOf: timelineOf(sourcesOf(refusing)),
      publicUrl: 'https://perf.example.org',
      version: '1.2.3',
      log,
    })
    const html = await (await app.request(entryPath(REPOSITORY, setting.chronic))).text()
    expect(html).toContain(
      'From checks that the bot has seen or that were imported. Data from the CI database is missing',
    )
  } finally {
    silent.closeAllConnections()
    await Promise.all([slow.close(), refusing.close()])
  }
})

test('asked at the same time, and again a moment later, the CI database is asked once', async () => {
  const entry = (await setting.store.ledger.entry(REPOSITORY.id, setting.chronic))!
  let asked = 0
  let time = NOW
  const counting: CiDatabases = {
    of(name, table) {
      const results = databases.of(name, table)
      if (results === null) return null
      return {
        source: results.source,
        failuresOf: (wanted) => results.failuresOf(wanted),
        massFailuresOf: (...question) => results.massFailuresOf(...question),
        historiesOf(...question) {
          asked += 1
          return results.historiesOf(...question)
        },
      }
    },
    close: async () => {},
  }
  const ask = timelineOf({ ...sourcesOf(counting), now: () => time })
  await Promise.all([ask(repository, entry), ask(repository, entry)])
  await ask(repository, entry)
  expect(asked).toBe(1)
  time += 31_000
  await ask(repository, entry)
  expect(asked).toBe(2)
})

test('the page says where its days come from', async () => {
  const app = pages({
    store: setting.store,
    timelineOf: timelineOf(sourcesOf(databases)),
    publicUrl: 'https://perf.example.org',
    version: '1.2.3',
    log,
  })
  const html = await (await app.request(entryPath(REPOSITORY, setting.chronic))).text()
  expect(html).toContain('From the CI database.')
  expect(html).toContain('8 hits in pull requests on 5 days. 2 hits on the main branch on 2 days.')
})
