import { queryLabel } from '../../intake/measurement/run.ts'
import { count, counted, percent, thresholdPercent } from '../../text/numbers.ts'
import { type Column, tsvText, wordsColumn } from '../../text/table.ts'
import {
  commandOf,
  ignoreLineOf,
  LEAST_QUALITY_RUNS,
  neededWords,
  nextStepOf,
  type Quality,
  type QualityRow,
  qualityPath,
  reasonWords,
  WANTED_CHANGE,
} from './quality.ts'

/**
 * A query that measures little in the TSV, on the page and on a terminal. `publicUrl`: the address of the bot from outside; `now`:
 * milliseconds since 1970.
 */
export function qualityColumns(publicUrl: string, now: number): readonly Column<QualityRow>[] {
  return [
    { key: 'test', value: ({ test }) => test },
    { key: 'query_index', value: ({ queryIndex }) => queryIndex },
    { key: 'query_name', value: ({ queryName }) => tsvText(queryName) },
    { heading: 'Query', text: queryLabel },
    wordsColumn('repository', 'Repository', repositoryOf),
    {
      ...wordsColumn('architecture', 'Architecture', architectureOf),
      value: ({ architecture }) => architecture,
    },
    { key: 'reasons', value: ({ reasons }) => reasons.join(',') },
    // A terminal has no column for the numbers that `why` says.
    { key: 'runs', value: ({ runs }) => runs, heading: 'Runs', isNumber: true, shown: count },
    { key: 'trunk_runs', value: ({ trunkRuns }) => trunkRuns },
    { key: 'judged_runs', value: ({ judgedRuns }) => judgedRuns },
    { key: 'unstable_runs', value: ({ unstableRuns }) => unstableRuns },
    { key: 'changed_runs', value: ({ changedRuns }) => changedRuns },
    {
      key: 'median_threshold',
      value: ({ medianThreshold }) => medianThreshold,
      heading: 'Threshold',
      isNumber: true,
      shown: percent,
    },
    { key: 'median_value', value: ({ medianValue }) => medianValue },
    { key: 'repetitions', value: ({ medianRepetitions }) => medianRepetitions },
    {
      key: 'repetitions_needed',
      value: ({ repetitionsNeeded }) => repetitionsNeeded,
      heading: `For ${thresholdPercent(WANTED_CHANGE)}`,
      isNumber: true,
      text: neededWords,
    },
    { key: 'next', value: nextStepOf, heading: 'Next' },
    wordsColumn('why', 'Why', reasonWords),
    { key: 'address', value: (row) => addressOf(row, publicUrl) },
    { key: 'command', value: commandOf },
    { key: 'ignore_line', value: (row) => tsvText(ignoreLineOf(row, now)) },
  ]
}

/** The list for other programs: the fields of each row, with what they mean in words. */
export function qualityJson({ rows, ...quality }: Quality, days: number, publicUrl: string, now: number) {
  const json = (row: QualityRow) => ({
    ...row,
    repository: repositoryOf(row),
    why: reasonWords(row),
    next: nextStepOf(row),
    address: addressOf(row, publicUrl),
    command: commandOf(row),
    ignoreLine: ignoreLineOf(row, now),
  })
  return { days, wantedChange: WANTED_CHANGE, ...quality, rows: rows.map(json) }
}

/** The number of one of which only a history was imported: no report says its name. */
function repositoryOf({ repository: { owner, repo } }: QualityRow): string {
  return owner === '' ? repo : `${owner}/${repo}`
}

/** The page of the query; null: its repository has no pages. */
function addressOf(row: QualityRow, publicUrl: string): string | null {
  return row.repository.owner === '' ? null : `${publicUrl}${qualityPath(row)}`
}

function architectureOf({ architecture }: QualityRow): string {
  return architecture ?? '–'
}

/** `41 of 68 queries, of up to 23 runs each`. */
export function lookedAt({ rows, notShown, measured, runs }: Quality): string {
  return `${count(rows.length + notShown)} of ${counted(measured, 'query', 'queries')}, with up to ${counted(runs, 'run', 'runs')} each`
}

export function moreRows(notShown: number): string {
  return `${counted(notShown, 'more query is', 'more queries are')} not shown: choose a repository.`
}

export function emptyQuality({ measured, runs }: Quality, days: number): string {
  const of = `the last ${counted(days, 'day', 'days')}`
  if (measured === 0) return `No run from ${of} is stored.`
  if (runs < LEAST_QUALITY_RUNS)
    return `No query has ${count(LEAST_QUALITY_RUNS)} runs from ${of}, so nothing can be said yet.`
  return `Nothing to fix: ${counted(measured, 'query was', 'queries were')} checked in runs from ${of}.`
}
