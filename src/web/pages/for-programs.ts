import { readFileSync } from 'node:fs'
import type { Hono } from 'hono'
import { LLMS_PATH, OPENAPI_PATH } from '../../report/urls.ts'
import { PUBLIC_CACHE } from '../kit/answers.ts'
import type { Site } from './site.ts'

/** What tells other programs what there is: `docs/README.md` as a list, and the pages as OpenAPI. */
export function forProgramsRoutes(app: Hono, { answers }: Site): void {
  const list = readFileSync(new URL('../assets/llms.txt', import.meta.url), 'utf8')
  let described: string | undefined
  app.get(LLMS_PATH, (context) => answers.text(context, list, 'text/plain; charset=utf-8', PUBLIC_CACHE))
  app.get(OPENAPI_PATH, async (context) => {
    const { openApi } = await import('./openapi.ts')
    described ??= JSON.stringify(openApi())
    return await answers.text(context, described, 'application/json', PUBLIC_CACHE)
  })
}
