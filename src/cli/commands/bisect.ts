import { stat } from 'node:fs/promises'
import { unitOf } from '../../intake/measurement/metric-group.ts'
import { queryLabel } from '../../intake/measurement/run.ts'
import { bisectScript } from '../../judge/bisect/bisect-script.ts'
import { type BisectWindow, bisectWindow, withCommits } from '../../judge/bisect/bisect-window.ts'
import { steppedHistory, suiteOf, suiteSteps } from '../../judge/bisect/suite-steps.ts'
import type { TrunkSeries, TrunkStep } from '../../judge/history/trunk-series.ts'
import { counted, minute, signedPercent } from '../../text/numbers.ts'
import { DAY } from '../../text/time.ts'
import { type CloneRange, cloneRange, fullCommit } from '../bisect-git/clone-range.ts'
import { GitProblem } from '../bisect-git/git-command.ts'
import {
  type BisectFindings,
  bisectJson,
  endsOf,
  type FoundWindow,
  type UnsureStep,
  unsureSteps,
} from './bisect-findings.ts'
import { type BisectSource, openBisectSource } from './bisect-source.ts'
import { bisectTable } from './bisect-table.ts'
import { type CommandIO, EXIT_BAD_INPUT, EXIT_OK, InputError, printJson } from './command.ts'
import { oneRepository } from './history-repository.ts'
import { type RepositoryGiven, repositoryIn } from './option-values.ts'
import { Progress } from './progress.ts'
import { plainText } from './terminal-text.ts'

/** `bisect`, as the command line gives it. */
interface BisectOptions {
  readonly test?: string
  readonly query?: number
  readonly architecture?: string
  readonly metric: string
  /** A folder of a local clone. Not given: commits are not counted. */
  readonly clone?: string
  /** A repository of the store, or the folder of a local clone. */
  readonly repository?: string
  readonly repositoryId?: number
  /** Names of the trunk, for rows that name a branch. */
  readonly trunk?: readonly string[]
  /** Milliseconds. Not given: the present time. */
  readonly now?: number
  readonly days: number
  readonly script?: boolean
  /** An address with `{sha}`. */
  readonly buildLink?: string
  /** The script passes over commits that can't change the binary. */
  readonly skipInert?: boolean
  readonly json?: boolean
}

/** `perf-triage bisect`, with what `--repository` means. */
export async function run(options: BisectOptions, io: CommandIO): Promise<number> {
  return await bisect(await asMeant(options, io), io)
}

/** As the command works with it: what `--repository` meant is decided. */
interface BisectWanted extends Omit<BisectOptions, 'repository' | 'repositoryId'> {
  readonly repository: RepositoryGiven | undefined
}

/**
 * `--repository` was the folder of a clone before it named a repository, and scripts say so: a folder that is there is
 * the clone, unless `--clone` names one. Throws `InputError`.
 */
