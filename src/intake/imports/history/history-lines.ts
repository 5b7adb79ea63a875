import { z } from 'zod'
import { LAST_TIME } from '../../../text/time.ts'
import type { QueryId } from '../../measurement/run.ts'
import type { TrunkRow } from './trunk-row.ts'

/**
 * The trunk's history in files, as the Action keeps it on a branch: a line of JSON for each run of the trunk and metric. Lines are only
 * ever appended; whatever a line holds comes from outside.
 */

/** What one run of the trunk measured by one metric. */
export interface HistoryRun {
  /** The workflow run and its attempt. */
  readonly run: number
  readonly attempt: number
  readonly check: string
  /** Its number and how many there are; null: the check is not sharded. */
  readonly shard: number | null
  readonly shards: number | null
  /** Full commit ids. `base` null: no commit of the trunk shortly before it was measured beside it. */
  readonly commit: string
  readonly base: string | null
  readonly branch: string
  /** Of the check; empty: none is known. */
  readonly url: string
  /** When it ended; milliseconds since 1970. */
  readonly time: number
  /** Of the run; null: unknown. */
  readonly architecture: string | null
  /** What the results state themselves; absent: nothing. */
  readonly stated?: string
  /** The kind of machine, such as its CPU; absent: unknown. */
  readonly machine?: string
  readonly metric: string
  readonly rows: readonly HistoryRow[]
}

/** What one run measured of a query. */
export interface HistoryRow extends Omit<QueryId, 'ordinal'> {
  /** Medians in the metric's unit. Both are there where they were compared; else one. */
  readonly old: number | null
  readonly new: number | null
  /** D and T, fractions of `old`; null: not compared, or T is not known. */
  readonly difference: number | null
  readonly threshold: number | null
  /** Of the side with fewer; 0: unknown. */
  readonly repetitions: number
  readonly processes: number
}

/** Why a line is not read. */
export type HistoryLineProblem =
  /** Not JSON, such as a line that was cut. */
  | 'malformed'
  /** JSON that is not what this version writes. */
  | 'unexpected'
  /** Written by a later version. */
  | 'newer-version'

export interface HistoryLines {
  /** In the order of the lines. */
  readonly runs: readonly HistoryRun[]
  /** Lines that say again what one before them says, in whichever of the texts. */
  readonly duplicates: number
  /** How many lines each problem has; one that none has is left out. */
  readonly problems: ReadonlyMap<HistoryLineProblem, number>
}

const VERSION = 1

/** No name of a benchmark is so long; characters. */
const LONGEST_TEXT = 100_000
const LARGEST_INDEX = 0xffff_fffe

const text = z
  .string()
  .max(LONGEST_TEXT)
  .transform((value) => value.toWellFormed())
const name = text.refine((value) => value !== '')
const commit = z.string().regex(/^[0-9a-f]{40,64}$/)
const count = z.int().nonnegative()

/** As a line has it: what is left out at the end is null or 0, and the difference is there where the medians do not give it. */
type WrittenRow = readonly [
  test: string,
  queryName: string | null,
  queryIndex: number | null,
  old: number | null,
  fresh: number | null,
  threshold?: number | null,
  repetitions?: number,
  processes?: number,
  difference?: number | null,
]

/** Checked by hand: a history has millions of them, and a schema of each takes ten times as long. */
const rows = z
  .custom<readonly WrittenRow[]>((value) => Array.isArray(value) && value.every(isRow))
  .transform((all) => all.map(rowOf))

