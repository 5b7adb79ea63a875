import type { BisectWindow, PullRequestWindow, WindowCommit } from '../../judge/bisect/bisect-window.ts'
import { MOST_REPETITIONS } from '../../judge/bisect/repetitions.ts'
import type { TrunkPoint, TrunkStep } from '../../judge/history/trunk-series.ts'
import { POSITION_LEVEL } from '../../judge/statistics/change-points/position-interval.ts'
import { isCommitId } from '../../text/commits.ts'
import { codeSpan, link, MESSAGE_LIMIT, word } from '../../text/markdown.ts'
import { change, count, counted, list, signedPercent, thresholdPercent } from '../../text/numbers.ts'
import {
  capitalized,
  commit,
  commitLink,
  commitUrlIn,
  joined,
  listed,
  type Phrase,
  phrase,
  time,
  toMarkdown,
} from '../../text/phrase.ts'
import { queryCode } from '../row/name.ts'

/** Commits that are named; more are a number. Five are about two lines of a phone. */
const NAMED_COMMITS = 5

/** Queries of one window that are named: one change makes many queries slower. */
const NAMED_QUERIES = 3

const TITLE_LIMIT = 64

/** What the words need besides the window. */
export interface WindowPlace {
  /** `https://github.com/owner/name`. */
  readonly repositoryUrl: string
  /** Milliseconds: dates of other years are written with them. */
  readonly seenFrom: number
  /** The page that says how far the place is uncertain; absent or null: the words say it. */
  readonly rangeUrl?: string | null
}

/**
 * Windows with the same ends in words, a line of Markdown with a list below it: where the step is, what is in between, how sure
 * that is, how to find it. One or more of them; that which needs the most repetitions says how many.
 */
export function windowWords(windows: readonly BisectWindow[], place: WindowPlace): string {
  const window = windows.reduce((most, one) => (neededBy(one) > neededBy(most) ? one : most))
  const sentence = (said: Phrase | null, rest = '') =>
    said === null ? [] : [`${toMarkdown(capitalized(said), commitUrlIn(place.repositoryUrl))}${rest}.`]
  const lines = [
    ...sentence(endsPhrase(window.step, place.seenFrom), inside(window)),
    ...candidates(window, place),
    ...(place.rangeUrl == null
      ? sentence(intervalPhrase(window.step, place.seenFrom))
      : uncertain(window, place.rangeUrl)),
    ...plan(window, place),
    ...sentence(recoveryPhrase(window.step, place.seenFrom)),
    ...acceptedWords(windows, place),
  ]
  const head = `**Bisect window** for ${queries(windows)}, ${sizes(windows)} on the main branch:`
  return [head, ...lines.map((line) => `- ${line}`)].join('\n')
}

/** One range is enough to begin with: the page has the other. */
function uncertain({ step }: BisectWindow, url: string): string[] {
  return isSure(step) ? [] : [`${link('The place is uncertain', url)}: measure both ends again first.`]
}

/** `Accepted in #12 by maria: `reads more columns`.`, once for each pull request. */
function acceptedWords(windows: readonly BisectWindow[], { repositoryUrl }: WindowPlace): string[] {
  const accepted = new Map(
    windows.flatMap(({ acceptedIn: one }) => (one === undefined ? [] : [[one.pullRequestNumber, one]])),
  )
  return [...accepted].map(([number, { actor, reason }]) => {
    const why = reason === '' ? '' : `: ${codeSpan(reason, MESSAGE_LIMIT)}`
    return `Accepted in ${pullRequestLink(number, repositoryUrl)} by ${word(actor)}${why}.`
  })
}

/** Repetitions a side that the next build of a window needs, for the order of windows: more than anybody runs is infinite. */
export function neededBy({ plan: [first], repetitions }: BisectWindow): number {
  const needed = first === undefined ? repetitions : first.repetitions
  return needed === undefined ? 0 : (needed ?? Number.POSITIVE_INFINITY)
}

function queries(windows: readonly BisectWindow[]): string {
  const named = windows.slice(0, NAMED_QUERIES).map((window) => {
    const on = window.architecture === null ? '' : ` on ${word(window.architecture)}`
    return `${queryCode(window)}${on}`
  })
  const more = windows.length - named.length
  return list(more === 0 ? named : [...named, `${count(more)} more`])
}

