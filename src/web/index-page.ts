import { html } from 'hono/html'
import { type Html, layout } from './layout.ts'
import { REPORT_OF_HEAD_ROUTE, REPORT_ROUTE, REPOSITORY_ROUTE, WORDS_PATH } from './urls.ts'

export function indexPage(version: string, hasSignIn: boolean): Html {
  return layout({
    title: 'perf-triage',
    version,
    content: html`<h1>perf-triage</h1>
<p>perf-triage is a GitHub App. When the performance checks of a pull request have finished, it reads what they measured,
compares the new build with the old one query by query, and keeps one comment and one check on the pull request that say
which queries got slower or faster, which of them need another run, and why.</p>
<p>Each comment links to its report: every query with all its numbers, as a page, as JSON and as tab-separated values.</p>
<h2>Addresses</h2>
<dl class="terms">
<dt><code>${REPOSITORY_ROUTE.replace(/:(\w+)/g, '{$1}')}</code></dt>
<dd>The recent performance runs of a repository.</dd>
<dt><code>${REPORT_ROUTE.replace(/:(\w+)/g, '{$1}')}</code></dt>
<dd>The newest report of a pull request.</dd>
<dt><code>${REPORT_OF_HEAD_ROUTE.replace(/:(\w+)/g, '{$1}')}</code></dt>
<dd>The report of one head commit, given in full. This address is permanent.</dd>
<dt><code>?format=json</code>, <code>?format=tsv</code></dt>
<dd>The same as one JSON document, or as tab-separated values with a header, a line per query and architecture. The
<code>Accept</code> header does the same.</dd>
<dt><a href="${WORDS_PATH}">${WORDS_PATH}</a></dt>
<dd>What the words mean.</dd>
</dl>
<p>${hasSignIn ? 'Reports of a private repository are shown to those who may read it on GitHub, after they have signed in.' : 'Reports of private repositories are not shown.'}</p>`,
  })
}
