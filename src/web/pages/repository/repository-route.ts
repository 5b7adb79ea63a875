import type { Hono } from 'hono'
import { parseRepositoryAddress } from '../../../report/report-address.ts'
import { REPOSITORY_ROUTE } from '../../../report/urls.ts'
import type { Site } from '../site.ts'
import { repositoryJson, repositoryTsv } from './repository-data.ts'
import { repositoryPage } from './repository-page.ts'
import { beforeOf, NEWEST, parseBefore, RUNS_PER_PAGE } from './repository-view.ts'

/** The recent runs of a repository. */
export function repositoryRoutes(app: Hono, { access, answers, store, version }: Site): void {
  app.get(REPOSITORY_ROUTE, async (context) => {
    const address = parseRepositoryAddress(context.req.param())
    const repository = address === null ? null : await access.visible(context, address.owner, address.repo)
    if (address === null || repository === null) return answers.notFound(context)
    const before = parseBefore(context.req.query('before'))
    const found = await store.recentReports(repository.id, before ?? NEWEST, RUNS_PER_PAGE + 1)
    const reports = found.slice(0, RUNS_PER_PAGE)
    const next = found.length > reports.length ? beforeOf(reports.at(-1)!) : null
    return answers.inFormat(context, {
      html: () =>
        repositoryPage({ address, reports, before: before === null ? null : beforeOf(before), next, version }),
      json: () => repositoryJson(reports, next),
      tsv: () => repositoryTsv(reports),
    })
  })
}
