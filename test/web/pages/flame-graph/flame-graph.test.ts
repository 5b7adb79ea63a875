import { expect, test } from 'vitest'
import type { TraceType } from '../../../../src/intake/measurement/trace-type.ts'
import { flameGraphFilePath, flameGraphPath } from '../../../../src/report/urls.ts'
import type { PagesStore } from '../../../../src/web/pages/site.ts'
import { pages } from '../../../../src/web/pages.ts'
import { memoryReports } from '../../memory-reports.ts'
import { recordingLog } from '../../recording-log.ts'
import { HEAD, sampleReport } from '../../sample-report.ts'

const report = sampleReport()
const row = report.rows[0]!
const ADDRESS = { owner: 'acme', repo: 'fast.db', number: 7, head: HEAD }
const PATH = flameGraphPath(ADDRESS, row)

function setting(traceType: TraceType = 'CPU') {
  let asked = 0
  let run = 'first'
  const profiles: PagesStore['profiles'] = {
    summariesOf: async () => [{ traceType, old: 400, new: 400, runs: [run] }],
    stacksOf: async () => {
      asked += 1
      return { old: [{ stack: `main;${run}`, count: 400 }], new: [{ stack: `main;${run}`, count: 400 }] }
    },
  }
  const { store } = memoryReports(report)
  const app = pages({
    store: { ...store, profiles },
    publicUrl: 'https://p.example',
    version: '1',
    log: recordingLog(),
  })
  return {
    text: async (path: string) => (await app.request(path)).text(),
    asked: () => asked,
    rerun: () => {
      run = 'second'
    },
  }
}

test('the page, the file and the other formats of a profile read it once', async () => {
  const { text, asked } = setting()
  const page = await text(PATH)
  expect(page).toContain('<title>first')
  expect(await text(PATH)).toBe(page)
  const others = ['?icicle=1', '?shares=1', '?format=json', '?format=tsv'].map((query) => PATH + query)
  for (const path of [...others, flameGraphFilePath(ADDRESS, row)]) expect(await text(path)).toContain('first')
  expect(asked()).toBe(1)
})

test('each way to look at it is another drawing', async () => {
  const { text } = setting()
  const drawings = ['', '?icicle=1', '?shares=1'].map(async (query) => text(flameGraphFilePath(ADDRESS, row) + query))
  expect(new Set(await Promise.all(drawings)).size).toBe(3)
})

test('a run that was made again is read again, also where its sums are the same', async () => {
  const { text, asked, rerun } = setting()
  expect(await text(PATH)).toContain('<title>first')
  rerun()
  expect(await text(PATH)).toContain('<title>second')
  expect(asked()).toBe(2)
})

test.each([
  ['CPU', 'spends its time'],
  ['Real', 'spends its time'],
  ['MemorySample', 'allocates memory'],
  ['JemallocSample', 'allocates memory'],
] as const)('the heading of %s: %s', async (traceType, words) => {
  const heading = /<h1>(.*?)<\/h1>/.exec(await setting(traceType).text(PATH))![1]!
  expect(heading.replaceAll(/<[^>]*>/g, '')).toMatch(new RegExp(`^Where .* ${words}, old against new$`))
})
