import type { QueryProfile, Run, Side } from '../../intake/measurement/run.ts'
import { columnOf, dateTime, enum8, few, nullable, string, table, uint32, uint64, uuid } from '../table.ts'
import { secondsOf } from './run-tables.ts'

/** The profiles of a run as rows of `stacks`. */

export interface StackRow {
  readonly repositoryId: number
  readonly runId: string
  readonly profile: QueryProfile
  readonly side: Side
  readonly stack: string
  readonly count: number
  /** Seconds since 1970. */
  readonly until: number
  readonly copiedFrom: string
}

const column = columnOf<StackRow>()

export const STACKS = table('stacks', {
  repository_id: column(uint64, ({ repositoryId }) => repositoryId),
  run_id: column(uuid, ({ runId }) => runId),
  test: column(few(string), ({ profile }) => profile.test),
  query_index: column(nullable(uint32), ({ profile }) => profile.queryIndex),
  query_name: column(nullable(string), ({ profile }) => profile.queryName),
  ordinal: column(nullable(uint32), ({ profile }) => profile.ordinal ?? null),
  trace_type: column(few(string), ({ profile }) => profile.traceType),
  side: column(enum8('old', 'new'), ({ side }) => side),
  stack: column(string, ({ stack }) => stack),
  samples: column(uint64, ({ count }) => count),
  expires: column(dateTime, ({ until }) => until),
  copied_from: column(few(string), ({ copiedFrom }) => copiedFrom),
})

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
): Iterable<StackRow> {
  return { [Symbol.iterator]: () => makeRows(run, runId, expires, copiedFrom) }
}

function* makeRows(
  { repositoryId, profiles = [] }: Pick<Run, 'repositoryId' | 'profiles'>,
  runId: string,
  expires: Date,
  copiedFrom: string,
): Generator<StackRow> {
  const until = secondsOf(expires)
  for (const profile of profiles) {
    for (const side of ['old', 'new'] satisfies Side[]) {
      for (const { stack, count } of profile[side]) {
        yield { repositoryId, runId, profile, side, stack, count, until, copiedFrom }
      }
    }
  }
}
