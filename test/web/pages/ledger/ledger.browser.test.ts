import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entryPath } from '../../../../src/report/urls.ts'
import type { RunningServer } from '../../../../src/web/server.ts'
import { migratedDatabase } from '../../../store/embedded/engine-fixture.ts'
import { servedPages } from '../../served-pages.ts'
import { type Shown, sharedBrowser, shown, testLooks } from '../../shown-page.ts'
import { LEDGER, type LedgerSetting, makeLedgerSetting, REPOSITORY } from './ledger-setting.ts'

let setting: LedgerSetting
let server: RunningServer
let browser: Browser

beforeAll(async () => {
  setting = await makeLedgerSetting(await migratedDatabase())
  server = await servedPages({ store: setting.store })
  browser = await sharedBrowser()
})
afterAll(async () => {
  await server?.close()
  await setting?.close()
})

const KINDS = [null, 'chronic', 'closed', 'mover'] as const
type Kind = (typeof KINDS)[number]
const pathOf = (kind: Kind) => (kind === null ? LEDGER : entryPath(REPOSITORY, setting[kind]))

const open = (path: string, options: Shown, look: (page: Page) => Promise<void>) =>
  shown(browser, server.url + path, options, look)

describe.each(KINDS.map((kind) => [kind ?? 'the ledger', kind] as const))('%s', (_, kind) => {
  testLooks(() => server.url + pathOf(kind))
})

test('searches, filters, sorts and turns pages, without JavaScript', async () => {
  await open(LEDGER, { javaScriptEnabled: false }, async (page) => {
    const rows = page.locator('.entries tbody')
    expect(await rows.count()).toBe(100)
    await page.getByRole('link', { name: 'Next' }).first().click()
    await page.waitForURL(/page=2/)
    expect(await page.locator('.entries caption').textContent()).toContain('Entries 101 to 200 of 966')
    await page.getByRole('link', { name: '30 days' }).click()
    await page.waitForURL(/sort=/)
    expect(await page.getByRole('columnheader', { name: '30 days' }).getAttribute('aria-sort')).toBe('descending')
    expect(await rows.first().locator('td[data-name="30 days"]').textContent()).toBe('10')
    await page.getByLabel('Test, check or signature').fill('port-forward')
    await page.locator('select[name=state]').selectOption('open')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(/state=open/)
    expect(await rows.count()).toBe(1)
    await rows.first().getByRole('link').first().click()
    await page.waitForURL(/ledger\/failure/)
    expect(await page.locator('h1').textContent()).toContain('Port-forward VMI')
    expect(new URL(page.url()).pathname).toBe(pathOf('chronic'))
  })
})

test('by keyboard: from the search to the entry, and into its numbers', async () => {
  await open(LEDGER, {}, async (page) => {
    await page.getByLabel('Test, check or signature').focus()
    await page.keyboard.type('port-forward')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=port-forward/)
    const link = page.locator('.entries a.label')
    await link.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/ledger\/failure/)
    await page.locator('summary', { hasText: 'The days as numbers' }).focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('details[open] tbody tr').count()).toBe(7)
  })
})

test('the bars of the timeline are drawn apart: pull requests above the axis, the trunk below', async () => {
  await open(pathOf('chronic'), {}, async (page) => {
    const axis = (await page.locator('.timeline .axis').boundingBox())!
    const bars = async (kind: string) => {
      const boxes = await Promise.all(
        (await page.locator(`.timeline rect.${kind}`).all()).map((bar) => bar.boundingBox()),
      )
      return boxes.map((box) => box!)
    }
    const [pullRequests, trunk] = [await bars('pull-requests'), await bars('trunk')]
    expect([pullRequests.length, trunk.length]).toEqual([5, 2])
    for (const { y, height, width } of pullRequests) {
      expect(y + height).toBeLessThanOrEqual(axis.y + 1)
      expect(width).toBeGreaterThan(2)
    }
    for (const { y } of trunk) expect(y).toBeGreaterThanOrEqual(axis.y - 1)
    const image = page.getByRole('img', { name: /^Hits of .* per day/ })
    expect(await image.count()).toBe(1)
  })
})
