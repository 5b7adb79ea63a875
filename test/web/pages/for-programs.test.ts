import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { reportJsonSchema } from '../../../src/report/render/report-schema.ts'
import { LLMS_PATH, OPENAPI_PATH, REPORT_ROUTE } from '../../../src/report/urls.ts'
import { llmsTxt } from '../../../src/web/assets/llms.ts'
import { openApi } from '../../../src/web/pages/openapi.ts'
import { pages } from '../../../src/web/pages.ts'
import { memoryReports } from '../memory-reports.ts'
import { recordingLog } from '../recording-log.ts'
import { sampleReport } from '../sample-report.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

const report = sampleReport()
const app = pages({
  store: memoryReports(report).store,
  publicUrl: 'https://perf.example.org',
  version: '1.2.3',
  log: recordingLog(),
})
const PATH = `/r/${report.repository.owner}/${report.repository.name}/pull/${report.pullRequest.number}`

describe('what is generated is as it would be written now', () => {
  test.each([
    [
      'schema/report.schema.json',
      'src/report/render/report-schema.ts',
      JSON.stringify(reportJsonSchema(), null, 2) + '\n',
    ],
    ['schema/openapi.json', 'src/web/pages/openapi.ts', JSON.stringify(openApi(), null, 2) + '\n'],
    ['src/web/assets/llms.txt', 'src/web/assets/llms.ts', llmsTxt(read('docs/README.md'))],
  ])('%s by node %s', (file, _, text) => {
    expect(read(file)).toBe(text)
  })
})

test('the JSON of a report is as its schema and OpenAPI say, and another number of its version is not', async () => {
  const body = (await (await app.request(`${PATH}?format=json`)).json()) as object
  const byReport = new Ajv({ strict: false }).compile(reportJsonSchema())
  expect([byReport(body), byReport.errors]).toEqual([true, null])
  const { schemas } = openApi().components
  const byApi = new Ajv2020({ strict: false }).compile({ components: { schemas }, $ref: '#/components/schemas/Report' })
  expect([byApi(body), byApi.errors]).toEqual([true, null])
  for (const valid of [byReport, byApi]) {
    expect(valid({ ...body, schemaVersion: 2 })).toBe(false)
    expect(valid({ ...body, rows: [{}] })).toBe(false)
  }
})

/** Addresses that have no JSON. */
const WITHOUT_JSON = [
  /^\/$/,
  /^\/\*$/,
  /\.(?:txt|json|svg)$/,
  /^\/(?:words|installed|sign-|assets|metrics)/,
  /\/compare$/,
  /:theme/,
]

test('OpenAPI has each address that answers with JSON', () => {
  const routes = app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path)
  const paths = routes.filter((path) => !WITHOUT_JSON.some((pattern) => pattern.test(path)))
  expect(Object.keys(openApi().paths).toSorted()).toEqual(
    [...new Set(paths.map((path) => path.replaceAll(/:(\w+)/g, '{$1}')))].toSorted(),
  )
  expect(Object.keys(openApi().paths)).toContain(REPORT_ROUTE.replaceAll(/:(\w+)/g, '{$1}'))
})

test('both are served', async () => {
  expect(await (await app.request(LLMS_PATH)).text()).toBe(read('src/web/assets/llms.txt'))
  expect(await (await app.request(OPENAPI_PATH)).json()).toEqual(JSON.parse(read('schema/openapi.json')))
})
