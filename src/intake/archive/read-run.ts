import { Budget, type BudgetOptions } from '../measurement/budget.ts'
import { formatsNamed } from '../measurement/formats/formats.ts'
import { Interest } from '../measurement/interest.ts'
import { readMembers } from '../measurement/read-members.ts'
import type { RunContents } from '../measurement/run.ts'
import { baseName, SourceError, type SourceItem } from '../measurement/source.ts'
import { type SourcePath, sourceItems } from './source-items.ts'

/** Reads a run from disk. What its members mean is decided in `intake/measurement/`. */

export interface ReadOptions extends BudgetOptions {
  /** `auto` (default) or the name of a format. */
  readonly format?: string | undefined
  /** Picks measurement members by their path: `*` and `?` within a part, `**` for any parts; no `/`: the file name. */
  readonly memberPattern?: string | null | undefined
  /** The file that states the commit of the old build; `left-commit.txt` where not given. Its folders do not count. */
  readonly oldCommitFile?: string | undefined
  /** The bytes that the path `-` stands for; absent: it is the name of a file. */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined
  /** How messages name the source where its path says nothing to a person, such as a downloaded artifact. */
  readonly shownAs?: string | undefined
  /** The metric that decides, `PRIMARY_METRIC` where not given: it is kept where it is 0 in all repetitions. */
  readonly primaryMetric?: string | undefined
  /** The metrics to read of tables that have a line for each; absent: all. What a format has in no such table is read anyway. */
  readonly metrics?: ReadonlySet<string> | undefined
  /** The measurements are wanted in `RunContents.byMetric`, and none in `measurements`. */
  readonly byMetric?: boolean | undefined
}

/**
 * Reads one run from a folder, an archive or a file. Throws `SourceError` (one line for a person) when the path is not
 * there, is no readable archive or holds no measurements; everything else that is wrong is a warning in the result.
 */
export async function readRun(path: string, options: ReadOptions = {}): Promise<RunContents> {
  return await readRuns([path], options)
}

/** Like `readRun` for a run that lies in several places; the limits are for all of them together. */
export async function readRuns(paths: readonly string[], options: ReadOptions = {}): Promise<RunContents> {
  return await readPaths(
    paths.map((path) => ({ path, side: null, label: paths.length > 1 ? path : '', shownAs: options.shownAs })),
    options,
  )
}

/**
 * Like `readRuns` for formats with one side per file. Throws `SourceError` also when a file's format has both sides in
 * each file.
 */
export async function readSides(
  oldPaths: readonly string[],
  newPaths: readonly string[],
  options: ReadOptions = {},
): Promise<RunContents> {
  const old = oldPaths.map((path): SourcePath => ({ path, side: 'old', label: path }))
  return await readPaths([...old, ...newPaths.map((path): SourcePath => ({ path, side: 'new', label: path }))], options)
}

/**
 * Like `readRun` for what a job uploads: where every file has one side and none says which, they are all of the head. Throws
 * `SourceError` as that does.
 */
export async function readUploadedRun(path: string, options: ReadOptions = {}): Promise<RunContents> {
  try {
    return await readRun(path, options)
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    // where that is no reason either, what was wrong at first is what a person has to know
    const source: SourcePath = { path, side: 'new', label: '', shownAs: options.shownAs }
    return await readPaths([source], { ...options, isSideAssumed: true }).catch(() => {
      throw error
    })
  }
}

function oldCommitName({ oldCommitFile }: ReadOptions): string | undefined {
  return oldCommitFile === undefined ? undefined : baseName(oldCommitFile)
}

async function readPaths(
  sources: readonly SourcePath[],
  options: ReadOptions & { readonly isSideAssumed?: boolean },
): Promise<RunContents> {
  const interest = new Interest(
    formatsNamed(options.format ?? 'auto', oldCommitName(options)),
    options.memberPattern ?? null,
  )
  const budget = new Budget(options)
  const items = async function* (): AsyncGenerator<SourceItem> {
    for (const source of sources) {
      let members = 0
      const emptyBefore = interest.empty
      let failure: string | null = null
      const { stdin } = options
      const opened = source.path === '-' && stdin !== undefined ? { ...source, path: 'stdin', bytes: stdin } : source
      for await (const item of sourceItems(opened, interest, budget)) {
        if ('failed' in item) failure ??= `${item.where}: ${item.message}`
        const { passedOver } = interest
        yield item
        if (!('failed' in item) && interest.passedOver === passedOver) members += 1
      }
      // each path was named for a reason: one that gives nothing is a mistake, unless a tool has failed there
      if (members === 0 && sources.length > 1 && interest.empty === emptyBefore) {
        if (failure !== null) throw new SourceError('unreadable', failure)
        throw new SourceError('no-measurements', `${source.path}: no measurements; ${interest.explain()}`)
      }
    }
  }
  const names = sources.map(({ path, shownAs = path }) => shownAs).join(', ')
  return await readMembers(names, items(), interest, budget, options)
}
