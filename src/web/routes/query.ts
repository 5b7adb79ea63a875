import type { Hono } from 'hono'
import { parseQueryAddress } from '../query-address.ts'
import { queryJson, queryTsv } from '../query-data.ts'
import { queryPage } from '../query-page.ts'
import { parseQueryView } from '../query-view.ts'
import { parseRepositoryAddress } from '../report-address.ts'
import { chooseFormat } from '../report-format.ts'
import { shownQuery } from '../shown-query.ts'
import type { Site } from '../site.ts'
import { QUERY_ROUTE } from '../urls.ts'

/** One query over time. */
export function queryRoutes(app: Hono, site: Site): void {
  const { access, answers, store, publicUrl, githubUrl, version } = site

  app.get(QUERY_ROUTE, async (context) => {
    const named = parseRepositoryAddress(context.req.param())
    const visible = named === null ? null : await access.visible(context, named.owner, named.repo)
    const address = parseQueryAddress(context.req.param('query'))
    if (named === null || visible === null || address === null) return answers.notFound(context)
    const repository = { id: visible.id, owner: named.owner, repo: named.repo }
    const format = chooseFormat(context.req.query('format'), context.req.header('accept'))
    const shown = await shownQuery(store, site.trunkHistoryOf(repository), {
      repository,
      address,
      view: parseQueryView(new URL(context.req.url).searchParams),
      all: format !== 'html',
      now: site.now(),
    })
    if (shown === null) return answers.notFound(context)
    return answers.inFormat(context, {
      html: () => queryPage(shown, { publicUrl, githubUrl, version }),
      json: () => queryJson(shown),
      tsv: () => queryTsv(shown),
    })
  })
}
