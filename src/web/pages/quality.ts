import type { Hono } from 'hono'
import { html } from 'hono/html'
import {
  DEFAULT_QUALITY_DAYS,
  MOST_QUALITY_DAYS,
  type Quality,
  qualityOfRepositories,
} from '../../bot/triage/quality.ts'
import { queryLabel } from '../../intake/measurement/run.ts'
import {
  LEAST_QUALITY_RUNS,
  neededWords,
  nextStepOf,
  type QualityRow,
  qualityPath,
  reasonWords,
  USUAL_REPETITIONS,
  WANTED_CHANGE,
} from '../../report/quality.ts'
import { QUALITY_PATH, type RepositoryAddress } from '../../report/urls.ts'
import { plainText } from '../../text/markdown.ts'
import { count, counted, percent, thresholdPercent } from '../../text/numbers.ts'
import { type Column, tsvTable, tsvText } from '../../text/table.ts'
import { jsonInPieces } from '../../text/text-pieces.ts'
import { type Html, layout } from '../kit/layout.ts'
import { cells, headings, numberCell } from '../kit/table.ts'
import { daysIn, filterForm, repositoriesFor } from './queue.ts'
import type { Site } from './site.ts'

/** The queries that measure nothing, or little, in all repositories that whoever asks may see, or in one of them. */
export function qualityRoutes(app: Hono, site: Site): void {
  const { answers, store, trunkHistoryOf, now, publicUrl, version } = site
  app.get(QUALITY_PATH, async (context) => {
    const days = daysIn(context.req.query('days'), DEFAULT_QUALITY_DAYS, MOST_QUALITY_DAYS)
    const name = context.req.query('repository') ?? ''
    const repositories = await repositoriesFor(site, context, name)
    if (repositories === null) return answers.notFound(context)
    const asked = await Promise.all(repositories.map(async (one) => ({ ...one, ...(await trunkHistoryOf(one)) })))
    const quality = await qualityOfRepositories(asked, days, { store, now: now() })
    return answers.inFormat(context, {
      html: () => qualityPage({ quality, days, name, repositories, version }),
      json: () => jsonInPieces({ schemaVersion: 1, ...qualityJson(quality, days, publicUrl) }),
      tsv: () => tsvTable(qualityColumns(publicUrl), () => quality.rows),
    })
  })
}

/** The list for other programs: the fields of each row, with what they mean in words. */
export function qualityJson({ rows, ...quality }: Quality, days: number, publicUrl: string) {
  const json = (row: QualityRow) => ({
    ...row,
    repository: repositoryOf(row),
    why: reasonWords(row),
    next: nextStepOf(row),
    address: addressOf(row, publicUrl),
  })
  return { days, wantedChange: WANTED_CHANGE, ...quality, rows: rows.map(json) }
}

/** The number of one of which only a history was imported: no report says its name. */
function repositoryOf({ repository: { owner, repo } }: QualityRow): string {
  return owner === '' ? repo : `${owner}/${repo}`
}

/** The page of the query; null: its repository has no pages. */
function addressOf(row: QualityRow, publicUrl: string): string | null {
  return row.repository.owner === '' ? null : `${publicUrl}${qualityPath(row)}`
}

function architectureOf({ architecture }: QualityRow): string {
  return architecture ?? '–'
}

const LONGEST_WORDS = 300

type QualityColumn = Column<QualityRow>

