import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { Run } from '../../intake/measurement/run.ts'
import type { MedianOfCommit } from '../../judge/history/trunk-history.ts'
import { HistoryUnavailable } from '../../judge/history/trunk-history.ts'
import type { ClassifiedQuery } from '../../judge/verdict/classified-query.ts'
import {
  type ApartRow,
  type CommitComparison,
  commitsNamed,
  compareCommits,
  headsOfPair,
  type MeasuredCommits,
} from '../../report/compare-commits.ts'
import { DIFFERENCE, JUDGED, OF, QUERY_COLUMNS, SIDES } from '../../report/row/columns.ts'
import { queryName } from '../../report/row/name.ts'
import {
  COMPARE_FORM_ROUTE,
  COMPARE_ROUTE,
  comparePath,
  parseRepositoryAddress,
  queryPath,
  type RepositoryAddress,
  TRUNK_COMMIT,
} from '../../report/urls.ts'
import { NEWEST_REPORT, type RecentReport } from '../../store/reports/recent-reports.ts'
import { StoreUnavailable } from '../../store/store-unavailable.ts'
import { plainText } from '../../text/markdown.ts'
import { change, count, counted, minute, percent, thresholdPercent } from '../../text/numbers.ts'
import { type Column, tsvTable } from '../../text/table.ts'
import { jsonInPieces } from '../../text/text-pieces.ts'
import { askedFormat } from '../kit/answers.ts'
import {
  COMPARE,
  type CommitChoice,
  commitList,
  compareFold,
  compareForm,
  isBeginningOfCommit,
  LEAST_DIGITS,
  type ListedCommit,
  SHOWN_DIGITS,
} from '../kit/compare-form.ts'
import { crumbs } from '../kit/crumbs.ts'
import { type Html, layout } from '../kit/layout.ts'
import { type GitHubLinks, githubLinks, linked } from '../kit/links.ts'
import { cardTable, countColumn, nameColumn, textColumn, valueColumn } from '../kit/table.ts'
import { architectureName, outcomeWord } from '../kit/word.ts'
import type { NamedRepository } from './query/trunk-of-repository.ts'
import type { Site } from './site.ts'

/** Heads whose runs are read, of each kind. */
const MOST_HEADS = 2

/** Rows of a table on the page; the JSON and the TSV have all. */
const MOST_ROWS = 200

const NAME_LENGTH = 200

/** Commits to choose from, and reports that name them. */
const MOST_CHOICES = 50

/** Any two measured commits of a repository against each other, from the samples that are stored of them. */
export function compareRoutes(app: Hono, site: Site): void {
  const { access, answers, store, githubUrl, version } = site

  const unknownPage = async (repository: NamedRepository, asked: AskedPair | null, problems: readonly string[]) => {
    const [commits, reports] = await Promise.all([
      store.runs.measuredCommits(repository.id, MOST_CHOICES),
      store.reports.recent(repository.id, NEWEST_REPORT, MOST_CHOICES),
    ])
    const newest = new Map(reports.toReversed().map((report) => [report.pullRequestNumber, report]))
    const listed = commits.map((one): ListedCommit => {
      const { title = null, author = null } = newest.get(one.headOf ?? 0)?.said ?? {}
      return { ...one, title, author }
    })
    return formPage({ address: repository, asked, problems, commits: listed, version })
  }

  app.get(COMPARE_FORM_ROUTE, async (context) => {
    const address = parseRepositoryAddress(context.req.param())
    const visible = address === null ? null : await access.visible(context, address.owner, address.repo)
    if (address === null || visible === null) return answers.notFound(context)
    const repository = { ...address, id: visible.id }
    const [old, fresh] = [context.req.query('old'), context.req.query('new')]
    const asked = old === undefined || fresh === undefined ? null : { old: written(old), new: written(fresh) }
    const found = asked === null ? { problems: [] } : await pairOf(site, repository, asked)
    if ('old' in found) return context.redirect(comparePath(address, found.old, found.new))
    const page = await unknownPage(repository, asked, found.problems)
    return answers.inFormat(context, { html: () => page })
  })

  app.get(COMPARE_ROUTE, async (context) => {
    const address = parseRepositoryAddress(context.req.param())
    const visible = address === null ? null : await access.visible(context, address.owner, address.repo)
    if (address === null || visible === null) return answers.notFound(context)
    const { id } = visible
    const asked = parsePair(context.req.param('commits') ?? '')
    const found = await pairOf(site, { ...address, id }, asked)
    if (!('old' in found)) {
      if (askedFormat(context) !== 'html') return answers.notFound(context)
      context.status(404)
      return answers.page(context, await unknownPage({ ...address, id }, asked, found.problems), 'no-store')
    }
    const { old, new: fresh, known, metric, medians } = found
    const heads = headsOfPair(old, fresh, known)
    const wanted = [heads.together, heads.old, heads.new].flatMap((ofKind) => ofKind.slice(0, MOST_HEADS))
    const read = await Promise.all([...new Set(wanted)].map(async (head) => await store.runs.of(id, head, metric)))
    const runs = read.flat()
    const histories = await historiesOf(site, runs, { repositoryId: id, metric, fresh })
    const comparison = compareCommits(old, fresh, runs, metric, histories, medians)
    const onlyMedians = [...new Set(medians.map(({ commit }) => commit))]
    const page = {
      address,
      old,
      fresh,
      metric,
      onlyMedians,
      comparison,
      links: githubLinks(githubUrl, address),
      version,
    }
    return answers.inFormat(context, {
      html: () => comparePage(page),
      json: () => jsonInPieces({ schemaVersion: 1, old, new: fresh, metric, onlyMedians, ...comparison }),
      tsv: () => tsvTable(COLUMNS, () => linesOf(comparison)),
    })
  })
}

