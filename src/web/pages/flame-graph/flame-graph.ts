import type { Context, Hono } from 'hono'
import { html, raw } from 'hono/html'
import { queryHash } from '../../../intake/measurement/query-hash.ts'
import { TRACE_UNITS, type TraceType } from '../../../intake/measurement/trace-type.ts'
import { amount, type FlameGraphOptions, flameGraph } from '../../../judge/profile/flame-graph.ts'
import { stackOf } from '../../../judge/profile/folded.ts'
import type { FrameChange, FrameWeight } from '../../../judge/profile/frame-changes.ts'
import { shortFunctionName } from '../../../judge/profile/function-name.ts'
import { speedscopeJson } from '../../../judge/profile/speedscope.ts'
import type { StackDifference } from '../../../judge/profile/stack-difference.ts'
import { countsSamples } from '../../../judge/profile/thresholds.ts'
import type { FrameWords } from '../../../judge/profile/words.ts'
import { withoutChance } from '../../../report/render/profile-words.ts'
import { queryName } from '../../../report/row/name.ts'
import {
  FLAME_GRAPH_FILE_ROUTE,
  FLAME_GRAPH_ROUTE,
  flameGraphFilePath,
  flameGraphPath,
  ownRowPath,
  parseReportAddress,
  reportPath,
} from '../../../report/urls.ts'
import { IN_THE_DATABASE } from '../../../report/words.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted, percent, signedPercent } from '../../../text/numbers.ts'
import { sqlLiteral } from '../../../text/quote.ts'
import { type Column, tsvTable } from '../../../text/table.ts'
import type { TextInPieces } from '../../../text/text-pieces.ts'
import { COPY_SCRIPT, FLAME_GRAPH_SCRIPT, FLAME_GRAPH_STYLE } from '../../assets/assets.ts'
import { PRIVATE_CACHE } from '../../kit/answers.ts'
import { crumbs } from '../../kit/crumbs.ts'
import { type Html, layout } from '../../kit/layout.ts'
import { reproduce, type Way } from '../../kit/reproduce.ts'
import { countColumn, nameColumn, plainTable, valueColumn } from '../../kit/table.ts'
import { architectureName } from '../../kit/word.ts'
import { shownResults, visibleReport } from '../shown-report.ts'
import type { Site } from '../site.ts'
import { type ProfileView, profileOf, type ShownProfile } from './shown-profile.ts'

