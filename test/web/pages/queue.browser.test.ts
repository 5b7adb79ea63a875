import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore, type Store } from '../../../src/store/store.ts'
import type { RunningServer } from '../../../src/web/server.ts'
import { perfTriage } from '../../cli/commands/capture.ts'
import { helpExamples } from '../../cli/commands/help-examples.ts'
import { ownDatabase, variablesOf } from '../../store/embedded/engine-fixture.ts'
import { sampleReport } from '../sample-report.ts'
import { servedPages } from '../served-pages.ts'
import { expectAccessible, sharedBrowser, shown } from '../shown-page.ts'

const database = ownDatabase()
let store: Store
let server: RunningServer
let browser: Browser

beforeAll(async () => {
  store = await openStore(database)
  const redChecks = ['Build <b>1</b>', 'Tests | `a`'].map((name) => ({ name, url: null, state: 'not-known' as const }))
  await store.reports.save({
    ...sampleReport(),
    judgedAt: new Date().toISOString(),
    failingTests: { source: 'own', problem: null, lookbackDays: 60, failures: [], notJudged: 0, redChecks },
  })
  server = await servedPages({ store })
  browser = await sharedBrowser()
})
afterAll(async () => {
  await server?.close()
  await store?.close()
})

test.each(['/queue', '/digest'])('%s copies the lines of the command, by keyboard, and says so', async (path) => {
  const permissions = ['clipboard-read', 'clipboard-write']
  await shown(browser, server.url + path, { permissions }, async (page) => {
    for (const [name, form] of [
      ['Copy as Markdown', 'markdown'],
      ['Copy for Slack', 'slack'],
    ] as const) {
      const button = page.getByRole('button', { name, exact: true })
      await button.focus()
      await page.keyboard.press('Enter')
      await page.locator('.paste > div', { has: button }).getByText('Copied', { exact: true }).waitFor()
      const { stdout } = await perfTriage(['queue', '--as', form], {
        env: { ...variablesOf(database), PUBLIC_URL: 'http://localhost' },
      })
      expect(stdout).toContain('Build')
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(stdout.trimEnd())
    }
    await expectAccessible(page)
  })
  await shown(browser, server.url + path, { javaScriptEnabled: false }, async (page) => {
    expect(await page.locator('.paste button').count()).toBe(0)
    expect(await page.locator('.paste pre').first().isVisible()).toBe(false)
  })
})

test.each(['queue', 'record', 'quality', 'ledger list', 'history list'])(
  'the examples of %s run as they stand',
  async (command) => {
    for (const { text, words } of await helpExamples(command)) {
      const { code, stdout, stderr } = await perfTriage(words, { env: variablesOf(database) })
      // What a table says below itself goes to stderr where it is piped; an error names the command.
      expect({ code, stderr }, text).toEqual({ code: 0, stderr: expect.not.stringMatching(/^perf-triage/m) })
      expect(stdout, text).not.toBe('')
    }
  },
)
