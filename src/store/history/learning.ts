/** How thresholds are learned from the trunk's history. As ClickHouse's performance check does it. */

/** One month of runs. */
export const LEARNING_DAYS = 30

/**
 * It ends this long ago: a regression that was just merged must not raise the threshold under which it would be reported.
 *
 * Learned from: a run of eight days ago. Not: one of yesterday.
 */
export const LEARNING_GAP_DAYS = 7

/**
 * More runs than this, or the 0.99 quantile is the largest difference there was.
 *
 * Learned: from 101 runs. Not: from 100.
 */
export const LEAST_RUNS = 100

/** How far beyond what happens in one run of a hundred a change must be. A query that moves by 4 % has learned 6 %. */
export const LEARNED_FACTOR = 1.5