/** The differential flame graph of a row: as a page, as speedscope's JSON, as TSV, and as a file. */
export function flameGraphRoutes(app: Hono, site: Site): void {
  const { answers, store, profile: remembered } = site

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

/** The narrowest of so many are a pixel wide, and all are some 50 KB compressed; the file has ten times as many. */
const MOST_DRAWN = 2000
const NAME_LENGTH = 200

const TRACE_WORDS: Record<TraceType, string> = {
  CPU: 'CPU time',
  Real: 'Wall-clock time',
  MemorySample: 'Memory',
  JemallocSample: 'Memory by jemalloc',
}

/** The work of a query where the stacks are. */
const DOES: Record<TraceType, string> = {
  CPU: 'spends its time',
  Real: 'spends its time',
  MemorySample: 'allocates memory',
  JemallocSample: 'allocates memory',
}

const OF_EARLIER_RUN = 'This profile is from an earlier run of this commit: the newest run has none of this query.'

interface FlameGraphPageOptions {
  /** The address of the bot from outside. */
  readonly publicUrl: string
  readonly version: string
}

/** The two profiles of a row in words, and as a picture that can be zoomed and searched. */
function flameGraphPage(shown: ShownProfile, { publicUrl, version }: FlameGraphPageOptions): Html {
  const { report, row, view, profile, names, unit } = shown
  const { difference } = profile
  const words = withoutChance(profile.words)
  const { owner, name } = report.repository
  const address = { owner, repo: name, number: report.pullRequest.number, head: report.head }
  const path = flameGraphPath(address, row)
  const cautions = [
    ...(shown.isEarlier ? [OF_EARLIER_RUN] : []),
    ...words.cautions,
    ...(profile.refused === 0
      ? []
      : [`${counted(profile.refused, 'stack is', 'stacks are')} left out, with too many frames.`]),
  ]
  const drawing = drawingOf(shown, { script: null, inPage: true, mostDrawn: MOST_DRAWN })
  return layout({
    title: `${queryName(row, 80)} · flame graph · ${owner}/${name} #${address.number}`,
    version,
    wide: true,
    crumbs: crumbs(
      address,
      { text: `#${address.number}`, path: reportPath(address) },
      { text: queryName(row, 80), path: ownRowPath(address, row) },
      { text: 'Flame graph' },
    ),
    scripts: [FLAME_GRAPH_SCRIPT, COPY_SCRIPT],
    styles: [FLAME_GRAPH_STYLE],
    content: html`<h1>Where <bdi>${queryName(row, 80)}</bdi> ${DOES[view.traceType]}, old against new</h1>
<p><a href="${ownRowPath(address, row)}">This query in the report</a> of <a href="${reportPath(address)}">#${address.number} at <code>${report.head.slice(0, 10)}</code></a>.
Old ${names.old}: ${amount(difference.old.sum, unit)}; new ${names.new}: ${amount(difference.new.sum, unit)}.</p>
${row.queryName === null ? '' : html`<p><code class="text"><bdi>${plainText(row.queryName, 400)}</bdi></code></p>`}
${choices(shown, path)}
${cautions.length === 0 ? '' : html`<ul class="notices">${cautions.map((caution) => html`<li>${caution}</li>`)}</ul>`}
<div class="frames-said">
${framesSaid('With everything they call', words.total)}
${framesSaid('By themselves', words.self)}
</div>
${frameTable(shown)}
<div class="scroll flame" id="${GRAPH_ANCHOR}" tabindex="0" role="region" aria-label="Flame graph">${raw(drawing)}</div>
${flameGraphReproduce(shown, { json: `${publicUrl}${path}${query(view, 'json')}`, tsv: `${publicUrl}${path}${query(view, 'tsv')}` })}
<p class="downloads">All stacks: <a href="${flameGraphFilePath(address, row)}${query(view)}">the picture as a file</a> with every frame,
<a href="${path}${query(view, 'json')}">JSON</a> for <a href="https://www.speedscope.app" rel="noreferrer">speedscope</a>, <a href="${path}${query(view, 'tsv')}">tab-separated values</a>.</p>`,
  })
}

/** The picture with every frame, its style and its script. */
function flameGraphFile(shown: ShownProfile): string {
  return drawingOf(shown, { script: FLAME_GRAPH_SCRIPT.content })
}

/** A picture is drawn once, as long as the profile is remembered. */
function drawingOf(
  { profile, names, unit, view: { normalize, icicle } }: ShownProfile,
  options: Pick<FlameGraphOptions, 'script' | 'inPage' | 'mostDrawn'>,
): string {
  const { difference, words } = profile
  return profile.drawing(JSON.stringify([names, normalize, icicle, options.inPage === true]), () =>
    flameGraph(difference, { names, unit, normalize, icicle, words, ...options }),
  )
}

function query(view: ProfileView, format?: string): string {
  const parameters = new URLSearchParams()
  if (view.architecture !== null) parameters.set('architecture', view.architecture)
  parameters.set('trace', view.traceType)
  if (view.normalize) parameters.set('shares', '1')
  if (view.icicle) parameters.set('icicle', '1')
  if (format !== undefined) parameters.set('format', format)
  return `?${parameters.toString()}`
}

/** The other views of the profile, each a link. */
function choices({ row, view, summaries }: ShownProfile, path: string): Html {
  const tab = (text: string, other: Partial<ProfileView>) => {
    const target = { ...view, ...other }
    const isShown = Object.entries(other).every(([key, value]) => view[key as keyof ProfileView] === value)
    return html`<li><a class="tab" href="${path}${query(target)}"${isShown ? html` aria-current="true"` : ''}>${text}</a></li>`
  }
  const traces = summaries.map(({ traceType, old, new: fresh }) =>
    tab(`${TRACE_WORDS[traceType]} (${count(old)} → ${amount(fresh, TRACE_UNITS[traceType])})`, {
      traceType,
    }),
  )
  const architectures = shownResults(row, view.architecture).map(({ architecture }) => architecture)
  return html`<nav class="tabs" aria-label="What is shown"><ul>${traces}</ul>
${architectures.length < 2 ? '' : html`<ul>${architectures.map((architecture) => tab(architectureName(architecture), { architecture }))}</ul>`}
<ul>${tab('Counts', { normalize: false })}${tab('Shares', { normalize: true })}</ul>
<ul>${tab('Flames', { icicle: false })}${tab('Icicles', { icicle: true })}</ul></nav>`
}

function framesSaid(title: string, frames: readonly FrameWords[]): Html | string {
  if (frames.length === 0) return ''
  const lines = frames.map(({ name, change, points, callers, withinChance }) => {
    const alike =
      callers === 0
        ? ''
        : `, and ${counted(callers, 'frame', 'frames')} that only ${callers === 1 ? 'calls' : 'call'} it`
    return html`<li><code><bdi>${plainText(name, NAME_LENGTH) || '(no name)'}</bdi></code> ${change} <small>${points}${withinChance ? ', within chance' : ''}${alike}</small></li>`
  })
  return html`<section><h2>${title}</h2><ul>${lines}</ul></section>`
}

const GRAPH_ANCHOR = 'graph'

/** The frames as a table: on a phone it stands in the place of the graph, which a link shows. */
function frameTable({ profile: { difference, words, frames }, unit }: ShownProfile): Html | string {
  if (words.caution === 'no-stacks' || frames.length === 0) return ''
  const isJudged = countsSamples(difference, unit)
  const columns: readonly Column<FrameChange>[] = [
    nameColumn(
      'Frame',
      ({ name }) =>
        html`<code title="${plainText(name, NAME_LENGTH)}"><bdi>${plainText(shortFunctionName(name), NAME_LENGTH) || '(no name)'}</bdi></code>`,
    ),
    valueColumn('Before', ({ total }) => total.oldShare, percent),
    valueColumn('After', ({ total }) => total.newShare, percent),
    countColumn('Points', ({ total }) => {
      const points = signedPoints(total)
      return isJudged && !total.beyondChance ? html`<span class="none" title="within chance">${points}</span>` : points
    }),
  ]
  return html`<section class="frame-table"><p><a class="tab" href="#${GRAPH_ANCHOR}">Show the graph</a></p>
${plainTable(`Share of each frame with everything it calls, the largest difference first${isJudged ? '; grey: within chance' : ''}`, columns, frames)}</section>`
}

function signedPoints({ oldShare, newShare }: FrameWeight): string {
  return signedPercent(newShare - oldShare).replace('%', '')
}

/** A line for every stack of either side: the frames, outermost first, and how often each side has it. */
function profileTsv(difference: StackDifference): TextInPieces {
  const columns: readonly Column<number>[] = [
    { key: 'stack', value: (node) => stackOf(difference, node) },
    { key: 'old', value: (node) => difference.old.self[node]! },
    { key: 'new', value: (node) => difference.new.self[node]! },
  ]
  const nodes = Array.from(difference.parent.keys()).filter(
    (node) => difference.old.self[node]! > 0 || difference.new.self[node]! > 0,
  )
  return tsvTable(columns, () => nodes)
}

/** Ways to get a profile without its page. `addresses` are full ones, of the formats. */
function flameGraphReproduce(shown: ShownProfile, addresses: { readonly json: string; readonly tsv: string }): Html {
  const sql = stacksSql(shown)
  const ofSql: Way[] = sql === null ? [] : [[`The stacks, ${IN_THE_DATABASE}:`, sql]]
  return reproduce([
    ['Every stack and how often each side has it:', `curl --silent --fail '${addresses.tsv}'`],
    ['Both profiles, for speedscope:', `curl --silent --fail '${addresses.json}'`],
    ...ofSql,
  ])
}

/** So many runs the summary names at most; there may be more. */
const MOST_RUNS = 20

/** null where the profile is not in the bot's own tables, whose runs have UUIDs, or is of too many runs to name them. */
export function stacksSql({
  report,
  row,
  view,
  summaries,
}: Pick<ShownProfile, 'report' | 'row' | 'view' | 'summaries'>): string | null {
  const runs = summaries.find(({ traceType }) => traceType === view.traceType)?.runs ?? []
  if (runs.length === 0 || runs.length >= MOST_RUNS || !runs.every((run) => UUID.test(run))) return null
  return `SELECT
    stack,
    sumIf(samples, side = 'old') AS old,
    sumIf(samples, side = 'new') AS new
FROM stacks
WHERE repository_id = ${report.repository.id}
  AND run_id IN (${runs.map((run) => `'${run}'`).join(', ')})
  AND query_hash = ${queryHash(row)}
  AND test = ${sqlLiteral(row.test)}
  AND ifNull(ordinal, 0) = ${row.ordinal ?? 0}
  AND trace_type = '${view.traceType}'
GROUP BY stack
ORDER BY greatest(old, new) DESC`
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
