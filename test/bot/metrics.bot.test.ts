import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { zipOf } from '../../demo/github/zip.ts'
import { readRun } from '../../src/intake/archive/read-run.ts'
import type { Measurement } from '../../src/intake/measurement/run.ts'
import { ownRowPath } from '../../src/report/urls.ts'
import { clickhouseFiles } from '../intake/measurement/formats/clickhouse-metric-files.ts'
import { type BotSetting, botComments, makeBotSetting } from './bot-setting.ts'

/** The metrics in an archive of ClickHouse's performance check, from the webhook to the comment and the page of a query. */

const METRICS_RUN = fileURLToPath(new URL('../data/run-metrics/measurements.jsonl.gz', import.meta.url))

let setting: BotSetting
/** Milliseconds by which the bot's clock is ahead. */
let ahead = 0
/**
 * Four queries with their counters; `read_filtered` has no condition moved to PREWHERE any more. On a table of this size that
 * costs nothing, so its time, and nothing else, is made half as long again.
 */
let recorded: readonly Measurement[]

function slower(one: Measurement): Measurement {
  const isTime = one.test === 'read_filtered' && one.metric === 'client_time'
  return isTime ? { ...one, new: one.old.map((value) => Number((value * 1.5).toFixed(6))) } : one
}

beforeAll(async () => {
  recorded = (await readRun(METRICS_RUN)).measurements.map((one) => slower({ ...one, queryIndex: one.queryIndex ?? 0 }))
  setting = await makeBotSetting({
    files: { 'src/main.cpp': 'int main() { return 0; }\n' },
    bot: { now: () => Date.now() + ahead },
  })
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

const measured = z.object({
  measured: z.array(
    z.object({
      metrics: z.array(
        z.object({
          metric: z.string(),
          unit: z.string().nullable(),
          group: z.string(),
          moved: z.boolean(),
          withPrimary: z.object({ coefficient: z.number() }).nullable(),
          samples: z.object({ old: z.array(z.number()), new: z.array(z.number()) }).nullable(),
        }),
      ),
    }),
  ),
})

test('different work, and every metric of the query on its page with its samples', async () => {
  const { github, repo, bot } = setting
  const pull = github.openPullRequest({
    repo,
    head: 'prewhere',
    files: { 'src/main.cpp': 'int main() { return 1; }\n' },
  })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf(clickhouseFiles(recorded))
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip }] })
  await setting.settled()

  const report = (await bot.store.reports.of(repo.id, pull.number))!
  expect(report.warnings).toEqual([])
  expect(report.rows).toHaveLength(4)
  const row = report.rows.find(({ test: name }) => name === 'read_filtered')!
  const work = row.evidence.find(({ kind }) => kind === 'different-work')
  expect(work).toMatchObject({
    kind: 'different-work',
    metrics: [{ metric: 'RowsReadByPrewhereReaders', old: 600_000, new: 0 }],
  })
  expect(botComments(pull)[0]!.body).toContain('RowsReadByPrewhereReaders')

  const path = ownRowPath({ owner: 'acme', repo: 'engine', number: pull.number, head: report.head }, row)
  const page = async () => await (await fetch(`${bot.url}${path}`)).text()
  const later = 'The other metrics of this run will follow within minutes.'
  for (const words of ['RowsReadByPrewhereReaders', later]) expect(await page()).toContain(words)
  expect(await page()).not.toContain('UserTimeMicroseconds')
  ahead += 60_000
  await setting.settled()
  expect(await page()).toContain('UserTimeMicroseconds')
  expect(await page()).not.toContain(later)
  const [found] = measured.parse(await (await fetch(`${bot.url}${path}?format=json`)).json()).measured
  const ofQuery = recorded.filter(
    ({ test: name, old, new: fresh }) => name === row.test && [...old, ...fresh].some((value) => value !== 0),
  )
  const shown = [...ofQuery.map(({ metric }) => metric), 'bytes-per-row']
  expect(found!.metrics.map(({ metric }) => metric).toSorted()).toEqual(shown.toSorted())
  for (const { metric, old, new: fresh } of ofQuery) {
    expect(found!.metrics.find((one) => one.metric === metric)!.samples).toEqual({ old, new: fresh })
  }
  const byName = new Map(found!.metrics.map((one) => [one.metric, one]))
  expect(byName.get('UserTimeMicroseconds')).toMatchObject({ unit: 'us', group: 'cpu' })
  expect(byName.get('UserTimeMicroseconds')!.withPrimary).not.toBeNull()
  expect(byName.get('RowsReadByPrewhereReaders')).toMatchObject({ moved: true, group: 'work' })
})
