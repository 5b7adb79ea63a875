import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { z } from 'zod'

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const resultSchema = z.object({
  violations: z.array(z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
})

/** The rules that look at colours. The dark theme changes colours alone: what the others say of the light one holds. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * Hides the rows of a table that three others are like, in all but their texts and the values of their attributes, and
 * gives what shows them again: a table of two hundred runs takes axe seconds.
 */
const HIDE_ALIKE = `(() => {
  const seen = new Map()
  const shapeOf = (element) => {
    const attributes = [...element.attributes].map(({ name, value }) => name + (value.trim() === '' ? ' empty' : ''))
    const children = [...element.children].map(shapeOf)
    return [element.tagName, element.getAttribute('class'), attributes, element.textContent.trim() === '', children]
  }
  const alike = [...document.querySelectorAll('table')].flatMap((table, index) =>
    [...table.querySelectorAll('tbody > tr')].filter((row) => {
      const shape = JSON.stringify([index, shapeOf(row)])
      seen.set(shape, (seen.get(shape) ?? 0) + 1)
      return seen.get(shape) > 3
    }),
  )
  for (const row of alike) row.style.display = 'none'
  return () => {
    for (const row of alike) row.style.display = ''
  }
})()`

/**
 * What axe finds wrong with the page as it is shown, a line each; the page's own policy is not in its way.
 * @param rules null: all that axe has on
 */
export async function violationsOf(page: Page, rules: readonly string[] | null = null): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(await source)
  const options = {
    // What is in order needs neither its selectors nor its place in the result.
    resultTypes: ['violations'],
    selectors: false,
    ...(rules !== null && { runOnly: { type: 'rule', values: rules } }),
  }
  const look = `(async () => {
    const show = ${HIDE_ALIKE}
    try {
      return await axe.run(document, ${JSON.stringify(options)})
    } finally {
      show()
    }
  })()`
  const { violations } = resultSchema.parse(await page.evaluate(look))
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`))
}
