import type { Failure, HistoryWanted } from './failure.ts'
import { comparedName } from './test-name.ts'

/**
 * Names one history: the test in every check, or the check that failed without a failing test, up to `until`. Tests whose
 * names are compared as one have one.
 */
export function historyKey(test: { testName: string; checkName: string | null }, until: number): string {
  return JSON.stringify([comparedName(test.testName), test.testName === '' ? test.checkName : null, until])
}

/**
 * The histories that have to be read to judge these failures: one for each test (each check, where no test failed) and
 * end of the lookback, with every check that it failed in. In the order of the failures.
 */
export function historiesWanted(
  failures: readonly Failure[],
  until: (failure: Failure) => number,
): readonly HistoryWanted[] {
  const wanted = new Map<string, { failure: Failure; failedIn: Set<string>; until: number }>()
  for (const failure of failures) {
    const end = until(failure)
    const key = historyKey(failure, end)
    const known = wanted.get(key)
    if (known === undefined) wanted.set(key, { failure, failedIn: new Set([failure.checkName]), until: end })
    else known.failedIn.add(failure.checkName)
  }
  return [...wanted.values()].map(({ failure, failedIn, until: end }) => ({
    testName: failure.testName,
    checkName: failure.testName === '' ? failure.checkName : null,
    failedIn: [...failedIn],
    until: end,
  }))
}
