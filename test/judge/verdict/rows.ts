import type { ClassifiedQuery } from '../../../src/judge/verdict/classified-query.ts'
import { classifiedQuery } from './classified-query-builder.ts'

/** A compared query that is not significant; what differs is said. */
export function row(changes: Partial<ClassifiedQuery> = {}): ClassifiedQuery {
  return classifiedQuery({ difference: 0.01, threshold: 0.03, pValue: 0.4, outcome: 'not-significant', ...changes })
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
