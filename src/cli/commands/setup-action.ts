import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { CommanderError } from 'commander'
import { HISTORY_BRANCH } from '../../bot/action/history-files.ts'
import { CHECK_NAME } from '../../bot/triage/publish.ts'
import { parseRepositoryConfig } from '../../config/parse-repository-config.ts'
import { DEFAULT_CONFIG } from '../../config/repository-config.ts'
import { GitProblem, git } from '../bisect-git/git-command.ts'
import { type Files, type FoundTool, quoted } from '../setup-action/place.ts'
import { findTools, LOOKED_FOR } from '../setup-action/tools.ts'
import {
  CONFIGURATION,
  CONFIGURATION_PATH,
  JUDGE_PATH,
  judgeWorkflow,
  MEASURE_PATH,
  type MeasuredBy,
  measureWorkflow,
  type WorkflowFile,
} from '../setup-action/workflows.ts'
import { type CommandIO, EXIT_OK, InputError } from './command.ts'
import { measureOptionsOf } from './measure-text.ts'
import { BUDGET } from './option-values.ts'
import { ACTION } from './setup-options.ts'

/** `perf-triage setup --action`: the files that make a repository use the Action, written and removed. */

export interface SetupActionOptions {
  readonly directory?: string
  /** Arguments of `perf-triage measure`. */
  readonly measure?: string
  /** `5m`, with which the measuring ends. */
  readonly budget?: string
  /** `owner/repository@ref` */
  readonly uses?: string
  readonly remove?: boolean
  readonly yes?: boolean
}

export async function setupAction(options: SetupActionOptions, io: CommandIO): Promise<number> {
  const root = await rootOf(resolve(options.directory ?? '.'))
  await (options.remove === true ? remove(root, options, io) : add(root, options, io))
  return EXIT_OK
}

async function rootOf(folder: string): Promise<string> {
  const top = await answerOf(folder, ['rev-parse', '--show-toplevel'])
  if (top === null) throw new InputError(`${folder} is not in a git repository: give --directory`)
  return top
}

async function answerOf(folder: string, args: readonly string[]): Promise<string | null> {
  try {
    const { code, output } = await git(folder, args)
    return code === 0 && output.trim() !== '' ? output.trim() : null
  } catch (error) {
    if (error instanceof GitProblem) throw new InputError(error.message)
    throw error
  }
}

async function add(root: string, options: SetupActionOptions, io: CommandIO): Promise<void> {
  const uses = options.uses ?? ACTION
  const tools = await measuredBy(root, options, io)
  const branch = await mainBranch(root)
  const configuration = await textOf(root, CONFIGURATION_PATH)
  const { commands } = parseRepositoryConfig(configuration ?? '').config ?? DEFAULT_CONFIG
  const judge = judgeWorkflow(uses, commands.prefix)
  const wanted = [measureWorkflow(tools, branch, uses), judge, ...(configuration === null ? [CONFIGURATION] : [])]
  const before = await Promise.all(wanted.map(({ path }) => textOf(root, path)))
  const changed = wanted.filter(({ text }, index) => text !== before[index])
  if (changed.length === 0) io.stdout.write('The files are already there.\n')
  for (const { path, text } of changed) io.stdout.write(`\n── ${path}\n${text}`)
  const replaced = changed.filter((file) => before[wanted.indexOf(file)] !== null)
  if (replaced.length > 0 && !(await isConfirmed(`Replace ${namesOf(replaced)}?`, options, io))) return
  for (const { path, text } of changed) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  io.stdout.write(await nextSteps(root, branch, options, io))
}

/** Prints what was found. */
async function measuredBy(
  root: string,
  { measure: given, budget }: SetupActionOptions,
  io: CommandIO,
): Promise<readonly MeasuredBy[]> {
  if (given !== undefined) mustBeArguments(given)
  const found = await findTools(await filesOf(root))
  if (given !== undefined) {
    const measure = [given, ...(budget === undefined ? [] : [budgetOption(budget)])]
    return [{ name: 'benchmarks', measure, steps: stepsFor(given, found) }]
  }
  if (found.length === 0)
    throw new InputError(
      `no benchmarks found; looked for ${LOOKED_FOR.join('; ')}. Name the command instead: --measure "--run './bench --json {out}'"`,
    )
  const tools = found.map((tool) => ({ ...tool, measure: [...tool.measure, budgetOption(budget ?? BUDGET)] }))
  for (const { name, manifest, measure } of tools)
    io.stdout.write(`Found ${name} (${manifest}): perf-triage measure ${measure.join(' ')}\n`)
  return tools
}

function budgetOption(budget: string): string {
  return `--budget ${quoted(budget)}`
}

function mustBeArguments(text: string): void {
  try {
    measureOptionsOf(text, 'results')
  } catch (error) {
    if (error instanceof CommanderError) throw new InputError(`--measure: ${error.message.replace(/^error: /, '')}`)
    throw error
  }
}

/** The steps of a tool that `--measure` names, where its manifest was found. */
function stepsFor(given: string, found: readonly FoundTool[]): readonly string[] {
  const named = Array.from(given.matchAll(/(?<!\S)--[\w-]+/g), ([name]) => name)
  const isNamed = ({ measure }: FoundTool) => measure.some((option) => isTool(option) && named.includes(nameOf(option)))
  return found.find(isNamed)?.steps ?? []
}

