import type { Hono } from 'hono'
import { html } from 'hono/html'
import type { Summary } from '../../report/render/summary.ts'
import {
  parseReportAddress,
  parseRepositoryAddress,
  REPOSITORY_ROUTE,
  type RepositoryAddress,
  reportPath,
  repositoryPath,
} from '../../report/urls.ts'
import { type AfterReport, NEWEST_REPORT, type RecentReport } from '../../store/reports/recent-reports.ts'
import { plainText } from '../../text/markdown.ts'
import { count } from '../../text/numbers.ts'
import { htmlTime } from '../../text/phrase-html.ts'
import { type Column, tsvTable } from '../../text/table.ts'
import { jsonInPieces, type TextInPieces } from '../../text/text-pieces.ts'
import { isoTime } from '../../text/time.ts'
import { compareFold } from '../kit/compare-form.ts'
import { crumbs } from '../kit/crumbs.ts'
import { type Html, layout } from '../kit/layout.ts'
import { pullRequestName } from '../kit/pull-request.ts'
import { cardTable, nameColumn, textColumn } from '../kit/table.ts'
import { choiceOf } from './compare.ts'
import type { Site } from './site.ts'

/** The recent runs of a repository. */
export function repositoryRoutes(app: Hono, { access, answers, store, version }: Site): void {
  app.get(REPOSITORY_ROUTE, async (context) => {
    const address = parseRepositoryAddress(context.req.param())
    const repository = address === null ? null : await access.visible(context, address.owner, address.repo)
    if (address === null || repository === null) return answers.notFound(context)
    const before = parseBefore(context.req.query('before'))
    const found = await store.reports.recent(repository.id, before ?? NEWEST_REPORT, RUNS_PER_PAGE + 1)
    const reports = found.slice(0, RUNS_PER_PAGE)
    const next = found.length > reports.length ? beforeOf(reports.at(-1)!) : null
    return answers.inFormat(context, {
      html: () =>
        repositoryPage({ address, reports, before: before === null ? null : beforeOf(before), next, version }),
      json: () => repositoryJson(reports, next),
      tsv: () => tsvTable(runColumns(address), () => reports),
    })
  })
}

/** Runs that one page of a repository shows. */
const RUNS_PER_PAGE = 50

/** The value of `?before=` for the runs after this one: `1780272060000-60-3f786850…`. */
function beforeOf({ judgedAt, pullRequestNumber, head }: AfterReport): string {
  return head === '' ? String(judgedAt) : `${judgedAt}-${pullRequestNumber}-${head}`
}

/** The place that `beforeOf` wrote, or milliseconds alone for the runs judged before them; null: the newest ones. */
function parseBefore(text: string | undefined): AfterReport | null {
  const { time, number, head } =
    /^(?<time>[1-9][0-9]{0,14})(?:-(?<number>\d+)-(?<head>\w+))?$/.exec(text ?? '')?.groups ?? {}
  if (time === undefined) return null
  if (number === undefined) return { judgedAt: Number(time), pullRequestNumber: 0, head: '' }
  const address = parseReportAddress({ owner: 'o', repo: 'r', number, head })
  return address === null ? null : { judgedAt: Number(time), pullRequestNumber: address.number, head: address.head! }
}

interface RepositoryPage {
  readonly address: RepositoryAddress
  /** The latest first. */
  readonly reports: readonly RecentReport[]
  /** The place in the list that they come after (`beforeOf`); null: they are the newest ones. */
  readonly before: string | null
  /** The place that those of the next page come after; null: there are none. */
  readonly next: string | null
  readonly version: string
}

/** The recent runs of a repository: a line for each head that was measured. */
export function repositoryPage({ address, reports, before, next, version }: RepositoryPage): Html {
  const name = `${address.owner}/${address.repo}`
  const path = repositoryPath(address)
  const since = before === null ? '' : `before=${before}&`
  return layout({
    title: `${name} · performance runs`,
    version,
    wide: true,
    crumbs: crumbs(address),
    content: html`<h1>Recent performance runs of ${name}</h1>
${reports.length > 0 ? table(address, reports) : before === null ? html`<p>Nothing has been measured yet. A run appears here once the first performance check of a pull request has finished.</p>` : html`<p>There are no older runs.</p>`}
${pages(path, before, next)}
${compareFold(address, { choices: reports.map(choiceOf) })}
<p class="downloads">These runs as <a href="${path}?${since}format=json">JSON</a>, as <a href="${path}?${since}format=tsv">tab-separated values</a>.</p>`,
  })
}

