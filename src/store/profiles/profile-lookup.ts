import { z } from 'zod'
import { DEFAULT_LIMITS } from '../../intake/measurement/limits.ts'
import { NO_INDEX, queryHash } from '../../intake/measurement/query-hash.ts'
import type { StackCount } from '../../intake/measurement/run.ts'
import { LEFT_OUT_FRAME } from '../../intake/measurement/stack-counts.ts'
import { TRACE_TYPES, type TraceType } from '../../intake/measurement/trace-type.ts'
import { DAY } from '../../text/time.ts'
import type { ClickHouse, QueryParameters } from '../client.ts'
import { bool } from '../column-values.ts'
import { readSql } from '../sql-file.ts'
import type { ProfileSummary, Profiles, ProfilesBesideOf, ProfileWanted } from './profiles.ts'

/** Runs a statement over one source of rows. Throws `StoreUnavailable`. */
export type ReadProfiles = <T>(name: ProfileStatement, parameters: QueryParameters, row: z.ZodType<T>) => Promise<T[]>

/** The names that tables have for a trace type: those of ClickHouse's traces and those of its dashboard. */
const NAMES: Readonly<Record<TraceType, readonly string[]>> = {
  CPU: ['CPU'],
  Real: ['Real', 'REAL_TIME'],
  MemorySample: ['MemorySample', 'MEMORY'],
  JemallocSample: ['JemallocSample'],
}

/** Days: as long as profiles are kept, and so how far back a table of others is looked through. */
const LOOKBACK_DAYS = 90

const count = z.coerce.number().nonnegative()
const summaryRow = z.object({ traceType: z.string(), old: count, new: count, runs: z.array(z.string()) })
const stackRow = z.object({ side: z.enum(['old', 'new']), shown: z.string(), count })

/** `Profiles` over any source of rows. An answer has as many characters of a side as a reader keeps, about. */
export class ProfileLookup implements Profiles {
  readonly #read: ReadProfiles
  readonly #now: () => Date
  readonly #besideOf: ProfilesBesideOf

  constructor(read: ReadProfiles, now: () => Date, besideOf: ProfilesBesideOf = async () => null) {
    this.#read = read
    this.#now = now
    this.#besideOf = besideOf
  }

  async summariesOf(wanted: ProfileWanted): Promise<readonly ProfileSummary[]> {
    const rows = await this.#read('summaries', await this.#parametersOf(wanted), summaryRow)
    return TRACE_TYPES.flatMap((traceType) => {
      const named = rows.filter((row) => NAMES[traceType].includes(row.traceType))
      if (named.length === 0) return []
      const sum = (side: 'old' | 'new') => named.reduce((total, row) => total + row[side], 0)
      const runs = [...new Set(named.flatMap((row) => row.runs))].toSorted()
      return [{ traceType, old: sum('old'), new: sum('new'), runs }]
    })
  }

  async stacksOf(
    wanted: ProfileWanted,
    traceType: TraceType,
  ): Promise<{ readonly old: readonly StackCount[]; readonly new: readonly StackCount[] } | null> {
    const parameters = {
      ...(await this.#parametersOf(wanted)),
      traceTypes: NAMES[traceType],
      text: DEFAULT_LIMITS.profileText,
      leftOut: LEFT_OUT_FRAME,
    }
    const rows = await this.#read('stacks', parameters, stackRow)
    if (rows.length === 0) return null
    const sideOf = (wantedSide: 'old' | 'new'): StackCount[] =>
      rows.flatMap((row) => (row.side === wantedSide ? [{ stack: row.shown, count: row.count }] : []))
    return { old: sideOf('old'), new: sideOf('new') }
  }

  async #parametersOf(wanted: ProfileWanted): Promise<QueryParameters> {
    const now = this.#now()
    const copiedFrom = (await this.#besideOf(wanted))?.copiedFrom ?? null
    return {
      repositoryId: wanted.repositoryId,
      head: wanted.head,
      architecture: wanted.architecture,
      test: wanted.test,
      name: wanted.queryName ?? '',
      index: wanted.queryIndex ?? NO_INDEX,
      hash: String(queryHash(wanted)),
      ordinal: wanted.ordinal ?? 0,
      now,
      sources: copiedFrom === null ? [''] : ['', copiedFrom],
      earlier: wanted.isEarlier === true,
      since: new Date(now.getTime() - LOOKBACK_DAYS * DAY),
    }
  }
}

const STACKS_OF_HEAD_SQL = readSql(new URL('./stacks-of-head.sql', import.meta.url))

/** Whether any stacks of a head are stored. Throws `StoreUnavailable`. */
export async function hasStacks(
  clickhouse: ClickHouse,
  of: Pick<ProfileWanted, 'repositoryId' | 'head'>,
): Promise<boolean> {
  const [row] = await clickhouse.read('stacks-of-head', STACKS_OF_HEAD_SQL, { ...of }, z.object({ found: bool }))
  return row?.found === true
}

const FILES = {
  summaries: readSql(new URL('./summaries.sql', import.meta.url)),
  stacks: readSql(new URL('./stacks.sql', import.meta.url)),
}
const ROWS = {
  own: readSql(new URL('./own-rows.sql', import.meta.url)),
  external: readSql(new URL('./external-rows.sql', import.meta.url)),
}

type ProfileStatement = keyof typeof FILES

/** A statement over the bot's own rows. */
function ownProfileSql(name: ProfileStatement): string {
  return FILES[name].replace('{{rows}}', () => ROWS.own)
}

/** The same over a table of others; `columns` is the SELECT that gives the columns of `perf_flamegraph_stacks_v1`. */
export function externalProfileSql(name: ProfileStatement, columns: string): string {
  return FILES[name].replace('{{rows}}', () => ROWS.external.replace('{{columns}}', () => columns))
}

interface StoredProfilesOptions {
  /** Awaited before each statement; brings the tables about. Left out: they are there. */
  readonly ready?: () => Promise<void>
  readonly now?: () => Date
  /** Left out: copies are not used. */
  readonly besideOf?: ProfilesBesideOf
}

/** The bot's own `stacks`, with the copies that may be used. The connection stays the caller's. */
export function storedProfiles(
  clickhouse: ClickHouse,
  { ready, now = () => new Date(), besideOf = async () => null }: StoredProfilesOptions = {},
): Profiles {
  return new ProfileLookup(
    async (name, parameters, row) => {
      await ready?.()
      return await clickhouse.read(`${name} of a profile`, ownProfileSql(name), parameters, row)
    },
    now,
    besideOf,
  )
}
