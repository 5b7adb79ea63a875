import { expect, test } from 'vitest'
import type { TriageReport } from '../../src/report/report.ts'
import { flameGraphPath, ownRowPath, reportPath } from '../../src/report/urls.ts'
import { type KnownRepositories, publicAccess } from '../../src/web/access/access.ts'
import { pages } from '../../src/web/pages.ts'
import { memoryReports } from './memory-reports.ts'
import { recordingLog } from './recording-log.ts'
import { sampleReport } from './sample-report.ts'

/** The bot knows the repository of the report as `acme/renamed.db`. */
function renamed(report: TriageReport) {
  const known = {
    repositoryId: report.repository.id,
    installationId: 1,
    owner: 'acme',
    repo: 'renamed.db',
    isPrivate: false,
    isGone: false,
  }
  const repositories: KnownRepositories = {
    byName: async (owner, repo) => (`${owner}/${repo}` === 'acme/renamed.db' ? known : null),
    byId: async () => known,
  }
  const { store } = memoryReports(report)
  const stacks = [{ stack: 'main;work', count: 100 }]
  const summary = { traceType: 'CPU' as const, old: 100, new: 100, runs: ['1'] }
  return pages({
    store: {
      ...store,
      profiles: { summariesOf: async () => [summary], stacksOf: async () => ({ old: stacks, new: stacks }) },
    },
    access: publicAccess(store.reports, repositories),
    publicUrl: 'https://perf.example.org',
    version: '1',
    log: recordingLog(),
  })
}

test('no page of a renamed repository leads to its old name, here or on GitHub', async () => {
  const report = sampleReport()
  const app = renamed(report)
  const address = { owner: 'acme', repo: 'renamed.db', number: report.pullRequest.number, head: report.head }
  const row = report.rows[0]!
  for (const path of [reportPath(address), ownRowPath(address, row), flameGraphPath(address, row)]) {
    const answer = await app.request(path)
    expect([path, answer.status]).toEqual([path, 200])
    const html = await answer.text()
    expect(html).not.toMatch(/acme\/fast\.db/i)
    expect(html).toContain(`href="/r/acme/renamed.db"`)
  }
  const html = await (await app.request(reportPath(address))).text()
  expect(html).toContain(`href="https://github.com/acme/renamed.db/pull/${address.number}"`)
  for (const path of [ownRowPath(address, row), reportPath(address)]) {
    expect(await (await app.request(`${path}?format=json`)).text()).not.toContain('acme/fast.db')
  }
  expect((await app.request(reportPath({ ...address, repo: 'fast.db' }))).status).toBe(404)
})

test('in other letters it is the same name, as the report has it', async () => {
  const report = sampleReport()
  const { store } = memoryReports(report)
  const app = pages({ store, publicUrl: 'https://perf.example.org', version: '1', log: recordingLog() })
  expect(await (await app.request('/r/ACME/Fast.DB/pull/7?format=json')).json()).toMatchObject(report)
})
