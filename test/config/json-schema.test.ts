import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { repositoryConfigJsonSchema } from '../../src/config/json-schema.ts'

function file(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
}

test('schema/perf-triage.schema.json is current (`node src/config/json-schema.ts` prints it)', () => {
  const printed = `${JSON.stringify(repositoryConfigJsonSchema(), null, 2)}\n`
  expect(file('schema/perf-triage.schema.json')).toBe(printed)
})

test('an editor accepts the example and refuses an unknown key', () => {
  const validate = ajvFormats.default(new Ajv({ strict: false })).compile(repositoryConfigJsonSchema())
  const example: unknown = parse(file('docs/examples/clickhouse.perf-triage.yml'))
  expect(validate(example), JSON.stringify(validate.errors)).toBe(true)
  expect(validate({ tresholds: {} })).toBe(false)
  expect(validate({ thresholds: { changed: 5 } })).toBe(false)
  expect(validate({ tests: [{ test: 'sum', query: 3, ignore: 'disks', until: '2027-03-01' }] })).toBe(true)
  expect(validate({ tests: [{ test: 'sum', ignore: 'disks', until: '2027-02-30' }] })).toBe(false)
})