function isRow(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < 5 || value.length > 9) return false
  const [test, queryName, queryIndex, old, fresh, threshold = null, repetitions = 0, processes = 0, difference = null] =
    value as readonly unknown[]
  return (
    isText(test) &&
    test !== '' &&
    (queryName === null || isText(queryName)) &&
    (queryIndex === null || (isCount(queryIndex) && queryIndex <= LARGEST_INDEX)) &&
    [old, fresh, threshold].every((one) => one === null || (isNumber(one) && one >= 0)) &&
    isCount(repetitions) &&
    isCount(processes) &&
    (difference === null || isNumber(difference))
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TEXT
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isCount(value: unknown): value is number {
  return isNumber(value) && Number.isSafeInteger(value) && value >= 0
}

function rowOf(row: WrittenRow): HistoryRow {
  const [test, queryName, queryIndex, old, fresh, threshold = null, repetitions = 0, processes = 0, difference = null] =
    row
  const isCompared = old !== null && fresh !== null
  return {
    test: test.toWellFormed(),
    queryName: queryName?.toWellFormed() ?? null,
    queryIndex,
    old,
    new: fresh,
    difference: isCompared ? (difference ?? differenceOf(old, fresh)) : null,
    threshold: isCompared ? threshold : null,
    repetitions,
    processes,
  }
}

const line = z
  .object({
    v: z.literal(VERSION),
    run: count,
    attempt: count,
    check: text,
    shard: z.tuple([count, count.nullable()]).exactOptional(),
    commit,
    base: commit.nullable(),
    branch: text,
    url: text.exactOptional(),
    time: z.iso
      .datetime()
      .transform(Date.parse)
      .refine((time) => time >= 0 && time <= LAST_TIME * 1000),
    architecture: name.nullable(),
    stated: name.exactOptional(),
    machine: text.exactOptional(),
    metric: name,
    rows,
  })
  .transform((written): HistoryRun => {
    const { v: _, shard: [shard, shards] = [null, null], url = '', ...of } = written
    return { ...of, shard, shards, url }
  })

/** The line of a run, without its end. */
export function historyLine({ shard, shards, url, time, rows, ...of }: HistoryRun): string {
  const { run, attempt, check, commit: head, base, branch, architecture, stated, machine, metric } = of
  return JSON.stringify({
    v: VERSION,
    run,
    attempt,
    check,
    ...(shard !== null && { shard: [shard, shards] }),
    commit: head,
    base,
    branch,
    ...(url !== '' && { url }),
    time: new Date(time).toISOString(),
    architecture,
    ...(stated !== undefined && { stated }),
    ...(machine !== undefined && { machine }),
    metric,
    rows: rows.map(written),
  })
}

function written(of: HistoryRow): readonly unknown[] {
  const { test, queryName, queryIndex, old, new: fresh, threshold, repetitions, processes } = of
  const isGiven = old === null || fresh === null || of.difference === differenceOf(old, fresh)
  const row = [test, queryName, queryIndex, old, fresh, threshold, repetitions, processes]
  if (!isGiven) return [...row, of.difference]
  return row.slice(0, Math.max(5, row.findLastIndex((one) => one !== null && one !== 0) + 1))
}

function differenceOf(old: number, fresh: number): number {
  return old === fresh ? 0 : (fresh - old) / old
}

/**
 * The runs that files hold, each file by its text. Of lines of one run (`run`, `attempt`, check, shard, architecture and metric) the first
 * stands, so that a run that was appended twice counts once.
 */
export function parseHistoryLines(...texts: readonly string[]): HistoryLines {
  const runs = new Map<string, HistoryRun>()
  const problems = new Map<HistoryLineProblem, number>()
  let duplicates = 0
  for (const one of linesOf(texts)) {
    const read = readHistoryLine(one)
    if (typeof read === 'string') problems.set(read, (problems.get(read) ?? 0) + 1)
    else if (runs.has(historyRunKey(read))) duplicates += 1
    else runs.set(historyRunKey(read), read)
  }
  return { runs: [...runs.values()], duplicates, problems }
}

/** The run of one line, or why it is none. */
export function readHistoryLine(one: string): HistoryRun | HistoryLineProblem {
  let json: unknown
  try {
    json = JSON.parse(one)
  } catch {
    return 'malformed'
  }
  const read = line.safeParse(json)
  if (read.success) return read.data
  return later.safeParse(json).success ? 'newer-version' : 'unexpected'
}

const later = z.object({ v: z.int().min(VERSION + 1) })

function* linesOf(texts: readonly string[]): Generator<string> {
  for (const one of texts) {
    for (let start = 0; start < one.length; ) {
      const end = one.indexOf('\n', start)
      const next = end === -1 ? one.length : end
      if (one.slice(start, next).trim() !== '') yield one.slice(start, next)
      start = next + 1
    }
  }
}

/** The same of a run that was written down twice. */
export function historyRunKey({ run, attempt, check, shard, architecture, stated, metric }: HistoryRun): string {
  return JSON.stringify([run, attempt, check, shard, architecture, stated, metric])
}

/** The rows that the App stores of the same run: what was compared with an earlier commit of the trunk. */
export function trunkRowsOf({ base, rows, ...of }: HistoryRun): TrunkRow[] {
  if (base === null) return []
  return rows.flatMap(({ test, queryName, queryIndex, old, new: fresh, difference, threshold }) =>
    old === null || fresh === null || difference === null
      ? []
      : {
          source: 'own',
          time: of.time,
          oldCommit: base,
          newCommit: of.commit,
          test,
          queryIndex,
          queryName,
          metric: of.metric,
          architecture: of.stated ?? of.architecture ?? '',
          old,
          new: fresh,
          difference,
          threshold,
          workflowName: of.check,
          baseBranch: of.branch,
          reportUrl: of.url,
          instanceType: '',
          instanceId: '',
        },
  )
}
