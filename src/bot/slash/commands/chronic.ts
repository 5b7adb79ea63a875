import { ledgerThresholds, type RepositoryConfig } from '../../../config/repository-config.ts'
import { type DeclaredFailure, declaredFailureOf, entryIdOfDeclared } from '../../../judge/ledger/declaration.ts'
import type { JudgedFailure } from '../../../judge/ledger/failure.ts'
import { signatureOfText } from '../../../judge/ledger/signature.ts'
import { isSilent } from '../../../judge/ledger/silent.ts'
import type { TriageReport } from '../../../report/report.ts'
import { closestName } from '../../../text/closest-name.ts'
import { codeSpan, NAME_LIMIT } from '../../../text/markdown.ts'
import { compileNamePattern } from '../../../text/name-pattern.ts'
import { count, counted, day } from '../../../text/numbers.ts'
import { DAY } from '../../../text/time.ts'
import { type Arguments, argumentsOf } from '../arguments.ts'
import { type AlikeFailures, type Answer, type Command, type CommandContext, refused } from '../command.ts'
import type { Word } from '../comment-commands.ts'
import { nameableFailures, rowsCalled, unknownFailure } from '../rows-named.ts'

/** Characters of an output that tell it from others. */
const OUTPUT_LIMIT = 120

/** The failures that the person means, why, and until when. */
interface Meant {
  readonly failures: readonly DeclaredFailure[]
  readonly reason: string
  readonly until: number
  /** Sentences that belong into the answer. */
  readonly notes: readonly string[]
}

/**
 * For a maintainer who knows a failing test that the ledger does not know yet. The person sees a reply that says how often the
 * failure was met; it is *chronic* in every pull request of the repository, with who and why.
 */
export const chronic: Command = {
  name: 'chronic',
  usage: 'chronic FAILING TEST [#ISSUE] "REASON" [until DATE]',
  who: 'write',
  readsReport: true,
  summary:
    'Adds a failing test with its output to the ledger: it is chronic in every pull request of the repository until the date, by default for as long as an entry may stay open. The answer says how many failures it matches; a different output of the same test is not excused.',
  concerns: (context, words) => failuresOf(toDeclare(context, words)),
  run: (context, words) => declare(context, toDeclare(context, words)),
}

/** For a maintainer who sees that an entry has expired, or soon will. The person sees a reply; it is open again. */
export const renew: Command = {
  name: 'renew',
  usage: 'renew FAILING TEST ["REASON"] [until DATE]',
  who: 'write',
  readsReport: true,
  summary:
    'Renews the ledger entry of a failing test, manual or automatic, expired or not: it is chronic until the date, by default for as long as an entry may stay open.',
  concerns: (context, words) => failuresOf(toRenew(context, words)),
  run: (context, words) => declare(context, toRenew(context, words)),
}

/** For a maintainer who has mended the test, or thought again. The person sees a thumbs up; it is judged by its history again. */
export const unchronic: Command = {
  name: 'unchronic',
  usage: 'unchronic FAILING TEST',
  who: 'write',
  takesBack: true,
  summary: 'Undoes `chronic`: the failing test is judged by its history again, in every pull request.',
  concerns: (context, words) => failuresOf(toEnd(context, words)),
  run(context, words) {
    const meant = toEnd(context, words)
    if (typeof meant === 'string') return refused(meant)
    const { failures, reason } = meant
    const subject = { pullRequestNumber: context.pullRequest.number, failures }
    const declaration = { kind: 'unchronic', subject, reason, until: null } as const
    return { wasDone: true, words: null, declaration, looksAgain: 'as-it-stands' }
  },
}

function failuresOf(meant: Meant | string): readonly DeclaredFailure[] {
  return typeof meant === 'string' ? [] : meant.failures
}