function nameOf(option: string): string {
  return option.split(/[ =]/)[0]!
}

function isTool(option: string): boolean {
  return !['--build', '--directory'].includes(nameOf(option))
}

async function filesOf(root: string): Promise<Files> {
  const listed = await answerOf(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  return {
    paths: (listed ?? '').split('\0').filter((path) => path !== ''),
    read: async (path) => (await textOf(root, path)) ?? '',
  }
}

async function textOf(root: string, path: string): Promise<string | null> {
  return await readFile(join(root, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EISDIR') return null
    throw new InputError(`${path} can’t be read: ${error.message}`)
  })
}

/** The default branch of `origin`, else `main` or `master`, else the branch that is checked out. */
async function mainBranch(root: string): Promise<string> {
  const ofOrigin = await answerOf(root, ['symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD'])
  if (ofOrigin !== null) return ofOrigin.replace(/^origin\//, '')
  for (const name of ['main', 'master'])
    if ((await answerOf(root, ['rev-parse', '--verify', '--quiet', `refs/heads/${name}`])) !== null) return name
  return (await answerOf(root, ['symbolic-ref', '--quiet', '--short', 'HEAD'])) ?? 'main'
}

function namesOf(files: readonly Pick<WorkflowFile, 'path'>[]): string {
  return files.map(({ path }) => path).join(', ')
}

/** False: a person says no, and is told that this was heard. Throws `InputError` where nobody can be asked. */
async function isConfirmed(question: string, { yes }: SetupActionOptions, io: CommandIO): Promise<boolean> {
  if (yes === true) return true
  const input = io.stdin ?? (process.stdin.isTTY ? process.stdin : null)
  if (io.stdout.isTTY !== true || input === null)
    throw new InputError(`${question} There is no terminal to ask on: give --yes. Nothing was changed`)
  io.stdout.write(`\n${question} [y/N] `)
  const isYes = /^y(?:es)?$/i.test(await lineOf(input))
  if (!isYes) io.stdout.write('Nothing was changed.\n')
  return isYes
}

async function lineOf(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  let text = ''
  for await (const bytes of input) {
    text += String(bytes)
    if (text.includes('\n')) break
  }
  return text.split('\n')[0]!.trim()
}

async function nextSteps(
  root: string,
  branch: string,
  { directory, uses }: SetupActionOptions,
  io: CommandIO,
): Promise<string> {
  const isShadow = /^mode:\s*shadow\b/m.test((await textOf(root, CONFIGURATION_PATH)) ?? '')
  const steps = [
    ...(uses === undefined
      ? [
          `${ACTION} is not published yet: run this again with --uses YOU/perf-triage@v1, an Action of your own (docs/action.md)`,
        ]
      : []),
    ...(directory === undefined ? [] : [`go there: cd ${quoted(directory)}`]),
    'commit: git switch -c perf-triage && git add .github && git commit -m "Measure pull requests" && git push -u origin perf-triage',
    'open a pull request: the summary of its job shows what was measured',
    `merge it into ${branch}: from then on pull requests ${isShadow ? 'are judged in job summaries only' : 'get a comment and a check'}`,
    ...(isShadow
      ? [`once you trust it, remove "mode: shadow" from ${CONFIGURATION_PATH}: pull requests get a comment and a check`]
      : []),
  ]
  const command = `${io.env['npm_command'] === 'exec' ? 'npx ' : ''}perf-triage`
  const numbered = steps.map((step, index) => `  ${index + 1}. ${step}`)
  return `\nNext:\n${numbered.join('\n')}\nUndo it with: ${command} setup --action --remove${directory === undefined ? '' : ` --directory ${quoted(directory)}`}\n`
}

/** Removes the files, except a configuration that somebody changed. */
async function remove(root: string, options: SetupActionOptions, io: CommandIO): Promise<void> {
  const configuration = await textOf(root, CONFIGURATION_PATH)
  const removable = [MEASURE_PATH, JUDGE_PATH, ...(configuration === CONFIGURATION.text ? [CONFIGURATION_PATH] : [])]
  const texts = await Promise.all(removable.map((path) => textOf(root, path)))
  const files = removable.filter((_, index) => texts[index] !== null)
  if (files.length > 0 && !(await isConfirmed(`Remove ${files.join(', ')}?`, options, io))) return
  for (const path of files) await rm(join(root, path))
  const kept =
    configuration === null || files.includes(CONFIGURATION_PATH)
      ? ''
      : `\n${CONFIGURATION_PATH} was changed by hand, and stays.`
  io.stdout.write(
    `${files.length === 0 ? 'There was nothing to remove.' : `Removed ${files.join(', ')}.`}${kept}\n${files.length === 0 ? '' : leftOnGitHub(await mainBranch(root))}`,
  )
}

function leftOnGitHub(branch: string): string {
  return `
What is left on GitHub, once the removal is merged:
  - the branch with the history: git push origin --delete ${HISTORY_BRANCH}
  - the check, where ${branch} requires it: gh api -X DELETE "repos/{owner}/{repo}/branches/${branch}/protection/required_status_checks/contexts" -f "contexts[]=${CHECK_NAME}"
    A ruleset that requires it is changed in Settings > Rules.
`
}