/** The columns of the list on the page, in the TSV and on a terminal. `publicUrl`: the address of the bot from outside. */
export function qualityColumns(publicUrl: string): readonly QualityColumn[] {
  return [
    { key: 'test', value: ({ test }) => test },
    { key: 'query_index', value: ({ queryIndex }) => queryIndex },
    { key: 'query_name', value: ({ queryName }) => tsvText(queryName) },
    {
      heading: 'Query',
      cell: (row) =>
        html`<th scope="row"><a href="${qualityPath(row)}"><bdi>${plainText(queryLabel(row), LONGEST_WORDS)}</bdi></a></th>`,
      text: queryLabel,
    },
    { ...words('repository', 'Repository', repositoryOf), text: repositoryOf },
    {
      ...words('architecture', 'Architecture', architectureOf),
      value: ({ architecture }) => architecture,
      text: architectureOf,
    },
    { key: 'reasons', value: ({ reasons }) => reasons.join(',') },
    number('runs', 'Runs', ({ runs }) => runs, count),
    { key: 'trunk_runs', value: ({ trunkRuns }) => trunkRuns },
    { key: 'judged_runs', value: ({ judgedRuns }) => judgedRuns },
    { key: 'unstable_runs', value: ({ unstableRuns }) => unstableRuns },
    { key: 'changed_runs', value: ({ changedRuns }) => changedRuns },
    number('median_threshold', 'Threshold', ({ medianThreshold }) => medianThreshold, percent),
    { key: 'median_value', value: ({ medianValue }) => medianValue },
    { key: 'repetitions', value: ({ medianRepetitions }) => medianRepetitions },
    {
      key: 'repetitions_needed',
      value: ({ repetitionsNeeded }) => repetitionsNeeded,
      heading: `For ${thresholdPercent(WANTED_CHANGE)}`,
      isNumber: true,
      cell: (row, heading) => html`<td class="n" data-name="${heading}">${neededWords(row)}</td>`,
      text: neededWords,
    },
    words('next', 'Next', nextStepOf),
    { ...words('why', 'Why', reasonWords), text: reasonWords },
    { key: 'address', value: (row) => addressOf(row, publicUrl) },
  ]
}

function words(key: string, heading: string, value: (row: QualityRow) => string): QualityColumn {
  const cell: QualityColumn['cell'] = (row, name) =>
    html`<td class="${key}" data-name="${name}">${plainText(value(row), LONGEST_WORDS)}</td>`
  return { key, value, heading, cell }
}

/** A number of the page and the TSV; on a terminal the words say it. */
function number(
  key: string,
  heading: string,
  value: (row: QualityRow) => number | null,
  shown: (value: number) => string,
): QualityColumn {
  return { key, value, heading, isNumber: true, cell: (row, name) => numberCell(name, value(row), shown) }
}

interface QualityPage {
  readonly quality: Quality
  readonly days: number
  /** The repository that was asked for; empty: all. */
  readonly name: string
  readonly repositories: readonly RepositoryAddress[]
  readonly version: string
}

function qualityPage({ quality, days, name, repositories, version }: QualityPage): Html {
  const { rows, notShown } = quality
  const asked = new URLSearchParams({ days: String(days), ...(name !== '' && { repository: name }) })
  const columns = qualityColumns('')
  return layout({
    title: 'Quality · perf-triage',
    version,
    wide: true,
    content: html`<h1>What measures nothing</h1>
<p>Queries to remove or to mend, by the runs of the trunk and of pull requests: unstable in most runs, too short to time, too slow, or never different. <em>Threshold</em> is the median of their runs. <em>For ${thresholdPercent(WANTED_CHANGE)}</em> is how many repetitions a side would show a change of that size in four of five runs, where repetitions are independent and spread about alike; <em>about</em>: the history does not say how many there were, and ${count(USUAL_REPETITIONS)} are assumed. Against what shifts whole runs no number of repetitions helps.</p>
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

/** `41 of 68 queries, of up to 23 runs each`. */
export function lookedAt({ rows, notShown, measured, runs }: Quality): string {
  return `${count(rows.length + notShown)} of ${counted(measured, 'query', 'queries')}, of up to ${counted(runs, 'run', 'runs')} each`
}

export function moreRows(notShown: number): string {
  return `${counted(notShown, 'more query is', 'more queries are')} not shown: choose a repository.`
}

export function emptyQuality({ measured, runs }: Quality, days: number): string {
  const of = `the last ${counted(days, 'day', 'days')}`
  if (measured === 0) return `No run of ${of} is stored.`
  if (runs < LEAST_QUALITY_RUNS)
    return `No query has ${count(LEAST_QUALITY_RUNS)} runs in ${of}: nothing can be said yet.`
  return `No query of ${counted(measured, 'query', 'queries')} measures nothing in ${of}.`
}
