import type { Hono } from 'hono'
import { html } from 'hono/html'
import { GLOSSARY } from '../../render/glossary.ts'
import {
  DIGEST_PATH,
  ENTRY_ROUTE,
  FAILING_TESTS_ROUTE,
  FLAME_GRAPH_ROUTE,
  INDEX_PATH,
  INSTALLED_PATH,
  LEDGER_ROUTE,
  QUALITY_PATH,
  QUERY_ROUTE,
  QUEUE_PATH,
  RECORD_PATH,
  REPORT_OF_HEAD_ROUTE,
  REPORT_ROUTE,
  REPOSITORY_ROUTE,
  ROW_ROUTE,
  WORDS_PATH,
  wordAnchor,
} from '../../report/urls.ts'
import { ASSETS } from '../assets/assets.ts'
import { IMMUTABLE_CACHE, PUBLIC_CACHE } from '../kit/answers.ts'
import { type Html, layout } from '../kit/layout.ts'
import type { Site } from './site.ts'

/** Pages that belong to no repository: about the bot, about its words, and the files that pages are made with. */
export function siteRoutes(app: Hono, { answers, signIn, version }: Site): void {
  app.get(INDEX_PATH, (context) => answers.page(context, indexPage(version, signIn !== null), PUBLIC_CACHE))
  app.get(WORDS_PATH, (context) => answers.page(context, wordsPage(version), PUBLIC_CACHE))
  app.get(INSTALLED_PATH, (context) => answers.page(context, installedPage(version), PUBLIC_CACHE))
  for (const { path, type, content } of ASSETS) {
    app.get(path, (context) => answers.text(context, content, type, IMMUTABLE_CACHE))
  }
}

/** Each kind of page with what is there. */
const PAGES: readonly (readonly [route: string, what: string])[] = [
  [REPOSITORY_ROUTE, 'The recent performance runs of a repository.'],
  [
    REPORT_ROUTE,
    'The newest report of a pull request: every query with its numbers, evidence and verdict, and the failing tests.',
  ],
  [REPORT_OF_HEAD_ROUTE, 'The report of one head commit, given in full. This address is permanent.'],
  [ROW_ROUTE, 'One query of that report: its samples, and everything else that was measured while it ran.'],
  [FLAME_GRAPH_ROUTE, 'Where that query spends its time, old against new, where there are profiles.'],
  [FAILING_TESTS_ROUTE, 'The failing tests of that report alone, for other programs.'],
  [QUERY_ROUTE, 'A query over time: its history on the trunk, its steps, and the pull requests that flagged it.'],
  [LEDGER_ROUTE, 'Tests that keep failing and queries that keep moving, whoever changes what.'],
  [ENTRY_ROUTE, 'One of them, with its timeline.'],
]

function indexPage(version: string, hasSignIn: boolean): Html {
  return layout({
    title: 'perf-triage',
    version,
    content: html`<h1>perf-triage</h1>
<p>perf-triage is a GitHub App. When the performance checks of a pull request have finished, it reads what they measured,
compares the new build with the old one query by query, and keeps one comment and one check on the pull request that say
which queries got slower or faster, which of them need another run, and why.</p>
<p>Each comment links to its report, which is here: every query with all its numbers, and what they follow from.</p>
<h2>Addresses</h2>
<dl class="terms addresses">
${PAGES.map(
  ([route, what]) => html`<dt><code>${breakable(route.replace(/:(\w+)/g, '{$1}'))}</code></dt>
<dd>${what}</dd>
`,
)}<dt><a href="${QUEUE_PATH}">${QUEUE_PATH}</a></dt>
<dd>What waits for a person: unexplained red checks, steps of the trunk, and what has expired.</dd>
<dt><a href="${DIGEST_PATH}">${DIGEST_PATH}</a></dt>
<dd>What began to wait in the last day, or with <code>?period=week</code> in the last week.</dd>
<dt><a href="${RECORD_PATH}">${RECORD_PATH}</a></dt>
<dd>How often the bot was right, by what people, later runs and the trunk said.</dd>
<dt><a href="${QUALITY_PATH}">${QUALITY_PATH}</a></dt>
<dd>Queries that measure nothing: unstable, too short, too slow, never different.</dd>
<dt><a href="${WORDS_PATH}">${WORDS_PATH}</a></dt>
<dd>What the words mean.</dd>
</dl>
<p>Each page of a repository leads to the others. Every one of them is also one JSON document (<code>?format=json</code>) and
tab-separated values with a header (<code>?format=tsv</code>), unrounded; the <code>Accept</code> header does the same.</p>
<h2>Who sees them</h2>
<p>${hasSignIn ? 'Pages of a public repository are public. Those of a private repository are shown to those who may read it on GitHub, after they have signed in.' : 'Pages of public repositories are public. Those of private repositories are not shown.'}</p>`,
  })
}

/** The step of a workflow that the bot waits for. */
const UPLOAD_STEP = `- uses: actions/upload-artifact@v4
  if: always()
  with:
    name: performance-results
    path: results/`

function installedPage(version: string): Html {
  return layout({
    title: 'Installed · perf-triage',
    version,
    content: html`<h1>perf-triage is installed</h1>
<p>It says nothing until a workflow uploads measurements as an artifact whose name begins with <code>performance-</code>. At the end of the
job that measures:</p>
<pre><code>${UPLOAD_STEP}</code></pre>
<p>In <code>results/</code> are <code>*-raw.tsv</code> files, JSON lines of measurements or results of another tool. Try them first on your own
machine, without GitHub: <code>npx perf-triage classify results/</code>.</p>
<p>Then open a pull request. When the job has finished, there is a check <code>perf-triage</code>, and a comment where there is something to say. Where the
names are others, or the bot should stay silent at first (<code>mode: shadow</code>), say so in <code>.github/perf-triage.yml</code> on the default branch;
<code>npx perf-triage config check</code> reads it.</p>
<p><a href="${WORDS_PATH}">What the words mean</a></p>`,
  })
}

/** An address that is wider than a phone goes on in the next line after a slash. */
function breakable(path: string): Html[] {
  return path.split('/').map((part, index) => (index === 0 ? html`${part}` : html`/<wbr>${part}`))
}

function wordsPage(version: string): Html {
  const anchored = new Set<string>()
  // A word may stand in two groups; its address is the first one.
  const id = (term: string) => {
    const anchor = wordAnchor(term)
    if (anchored.has(anchor)) return ''
    anchored.add(anchor)
    return html` id="${anchor}"`
  }
  return layout({
    title: 'What the words mean · perf-triage',
    version,
    content: html`<h1>What the words mean</h1>
${GLOSSARY.map(
  ({ title, words }) => html`<h2>${title}</h2>
<dl class="terms">
${words.map(({ term, meaning }) => html`<dt${id(term)}>${term}</dt><dd>${codeIn(meaning)}</dd>\n`)}</dl>
`,
)}`,
  })
}

/** The meanings are our own words, with code in backticks. */
function codeIn(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}
