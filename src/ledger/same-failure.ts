import type { Signature } from './signature.ts'

/**
 * Is a failure of the same test, elsewhere, the same failure? Only if its signature is of the same kind and text. Where
 * the failure in question has no output there is nothing but the name to go by, and every one matches; that is said. The
 * other way round nothing shows that a failure without output is the same, and it does not match. One that printed lines
 * of a test framework alone is like another one that did.
 *
 * Same: STID 2508-38c6 and STID 2508-38c6. Not: STID 2508-38c6 and STID 2508-3e7b, or an output and none; nor
 * `severity: fail` alone and `error: connect ECONNREFUSED`.
 */
export function isSameFailure(failure: Signature, elsewhere: Signature): boolean {
  return failure.kind === 'name' || (failure.kind === elsewhere.kind && failure.text === elsewhere.text)
}
