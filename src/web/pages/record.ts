import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { LRUCache } from 'lru-cache'
import type { QueueRepository } from '../../bot/triage/queue.ts'
import { claimsOfRepositories } from '../../bot/triage/record.ts'
import { DEFAULT_RECORD_DAYS, MOST_RECORD_DAYS } from '../../report/lookback.ts'
import { emptyRecord, nameOf, RECORD_COLUMNS, recordJson } from '../../report/record/columns.ts'
import { type RecordLine, recordOf } from '../../report/record/record.ts'
import { METRICS_PATH, RECORD_PATH, type RepositoryAddress } from '../../report/urls.ts'
import { count, counted } from '../../text/numbers.ts'
import { type Column, columnNamed, tsvTable } from '../../text/table.ts'
import { jsonInPieces } from '../../text/text-pieces.ts'
import { PRIVATE_CACHE } from '../kit/answers.ts'
import { type Html, layout } from '../kit/layout.ts'
import { cardTable, countColumn, nameColumn, textColumn } from '../kit/table.ts'
import { daysIn, filterForm, repositoriesFor } from './queue.ts'
import type { Site } from './site.ts'

/** Metrics are asked for every few seconds; what they say changes with a comment, a run or a merge. */
const METRICS_KEPT_MS = 60_000

/** How often the bot was right, in all repositories that whoever asks may see, or in one of them; and the same as metrics. */
export function recordRoutes(app: Hono, site: Site): void {
  const { answers, store, recordMemory: memory, now, version } = site
  const asked = async (context: Context) => {
    const days = daysIn(context.req.query('days'), DEFAULT_RECORD_DAYS, MOST_RECORD_DAYS)
    const name = context.req.query('repository') ?? ''
    return { days, name, repositories: await repositoriesFor(site, context, name) }
  }
  const linesOf = async (repositories: readonly QueueRepository[], days: number) =>
    recordOf(await claimsOfRepositories(repositories, days, { store, memory, now: now() }))

  app.get(RECORD_PATH, async (context) => {
    const { days, name, repositories } = await asked(context)
    if (repositories === null) return answers.notFound(context)
    const lines = await linesOf(repositories, days)
    return answers.inFormat(context, {
      html: () => recordPage({ lines, days, name, repositories, version }),
      json: () => jsonInPieces({ schemaVersion: 1, ...recordJson(lines, days) }),
      tsv: () => tsvTable(RECORD_COLUMNS, () => lines),
    })
  })

  const kept = new LRUCache<string, readonly RecordLine[]>({ max: 1000, ttl: METRICS_KEPT_MS })
  app.get(METRICS_PATH, async (context) => {
    const { days, repositories } = await asked(context)
    if (repositories === null) return answers.notFound(context)
    const records: RepositoryRecord[] = []
    for (const repository of repositories) {
      const key = `${repository.id} ${days}`
      const lines = kept.get(key) ?? (await linesOf([repository], days))
      if (!kept.has(key)) kept.set(key, lines)
      records.push({ ...repository, lines })
    }
    return answers.text(context, recordMetrics(records, days), METRICS_TYPE, PRIVATE_CACHE)
  })
}

const COUNTS = ['Pull requests', 'Rows', 'Real', 'Noise', 'Undecided']

interface RecordPage {
  readonly lines: readonly RecordLine[]
  readonly days: number
  /** The repository that was asked for; empty: all. */
  readonly name: string
  readonly repositories: readonly RepositoryAddress[]
  readonly version: string
}

