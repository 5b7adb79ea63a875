import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Run } from '../../../src/intake/measurement/run.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import type { Store } from '../../../src/store/store.ts'
import { openStore } from '../../../src/store/store.ts'
import { pages } from '../../../src/web/pages.ts'
import { measured, runOf, STEADY, times } from '../../report/judge-setting.ts'
import { migratedDatabase } from '../../store/embedded/engine-fixture.ts'
import { trunkRow } from '../../store/history/trunk-rows.ts'
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
  await store.runs.save(run, classify(measurements, DEFAULT_THRESHOLDS))
}

beforeAll(async () => {
  store = await openStore(await migratedDatabase())
  await store.reports.save(sampleReport({ rows: [] }))
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
  onlyMedians: z.array(z.string()),
  together: z.array(z.looseObject({ test: z.string(), outcome: z.string(), direction: z.string().nullable() })),
  apart: z.array(z.looseObject({ test: z.string(), reach: z.number().nullable(), isBeyond: z.boolean().nullable() })),
})

async function compare(old: string, fresh: string) {
  return comparisonSchema.parse(await (await ask(`${COMPARE}/${old}...${fresh}?format=json`)).json())
}

test('what one job measured of both is judged by the exact test, either way round', async () => {
  const { together, apart, ...commits } = await compare(BASE, HEAD.slice(0, 7))
  expect(commits).toEqual({ old: BASE, new: HEAD, onlyMedians: [] })
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

test('a commit of which the history has only medians is compared by them, with samples and with other medians', async () => {
  const [imported, other] = ['5e', '6f'].map((two) => two.repeat(20)) as [string, string]
  const { measurements, architecture } = runOf([measured('slow', times(1))], {})
  const { test: of, metric, queryName, queryIndex } = measurements[0]!
  const row = (newCommit: string, fresh: number, time = Date.UTC(2026, 3, 1)) =>
    trunkRow({
      source: 'imported',
      test: of,
      queryName,
      queryIndex,
      architecture: architecture ?? '',
      metric,
      newCommit,
      new: fresh,
      time,
    })
  const later = Date.UTC(2026, 3, 2)
  await store.trunkHistory.save(repositoryId, [row(imported, 9), row(imported, 3, later), row(other, 6)])
  const both = await compare(imported.slice(0, 7), other)
  expect(both).toMatchObject({ old: imported, new: other, together: [], onlyMedians: [imported, other] })
  expect(both.apart).toMatchObject([
    {
      test: 'slow',
      difference: 1,
      reach: null,
      isBeyond: null,
      old: { median: 3, repetitions: null },
      new: { median: 6 },
    },
  ])
  const withSamples = await compare(HEAD, imported)
  expect(withSamples).toMatchObject({ together: [], onlyMedians: [imported] })
  expect(withSamples.apart).toMatchObject([
    { test: 'slow', old: { repetitions: STEADY.length }, new: { median: 3, repetitions: null } },
  ])
  expect(withSamples.apart[0]!.reach).toBeGreaterThan(0.02)
  const page = await (await ask(`${COMPARE}/${HEAD}...${imported}`)).text()
  expect(page).toContain('For 5e5e5e5e5e, only the medians of the main branch’s history are kept, no samples.')
  expect(page).not.toContain('class="slower"')
  expect(await (await ask(`${COMPARE}/${HEAD}...${imported}?format=tsv`)).text()).toContain('\tdifferent-jobs\t')
})

test('the form leads to the pair, and to the newest run of the trunk by its name', async () => {
  expect(await (await ask(COMPARE)).text()).toContain('Compare two commits')
  const leadsTo = async (old: string, fresh: string) => {
    const asked = await ask(`${COMPARE}?${new URLSearchParams({ old, new: fresh }).toString()}`)
    return [asked.status, asked.headers.get('location')]
  }
  expect(await leadsTo(BASE.slice(0, 8), ` ${HEAD.toUpperCase()} `)).toEqual([302, `${COMPARE}/${BASE}...${HEAD}`])
  expect(await leadsTo('trunk', HEAD)).toEqual([302, `${COMPARE}/${'b'.repeat(40)}...${HEAD}`])
  expect(await ask(`${COMPARE}/trunk...${HEAD}`)).toMatchObject({ status: 200 })
})

test('the commits that were measured are offered, those of last first, with what their pull requests are called', async () => {
  const repository = { ...sampleReport().repository, id: 77, name: 'listed' }
  const pullRequest = { number: 7, baseRef: 'main', title: '<b>Sum</b> in one pass', author: 'ada' }
  await store.reports.save(sampleReport({ repository, pullRequest, head: HEAD, rows: [] }))
  const at = (day: number) => new Date(Date.UTC(2026, 5, day)).toISOString()
  const run = async (of: Partial<Run>) => {
    const measurements = [measured('slow', times(1))]
    await store.runs.save({ ...runOf(measurements, of), repositoryId: 77 }, classify(measurements, DEFAULT_THRESHOLDS))
  }
  await run({ head: HEAD, oldCommit: BASE, pullRequestNumber: 7, finishedAt: at(3) })
  await run({ head: ALONE, oldCommit: BASE, pullRequestNumber: 8, finishedAt: at(2) })
  await run({ head: TRUNK, oldCommit: 'nightly', pullRequestNumber: 0, finishedAt: at(1) })
  expect(await store.runs.measuredCommits(77, 50)).toMatchObject([
    { commit: HEAD, headOf: 7, baseOf: [] },
    { commit: BASE, headOf: null, baseOf: [8, 7] },
    { commit: ALONE, headOf: 8, baseOf: [] },
    { commit: TRUNK, headOf: 0, baseOf: [] },
  ])
  expect(await store.runs.measuredCommits(77, 1)).toHaveLength(1)
  const page = await (await ask(`/r/${owner}/listed/compare`)).text()
  expect(page).toContain('#7 <bdi>&lt;b&gt;Sum&lt;/b&gt; in one pass</bdi> <small>·\u00a0<bdi>ada</bdi></small>')
  const rows = page.match(/<tr><td><label>.*<\/tr>/g)!
  const checked = rows.map((row) => row.match(/name="(?:old|new)" value="\w{40}" required checked/g) ?? [])
  expect(checked).toEqual([
    [expect.stringContaining(`"new" value="${HEAD}"`)],
    [expect.stringContaining('"old"')],
    [],
    [],
  ])
  expect(rows[1]).toContain('base of #8 and #7')
  expect(rows[3]).toContain('main branch <small>')
  const asked = await (await ask(`/r/${owner}/listed/compare?old=${TRUNK.slice(0, 8)}&new=`)).text()
  expect(asked).toContain(`name="old" value="${TRUNK}" required checked`)
  expect(asked.match(/ checked/g)).toHaveLength(1)
})

test('a commit that is unknown, ambiguous or none is named beside the form, with what was written', async () => {
  const unknown = 'e'.repeat(40)
  for (const [old, fresh, said] of [
    [BASE, unknown, 'No stored run measured eeeeeeeeee'],
    [BASE, BASE, 'Both are the same commit.'],
    [BASE, '', 'one is missing'],
    ['main', HEAD, '“main” is not a commit'],
    [`${HEAD}'"><b>`, BASE, '&#39;&quot;&gt;&lt;b&gt;” is not a commit'],
  ] as const) {
    const form = await ask(`${COMPARE}?${new URLSearchParams({ old, new: fresh }).toString()}`)
    const page = await form.text()
    expect([form.status, page.includes(said)], said).toEqual([200, true])
    if (old === BASE) expect(page).toContain(`name="old" value="${BASE}"`)
    const direct = await ask(`${COMPARE}/${encodeURIComponent(`${old}...${fresh}`)}`)
    expect([direct.status, (await direct.text()).includes(said)], said).toEqual([404, true])
  }
  expect((await ask(`${COMPARE}/${BASE}...${unknown}?format=json`)).status).toBe(404)
})

test('of a repository that may not be seen nothing is said, whatever was asked for', async () => {
  const none = `/r/${owner}/none/compare`
  const answers = [`${none}/${BASE}...${HEAD}`, `${none}/main...head`, `${none}?old=${BASE}&new=${HEAD}`, none]
  const texts = await Promise.all(answers.map(async (path) => await (await ask(path)).text()))
  expect(new Set(texts).size).toBe(1)
  expect(texts[0]).not.toContain('<form class="filter commits"')
})