async function asMeant({ repository, repositoryId, ...options }: BisectOptions, io: CommandIO): Promise<BisectWanted> {
  const wanted = (given: RepositoryGiven | undefined, clone = options.clone): BisectWanted => ({
    ...options,
    ...(clone !== undefined && { clone }),
    repository: oneRepository({
      ...(given !== undefined && { repository: given }),
      ...(repositoryId !== undefined && { repositoryId }),
    }),
  })
  if (repository === undefined) return wanted(undefined)
  const given = repositoryIn(repository)
  if (options.clone === undefined && (await isFolder(repository))) {
    if (given !== null) {
      io.stderr.write(
        `perf-triage bisect: ${plainText(repository)} is a folder here, so it is taken as --clone; give both --clone and --repository to tell them apart\n`,
      )
    }
    return wanted(undefined, repository)
  }
  if (given === null) {
    throw new InputError(
      `--repository ${plainText(repository)}: not an owner/name, not a number, and no folder of a clone`,
    )
  }
  return wanted(given)
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

/**
 * Finds the lasting steps in the trunk's stored history and prints the window of each. Exit code 2 where there is no
 * history of what was asked for: a script may not take that for "no step".
 */
async function bisect(options: BisectWanted, io: CommandIO): Promise<number> {
  checkOptions(options)
  const progress = new Progress(io.stderr)
  const source = await openBisectSource(io)
  try {
    const to = options.now ?? Date.now()
    const { metric, trunk = [] } = options
    const { repository } = options
    const repositoryId =
      repository === undefined ? await chooseRepository(source, metric, io) : await source.numberOf(repository)
    const asked = { repositoryId, metric, trunk, from: to - options.days * DAY, to }
    await source.copy(asked, {
      progress: (words) => progress.update(words),
      note: (text) => {
        progress.done()
        io.stderr.write(`perf-triage bisect: ${plainText(text)}\n`)
      },
    })
    const found: FoundWindow[] = []
    const unsure: UnsureStep[] = []
    let histories = 0
    for await (const batch of source.series(asked)) {
      // A batch has all queries of its tests.
      for (const suite of Map.groupBy(batch, suiteOf).values()) {
        if (!suite.some((one) => isWanted(one, options))) continue
        const steps = suiteSteps(suite.map((series) => steppedHistory(series)))
        for (const [i, series] of suite.entries()) {
          if (!isWanted(series, options)) continue
          histories += 1
          found.push(...windowsOf(series, steps[i]!))
          // Unsure steps of all queries would be many; for one that was asked for, "no steps" alone would be half the
          // answer.
          if (options.test !== undefined) unsure.push(...unsureSteps(series))
        }
      }
      progress.update(() => `looking for steps: ${histories} queries`)
    }
    const ordered = found.toSorted(compareWorstFirst)
    const windows = options.clone === undefined ? ordered : await withClone(ordered, options.clone, progress)
    progress.done()
    const nothing = histories === 0 ? `there is no history of ${wanted(options)} in ${source.where}` : null
    await print({ windows, unsure, histories }, nothing, options, io)
    if (nothing === null) return EXIT_OK
    io.stderr.write(`perf-triage bisect: ${plainText(nothing)}\n`)
    return EXIT_BAD_INPUT
  } finally {
    progress.done()
    await source.close()
  }
}

/** Choices that are made for a person are said. */
async function chooseRepository(source: BisectSource, metric: string, io: CommandIO): Promise<number> {
  const { id, note } = await source.repositoryWith(metric)
  if (note !== null) io.stderr.write(`perf-triage bisect: ${note}\n`)
  return id
}

function checkOptions({ query, test, script, json, buildLink, skipInert, clone }: BisectWanted): void {
  if (query !== undefined && test === undefined) throw new InputError('--query needs --test; give the name of its test')
  if (script && json) throw new InputError('--script and --json can’t be combined; choose one')
  if (buildLink !== undefined && !script) throw new InputError('--build-link needs --script')
  if (skipInert && (!script || clone === undefined)) {
    throw new InputError('--skip-inert needs --script and --clone')
  }
}

function isWanted(series: TrunkSeries, { test, query, architecture }: BisectWanted): boolean {
  return (
    (test === undefined || series.test === test) &&
    (query === undefined || series.queryIndex === query) &&
    (architecture === undefined || series.architecture === architecture)
  )
}

function wanted({ test, query, architecture, metric, days, now }: BisectWanted): string {
  const what = test === undefined ? 'any query' : queryLabel({ test, queryIndex: query ?? null, queryName: null })
  const on = architecture === undefined ? '' : ` on ${architecture}`
  const time = counted(days, 'day', 'days')
  return `${metric} of ${what}${on} in the ${now === undefined ? `last ${time}` : `${time} until ${minute(now)}`}`
}

/** The windows of one query's history, in the order of time. */
function windowsOf(series: TrunkSeries, steps: readonly TrunkStep[]): FoundWindow[] {
  const unit = unitOf(series.metric)
  return steps.map((step) => ({ series, window: bisectWindow(series, step, unit), problem: null }))
}

/** Orders windows: what lasts before what was fixed, slower before faster, the largest first. */
function compareWorstFirst({ window: a }: FoundWindow, { window: b }: FoundWindow): number {
  return (
    Number(a.step.recovered !== null) - Number(b.step.recovered !== null) ||
    Number(b.step.step > 0) - Number(a.step.step > 0) ||
    Math.abs(b.step.step) - Math.abs(a.step.step) ||
    (queryLabel(a) < queryLabel(b) ? -1 : 1)
  )
}

/** Queries share their windows' ends: each pair of commits is asked for once. */
async function withClone(found: readonly FoundWindow[], folder: string, progress: Progress): Promise<FoundWindow[]> {
  const ranges = new Map<string, CloneRange>()
  const complete: FoundWindow[] = []
  for (const { series, window } of found) {
    const { lastGood, firstBad } = window.step
    const key = endsOf(window)
    progress.update(() => `reading the clone: ${complete.length} of ${found.length} windows`)
    let range = ranges.get(key)
    if (range === undefined) {
      range = await askClone(folder, lastGood.commit, firstBad.commit)
      ranges.set(key, range)
    }
    const commits = 'commits' in range ? range.commits : null
    complete.push({ series, window: withCommits(window, commits), problem: problemOf(range) })
  }
  return complete
}

/** Histories may hold the beginnings of commit ids; a script needs whole ones. */
async function withFullEnds(window: BisectWindow, folder: string): Promise<BisectWindow> {
  const { lastGood, firstBad } = window.step
  const [good, bad] = [await fullCommit(folder, lastGood.commit), await fullCommit(folder, firstBad.commit)]
  if (good === lastGood.commit && bad === firstBad.commit) return window
  const step = { ...window.step, lastGood: { ...lastGood, commit: good }, firstBad: { ...firstBad, commit: bad } }
  return { ...window, step }
}

async function askClone(folder: string, good: string, bad: string): Promise<CloneRange> {
  try {
    return await cloneRange(folder, good, bad)
  } catch (error) {
    throw error instanceof GitProblem ? new InputError(error.message) : error
  }
}

function problemOf(range: CloneRange): string | null {
  if ('commits' in range) return null
  if ('unrelated' in range) return 'the last good commit is not an ancestor of the first bad one'
  return `the commit ${plainText(range.missing).slice(0, 64)} is not in the clone; fetch it`
}

async function print(
  found: BisectFindings,
  nothing: string | null,
  options: BisectWanted,
  io: CommandIO,
): Promise<void> {
  const { windows, histories } = found
  if (options.json) {
    const error = nothing === null ? {} : { error: { kind: 'input', command: 'bisect', message: plainText(nothing) } }
    printJson({ ...bisectJson(windows, histories, options), ...error }, io)
  } else if (nothing !== null) return
  else if (options.script) io.stdout.write(await scriptOf(windows, options, io))
  else io.stdout.write(`${bisectTable(found, options.clone !== undefined, io).join('\n')}\n`)
}

/**
 * The script of the one window that lasts; a person chooses where there are more, and is told of those that are left
 * out.
 */
async function scriptOf(
  found: readonly FoundWindow[],
  { buildLink, skipInert = false, clone }: BisectWanted,
  io: CommandIO,
): Promise<string> {
  const lasting = found.filter(({ window }) => window.step.recovered === null)
  const [only, ...more] = lasting.length === 0 ? found : lasting
  if (only === undefined) throw new InputError('there is no step, so there is nothing to bisect')
  if (more.length > 0) {
    const query = plainText(queryLabel(only.window))
    throw new InputError(
      `${more.length + 1} windows, but a script bisects only one: choose with --test, --query, --architecture, --days and --now; the first is of ${query}`,
    )
  }
  if (found.length > 1) {
    const { step } = only.window.step
    const others = counted(found.length - 1, 'other window', 'other windows')
    io.stderr.write(
      `perf-triage bisect: the script is for the step of ${signedPercent(step)} that lasts; ${others} of steps undone since: choose with --days and --now\n`,
    )
  }
  try {
    const window = clone === undefined ? only.window : await withFullEnds(only.window, clone)
    return bisectScript(window, { buildLink: buildLink ?? null, skipInert })
  } catch (error) {
    throw error instanceof RangeError ? new InputError(error.message) : error
  }
}
