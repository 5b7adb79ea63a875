import { z } from 'zod'
import { isCommitId } from '../../../text/commits.ts'
import { type MeasuredTurns, UNMEASURED_REASONS } from '../measured-turns.ts'
import type { QueryId } from '../run.ts'
import { type Contribution, NOTHING, type ReaderContext } from './format.ts'
import { parseDocument } from './json-document.ts'

/**
 * What `perf-triage measure` writes beside the outputs: `measure.json`. It says how everything was measured and holds no verdict. The turns
 * give each output its place in time; an output is what one turn of a build printed, and one repetition.
 */

/** The builds of a turn. `copy` is the base once more. */
export const BUILDS = ['base', 'head', 'copy'] as const
export type Build = (typeof BUILDS)[number]

/** Why the measurement ended. Closed. */
export const MEASURE_ENDS = [
  /** Each benchmark is as exact as was asked for. */
  'precise',
  /** Those that are not can't become so within the budget. */
  'out-of-reach',
  /** Another turn would not fit into the budget. */
  'budget',
  /** As many turns as there may be. */
  'turns',
  /** Somebody ended it. */
  'interrupted',
  /** Three turns in a row failed. */
  'failed',
  /** The two trees are the same, or differ only where nothing is built. */
  'no-difference',
  /** A side could not be built. */
  'not-built',
] as const
export type MeasureEnd = (typeof MEASURE_ENDS)[number]

const text = z.string().max(100_000)
const moment = z.iso.datetime()
const builtFrom = z.object({
  /** As the command line or the default names it. */
  given: text,
  /** The full id; null: a folder or a command, of which nobody knows it, or another text, such as the name of a branch. */
  commit: text.nullable().transform((stated) => (stated !== null && isCommitId(stated) ? stated : null)),
  build: text.nullable(),
  run: text,
})
const unmeasured = z.object({
  reason: z.enum(UNMEASURED_REASONS),
  /** For a person, in one line; what a failed build or benchmark said is in it. */
  message: text,
})
const measuredQuery = z.object({
  test: text,
  queryIndex: z.int().nonnegative().nullable(),
  queryName: text.nullable(),
  metric: text,
  architecture: text.nullable(),
  base: z.array(z.number()).max(1000),
  copy: z.array(z.number()).max(1000),
})

export const measureFile = z.object({
  schemaVersion: z.literal(1),
  document: z.literal('perf-triage measure'),
  version: text,
  base: builtFrom,
  head: builtFrom,
  /** Of the order within the turns. */
  seed: z.int().nonnegative(),
  startedAt: moment,
  endedAt: moment.nullable(),
  /** null: it has not ended, or was killed. */
  end: z.enum(MEASURE_ENDS).nullable(),
  /** null, or absent in older files: they were compared, as far as it went. */
  unmeasured: unmeasured.nullable().default(null),
  /** Both gave the same files and sources alone differ: measured in the fewest turns, without a copy. Absent in older files. */
  buildsAreEqual: z.boolean().default(false),
  settings: z.object({
    budgetSeconds: z.number(),
    turnLimitSeconds: z.number(),
    show: z.number(),
    filter: text.nullable(),
    copies: z.boolean(),
  }),
  environment: z.object({
    cpu: text,
    cpus: z.int(),
    governor: text.nullable(),
    memoryBytes: z.number(),
    os: text,
    architecture: text,
    /** What tools say of their versions. */
    toolchain: z.array(text),
    /** Variables that are known to matter, as they were set. */
    variables: z.record(text, text),
  }),
  turns: z.array(
    z.object({
      turn: z.int().positive(),
      order: z.array(z.enum(BUILDS)),
      startedAt: moment,
      endedAt: moment,
      /** Of the last minute, when the turn began. */
      load: z.number(),
      /** Benchmarks that were measured alone; null: all. */
      only: z.array(text).nullable(),
      /** From this folder, in the order of measurement. */
      outputs: z.array(z.object({ build: z.enum(BUILDS), file: text, seconds: z.number() })),
    }),
  ),
  failures: z.array(z.object({ turn: z.int().positive(), build: z.enum(BUILDS), message: text })),
  /** What the base and its copy gave in the turns that had both, a value a turn. */
  equalBuilds: z.array(measuredQuery),
})
export type MeasureFile = z.infer<typeof measureFile>

/** Throws `MemberError` where it is none. */
export function measuredTurns(document: string, { path, budget }: ReaderContext): Contribution {
  const file = parseDocument(document, measureFile, 'measure.json of perf-triage', { exact: false })
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const turns: MeasuredTurns = {
    outputs: file.turns.flatMap(({ outputs }) =>
      outputs.filter(({ build }) => build !== 'copy').map((output) => budget.keep(`${folder}${output.file}`)),
    ),
    equalBuilds: file.equalBuilds.map((one) => ({ ...one, ...kept(one, budget) })),
    unmeasured: file.unmeasured && { ...file.unmeasured, message: budget.keep(file.unmeasured.message) },
  }
  return { ...NOTHING, oldCommit: file.base.commit, newCommit: file.head.commit, turns }
}

function kept({ test, queryName }: QueryId, budget: ReaderContext['budget']): Pick<QueryId, 'test' | 'queryName'> {
  return { test: budget.keep(test), queryName: queryName === null ? null : budget.keep(queryName) }
}
