import type { Context, Hono, MiddlewareHandler } from 'hono'
import { rowAnchor } from '../../../report/anchors.ts'
import { changeSizes } from '../../../report/render/change-sizes.ts'
import { pictureKey, trunkPicture } from '../../../report/render/pictures.ts'
import type { TriageReport } from '../../../report/report.ts'
import { CHANGES_PICTURE_ROUTE, parseReportAddress, type Theme, TRUNK_PICTURE_ROUTE } from '../../../report/urls.ts'
import { IMMUTABLE_CACHE, PRIVATE_CACHE } from '../../kit/answers.ts'
import type { Html } from '../../kit/layout.ts'
import { publicReport } from '../shown-report.ts'
import type { Site } from '../site.ts'
import { changeStripFile } from './change-strip.ts'
import { trunkLineFile } from './trunk-line.ts'

const SVG = 'image/svg+xml'

/**
 * Pictures of the report for the comment, of public repositories only: whoever shows one asks without a session. Its address
 * holds a hash of what it shows; under one of a report that was judged anew since, caches don't keep what is there now.
 */
export function pictureRoutes(app: Hono, site: Site): void {
  const { answers } = site

  /** `of`: what it shows of a report, null where there is nothing. */
  const answer = async <Shown extends object>(
    context: Context,
    of: (report: TriageReport) => Shown | null,
    drawn: (shown: Shown, theme: Theme) => Html,
  ) => {
    const { key, theme = '' } = context.req.param()
    const report = await publicReport(site, context, parseReportAddress(context.req.param()))
    const shown = report === null ? null : of(report)
    if (shown === null) return answers.notFound(context)
    const picture = await drawn(shown, theme.replace('.svg', '') as Theme)
    return answers.text(context, String(picture), SVG, key === pictureKey(shown) ? IMMUTABLE_CACHE : PRIVATE_CACHE)
  }

  app.get(CHANGES_PICTURE_ROUTE, async (context) => await answer(context, changeSizes, changeStripFile))
  app.get(TRUNK_PICTURE_ROUTE, async (context) => {
    const anchor = context.req.param('row')
    const ofRow = ({ rows }: TriageReport) => {
      const row = rows.find((one) => rowAnchor(one) === anchor)
      return row === undefined ? null : trunkPicture(row)
    }
    return await answer(context, ofRow, trunkLineFile)
  })
}

/** Comes before the headers of pages, which it takes the place of: a picture has its style inside, and stands on other sites. */
export const pictureHeaders: MiddlewareHandler = async (context, next) => {
  await next()
  if (context.res.headers.get('Content-Type') !== SVG) return
  context.res.headers.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
  context.res.headers.set('Cross-Origin-Resource-Policy', 'cross-origin')
}
