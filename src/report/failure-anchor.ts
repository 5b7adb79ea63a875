import type { Failure } from '../ledger/failure.ts'
import { fnv1a } from './fnv1a.ts'

/** The fragment of the part of the report page that lists the failing tests. */
export const FAILING_TESTS_ANCHOR = 'failing-tests'

/**
 * The fragment under which a failure stands on the report page: the same for the same test, check and signature. Letters,
 * digits, `-` and `_` only; it begins with `f-`, those of queries with `q-`.
 */
export function failureAnchor({ testName, checkName, signature }: Failure): string {
  const name = (testName === '' ? checkName : testName).slice(0, 40).replace(/[^A-Za-z0-9_]+/g, '-')
  return `f-${name}-${fnv1a(JSON.stringify([testName, checkName, signature.kind, signature.text]))}`
}
