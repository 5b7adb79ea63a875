import type { BisectWindow, WindowCommit } from '../bisect/window.ts'
import type { TrunkPoint } from '../history/trunk-series.ts'
import { queryLabel } from '../measurement/run.ts'
import { change, counted, minute, signedPercent } from '../render/numbers.ts'
import { POSITION_LEVEL } from '../statistics/change-points/position-interval.ts'
import type { FoundWindow } from './bisect.ts'
import type { CommandIO } from './command.ts'
import { type Colour, painter } from './table.ts'
import { plainText, truncate } from './terminal-text.ts'

const SHORT_COMMIT = 12
/** Candidates of one window; all of them are in the JSON. */
const SHOWN_COMMITS = 10

/**
 * A block for each window:
 *
 *     insert_codecs #12 on arm  +15.2 %  561 → 646 ms
 *       last good 5b7f2aa3c4d5 (2026-06-14 10:30 UTC), first bad e02d9c10a7b4 (2026-06-16 10:30 UTC)
 *       14 commits, 13 of them can't change the binary
 *       - 0a1b2c3d4e5f Faster merges (#100999)
 *       1 build to confirm it: 0a1b2c3d4e5f, 9 repetitions a side
 */
export function bisectTable(found: readonly FoundWindow[], histories: number, io: CommandIO): string[] {
  const paint = painter(io.stdout, io.env)
  const width = io.stdout.isTTY === true ? (io.stdout.columns ?? 80) : null
  const line = (text: string, colour?: Colour): string => {
    const plain = text.replaceAll('\u00a0', ' ')
    return paint(width === null ? plain : truncate(plain, width), colour)
  }
  const lasting = found.filter(({ window }) => window.step.recovered === null).length
  const fixed = found.length === lasting ? '' : ` (${found.length - lasting} fixed since)`
  const steps = found.length === 0 ? 'no steps' : `${counted(found.length, 'step', 'steps')}${fixed}`
  const lines = [line(`${steps} in ${counted(histories, 'history', 'histories')} of the trunk`, 'bold')]
  for (const { window, problem } of found) {
    lines.push('', line(title(window), colourOf(window)))
    for (const detail of details(window, problem)) lines.push(line(`  ${detail}`))
  }
  return lines
}

function title(window: BisectWindow): string {
  const { step, unit, architecture } = window
  const on = architecture === null ? '' : ` on ${plainText(architecture)}`
  const size = `${signedPercent(step.step)}  ${change(step.before, step.after, unit)}`
  return `${plainText(queryLabel(window))}${on}  ${size}`
}

function colourOf({ step }: BisectWindow): Colour {
  if (step.recovered !== null) return 'dim'
  return step.step > 0 ? 'red' : 'green'
}

function details(window: BisectWindow, problem: string | null): string[] {
  const { step } = window
  const lines = [`last good ${pointText(step.lastGood)}, first bad ${pointText(step.firstBad)}`]
  if (step.earliest !== step.firstBad || step.latest !== step.firstBad) {
    lines.push(`${POSITION_LEVEL * 100} %: from ${pointText(step.earliest)} to ${pointText(step.latest)}`)
  }
  if (step.seenBy !== 'both') lines.push('seen by one of the two detectors')
  if (step.recovered !== null) lines.push(`fixed on the trunk since ${pointText(step.recovered)}`)
  if (problem !== null) lines.push(`the commits are not known: ${problem}`)
  return [...lines, ...commitLines(window), ...planLines(window)]
}

function pointText({ commit, time }: TrunkPoint): string {
  return `${shortCommit(commit)} (${minute(time)})`
}

function shortCommit(commit: string): string {
  return truncate(plainText(commit), SHORT_COMMIT + 1).replace(/…$/, '')
}

function commitLines({ commits, functional, setAside }: BisectWindow): string[] {
  if (commits === null || commits.total === null) return []
  const total = counted(commits.total, 'commit', 'commits')
  if (commits.listed.length === 0) return [commits.total === 0 ? `${total} in between` : `${total}, too many to list`]
  const inert = setAside === 0 ? '' : `, ${setAside} of them can’t change the binary`
  const shown = functional.slice(0, SHOWN_COMMITS).map(commitText)
  const more = functional.length - shown.length
  return [`${total}${inert}`, ...shown, ...(more === 0 ? [] : [`- and ${more} more`])]
}

function commitText({ sha, title: text }: WindowCommit): string {
  return `- ${shortCommit(sha)} ${truncate(plainText(text), 100)}`
}

function planLines({ steps, plan }: BisectWindow): string[] {
  if (steps === null) return []
  const [first, ...later] = plan
  if (first === undefined) return [`about ${counted(steps, 'build', 'builds')}`]
  const often =
    first.repetitions === null
      ? 'more repetitions than anybody runs'
      : `${counted(first.repetitions, 'repetition', 'repetitions')} a side`
  if (steps === 0) return [`1 build to confirm it: ${shortCommit(first.commit)}, ${often}`]
  const next = later.map(({ commit, after }) => `, ${shortCommit(commit)} if that is ${after}`)
  return [`${counted(steps, 'build', 'builds')}: first ${shortCommit(first.commit)}${next.join('')}; ${often}`]
}