/** Two commits as somebody wrote them: the beginnings of their ids, or `TRUNK_COMMIT`. */
interface AskedPair {
  readonly old: string
  readonly new: string
}

type FoundPair =
  | (AskedPair & {
      readonly known: readonly MeasuredCommits[]
      readonly metric: string
      /** Of a commit that no stored run measured. */
      readonly medians: readonly MedianOfCommit[]
    })
  /** What is wrong with the pair, each a sentence. */
  | { readonly problems: readonly string[] }

/** The commits that are meant. Throws `StoreUnavailable`. */
async function pairOf(
  { store, trunkHistoryOf }: Pick<Site, 'store' | 'trunkHistoryOf'>,
  repository: NamedRepository,
  asked: AskedPair,
): Promise<FoundPair> {
  const { id: repositoryId } = repository
  const isTrunk = asked.old === TRUNK_COMMIT || asked.new === TRUNK_COMMIT
  const trunk = isTrunk ? await store.runs.newestOfTrunk(repositoryId) : null
  const [old, fresh] = [asked.old, asked.new].map((text) => (text === TRUNK_COMMIT && trunk !== null ? trunk : text))
  const malformed = [old!, fresh!].filter((text) => !isBeginningOfCommit(text))
  if (malformed.length > 0) return { problems: [...new Set(malformed.map(malformedWords))] }
  const known = await store.runs.ofCommits(repositoryId, old!, fresh!)
  const { metric, copiedFrom } = await trunkHistoryOf(repository)
  const isKept = [old!, fresh!].every((text) => commitsNamed(text, known).length > 0)
  const of = { repositoryId, metric, copiedFrom }
  const kept = isKept ? [] : await store.trunkHistory.mediansOfCommits(of, old!, fresh!).catch(unavailable)
  const named = [old!, fresh!].map((text) => {
    const commits = commitsNamed(text, known)
    const ofMedians = kept.map(({ commit }) => commit).filter((commit) => commit.startsWith(text))
    return { text, commits: commits.length > 0 ? commits : [...new Set(ofMedians)] }
  })
  const problems = named.flatMap(({ text, commits }) => unknownWords(text, commits.length))
  if (problems.length > 0) return { problems: [...new Set(problems)] }
  const [a, b] = named.map(({ commits }) => commits[0]!)
  if (a === b) return { problems: ['Both are the same commit.'] }
  const unkept = [a, b].filter((commit) => commitsNamed(commit!, known).length === 0)
  const medians = kept.filter(({ commit }) => unkept.includes(commit))
  return { old: a!, new: b!, known, metric, medians }
}

