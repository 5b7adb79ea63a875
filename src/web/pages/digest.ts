import type { Hono } from 'hono'
import { html } from 'hono/html'
import { queueOf } from '../../bot/triage/queue.ts'
import {
  DIGEST_DAYS,
  DIGEST_PERIODS,
  type Digest,
  type DigestPeriod,
  digestOf,
  type RepositoryCount,
} from '../../report/digest.ts'
import { itemJson, queueColumns } from '../../report/queue/columns.ts'
import { QUEUE_KINDS, QUEUE_WORDS, type QueueKind } from '../../report/queue/kinds.ts'
import { DIGEST_PATH, digestPath, QUEUE_PATH } from '../../report/urls.ts'
import { count, counted } from '../../text/numbers.ts'
import { tsvTable } from '../../text/table.ts'
import { jsonInPieces } from '../../text/text-pieces.ts'
import { COPY_SCRIPT } from '../assets/assets.ts'
import { type Html, layout } from '../kit/layout.ts'
import { countColumn, nameColumn, plainTable } from '../kit/table.ts'
import { itemsTable, linesToPaste, repositoriesFor } from './queue.ts'
import type { Site } from './site.ts'

/** What began to wait for a person in a day or a week, in all repositories that whoever asks may see. */
export function digestRoutes(app: Hono, site: Site): void {
  const { answers, store, queueMemory: memory, now, publicUrl, version } = site
  app.get(DIGEST_PATH, async (context) => {
    const asked = context.req.query('period')
    const period = DIGEST_PERIODS.find((one) => one === asked) ?? 'day'
    const repositories = await repositoriesFor(site, context, context.req.query('repository') ?? '')
    if (repositories === null) return answers.notFound(context)
    const at = now()
    const { items } = await queueOf(repositories, DIGEST_DAYS[period].all, { store, memory, now: at })
    const digest = digestOf(period, items, at)
    return answers.inFormat(context, {
      html: () => digestPage(digest, publicUrl, version),
      json: () => {
        const items = digest.fresh.map((item) => itemJson(item, publicUrl))
        return jsonInPieces({ schemaVersion: 1, period, items, waiting: digest.waiting })
      },
      tsv: () => tsvTable(queueColumns(publicUrl), () => digest.fresh),
    })
  })
}

const PERIOD_WORDS: Readonly<Record<DigestPeriod, string>> = { day: 'the last day', week: 'the last seven days' }

function digestPage({ period, fresh, waiting }: Digest, publicUrl: string, version: string): Html {
  const total = waiting.reduce((sum, one) => sum + one.total, 0)
  const tab = (one: DigestPeriod) =>
    html`<li><a class="tab" href="${digestPath(one)}"${one === period ? html` aria-current="true"` : ''}>${one}</a></li>`
  const path = digestPath(period)
  return layout({
    title: `Digest of the ${period} · perf-triage`,
    version,
    wide: true,
    scripts: [COPY_SCRIPT],
    content: html`<h1>Digest of the ${period}</h1>
<nav class="tabs" aria-label="Period"><ul>${DIGEST_PERIODS.map(tab)}</ul></nav>
<p>${counted(fresh.length, 'new item needs', 'new items need')} attention from ${PERIOD_WORDS[period]}; over the last ${count(DIGEST_DAYS[period].all)} days, ${counted(total, 'item', 'items')} in the <a href="${QUEUE_PATH}?days=${DIGEST_DAYS[period].all}">queue</a>.</p>
${linesToPaste({ items: fresh, notShown: 0 }, publicUrl)}${fresh.length === 0 ? '' : itemsTable(fresh, counted(fresh.length, 'new item', 'new items'), 'digest-caption')}
${waiting.length === 0 ? '' : html`<h2 id="waiting">Still open</h2><div class="scroll" role="region" aria-label="Still open" tabindex="0">${plainTable('Open items by repository', COUNT_COLUMNS, waiting)}</div>`}
<p class="downloads">This digest as <a href="${path}&amp;format=json">JSON</a>, as <a href="${path}&amp;format=tsv">tab-separated values</a>.</p>`,
  })
}

const COUNT_COLUMNS = [
  nameColumn('Repository', ({ repository }: RepositoryCount) => html`<bdi>${repository}</bdi>`),
  ...QUEUE_KINDS.map((kind: QueueKind) =>
    countColumn(QUEUE_WORDS[kind], ({ kinds }: RepositoryCount) => count(kinds[kind] ?? 0)),
  ),
]
