import { Executions } from '../../measurement/executions.ts'
import { type LoggedExecutions, MERGE_DURATION, MERGE_MEMORY, type SizeOfParts } from '../../measurement/query-log.ts'
import { type ColumnValue, RowError } from '../table-row.ts'
import { numberOf } from './field.ts'

/** Columns of `system.parts` that grow with the number of marks; each is a metric of its name. */
const SIZES = ['primary_key_bytes_in_memory', 'primary_key_bytes_in_memory_allocated', 'marks_bytes'] as const

const MERGES = { test: 'merges', group: null }

/** A row of `system.part_log`, of `system.parts`, or of `system.query_log`. */
export function sourceOfRow(value: ColumnValue): 'part_log' | 'parts' | 'query_log' {
  if (isThere(value('event_type'))) return 'part_log'
  return SIZES.some((size) => isThere(value(size))) ? 'parts' : 'query_log'
}

/** The table of such a row, as `tables` of a query log names it. */
export function tableOfRow(value: ColumnValue): string {
  return `${String(value('database'))}.${String(value('table'))}`
}

/**
 * The costs of each side beside its queries: merges, which are executions as queries are, and what the parts of its table
 * hold, which is one number a side.
 */
export class SideCosts {
  readonly #variants: readonly string[]
  readonly #merges: Executions
  readonly #sums = new Map<string, (number | null)[]>()

  constructor(variants: readonly string[]) {
    this.#variants = variants
    this.#merges = new Executions(variants.length)
  }

  /** Rows of what else happens to parts, and of merges that failed, are passed over. */
  addMerge(value: ColumnValue, variant: number, minute: number): void {
    if (value('event_type') !== 'MergeParts' || Number(value('error') ?? 0) !== 0) return
    this.#merges.add(minute, 0, variant, [
      [MERGE_DURATION, numberOf(value('duration_ms'))],
      [MERGE_MEMORY, numberOf(value('peak_memory_usage'))],
    ])
  }

  /** Parts that a merge has replaced are passed over. Throws `RowError`. */
  addPart(value: ColumnValue, variant: number): void {
    if (isThere(value('active')) && Number(value('active')) === 0) return
    const sizes = SIZES.filter((size) => isThere(value(size))).map((size) => [size, numberOf(value(size))] as const)
    const bad = sizes.find(([, bytes]) => !(bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER))
    if (bad !== undefined) throw new RowError(`${bad[0]} is not a number from 0 to 2^53`)
    for (const [size, bytes] of sizes) {
      const sums = this.#sums.get(size) ?? this.#variants.map((): number | null => null)
      sums[variant] = (sums[variant] ?? 0) + bytes
      this.#sums.set(size, sums)
    }
  }

  merges(): LoggedExecutions | null {
    this.#merges.dropEmpty()
    if (this.#merges.rows === 0 || this.#merges.metrics.length === 0) return null
    return { executions: this.#merges, cells: [MERGES], variants: this.#variants }
  }

  parts(): readonly SizeOfParts[] {
    return [...this.#sums].map(([metric, bytes]) => ({ metric, bytes }))
  }
}

function isThere(found: unknown): boolean {
  return found !== null && found !== undefined
}
