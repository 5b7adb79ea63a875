import { expect, test } from 'vitest'
import { z } from 'zod'
import { NOTHING_REMEMBERED } from '../../../../src/bot/triage/queue.ts'
import { queryKey } from '../../../../src/intake/measurement/run.ts'
import { shortIds } from '../../../../src/report/anchors.ts'
import type { QueueStep } from '../../../../src/report/queue/queue.ts'
import { queryName } from '../../../../src/report/row/name.ts'
import type { StepMark } from '../../../../src/report/step/marks.ts'
import { MCP_PATH } from '../../../../src/report/urls.ts'
import { publicAccess } from '../../../../src/web/access/access.ts'
import { type PagesOptions, pages } from '../../../../src/web/pages.ts'
import { memoryReports } from '../../memory-reports.ts'
import { recordingLog } from '../../recording-log.ts'
import { sampleReport } from '../../sample-report.ts'

const report = sampleReport()
const { repository, pullRequest } = report
const NAME = `${repository.owner}/${repository.name}`
const NOW = Date.UTC(2026, 10, 21)

/** Asks a tool in a request of its own. */
function asking(options: Partial<PagesOptions>) {
  const app = pages({
    store: memoryReports(report).store,
    publicUrl: 'https://perf.example.org',
    version: '1.2.3',
    log: recordingLog(),
    now: () => NOW,
    ...options,
  })
  return async (name: string, given: object, client = 'test'): Promise<string> => {
    const response = await app.request(MCP_PATH, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        host: 'perf.example.org',
        'user-agent': client,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: { repository: NAME, ...given } },
      }),
    })
    expect(response.status).toBe(200)
    return await response.text()
  }
}

test('each question asks for access by its own request', async () => {
  const { store } = memoryReports(report)
  const access = publicAccess(store.reports)
  const askedBy: (string | undefined)[] = []
  const ask = asking({
    store,
    publicOnly: {
      ...access,
      async visible(context, owner, repo) {
        askedBy.push(context.req.header('user-agent'))
        return await access.visible(context, owner, repo)
      },
    },
  })
  for (const client of ['first', 'second'])
    expect(await ask('open_rows', { pullRequest: pullRequest.number }, client)).toContain(report.head)
  expect(askedBy).toEqual(['first', 'second'])
})

const windows = z.array(z.object({ step: z.number() }))
const answered = z.object({ result: z.object({ structuredContent: z.object({ windows }) }) })

const STEP: QueueStep = {
  test: 'sum',
  queryIndex: 0,
  queryName: 'SELECT 0',
  architecture: 'arm',
  metric: 'client_time',
  threshold: 0.05,
  step: 0.1,
  lastGood: { commit: 'a'.repeat(40), time: NOW - 3_000 },
  firstBad: { commit: 'b'.repeat(40), time: NOW - 1_000 },
  earliest: NOW - 3_000,
  latest: NOW - 1_000,
  foundAt: NOW,
  window: null,
}

test('steps of the main branch are asked of the inbox alone, and by every name that a tool gives', async () => {
  const long = { ...STEP, test: `load_${'x'.repeat(100)}`, queryIndex: 1, queryName: 'SELECT 1', step: 0.3 }
  const unnamed = { ...STEP, queryIndex: null, queryName: `SELECT ${'y'.repeat(200)}`, step: 0.2 }
  const marked = { ...STEP, queryIndex: 2, queryName: 'SELECT 2', step: 0.9 }
  const by = { assignee: null, reason: '', actor: 'maria', actorId: 1, markedAt: NOW }
  const mark: StepMark = { step: marked, state: 'known', ...by }
  const steps: readonly QueueStep[] = [marked, STEP, long, unnamed, { ...STEP, firstBad: { commit: 'c', time: 0 } }]
  const { store } = memoryReports(report)
  const none = async (): Promise<never> => {
    throw new Error('asked of the database')
  }
  const ask = asking({
    store: { ...store, reports: { ...store.reports, ofQueue: none }, ledger: { ...store.ledger, find: none } },
    queueMemory: {
      ...NOTHING_REMEMBERED,
      stepsOf: async () => steps,
      marksOf: async () => [mark],
      addMarks: async () => {},
      releasesOf: async () => [],
    },
  })
  const stepsOf = async (row?: string) => {
    const text = await ask('step_window', row === undefined ? {} : { row })
    const { result } = answered.parse(JSON.parse(text.slice(text.indexOf('{'))))
    return result.structuredContent.windows.map(({ step }) => step)
  }
  expect(await stepsOf()).toEqual([0.3, 0.2, 0.1, 0.9])
  const idOf = shortIds(() => steps.map(queryKey))
  for (const one of [long, unnamed]) {
    expect(await stepsOf(queryName(one, 72))).toEqual([one.step])
    expect(await stepsOf(idOf(queryKey(one)))).toEqual([one.step])
  }
  expect(await stepsOf(`${long.test} #1`)).toEqual([0.3])
  expect(await stepsOf('another')).toEqual([])
})
