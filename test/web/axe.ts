import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { z } from 'zod'

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const resultSchema = z.object({
  violations: z.array(z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
})

/** What axe finds wrong with the page as it is shown, a line each; the page's own policy is not in its way. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(await source)
  const { violations } = resultSchema.parse(await page.evaluate('axe.run(document)'))
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`))
}
