import { readFile } from 'node:fs/promises'
import { CommanderError } from 'commander'
import { z } from 'zod'
import { PRIMARY_METRIC } from '../../intake/measurement/run.ts'
import { renderComment } from '../../report/render/comment.ts'
import { NO_LINKS } from '../../report/render/view.ts'
import { reportOfRun } from '../../report/report-of-run.ts'
import { codeSpan, MESSAGE_LIMIT, plainText } from '../../text/markdown.ts'
import { type CommandIO, EXIT_CONDITION, EXIT_OK, InputError, isInputProblem } from '../commands/command.ts'
import { type MeasureOptions, measured, resultLines } from '../commands/measure.ts'
import { measureOptionsOf, parsed } from '../commands/measure-text.ts'
import { choicesOption } from '../commands/option-values.ts'
import { failOnCode, readRunInput, selectMetric, thresholdsGiven } from '../commands/run-input.ts'
import { FAIL_ON, type FailOn } from '../commands/run-options.ts'
import { plainText as onTerminal } from '../commands/terminal-text.ts'
import { type FailedBuild, FIRST_PARENT, MeasureProblem } from '../measure/sides.ts'
import { annotate, inputOf, summarize } from './workflow.ts'

/**
 * The measuring job of the Action: measures, or takes what was measured, and says in its job summary what that shows alone. Its token can
 * only read. What is posted comes from the judging job.
 */

interface Inputs {
  /** null: the folder holds what was measured. */
  readonly measure: MeasureOptions | null
  readonly folder: string
  readonly failOn: readonly FailOn[]
}

/** Gives the exit code: 1 for inputs that are wrong, or where `fail-on` asks for it. */
export async function measureJob(io: CommandIO): Promise<number> {
  let inputs: Inputs
  try {
    inputs = inputsOf(io.env)
  } catch (error) {
    if (!(error instanceof InputError || error instanceof CommanderError)) throw error
    annotate('The workflow file is wrong', error.message.replace(/^error: /, ''), io)
    return EXIT_CONDITION
  }
  try {
    return await measureAndSay(inputs, io)
  } catch (error) {
    if (!isInputProblem(error)) throw error
    const failed = error.cause instanceof MeasureProblem ? error.cause.failed : null
    for (const line of failed?.printed ?? []) io.stdout.write(`| ${onTerminal(line)}\n`)
    annotate(NOT_MEASURED, error.message, io)
    await summarize(notMeasured(error.message, failed), io)
    return inputs.failOn.length === 0 ? EXIT_OK : EXIT_CONDITION
  }
}

function inputsOf(env: CommandIO['env']): Inputs {
  const results = inputOf('results', env)
  const measure = inputOf('measure', env)
  if (measure === null && results === null)
    throw new InputError('give measure, such as "--go", or results, the folder with what was measured')
  const failOn = failOnOf(inputOf('fail-on', env))
  if (measure === null) return { measure, folder: results!, failOn }
  const options = measureOptionsOf(measure, results ?? DEFAULT_FOLDER)
  return { measure: options, folder: options.output, failOn }
}

function failOnOf(text: string | null): readonly FailOn[] {
  if (text === null) return []
  const option = choicesOption('--fail-on <conditions>', '', FAIL_ON)
  return parsed((command) => command.addOption(option), ['--fail-on', text]).opts<{ failOn: readonly FailOn[] }>()
    .failOn
}

async function measureAndSay({ measure, folder, failOn }: Inputs, io: CommandIO): Promise<number> {
  let lines: readonly string[] = []
  if (measure !== null) {
    const result = await measured(measure, { ...io, env: await measuringEnvironment(io.env) })
    lines = resultLines(result, measure)
    for (const line of lines) io.stdout.write(`${line}\n`)
    if (result.end === 'no-difference' || result.benchmarks.length === 0) {
      await summarize(asMarkdown(lines), io)
      return EXIT_OK
    }
  }
  const contents = await readRunInput([folder], { format: 'auto' }, io)
  const { counted } = selectMetric(contents, contents.decides ?? PRIMARY_METRIC)
  const about = { counted, source: folder, architecture: null, thresholds: thresholdsGiven({ format: 'auto' }) }
  const report = reportOfRun(contents, about)
  const comment = renderComment({ report, links: NO_LINKS, botId: 'perf-triage', previous: null })
  await summarize([comment, ...(lines.length === 0 ? [] : [asMarkdown(lines)]), ALONE].join('\n\n'), io)
  const results = report.rows.flatMap((row) => row.results)
  const { warnings, environments } = contents
  return failOnCode('action', { counts: report.counts, results, warnings, environments, failOn }, io)
}

function asMarkdown(lines: readonly string[]): string {
  return lines.map((line) => plainText(line, MESSAGE_LIMIT)).join('\n')
}

const DEFAULT_FOLDER = 'results'

const NOT_MEASURED = 'Nothing was measured'

/** Stands below what one run says alone. */
const ALONE =
  'This is what the run shows alone. Comments come from the judging job, which also knows the history of the main branch.'

function notMeasured(message: string, failed: FailedBuild | null): string {
  const help = failed?.unmeasured.reason === 'base-not-built' ? [ofBase(failed)] : []
  return [`### ${NOT_MEASURED}`, ...help, codeSpan(message, LONGEST_MESSAGE)].join('\n\n')
}

/** A merge commit is up to date with the main branch already. */
function ofBase({ given }: FailedBuild): string {
  const mend = `Mend the main branch${given === FIRST_PARENT ? '' : ', or bring this one up to date with it'}`
  return `There is nothing to compare with: the commit that this change starts from can’t be built. ${mend}.`
}

/** Characters: the last lines of a build are among them. */
const LONGEST_MESSAGE = 2000

/**
 * The environment of builds and benchmarks: without the Action's inputs and what the runner gives to actions alone, and with the branch
 * that commits go to where GitHub does not say it.
 */
const OF_THE_ACTION = /^(?:INPUT_|ACTIONS_|GITHUB_(?:ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$)/

async function measuringEnvironment(env: CommandIO['env']): Promise<CommandIO['env']> {
  const kept = Object.entries(env).filter(([name]) => !OF_THE_ACTION.test(name))
  const base = env['GITHUB_BASE_REF'] ?? ''
  return { ...Object.fromEntries(kept), GITHUB_BASE_REF: base === '' ? await defaultBranchOf(env) : base }
}

const eventSchema = z.object({ repository: z.object({ default_branch: z.string() }) })

async function defaultBranchOf({ GITHUB_EVENT_PATH: path }: CommandIO['env']): Promise<string | undefined> {
  if (path === undefined || path === '') return undefined
  const text = await readFile(path, 'utf8').catch(() => '{}')
  return eventSchema.safeParse(JSON.parse(text)).data?.repository.default_branch
}
