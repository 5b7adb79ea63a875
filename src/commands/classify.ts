import { classify } from '../verdict/classify.ts'
import { countOutcomes } from '../verdict/count-outcomes.ts'
import { classifyTable } from './classify-table.ts'
import { type ClassifyOptions, type CommandIO, InputError } from './command.ts'
import { failOnCode, readRunInput, selectMetric, thresholdsGiven } from './run-input.ts'

/** `classify --json`. Fields are added freely, never renamed or dropped. */
const JSON_SCHEMA_VERSION = 1

/** Reads one run and prints the outcome of each query. */
export async function run(options: ClassifyOptions, io: CommandIO): Promise<number> {
  const contents = await readRunInput(options, io)
  const { measurements, counted } = selectMetric(contents.measurements, options.metric)
  const queries = classify(measurements, thresholdsGiven(options))
  if (queries.length === 0) {
    const [first] = contents.warnings
    throw new InputError(`no query could be read${first === undefined ? '' : `: ${first.where}: ${first.message}`}`)
  }
  const ofMetric = queries.filter(({ metric }) => metric === counted)
  const counts = countOutcomes(ofMetric)
  const { oldCommit, newCommit, warnings } = contents
  if (options.json) {
    // JSON has no NaN and no infinity: stringify writes null for them
    const document = {
      schemaVersion: JSON_SCHEMA_VERSION,
      metric: counted,
      counts,
      oldCommit,
      newCommit,
      queries,
      warnings,
    }
    io.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
  } else {
    const lines = classifyTable({ queries, counted, counts, oldCommit, newCommit, warnings }, options.all, io)
    io.stdout.write(`${lines.join('\n')}\n`)
  }
  return failOnCode('classify', { counts, results: ofMetric, warnings, failOn: options.failOn }, io)
}
