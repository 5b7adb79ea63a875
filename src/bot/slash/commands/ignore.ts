import { queryKey } from '../../../intake/measurement/run.ts'
import { isFailure } from '../../../judge/verdict/failed-in.ts'
import { isOpen } from '../../../judge/verdict/verdict.ts'
import { type IgnoredSubject, mayIgnore, type OpenFindings } from '../../../report/acceptance.ts'
import type { TriageReport } from '../../../report/report.ts'
import { codeSpan, NAME_LIMIT, shortCommit } from '../../../text/markdown.ts'
import { argumentsOf } from '../arguments.ts'
import { type Command, refused } from '../command.ts'
import { meantIn, nameableFailures, nameableRows, namesIn, openRowsIn, rowsNamed, unknownIn } from '../rows-named.ts'

/**
 * For a maintainer who knows that a row or a failing test says nothing of this pull request. The person sees a thumbs up; it is
 * *ignored* in the comment, with who and why, and counts for nothing.
 */
export const ignore: Command = {
  name: 'ignore',
  usage: 'ignore ROW | FAILING TEST … | all ["REASON"] [until DATE]',
  who: 'write',
  readsReport: true,
  summary:
    'Ignores rows, at whatever size, and failing tests on this pull request: they are shown as ignored and don’t count. `all` is everything open and every failing test of the report that you saw. With `mode: gating` it needs a reason and an end date.',
  run({ config, findings, report, saidAt }, words) {
    const given = argumentsOf(words, saidAt)
    if (typeof given === 'string') return refused(given)
    const { names, reason, until } = given
    const usage = `\`${config.commands.prefix} ignore order_by_read #1 "the machine is being replaced" until 2026-12-31\``
    if (names.length === 0) return refused(`Name a row or a failing test: ${usage}.`)
    if (!mayIgnore(config.mode, { reason: reason ?? '', until })) {
      return refused(`In a gating check, this needs a reason and an end date: ${usage}.`)
    }
    if (report === null) return refused('There is no report of this pull request yet.')
    const isAll = names.length === 1 && names[0]!.toLowerCase() === 'all'
    const subject = isAll ? allIn(report, findings) : namedIn(report, names)
    if (typeof subject === 'string') return refused(subject)
    const decision = { kind: 'ignore', subject, reason: reason ?? '', until } as const
    return { wasDone: true, words: null, decision, looksAgain: 'as-it-stands' }
  },
}

/** For a maintainer who has thought again. The person sees a thumbs up; what was ignored is judged again. */
export const unignore: Command = {
  name: 'unignore',
  usage: 'unignore [ROW | FAILING TEST … | all]',
  who: 'write',
  takesBack: true,
  readsReport: true,
  summary: 'Undoes `ignore` on this pull request, for those named or for everything.',
  run({ report, said: { ignored }, saidAt }, words) {
    const given = argumentsOf(words, saidAt)
    if (typeof given === 'string') return refused(given)
    const all = [
      ...[...ignored.rows.values()].map(({ row }) => ({
        row,
        name: row.name,
        test: row.test,
        key: JSON.stringify([row.key]),
      })),
      ...[...ignored.failures.values()].map(({ failure }) => ({
        failure,
        name: failure.testName === '' ? failure.checkName : failure.testName,
        test: failure.checkName,
      })),
    ]
    const known = all.length > 0 ? all : report === null ? [] : [...nameableRows(report), ...nameableFailures(report)]
    const names = namesIn(given, known)
    const isAll = names.length === 0 || (names.length === 1 && names[0]!.toLowerCase() === 'all')
    if (all.length === 0) {
      const nothing = refused('Nobody has ignored anything on this pull request.')
      const early = report === null ? null : isAll ? everythingIn(report) : namedIn(report, names)
      if (early === null || typeof early === 'string') return nothing
      // What was ignored before this, and is heard after it, is taken back too.
      return { ...nothing, decision: { kind: 'unignore', subject: early, reason: given.reason ?? '', until: null } }
    }
    const chosen = isAll ? all : rowsNamed(all, names, 'is ignored')
    if (typeof chosen === 'string') return refused(chosen)
    const subject: IgnoredSubject = {
      rows: chosen.flatMap((one) => ('row' in one ? [one.row] : [])),
      failures: chosen.flatMap((one) => ('failure' in one ? [one.failure] : [])),
    }
    const decision = { kind: 'unignore', subject, reason: given.reason ?? '', until: null } as const
    return { wasDone: true, words: null, decision, looksAgain: 'as-it-stands' }
  },
}

/**
 * The open rows that the person saw, without those that fail in a build, and the failing tests of that head. A sentence: why there are
 * none.
 */
function allIn(report: TriageReport, findings: OpenFindings | null): IgnoredSubject | string {
  if (findings === null) {
    return 'No report had been posted when you wrote this, so there was nothing to ignore yet.'
  }
  const rows = openRowsIn(report, findings)
    .filter(({ row }) => isOpen(row.verdict) && !row.results.some(isFailure))
    .map(rowToIgnore)
  const failing = findings.head === report.head ? nameableFailures(report) : []
  const failures = failing.flatMap(({ row: { judged } }) => {
    const { testName, checkName } = judged.failure
    return judged.classification === 'ignored' ? [] : [{ testName, checkName }]
  })
  if (rows.length + failures.length > 0) return { rows, failures }
  return `Nothing in the report of ${shortCommit(findings.head)} is open and can be ignored.`
}

function everythingIn(report: TriageReport): IgnoredSubject {
  const failures = nameableFailures(report).map(({ row: { judged } }) => {
    const { testName, checkName } = judged.failure
    return { testName, checkName }
  })
  return { rows: nameableRows(report).map(rowToIgnore), failures }
}

function rowToIgnore({ row, name }: ReturnType<typeof nameableRows>[number]): IgnoredSubject['rows'][number] {
  const { test, queryIndex, queryName } = row
  return { key: queryKey(row), name, test, query: queryIndex ?? queryName }
}

/** The rows and failing tests that the names mean; a sentence: what is wrong with them. */
function namedIn(report: TriageReport, names: readonly string[]): IgnoredSubject | string {
  const rows = new Map<string, IgnoredSubject['rows'][number]>()
  const failures = new Map<string, IgnoredSubject['failures'][number]>()
  for (const wanted of names) {
    const meant = meantIn(report, wanted)
    if (meant.rows.length + meant.failures.length === 0) return unknownIn(report, wanted)
    const failed = meant.rows.find(({ row }) => row.results.some(isFailure))
    if (failed !== undefined) {
      return `${codeSpan(failed.name, NAME_LIMIT)} failed in a build, which can’t be ignored; use \`accept\`.`
    }
    for (const one of meant.rows) rows.set(queryKey(one.row), rowToIgnore(one))
    for (const { row } of meant.failures) {
      const { testName, checkName } = row.judged.failure
      failures.set(JSON.stringify([testName, checkName]), { testName, checkName })
    }
  }
  return { rows: [...rows.values()], failures: [...failures.values()] }
}