function pages(path: string, before: string | null, next: string | null): Html | string {
  if (before === null && next === null) return ''
  const newest = before === null ? '' : html`<a href="${path}">Newest runs</a>`
  const older = next === null ? '' : html`<a href="${path}?before=${next}" rel="next">Older runs</a>`
  return html`<p class="pages">${newest} ${older}</p>`
}

/** What holds for all of them is said once, above them. */
function table(address: RepositoryAddress, reports: readonly RecentReport[]): Html {
  const [base, ...others] = new Set(reports.map(({ baseRef }) => baseRef))
  const into = others.length > 0 ? '' : html`, all into <bdi>${plainText(base!, BASE_LENGTH)}</bdi>`
  const caption = html`Heads of pull requests${into}, latest first`
  return cardTable(caption, runColumns(address, others.length > 0), reports)
}

const BASE_LENGTH = 60

/** `ofBases`: each with the branch that it goes into. */
function runColumns({ owner, repo }: RepositoryAddress, ofBases = false): readonly Column<RecentReport>[] {
  const base = ({ baseRef }: RecentReport) =>
    ofBases ? html` <small>into <bdi>${plainText(baseRef, BASE_LENGTH)}</bdi></small>` : ''
  return [
    {
      key: 'pull_request_number',
      value: ({ pullRequestNumber }) => pullRequestNumber,
      ...nameColumn('Pull request', (run) => {
        const { pullRequestNumber: number, said } = run
        return html`${pullRequestName(number, said ?? {}, reportPath({ owner, repo, number }))}${base(run)}`
      }),
    },
    textColumn('Result', newsOf),
    {
      key: 'head',
      value: ({ head }) => head,
      ...textColumn(
        'Head',
        ({ pullRequestNumber: number, head }) =>
          html`<a href="${reportPath({ owner, repo, number, head })}"><code>${head.slice(0, 10)}</code></a>`,
      ),
    },
    {
      key: 'judged_at',
      value: ({ judgedAt }) => isoTime(judgedAt),
      ...textColumn('Judged', ({ judgedAt }) => htmlTime(judgedAt)),
    },
    { key: 'base_ref', value: ({ baseRef }) => baseRef },
    { key: 'complete', value: ({ complete }) => complete },
    { key: 'mode', value: ({ mode }) => mode },
    { key: 'slower', value: ({ counts }) => counts.slower },
    { key: 'faster', value: ({ counts }) => counts.faster },
    { key: 'said_slower', value: (report) => saidOf(report).slower },
    { key: 'said_faster', value: (report) => saidOf(report).faster },
    { key: 'unstable', value: ({ counts }) => counts.unstable },
    { key: 'too_small', value: ({ counts }) => counts.tooSmall },
    { key: 'not_significant', value: ({ counts }) => counts.notSignificant },
    { key: 'not_compared', value: ({ counts }) => counts.notCompared },
    { key: 'headline', value: ({ said }) => said?.headline ?? null },
    { key: 'title', value: ({ said }) => said?.title ?? null },
    { key: 'author', value: ({ said }) => said?.author ?? null },
  ]
}

/** What its comment counts; of a report from before that was kept what each query measured. */
function saidOf({ said, counts }: RecentReport): Pick<Summary, 'slower' | 'faster'> {
  return said ?? counts
}

/** The line of its comment, which somebody has to read where it is red; of a report from before that was kept its counts. */
export function newsOf(run: RecentReport): Html {
  const { said, complete, mode } = run
  const { slower, faster } = saidOf(run)
  const line = said?.headline ?? `${count(slower)} slower, ${count(faster)} faster`
  const { yours, unknown } = said?.failingTests ?? { yours: 0, unknown: 0 }
  const isOpen = said?.hasOpen === true || yours + unknown > 0
  const notes = [...(complete ? [] : ['shards are missing']), ...(mode === 'shadow' ? ['in shadow'] : [])].join(', ')
  return html`${isOpen ? html`<b class="slower">${line}</b>` : line}${notes === '' ? '' : html` <small>${notes}</small>`}`
}

/** The recent runs of a repository for other programs. `next`: the `before` of the next page; null: there is none. */
export function repositoryJson(reports: readonly RecentReport[], next: string | null): TextInPieces {
  const runs = reports.map((report) => ({ ...report, judgedAt: isoTime(report.judgedAt) }))
  return jsonInPieces({ schemaVersion: 1, runs, next })
}
