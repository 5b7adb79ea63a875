import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { Run } from '../../measurement/run.ts'
import { OUTCOME_WORDS } from '../../render/glossary.ts'
import { queryName } from '../../render/query-name.ts'
import {
  type ApartRow,
  type CommitComparison,
  commitsNamed,
  compareCommits,
  headsOfPair,
} from '../../report/compare-commits.ts'
import {
  COMPARE_FORM_ROUTE,
  COMPARE_ROUTE,
  comparePath,
  parseRepositoryAddress,
  queryPath,
  type RepositoryAddress,
} from '../../report/urls.ts'
import { plainText } from '../../text/markdown.ts'
import { change, count, counted, percent, pValue, signedPercent, thresholdPercent } from '../../text/numbers.ts'
import { type Column, tsvTable, tsvText } from '../../text/table.ts'
import { jsonInPieces } from '../../text/text-pieces.ts'
import type { ClassifiedQuery } from '../../verdict/classified-query.ts'
import { crumbs } from '../kit/crumbs.ts'
import { type Html, layout } from '../kit/layout.ts'
import { type GitHubLinks, githubLinks, linked } from '../kit/links.ts'
import { cells, headings, numberCell } from '../kit/table.ts'
import { architectureName } from '../kit/word.ts'
import type { Site } from './site.ts'

/** Heads whose runs are read, of each kind. */
const MOST_HEADS = 2

/** Rows of a table on the page; the JSON and the TSV have all. */
const MOST_ROWS = 200

const NAME_LENGTH = 200

/** Any two measured commits of a repository against each other, from the samples that are stored of them. */
export function compareRoutes(app: Hono, site: Site): void {
  const { access, answers, store, trunkHistoryOf, githubUrl, version } = site
  app.get(COMPARE_FORM_ROUTE, async (context) => {
    const address = parseRepositoryAddress(context.req.param())
    const visible = address === null ? null : await access.visible(context, address.owner, address.repo)
    if (address === null || visible === null) return answers.notFound(context)
    const asked = parseCommits(`${context.req.query('old')?.trim()}...${context.req.query('new')?.trim()}`)
    if (asked !== null) return context.redirect(comparePath(address, ...asked))
    return answers.inFormat(context, { html: () => formPage(address, version) })
  })

  app.get(COMPARE_ROUTE, async (context) => {
    const address = parseRepositoryAddress(context.req.param())
    const visible = address === null ? null : await access.visible(context, address.owner, address.repo)
    const asked = parseCommits(context.req.param('commits') ?? '')
    if (address === null || visible === null || asked === null) return answers.notFound(context)
    const { id } = visible
    const known = await store.runsOfCommits(id, ...asked)
    const [old, ...moreOld] = commitsNamed(asked[0], known)
    const [fresh, ...moreNew] = commitsNamed(asked[1], known)
    const isOnePair = old !== fresh && moreOld.length + moreNew.length === 0
    if (old === undefined || fresh === undefined || !isOnePair) return answers.notFound(context)
    const { metric } = await trunkHistoryOf({ id, ...address })
    const heads = headsOfPair(old, fresh, known)
    const wanted = [heads.together, heads.old, heads.new].flatMap((ofKind) => ofKind.slice(0, MOST_HEADS))
    const read = await Promise.all([...new Set(wanted)].map(async (head) => await store.runsOf(id, head, metric)))
    const runs = read.flat()
    const histories = await historiesOf(site, runs, { repositoryId: id, metric, fresh })
    const comparison = compareCommits(old, fresh, runs, metric, histories)
    const page = { address, old, fresh, metric, comparison, links: githubLinks(githubUrl, address), version }
    return answers.inFormat(context, {
      html: () => comparePage(page),
      json: () => jsonInPieces({ schemaVersion: 1, old, new: fresh, metric, ...comparison }),
      tsv: () => tsvTable(COLUMNS, () => linesOf(comparison)),
    })
  })
}

/** What the trunk measured of the checks that measured the new commit: how far its jobs are apart. */
async function historiesOf(
  { store, now }: Site,
  runs: readonly Run[],
  { repositoryId, metric, fresh }: { readonly repositoryId: number; readonly metric: string; readonly fresh: string },
) {
  const measured = runs.filter(({ head, newCommit }) => head === fresh || newCommit === fresh)
  const [newest] = measured
  if (newest === undefined) return new Map<string, never>()
  const { head: sha, pullRequestNumber } = newest
  const ofHead = measured.filter(({ head }) => head === sha)
  return await store.oneSidedHistories(ofHead, {
    repositoryId,
    metric,
    before: now(),
    head: { sha, pullRequestNumber },
  })
}

