import type { RedCheck } from '../../../judge/ledger/failure.ts'
import { codeSpan, fold, link, tableHead, tableRow } from '../../../text/markdown.ts'
import { count, counted, list } from '../../../text/numbers.ts'
import { FAILING_TESTS_ANCHOR } from '../../anchors.ts'
import { CLASSIFICATION_WORDS, LOOKUP_PROBLEM_WORDS } from '../../words.ts'
import { isKnown, isSuspect } from '../failing-line.ts'
import { type FailingView, type FailureGroup, type FailureRow, failureGroups } from '../failing-view.ts'
import { groupFacts, groupName, namedChecks } from '../failure-facts.ts'
import { type Section, SHOWN } from '../layout.ts'
import type { View } from '../view.ts'

/** At most about half of a comment in all, so that thousands of failing tests leave room for the rest. */
const MOST_OPEN = 18_000
const MOST_FOLDED = 12_000

/** The failing tests that somebody has to look at, and why nothing is known of others. */
export const openFailures: Section = {
  name: 'open-failures',
  priority: 3,
  // For saying how many there are, whatever stands above.
  reserve: 1_000,
  render: (view, room) => {
    const { failing } = view
    if (failing === null) return ''
    const open = failing.rows.filter((row) => !isKnown(row))
    const after = problem(failing)
    const fixed = after.reduce((sum, line) => sum + line.length + 2, 0)
    return [...rowsOf(view, open, room - fixed), ...after].join('\n\n')
  },
}

/** Those that fail elsewhere too, or that somebody has explained: folded, with an account of every red check. */
export const knownFailures: Section = {
  name: 'known-failures',
  priority: 5,
  reserve: 1_000,
  render: (view, room) => {
    const { failing } = view
    if (failing === null) return ''
    const known = failing.rows.filter(isKnown)
    if (known.length === 0) return rollups(view, failing).join('\n\n')
    const after = [...owners(known), ...account(view, failing)]
    const fixed = after.reduce((sum, line) => sum + line.length + 2, 0)
    const groups = failureGroups(known)
    const table = failuresTable(view, groups, Math.min(room - fixed - 500, MOST_OPEN), true)
    const left = rowsIn(groups.slice(table.shown))
    const parts = [...(table.shown === 0 ? [] : [table.text]), ...(left === 0 ? [] : [leftOut(view, left)]), ...after]
    return fold(foldTitle(known.length, failing.tests.redChecks.length), parts.join('\n\n'))
  },
}

/** `4 known failures and all 7 red checks` */
function foldTitle(known: number, checks: number): string {
  const failures = counted(known, 'known failure', 'known failures')
  if (checks < LEAST_ACCOUNT) return failures
  return `${failures} and ${checks === 2 ? 'both' : `all ${count(checks)}`} red checks`
}

function rowsOf(view: View, all: readonly FailureRow[], room: number): string[] {
  // For the lines that count what is not shown.
  const free = room - 400
  const groups = failureGroups(all)
  const open = failuresTable(view, groups.slice(0, SHOWN.openFailures), Math.min(free, MOST_OPEN))
  const rest = groups.slice(open.shown)
  const folded = failuresTable(view, rest, Math.min(free - open.text.length - 100, MOST_FOLDED), true)
  const left = rowsIn(rest.slice(folded.shown))
  const parts = open.shown === 0 ? [] : [open.text]
  if (folded.shown > 0) {
    const summary = `${count(rowsIn(rest))} more ${rowsIn(rest) === 1 ? 'failing test' : 'failing tests'}`
    parts.push(fold(summary, left === 0 ? folded.text : `${folded.text}\n\n${leftOut(view, left)}`))
  } else if (left > 0) {
    parts.push(leftOut(view, left))
  }
  return parts
}

function rowsIn(groups: readonly FailureGroup[]): number {
  return groups.reduce((sum, group) => sum + group.length, 0)
}

/** `shown` counts groups. */
function failuresTable(view: View, all: readonly FailureGroup[], room: number, isFolded = false) {
  const isOfKnown = all.every((group) => isKnown(group[0]))
  const lines = [tableHead([isOfKnown ? 'failing test' : 'look at these'])]
  let used = lines[0]!.length
  let saysPeriod = true
  for (const group of all) {
    const text = failureLine(view, group, saysPeriod, isFolded)
    if (used + text.length + 1 > room) break
    lines.push(text)
    used += text.length + 1
    // Said once; the period is the same for all of them.
    if ((group[0].judged.hits ?? 0) > 0) saysPeriod = false
  }
  return { text: lines.join('\n'), shown: lines.length - 1 }
}

