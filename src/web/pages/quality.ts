import type { Hono } from 'hono'
import { html } from 'hono/html'
import { LRUCache } from 'lru-cache'
import { qualityOfRepositories } from '../../bot/triage/quality.ts'
import { queryLabel } from '../../intake/measurement/run.ts'
import { DEFAULT_QUALITY_DAYS, MOST_QUALITY_DAYS } from '../../report/lookback.ts'
import { emptyQuality, lookedAt, moreRows, qualityColumns, qualityJson } from '../../report/quality/columns.ts'
import type { MeasuredOften } from '../../report/quality/quality.ts'
import {
  commandOf,
  ignoreLineOf,
  nextStepOf,
  type Quality,
  type QualityRow,
  qualityPath,
  USUAL_REPETITIONS,
  WANTED_CHANGE,
} from '../../report/quality/quality.ts'
import { QUALITY_PATH, type RepositoryAddress } from '../../report/urls.ts'
import type { MeasuredOftenOf } from '../../store/history/measured-queries.ts'
import { askedByAll } from '../../store/page-asking.ts'
import { plainText } from '../../text/markdown.ts'
import { count, thresholdPercent } from '../../text/numbers.ts'
import { tsvTable } from '../../text/table.ts'
import { jsonInPieces } from '../../text/text-pieces.ts'
import { type Html, layout } from '../kit/layout.ts'
import { type Cells, cells, headings, LONGEST_WORDS, withCells } from '../kit/table.ts'
import { daysIn, filterForm, repositoriesFor } from './queue.ts'
import type { Site } from './site.ts'

/** The queries that measure nothing, or little, in all repositories that whoever asks may see, or in one of them. */
export function qualityRoutes(app: Hono, site: Site): void {
  const { answers, trunkHistoryOf, now, publicUrl, version } = site
  const remembered = rememberedQueries(site)
  app.get(QUALITY_PATH, async (context) => {
    const days = daysIn(context.req.query('days'), DEFAULT_QUALITY_DAYS, MOST_QUALITY_DAYS)
    const name = context.req.query('repository') ?? ''
    const repositories = await repositoriesFor(site, context, name)
    if (repositories === null) return answers.notFound(context)
    const asked = await Promise.all(repositories.map(async (one) => ({ ...one, ...(await trunkHistoryOf(one)) })))
    const at = now()
    const measuredOften = (of: MeasuredOftenOf) => remembered(of, days)
    const quality = await qualityOfRepositories(asked, days, { store: { queries: { measuredOften } }, now: at })
    return answers.inFormat(context, {
      html: () => qualityPage({ quality, days, name, repositories, version, now: at }),
      json: () => jsonInPieces({ schemaVersion: 1, ...qualityJson(quality, days, publicUrl, at) }),
      tsv: () => tsvTable(qualityColumns(publicUrl, at), () => quality.rows),
    })
  })
}

/** A run that has just ended may wait so long: a week of runs says much the same without it. */
const REMEMBERED_MS = 60_000

/** Queries that are remembered, of all repositories and numbers of days: some 20 MB. */
const MOST_REMEMBERED = 50_000

function rememberedQueries({ store }: Pick<Site, 'store'>) {
  const kept = new LRUCache<string, MeasuredOften[], MeasuredOftenOf>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: (queries) => queries.length + 1,
    ttl: REMEMBERED_MS,
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context: of }) => askedByAll(() => store.queries.measuredOften(of)),
  })
  return async (of: MeasuredOftenOf, days: number) => {
    const { repositoryId, metric, copiedFrom } = of
    return await kept.forceFetch(JSON.stringify([repositoryId, metric, copiedFrom, days]), { context: of })
  }
}

interface QualityPage {
  readonly quality: Quality
  readonly days: number
  /** The repository that was asked for; empty: all. */
  readonly name: string
  readonly repositories: readonly RepositoryAddress[]
  readonly version: string
  /** Milliseconds since 1970. */
  readonly now: number
}

function qualityPage({ quality, days, name, repositories, version, now }: QualityPage): Html {
  const { rows, notShown } = quality
  const asked = new URLSearchParams({ days: String(days), ...(name !== '' && { repository: name }) })
  const columns = withCells(qualityColumns('', now), cellsAt(now))
  return layout({
    title: 'Quality · perf-triage',
    version,
    wide: true,
    content: html`<h1>Benchmarks that can’t detect a change</h1>
<p>Queries to fix or remove, judged by runs of the main branch and of pull requests: unstable in most runs, too short to time, too slow, or never showing a difference. <em>Threshold</em> is the median noise of their runs. <em>For ${thresholdPercent(WANTED_CHANGE)}</em> is how many repetitions per side would show a change of that size in four of five runs, if repetitions are independent and spread about equally. <em>About</em> means that the history doesn’t say how many there were, so ${count(USUAL_REPETITIONS)} are assumed. No number of repetitions helps against shifts of a whole run.</p>
${filterForm({ path: QUALITY_PATH, choices: [7, DEFAULT_QUALITY_DAYS, 90, MOST_QUALITY_DAYS], days, name, repositories })}
${
  rows.length === 0
    ? html`<p><strong>${emptyQuality(quality, days)}</strong></p>`
    : html`<div class="scroll" role="region" aria-labelledby="quality-caption" tabindex="0"><table class="rows queue quality"><caption id="quality-caption">${lookedAt(quality)}</caption>${headings(columns)}
<tbody>${rows.map((row) => html`<tr>${cells(columns, row)}</tr>`)}</tbody></table></div>`
}
${notShown === 0 ? '' : html`<p>${moreRows(notShown)}</p>`}
<p class="downloads">This list as <a href="${QUALITY_PATH}?${asked}&amp;format=json">JSON</a>, as <a href="${QUALITY_PATH}?${asked}&amp;format=tsv">tab-separated values</a>.</p>`,
  })
}

const cellsAt = (now: number): Cells<QualityRow> => ({
  Query: (row) =>
    html`<th scope="row"><a href="${qualityPath(row)}"><bdi>${plainText(queryLabel(row), LONGEST_WORDS)}</bdi></a></th>`,
  next: (row, heading) => html`<td data-name="${heading}">${nextStepOf(row)}${followed(row, now)}</td>`,
})

/** What the step takes: the command, where it varies, and the line that ignores the query until then. */
function followed(row: QualityRow, now: number): Html {
  const command = commandOf(row)
  const line = ignoreLineOf(row, now)
  const hasNoise = row.reasons.includes('unstable')
  return html`${command === null ? '' : html` Until the change can be seen: <code>${command}</code>.`}${hasNoise ? html` <a href="${qualityPath(row)}#noise">Its noise</a>.` : ''}${
    line === null
      ? ''
      : html`<details><summary>Ignore it until then</summary><p>In <code>.github/perf-triage.yml</code>, below <code>tests:</code></p><pre tabindex="0"><code><bdi>${line}</bdi></code></pre></details>`
  }`
}
