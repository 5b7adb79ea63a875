import type { Context, Hono } from 'hono'
import type { Release } from '../../../inbox/releases.ts'
import type { QueryId } from '../../../intake/measurement/run.ts'
import { pointJson, stepJson } from '../../../report/step/columns.ts'
import { parseRepositoryAddress, QUERY_ROUTE, queryPath } from '../../../report/urls.ts'
import { tsvTable } from '../../../text/table.ts'
import { jsonInPieces, type TextInPieces } from '../../../text/text-pieces.ts'
import { isoTime } from '../../../text/time.ts'
import { askedFormat, PRIVATE_CACHE } from '../../kit/answers.ts'
import { noiseOf } from '../../kit/charts/noise-chart.ts'
import { releasesIn } from '../../kit/charts/release-marks.ts'
import { type GitHubLinks, githubLinks } from '../../kit/links.ts'
import type { Site } from '../site.ts'
import { markStep, saidOfSteps } from './mark-step.ts'
import { type RunOfTrunk, runColumns, type SaidOf } from './query-columns.ts'
import { queryPage, severalQueriesPage } from './query-page.ts'
import {
  ownValueOf,
  parseQueryAddress,
  parseQueryView,
  queriesOfOldAddress,
  queryViewPath,
  type ShownQuery,
  type ShownSeries,
  shownQuery,
} from './shown-query.ts'

/** One query over time. */
export function queryRoutes(app: Hono, site: Site): void {
  const { access, answers, store, signIn, publicUrl, githubUrl, version } = site

  const find = async (context: Context, all: boolean) => {
    const named = parseRepositoryAddress(context.req.param())
    const visible = named === null ? null : await access.visible(context, named.owner, named.repo)
    const address = parseQueryAddress(context.req.param('query') ?? '')
    if (named === null || visible === null || address === null) return null
    const repository = { id: visible.id, owner: named.owner, repo: named.repo }
    const view = parseQueryView(new URL(context.req.url).searchParams)
    const trunk = await site.trunkHistoryOf(repository)
    const shown = await shownQuery(store, trunk, { repository, address, view, all, now: site.now() })
    return { repository, address, view, trunk, shown }
  }

  app.get(QUERY_ROUTE, async (context) => {
    const format = askedFormat(context)
    const found = await find(context, format !== 'html')
    if (found === null) return answers.notFound(context)
    const { repository, address, view, trunk, shown } = found
    if (shown === null) {
      const test = context.req.query('test')
      const meant = await queriesOfOldAddress(store, trunk, repository.id, address, test)
      const data = format === 'html' || format === null ? undefined : format
      const pathOf = (query: QueryId) => queryViewPath(queryPath(repository, query), view, data)
      const [query, ...others] = meant
      if (query === undefined) return answers.notFound(context)
      if (others.length === 0) return context.redirect(pathOf(query))
      context.status(300)
      return answers.page(context, severalQueriesPage(version, meant, pathOf), PRIVATE_CACHE)
    }
    const saidOf = await saidOfSteps(site, repository.id)
    const releases = await site.queueMemory.releasesOf(repository.id)
    const from = format === 'html' && view.report !== undefined ? view.report : null
    const report = from === null ? null : await store.reports.of(repository.id, from.number, from.head)
    const own = report === null ? null : ownValueOf(report, shown.query, shown.metric, shown.architecture)
    const isSignedIn = signIn === null ? null : signIn.sessions.userOf(context) !== null
    return answers.inFormat(context, {
      html: () => queryPage(shown, { publicUrl, githubUrl, version, saidOf, releases, own, isSignedIn }),
      json: () => queryJson(shown, saidOf, releases),
      tsv: () => queryTsv(shown, githubLinks(githubUrl, repository), saidOf),
    })
  })

  app.post(QUERY_ROUTE, async (context) => {
    const found = await find(context, false)
    if (found === null || found.shown === null) return answers.notFound(context)
    const { repository, view, shown } = found
    const path = queryPath(repository, shown.query).split('?')[0]!
    return await markStep(context, site, shown, queryViewPath(path, view))
  })
}

/** A query over time for other programs: every point, unrounded. Times are ISO 8601 in UTC. */
function queryJson(shown: ShownQuery, saidOf: SaidOf, releases: readonly Release[]): TextInPieces {
  const { repository, query, metric, unit, metrics, architectures, view, range, histories, problem, flags } = shown
  return jsonInPieces({
    schemaVersion: 1,
    repository: `${repository.owner}/${repository.repo}`,
    query: { ordinal: 0, ...query },
    metric,
    unit,
    metrics,
    architectures,
    days: view.days,
    from: isoTime(range.from),
    to: isoTime(range.to),
    problem,
    histories: histories.map((history) => historyJson(history, saidOf, releases)),
    flagged: flags.map((flag) => ({ ...flag, time: isoTime(flag.time) })),
  })
}

function historyJson({ series, steps }: ShownSeries, saidOf: SaidOf, releases: readonly Release[]) {
  const { architecture, source, points } = series
  return {
    architecture,
    source,
    noise: noiseOf(points),
    steps: steps.map((step) => stepJson(step, saidOf(series, step))),
    releases: releasesIn(releases, points).map((release) => ({ ...release, time: isoTime(release.time) })),
    points: points.map(pointJson),
  }
}

/** A line per run of the trunk: TabSeparatedWithNames, `\N` where there is nothing. */
function queryTsv({ histories, unit }: ShownQuery, links: GitHubLinks, saidOf: SaidOf): TextInPieces {
  return tsvTable(runColumns(unit, links), () => runsOf(histories, saidOf))
}

function* runsOf(histories: readonly ShownSeries[], saidOf: SaidOf): Generator<RunOfTrunk> {
  for (const { series, steps } of histories) {
    const accepted = new Map(steps.map((step) => [step.firstBad.commit, saidOf(series, step).acceptedIn]))
    for (const point of series.points) {
      const acceptedIn = accepted.get(point.commit) ?? null
      yield { series, point, ...(acceptedIn !== null && { acceptedIn }) }
    }
  }
}
