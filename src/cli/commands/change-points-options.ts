import { type Command, InvalidArgumentError } from 'commander'
import { DIVISIVE_DEFAULTS, WINDOW_LENGTH_MOST } from '../../judge/statistics/change-points/e-divisive.ts'
import { examples } from './command.ts'
import { asOption, parseFraction } from './option-values.ts'

/** The description, options and examples of `perf-triage change-points`. */
export function define(command: Command): void {
  command
    .description(
      'Finds the lasting steps in a CSV or TSV file with a header: value and, optionally, time, commit and series.',
    )
    .argument('<file>', 'the file; - reads stdin')
    .option(
      '--value <column>',
      'the column of the values (default: value); if repeated, each is a series',
      collectColumn,
    )
    .option('--series <column>', 'the column that names the series (default: series); may be repeated', collectColumn)
    .option('--time <column>', 'the column of the times (default: time)', parseColumn)
    .option('--commit <column>', 'the column of the commits (default: commit)', parseColumn)
    .option(
      '--window-length <points>',
      'number of points looked at together',
      parseWindowLength,
      DIVISIVE_DEFAULTS.windowLength,
    )
    .option('--max-p <p>', 'the largest p-value of a step', parseMaxP, DIVISIVE_DEFAULTS.maxP)
    .option('--min-step <fraction>', 'the smallest step, as a fraction', parseFraction, DIVISIVE_DEFAULTS.minStep)
    .option('--higher-is-better', 'a rise means faster: the values are rates, not times')
    .addOption(asOption('report'))
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['change-points history.csv', 'each step with the commits around it'],
        ['change-points history.tsv --min-step 0.02 --json', 'smaller steps too; one JSON document'],
        ['change-points runs.csv --value p50 --value p99', 'columns with other names, each a series'],
        ['change-points rows.tsv --value new_value --series test --series query_index', 'a series for each query'],
        ['change-points - --window-length 30 --max-p 0.01', 'from stdin, with shorter windows'],
      ),
    )
}

function parseWindowLength(text: string): number {
  const length = Number(text)
  if (!/^\d+$/.test(text.trim()) || length < 2 || length > WINDOW_LENGTH_MOST) {
    throw new InvalidArgumentError(`It must be a whole number of points from 2 to ${WINDOW_LENGTH_MOST}.`)
  }
  return length
}

function parseMaxP(text: string): number {
  const p = text.trim() === '' ? Number.NaN : Number(text)
  if (!(p > 0 && p <= 1))
    throw new InvalidArgumentError('It must be a probability such as 0.001, above 0 and at most 1.')
  return p
}

/** `--value a --value b`. */
function collectColumn(name: string, before: readonly string[] = []): readonly string[] {
  const column = parseColumn(name)
  return before.includes(column) ? before : [...before, column]
}

function parseColumn(name: string): string {
  if (name.trim() === '') throw new InvalidArgumentError('It must be the name of a column in the header.')
  return name
}
