import { html } from 'hono/html'
import { queryLabel } from '../../../intake/measurement/run.ts'
import type { BisectWindow, WindowCommit } from '../../../judge/bisect/bisect-window.ts'
import { type ClassifiedQuery, shownValue, type ThresholdSource } from '../../../judge/verdict/classified-query.ts'
import { WINDOWS_ANCHOR } from '../../../report/anchors.ts'
import { shardTally } from '../../../report/parts.ts'
import { historyWords } from '../../../report/render/history-words.ts'
import { runNotePhrases } from '../../../report/render/run-notes.ts'
import { countersOf } from '../../../report/render/sections/other-metrics.ts'
import { shardsIn } from '../../../report/render/view.ts'
import type { Shard, TriageReport } from '../../../report/report.ts'
import { DIFFERENCE } from '../../../report/row/columns.ts'
import { queryName } from '../../../report/row/name.ts'
import { intervalPhrase, pullRequestWindowPhrase } from '../../../report/step/words.ts'
import { type TestSpeed, testSpeeds } from '../../../report/test-speeds.ts'
import { rowPath } from '../../../report/urls.ts'
import {
  OUTCOME_WORDS,
  SHARD_PROBLEM_WORDS,
  SHARD_STATE_WORDS,
  STATUS_WORDS,
  THRESHOLD_SOURCE_WORDS,
  WARNING_WORDS,
} from '../../../report/words.ts'
import { plainText } from '../../../text/markdown.ts'
import { count, counted, signedPercent, values } from '../../../text/numbers.ts'
import { capital } from '../../../text/phrase.ts'
import { toHtml } from '../../../text/phrase-html.ts'
import type { Column } from '../../../text/table.ts'
import type { Html } from '../../kit/layout.ts'
import { commit, linked, linkWithin, sentence } from '../../kit/links.ts'
import { countColumn, nameColumn, plainTable, textColumn, valueColumn } from '../../kit/table.ts'
import { architectureName, onArchitecture, said } from '../../kit/word.ts'
import { addressOf } from '../shown-report.ts'
import { DEFAULT_VIEW, viewPath } from './report-view.ts'

/** Characters shown of names from outside; all of them are in the JSON. */
const NAME_LENGTH = 120

/** Characters shown of why an artifact was refused. */
const REFUSAL_LENGTH = 1200

/** Lines shown of lists that have no pages. */
export const LIST_LENGTH = 200

/** A part that some read: its summary stands there, the rest is folded; a wide table scrolls, also by keyboard. Printed, it stands open. */
export function fold(summary: string, content: Html): Html {
  return html`<details><summary>${summary}</summary><div class="scroll" role="region" aria-label="${summary}" tabindex="0">${content}</div></details>`
}

/** The line after a list of that length when it was cut at `LIST_LENGTH`. */
export function cutAt(length: number): Html | string {
  return length <= LIST_LENGTH ? '' : html`<p>And ${count(length - LIST_LENGTH)} more, in the JSON.</p>`
}

export function listTable<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html {
  return html`${plainTable(caption, columns, rows.slice(0, LIST_LENGTH))}${cutAt(rows.length)}`
}

/** The checks that measure a part of the queries each. */
export function shardsFold(report: TriageReport): Html | string {
  if (report.shards.length === 0) return ''
  const placeOf = ({ shard, shards }: Shard) =>
    shard === null ? '–' : shards === null ? `${shard}` : `${shard} of ${shards}`
  const refusalOf = ({ refusal }: Shard) => (refusal === undefined ? '' : html`: ${plainText(refusal, REFUSAL_LENGTH)}`)
  const problemOf = (shard: Shard) =>
    shard.problem === null ? '' : html`: ${said(SHARD_PROBLEM_WORDS[shard.problem])}${refusalOf(shard)}`
  const columns: readonly Column<Shard>[] = [
    nameColumn('Check', ({ url, check }) => linked(linkWithin(report, url), plainText(check, NAME_LENGTH))),
    textColumn('Architecture', ({ architecture }) => (architecture === null ? '–' : architectureName(architecture))),
    textColumn('Shard', placeOf),
    textColumn('State', (shard) => html`${said(SHARD_STATE_WORDS[shard.state])}${problemOf(shard)}`),
    textColumn('Conclusion', ({ conclusion }) => (conclusion === null ? '–' : plainText(conclusion, 40))),
  ]
  return fold(shardsIn(shardTally(report)), listTable('Shards', columns, report.shards))
}

/** Commits of a bisect window that are named. */
const NAMED_COMMITS = 5

