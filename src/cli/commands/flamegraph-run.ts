import { readRun } from '../../intake/archive/read-run.ts'
import { type QueryProfile, queryLabel, type RunContents } from '../../intake/measurement/run.ts'
import type { TraceType } from '../../intake/measurement/trace-type.ts'
import type { Warnings } from '../../intake/measurement/warnings.ts'
import { stripHex } from '../../judge/profile/folded.ts'
import type { StackDifference } from '../../judge/profile/stack-difference.ts'
import { StackTree } from '../../judge/profile/stack-tree.ts'
import { type CommandIO, InputError } from './command.ts'
import { Progress } from './progress.ts'
import { plainText } from './terminal-text.ts'

/** A query of a run; what is left of what is not given must be one query. */
export interface ProfileOfRun {
  /** A folder or an archive. */
  readonly path: string
  readonly test: string | undefined
  readonly query: number | undefined
  readonly traceType: TraceType | undefined
}

/** Queries that a message lists. */
const QUERIES_LISTED = 10

/** How the members of a run are named that hold stacks. */
const STACKS_FILE = /stacks\.(left|right)\.tsv/

export interface ReadProfile {
  readonly difference: StackDifference
  readonly profile: QueryProfile
}

/**
 * The stacks of one query of a run. Throws `InputError` where the run has none of it, with those that it has, and
 * `SourceError` where it cannot be read.
 */
export async function readRunProfile(
  wanted: ProfileOfRun,
  stripsHex: boolean,
  warnings: Warnings,
  io: CommandIO,
): Promise<ReadProfile> {
  const progress = new Progress(io.stderr)
  const onProgress = ({ members, bytes }: { members: number; bytes: number }) =>
    progress.update(() => `reading: ${members} files, ${(bytes / 1e6).toFixed(0)} MB`)
  const contents = await readRun(wanted.path, { onProgress }).finally(() => progress.done())
  for (const { code, where, message } of contents.warnings) {
    if (code === 'limit-reached' || STACKS_FILE.test(where)) warnings.add(code, where, null, message)
  }
  const profile = choose(contents, wanted)
  const tree = new StackTree()
  for (const side of ['old', 'new'] as const) {
    for (const { stack, count } of profile[side]) {
      const refused = tree.add(stripsHex ? stripHex(stack) : stack, side, count)
      if (refused !== null) throw new InputError(`${wanted.path}: the profile has ${refused.replaceAll('-', ' ')}`)
    }
  }
  return { difference: tree.finish(), profile }
}

function choose({ profiles = [] }: RunContents, { path, test, query, traceType }: ProfileOfRun): QueryProfile {
  if (profiles.length === 0) {
    throw new InputError(`${path}: no stacks in this run; expected report/stacks.left.tsv and report/stacks.right.tsv`)
  }
  const fitting = profiles.filter(
    (one) =>
      (test === undefined || one.test === test) &&
      (query === undefined || one.queryIndex === query) &&
      (traceType === undefined || one.traceType === traceType),
  )
  const queries = new Set(fitting.map(queryLabel))
  const [first] = fitting
  if (first !== undefined && queries.size === 1) return first
  const said = first === undefined ? 'no stacks of that query' : `stacks of ${queries.size} queries`
  const there = first === undefined ? profiles : fitting
  throw new InputError(`${path}: ${said}; available: ${listed(there)} (choose with --test, --query and --trace)`)
}

/** `sum #3 (CPU, Real), sum #4 (CPU)`. */
function listed(profiles: readonly QueryProfile[]): string {
  const types = new Map<string, string[]>()
  for (const profile of profiles) {
    const label = queryLabel(profile)
    types.set(label, [...(types.get(label) ?? []), profile.traceType])
  }
  const shown = Array.from(types, ([label, names]) => `${plainText(label)} (${names.join(', ')})`)
  const more = shown.length - QUERIES_LISTED
  return shown.slice(0, QUERIES_LISTED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
