import { html } from 'hono/html'
import { queryName } from '../../../render/query-name.ts'
import type { TriageReport } from '../../../report/report.ts'
import { rowPath } from '../../../report/urls.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted, signedPercent } from '../../../text/numbers.ts'
import { cutAt, fold, LIST_LENGTH } from '../../kit/fold.ts'
import type { Html } from '../../kit/layout.ts'
import { commit } from '../../kit/links.ts'
import { numberCell } from '../../kit/table.ts'
import { architectureName } from '../../kit/word.ts'

const NAME_LENGTH = 120
/** Commits of a bisect window that are named. */
const NAMED_COMMITS = 5

/** Which commits to look at: of the trunk, and of the pull request itself. */
export function windowsFold(report: TriageReport): Html | string {
  const windows = report.windows ?? []
  const inside = insidePullRequest(report)
  if (windows.length === 0) return inside
  const { owner, name } = report.repository
  const address = { owner, repo: name, number: report.pullRequest.number, head: report.head }
  const rows = windows.slice(0, LIST_LENGTH).map((window) => {
    const { step, commits, functional } = window
    const total = commits?.total ?? null
    return html`<tr><th scope="row"><a href="${rowPath(address, window)}"><bdi>${queryName(window, NAME_LENGTH)}</bdi></a></th><td>${architectureName(window.architecture)}</td>
<td>${commit(report, step.lastGood.commit)}</td><td>${commit(report, step.firstBad.commit)}</td>${numberCell('Step', step.step, signedPercent)}
<td>${total === null ? 'not known' : counted(total, 'commit', 'commits')}</td><td>${functional.length === 0 ? '–' : functional.slice(0, NAMED_COMMITS).map((one, index) => html`${index === 0 ? '' : ', '}${commit(report, one.sha)}`)}${functional.length > NAMED_COMMITS ? ` and ${count(functional.length - NAMED_COMMITS)} more` : ''}</td>
<td>${step.recovered === null ? '–' : commit(report, step.recovered.commit)}</td></tr>`
  })
  return html`${inside}
${fold(
  counted(windows.length, 'bisect window', 'bisect windows'),
  html`<table><caption>Steps of the trunk between the last good and the first bad commit that was measured there</caption><thead><tr><th scope="col">Query</th><th scope="col">Architecture</th><th scope="col">Last good</th><th scope="col">First bad</th><th scope="col" class="n">Step</th><th scope="col">In between</th><th scope="col">Can change the binary</th><th scope="col">Back since</th></tr></thead>
<tbody>${rows}</tbody></table>${cutAt(windows.length)}`,
)}`
}

/** Which commits of the pull request itself to look at. */
function insidePullRequest(report: TriageReport): Html | string {
  const window = report.pullRequestWindow ?? null
  if (window === null) return ''
  const { commits, functional, steps, middle, onPath, filesUnknown } = window
  const rows = functional.slice(0, LIST_LENGTH).map((one) => {
    const isOnPath =
      onPath === null
        ? 'not known'
        : onPath.some(({ sha }) => sha === one.sha)
          ? 'yes'
          : one.files === null
            ? 'not known'
            : 'no'
    return html`<tr><th scope="row">${commit(report, one.sha)}</th><td><bdi>${plainText(one.title, NAME_LENGTH)}</bdi></td><td>${one.sha === middle ? 'first' : '–'}</td><td>${isOnPath}</td></tr>`
  })
  return fold(
    `${counted(commits.length, 'commit', 'commits')} of this pull request, ${count(functional.length)} can change the binary`,
    html`<p>${counted(steps, 'build', 'builds')} would find the one that made a query slower.${filesUnknown === 0 ? '' : ` The files of ${counted(filesUnknown, 'commit', 'commits')} are not known.`}</p>
<table><caption>Commits of this pull request that can change the binary, oldest first</caption><thead><tr><th scope="col">Commit</th><th scope="col">Title</th><th scope="col">Build</th><th scope="col">Touches the query’s path</th></tr></thead>
<tbody>${rows}</tbody></table>${cutAt(functional.length)}`,
  )
}
