import { expect, test } from 'vitest'
import { queryKey } from '../../src/measurement/run.ts'
import { MOST_MOVERS, moversWanted, trunkMovers } from '../../src/triage/trunk-movers.ts'
import type { LearnedLookup } from '../../src/verdict/thresholds.ts'
import { arm, judged, measured, times } from './judge-setting.ts'

const keyOf = (name: string) => queryKey({ test: name, queryIndex: 0, queryName: `SELECT ${name}` })
const learning =
  (known: Readonly<Record<string, number>>): LearnedLookup =>
  (key, architecture) => {
    const [, changed] = Object.entries(known).find(([name]) => keyOf(name) === key) ?? []
    return changed === undefined || architecture !== 'arm' ? null : { changed, unstable: 0.1 }
  }

test('asked of what has learned a threshold well above the floor, the largest first, whether flagged or not', () => {
  const report = judged([arm(measured('sum', times(1)), measured('uniq', times(1.3)), measured('calm', times(1)))])
  const wanted = moversWanted(report, learning({ sum: 0.12, uniq: 0.3, calm: 0.06 }), 0.05)
  expect(wanted.map(({ test: name, architecture, atLeast }) => [name, architecture, atLeast])).toEqual([
    ['uniq', 'arm', 0.05],
    ['sum', 'arm', 0.05],
  ])
  expect(moversWanted(report, learning({ sum: 0.12 }), 0.1)).toEqual([])
})

test('no more than the largest two hundred', () => {
  const names = Array.from({ length: MOST_MOVERS + 5 }, (_, i) => `t${i}`)
  const report = judged([arm(...names.map((name) => measured(name, times(1))))])
  const known = learning(Object.fromEntries(names.map((name, i) => [name, 0.1 + i / 1000])))
  const wanted = moversWanted(report, known, 0.05)
  expect(wanted).toHaveLength(MOST_MOVERS)
  expect(wanted.at(-1)!.test).toBe('t5')
})

test('a mover by the rule of the evidence', () => {
  const query = { test: 'sum', queryIndex: 0, queryName: 'SELECT sum', architecture: 'arm', atLeast: 0.05 }
  const moves = (runs: number, moved: number) => ({ runs, times: moved, lowest: -0.1, highest: 0.1, lastTime: 1 })
  const all = [moves(300, 30), moves(400, 3), moves(30, 2), null]
  expect(trunkMovers([query, query, query, query], all)).toEqual([{ ...query, moves: all[0], flaggedElsewhere: [] }])
})