function unavailable(error: unknown): never {
  throw error instanceof HistoryUnavailable ? new StoreUnavailable(error.message) : error
}

function malformedWords(text: string): string {
  if (text === TRUNK_COMMIT) return 'No run of the main branch is stored with its samples.'
  if (text === '') return 'A comparison needs two commits: one is missing.'
  return `“${plainText(text, NAME_LENGTH)}” is not a commit: give at least ${count(LEAST_DIGITS)} hexadecimal digits of its ID.`
}

function unknownWords(text: string, found: number): string[] {
  if (found === 1) return []
  const shown = text.slice(0, SHOWN_DIGITS)
  return found === 0
    ? [
        `No stored run measured ${shown}: not as a head, not on the main branch, and not as the build that another was compared with.`,
      ]
    : [`${counted(found, 'measured commit begins', 'measured commits begin')} with ${shown}: give more of its digits.`]
}

/** What the trunk measured of the checks that measured the new commit: how far its jobs are apart. */
async function historiesOf(
  { store, now }: Site,
  runs: readonly Run[],
  { repositoryId, metric, fresh }: { readonly repositoryId: number; readonly metric: string; readonly fresh: string },
) {
  const ofFresh = runs.filter(({ head, newCommit }) => head === fresh || newCommit === fresh)
  const measured = ofFresh.length > 0 ? ofFresh : runs
  const [newest] = measured
  if (newest === undefined) return new Map<string, never>()
  const { head: sha, pullRequestNumber } = newest
  const ofHead = measured.filter(({ head }) => head === sha)
  return await store.runs.oneSidedHistories(ofHead, {
    repositoryId,
    metric,
    before: now(),
    head: { sha, pullRequestNumber },
  })
}

/** `OLD...NEW`; what is missing is empty. */
function parsePair(text: string): AskedPair {
  const [old = '', fresh = ''] = text.split(/\.{2,3}/)
  return { old: written(old), new: written(fresh) }
}

function written(text: string): string {
  return text.trim().toLowerCase()
}

interface ComparePage {
  readonly address: RepositoryAddress
  readonly old: string
  readonly fresh: string
  readonly metric: string
  /** The commits of which no sample is kept. */
  readonly onlyMedians: readonly string[]
  readonly comparison: CommitComparison
  readonly links: GitHubLinks
  readonly version: string
}

interface FormPage {
  readonly address: RepositoryAddress
  /** null: nothing was asked for. */
  readonly asked: AskedPair | null
  /** Why it is not shown, each a sentence. */
  readonly problems: readonly string[]
  /** Those that were measured last. */
  readonly commits: readonly ListedCommit[]
  readonly version: string
}

function formPage({ address, asked, problems, commits, version }: FormPage): Html {
  const name = `${address.owner}/${address.repo}`
  const byId = html`<p>Give at least the first ${count(LEAST_DIGITS)} digits of each commit ID, or <code>${TRUNK_COMMIT}</code> for the main branch’s newest run. Both must have been measured: as the head of a pull request, on the main branch, or as the build that another was compared with.</p>
${compareForm(address, { ...asked, choices: [] })}`
  return layout({
    title: `Compare commits · ${name}`,
    version,
    crumbs: crumbs(address, { text: COMPARE }),
    content: html`<h1>Compare two commits of ${name}</h1>
${problems.length === 0 ? '' : html`<div role="alert"><ul class="notices">${problems.map((problem) => html`<li>${problem}</li>`)}</ul></div>`}
${
  commits.length === 0
    ? byId
    : html`${commitList(address, commits, asked)}
<h2 id="by-id">Other commits, by ID</h2>
${byId}`
}`,
  })
}

/** A head of a pull request that may be chosen. */
export function choiceOf({ pullRequestNumber, head, judgedAt }: RecentReport): CommitChoice {
  return { commit: head, label: `#${pullRequestNumber}, ${minute(judgedAt)}` }
}

