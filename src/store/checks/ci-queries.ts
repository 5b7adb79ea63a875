import { z } from 'zod'
import { SIGNATURE_RULE, type Signature, signatureOf } from '../../judge/ledger/signature.ts'
import type { QueryParameters } from '../client.ts'
import { count } from '../column-values.ts'
import { reading } from '../table.ts'
import { CHECKS } from './checks.ts'
import type { CiResults } from './ci-results.ts'

/** How the statements of `queries/` reach one source of rows. */
export interface CiQueries {
  readonly source: CiResults['source']
  /** Seconds before now in which a commit is looked for, one after the other until it is found; null: at any time. */
  readonly commitSearch: readonly (number | null)[]
  /** Characters that the texts of one request may take in its address. */
  readonly parameterLength: number
  /** Runs the statement of a file. Throws `CiResultsUnavailable`. */
  read<T>(name: string, parameters: QueryParameters, row: z.ZodType<T>, options?: ReadOptions): Promise<T[]>
}

export interface ReadOptions {
  /** Read the outputs also where the signature is stored. */
  readonly withOutput?: boolean
  /** The executions of checks themselves instead of those of tests. */
  readonly ofChecks?: boolean
  /** The wanted tests are patterns: parts of their names vary. */
  readonly byPattern?: boolean
  /** A row that was written twice may come twice: only where that changes nothing. */
  readonly unmerged?: boolean
}

/** The columns of a failing row by which it is known again. */
export const signedRow = z.object({
  signatureKind: z.string(),
  signatureText: z.string(),
  /** 0: no signature is stored. */
  signatureRule: z.number(),
  output: z.string(),
})

export type SignedRow = z.infer<typeof signedRow>

/** The columns that say where a row is from. `time` in seconds. */
export const rowOrigin = reading(
  CHECKS,
  'pull_request_number',
  'commit_sha',
  'check_name',
  'base_ref',
  'base_repo',
  'head_ref',
  'head_repo',
  'report_url',
).extend({ time: count }).shape

/** Rows with what `signatureOfRow` needs: where a row was signed by another version of the rule, the outputs are read. */
export async function readSigned<T extends SignedRow>(
  queries: CiQueries,
  name: string,
  parameters: QueryParameters,
  row: z.ZodType<T>,
  options: ReadOptions = {},
): Promise<T[]> {
  const rows = await queries.read(name, parameters, row, options)
  const areSigned = queries.source === 'ci-database' || rows.every(isSigned)
  return areSigned ? rows : await queries.read(name, parameters, row, { ...options, withOutput: true })
}

export function signatureOfRow(testName: string, row: SignedRow): Signature {
  if (!isSigned(row)) return signatureOf(testName, row.output)
  return { kind: row.signatureKind as Signature['kind'], text: row.signatureText }
}

function isSigned(row: SignedRow): boolean {
  return row.signatureRule === SIGNATURE_RULE
}