/** `+15.2% (561 → 646 ms)`; of several queries the smallest and the largest. */
function sizes(windows: readonly BisectWindow[]): string {
  const [first, ...more] = windows.toSorted((a, b) => a.step.step - b.step.step)
  const { step, unit } = first!
  const last = more.at(-1)
  if (last !== undefined) {
    const [least, most] = [signedPercent(step.step), signedPercent(last.step.step)]
    return least === most ? least : `${least} to ${most}`
  }
  const shownUnit = unit === null || unit === 's' || unit === 'bytes' ? unit : word(unit)
  return `${signedPercent(step.step)} (${change(step.before, step.after, shownUnit, false)})`
}

/** `last good 5b7f2aa (Jun 14), first bad e02d9c1 (Jun 16)`. `seenFrom`: as in `WindowPlace`. */
export function endsPhrase({ lastGood, firstBad }: TrunkStep, seenFrom: number): Phrase {
  return phrase`last good ${pointPhrase(lastGood, seenFrom)}, first bad ${pointPhrase(firstBad, seenFrom)}`
}

export function pointPhrase(point: TrunkPoint, seenFrom: number): Phrase {
  return phrase`${commit(point.commit)} (${time(point.time, seenFrom)})`
}

/** Where the step may be besides its first bad point; null where that is the only one that the interval holds. */
export function intervalPhrase(step: TrunkStep, seenFrom: number): Phrase | null {
  if (isSure(step)) return null
  const [from, to] = [pointPhrase(step.earliest, seenFrom), pointPhrase(step.latest, seenFrom)]
  return phrase`${level()} confidence: the first bad commit is between ${from} and ${to}`
}

/** An improvement that is gone was not fixed. Null for a step that lasts. */
export function recoveryPhrase({ step, recovered }: TrunkStep, seenFrom: number): Phrase | null {
  if (recovered === null) return null
  return phrase`${step > 0 ? 'fixed' : 'lost again'} on the main branch since ${pointPhrase(recovered, seenFrom)}`
}

/** The first bad point is the only one that the interval holds. */
function isSure({ firstBad, earliest, latest }: TrunkStep): boolean {
  return earliest.commit === firstBad.commit && latest.commit === firstBad.commit
}

function inside(window: BisectWindow): string {
  const total = window.commits?.total ?? null
  if (total === null) return ''
  if (total === 0) return ', with no commit in between'
  if (total === 1) return ', one commit apart'
  const commits = counted(total, 'commit', 'commits')
  return isSure(window.step) ? `: with ${level()} confidence one of these ${commits}` : `, ${commits} in between`
}

function level(): string {
  return thresholdPercent(POSITION_LEVEL)
}

function candidates({ commits, functional, setAside }: BisectWindow, place: WindowPlace): string[] {
  if (commits === null || commits.total === null) return ['The commits in between are not known.']
  if (commits.listed.length === 0) return commits.total === 0 ? [] : ['Too many to list.']
  const { length } = functional
  if (length === 0) {
    return ['None of them can change the binary: a compiler, a setting or the machine may have changed.']
  }
  if (length === 1) {
    const others = setAside === 1 ? 'the other commit' : `the other ${count(setAside)}`
    const rest = setAside === 0 ? '' : `; ${others} can’t change the binary`
    return [`One functional change in the window: ${candidate(functional[0]!, place, true)}${rest}.`]
  }
  const named = functional.slice(0, NAMED_COMMITS).map((one) => candidate(one, place, false))
  const more = length - named.length
  const which = setAside === 0 ? 'All' : count(length)
  return [`${which} of them can change the binary: ${list(more === 0 ? named : [...named, `${count(more)} more`])}.`]
}

