import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openTrunkRows } from '../../../../src/intake/imports/history/read-trunk-rows.ts'
import { REPETITION_COLUMNS, REQUIRED_COLUMNS } from '../../../../src/intake/imports/history/table-rows.ts'
import type { TrunkRow } from '../../../../src/intake/imports/history/trunk-row.ts'
import { mediansOfRepetitions } from '../../../../src/judge/history/medians-of-repetitions.ts'

/** The rows that the page shows, and the columns that it calls required. */
const page = readFileSync(new URL('../../../../docs/formats.md', import.meta.url), 'utf8')
const sectionOf = (title: string) => page.split(`### \`${title}\``)[1]!.split(/\n##/)[0]!
const examplesOf = (section: string) => [...section.matchAll(/```json\n(.*)\n```/g)].map(([, row]) => row!)
const requiredOf = (section: string) =>
  [...section.matchAll(/^\| (.*?) \| required \|/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  )

async function read(...lines: readonly string[]): Promise<TrunkRow[]> {
  const bytes = (async function* () {
    yield Buffer.from(`${lines.join('\n')}\n`)
  })()
  const warnings: string[] = []
  const add = (...[, , , message]: readonly unknown[]) => void warnings.push(String(message))
  const file = await openTrunkRows('page', bytes, {
    trunk: ['master'],
    medians: mediansOfRepetitions,
    warnings: { add },
    skipped: () => {},
  })
  const rows: TrunkRow[] = []
  for await (const row of file.rows()) rows.push(row)
  expect(warnings).toEqual([])
  return rows
}

test('query_metrics_v2: what the page calls required is, and its row is read', async () => {
  const section = sectionOf('query_metrics_v2')
  expect(requiredOf(section).toSorted()).toEqual([...REQUIRED_COLUMNS].toSorted())
  expect(await read(...examplesOf(section))).toMatchObject([
    { test: 'sum', queryIndex: 8, old: 0.0213, new: 0.0227, difference: 0.0657, threshold: 0.04, architecture: 'arm' },
  ])
})

test('query_metric_runs_v1: the same; both sides make a row', async () => {
  const section = sectionOf('query_metric_runs_v1')
  expect(requiredOf(section).toSorted()).toEqual([...REPETITION_COLUMNS].toSorted())
  const [candidate] = examplesOf(section)
  const baseline = candidate!.replace('"candidate"', '"baseline"').replace('0.0227', '0.0213')
  expect(await read(candidate!, baseline)).toMatchObject([{ test: 'sum', old: 0.0213, new: 0.0227 }])
})