function declare(context: CommandContext, meant: Meant | string): Answer {
  if (typeof meant === 'string') return refused(meant)
  const { alike, config, pullRequest, saidAt } = context
  const { failures, reason, until, notes } = meant
  const { lookbackDays } = ledgerThresholds(config)
  const found = failures.map((failure) => {
    const words = matchWords(alike.get(entryIdOfDeclared(failure)), lookbackDays)
    return `${nameOf(failure)}${outputOf(failure)} ${words}`
  })
  const holds = `In every pull request of this repository ${failures.length === 1 ? 'it is' : 'they are'} chronic until ${day(until, saidAt)}; a different output of the same test is not excused.`
  const subject = { pullRequestNumber: pullRequest.number, failures }
  const declaration = { kind: 'chronic', subject, reason, until } as const
  return {
    wasDone: true,
    words: [...found, holds, ...notes].join('\n\n'),
    declaration,
    looksAgain: 'as-it-stands',
  }
}

/** `matches 14 failures in 60 days: on 9 other pull requests, and 2 on the trunk.` */
function matchWords(alike: AlikeFailures | undefined, lookbackDays: number): string {
  const days = counted(lookbackDays, 'day', 'days')
  if (alike === undefined) return `was not counted in the last ${days}.`
  const { hits, pullRequests, trunkHits, isComplete } = alike
  if (hits === 0) return `matches no other failure in ${days}: only this pull request has had it.`
  const on = counted(pullRequests, 'other pull request', 'other pull requests')
  const trunk = trunkHits === 0 ? '' : `, and ${count(trunkHits)} on the main branch`
  const atLeast = isComplete ? '' : 'at least '
  return `matches ${atLeast}${counted(hits, 'failure', 'failures')} on ${on} in ${days}${trunk}.`
}

function nameOf({ testName, checkName }: DeclaredFailure): string {
  return codeSpan(testName === '' ? checkName : testName, NAME_LIMIT)
}

function outputOf({ signature }: DeclaredFailure): string {
  return signature === '' ? '' : ` with ${codeSpan(signature, OUTPUT_LIMIT)}`
}

function toDeclare(context: CommandContext, words: readonly Word[]): Meant | string {
  const { config, report, saidAt } = context
  const given = argumentsOf(words, saidAt)
  if (typeof given === 'string') return given
  const full = given.names.join(' ')
  const usage = `\`${config.commands.prefix} chronic test_evicts #123 "waits for a port" until 2026-12-31\``
  if (full === '') return `Name a failing test: ${usage}.`
  if (given.reason === null) return `Say why: ${usage}.`
  if (report === null) return 'There is no report of this pull request yet.'
  const { name, issue } = isCalled(report, full) ? { name: full, issue: null } : withIssue(context, full)
  const rows = rowsCalled(nameableFailures(report), name)
  if (rows.length === 0) return unknownFailure(report, name)
  const judged = rows.map(({ row }) => row.judged)
  const refusal = refusalOf(config, name, judged)
  if (refusal !== null) return refusal
  const failures = distinct(judged.map(({ failure }) => declaredFailureOf(failure, issue)))
  return { failures, reason: given.reason, until: untilOf(context, given), notes: judged.flatMap(notesOn) }
}

function isCalled(report: TriageReport, name: string): boolean {
  return nameableFailures(report).some((row) => row.name === name)
}

/** `test_evicts #123`: the test, and the issue. */
function withIssue({ pullRequest }: CommandContext, full: string) {
  const [, name, digits] = /^(.+?),? #(\d{1,10})$/s.exec(full) ?? []
  if (name === undefined || digits === undefined) return { name: full, issue: null }
  const number = Number(digits)
  return { name, issue: { number, url: `${pullRequest.repository.url}/issues/${number}` } }
}

/** A failure that no entry may excuse; null: one may. */
function refusalOf({ ledger }: RepositoryConfig, name: string, judged: readonly JudgedFailure[]): string | null {
  const tests = new Set(judged.map(({ failure: { testName, checkName } }) => testName || checkName))
  const shown = codeSpan(name, NAME_LIMIT)
  if (tests.size > 1) {
    return `${shown} means ${count(tests.size)} failing tests, and one entry for all of them would excuse unrelated failures: name one.`
  }
  for (const { classification, causedBy, failure } of judged) {
    if (classification === 'rollup') return `${shown} only sums up other checks: name a test that failed in those.`
    if (classification === 'fallout') {
      return `${shown} follows from another failure${causedBy === null ? '' : `, ${codeSpan(causedBy, NAME_LIMIT)}`}: name that one.`
    }
    if (saysNothing(ledger, declaredFailureOf(failure, null))) return nothingSaid(name)
  }
  return null
}

