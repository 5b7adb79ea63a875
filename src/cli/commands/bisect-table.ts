import { unitOf } from '../../intake/measurement/metric-group.ts'
import { type QueryId, queryLabel } from '../../intake/measurement/run.ts'
import type { BisectWindow, WindowCommit } from '../../judge/bisect/bisect-window.ts'
import { seenAlone } from '../../report/step/columns.ts'
import {
  endsPhrase,
  intervalPhrase,
  neededBy,
  planPhrase,
  pointPhrase,
  recoveryPhrase,
} from '../../report/step/words.ts'
import { change, counted, minute, signedPercent } from '../../text/numbers.ts'
import { type Phrase, phrase, toText } from '../../text/phrase.ts'
import { type BisectFindings, endsOf, type FoundWindow } from './bisect-findings.ts'
import type { CommandIO } from './command.ts'
import { type Colour, painter } from './table.ts'
import { plainText, terminalWidth, truncate, withSpaces, wrapText } from './terminal-text.ts'

/** What `bisect` prints for a person. */

const SHORT_COMMIT = 12
/** Candidates of one window; all of them are in the JSON. */
const SHOWN_COMMITS = 10

/** Queries that are listed of one window; all of them are in the JSON. */
const SHOWN_QUERIES = 10
const INDENT = '  '

/** A terminal shows times to the minute with their year, wherever they are seen from. */
const SEEN_FROM = 0

/**
 * A block for each window:
 *
 *     insert_codecs #12 on arm  +15.2%  561 → 646 ms
 *       last good 5b7f2aa3c4d5 (2026-06-14 10:30 UTC), first bad e02d9c10a7b4 (2026-06-16 10:30 UTC)
 *       14 commits, 13 of them can't change the binary
 *       one functional change in the window: 0a1b2c3d4e5f Faster merges (#100999)
 *       9 repetitions a side would confirm it
 *
 * Steps of several queries between the same two commits are one block, that of `10 queries  -12.1 … +142%`.
 */
export function bisectTable(
  { windows: found, unsure, histories }: BisectFindings,
  hasClone: boolean,
  io: CommandIO,
): string[] {
  const paint = painter(io.stdout, io.env)
  const width = terminalWidth(io.stdout)
  const line = (text: string, colour?: Colour): string[] => {
    const indent = `${/^ */.exec(text)![0]}${INDENT}`
    return wrapText(withSpaces(text), indent, width).map((one) => paint(one, colour))
  }
  const lines = line(summary(found, histories), 'bold')
  for (const group of Map.groupBy(found, ({ window }) => endsOf(window)).values()) {
    lines.push('', ...line(title(group), colourOf(group)))
    for (const detail of details(group)) lines.push(...line(`${INDENT}${detail}`))
  }
  if (unsure.length > 0)
    lines.push('', ...line('seen only by the change points, so too uncertain for a window:', 'dim'))
  for (const { series, firstBad, before, after, step } of unsure) {
    const size = `${signedPercent(step)}  ${change(before, after, unitOf(series.metric))}`
    const since = terminalWords(phrase`first bad ${pointPhrase(firstBad, SEEN_FROM)}`)
    lines.push(...line(`${INDENT}- ${queryText(series)}  ${size}, ${since}`))
  }
  if (found.length > 0 && !hasClone)
    lines.push('', ...line('--clone DIR, a local clone, adds the commits in between', 'dim'))
  return lines
}

function summary(found: readonly FoundWindow[], histories: number): string {
  const gone = found.map(({ window }) => window.step).filter(({ recovered }) => recovered !== null)
  const since = gone.every(({ step }) => step > 0) ? 'fixed since' : 'gone since'
  const fixed = gone.length === 0 ? '' : ` (${gone.length} ${since})`
  const steps = found.length === 0 ? 'no steps' : `${counted(found.length, 'step', 'steps')}${fixed}`
  return `${steps} in ${counted(histories, 'history', 'histories')} of the main branch`
}

/** The worst query of the group is its first. */
function title(group: readonly FoundWindow[]): string {
  const [{ window }] = group as readonly [FoundWindow]
  if (group.length === 1) return `${queryText(window)}  ${sizeText(window)}`
  const steps = group.map((one) => one.window.step.step)
  return `${counted(group.length, 'query', 'queries')}  ${signedPercent(Math.min(...steps)).replace(/%$/, '')} … ${signedPercent(Math.max(...steps))}`
}

