import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fitLines, layOut, type Section } from '../../../src/report/render/layout.ts'
import { NO_LINKS, viewOf } from '../../../src/report/render/view.ts'
import { report } from './report-builder.ts'

const view = viewOf(report([]), NO_LINKS)

/** A section that takes all it gets, up to `wish`. */
function greedy(name: string, priority: number, wish: number, reserve = 0): Section {
  return { name, priority, reserve, render: (_, room) => name.repeat(Math.min(wish, room)) }
}

describe('layOut', () => {
  test('in the order of the list, whatever the priorities', () => {
    expect(layOut([greedy('a', 9, 3), greedy('b', 0, 2), greedy('c', 5, 1)], view, 100)).toBe('aaa\n\nbb\n\nc')
  })

  test('what matters more takes first, a reserve is kept free for what comes later', () => {
    const text = layOut([greedy('a', 1, 1000), greedy('b', 2, 1000, 20)], view, 100)
    expect(text.length).toBeLessThanOrEqual(100)
    expect(text.match(/b/g)!.length).toBeGreaterThanOrEqual(18)
    expect(text.match(/a/g)!.length).toBeGreaterThan(60)
  })

  test('a section with nothing to say leaves no gap, one that does not keep to its room is left out', () => {
    const tooLong: Section = { name: 'x', priority: 1, reserve: 0, render: (_, room) => 'x'.repeat(room + 1) }
    expect(layOut([greedy('a', 0, 1), greedy('b', 1, 0), tooLong, greedy('c', 2, 1)], view, 50)).toBe('a\n\nc')
  })

  test('never above the limit', () => {
    const section = fc.record({ priority: fc.nat(9), wish: fc.nat(200), reserve: fc.nat(30) })
    fc.assert(
      fc.property(fc.array(section, { maxLength: 8 }), fc.nat(400), (all, limit) => {
        const sections = all.map(({ priority, wish, reserve }) => greedy('s', priority, wish, reserve))
        expect(layOut(sections, view, limit).length).toBeLessThanOrEqual(limit)
      }),
    )
  })
})

describe('fitLines', () => {
  test('whole lines, and how many are left', () => {
    const rest = (left: number) => `+${left}`
    expect(fitLines(['aa', 'bb', 'cc'], 8, rest)).toBe('aa\nbb\ncc')
    expect(fitLines(['aa', 'bb', 'cc'], 7, rest)).toBe('aa\n+2')
    expect(fitLines(['aa', 'bb', 'cc'], 4, rest)).toBe('+3')
    expect(fitLines([], 4, rest)).toBe('')
  })
})