function recordPage({ lines, days, name, repositories, version }: RecordPage): Html {
  const asked = new URLSearchParams({ days: String(days), ...(name !== '' && { repository: name }) })
  const table = (of: RecordLine['of'], caption: string, columns: readonly Column<RecordLine>[]) =>
    cardTable(
      caption,
      columns,
      lines.filter((line) => line.of === of && (line.rows > 0 || of !== 'evidence')),
    )
  return layout({
    title: 'Record · perf-triage',
    version,
    wide: true,
    content: html`<h1>How often the bot was right</h1>
<p>Rows of the pull requests of the last ${count(days)} days, and what became of them.</p>
${filterForm({ path: RECORD_PATH, choices: [7, 30, DEFAULT_RECORD_DAYS, MOST_RECORD_DAYS], days, name, repositories })}
${lines.some(({ rows }) => rows > 0) ? '' : html`<p><strong>${emptyRecord(days)}</strong></p>`}
<h2 id="verdicts">Verdicts</h2>
${table('verdict', 'Verdicts, and what became of their rows', columnsHeaded('Verdict', 'Precision', ...COUNTS))}
<h2 id="evidence">Evidence</h2>
${table('evidence', 'Kinds of evidence, and what became of the rows that had them', columnsHeaded('Evidence', 'Says', 'Precision', ...COUNTS))}
<h2 id="witnesses">Who decided</h2>
${table('witness', 'Rows by who decided what became of them', columnsHeaded('By', 'Real', 'Noise', 'Pull requests'))}
<details><summary>What the words mean</summary><div class="more">
<p><em>Real</em>: the main branch showed the slowdown after the merge, a later run of the same commit saw it too, or a person accepted it. <em>Noise</em>: the main branch did not show it, two later runs withdrew it, or a person ignored it. If they disagree, the main branch counts before a later run, and a run before a person. <em>Undecided</em>: nothing has decided it yet.</p>
<p>Precision is the share of rows for which the claim was right, with its 95% interval (Wilson). Rows of one pull request come and go together, so each pull request counts once. With few pull requests the interval is wide, and the share means little.</p>
<p>Verdicts: for rows that are likely noise, only the main branch decides, after the merge. Rows that the main branch explains, or that are faster, are only counted.</p>
<p>Evidence: rows that had it and were open or likely noise; kinds that no row had are left out. Evidence for the change says <em>real</em>; evidence against it and doubts say <em>noise</em>; some only informs and says neither.</p>
</div></details>
<p class="downloads">This record as <a href="${RECORD_PATH}?${asked}&amp;format=json">JSON</a>, as <a href="${RECORD_PATH}?${asked}&amp;format=tsv">tab-separated values</a>; each repository’s as <a href="${METRICS_PATH}?${asked}">metrics</a> for Prometheus.</p>`,
  })
}

/** The line's name, and the columns of the terminal with these headings. */
function columnsHeaded(name: string, ...headings: readonly string[]): readonly Column<RecordLine>[] {
  const others = headings.map((heading) => {
    const { text, isNumber } = columnNamed(RECORD_COLUMNS, heading.toLowerCase().replaceAll(' ', '_'))
    return (isNumber === true ? countColumn : textColumn)(heading, text!)
  })
  return [nameColumn(name, nameOf), ...others]
}

interface RepositoryRecord extends RepositoryAddress {
  readonly lines: readonly RecordLine[]
}

/** Prometheus' text format, https://prometheus.io/docs/instrumenting/exposition_formats/. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The records as gauges, each line of each with its labels; a precision that nobody knows is left out. */
function recordMetrics(records: readonly RepositoryRecord[], days: number): string {
  const gauge = (name: string, help: string, samplesOf: (line: RecordLine) => [labels: string, value: number][]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...records.flatMap(({ owner, repo, lines }) =>
      lines.flatMap((line) =>
        samplesOf(line).map(
          ([labels, value]) =>
            `${name}{repository=${JSON.stringify(`${owner}/${repo}`)},of="${line.of}",name="${line.name}"${labels}} ${value}`,
        ),
      ),
    ),
  ]
  const ofDays = `in ${counted(days, 'day', 'days')}`
  return `${[
    ...gauge(
      'perf_triage_record_rows',
      `Rows of pull requests ${ofDays}, by what became of them.`,
      ({ real, noise, undecided }) => [
        [',outcome="real"', real],
        [',outcome="noise"', noise],
        [',outcome="undecided"', undecided],
      ],
    ),
    ...gauge(
      'perf_triage_record_pull_requests',
      `Pull requests ${ofDays} with a row that is not undecided.`,
      ({ pullRequests }) => [['', pullRequests]],
    ),
    ...gauge(
      'perf_triage_record_precision',
      `Share of rows ${ofDays} for which the claim was right, with its 95% interval.`,
      ({ precision }) =>
        precision === null
          ? []
          : [
              [',bound="share"', precision.share],
              [',bound="low"', precision.low],
              [',bound="high"', precision.high],
            ],
    ),
  ].join('\n')}\n`
}