/** Commits to look at: those of the trunk, and those of the pull request itself. */
export function windowsPart(report: TriageReport): Html | string {
  const windows = report.windows ?? []
  const inside = insidePullRequest(report)
  if (windows.length === 0) return inside
  const { owner, name } = report.repository
  const address = { owner, repo: name, number: report.pullRequest.number, head: report.head }
  const named = (functional: readonly WindowCommit[]) => {
    const shown = functional.slice(0, NAMED_COMMITS)
    const more = functional.length - shown.length
    return html`${shown.map((one, index) => html`${index === 0 ? '' : ', '}${commit(report, one.sha)}`)}${more > 0 ? ` and ${count(more)} more` : ''}`
  }
  const uncertain = (window: BisectWindow) => {
    const range = intervalPhrase(window.step, Date.parse(report.judgedAt))
    return range === null ? '' : html` ${sentence(report, range)}.`
  }
  const item = (window: BisectWindow) => {
    const { step, commits, functional, acceptedIn, architecture } = window
    const total = commits?.total ?? null
    const between = total === null ? 'an unknown number of commits' : counted(total, 'commit', 'commits')
    return html`<li><a href="${rowPath(address, window)}"><bdi>${queryName(window, NAME_LENGTH)}</bdi></a>${onArchitecture(architecture)} <b class="${step.step > 0 ? 'slower' : 'faster'}">${signedPercent(step.step)}</b>
<p>Last good ${commit(report, step.lastGood.commit)}, first bad ${commit(report, step.firstBad.commit)}; ${between} in between${functional.length === 0 ? '' : html`, of which can change the binary: ${named(functional)}`}${acceptedIn === undefined ? '' : html`; accepted in #${acceptedIn.pullRequestNumber} by <bdi>${acceptedIn.actor}</bdi>`}${step.recovered === null ? '' : html`; back since ${commit(report, step.recovered.commit)}`}.${uncertain(window)}</p></li>`
  }
  return html`<section id="${WINDOWS_ANCHOR}" aria-labelledby="windows-title">
<h2 id="windows-title">${counted(windows.length, 'bisect window', 'bisect windows')}</h2>
<p class="aside">Steps of the main branch between the last good and the first bad measured commit.</p>
<ul class="windows">${windows.slice(0, LIST_LENGTH).map(item)}</ul>${cutAt(windows.length)}
${inside}</section>`
}

/** Commits of the pull request itself to look at. */
function insidePullRequest(report: TriageReport): Html | string {
  const window = report.pullRequestWindow ?? null
  if (window === null) return ''
  const { functional, middle, onPath } = window
  const isOnPath = ({ sha, files }: WindowCommit) => {
    if (onPath === null) return 'not known'
    if (onPath.some((one) => one.sha === sha)) return 'yes'
    return files === null ? 'not known' : 'no'
  }
  const columns: readonly Column<WindowCommit>[] = [
    nameColumn('Commit', ({ sha }) => commit(report, sha)),
    textColumn('Title', ({ title }) => html`<bdi>${plainText(title, NAME_LENGTH)}</bdi>`),
    textColumn('Build', ({ sha }) => (sha === middle ? 'first' : '–')),
    textColumn('Touches the query’s path', isOnPath),
  ]
  return fold(
    'Inside this pull request',
    html`<p>${sentence(report, pullRequestWindowPhrase(window))}.</p>
${listTable('Commits of this pull request that can change the binary, oldest first', columns, functional)}`,
  )
}

/** The sources of the thresholds, and how many queries would pass the rank test by chance. */
export function thresholdsFold(report: TriageReport): Html {
  const sources = (Object.keys(THRESHOLD_SOURCE_WORDS) as ThresholdSource[])
    .map((source) => ({ source, rows: report.thresholdSources[source] ?? 0 }))
    .filter(({ rows }) => rows > 0)
    .map(({ source, rows }) => html`<li>${count(rows)} ${said(THRESHOLD_SOURCE_WORDS[source])}</li>`)
  return fold(
    'Thresholds and chance',
    html`<p>Where the thresholds of the compared queries came from:</p><ul>${sources.length === 0 ? html`<li>no query was compared</li>` : sources}</ul>
${report.history ? html`<p>Main branch’s history: ${historyWords(report.history)}.</p>` : ''}
${plainTable('How many queries would pass the rank test by chance', DISCOVERY_COLUMNS, report.discoveries)}`,
  )
}

const DISCOVERY_COLUMNS: readonly Column<TriageReport['discoveries'][number]>[] = [
  nameColumn('Architecture', ({ architecture }) => architectureName(architecture)),
  textColumn('Metric', ({ metric }) => plainText(metric, 40)),
  countColumn('Tested', ({ tested }) => count(tested)),
  countColumn('Level', ({ level }) => level),
  valueColumn(
    'Expected',
    ({ expectedByChance }) => expectedByChance,
    (value) => value.toFixed(1),
  ),
  countColumn('Passed', ({ passed }) => count(passed)),
]

/** What the runs say beside the comparison of their queries. */
export function runNotesFold(report: TriageReport): Html | string {
  const lines = runNotePhrases(report)
  if (lines.length === 0) return ''
  return fold('The runs besides their queries', html`<ul>${lines.map((line) => html`<li>${toHtml(line)}</li>`)}</ul>`)
}

