import { z } from 'zod'
import type { Draft } from './draft.ts'
import type { EqualBuilds, QueryId } from './run.ts'

/**
 * What `perf-triage measure` writes beside the outputs: `measure.json`. It says how everything was measured and holds no verdict. The turns
 * give each output its place in time; an output is what one turn of a build printed, and one repetition.
 */

/** The builds of a turn. `copy` is a second copy of the base. */
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
] as const
export type MeasureEnd = (typeof MEASURE_ENDS)[number]

const text = z.string().max(100_000)
const moment = z.iso.datetime()
const builtFrom = z.object({
  /** As the command line or the default names it. */
  given: text,
  /** The full id; null: a folder or a command, of which nobody knows it. */
  commit: text.nullable(),
  build: text.nullable(),
  run: text,
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

/** What the reader of a `measure.json` gives to the run that its folder is. */
export interface MeasuredTurns {
  /** Members by their names, in the order of measurement. */
  readonly outputs: readonly string[]
  readonly equalBuilds: readonly (QueryId & EqualBuilds & { readonly metric: string })[]
}

interface Member {
  readonly name: string
  readonly contribution: { readonly drafts: readonly Draft[]; readonly turns?: MeasuredTurns }
}

/**
 * The members in the order in which they were measured, each as what one process gave, all of one clock. Members that no `measure.json` names
 * stay before the others, as they were.
 */
export function inMeasuredOrder<One extends Member>(members: readonly One[]): readonly One[] {
  const outputs = members.flatMap(({ contribution: { turns } }) => turns?.outputs ?? [])
  if (outputs.length === 0) return members
  const placeOf = new Map(outputs.map((name, place) => [name, place]))
  for (const { name, contribution } of members) {
    if (placeOf.has(name)) for (const draft of contribution.drafts) draft.ofOneTurn()
  }
  return members.toSorted((a, b) => (placeOf.get(a.name) ?? -1) - (placeOf.get(b.name) ?? -1))
}

/** Gives each query what the base and its copy measured of it. */
export function attachEqualBuilds(members: readonly Member[], drafts: Iterable<Draft>): void {
  const found = members.flatMap(({ contribution: { turns } }) => turns?.equalBuilds ?? [])
  if (found.length === 0) return
  const keyOf = ({ test, queryIndex, queryName, metric }: QueryId & { readonly metric: string }) =>
    JSON.stringify([test, queryIndex, queryName, metric])
  const byKey = new Map(found.map((one) => [keyOf(one), one]))
  for (const draft of drafts) {
    const { base, copy } = byKey.get(keyOf(draft)) ?? {}
    if (base !== undefined && copy !== undefined) draft.equalBuilds = { base, copy }
  }
}