/** The pull request where it is known, else the commit; with its title where there is just one. */
function candidate(
  { sha, title, pullRequestNumber }: WindowCommit,
  { repositoryUrl }: WindowPlace,
  withTitle: boolean,
): string {
  const name =
    pullRequestNumber === null ? commitLink(repositoryUrl, sha) : pullRequestLink(pullRequestNumber, repositoryUrl)
  if (!withTitle) return name
  const own = title.replace(/ \(#\d{1,10}\)\s*$/, '')
  return own.trim() === '' ? `**${name}**` : `**${name}** ${codeSpan(own, TITLE_LIMIT)}`
}

function pullRequestLink(number: number, repositoryUrl: string): string {
  return link(codeSpan(`#${number}`, 16), `${repositoryUrl}/pull/${number}`)
}

function plan(window: BisectWindow, { repositoryUrl }: WindowPlace): string[] {
  const { step } = window
  const said = planPhrase(window)
  if (said === null) return []
  const words = toMarkdown(said, commitUrlIn(repositoryUrl))
  const isExact = isCommitId(step.lastGood.commit) && isCommitId(step.firstBad.commit)
  const [good, bad] = [step.lastGood.commit.slice(0, 7), step.firstBad.commit.slice(0, 7)]
  return [`${isExact ? `\`git bisect start ${bad} ${good}\`; ` : ''}${words}.`]
}

/** The builds to make, and how often to measure each; where nobody knows the commits, how often all the same. Null: nothing is known. */
export function planPhrase(window: BisectWindow): Phrase | null {
  const { commits, steps, repetitions, threshold } = window
  if (steps !== null) return builds(window, steps)
  if ((commits?.total ?? null) !== null || repetitions === undefined) return null
  return [oftenWords(repetitions, threshold)]
}

function builds({ plan: midpoints, threshold, repetitions }: BisectWindow, steps: number): Phrase {
  const [first, ...later] = midpoints
  if (first === undefined) {
    const often = repetitions === undefined ? '' : `; ${oftenWords(repetitions, threshold)}`
    return phrase`about ${counted(steps, 'build', 'builds')}${often}`
  }
  if (steps === 0) return [oftenWords(first.repetitions, threshold, 'are enough to confirm it')]
  const next = later.map((one) => phrase`${commit(one.commit)} if that is ${one.after ?? ''}`)
  const order =
    next.length === 0 ? [commit(first.commit)] : phrase`first ${commit(first.commit)}, then ${joined(next, ', ')}`
  return phrase`${counted(steps, 'build', 'builds')}: ${order}; ${oftenWords(first.repetitions, threshold)}`
}

/** How often to measure a build: `9 repetitions a side tell good from bad`. `null`: no number of them would do. */
function oftenWords(repetitions: number | null, threshold: number | null, does = 'tell good from bad'): string {
  if (repetitions !== null) return `${counted(repetitions, 'repetition', 'repetitions')} per side ${does}`
  return threshold === null
    ? 'its noise is unknown, so the number of repetitions it takes is too'
    : `it is too noisy even for ${MOST_REPETITIONS} repetitions per side`
}

/** Where to look inside a pull request: `4 commits; 3 can change the binary; 2 builds would find the cause, starting with 0a1b2c3`. */
export function pullRequestWindowPhrase({ commits, functional, middle, steps, ...path }: PullRequestWindow): Phrase {
  const all = phrase`${counted(commits.length, 'commit', 'commits')}; ${count(functional.length)} can change the binary`
  const find =
    steps === 1 ? 'one build would find the cause:' : `${count(steps)} builds would find the cause, starting with`
  const build = middle === null ? [] : [phrase`${find} ${commit(middle)}`]
  return joined([all, ...build, ...onPathPhrases(path)], '; ')
}

/** The commits on the query’s path, and of how many nobody knows the files: they may be on it, and count as functional. */
function onPathPhrases({ onPath, filesUnknown }: Pick<PullRequestWindow, 'onPath' | 'filesUnknown'>): Phrase[] {
  const unknown = filesUnknown === 0 ? null : `the files of ${counted(filesUnknown, 'commit', 'commits')} are not known`
  if (onPath === null || onPath.length === 0) return unknown === null ? [] : [[unknown]]
  const named = onPath.slice(0, NAMED_COMMITS).map(({ sha }) => [commit(sha)])
  const more = onPath.length - named.length
  const names = listed(more === 0 ? named : [...named, [`${count(more)} more`]])
  const rest = unknown === null ? '' : ` (${unknown})`
  return [phrase`${names} ${onPath.length === 1 ? 'touches' : 'touch'} the query’s path${rest}`]
}
