import type { Context, Hono } from 'hono'
import { speedscopeJson } from '../../../profile/speedscope.ts'
import { parseReportAddress } from '../../../report/report-address.ts'
import { FLAME_GRAPH_FILE_ROUTE, FLAME_GRAPH_ROUTE } from '../../../report/urls.ts'
import { PRIVATE_CACHE } from '../../kit/answers.ts'
import type { Site } from '../site.ts'
import { visibleReport } from '../visible-report.ts'
import { flameGraphFile, flameGraphPage } from './flame-graph-page.ts'
import { profileTsv } from './profile-tsv.ts'
import { rememberedDifferences } from './remembered-differences.ts'
import { profileOf, type ShownProfile } from './shown-profile.ts'

/** The differential flame graph of a row: as a page, as speedscope's JSON, as TSV, and as a file. */
export function flameGraphRoutes(app: Hono, site: Site): void {
  const { answers, store } = site
  const remembered = rememberedDifferences(site.now)

  const shown = async (context: Context): Promise<ShownProfile | null> => {
    const address = parseReportAddress(context.req.param())
    const report = await visibleReport(site, context, address)
    const anchor = context.req.param('row')
    if (report === null || anchor === undefined) return null
    return await profileOf(store.profiles, report, anchor, new URL(context.req.url).searchParams, remembered)
  }

  app.get(FLAME_GRAPH_ROUTE, async (context) => {
    const one = await shown(context)
    if (one === null) return answers.notFound(context)
    const { profile, names, unit } = one
    const { difference } = profile
    return answers.inFormat(context, {
      html: () => flameGraphPage(one, site),
      json: () => ({ pieces: () => speedscopeJson(difference, names, unit) }),
      tsv: () => profileTsv(difference),
    })
  })

  app.get(FLAME_GRAPH_FILE_ROUTE, async (context) => {
    const profile = await shown(context)
    if (profile === null) return answers.notFound(context)
    context.header('Content-Disposition', 'attachment; filename="flame-graph.svg"')
    return answers.text(context, flameGraphFile(profile), 'image/svg+xml', PRIVATE_CACHE)
  })
}
