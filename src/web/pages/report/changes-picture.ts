import type { Hono, MiddlewareHandler } from 'hono'
import { changeSizes, changesKey } from '../../../render/change-sizes.ts'
import { CHANGES_PICTURE_ROUTE, parseReportAddress, type Theme } from '../../../report/urls.ts'
import { IMMUTABLE_CACHE, PRIVATE_CACHE } from '../../kit/answers.ts'
import { publicReport } from '../shown-report.ts'
import type { Site } from '../site.ts'
import { changeStripFile } from './change-strip.ts'

const SVG = 'image/svg+xml'

/**
 * A picture of the report for the comment, of public repositories only: whoever shows it asks without a session. Its address
 * holds a hash of what it shows; under one of a report that was judged anew since, caches don't keep what is there now.
 */
export function changesPictureRoutes(app: Hono, site: Site): void {
  const { answers } = site
  app.get(CHANGES_PICTURE_ROUTE, async (context) => {
    const { key, theme } = context.req.param()
    const report = await publicReport(site, context, parseReportAddress(context.req.param()))
    const sizes = report === null ? null : changeSizes(report)
    if (sizes === null) return answers.notFound(context)
    const picture = await changeStripFile(sizes, (theme ?? '').replace('.svg', '') as Theme)
    return answers.text(context, String(picture), SVG, key === changesKey(sizes) ? IMMUTABLE_CACHE : PRIVATE_CACHE)
  })
}

/** Comes before the headers of pages, which it takes the place of: a picture has its style inside, and stands on other sites. */
export const pictureHeaders: MiddlewareHandler = async (context, next) => {
  await next()
  if (context.res.headers.get('Content-Type') !== SVG) return
  context.res.headers.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
  context.res.headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
}
