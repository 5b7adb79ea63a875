import { codeSpan, NAME_LIMIT } from '../../../text/markdown.ts'
import { count, list } from '../../../text/numbers.ts'
import { capital, phrase, toMarkdown } from '../../../text/phrase.ts'
import { notPassedOf } from '../../check-conclusion.ts'
import type { HowMeasured, Shard } from '../../report.ts'
import { byWhom, why } from '../acceptance-words.ts'
import { type Section, SHOWN } from '../layout.ts'

/** That the results are of another measurement than the trunk's, below the headline: who reads the numbers has to know. */
export const howMeasured: Section = {
  name: 'how-measured',
  priority: 0,
  reserve: 0,
  render: ({ report, links: { commandPrefix } }) => {
    const { howMeasured: changed, acceptedMeasurement: by, shards } = report
    const others = shards.filter(({ state, origin }) => state === 'measured' && origin?.kind === 'other-workflow')
    const said = [
      ...(changed === undefined ? [] : [`**${capital(measurementChanged(changed))}.**`]),
      ...(others.length === 0 ? [] : [`**${capital(otherWorkflow(others))}.**`]),
    ]
    if (said.length === 0) return ''
    if (by !== undefined) return `${said.join(' ')} ${capital(toMarkdown(phrase`accepted ${byWhom(by)}${why(by)}`))}.`
    if (notPassedOf(report).length === 0 || commandPrefix === undefined) return said.join(' ')
    const accept = codeSpan(`${commandPrefix} accept measurement "why"`, 2 * NAME_LIMIT)
    return `${said.join(' ')} **Maintainers:** the check fails until one of you comments ${accept}.`
  },
}

/** `this pull request changes how it is measured: `.github/workflows/perf.yml` and 3 more` */
export function measurementChanged({ files, more, isCut }: Pick<HowMeasured, 'files' | 'more' | 'isCut'>): string {
  if (isCut) return 'this pull request changes more files than GitHub lists, so it may change how it is measured'
  return `this pull request changes how it is measured: ${namesOf(files, more)}`
}

/** `the results of `perf (1/1)` come from `.github/workflows/other.yml`, not from the workflow that should measure it` */
export function otherWorkflow(shards: readonly Pick<Shard, 'check' | 'origin'>[]): string {
  const from = [...new Set(shards.map(({ origin }) => origin?.workflow ?? null))]
  const paths = namesOf(from.filter((path) => path !== null))
  const what = paths === '' ? 'no GitHub Actions workflow' : paths
  return `the results of ${namesOf(shards.map(({ check }) => check))} come from ${what}, not from the usual workflow`
}

/** Names as code, five of them at most; `more` are not among the names. */
export function namesOf(names: readonly string[], more = 0): string {
  const shown = names.slice(0, SHOWN.measuringFiles).map((name) => codeSpan(name, NAME_LIMIT))
  const others = names.length - shown.length + more
  return list(others > 0 ? [...shown, `${count(others)} more`] : shown)
}
