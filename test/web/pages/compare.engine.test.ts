import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Run } from '../../../src/measurement/run.ts'
import { openStore } from '../../../src/store/clickhouse-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { classify } from '../../../src/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/verdict/thresholds.ts'
import { pages } from '../../../src/web/pages.ts'
import { migratedDatabase } from '../../embedded/engine-fixture.ts'
import { measured, runOf, STEADY, times } from '../../report/judge-setting.ts'
import { recordingLog } from '../recording-log.ts'
import { sampleReport } from '../sample-report.ts'

const { id: repositoryId, owner, name } = sampleReport().repository
const COMPARE = `/r/${owner}/${name}/compare`
/** What the head was held against, and a commit that was measured in jobs of its own alone. */
const [BASE, HEAD, ALONE, TRUNK] = ['a1', 'b2', 'c3', 'd4'].map((two) => two.repeat(20)) as [
  string,
  string,
  string,
  string,
]

let store: Store

async function save(overrides: Partial<Run>, ...factors: readonly (readonly [string, number])[]): Promise<void> {
  const measurements = factors.map(([of, factor]) => measured(of, times(factor)))
  const run = { ...runOf(measurements, overrides), repositoryId }
  await store.saveRun(run, classify(measurements, DEFAULT_THRESHOLDS))
}

beforeAll(async () => {
  store = await openStore(await migratedDatabase())
  await store.saveReport(sampleReport({ rows: [] }))
  await save({ head: HEAD, oldCommit: BASE }, ['slow', 2], ['same', 1])
  await save({ head: ALONE, oldCommit: TRUNK }, ['slow', 4], ['same', 1.01], ['new', 1])
  for (let run = 0; run < 12; run += 1) {
    const head = run.toString(16).repeat(40)
    const finishedAt = new Date(Date.UTC(2026, 4, 1 + run)).toISOString()
    await save({ head, pullRequestNumber: 0, finishedAt }, ['slow', 1 + (run % 3) / 100], ['same', 1 + (run % 2) / 100])
  }
})
afterAll(() => store?.close())

async function ask(path: string) {
  const options = { publicUrl: 'https://perf.example.org', version: '1.2.3', log: recordingLog() }
  return await pages({ store, ...options }).request(path)
}

const comparisonSchema = z.object({
  old: z.string(),
  new: z.string(),
  together: z.array(z.looseObject({ test: z.string(), outcome: z.string(), direction: z.string().nullable() })),
  apart: z.array(z.looseObject({ test: z.string(), reach: z.number().nullable(), isBeyond: z.boolean().nullable() })),
})

async function compare(old: string, fresh: string) {
  return comparisonSchema.parse(await (await ask(`${COMPARE}/${old}...${fresh}?format=json`)).json())
}

test('what one job measured of both is judged by the exact test, either way round', async () => {
  const { together, apart, ...commits } = await compare(BASE, HEAD.slice(0, 7))
  expect(commits).toEqual({ old: BASE, new: HEAD })
  expect(together).toMatchObject([
    { test: 'slow', difference: 1, outcome: 'changed', direction: 'slower', pValue: expect.closeTo(0.0117, 4) },
    { test: 'same', outcome: 'not-significant' },
  ])
  expect(apart).toEqual([])
  const turned = await compare(HEAD, BASE)
  expect(turned.together[0]).toMatchObject({ test: 'slow', difference: -0.5, direction: 'faster' })
})

test('of commits that no job measured together nothing is slower, however far they are apart', async () => {
  const { together, apart } = await compare(HEAD, ALONE)
  expect(together).toEqual([])
  expect(apart).toMatchObject([
    { test: 'slow', difference: 1, isBeyond: true, old: { repetitions: STEADY.length } },
    { test: 'same', isBeyond: false },
  ])
  expect(apart[0]!.reach).toBeGreaterThan(0.02)
  expect(apart[0]!.reach).toBeLessThan(0.5)
  const page = await (await ask(`${COMPARE}/${HEAD}...${ALONE}`)).text()
  expect(page).toContain('Never measured side by side; 2 queries measured in different jobs, 1 of them further apart')
  expect(page).not.toContain('class="slower"')
  const lines = (await (await ask(`${COMPARE}/${HEAD}...${ALONE}?format=tsv`)).text()).trimEnd().split('\n')
  expect(lines.map((line) => line.split('\t')[6])).toEqual(['measured', 'different-jobs', 'different-jobs'])
})

test('a commit that was only the old build of others is compared by their samples of it', async () => {
  expect((await compare(BASE, TRUNK)).apart.map(({ test: of }) => of).toSorted()).toEqual(['same', 'slow'])
})

test('the form leads to the pair; what is unknown, ambiguous or forbidden is not found, all alike', async () => {
  expect(await (await ask(COMPARE)).text()).toContain('Compare two commits')
  const asked = await ask(`${COMPARE}?old=${BASE.slice(0, 8)}&new=${HEAD}`)
  expect([asked.status, asked.headers.get('location')]).toEqual([302, `${COMPARE}/${BASE.slice(0, 8)}...${HEAD}`])
  const forbidden = await ask(`/r/${owner}/none/compare/${BASE}...${HEAD}`)
  const texts = new Set([await forbidden.text()])
  for (const pair of [
    `${BASE}...${'e'.repeat(40)}`,
    `${BASE}...${BASE}`,
    `${BASE}..`,
    'main...head',
    `${BASE}...${HEAD}'`,
  ]) {
    const answer = await ask(`${COMPARE}/${pair}`)
    expect(answer.status).toBe(404)
    texts.add(await answer.text())
  }
  expect([forbidden.status, texts.size]).toEqual([404, 1])
})
