import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import {
  MOST_KNOWN_REPOSITORIES,
  MOST_QUEUE_REPOSITORIES,
  type QueueRepository,
  queueOf,
} from '../../bot/triage/queue.ts'
import { DEFAULT_QUEUE_DAYS, MOST_QUEUE_DAYS } from '../../report/lookback.ts'
import { queueColumns, queueJson } from '../../report/queue/columns.ts'
import { MARKDOWN, type Markup, queueLines } from '../../report/queue/lines.ts'
import { emptySentence, pullRequestOf, type Queue, type QueueItem } from '../../report/queue/queue.ts'
import { SLACK } from '../../report/render/slack.ts'
import {
  digestPath,
  parseRepositoryAddress,
  QUALITY_PATH,
  QUEUE_PATH,
  RECORD_PATH,
  type RepositoryAddress,
} from '../../report/urls.ts'
import { plainText } from '../../text/markdown.ts'
import { count, counted } from '../../text/numbers.ts'
import { htmlTime } from '../../text/phrase-html.ts'
import { tsvTable } from '../../text/table.ts'
import { jsonInPieces, type TextInPieces } from '../../text/text-pieces.ts'
import { COPY_SCRIPT } from '../assets/assets.ts'
import { type Html, layout } from '../kit/layout.ts'
import { pullRequestName } from '../kit/pull-request.ts'
import { type Cells, cells, headings, LONGEST_WORDS, withCells } from '../kit/table.ts'
import type { Site } from './site.ts'

/** What waits for a person, in all repositories that whoever asks may see, or in one of them. */
export function queueRoutes(app: Hono, site: Site): void {
  const { answers, store, queueMemory: memory, now, publicUrl, version } = site
  app.get(QUEUE_PATH, async (context) => {
    const days = daysIn(context.req.query('days'), DEFAULT_QUEUE_DAYS, MOST_QUEUE_DAYS)
    const name = context.req.query('repository') ?? ''
    const repositories = await repositoriesFor(site, context, name)
    if (repositories === null) return answers.notFound(context)
    const queue = await queueOf(repositories, days, { store, memory, now: now() })
    return answers.inFormat(context, {
      html: () => queuePage({ queue, days, name, repositories, publicUrl, version }),
      json: () => jsonInPieces({ schemaVersion: 1, ...queueJson(queue, days, publicUrl) }),
      tsv: (): TextInPieces => tsvTable(queueColumns(publicUrl), () => [...queue.items, ...queue.marked]),
    })
  })
}

/** The repository of that name, or those judged latest; null: there is none of that name, or it may not be seen. */
export async function repositoriesFor(
  { access, store }: Site,
  context: Context,
  name: string,
): Promise<readonly QueueRepository[] | null> {
  if (name === '') {
    const known = await store.reports.repositories(MOST_KNOWN_REPOSITORIES)
    return await access.firstVisible(context, known, MOST_QUEUE_REPOSITORIES)
  }
  const [owner = '', repo = '', ...more] = name.split('/')
  const address = more.length > 0 ? null : parseRepositoryAddress({ owner, repo })
  const found = address === null ? null : await access.visible(context, address.owner, address.repo)
  return address === null || found === null ? null : [{ ...address, id: found.id }]
}

/** Any other text is the default, as where nothing was asked for. */
export function daysIn(text: string | undefined, usual: number, most: number): number {
  const days = /^[1-9]\d{0,2}$/.test(text ?? '') ? Number(text) : usual
  return days <= most ? days : usual
}

interface QueuePage {
  readonly queue: Queue
  readonly days: number
  /** The repository that was asked for; empty: all. */
  readonly name: string
  readonly repositories: readonly RepositoryAddress[]
  /** The address of the bot from outside. */
  readonly publicUrl: string
  readonly version: string
}

