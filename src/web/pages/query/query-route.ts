import type { Hono } from 'hono'
import type { QueryId } from '../../../measurement/run.ts'
import { parseRepositoryAddress, QUERY_ROUTE, queryPath } from '../../../report/urls.ts'
import { askedFormat, PRIVATE_CACHE } from '../../kit/answers.ts'
import type { Site } from '../site.ts'
import { parseQueryAddress } from './query-address.ts'
import { queryJson, queryTsv } from './query-data.ts'
import { queryPage, severalQueriesPage } from './query-page.ts'
import { parseQueryView, queryViewPath } from './query-view.ts'
import { queriesOfOldAddress, shownQuery } from './shown-query.ts'

/** One query over time. */
export function queryRoutes(app: Hono, site: Site): void {
  const { access, answers, store, publicUrl, githubUrl, version } = site

  app.get(QUERY_ROUTE, async (context) => {
    const named = parseRepositoryAddress(context.req.param())
    const visible = named === null ? null : await access.visible(context, named.owner, named.repo)
    const address = parseQueryAddress(context.req.param('query'))
    if (named === null || visible === null || address === null) return answers.notFound(context)
    const repository = { id: visible.id, owner: named.owner, repo: named.repo }
    const format = askedFormat(context)
    const parameters = new URL(context.req.url).searchParams
    const view = parseQueryView(parameters)
    const trunk = site.trunkHistoryOf(repository)
    const shown = await shownQuery(store, trunk, {
      repository,
      address,
      view,
      all: format !== 'html',
      now: site.now(),
    })
    if (shown === null) {
      const meant = await queriesOfOldAddress(store, trunk, visible.id, address, parameters.get('test') ?? undefined)
      const data = format === 'html' || format === null ? undefined : format
      const pathOf = (query: QueryId) => queryViewPath(queryPath(repository, query), view, data)
      const [query, ...others] = meant
      if (query === undefined) return answers.notFound(context)
      if (others.length === 0) return context.redirect(pathOf(query))
      context.status(300)
      return answers.page(context, severalQueriesPage(version, meant, pathOf), PRIVATE_CACHE)
    }
    return answers.inFormat(context, {
      html: () => queryPage(shown, { publicUrl, githubUrl, version }),
      json: () => queryJson(shown),
      tsv: () => queryTsv(shown),
    })
  })
}
