import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { zipOf } from '../../demo/github/zip.ts'
import { WEBHOOK_PATH } from '../../src/web/server.ts'
import { perfTriage } from '../cli/commands/capture.ts'
import { postgresServer } from '../inbox/postgres-server.ts'
import { ownDatabase, serverVariablesOf } from '../store/embedded/engine-fixture.ts'
import { type BotSetting, environmentVariables, makeBotSetting, rawRun, SLOWER, STEADY } from './bot-setting.ts'

const TOKEN = 'a-token-of-the-test-only'
const DOCS = join(import.meta.dirname, '../../docs/metrics')

let setting: BotSetting

/** What came to the receiver of traces. */
const sent: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[] = []
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    sent.push({ path: request.url!, headers: request.headers, text: Buffer.concat(chunks).toString('utf8') })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
})

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  setting = await makeBotSetting({
    env: { METRICS_TOKEN: TOKEN, METRICS_PORT: '0', WEBHOOK_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
  })
})
afterAll(async () => {
  await setting.close()
  receiver.closeAllConnections()
  receiver.close()
})

/** The metrics as Prometheus reads them: names with labels, and their values. */
async function scraped({ bot } = setting): Promise<Map<string, number>> {
  const text = await (await fetch(bot.metricsUrl!)).text()
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
  expect(metrics.get('perf_triage_inbox_rows{table="deliveries"}')).toBe(sent)
  expect(metrics.get('perf_triage_inbox_bytes')).toBeGreaterThan(100_000)
  expect(metrics.get('perf_triage_database_up')).toBe(1)
  expect(metrics.get('perf_triage_table_rows{table="samples"}')).toBeGreaterThan(0)
  expect(metrics.get('perf_triage_table_bytes{table="samples"}')).toBeGreaterThan(0)
  const days =
    (metrics.get('perf_triage_table_next_expiry_timestamp_seconds{table="samples"}')! - Date.now() / 1000) / 86_400
  expect(days).toBeGreaterThan(88)
  expect(days).toBeLessThan(91)
  expect(metrics.has('perf_triage_table_next_expiry_timestamp_seconds{table="reports"}')).toBe(false)
  expect(metrics.get('perf_triage_disk_free_bytes')).toBeGreaterThan(1e6)
  expect(metrics.get('perf_triage_downloads_total{outcome="done"}')).toBe(1)
  expect(metrics.get('perf_triage_queue_waiting{queue="triages"}')).toBe(0)
  expect(metrics.get('perf_triage_process_resident_memory_bytes')).toBeGreaterThan(0)
  expect([...metrics.keys()].some((name) => name.startsWith('perf_triage_record_rows{'))).toBe(true)
})

test('rows of a head that is judged again are counted where their verdict is another one', async () => {
  const { github, repo } = setting
  const verdicts = async () =>
    [...(await scraped())].reduce((sum, [name, value]) => sum + (name.includes('verdicts_total{') ? value : 0), 0)
  const before = await verdicts()
  const pull = github.openPullRequest({ repo, head: 'twice' })
  for (const [index, test] of ['first', 'second'].entries()) {
    const run = github.startWorkflowRun(repo, { name: `Performance ${index}`, pull })
    const zip = zipOf({ [`${test}-raw.tsv`]: rawRun(test, [{ old: STEADY, new: SLOWER }]) })
    await github.finishWorkflowRun(run, { artifacts: [{ name: `performance-results-${index}`, zip }] })
    await setting.settled()
    expect((await setting.bot.store.reports.of(repo.id, pull.number))!.rows).toHaveLength(index + 1)
  }
  expect(await verdicts()).toBe(before + 2)
})

test('webhooks that are not taken are counted by why; the disks of the database and of the data folder; a query changes nothing', async () => {
  const { url, metricsUrl } = setting.bot
  const headers = {
    ...{ 'content-type': 'application/json', 'x-github-event': 'ping', 'x-github-delivery': randomUUID() },
    'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
  }
  const post = async (init: RequestInit) => (await fetch(`${url}${WEBHOOK_PATH}`, { method: 'POST', ...init })).status
  expect(await post({ headers, body: '{}' })).toBe(400)
  expect(await post({ body: '{}' })).toBe(400)
  const refused = async (reason: string) =>
    (await scraped()).get(`perf_triage_webhooks_refused_total{reason="${reason}"}`)
  expect(await refused('not-signed')).toBe(1)
  expect(await refused('not-github')).toBe(1)
  expect(await refused('too-large')).toBe(0)
  const metrics = await scraped()
  expect(metrics.get('perf_triage_disk_size_bytes')).toBeGreaterThan(metrics.get('perf_triage_disk_free_bytes')!)
  const free = metrics.get('perf_triage_database_disk_free_bytes{disk="default"}')!
  expect(free).toBeGreaterThan(1e6)
  expect(metrics.get('perf_triage_database_disk_size_bytes{disk="default"}')).toBeGreaterThan(free)
  expect((await fetch(`${metricsUrl}?x=1`)).status).toBe(200)
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
  for (const name of ['installation_oldest_seconds', 'github_writes_in_hour', 'record_precision'])
    known.add(`perf_triage_${name}`)
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

const attribute = z.object({ key: z.string(), value: z.record(z.string(), z.union([z.string(), z.number()])) })
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(attribute),
  startTimeUnixNano: z.string().transform(BigInt),
  endTimeUnixNano: z.string().transform(BigInt),
})
type Span = z.output<typeof span>