function comparePage({ address, old, fresh, metric, onlyMedians, comparison, links, version }: ComparePage): Html {
  const path = comparePath(address, old, fresh)
  const [shortOld, shortNew] = [old.slice(0, SHOWN_DIGITS), fresh.slice(0, SHOWN_DIGITS)]
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
${onlyMedians.length === 0 ? '' : html`<p>For ${onlyMedians.map((commit) => commit.slice(0, SHOWN_DIGITS)).join(' and ')}, only the medians of the main branch’s history are kept, no samples.</p>`}
${
  together.length === 0
    ? ''
    : html`<h2 id="together">Measured side by side</h2>
<p>One job measured both commits: judged by the exact test, with the default limits of 5% and 10%. History and people’s decisions are not taken into account.</p>
${table(address, together, TOGETHER, 'query', 'queries')}`
}
${
  apart.length === 0
    ? ''
    : html`<h2 id="apart">Measured in different jobs</h2>
<p>Each commit was measured in its own job, possibly on different machines, so <strong>nothing is called slower or faster here.</strong>
If a difference is larger than jobs of the main branch differ from each other, measure both commits in one job.</p>
${table(address, apart, APART, 'query', 'queries')}`
}
${together.length + apart.length === 0 ? html`<p>Both were measured, but no query still has samples of both.</p>` : ''}
${compareFold(address, { old: shortOld, new: shortNew, choices: [] })}
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
    ? 'and how far jobs of the main branch differ is not known'
    : `${count(beyond)} of them further apart than jobs of the main branch`
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

const ON_COLUMN = textColumn('On', ({ architecture }: AnyRow) => architectureName(architecture))

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
    nameColumn('Query', (row) => {
      const text = row.queryName === null ? '' : plainText(row.queryName, NAME_LENGTH)
      return html`<a href="${queryPath(address, row)}"><bdi>${queryName(row, NAME_LENGTH)}</bdi></a>${text === '' ? '' : html`<br><code><bdi>${text}</bdi></code>`}`
    }),
    ...(rows.some(({ architecture }) => architecture !== null) ? [ON_COLUMN] : []),
    ...columns,
  ]
  return cardTable(caption, all, shown)
}

type AnyRow = ClassifiedQuery | ApartRow

function medianColumn<Row extends AnyRow>(): Column<Row> {
  return countColumn(
    'Old → new',
    ({ old, new: fresh, unit }) =>
      html`${old.median === null || fresh.median === null ? '–' : change(old.median, fresh.median, unit)} <small>× ${old.repetitions ?? '?'} and ${fresh.repetitions ?? '?'}</small>`,
  )
}

const TOGETHER: readonly Column<ClassifiedQuery>[] = [
  medianColumn(),
  DIFFERENCE,
  { ...JUDGED.threshold, shown: thresholdPercent },
  JUDGED.pValue,
  textColumn('Outcome', (row) => outcomeWord(row, 'not compared')),
]

const APART: readonly Column<ApartRow>[] = [
  medianColumn(),
  DIFFERENCE,
  valueColumn('Jobs differ by', ({ reach }) => reach, percent),
  textColumn('So', ({ isBeyond }) => {
    if (isBeyond === null) return 'not known: too few runs of the main branch'
    return isBeyond ? html`<b>measure both in one job</b>` : 'no more than jobs usually differ'
  }),
]

type TsvLine = AnyRow &
  Pick<ClassifiedQuery, 'threshold' | 'pValue' | 'outcome'> & {
    readonly measured: 'side-by-side' | 'different-jobs'
    readonly reach: number | null
  }

function* linesOf({ together, apart }: CommitComparison): Iterable<TsvLine> {
  for (const row of together) yield { ...row, measured: 'side-by-side', reach: null }
  for (const row of apart) yield { ...row, measured: 'different-jobs', threshold: null, pValue: null, outcome: null }
}

const COLUMNS: readonly Column<TsvLine>[] = [
  ...QUERY_COLUMNS,
  ...Object.values(OF),
  { key: 'measured', value: ({ measured }) => measured },
  SIDES.oldMedian,
  SIDES.newMedian,
  SIDES.oldRepetitions,
  SIDES.newRepetitions,
  DIFFERENCE,
  ...Object.values(JUDGED),
  { key: 'reach', value: ({ reach }) => reach },
]
