import { compileNamePattern, matchName } from '../../text/name-pattern.ts'

/** An owner looks after the tests whose names fit a pattern. */
export interface TestOwner {
  /** A pattern of `text/name-pattern.ts`; the whole name has to fit. */
  readonly tests: string
  readonly owner: string
}

/**
 * The owner by the first pattern that fits, so that an exception stands above the rule; null where none does. Throws
 * `NamePatternError` for a broken pattern, which the configuration lets nobody write.
 */
export function ownerOf(testName: string, owners: readonly TestOwner[]): string | null {
  return owners.find(({ tests }) => matchName(compileNamePattern(tests), testName) !== null)?.owner ?? null
}