/** `OLD...NEW`, each the beginning of a commit's id; null: anything else. */
function parseCommits(text: string): readonly [old: string, fresh: string] | null {
  const { old, fresh } = /^(?<old>[0-9a-f]{7,64})\.{2,3}(?<fresh>[0-9a-f]{7,64})$/.exec(text)?.groups ?? {}
  return old === undefined || fresh === undefined ? null : [old, fresh]
}

interface ComparePage {
  readonly address: RepositoryAddress
  readonly old: string
  readonly fresh: string
  readonly metric: string
  readonly comparison: CommitComparison
  readonly links: GitHubLinks
  readonly version: string
}

const COMPARE = 'Compare'

function formPage(address: RepositoryAddress, version: string): Html {
  const name = `${address.owner}/${address.repo}`
  return layout({
    title: `Compare commits · ${name}`,
    version,
    crumbs: crumbs(address, { text: COMPARE }),
    content: html`<h1>Compare two commits of ${name}</h1>
<p>Each by the first seven digits of its id or more; both must have been measured, as the head of a pull request, on the trunk, or as the build that something was held against.</p>
${compareForm(address, '', '')}`,
  })
}

function compareForm(address: RepositoryAddress, old: string, fresh: string): Html {
  const field = (name: string, text: string, value: string) =>
    html`<label>${text} <input name="${name}" value="${value}" pattern="[0-9a-f]{7,64}" title="7 or more hexadecimal digits" autocomplete="off" spellcheck="false" required></label>`
  return html`<form class="filter" method="get" action="${comparePath(address)}">
${field('old', 'Old commit', old)} ${field('new', 'New commit', fresh)} <button type="submit">${COMPARE}</button></form>`
}

function comparePage({ address, old, fresh, metric, comparison, links, version }: ComparePage): Html {
  const path = comparePath(address, old, fresh)
  const [shortOld, shortNew] = [old.slice(0, 10), fresh.slice(0, 10)]
  const { together, apart } = comparison
  return layout({
    title: `${shortOld}...${shortNew} · ${address.owner}/${address.repo}`,
    description: headline(comparison),
    version,
    wide: true,
    crumbs: crumbs(address, { text: COMPARE, path: comparePath(address) }, { text: `${shortOld}...${shortNew}` }),
    content: html`<h1>${linked(links.commit(fresh), shortNew)} against ${linked(links.commit(old), shortOld)}</h1>
<p class="lead"><strong>${headline(comparison)}</strong></p>
<p class="compared">${plainText(metric, NAME_LENGTH)} · <a href="${comparePath(address, fresh, old)}">the other way round</a></p>
${
  together.length === 0
    ? ''
    : html`<h2 id="together">Measured side by side</h2>
<p>One job measured both commits: judged by the exact test, with the floors of 5 and 10 % as thresholds. No history and no verdict of a person is in it.</p>
${table(address, together, TOGETHER, 'query', 'queries')}`
}
${
  apart.length === 0
    ? ''
    : html`<h2 id="apart">Measured in different jobs</h2>
<p>Each commit was measured in a job of its own, and the machine of the one may not be that of the other: <strong>nothing is called slower or faster here.</strong>
A difference beyond what jobs of the trunk are apart from each other is worth a measurement of both in one job.</p>
${table(address, apart, APART, 'query', 'queries')}`
}
${together.length + apart.length === 0 ? html`<p>Both were measured, and no query of both has samples that are still kept.</p>` : ''}
<details><summary>Compare other commits</summary>${compareForm(address, shortOld, shortNew)}</details>
<p class="downloads">Every query, unrounded: <a href="${path}?format=json">JSON</a>, <a href="${path}?format=tsv">tab-separated values</a>.</p>`,
  })
}

/** `2 of 68 queries slower, 1 faster; 5 more measured in different jobs, 1 of them further apart than jobs of the trunk are.` */
function headline({ together, apart }: CommitComparison): string {
  const changed = (direction: string) =>
    count(together.filter((row) => row.outcome === 'changed' && row.direction === direction).length)
  const ofAll = counted(together.length, 'query', 'queries')
  const beyond = apart.filter(({ isBeyond }) => isBeyond === true).length
  const far = apart.every(({ isBeyond }) => isBeyond === null)
    ? 'and how far those of the trunk are apart is not known'
    : `${beyond === 0 ? 'none' : count(beyond)} of them further apart than those of the trunk are`
  const jobs = `measured in different jobs, ${far}`
  const parts = [
    together.length === 0
      ? 'Never measured side by side'
      : `${changed('slower')} of ${ofAll} slower, ${changed('faster')} faster`,
    ...(apart.length === 0
      ? []
      : [
          `${together.length === 0 ? counted(apart.length, 'query', 'queries') : `${count(apart.length)} more`} ${jobs}`,
        ]),
  ]
  return `${parts.join('; ')}.`
}

const ON_COLUMN: Column<Pick<AnyRow, 'architecture'>> = {
  heading: 'On',
  cell: ({ architecture }, name) => cell(name, architectureName(architecture)),
}

