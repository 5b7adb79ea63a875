import { expect, test } from 'vitest'
import { MCP_PATH } from '../../../../src/report/urls.ts'
import { publicAccess } from '../../../../src/web/access/access.ts'
import { pages } from '../../../../src/web/pages.ts'
import { memoryReports } from '../../memory-reports.ts'
import { recordingLog } from '../../recording-log.ts'
import { sampleReport } from '../../sample-report.ts'

test('each question asks for access by its own request', async () => {
  const report = sampleReport()
  const { store } = memoryReports(report)
  const access = publicAccess(store.reports)
  const askedBy: (string | undefined)[] = []
  const app = pages({
    store,
    publicOnly: {
      ...access,
      async visible(context, owner, repo) {
        askedBy.push(context.req.header('user-agent'))
        return await access.visible(context, owner, repo)
      },
    },
    publicUrl: 'https://perf.example.org',
    version: '1.2.3',
    log: recordingLog(),
  })
  const { repository, pullRequest } = report
  const given = { repository: `${repository.owner}/${repository.name}`, pullRequest: pullRequest.number }
  const ask = async (client: string) => {
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
        params: { name: 'open_rows', arguments: given },
      }),
    })
    return [response.status, (await response.text()).includes(report.head)]
  }
  expect([await ask('first'), await ask('second')]).toEqual([
    [200, true],
    [200, true],
  ])
  expect(askedBy).toEqual(['first', 'second'])
})
