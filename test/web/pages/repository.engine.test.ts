import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { TriageReport } from '../../../src/report/report.ts'
import type { Store } from '../../../src/store/store.ts'
import { openStore } from '../../../src/store/store.ts'
import { pages } from '../../../src/web/pages.ts'
import { migratedDatabase } from '../../store/embedded/engine-fixture.ts'
import { recordingLog } from '../recording-log.ts'
import { sampleReport } from '../sample-report.ts'

const PATH = '/r/acme/fast.db'
const START = Date.UTC(2026, 5, 1)

let store: Store

/** A list of runs shows no row. */
async function save(changes: Partial<TriageReport>): Promise<void> {
  await store.reports.save(sampleReport({ ...changes, rows: [] }))
}

/** 60 pull requests, a minute apart, and of the last one an older judgement and an older head. */
beforeAll(async () => {
  store = await openStore(await migratedDatabase())
  const at = (minutes: number) => new Date(START + minutes * 60_000).toISOString()
  for (let number = 1; number <= 60; number++) {
    await save({ pullRequest: { number, baseRef: 'main' }, head: head(number), judgedAt: at(number) })
  }
  await save({ pullRequest: { number: 60, baseRef: 'main' }, head: head(60), judgedAt: at(0), complete: false })
  const hostile = { baseRef: '<b>"x"</b>', title: `<i>${'long '.repeat(40)}`, author: '<u>' }
  await save({ pullRequest: { number: 60, ...hostile }, head: head(61), judgedAt: at(61), mode: 'shadow' })
  const named = { number: 59, baseRef: 'main', title: 'Load orders in parts', author: 'alice' }
  await save({ pullRequest: named, head: head(59), judgedAt: at(59) })
})
afterAll(() => store?.close())

function head(number: number): string {
  return number.toString(16).padStart(40, 'a')
}

function ask(path: string) {
  return pages({ store, publicUrl: 'https://perf.example.org', version: '1.2.3', log: recordingLog() }).request(path)
}

const runsSchema = z.object({
  schemaVersion: z.literal(1),
  runs: z.array(z.looseObject({ head: z.string() })),
  next: z.string().nullable(),
})

async function runsAt(path: string) {
  return runsSchema.parse(await (await ask(path)).json())
}

test('every head once, as it was judged last, the latest first; older ones on the next page', async () => {
  const first = await runsAt(`${PATH}?format=json`)
  expect(first.runs).toHaveLength(50)
  expect(first.runs[0]).toMatchObject({ pullRequestNumber: 60, head: head(61), judgedAt: '2026-06-01T01:01:00.000Z' })
  expect(first.runs[1]).toMatchObject({ pullRequestNumber: 60, head: head(60), judgedAt: '2026-06-01T01:00:00.000Z' })
  expect(first.runs.slice(0, 2).map(({ mode }) => mode)).toEqual(['shadow', sampleReport().mode])
  expect((await (await ask(PATH)).text()).match(/in shadow/g)).toHaveLength(1)
  expect((await (await ask(`${PATH}?format=tsv`)).text()).match(/\tshadow\t/g)).toHaveLength(1)
  expect(first.runs[1]).toMatchObject({ complete: sampleReport().complete, counts: sampleReport().counts })

  const second = await runsAt(`${PATH}?format=json&before=${first.next}`)
  expect(second.next).toBeNull()
  const heads = [...first.runs, ...second.runs].map((run) => run.head)
  expect(heads).toEqual(Array.from({ length: 61 }, (_, index) => head(61 - index)))
})

test('the page links each run and its own next page, and escapes what comes from outside', async () => {
  const html = await (await ask(PATH)).text()
  expect(html).toContain(`href="${PATH}/pull/60/${head(60)}"`)
  expect(html).toContain(`href="${PATH}/ledger"`)
  expect(html).toMatch(/href="\/r\/acme\/fast\.db\?before=\d+-\d+-[0-9a-f]{40}" rel="next"/)
  expect(html).not.toContain('<b>"x"</b>')
  expect(html).not.toMatch(/<[iu]>/)
  expect(html).toMatch(/#60 <bdi>&lt;i&gt;(long ){18,19}\w*…<\/bdi><\/a> <small>·\u00a0<bdi>&lt;u&gt;<\/bdi>/)
  expect(html).toContain('#59 <bdi>Load orders in parts</bdi></a> <small>·\u00a0<bdi>alice</bdi></small>')
  expect(html).toContain(`#58</a> <small>into`)
  const last = await (await ask(`${PATH}?before=${START}`)).text()
  expect(last).toContain('There are no older runs.')
  expect(last).not.toContain('Nothing has been measured')
  expect(last).toContain(`href="${PATH}">Newest runs</a>`)
  expect(last).toContain(`href="${PATH}?before=${START}&amp;format=json"`)
  expect(html).not.toContain('Newest runs')
})

test('runs that were judged within one millisecond are each on one page', async () => {
  const repository = { ...sampleReport().repository, id: 43, name: 'burst' }
  for (let number = 1; number <= 20; number++) {
    for (const push of [1, 2, 3]) {
      await save({
        repository,
        pullRequest: { number, baseRef: 'main' },
        head: head(number * 10 + push),
        judgedAt: new Date(START + (number === 20 ? 1 : 0)).toISOString(),
      })
    }
  }
  const path = '/r/acme/burst?format=json'
  const first = await runsAt(path)
  const second = await runsAt(`${path}&before=${first.next}`)
  expect(second.next).toBeNull()
  expect(await runsAt(`${path}&before=${first.next}x`)).toEqual(first)
  const runs = [...first.runs, ...second.runs].map((run) => `${String(run['pullRequestNumber'])} ${run.head}`)
  expect([runs.length, new Set(runs).size]).toEqual([60, 60])
  // A time alone.
  expect((await runsAt(`${path}&before=${START + 1}`)).runs[0]).toMatchObject({ pullRequestNumber: 19 })
})

test('as tab-separated values, a line for each run', async () => {
  const lines = (await (await ask(`${PATH}?format=tsv`)).text()).trimEnd().split('\n')
  expect(lines).toHaveLength(51)
  expect(lines[0]!.split('\t').slice(0, 3)).toEqual(['pull_request_number', 'head', 'judged_at'])
  const [of60, of59] = [lines[1]!, lines[3]!].map((line) => line.split('\t').slice(-3))
  expect(of59).toEqual(['Nothing could be compared; some results could not be read', 'Load orders in parts', 'alice'])
  expect(of60![2]).toBe('<u>')
})

test('a repository that nobody knows, and one with an impossible name', async () => {
  expect((await ask('/r/acme/unknown')).status).toBe(404)
  expect((await ask('/r/acme/..%2f..')).status).toBe(404)
})