function table<Row extends AnyRow>(
  address: RepositoryAddress,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  one: string,
  many: string,
): Html {
  const shown = rows.slice(0, MOST_ROWS)
  const caption =
    shown.length < rows.length
      ? `The first ${count(shown.length)} of ${count(rows.length)}`
      : counted(rows.length, one, many)
  const all: readonly Column<Row>[] = [
    {
      heading: 'Query',
      cell: (row) => {
        const text = row.queryName === null ? '' : plainText(row.queryName, NAME_LENGTH)
        return html`<th scope="row"><a href="${queryPath(address, row)}"><bdi>${queryName(row, NAME_LENGTH)}</bdi></a>${text === '' ? '' : html`<br><code><bdi>${text}</bdi></code>`}</th>`
      },
    },
    ...(rows.some(({ architecture }) => architecture !== null) ? [ON_COLUMN] : []),
    ...columns,
  ]
  return html`<table class="rows"><caption>${caption}</caption>${headings(all)}
<tbody>${shown.map((row) => html`<tr class="own">${cells(all, row)}</tr>`)}</tbody></table>`
}

type AnyRow = ClassifiedQuery | ApartRow

const cell = (name: string, content: Html | string) => html`<td data-name="${name}">${content}</td>`

function medianColumn<Row extends AnyRow>(): Column<Row> {
  return {
    heading: 'Old → new',
    isNumber: true,
    cell: ({ old, new: fresh, unit }, name) =>
      html`<td class="n" data-name="${name}">${old.median === null || fresh.median === null ? '–' : change(old.median, fresh.median, unit)} <small>× ${old.repetitions ?? '?'} and ${fresh.repetitions ?? '?'}</small></td>`,
  }
}

const TOGETHER: readonly Column<ClassifiedQuery>[] = [
  medianColumn(),
  {
    heading: 'Difference',
    isNumber: true,
    cell: ({ difference }, name) => numberCell(name, difference, signedPercent),
  },
  {
    heading: 'Threshold',
    isNumber: true,
    cell: ({ threshold }, name) => numberCell(name, threshold, thresholdPercent),
  },
  { heading: 'p', isNumber: true, cell: (row, name) => numberCell(name, row.pValue, pValue) },
  { heading: 'Outcome', cell: (row, name) => cell(name, outcomeWords(row)) },
]

function outcomeWords({ outcome, direction }: ClassifiedQuery): Html | string {
  if (outcome === null) return 'not compared'
  return outcome === 'changed' && direction !== null
    ? html`<b class="${direction}">${direction}</b>`
    : OUTCOME_WORDS[outcome].term
}

const APART: readonly Column<ApartRow>[] = [
  medianColumn(),
  {
    heading: 'Difference',
    isNumber: true,
    cell: ({ difference }, name) => numberCell(name, difference, signedPercent),
  },
  { heading: 'Jobs differ by', isNumber: true, cell: ({ reach }, name) => numberCell(name, reach, percent) },
  {
    heading: 'So',
    cell: ({ isBeyond }, name) =>
      cell(
        name,
        isBeyond === null
          ? 'not known: too few runs of the trunk'
          : isBeyond
            ? html`<b>measure both in one job</b>`
            : 'no more than jobs differ by',
      ),
  },
]

type TsvLine = AnyRow & { readonly measured: 'side-by-side' | 'different-jobs' }

function* linesOf({ together, apart }: CommitComparison): Iterable<TsvLine> {
  for (const row of together) yield { ...row, measured: 'side-by-side' }
  for (const row of apart) yield { ...row, measured: 'different-jobs' }
}

const COLUMNS: readonly Column<TsvLine>[] = [
  { key: 'test', value: ({ test }) => tsvText(test) },
  { key: 'query_index', value: ({ queryIndex }) => queryIndex },
  { key: 'query_name', value: (row) => tsvText(row.queryName) },
  { key: 'metric', value: ({ metric }) => tsvText(metric) },
  { key: 'unit', value: ({ unit }) => tsvText(unit) },
  { key: 'architecture', value: ({ architecture }) => tsvText(architecture) },
  { key: 'measured', value: ({ measured }) => measured },
  { key: 'old_median', value: ({ old }) => old.median },
  { key: 'new_median', value: ({ new: fresh }) => fresh.median },
  { key: 'old_repetitions', value: ({ old }) => old.repetitions },
  { key: 'new_repetitions', value: ({ new: fresh }) => fresh.repetitions },
  { key: 'difference', value: ({ difference }) => difference },
  { key: 'threshold', value: (row) => ('threshold' in row ? row.threshold : null) },
  { key: 'p_value', value: (row) => ('pValue' in row ? row.pValue : null) },
  { key: 'outcome', value: (row) => ('outcome' in row ? row.outcome : null) },
  { key: 'reach', value: (row) => ('reach' in row ? row.reach : null) },
]
