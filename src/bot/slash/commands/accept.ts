import type { OpenFindings, StandingDecisions } from '../../../report/acceptance.ts'
import { acceptancePhrase } from '../../../report/render/acceptance-words.ts'
import { codeSpan, MESSAGE_LIMIT, NAME_LIMIT, shortCommit } from '../../../text/markdown.ts'
import { toMarkdown } from '../../../text/phrase.ts'
import { argumentsOf } from '../arguments.ts'
import { type Command, refused } from '../command.ts'
import { goesBy, rowsCalled, rowsNamed } from '../rows-named.ts'

/**
 * For a maintainer who wants a slowdown: it is meant, or worth its price. The person sees a thumbs up; the rows move to *accepted* in the
 * comment, with who and why, and the check passes when nothing else is open.
 */
export const accept: Command = {
  name: 'accept',
  usage: 'accept [ROW … | suite | measurement | all] "REASON" [until DATE]',
  who: 'acknowledge',
  summary:
    'Accepts rows that are open in the report, at the size shown: those named, the shift of the whole run, or everything. They open again when they grow by more than their threshold. `measurement` is how a head was measured: it holds until the files that decide it change again, and `all` is without it. Failing tests are never accepted.',
  run({ config, findings, said, saidAt }, words) {
    const given = argumentsOf(words, saidAt)
    if (typeof given === 'string') return refused(given)
    const { names, reason, until } = given
    // `accept "sum #0"` names a row and no reason, and not everything.
    const isName = names.length === 0 && isOpenRow(findings, reason ?? '')
    if (reason === null || isName) {
      const wanted = isName ? [reason!] : names
      const open = wanted.filter((name) => isMeasurement(name) || isOpenRow(findings, name)).map(asTyped)
      // Who named something did not mean everything.
      const meant = wanted.length === 0 ? 'all' : open.join(' ') || 'ROW'
      const example = `${config.commands.prefix} accept ${meant} "it reads twice as many columns"`
      return refused(`Say why, in quotes: ${codeSpan(example, MESSAGE_LIMIT)}.`)
    }
    if (findings === null) {
      return refused('No report had been posted when you wrote this, so there was nothing to accept yet.')
    }
    const already = names.map((name) => alreadyAccepted(name, findings, said)).find((found) => found !== null)
    if (already !== undefined) return refused(already)
    const found = chosenOf(findings, names)
    if (typeof found === 'string') return refused(found)
    const { measurement = [], ...others } = found
    const chosen = names.some(isMeasurement) ? found : others
    if (sizeOf(chosen) === 0) {
      const byName = codeSpan(`${config.commands.prefix} accept measurement "why"`, MESSAGE_LIMIT)
      const more = measurement.length === 0 ? '' : ` To accept how it was measured, name it: ${byName}.`
      return refused(`Nothing is open in the report of ${shortCommit(findings.head)}.${more}`)
    }
    return {
      wasDone: true,
      words: null,
      decision: { kind: 'accept', subject: chosen, reason, until },
      looksAgain: 'as-it-stands',
    }
  },
}

/** Who changes how it is measured may have made up everything else: nobody accepts it unseen. */
function isMeasurement(name: string): boolean {
  return name.toLowerCase() === 'measurement'
}

/** How much there is to accept, or to take back. */
export function sizeOf({ rows, suites, unknowns, measurement = [] }: OpenFindings): number {
  return rows.length + suites.length + unknowns.length + measurement.length
}

function isOpenRow(findings: OpenFindings | null, name: string): boolean {
  return goesBy(findings?.rows ?? [], name)
}

/** `sum #0` stands as it is, `"hash functions"` in quotes. */
function asTyped(name: string): string {
  return /\s(?!#\d+$)/.test(name) ? `"${name}"` : name
}

/** A sentence where the name means rows that are accepted, and none that stands open. */
function alreadyAccepted(name: string, { rows }: OpenFindings, said: StandingDecisions): string | null {
  const accepted = [...said.rows.values()].map(({ row, ...by }) => ({ ...row, by }))
  const [found] = goesBy(rows, name) ? [] : rowsCalled(accepted, name)
  if (found === undefined) return null
  const acceptance = acceptancePhrase({ ...found.by, difference: found.difference })
  return `${codeSpan(found.name, NAME_LIMIT)} is already ${toMarkdown(acceptance)}.`
}

/** The part of what stands open that the names mean; a sentence: what is wrong with them. */
export function chosenOf(
  findings: OpenFindings,
  names: readonly string[],
  state = 'is open in the report',
): OpenFindings | string {
  if (names.length === 0 || (names.length === 1 && names[0]!.toLowerCase() === 'all')) return findings
  const isSuite = (name: string) => name.toLowerCase() === 'suite'
  const { measurement = [], ...others } = findings
  if (names.some(isMeasurement) && measurement.length === 0) return `Nothing about how it was measured ${state}.`
  if (names.some(isSuite) && findings.suites.length === 0) return `No shift of a whole run ${state}.`
  const rows = rowsNamed(
    findings.rows,
    names.filter((name) => !isSuite(name) && !isMeasurement(name)),
    state,
  )
  if (typeof rows === 'string') return rows
  return {
    ...others,
    rows,
    suites: names.some(isSuite) ? findings.suites : [],
    unknowns: [],
    ...(names.some(isMeasurement) && { measurement }),
  }
}
