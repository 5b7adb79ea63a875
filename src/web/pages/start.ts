import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { LRUCache } from 'lru-cache'
import { askedOf, MOST_KNOWN_REPOSITORIES, MOST_QUEUE_REPOSITORIES, queueOf } from '../../bot/triage/queue.ts'
import { DEFAULT_QUEUE_DAYS } from '../../report/lookback.ts'
import {
  INDEX_PATH,
  INSTALLED_PATH,
  ledgerPath,
  QUEUE_PATH,
  type RepositoryAddress,
  reportPath,
  repositoryPath,
  WORDS_PATH,
} from '../../report/urls.ts'
import { askedByAll } from '../../store/page-asking.ts'
import { NEWEST_REPORT, type RecentReport } from '../../store/reports/recent-reports.ts'
import { count, minute } from '../../text/numbers.ts'
import { DAY, isoTime } from '../../text/time.ts'
import { ASSETS } from '../assets/assets.ts'
import { IMMUTABLE_CACHE, PRIVATE_CACHE, PUBLIC_CACHE } from '../kit/answers.ts'
import { type Html, layout } from '../kit/layout.ts'
import { pullRequestName } from '../kit/pull-request.ts'
import { installedPage } from './installed.ts'
import { newsOf } from './repository.ts'
import type { Site } from './site.ts'
import { wordsPage } from './words.ts'

/** Pages that belong to no repository: those that there are, the words, and the files that pages are made with. */
export function siteRoutes(app: Hono, site: Site): void {
  const { answers, version } = site
  const lookOver = lookOverOf(site)
  app.get(INDEX_PATH, async (context) => answers.page(context, indexPage(await lookOver(context), site), PRIVATE_CACHE))
  app.get(WORDS_PATH, (context) => answers.page(context, wordsPage(version), PUBLIC_CACHE))
  app.get(INSTALLED_PATH, (context) => answers.page(context, installedPage(version), PUBLIC_CACHE))
  for (const { path, type, content } of ASSETS) {
    app.get(path, (context) => answers.text(context, content, type, IMMUTABLE_CACHE))
  }
}

/** Runs of each repository. */
const LAST_RUNS = 3

/** A repository that whoever asks may see, with what happened there last. */
interface Seen {
  readonly address: RepositoryAddress
  /** The latest first. */
  readonly runs: readonly RecentReport[]
  /** Steps on the main branch that nobody accepted. */
  readonly steps: number
  /** What else waits for a person. */
  readonly questions: number
}

/** Milliseconds for which the database is not asked again about a repository of which no report was stored meanwhile. */
const REMEMBERED_MS = 30_000

/** Failing tests and entries that are remembered, of all repositories: some 20 MiB. */
const MOST_REMEMBERED = 50_000

type LookOver = (context: Context) => Promise<readonly Seen[]>

/** Looks at all repositories: one statement, and those of each of which nothing is remembered. */
function lookOverOf({ store, access, queueMemory: memory, now }: Site): LookOver {
  const from = () => now() - DEFAULT_QUEUE_DAYS * DAY
  const ask = async (id: number) =>
    await Promise.all([store.reports.recent(id, NEWEST_REPORT, LAST_RUNS), askedOf(store, id, from())])
  const remembered = new LRUCache<string, Awaited<ReturnType<typeof ask>>, number>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: ([, [reports, { entries }]]) =>
      reports.reduce((sum, { failingTests }) => sum + (failingTests?.failures.length ?? 0), 1 + entries.length),
    ttl: REMEMBERED_MS,
    fetchMethod: async (_key, _stale, { context: id }) => await askedByAll(() => ask(id)),
  })
  return async (context) => {
    const reported = await store.reports.repositories(MOST_KNOWN_REPOSITORIES)
    const seen = await access.firstVisible(context, reported, MOST_QUEUE_REPOSITORIES)
    const storedAt = new Map(reported.map((one) => [one.id, one.storedAt]))
    return await Promise.all(
      seen.map(async (repository) => {
        const { id, owner, repo } = repository
        const [runs, [reports, entries]] = await remembered.forceFetch(`${id} ${storedAt.get(id)}`, { context: id })
        const known = { reports: { ofQueue: async () => reports }, ledger: { find: async () => entries } }
        const { items, notShown } = await queueOf([repository], DEFAULT_QUEUE_DAYS, {
          store: known,
          memory,
          now: now(),
        })
        const steps = items.filter(({ kind }) => kind === 'trunk-step').length
        return { address: { owner, repo }, runs, steps, questions: items.length + notShown - steps }
      }),
    )
  }
}

function indexPage(seen: readonly Seen[], { version, signIn }: Pick<Site, 'version' | 'signIn'>): Html {
  const who =
    signIn === null
      ? 'Pages of public repositories are public. Those of private repositories are not shown.'
      : 'Pages of a public repository are public. Those of a private repository are shown only to people who can read it on GitHub, after they sign in.'
  return layout({
    title: 'perf-triage',
    version,
    wide: true,
    content: html`<h1>Repositories</h1>
${
  seen.length === 0
    ? html`<p>No repository that you can see has a report yet. The first one appears once a performance check of a pull request has finished.</p>`
    : html`<table class="rows"><caption>Most recent first; steps and questions are of the last ${DEFAULT_QUEUE_DAYS} days</caption>
<thead><tr><th scope="col">Repository</th><th scope="col">Last runs</th><th scope="col">Steps on the main branch</th><th scope="col">Open questions</th><th scope="col">Known failures</th></tr></thead>
<tbody>${seen.map(repositoryRow)}</tbody></table>`
}
<details><summary>What is this?</summary><div class="more">
<p>perf-triage is a GitHub App. When the performance checks of a pull request have finished, it compares the new build with the old one,
query by query. One comment and one check on the pull request say which queries got slower or faster, which need another run, and why.
Each comment links to its report here.</p>
<p>${who}</p>
<p>Every page is also one JSON document (<code>?format=json</code>) and tab-separated values with a header
(<code>?format=tsv</code>), unrounded; the <code>Accept</code> header does the same.</p></div></details>`,
  })
}

function repositoryRow({ address, runs, steps, questions }: Seen): Html {
  const queue = `${QUEUE_PATH}?repository=${encodeURIComponent(`${address.owner}/${address.repo}`)}`
  const waiting = (number: number) =>
    number === 0 ? html`none` : html`<a href="${queue}"><b class="slower">${count(number)}</b></a>`
  return html`<tr class="own"><th scope="row"><a class="label" href="${repositoryPath(address)}"><bdi>${address.owner}/${address.repo}</bdi></a></th>
<td data-name="Last runs"><ul class="plain">${runs.map((run) => html`<li>${runLine(address, run)}</li>`)}</ul></td>
<td data-name="Steps on the main branch">${waiting(steps)}</td>
<td data-name="Open questions">${waiting(questions)}</td>
<td data-name="Known failures"><a href="${ledgerPath(address)}">ledger</a></td></tr>
`
}

/** A run: `#5 Load orders in parts · alice`, and below it `7 of 67 queries got slower, 13 got faster 2026-11-23 16:39 UTC`. */
function runLine(address: RepositoryAddress, run: RecentReport): Html {
  const { pullRequestNumber: number, head, judgedAt, said } = run
  return html`${pullRequestName(number, said ?? {}, reportPath({ ...address, number, head }))}${said?.title == null ? '' : html`<br>`} ${newsOf(run)} <small><time datetime="${isoTime(judgedAt)}">${minute(judgedAt)}</time></small>`
}
