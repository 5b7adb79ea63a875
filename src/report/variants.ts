import { type Labels, queryKey, type ReadWarning } from '../intake/measurement/run.ts'
import {
  type ClassifiedQuery,
  countedRows,
  countOutcomes,
  type OutcomeCounts,
} from '../judge/verdict/classified-query.ts'
import { compareWorstFirst } from '../judge/verdict/worst-first.ts'

/** Several variants of what was measured, each compared with the first. */
export interface VariantsReport {
  /** The name of the first. */
  readonly reference: string
  readonly variants: readonly ComparedVariant[]
}

/** A variant after it was compared with the reference, which is the old side of its rows. */
export interface ComparedVariant {
  readonly name: string
  readonly labels: Labels | undefined
  /** The metric that `counts` are over. */
  readonly counted: string
  readonly counts: OutcomeCounts
  readonly queries: readonly ClassifiedQuery[]
  readonly warnings: readonly ReadWarning[]
}

/** A query and metric, with its row in each comparison in the order of the variants; absent: the variant lacks it. */
export type VariantRow = readonly (ClassifiedQuery | undefined)[]

/** Whether a query has several rows in a comparison: one for each architecture. */
export function hasArchitectures({ variants }: VariantsReport): boolean {
  return variants.some(({ queries }) => new Set(queries.map(keyOf)).size < queries.length)
}

/** The rows of all variants beside each other: worst first, by the worst of the variants. */
export function variantRows(report: VariantsReport): VariantRow[] {
  const { variants } = report
  const byArchitecture = hasArchitectures(report)
  const found = new Map<string, (ClassifiedQuery | undefined)[]>()
  const all = variants.flatMap(({ queries }, index) => queries.map((query) => ({ query, index })))
  for (const { query, index } of all.toSorted((a, b) => compareWorstFirst(a.query, b.query))) {
    const key = byArchitecture ? `${query.architecture} ${keyOf(query)}` : keyOf(query)
    const row = found.get(key) ?? variants.map(() => undefined)
    row[index] ??= query
    found.set(key, row)
  }
  return [...found.values()]
}

/** Without the architecture: a machine is that of those variants that ran on the reference's, and of no others. */
function keyOf(row: ClassifiedQuery): string {
  return JSON.stringify([queryKey(row), row.metric])
}

export function anyOf(row: VariantRow): ClassifiedQuery {
  return row.find((one) => one !== undefined)!
}

/** Of all variants together; what was wrong with the files of the reference is there once. */
export function together({ variants }: VariantsReport) {
  const results = variants.flatMap(({ queries, counted }) => [...countedRows(queries, counted)])
  const warnings = variants.flatMap((variant) => variant.warnings)
  const different = new Map(warnings.map((warning) => [`${warning.where} ${warning.message}`, warning]))
  return { results, counts: countOutcomes(results), warnings: [...different.values()] }
}
