import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readRun } from '../../src/intake/archive/read-run.ts'
import type { Measurement, Run } from '../../src/intake/measurement/run.ts'
import { classify } from '../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../src/judge/verdict/thresholds.ts'
import { type ClickHouse, openClickHouse } from '../../src/store/client.ts'
import { type Store, storeOn } from '../../src/store/store.ts'
import { classifiedQuery } from '../judge/verdict/classified-query-builder.ts'
import { amd, judgedHead, measured, runOf, times } from '../report/judge-setting.ts'
import { checkRow } from './checks/check-rows.ts'
import { migratedDatabase } from './embedded/engine-fixture.ts'
import { trunkRow } from './history/trunk-rows.ts'

/** What goes to the database, byte for byte: `test/golden/inserted-rows.txt` has an insert of each table. */

/** Far away, since samples leave by the clock of the machine. */
const NOW = new Date('2090-01-02T03:04:05.678Z')

let clickhouse: ClickHouse
let store: Store
const inserts: { readonly query: string; readonly body: string }[] = []

beforeAll(async () => {
  clickhouse = await openClickHouse(await migratedDatabase())
  store = storeOn(clickhouse, { now: () => NOW })
  await store.ping()
  const { client } = clickhouse
  const exec = client.exec.bind(client)
  client.exec = async (of: Parameters<typeof exec>[0] & { readonly values?: Readable }) => {
    const body = await text(of.values!)
    inserts.push({ query: of.query, body })
    return await exec({ ...of, values: Readable.from([body], { objectMode: false }) })
  }
})
afterAll(() => store.close())
beforeEach(() => inserts.splice(0))

/** By table: those of a run are written at once. */
const inserted = () =>
  inserts
    .map(({ query, body }) => `${query}\n${body}`)
    .toSorted()
    .join('\n')

const plain: Measurement = measured('join', times(2), { old: [0.1, Infinity, -0, 0.2], new: [NaN, 0.3] })
const told: Measurement = measured('half \ud800', [0.2], {
  old: [0.1],
  queryName: 'SELECT \udc00',
  ordinal: 2,
  unit: null,
  better: 'higher',
  rounded: true,
  reportThreshold: 0.25,
  problems: [{ reason: 'run-error', side: 'new', message: 'no' }],
  notes: ['counted'],
  given: { old: { kind: 'mean', value: 1, lower: null, upper: 2, spread: null, repetitions: 3 } },
  taken: { old: { processes: [0] } },
  clock: true,
})

const run: Run = runOf([plain, told, measured('unjudged', times(1), { queryName: null, queryIndex: null })], {
  repositoryId: 5,
  warnings: [{ code: 'truncated-line', where: 'a:1', message: 'cut' }],
  confirmations: [{ test: 'join', queryIndex: 0, result: 'confirmed', difference: 0.5, threshold: null }],
  machine: 'm7',
  profiles: [
    { test: 'join', queryIndex: 0, queryName: null, traceType: 'CPU', old: [{ stack: 'a;\ud800', count: 3 }], new: [] },
  ],
})

const results = [
  classifiedQuery({ test: 'join', queryIndex: 0, queryName: plain.queryName, difference: -0, threshold: Infinity }),
  classifiedQuery({ test: 'alone', queryIndex: 4, old: { median: NaN, repetitions: null }, better: null }),
]

test('an insert of each table', async () => {
  await store.runs.save(run, results)
  const { report, runOf: runOfResult } = judgedHead([amd(measured('both', times(2)), measured('none', times(1)))])
  await store.reports.save(report, runOfResult)
  const failed = { testContextRaw: 'Expected \ud800', checkDurationMs: -1, testDurationMs: 1.5 }
  await store.ciResults.save(5, [checkRow(failed), checkRow({ testStatus: 'OK', checkStartTime: NaN })])
  const copiedFrom = { table: 'https://ci.example/a.b', isOfRawRuns: true }
  await store.trunkHistory.save(5, [
    trunkRow({ threshold: null, queryIndex: null, queryName: null, test: 'a\ud800' }),
    trunkRow({ source: 'ci-database', copiedFrom, old: 0, difference: Infinity, newCommit: 'c9' }),
  ])
  await store.ledger.save(5, [
    {
      entryId: 'e',
      kind: 'mover',
      state: 'closed',
      testName: 't\ud800',
      checkName: 'c',
      signature: '',
      firstSeen: 1,
      lastSeen: 2,
      openedAt: 3,
      closedAt: 4,
      expiresAt: 5,
      reopened: 6,
      hits1: 7,
      hits7: 8,
      hits30: 9,
      unrelatedPullRequests: 10,
      trunkHits: 11,
      owner: null,
      issue: 'i',
    },
  ])
  await store.decisions.save([
    {
      id: 1,
      repositoryId: 5,
      pullRequestNumber: null,
      kind: 'mute',
      subject: '{}',
      reason: 'r',
      until: null,
      via: 'page',
      actor: 'maria',
      actorId: 2,
      saidAt: 3,
      decidedAt: 4,
    },
  ])
  await store.historyCopies.save({
    repositoryId: 5,
    copiedFrom: copiedFrom.table,
    metric: 'm\ud800',
    covered: [[1, 2]],
    counted: new Map([[1, 20]]),
    checkedAt: 6,
    trunk: ['master'],
    problem: { kind: 'too-slow', message: 'slow' },
  })
  await expect(inserted()).toMatchFileSnapshot('../golden/inserted-rows.txt')
})

test('all metrics of a measured run', async () => {
  const path = fileURLToPath(new URL('../data/run-metrics/measurements.jsonl.gz', import.meta.url))
  const { measurements } = await readRun(path)
  await store.runs.save(runOf(measurements, { repositoryId: 6 }), classify(measurements, DEFAULT_THRESHOLDS))
  const sizes = inserts.map(({ body }) => body.split('\n').length - 1).toSorted((a, b) => a - b)
  expect({ sizes, hash: createHash('sha256').update(inserted()).digest('hex') }).toMatchInlineSnapshot(`
    {
      "hash": "22546e3abd886f91669f0cbf45e7a581725ad9326e0502ab40dcb2639c67ace5",
      "sizes": [
        1,
        333,
        4662,
      ],
    }
  `)
})
