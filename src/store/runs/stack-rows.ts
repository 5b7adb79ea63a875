import type { Run, Side } from '../../measurement/run.ts'

/** The profiles of a run as rows of `stacks`. */

export const STACK_COLUMNS = [
  'repository_id',
  'run_id',
  'test',
  'query_index',
  'query_name',
  'ordinal',
  'trace_type',
  'side',
  'stack',
  'samples',
  'expires',
  'copied_from',
] as const

export function countStacks({ profiles = [] }: Pick<Run, 'profiles'>): number {
  return profiles.reduce((sum, profile) => sum + profile.old.length + profile.new.length, 0)
}

/**
 * Made one by one while they are read; may be read again. `expires`: as of the samples of the run. `copiedFrom`: the table of a CI
 * database; empty: the stacks came with the run.
 */
export function stackRows(
  run: Pick<Run, 'repositoryId' | 'profiles'>,
  runId: string,
  expires: Date,
  copiedFrom = '',
): Iterable<unknown[]> {
  return { [Symbol.iterator]: () => makeRows(run, runId, expires, copiedFrom) }
}

function* makeRows(
  { repositoryId, profiles = [] }: Pick<Run, 'repositoryId' | 'profiles'>,
  runId: string,
  expires: Date,
  copiedFrom: string,
): Generator<unknown[]> {
  const until = Math.floor(expires.getTime() / 1000)
  for (const profile of profiles) {
    const { test, queryIndex, queryName, ordinal = null, traceType } = profile
    // half a surrogate pair is no text that a database can hold
    const query = [test.toWellFormed(), queryIndex, queryName?.toWellFormed() ?? null, ordinal, traceType]
    for (const side of ['old', 'new'] satisfies Side[]) {
      for (const { stack, count } of profile[side]) {
        yield [repositoryId, runId, ...query, side, stack.toWellFormed(), count, until, copiedFrom]
      }
    }
  }
}