function queuePage({ queue, days, name, repositories, publicUrl, version }: QueuePage): Html {
  const { items, marked, notShown } = queue
  const asked = new URLSearchParams({ days: String(days), ...(name !== '' && { repository: name }) })
  return layout({
    title: 'Queue · perf-triage',
    version,
    wide: true,
    scripts: [COPY_SCRIPT],
    content: html`<h1>Needs attention</h1>
<p>Red checks that nobody has explained, steps of the main branch that nobody has accepted, and anything that has expired. Most urgent first.</p>
${filterForm({ path: QUEUE_PATH, choices: [1, DEFAULT_QUEUE_DAYS, 30, MOST_QUEUE_DAYS], days, name, repositories })}
<p>What is new: the digests of the <a href="${digestPath('day')}">day</a> and of the <a href="${digestPath('week')}">week</a>. How often the bot was right: its <a href="${RECORD_PATH}">record</a>. Queries to fix or remove: their <a href="${QUALITY_PATH}">quality</a>.</p>
${linesToPaste(queue, publicUrl)}${items.length === 0 ? html`<p><strong>${emptySentence(days)}</strong></p>` : itemsTable(items, counted(items.length, 'item', 'items'), 'queue-caption')}
${notShown === 0 ? '' : html`<p>${counted(notShown, 'more item is', 'more items are')} not shown: choose a repository or fewer days.</p>`}
${marked.length === 0 ? '' : html`<h2 id="marked">Marked steps</h2>${itemsTable(marked, `${counted(marked.length, 'step', 'steps')} of the main branch that somebody has marked`, 'marked-caption')}`}
<p class="downloads">This queue as <a href="${QUEUE_PATH}?${asked}&amp;format=json">JSON</a>, as <a href="${QUEUE_PATH}?${asked}&amp;format=tsv">tab-separated values</a>.</p>`,
  })
}

interface Filter extends Pick<QueuePage, 'days' | 'name' | 'repositories'> {
  readonly path: string
  /** Numbers of days. */
  readonly choices: readonly number[]
}

/** Days and a repository, to ask the same page again. */
export function filterForm({ path, choices, days, name, repositories }: Filter): Html {
  const option = (value: string, text: string, selected: boolean) =>
    html`<option value="${value}"${selected ? html` selected` : ''}>${text}</option>`
  const offered = [...new Set([...choices, days])].toSorted((a, b) => a - b)
  const names = repositories.map(({ owner, repo }) => `${owner}/${repo}`)
  return html`<form class="filter" method="get" action="${path}" role="search">
<label>Days <select name="days">${offered.map((one) => option(String(one), count(one), one === days))}</select></label>
<label>Repository <select name="repository">${option('', 'all', name === '')}${names.map((one) => option(one, one, name !== ''))}</select></label>
<button type="submit">Show</button>
</form>`
}

/** The items as lines of Markdown and of Slack, each with a button that copies them. */
export function linesToPaste(queue: Pick<Queue, 'items' | 'notShown'>, publicUrl: string): Html | string {
  if (queue.items.length === 0) return ''
  const lines = (markup: Markup) => queueLines(queue, publicUrl === '' ? null : publicUrl, markup).join('\n')
  return html`<div class="paste"><div><pre hidden data-copy="Copy as Markdown">${lines(MARKDOWN)}</pre></div><div><pre hidden data-copy="Copy for Slack">${lines(SLACK)}</pre></div></div>
`
}

export function itemsTable(items: readonly QueueItem[], caption: string, id: string): Html {
  const columns = withCells(queueColumns(''), CELLS)
  return html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0"><table class="rows queue"><caption id="${id}">${caption}</caption>${headings(columns)}
<tbody>${items.map((item) => html`<tr>${cells(columns, item)}</tr>`)}</tbody></table></div>`
}

const CELLS: Cells<QueueItem> = {
  what: ({ what, path }) =>
    html`<th scope="row"><a href="${path}"><bdi>${plainText(what, LONGEST_WORDS)}</bdi></a></th>`,
  pull_request_number: (item, heading) => html`<td data-name="${heading}">${nameOf(item)}</td>`,
  since: ({ since }, heading) => html`<td data-name="${heading}">${htmlTime(since)}</td>`,
}

function nameOf(item: QueueItem): Html | string {
  const of = pullRequestOf(item)
  return of === null ? '' : pullRequestName(of.pullRequestNumber, of, null)
}
