import { html } from 'hono/html'
import { entryIdOfFailure } from '../../../judge/ledger/entry.ts'
import type { FailingTests, Hit, JudgedFailure } from '../../../judge/ledger/failure.ts'
import { FAILING_TESTS_ANCHOR, failureAnchor } from '../../../report/anchors.ts'
import { FAILURE_COLUMNS } from '../../../report/failing-test/columns.ts'
import {
  expiredWords,
  knownSincePhrase,
  latestHitsWords,
  reopenedWords,
  trunkCommitPhrases,
} from '../../../report/render/entry-words.ts'
import { failureJson } from '../../../report/render/failure-json.ts'
import { countsWords, reasonPhrase, trunkRatePhrase } from '../../../report/render/ledger-words.ts'
import type { TriageReport } from '../../../report/report.ts'
import { entryPath } from '../../../report/urls.ts'
import { CLASSIFICATION_WORDS, FAILURE_WORDS, LOOKUP_PROBLEM_WORDS, RED_CHECK_WORDS } from '../../../report/words.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { htmlTime } from '../../../text/phrase-html.ts'
import { type Column, ofPart, tsvTable } from '../../../text/table.ts'
import { jsonInPieces, type TextInPieces } from '../../../text/text-pieces.ts'
import type { Html } from '../../kit/layout.ts'
import { commitLink, linkedOutside, linkWithin, outsideLink, pullRequestNumberLink, sentence } from '../../kit/links.ts'
import { explained, said } from '../../kit/word.ts'
import { cutAt, fold, LIST_LENGTH } from './report-folds.ts'

/** The failing tests on a report’s page and in its JSON. */

const NAME_LENGTH = 200
const SIGNATURE_LENGTH = 400
/** Hits that are listed on one page; each failure alone has few, thousands of failures would have too many. */
const MOST_EXAMPLES = 2_000

interface Line {
  readonly report: TriageReport
  readonly judged: JudgedFailure
}

const COLUMNS: readonly Column<Line>[] = [
  { key: 'repository', value: ({ report: { repository } }) => `${repository.owner}/${repository.name}` },
  { key: 'pull_request_number', value: ({ report }) => report.pullRequest.number },
  { key: 'head', value: ({ report }) => report.head },
  ...ofPart(FAILURE_COLUMNS, ({ judged }: Line) => judged),
]

/** The failing tests of a report, all of them with all their numbers, in the report's order. Empty where there are none. */
export function failingTestsPart(report: TriageReport, path: string): Html | string {
  const tests = report.failingTests
  if (tests === null || tests.failures.length + tests.redChecks.length + tests.notJudged === 0) {
    return tests === null || tests.problem === null ? '' : section(problemNotice(tests))
  }
  let left = MOST_EXAMPLES
  const rows = tests.failures.map((judged) => {
    const examples = judged.examples.slice(0, left)
    left -= examples.length
    return failureRows(report, tests, judged, examples)
  })
  return section(html`${problemNotice(tests)}
${redChecks(report, tests)}
${rows.length === 0 ? '' : html`<ul class="failures">${rows}</ul>`}
<p class="aside">Judged by ${counted(tests.lookbackDays, 'day', 'days')} of ${tests.source === 'ci-database' ? 'the CI database' : 'the CI results the bot has seen'}, without this pull request’s own.
${tests.notJudged === 0 ? '' : html`<strong>${counted(tests.notJudged, 'more failing test was', 'more failing tests were')} not judged.</strong> `}Only these: <a href="${path}?format=json">JSON</a>, <a href="${path}?format=tsv">tab-separated values</a>.</p>`)
}

function section(content: Html | string): Html {
  return html`<section id="${FAILING_TESTS_ANCHOR}" aria-labelledby="failing-tests-title">
<h2 id="failing-tests-title">Failing tests</h2>
${content}
</section>`
}

function problemNotice({ problem, failures }: FailingTests): Html | string {
  if (problem === null) return ''
  const { term, meaning } = LOOKUP_PROBLEM_WORDS[problem]
  return html`<ul class="notices"><li><strong>Not known:</strong> ${failures.length === 0 ? 'which tests failed' : 'whether these tests also fail elsewhere'}, because ${term}. ${meaning}</li></ul>`
}

function redChecks(report: TriageReport, { redChecks: checks }: FailingTests): Html | string {
  if (checks.length === 0) return ''
  const items = checks.slice(0, LIST_LENGTH).map(({ name, url, state }) => {
    return html`<li>${linkedOutside(linkWithin(report, url), shown(name))}: ${said(RED_CHECK_WORDS[state])}</li>`
  })
  const open = checks.filter(({ state }) => state !== 'accounted-for').length
  const summary = `${counted(checks.length, 'red check', 'red checks')}, ${open === 0 ? 'all accounted for' : `${count(open)} not accounted for`}`
  return fold(summary, html`<ul>${items}</ul>${cutAt(checks.length)}`)
}