/** A body of OTLP/HTTP in JSON, as far as it is looked at here. */
const traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
})

test('on the port for webhooks a delivery is verified, and there are no pages', async () => {
  const url = setting.bot.webhookUrl!
  const headers = { 'content-type': 'application/json', 'x-github-event': 'ping', 'x-github-delivery': 'c0ffee' }
  const forged = { ...headers, 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }
  expect((await fetch(url + WEBHOOK_PATH, { method: 'POST', body: '{}', headers: forged })).status).toBe(400)
  expect((await fetch(`${url}/`)).status).toBe(404)
  expect((await fetch(setting.bot.url)).status).toBe(200)
})

test('a trace for each delivery and each triage, by stage and call; no address, name, query or secret in it', async () => {
  await setting.bot.stop()
  expect(new Set(sent.map(({ path, headers }) => `${path} ${headers['content-type']}`))).toEqual(
    new Set(['/v1/traces application/json']),
  )
  const resources = sent.flatMap(({ text }) => traces.parse(JSON.parse(text)).resourceSpans)
  expect(resources[0]!.resource.attributes).toContainEqual({
    key: 'service.name',
    value: { stringValue: 'perf-triage' },
  })
  const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  const roots = spans.filter(({ parentSpanId }) => !parentSpanId)
  const ofTrace = (root: Span) => spans.filter(({ traceId }) => traceId === root.traceId)
  const taken = roots.filter(({ name }) => name === 'delivery')
  expect(taken).toHaveLength(setting.github.deliveries.filter(({ statusCode }) => statusCode === 200).length)

  const triages = roots.filter(({ name }) => name === 'triage').map(ofTrace)
  const full = triages.find((trace) => trace.some(({ name }) => name === 'triage publish'))!
  const names = full.map(({ name }) => name)
  for (const stage of ['gather', 'measure', 'judge', 'publish']) expect(names).toContain(`triage ${stage}`)
  expect(names).toContain('GitHub POST /repos/{owner}/{repo}/check-runs')
  expect(names.some((name) => name.startsWith('ClickHouse '))).toBe(true)
  const inside = full.find(({ name }) => name === 'GitHub POST /repos/{owner}/{repo}/check-runs')!
  expect(inside.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 201 } })
  for (const { parentSpanId, startTimeUnixNano, endTimeUnixNano } of full) {
    expect(endTimeUnixNano).toBeGreaterThanOrEqual(startTimeUnixNano)
    const parent = full.find(({ spanId }) => spanId === parentSpanId)
    if (parent !== undefined) expect(parent.startTimeUnixNano).toBeLessThanOrEqual(startTimeUnixNano)
  }

  const everything = sent.map(({ text }) => text).join('\n')
  const { privateKey, clientSecret } = setting.github.credentials
  for (const secret of [
    TOKEN,
    privateKey.slice(30, 80),
    clientSecret,
    'ghs_',
    'SELECT',
    '?',
    'acme',
    setting.github.url,
  ])
    expect(everything, secret).not.toContain(secret)
})

test('what traces need is loaded only where they are sent', () => {
  const src = join(import.meta.dirname, '../../src')
  const naming = globSync('**/*.ts', { cwd: src }).filter((file) =>
    readFileSync(join(src, file), 'utf8').includes("'@opentelemetry/"),
  )
  expect(naming).toEqual(['telemetry/tracing.ts'])
  const imports = readFileSync(join(src, 'telemetry/tracing.ts'), 'utf8').match(/^import .*'@opentelemetry\/.*$/gm)
  expect(imports?.filter((line) => !line.startsWith('import type '))).toEqual([])
})

test('a port that is taken is named by its variable; while the inbox is away the rest is said', async () => {
  const postgres = await postgresServer()
  const shared = await makeBotSetting({ env: { DATABASE_URL: postgres.url, METRICS_PORT: '0' } })
  try {
    expect((await scraped(shared)).get('perf_triage_inbox_up')).toBe(1)
    const taken = new URL(shared.bot.metricsUrl!).port
    const second = { ...environmentVariables(shared.github, join(shared.dataDir, 'second')), METRICS_PORT: taken }
    expect(
      await perfTriage(['serve'], { env: { ...second, ...serverVariablesOf(ownDatabase()), LOG_LEVEL: 'silent' } }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('choose another METRICS_PORT'),
    })
    await postgres.stop()
    const metrics = await scraped(shared)
    expect(metrics.get('perf_triage_inbox_up')).toBe(0)
    expect(metrics.get('perf_triage_database_up')).toBe(1)
    expect(metrics.has('perf_triage_queue_oldest_seconds')).toBe(false)
    await postgres.start()
    await expect.poll(async () => (await scraped(shared)).get('perf_triage_inbox_up')).toBe(1)
  } finally {
    await shared.close()
    await postgres.remove()
  }
})
