import type { ClassifiedQuery } from '../../../src/judge/verdict/classified-query.ts'

/** A compared query, slower by 20% on 7 + 7 repetitions, changed; every field can be set. */
export function classifiedQuery(overrides: Partial<ClassifiedQuery> = {}): ClassifiedQuery {
  return {
    test: 'sum',
    queryIndex: 8,
    queryName: 'SELECT sum(number) FROM numbers(1000)',
    metric: 'client_time',
    unit: 's',
    architecture: null,
    status: 'compared',
    statusReason: null,
    old: { median: 0.1, repetitions: 7 },
    new: { median: 0.12, repetitions: 7 },
    difference: 0.2,
    threshold: 0.05,
    pValue: 0.0117,
    rankPValue: 0.00058,
    qValue: 0.01,
    smallestPValue: 0.0117,
    separated: false,
    outcome: 'changed',
    direction: 'slower',
    changedThreshold: 0.05,
    changedThresholdSource: 'floor',
    unstableThreshold: 0.1,
    unstableThresholdSource: 'floor',
    notes: [],
    ...overrides,
  }
}