/**
 * The test and its checks, then what it is and by what facts: of what looks like the reader's the facts alone. One column,
 * since names and outputs have long words and a phone is narrow.
 */
function failureLine(view: View, group: FailureGroup, saysPeriod: boolean, isFolded: boolean): string {
  const { classification } = group[0].judged
  const facts = groupFacts(view, group, { saysPeriod, saysRecent: isFolded }).join(' · ')
  const term = classification === 'pr-suspect' ? '' : `**${CLASSIFICATION_WORDS[classification].term}**`
  return tableRow([`${groupName(view, group)}<br>${[term, facts].filter((part) => part !== '').join(': ')}`])
}

/** `and 2,960 more failing tests in the report` */
function leftOut({ links }: View, left: number): string {
  const where =
    links.reportUrl === null
      ? ' that did not fit here'
      : ` in ${link('the report', `${links.reportUrl}#${FAILING_TESTS_ANCHOR}`)}`
  return `and ${counted(left, 'more failing test', 'more failing tests')}${where}`
}

/** What is not known, why, and that it will be completed. */
function problem({ tests, rows }: FailingView): string[] {
  if (tests.problem === null) return []
  const { term, meaning } = LOOKUP_PROBLEM_WORDS[tests.problem]
  const what = rows.length === 0 ? 'which tests failed' : 'whether these tests also fail elsewhere'
  return [`**Not known:** ${what}, because ${term}. ${meaning} This comment will then be completed.`]
}

/** Of one failing test its row says it; where none has an owner nobody keeps a list of them. */
function owners(all: readonly FailureRow[]): string[] {
  const names = all.flatMap(({ judged: { owner } }) => owner ?? [])
  if (names.length === 0 || all.length === 1) return []
  const byOwner = [...Map.groupBy(names, (name) => name)].toSorted(([, a], [, b]) => b.length - a.length)
  const shown = byOwner.slice(0, SHOWN.owners).map(([name, of]) => `${codeSpan(name, 40)} (${count(of.length)})`)
  const more = byOwner.length - shown.length
  const who = list(more === 0 ? shown : [...shown, counted(more, 'other', 'others')])
  const left = all.length - names.length
  const nobody = left === 0 ? '' : `; ${count(left)} of ${count(all.length)} ${left === 1 ? 'has' : 'have'} no owner`
  return [`Owners: ${who}${nobody}.`]
}

/** In the order in which they are listed: first what somebody has to look at. */
const KINDS_OF_CHECK = [
  'may be yours',
  'cause unknown',
  'not known yet',
  'infrastructure',
  'known failures',
  'red only because other checks are',
] as const

function kindOfCheck({ name, state }: RedCheck, failing: FailingView): (typeof KINDS_OF_CHECK)[number] {
  if (failing.rollups.includes(name)) return 'red only because other checks are'
  const rows = failing.rows.filter(({ checks }) => checks.includes(name))
  if (rows.some(isSuspect)) return 'may be yours'
  if (state !== 'accounted-for') return state === 'may-be-yours' ? 'cause unknown' : 'not known yet'
  return rows.some(({ judged }) => judged.classification === 'infrastructure') ? 'infrastructure' : 'known failures'
}

/** Of one red check its rows say what it is. */
const LEAST_ACCOUNT = 2

/** What each red check is. */
function account(view: View, failing: FailingView): string[] {
  const { redChecks } = failing.tests
  if (redChecks.length < LEAST_ACCOUNT) return []
  const kinds = Map.groupBy(redChecks, (check) => kindOfCheck(check, failing))
  const lines = KINDS_OF_CHECK.flatMap((kind) => {
    const checks = kinds.get(kind) ?? []
    return checks.length === 0
      ? []
      : [
          `- ${kind}: ${namedChecks(
            view,
            checks.map(({ name }) => name),
          )}`,
        ]
  })
  return [`**${count(redChecks.length)} red checks**\n${lines.join('\n')}`]
}

/** Of those that sum up nothing red the next step speaks. */
function rollups(view: View, { rollups: names, isOnlyRollups }: FailingView): string[] {
  return names.length === 0 || isOnlyRollups ? [] : [`Red only because other checks are: ${namedChecks(view, names)}.`]
}
