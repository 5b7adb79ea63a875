import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { zipOf } from '../../demo/github/zip.ts'
import { type BotSetting, makeBotSetting, rawRun, SLOWER, STEADY } from './bot-setting.ts'

const TOKEN = 'a-token-of-the-test-only'
const DOCS = join(import.meta.dirname, '../../docs/metrics')

let setting: BotSetting
beforeAll(async () => {
  setting = await makeBotSetting({ env: { METRICS_TOKEN: TOKEN, METRICS_PORT: '0' } })
})
afterAll(() => setting.close())

/** The metrics as Prometheus reads them: names with labels, and their values. */
async function scraped(): Promise<Map<string, number>> {
  const text = await (await fetch(setting.bot.metricsUrl!)).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

test('what the bot does is counted: deliveries, triages by stage, calls, verdicts, the queue, the database', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'counted' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const zip = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip }] })
  await setting.settled()

  const metrics = await scraped()
  const sent = github.deliveries.filter(({ statusCode }) => statusCode === 200).length
  expect(metrics.get('perf_triage_deliveries_total{state="received"}')).toBe(sent)
  expect(metrics.get('perf_triage_deliveries_total{state="done"}')).toBe(sent)
  const triages = metrics.get('perf_triage_triages_total{outcome="done"}')!
  expect(triages).toBeGreaterThan(0)
  expect(metrics.get('perf_triage_triage_seconds_count{stage="whole"}')).toBe(triages)
  for (const stage of ['gather', 'measure', 'judge', 'publish'])
    expect(metrics.get(`perf_triage_triage_seconds_count{stage="${stage}"}`), stage).toBeGreaterThan(0)
  const verdicts = [...metrics].filter(([name]) => name.startsWith('perf_triage_verdicts_total{'))
  expect(verdicts.reduce((sum, [, value]) => sum + value, 0)).toBe(1)
  const calls = [...metrics].filter(([name]) => name.startsWith('perf_triage_github_request_seconds_count{'))
  expect(calls.reduce((sum, [, value]) => sum + value, 0)).toBeGreaterThan(10)
  const budgets = [...metrics].filter(([name]) => name.startsWith('perf_triage_github_budget_remaining{'))
  expect(budgets).toHaveLength(1)
  expect(budgets[0]![1]).toBeLessThan(15_000)
  expect(metrics.get('perf_triage_database_up')).toBe(1)
  expect(metrics.get('perf_triage_downloads_total{outcome="done"}')).toBe(1)
  expect(metrics.get('perf_triage_queue_waiting{queue="triages"}')).toBe(0)
  expect(metrics.get('perf_triage_process_resident_memory_bytes')).toBeGreaterThan(0)
  expect([...metrics.keys()].some((name) => name.startsWith('perf_triage_record_rows{'))).toBe(true)
})

test('at the address of the pages only who knows the token sees more than the public record', async () => {
  const ask = async (authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization }
    return await (await fetch(`${setting.bot.url}/metrics`, { headers })).text()
  }
  expect(await ask(`Bearer ${TOKEN}`)).toContain('perf_triage_deliveries_total')
  for (const other of [undefined, 'Bearer another-token-altogether', TOKEN, ''])
    expect(await ask(other)).not.toContain('perf_triage_deliveries_total')
})

test('the dashboard and the alerts ask for metrics that are there', async () => {
  const known = new Set([...(await scraped()).keys()].map((name) => name.replace(/\{.*/, '')))
  // Series of these come only with the first of what they count.
  for (const name of ['installation_oldest_seconds', 'record_precision']) known.add(`perf_triage_${name}`)
  const dashboard = z
    .object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) })
    .parse(JSON.parse(readFileSync(join(DOCS, 'grafana-dashboard.json'), 'utf8')))
  const alerts = z
    .object({ groups: z.array(z.object({ rules: z.array(z.object({ expr: z.string() })) })) })
    .parse(parse(readFileSync(join(DOCS, 'alerts.yaml'), 'utf8')))
  const asked = [
    ...dashboard.panels.flatMap(({ targets }) => targets),
    ...alerts.groups.flatMap(({ rules }) => rules),
  ].flatMap(({ expr }) => [...expr.matchAll(/perf_triage_\w+/g)].map(([name]) => name))
  expect(asked.length).toBeGreaterThan(15)
  expect(asked.filter((name) => !known.has(name))).toEqual([])
})
