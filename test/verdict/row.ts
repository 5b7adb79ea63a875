import type { ClassifiedQuery } from '../../src/verdict/classified-query.ts'

/** A compared query that is not significant; what differs is said. */
export function row(changes: Partial<ClassifiedQuery> = {}): ClassifiedQuery {
  return {
    test: 'sum',
    queryIndex: 0,
    queryName: 'SELECT sum(number) FROM numbers(20000000)',
    metric: 'client_time',
    unit: 's',
    architecture: null,
    status: 'compared',
    statusReason: null,
    old: { median: 0.2, repetitions: 7 },
    new: { median: 0.202, repetitions: 7 },
    difference: 0.01,
    threshold: 0.03,
    pValue: 0.4,
    rankPValue: 0.5,
    qValue: 0.6,
    smallestPValue: 0.0117,
    separated: false,
    outcome: 'not-significant',
    direction: 'slower',
    changedThreshold: 0.05,
    changedThresholdSource: 'floor',
    unstableThreshold: 0.1,
    unstableThresholdSource: 'floor',
    notes: [],
    ...changes,
  }
}

export function slower(difference: number, changes: Partial<ClassifiedQuery> = {}): ClassifiedQuery {
  return row({ outcome: 'changed', direction: 'slower', difference, ...changes })
}

export function faster(difference: number, changes: Partial<ClassifiedQuery> = {}): ClassifiedQuery {
  return row({ outcome: 'changed', direction: 'faster', difference: -difference, ...changes })
}

export function notCompared(
  status: Exclude<ClassifiedQuery['status'], 'compared'>,
  changes: Partial<ClassifiedQuery> = {},
): ClassifiedQuery {
  return row({
    status,
    statusReason: 'no-samples',
    difference: null,
    threshold: null,
    outcome: null,
    direction: null,
    ...changes,
  })
}
