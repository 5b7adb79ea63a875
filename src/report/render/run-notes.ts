import type { OwnQuery } from '../../intake/measurement/own-verdict.ts'
import { queryLabel } from '../../intake/measurement/run.ts'
import { different } from '../../intake/measurement/run-notes.ts'
import { NAME_LIMIT } from '../../text/markdown.ts'
import { count, percent, signedPercent, values } from '../../text/numbers.ts'
import { code, joined, type Phrase, phrase } from '../../text/phrase.ts'
import type { NotesOfRun, TriageReport } from '../report.ts'

/** Queries or metrics of a line that are named; more are a number. */
const MOST_NAMED = 5

/** What the runs say beside the comparison, a line each: machines, queries slow on the client, those of one build, odd durations, servers. */
export function runNotePhrases({
  runNotes = [],
  rows = [],
}: Partial<Pick<TriageReport, 'runNotes' | 'rows'>>): Phrase[] {
  const all = <Line>(of: (notes: NotesOfRun) => readonly Line[] | undefined) => runNotes.flatMap((one) => of(one) ?? [])
  const machines = [...new Set(all(({ machine }) => (machine === undefined ? [] : [machine])))]
  return [
    line('measured on', machines, (machine) => [
      code(machine, NAME_LIMIT),
      ...(isOther(rows, machine) ? ['; some runs on the main branch were on a different kind of machine'] : []),
    ]),
    line('attributes of the run', different(all((notes) => notes.attributes)), ({ name, value }) => [
      `${name} `,
      code(value, NAME_LIMIT),
    ]),
    line(
      'slow on the client, as a multiple of the server’s time',
      all((notes) => notes.slowOnClient).toSorted((a, b) => b.ratio - a.ratio),
      (one) => named(one, count(Math.round(one.ratio * 100) / 100)),
    ),
    line(
      'run by the new build only, median and relative deviation',
      all((notes) => notes.partial),
      (one) => named(one, `${values([one.seconds], 's')} ± ${percent(one.spread)}`),
    ),
    line(
      'with a duration other than their test expects',
      all((notes) => notes.unexpectedDuration),
      (one) => phrase`${named(one, values([one.seconds], 's'))}${': '}${code(one.problem, NAME_LIMIT)}`,
    ),
    line(
      'the servers themselves, old to new',
      all((notes) => notes.servers).toSorted((a, b) => Math.abs(b.difference) - Math.abs(a.difference)),
      ({ metric, difference }) => phrase`${code(metric, NAME_LIMIT)}${` ${signedPercent(difference)}`}`,
    ),
  ].filter((found) => found !== null)
}

function isOther(rows: TriageReport['rows'], machine: string): boolean {
  return rows.some(({ results }) => results.some(({ history }) => history?.machine === machine))
}

function named(query: OwnQuery, words: string): Phrase {
  return phrase`${code(queryLabel({ ...query, queryName: null }), NAME_LIMIT)}${` ${words}`}`
}

function line<Line>(title: string, lines: readonly Line[], words: (one: Line) => Phrase): Phrase | null {
  if (lines.length === 0) return null
  const more = lines.length > MOST_NAMED ? `, ${count(lines.length - MOST_NAMED)} more` : ''
  return phrase`${`${title}: `}${joined(lines.slice(0, MOST_NAMED).map(words), ', ')}${more}`
}
