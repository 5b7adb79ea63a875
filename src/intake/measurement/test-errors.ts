import type { Budget } from './budget.ts'
import { Draft, draftKey } from './draft.ts'
import type { TestError } from './formats/format.ts'
import { PRIMARY_METRIC } from './run.ts'
import type { Warnings } from './warnings.ts'

/** The first failures tell enough of a test that fails in a thousand ways. */
const ERRORS_PER_TEST = 10

/**
 * Gives errors that were told apart from the samples to whom they concern: the error of one query to that query, the
 * error of a test to those of its queries that lack a side. A test or query that nothing else is known of is added:
 * it was to be measured and was not. Each error is a warning as well, unless its query said the same already.
 */
export function attachTestErrors(
  errors: readonly TestError[],
  drafts: Map<string, Draft>,
  budget: Budget,
  warnings: Warnings,
): void {
  if (errors.length === 0) return
  const tests = new Map<string, TestQueries>()
  for (const draft of drafts.values()) queriesOf(tests, draft.test).add(draft)
  for (const error of errors) {
    const queries = queriesOf(tests, error.test)
    let concerned = queries.at(error.queryIndex)
    if (error.queryIndex === null && concerned.length === 0) {
      queries.errors += 1
      if (queries.errors <= ERRORS_PER_TEST) concerned = queries.incomplete()
    }
    if (concerned.length === 0 && (queries.count === 0 || error.queryIndex !== null)) {
      const draft = unmeasured(error)
      drafts.set(draftKey(draft), draft)
      queries.add(draft)
      concerned = [draft]
    }
    let isNew = concerned.length === 0
    for (const query of concerned) {
      if (query.problem('run-error', error.side, error.message, budget)) isNew = true
    }
    if (isNew) warnings.add('run-error', error.where, error.line, `${error.test}: ${error.message}`)
  }
}

/** The queries of one test, found by their index. */
class TestQueries {
  errors = 0
  count = 0
  readonly #byIndex = new Map<number | null, Draft[]>()

  add(draft: Draft): void {
    this.count += 1
    const list = this.#byIndex.get(draft.queryIndex)
    if (list === undefined) this.#byIndex.set(draft.queryIndex, [draft])
    else list.push(draft)
  }

  /** null: what was measured of the test as a whole. */
  at(queryIndex: number | null): readonly Draft[] {
    const found = this.#byIndex.get(queryIndex) ?? []
    return queryIndex === null ? found.filter(({ queryName }) => queryName === null) : found
  }

  incomplete(): readonly Draft[] {
    const all = [...this.#byIndex.values()].flat()
    return all.filter((draft) => draft.old.values.length === 0 || draft.new.values.length === 0)
  }
}

function queriesOf(tests: Map<string, TestQueries>, test: string): TestQueries {
  let queries = tests.get(test)
  if (queries === undefined) {
    queries = new TestQueries()
    tests.set(test, queries)
  }
  return queries
}

function unmeasured({ test, queryIndex }: TestError): Draft {
  return new Draft({ test, queryIndex, queryName: null, metric: PRIMARY_METRIC, architecture: null }, 's', false)
}
