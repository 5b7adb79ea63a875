import { z } from 'zod'

/** Parts of a run that are stored as JSON, too; their types are in `run.ts`. Apart from it, since `classify` does without Zod. */

export const queryIdSchema = z.object({
  test: z.string(),
  /** 0-based position in the test, null where the source has none. */
  queryIndex: z.number().nullable(),
  /** The query's text as shown; a source's own index suffix is stripped. */
  queryName: z.string().nullable(),
  /** How many queries of the same test and text come before this one; absent for the first, and mostly. */
  ordinal: z.number().exactOptional(),
})

/** The reasons why a query could not be measured as intended. */
const MEASUREMENT_PROBLEM_REASONS = [
  /** The test was skipped as a whole. */
  'skipped',
  /** The query failed while it was measured. */
  'run-error',
  /** The source says that the query works on one server only. */
  'partial',
] as const

export const measurementProblemSchema = z.object({
  reason: z.enum(MEASUREMENT_PROBLEM_REASONS),
  /** The side it happened on; null where it concerns both or the source does not say. */
  side: z.enum(['old', 'new']).nullable(),
  /** The message of the source, as it is: text from outside. */
  message: z.string(),
})

/** A problem that a reader met and passed over. Closed: a script may switch on it. */
const READ_WARNING_CODES = [
  'truncated-line',
  'malformed-line',
  'invalid-value',
  'duplicate-sample',
  'run-error',
  'unreadable-member',
  'refused-member',
  'limit-reached',
  'light-stacks',
  'side-assumed',
  'same-name',
] as const

export const readWarningSchema = z.object({
  code: z.enum(READ_WARNING_CODES),
  /** File and, where it applies, line: `sum-raw.tsv:1201`. */
  where: z.string(),
  message: z.string(),
})

const CONFIRMATION_RESULTS = ['confirmed', 'not-reproduced'] as const

export const confirmationSchema = z.object({
  test: z.string(),
  queryIndex: z.number(),
  result: z.enum(CONFIRMATION_RESULTS),
  /** Difference and threshold of the rerun, fractions of its old median; null where only the result is known. */
  difference: z.number().nullable(),
  threshold: z.number().nullable(),
})
