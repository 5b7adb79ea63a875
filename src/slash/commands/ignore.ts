import { queryKey } from '../../measurement/run.ts'
import type { IgnoredSubject } from '../../report/acceptance.ts'
import type { TriageReport } from '../../report/report.ts'
import { codeSpan, NAME_LIMIT } from '../../text/markdown.ts'
import { isFailure } from '../../verdict/failed-in.ts'
import { argumentsOf } from '../arguments.ts'
import { type Command, refused } from '../command.ts'
import { nameableFailures, nameableRows, rowsCalled, rowsNamed, unknownIn } from '../rows-named.ts'

/**
 * For a maintainer who knows that a row or a failing test says nothing of this pull request. The person sees a thumbs up; it is
 * *ignored* in the comment, with who and why, and counts for nothing.
 */
export const ignore: Command = {
  name: 'ignore',
  usage: 'ignore ROW | FAILING TEST … ["REASON"] [until DATE]',
  who: 'write',
  readsReport: true,
  summary:
    'Ignores rows, at whatever size, and failing tests on this pull request: they are shown as ignored and count for nothing. With `mode: gating` it needs a reason and an end.',
  run({ config, report, saidAt }, words) {
    const given = argumentsOf(words, saidAt)
    if (typeof given === 'string') return refused(given)
    const { names, reason, until } = given
    const usage = `\`${config.commands.prefix} ignore order_by_read #1 "the machine is being replaced" until 2026-12-31\``
    if (names.length === 0) return refused(`Name a row or a failing test: ${usage}.`)
    if (config.mode === 'gating' && (reason === null || until === null)) {
      return refused(`Where the check gates, this needs a reason and an end: ${usage}.`)
    }
    if (report === null) return refused('There is no report of this pull request yet.')
    const subject = namedIn(report, names)
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
  summary: 'Takes back what `ignore` did on this pull request, of those named or of everything.',
  run({ said: { ignored }, saidAt }, words) {
    const given = argumentsOf(words, saidAt)
    if (typeof given === 'string') return refused(given)
    const { names } = given
    const all = [
      ...[...ignored.rows.values()].map(({ row }) => ({ row, name: row.name, test: row.test })),
      ...[...ignored.failures.values()].map(({ failure }) => ({
        failure,
        name: failure.testName === '' ? failure.checkName : failure.testName,
        test: failure.checkName,
      })),
    ]
    if (all.length === 0) return refused('Nothing is ignored by a person on this pull request.')
    const isAll = names.length === 0 || (names.length === 1 && names[0]!.toLowerCase() === 'all')
    const chosen = isAll ? all : rowsNamed(all, names)
    if (typeof chosen === 'string') return refused(chosen.replace('stands open in the report', 'is ignored'))
    const subject: IgnoredSubject = {
      rows: chosen.flatMap((one) => ('row' in one ? [one.row] : [])),
      failures: chosen.flatMap((one) => ('failure' in one ? [one.failure] : [])),
    }
    const decision = { kind: 'unignore', subject, reason: given.reason ?? '', until: null } as const
    return { wasDone: true, words: null, decision, looksAgain: 'as-it-stands' }
  },
}

/** The rows and failing tests that the names mean; a sentence: what is wrong with them. */
function namedIn(report: TriageReport, names: readonly string[]): IgnoredSubject | string {
  const rows = new Map<string, IgnoredSubject['rows'][number]>()
  const failures = new Map<string, IgnoredSubject['failures'][number]>()
  for (const wanted of names) {
    const found = rowsCalled(nameableRows(report), wanted)
    const failing = rowsCalled(nameableFailures(report), wanted)
    if (found.length + failing.length === 0) return unknownIn(report, wanted)
    const failed = found.find(({ row }) => row.results.some(isFailure))
    if (failed !== undefined) {
      return `${codeSpan(failed.name, NAME_LIMIT)} failed in a build, which can’t be ignored; \`accept\` takes it.`
    }
    for (const { row, name } of found) {
      const { test, queryIndex, queryName } = row
      rows.set(queryKey(row), { key: queryKey(row), name, test, query: queryIndex ?? queryName })
    }
    for (const { row } of failing) {
      const { testName, checkName } = row.judged.failure
      failures.set(JSON.stringify([testName, checkName]), { testName, checkName })
    }
  }
  return { rows: [...rows.values()], failures: [...failures.values()] }
}
