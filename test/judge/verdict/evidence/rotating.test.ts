import { describe, expect, test } from 'vitest'
import type { ClassifiedQuery } from '../../../../src/judge/verdict/classified-query.ts'
import { rotating, rotation } from '../../../../src/judge/verdict/evidence/rotating.ts'
import { faster, notCompared, row, slower } from '../rows.ts'

/** Forty queries, of which those are slower. */
function head(flagged: readonly number[], changes: Partial<ClassifiedQuery> = {}): ClassifiedQuery[] {
  return Array.from({ length: 40 }, (_, index) => {
    const id = { test: `t${index}`, queryName: `SELECT ${index}`, ...changes }
    return flagged.includes(index) ? slower(0.2, id) : row(id)
  })
}

const BEFORE = head([0, 1, 2, 3, 4])

describe('the flagged queries of two heads', () => {
  test('that are others each time rotate', () => {
    const now = head([4, 10, 11, 12, 13, 14])
    const rotated = rotation(BEFORE, now)
    expect(rotated?.evidence).toEqual({ kind: 'rotating', before: 5, now: 6, inBoth: 1 })
    expect(rotating(now[10]!, rotated)).toBe(rotated?.evidence)
    // This one stays.
    expect(rotating(now[4]!, rotated)).toBeNull()
  })

  test('that are partly the same, or few, do not', () => {
    expect(rotation(BEFORE, head([3, 4, 10, 11, 12]))).toBeNull()
    expect(rotation(BEFORE, BEFORE)).toBeNull()
    expect(rotation(head([0, 1, 2, 3]), head([10, 11, 12, 13, 14, 15]))).toBeNull()
    expect(rotation(BEFORE, head([10, 11, 12, 13]))).toBeNull()
    expect(rotation([], head([10, 11, 12, 13, 14]))).toBeNull()
  })

  test('count only where both heads compared them, on the same architecture', () => {
    const arm = head([10, 11, 12, 13, 14], { architecture: 'arm' })
    expect(rotation(BEFORE, arm)).toBeNull()
    const now = head([10, 11, 12, 13, 14])
    const gone = now.map((one, index) =>
      index < 5 ? notCompared('failed', { test: one.test, queryName: one.queryName }) : one,
    )
    expect(rotation(BEFORE, now)?.evidence.before).toBe(5)
    expect(rotation(BEFORE, gone)).toBeNull()
  })

  test('in another direction are others, and a query that is new rotates with nobody', () => {
    const now = head([]).map((one, index) =>
      index < 5 ? faster(0.2, { test: one.test, queryName: one.queryName }) : one,
    )
    const added = slower(0.2, { test: 'new', queryName: 'SELECT new' })
    const rotated = rotation(BEFORE, [...now, added])
    expect(rotated?.evidence).toEqual({ kind: 'rotating', before: 5, now: 5, inBoth: 0 })
    expect(rotating(added, rotated)).toBeNull()
    expect(rotating(now[0]!, null)).toBeNull()
  })
})