function queryText(query: QueryId & { readonly architecture: string | null }): string {
  return `${plainText(queryLabel(query))}${query.architecture === null ? '' : ` on ${plainText(query.architecture)}`}`
}

function sizeText({ step, unit }: BisectWindow): string {
  return `${signedPercent(step.step)}  ${change(step.before, step.after, unit)}`
}

function colourOf(group: readonly FoundWindow[]): Colour {
  const lasting = group.map(({ window }) => window.step).filter(({ recovered }) => recovered === null)
  if (lasting.length === 0) return 'dim'
  return lasting.some(({ step }) => step > 0) ? 'red' : 'green'
}

function details(group: readonly FoundWindow[]): string[] {
  // The window that needs the most repetitions says how many.
  const [{ window, problem }] = group.toSorted((a, b) => neededBy(b.window) - neededBy(a.window)) as [FoundWindow]
  const { step } = window
  const [only] = group.length === 1 ? group : []
  const lines = [terminalWords(endsPhrase(step, SEEN_FROM))]
  if (only === undefined) {
    for (const one of group.slice(0, SHOWN_QUERIES)) {
      lines.push(
        [
          '-',
          `${queryText(one.window)} `,
          `${sizeText(one.window)}${notesOf(one)
            .map((note) => `; ${note}`)
            .join('')}`,
        ].join(' '),
      )
    }
    if (group.length > SHOWN_QUERIES) lines.push(`- and ${group.length - SHOWN_QUERIES} more`)
  } else lines.push(...notesOf(only))
  if (problem !== null) lines.push(`the commits are not known: ${problem}`)
  const plan = planPhrase(window)
  return [...lines, ...commitLines(window), ...(plan === null ? [] : [terminalWords(plan)])]
}

/** How sure the place and the step are, and what became of it. */
function notesOf({ series: { points }, window: { step } }: FoundWindow): string[] {
  const notes: string[] = []
  const [earliest, latest] = [points.indexOf(step.earliest), points.indexOf(step.latest)]
  if (earliest <= 1 && latest === points.length - 1) {
    notes.push(`at which of the ${counted(points.length, 'run', 'runs')} it happened is unknown`)
  } else {
    const interval = intervalPhrase(step, SEEN_FROM)
    if (interval !== null) notes.push(terminalWords(interval))
  }
  const alone = seenAlone(step)
  if (alone !== null) notes.push(alone)
  const recovery = recoveryPhrase(step, SEEN_FROM)
  return recovery === null ? notes : [...notes, terminalWords(recovery)]
}

function terminalWords(said: Phrase): string {
  return toText(said, { commit: shortCommit, time: minute })
}

function shortCommit(commit: string): string {
  return truncate(plainText(commit), SHORT_COMMIT + 1).replace(/…$/, '')
}

function commitLines({ commits, functional, setAside }: BisectWindow): string[] {
  if (commits === null || commits.total === null) return []
  const total = counted(commits.total, 'commit', 'commits')
  if (commits.listed.length === 0) return [commits.total === 0 ? `${total} in between` : `${total}, too many to list`]
  const inert = setAside === 0 ? '' : `, ${setAside} of them can’t change the binary`
  const [only] = functional
  if (functional.length === 1 && commits.listed.length === commits.total) {
    return [`${total}${inert}`, `one functional change in the window: ${commitText(only!)}`]
  }
  const shown = functional.slice(0, SHOWN_COMMITS).map((commit) => `- ${commitText(commit)}`)
  const more = functional.length - shown.length
  return [`${total}${inert}`, ...shown, ...(more === 0 ? [] : [`- and ${more} more`])]
}

/** The commit's title with the pull request, where the title does not name it. */
function commitText({ sha, title: text, pullRequestNumber }: WindowCommit): string {
  const shown = truncate(plainText(text), 100)
  const number = pullRequestNumber === null || shown.includes(`#${pullRequestNumber}`) ? '' : ` (#${pullRequestNumber})`
  return `${shortCommit(sha)} ${shown}${number}`
}
