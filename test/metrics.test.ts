import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { Metrics, type Readings } from '../src/telemetry/metrics.ts'

const READ: Readings = {
  queue: {
    waiting: { deliveries: 1, triages: 2 },
    oldestSeconds: 3,
    pausedInstallations: 4,
    installations: [],
    writes: [{ installationId: 12, made: 13 }],
  },
  inboxSize: { bytes: 14, tables: [{ table: 'deliveries', rows: 15 }] },
  isDatabaseUp: true,
  tables: null,
  databaseDisks: [{ disk: 'default', freeBytes: 5, sizeBytes: 6 }],
  disk: { freeBytes: 7, sizeBytes: 8 },
  process: { residentBytes: 9, heapBytes: 10, uptimeSeconds: 11 },
}

async function seriesOf(metrics: Metrics, read: Readings): Promise<string[]> {
  return (await metrics.text(read)).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

test('what nobody answers for has no value, also where it had one before', async () => {
  const metrics = new Metrics()
  const all = await seriesOf(metrics, READ)
  for (const line of [
    'inbox_up 1',
    'queue_oldest_seconds 3',
    'github_writes_in_hour{installation="12"} 13',
    'inbox_bytes 14',
    'inbox_rows{table="deliveries"} 15',
    'disk_size_bytes 8',
    'database_disk_free_bytes{disk="default"} 5',
  ])
    expect(all).toContain(`perf_triage_${line}`)
  const few = await seriesOf(metrics, { ...READ, queue: null, inboxSize: null, databaseDisks: null, disk: null })
  expect(few).toContain('perf_triage_inbox_up 0')
  expect(few.filter((line) => /queue_|disk_|paused|writes_in_hour|inbox_(?:bytes|rows)/.test(line))).toEqual([])
  expect(few).toContain('perf_triage_process_uptime_seconds 11')
  expect(await seriesOf(metrics, READ)).toEqual(all)
})

test('what is left of an hour is gone with the hour, and makes room for others', async () => {
  let now = 1_000
  const metrics = new Metrics(() => now)
  const budgets = async () => (await seriesOf(metrics, READ)).filter((line) => line.includes('budget_remaining{'))
  for (let installation = 1; installation <= 10; installation++) metrics.githubBudget(installation, installation, 2_000)
  expect(await budgets()).toHaveLength(10)
  now = 2_000
  metrics.githubBudget(11, 4_999, 5_000)
  expect(await budgets()).toEqual(['perf_triage_github_budget_remaining{installation="11"} 4999'])
  now = 5_000
  expect(await budgets()).toEqual([])
})

test('an inbox whose rows are not counted in time is not away', async () => {
  const series = await seriesOf(new Metrics(), { ...READ, inboxSize: null })
  expect(series).toContain('perf_triage_inbox_up 1')
  expect(series.filter((line) => /inbox_(?:bytes|rows)/.test(line))).toEqual([])
})

test('each panel of the dashboard has a number and a place of its own', () => {
  const place = z.object({ x: z.number(), y: z.number() })
  const { panels } = z
    .object({ panels: z.array(z.object({ id: z.number(), gridPos: place })) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'docs/metrics/grafana-dashboard.json'), 'utf8')))
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length)
})

const ROOT = join(import.meta.dirname, '..')
const alerts = z
  .object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })) })
  .parse(parse(readFileSync(join(ROOT, 'docs/metrics/alerts.yaml'), 'utf8')))

test('an alert that chooses series by a label and compares them adds both sides: Prometheus compares what has the same labels', () => {
  const compared = alerts.groups
    .flatMap(({ rules }) => rules)
    .flatMap(({ alert, expr }) => {
      const sides = expr.split(/ (?:[<>=]+|and|unless|or) /).filter((side) => side.includes('perf_triage_'))
      return sides.length > 1 && expr.includes('{') ? sides.map((side) => ({ alert, side })) : []
    })
  expect(compared.length).toBeGreaterThan(2)
  expect(compared.filter(({ side }) => !/^(?:[\d.]+ \* )?sum\b/.test(side))).toEqual([])
})

test.skipIf(spawnSync('promtool', ['--version']).error !== undefined)('the alerts as Prometheus reads them', () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'test/alerts.promtool.yaml'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect([status, stdout, stderr]).toEqual([0, expect.stringContaining('SUCCESS'), ''])
})