function saysNothing({ falloutTests }: RepositoryConfig['ledger'], { testName, signature }: DeclaredFailure): boolean {
  return isSilent({ testName, signature: signatureOfText(signature) }, falloutTests.map(compileNamePattern))
}

function nothingSaid(name: string): string {
  return `Nothing says why ${codeSpan(name, NAME_LIMIT)} failed, so an entry would excuse unrelated failures: \`ignore\` it on this pull request instead.`
}

function notesOn({ failure, reasons: [decisive] }: JudgedFailure): string[] {
  return [
    ...(failure.signature.kind === 'name'
      ? ['It left no output, so every failure of this test without output is excused.']
      : []),
    ...(decisive?.kind === 'test-changed'
      ? ['This pull request changes the test itself, so here it may still be yours.']
      : []),
  ]
}

/** An entry that may be renewed or ended, as a person names it. */
interface Nameable {
  readonly name: string
  readonly test: string
  readonly failure: DeclaredFailure
  readonly reason: string
}

function nameable(failure: DeclaredFailure, reason: string): Nameable {
  const { testName, checkName } = failure
  return { name: testName === '' ? checkName : testName, test: checkName, failure, reason }
}

function declaredByHand({ declarations }: CommandContext): readonly Nameable[] {
  return [...declarations.values()]
    .filter(({ kind }) => kind === 'chronic')
    .map(({ failure, by }) => nameable(failure, by.reason))
}

function toRenew(context: CommandContext, words: readonly Word[]): Meant | string {
  const given = argumentsOf(words, context.saidAt)
  if (typeof given === 'string') return given
  const byHand = declaredByHand(context)
  const known = new Set(byHand.map(({ failure }) => entryIdOfDeclared(failure)))
  const byItself = (context.report?.failingTests?.failures ?? [])
    .filter(({ entry }) => entry !== null && entry !== undefined)
    .map(({ failure }) => nameable(declaredFailureOf(failure, null), ''))
    .filter(({ failure }) => !known.has(entryIdOfDeclared(failure)))
  const found = entriesCalled([...byHand, ...byItself], given, 'an entry in the ledger')
  if (typeof found === 'string') return found
  const failures = distinct(found.map(({ failure }) => failure))
  // The history may call it chronic by the trunk alone; a person can't.
  if (failures.some((failure) => saysNothing(context.config.ledger, failure))) return nothingSaid(found[0]!.name)
  return { failures, reason: given.reason ?? found[0]!.reason, until: untilOf(context, given), notes: [] }
}

function toEnd(context: CommandContext, words: readonly Word[]): Meant | string {
  const given = argumentsOf(words, context.saidAt)
  if (typeof given === 'string') return given
  const found = entriesCalled(declaredByHand(context), given, 'a manual entry')
  if (typeof found === 'string') return found
  const failures = distinct(found.map(({ failure }) => failure))
  return { failures, reason: given.reason ?? '', until: context.saidAt, notes: [] }
}

function entriesCalled(known: readonly Nameable[], { names }: Arguments, what: string): readonly Nameable[] | string {
  const name = names.join(' ')
  if (name === '') return `Name a failing test that has ${what}.`
  const found = rowsCalled(known, name)
  if (found.length > 0) return found
  const near = closestName(
    name,
    known.map((one) => one.name),
  )
  const meant = near === null ? '' : ` Did you mean ${codeSpan(near, NAME_LIMIT)}?`
  return `No failing test ${codeSpan(name, NAME_LIMIT)} has ${what}.${meant}`
}

/** The day that was given, else as long as an entry may stay open. */
function untilOf({ config, saidAt }: CommandContext, { until }: Arguments): number {
  return until ?? saidAt + ledgerThresholds(config).expireAfterDays * DAY
}

/** A test that failed alike in several checks is one failure. */
function distinct(failures: readonly DeclaredFailure[]): readonly DeclaredFailure[] {
  return [...new Map(failures.map((failure) => [entryIdOfDeclared(failure), failure])).values()]
}