/** How fast the queries of each test are together, and how long they take. `path` is that of the page. */
export function speedsFold(report: TriageReport, path: string): Html | string {
  const speeds = testSpeeds(report.rows)
  if (speeds.length === 0) return ''
  const address = addressOf(report)
  const inUnit = (value: number, { unit }: TestSpeed) => values([value], unit)
  const columns: readonly Column<TestSpeed>[] = [
    nameColumn(
      'Test',
      ({ test }) =>
        html`<a href="${viewPath(path, { ...DEFAULT_VIEW, test })}#rows"><bdi>${plainText(test, NAME_LENGTH)}</bdi></a>`,
    ),
    textColumn('Architecture', ({ architecture }) => (architecture === null ? '–' : architectureName(architecture))),
    countColumn('Queries', ({ queries }) => count(queries)),
    valueColumn('Change', ({ ratio }) => (ratio === null ? null : ratio - 1), signedPercent),
    countColumn('All repetitions', (speed) => (speed.total === null ? '–' : inUnit(speed.total, speed))),
    textColumn(
      'Slowest query',
      (speed) =>
        html`<a href="${rowPath(address, speed.slowest.row)}"><bdi>${plainText(queryLabel(speed.slowest.row), NAME_LENGTH)}</bdi></a> ${inUnit(speed.slowest.value, speed)}`,
    ),
  ]
  const metrics = [...new Set(speeds.map(({ metric }) => plainText(metric, 40)))].join(', ')
  const caption = `${metrics} of each test, slowest first: the geometric mean of the changes, and the total time of all repetitions of both sides by their medians`
  return fold(
    `Speed of ${counted(new Set(speeds.map(({ test }) => test)).size, 'test', 'tests')}`,
    listTable(caption, columns, speeds),
  )
}

/** The counters of two programs, the cold times of two machines: the metrics beside the one that decides. */
export function otherMetricsFold(report: TriageReport): Html | string {
  // those of a single query stand below it
  const shown = new Set(countersOf(report))
  const rows = (report.otherMetrics ?? []).filter((row) => !shown.has(row))
  if (rows.length === 0) return ''
  return fold(
    `${counted(rows.length, 'row', 'rows')} of other metrics`,
    listTable('Metrics besides the deciding one, worst first', OTHER_METRIC_COLUMNS, rows),
  )
}

const OTHER_METRIC_COLUMNS: readonly Column<ClassifiedQuery>[] = [
  nameColumn('Metric', ({ metric }) => html`<bdi>${plainText(metric, NAME_LENGTH)}</bdi>`),
  textColumn('Query', (row) => html`<bdi>${plainText(queryLabel(row), NAME_LENGTH)}</bdi>`),
  countColumn('Old', ({ old, unit }) => sideOf(shownValue(old), unit)),
  countColumn('New', ({ new: fresh, unit }) => sideOf(shownValue(fresh), unit)),
  DIFFERENCE,
  textColumn('Outcome', ({ outcome, direction, status }) => {
    if (outcome === null) return STATUS_WORDS[status].term
    return outcome === 'changed' ? (direction ?? '') : OUTCOME_WORDS[outcome].term
  }),
]

function sideOf(value: number | null, unit: string | null): string {
  return value === null ? '–' : values([value], unit)
}

/** Shards in which everything moved. */
export function shiftsFold(report: TriageReport): Html | string {
  if (report.shifts.length === 0) return ''
  const notable = report.shifts.filter((shift) => shift.notable).length
  return fold(
    notable === 0 ? 'No shard moved as a whole' : `${counted(notable, 'shard', 'shards')} moved as a whole`,
    listTable('How far a typical query of each shard moved', SHIFT_COLUMNS, report.shifts),
  )
}

const SHIFT_COLUMNS: readonly Column<TriageReport['shifts'][number]>[] = [
  nameColumn('Architecture', ({ architecture }) => architectureName(architecture)),
  textColumn('Shard', ({ shard }) => String(shard ?? '–')),
  countColumn('Queries', ({ queries }) => count(queries)),
  valueColumn('Moved by', ({ shift }) => shift, signedPercent),
  textColumn('Notable', ({ notable }) => (notable ? 'yes' : 'no')),
]

const MESSAGE_LENGTH = 300

/** Warnings about files that could not be read. */
export function warningsFold(report: TriageReport): Html | string {
  if (report.warnings.length === 0) return ''
  const items = report.warnings
    .slice(0, LIST_LENGTH)
    .map(
      ({ code, where, message }) =>
        html`<li><b>${said(WARNING_WORDS[code], capital(WARNING_WORDS[code].term))}</b> <code><bdi>${plainText(where, NAME_LENGTH)}</bdi></code> <bdi>${plainText(message, MESSAGE_LENGTH)}</bdi></li>`,
    )
  return fold(
    counted(report.warnings.length, 'warning while reading', 'warnings while reading'),
    html`<ul>${items}</ul>${cutAt(report.warnings.length)}`,
  )
}