function failureRows(report: TriageReport, tests: FailingTests, judged: JudgedFailure, examples: readonly Hit[]): Html {
  const { failure, classification, issue } = judged
  const anchor = failureAnchor(failure)
  const facts: (Html | string)[] = [
    ...judged.reasons.map((reason) => sentence(report, reasonPhrase(reason, 'all'))),
    ...(judged.hits === null || judged.hits === 0 ? [] : [html`${capital(countsWords(judged, tests.lookbackDays))}`]),
    ...entryFacts(report, tests, judged),
    ...trunkFacts(report, judged),
    ...(issue === null
      ? []
      : [
          html`Known issue ${linkedOutside(outsideLink(issue.url), `#${issue.number}`)} <bdi>${shown(issue.title)}</bdi>`,
        ]),
    ...(judged.owner === null ? [] : [html`Owner <bdi>${shown(judged.owner)}</bdi>`]),
    ...(judged.proofUrl === null ? [] : [proofFact(judged.proofUrl)]),
  ]
  const [first, ...more] = facts
  const name = failure.testName === '' ? failure.checkName : failure.testName
  return html`<li id="${anchor}"><a class="label" href="#${anchor}"><bdi>${shown(name)}</bdi></a>
${explained(CLASSIFICATION_WORDS[classification], undefined, `tag ${classification}`)}
${first === undefined ? '' : html`<p>${first}</p>`}
<details><summary>${linkedOutside(null, shown(failure.checkName))}</summary><div>
<p>${linkedOutside(outsideLink(failure.reportUrl), 'Report of the job')}${executions(judged)}</p>
${signature(judged)}
${more.length === 0 ? '' : html`<ul class="evidence">${more.map((fact) => html`<li>${fact}</li>`)}</ul>`}
${exampleList(report, judged, examples)}</div></details></li>`
}

/** A check that sums up others has no executions of its own: what was counted of its name is not shown as its. */
function executions({ classification, runs, firstSeen, lastSeen }: JudgedFailure): Html | string {
  if (classification === 'rollup') return ''
  return html`${runs === null ? '' : `, ${counted(runs, 'execution', 'executions')} elsewhere`}${firstSeen === null ? '' : html`, first seen ${htmlTime(firstSeen)}`}${lastSeen === null ? '' : html`, last ${htmlTime(lastSeen)}`}`
}

function entryFacts(report: TriageReport, tests: FailingTests, judged: JudgedFailure): Html[] {
  const since = knownSincePhrase(judged, tests.lookbackDays)
  const [expired, reopened] = [expiredWords(judged), reopenedWords(judged)]
  const entry = judged.entry ?? null
  const { owner, name: repo } = report.repository
  const path = entryPath({ owner, repo }, entry?.entryId ?? entryIdOfFailure(judged.failure))
  return [
    ...(since === null ? [] : [sentence(report, since)]),
    ...(expired === null ? [] : [html`<strong>${capital(expired)}</strong>`]),
    ...(reopened === null ? [] : [html`${capital(reopened)}`]),
    ...(entry === null
      ? []
      : [html`By <a href="${path}">its entry</a>, this pull request’s own included: ${latestHitsWords(entry)}`]),
  ]
}

function signature({ failure: { signature: known } }: JudgedFailure): Html | string {
  if (known.kind === 'name') return ''
  const { term } = known.kind === 'stack-trace-id' ? FAILURE_WORDS.stackTraceId : FAILURE_WORDS.signature
  return html`<code>${term}: <bdi>${plainText(known.text, SIGNATURE_LENGTH)}</bdi></code>`
}

function trunkFacts(report: TriageReport, judged: JudgedFailure): Html[] {
  const rate = trunkRatePhrase(judged, 'all')
  return [
    ...(rate === null ? [] : [sentence(report, rate)]),
    ...trunkCommitPhrases(judged).map((said) => sentence(report, said)),
  ]
}

function proofFact(url: string): Html | string {
  const href = outsideLink(url)
  return href === null ? '' : html`<a href="${href}" rel="nofollow noopener">Count the hits again</a>`
}

function exampleList(report: TriageReport, judged: JudgedFailure, examples: readonly Hit[]): Html | string {
  if (judged.examples.length === 0) return ''
  if (examples.length === 0) return html`<p>Its hits are in the JSON.</p>`
  const items = examples.map(({ pullRequestNumber: number, commitSha, checkName, time: at, reportUrl }) => {
    const where =
      number === 0 ? html`main or release branch` : linkedOutside(pullRequestNumberLink(report, number), `#${number}`)
    return html`<li>${htmlTime(at)}, ${where}, ${commit(report, commitSha)}, ${linkedOutside(outsideLink(reportUrl), shown(checkName))}</li>`
  })
  return html`<p>${counted(examples.length, 'hit', 'hits')} to look at:</p><ul class="evidence">${items}</ul>`
}

function commit(report: TriageReport, id: string): Html {
  const href = commitLink(report, id)
  const text = plainText(id, 64)
  return linkedOutside(href, href === null ? text : text.slice(0, 10))
}

function shown(text: string): string {
  return plainText(text, NAME_LENGTH) || '(empty)'
}

/**
 * The failing tests of a report for other programs: the fields of `ledger lookup --json` and what the bot knows beside
 * them. Times are ISO 8601 in UTC.
 */
export function failingTestsJson(report: TriageReport, tests: FailingTests): TextInPieces {
  const { owner, name } = report.repository
  return jsonInPieces({
    schemaVersion: 1,
    repository: `${owner}/${name}`,
    pullRequest: report.pullRequest.number,
    head: report.head,
    judgedAt: report.judgedAt,
    source: tests.source,
    problem: tests.problem,
    lookbackDays: tests.lookbackDays,
    failures: tests.failures.map(failureJson),
    notJudged: tests.notJudged,
    redChecks: tests.redChecks,
  })
}

/** A line per failure, as ClickHouse's TabSeparatedWithNames: lists are JSON. */
export function failingTestsTsv(report: TriageReport, tests: FailingTests): TextInPieces {
  return tsvTable(COLUMNS, () => tests.failures.map((judged) => ({ report, judged })))
}
