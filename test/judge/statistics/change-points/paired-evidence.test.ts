import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pairedEvidence } from '../../../../src/judge/statistics/change-points/paired-evidence.ts'
import type { EvidenceRow } from '../../../../src/judge/statistics/change-points/paired-history.ts'
import { normalTwoSided } from '../../../../src/judge/statistics/normal-tail.ts'
import { computed } from '../../../computing-time.ts'
import { generator, noise } from './noise.ts'

const regular = (k: number, a: number, b: number, m: number) => ((k * a + b) % m) / m - 0.5

/** Runs that each compare with the one before, in a regular noise. */
function series(count: number, level: (k: number) => number, amplitude: number, threshold: number | null) {
  return Array.from({ length: count }, (_, k): EvidenceRow => {
    const old = level(Math.max(0, k - 1)) * (1 + amplitude * regular(k, 37, 11, 23))
    return { old, new: level(k) * (1 + amplitude * regular(k, 53, 5, 29)), threshold, isClose: true }
  })
}

/** Normal noise on both sides; `level` is that of the new side. */
function noisy(seed: number, count: number, deviation: number, level: (k: number) => number): EvidenceRow[] {
  const random = generator(seed)
  const [old, fresh] = [noise(random, count, 1, deviation), noise(random, count, 1, deviation)]
  return fresh.map((value, k) => ({
    old: level(k - 1) * old[k]!,
    new: level(k) * value,
    threshold: 2 * deviation * (0.5 + random()),
    isClose: true,
  }))
}

const positions = (rows: readonly EvidenceRow[]) => pairedEvidence(rows).map(({ index }) => index)
const changedAt = (at: number, step: number) => (k: number) => (k < at ? 1 : 1 + step)

describe('the reference series', () => {
  const stairs = (k: number) => (k < 14 ? 1 : k < 30 ? 1.2 : 1.3)

  test.each([
    ['15%', series(24, changedAt(12, 0.15), 0.04, 0.05), [[12, 0.000093961, 0.001, 0.0166302, 0.148214]]],
    ['12%, no T', series(24, changedAt(12, 0.12), 0.04, null), [[12, 0.000320688, 0.001, 0.0279195, 0.118261]]],
    ['no step', series(24, () => 1, 0.04, 0.05), []],
    ['a spike', series(30, (k) => (k === 15 ? 1.5 : 1), 0.04, 0.05), []],
    [
      'two steps',
      series(40, stairs, 0.04, 0.05),
      [
        [14, 0.000030466, 0.001, 0.0045747, 0.199649],
        [30, 0.000337142, 0.001, 0.0734302, 0.0872633],
      ],
    ],
    ['80 rows', series(80, changedAt(41, 0.2), 0.06, 0.08), [[41, 0.000099612, 0.001, 0.0177891, 0.201951]]],
  ])('%s', (_, rows, expected) => {
    const found = pairedEvidence(rows)
    expect(found.map(({ index }) => index)).toEqual(expected.map(([index]) => index))
    for (const [i, { pValue, pLevel, pPair, step, before, after }] of found.entries()) {
      const [, p, level, pair, size] = expected[i]!
      expect(pValue).toBeCloseTo(p!, 9)
      expect(pLevel).toBeCloseTo(level!, 7)
      expect(pPair).toBeCloseTo(pair!, 7)
      expect(step).toBeCloseTo(size!, 6)
      expect(after / before - 1).toBeCloseTo(step, 12)
    }
  })

  test('T of 0 is no T', () => {
    const without = pairedEvidence(series(24, changedAt(12, 0.12), 0.04, null))
    expect(pairedEvidence(series(24, changedAt(12, 0.12), 0.04, 0))).toEqual(without)
  })
})

describe('as it is written down', () => {
  const row = fc.record({ a: fc.nat(), isClose: fc.integer({ min: 0, max: 9 }), gap: fc.integer({ min: 0, max: 19 }) })

  test('over random histories with rows that are not close, gaps and ties', () => {
    let found = 0
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 8, maxLength: 48 }),
        fc.integer({ min: 3, max: 40 }),
        fc.double({ min: 0.05, max: 0.6, noNaN: true }),
        fc.constantFrom(0.01, 0.03, 0.06),
        fc.constantFrom(null, 0.05),
        fc.constantFrom(0, 0.02),
        (all, at, size, deviation, threshold, tick) => {
          const level = changedAt(Math.min(at, all.length - 3), size)
          const inTicks = (value: number) => (tick === 0 ? value : Math.max(tick, Math.round(value / tick) * tick))
          const rows = all.map(({ a, isClose, gap }, k): EvidenceRow => {
            const [old, fresh] = noise(generator(a), 2, 1, deviation)
            const value = gap === 0 ? Number.NaN : inTicks(level(k) * fresh!)
            return { old: inTicks(level(k - 1) * old!), new: value, threshold, isClose: isClose > 0 }
          })
          const expected = byDefinition(rows)
          const steps = pairedEvidence(rows)
          expect(steps.map(({ index }) => index)).toEqual(expected.map(({ index }) => index))
          for (const [i, { pValue, step, earliest, latest }] of steps.entries()) {
            expect(pValue / expected[i]!.pValue).toBeCloseTo(1, 6)
            expect(step).toBeCloseTo(expected[i]!.step, 9)
            expect([earliest, latest]).toEqual(expected[i]!.places)
          }
          found += steps.length
        },
      ),
      { numRuns: 250, seed: 4 },
    )
    expect(found).toBeGreaterThan(60)
  })

  test('over long histories with several steps, with neighbours that are alike and that are not', () => {
    let [found, weakened] = [0, 0]
    for (let seed = 1; seed <= 12; seed += 1) {
      const random = generator(seed)
      let regime = 0
      const regimes = Array.from({ length: 90 }, () => {
        if (random() < 0.1) regime = seed % 2 === 0 ? 0.06 * (random() - 0.5) : 0
        return 1 + regime
      })
      const rows = noisy(seed, 90, 0.02, (k) => (k < 25 ? 1 : k < 50 ? 1.15 : k < 57 ? 1.3 : 1.15)).map((one, k) => ({
        ...one,
        old: one.old * regimes[k]!,
        new: one.new * regimes[k]!,
      }))
      const expected = byDefinition(rows)
      expect(positions(rows)).toEqual(expected.map(({ index }) => index))
      found += expected.length
      if (expected.some(({ isWeakened }) => isWeakened)) weakened += 1
    }
    expect(found).toBeGreaterThan(20)
    expect(weakened).toBeGreaterThan(0)
  })
})

/** Section 6 of the definitions, word for word, without any of what makes it quick. */
function byDefinition(all: readonly EvidenceRow[]) {
  const kept = all.flatMap((one, position) => (one.new > 0 ? [{ ...one, position }] : []))
  const rows = kept.map((one, i) => ({
    ...one,
    isClose: one.isClose && (i === 0 || kept[i - 1]!.position === one.position - 1),
  }))
  const d = rows.map((one) => (one.isClose ? Math.log(one.new) - Math.log(one.old) : Number.NaN))
  const l = rows.map((one) => (one.isClose ? (Math.log(one.new) + Math.log(one.old)) / 2 : Math.log(one.new)))
  const m = Math.max(0.003, middle(d.filter((value) => !Number.isNaN(value)).map(Math.abs)) || 0)

  const judge = (s: number, low: number, high: number, weakening: number) => {
    if (!rows[s]!.isClose) return null
    let best: { p: number; a: number; b: number; from: number; to: number } | null = null
    for (const w of [4, 8, 16, 32]) {
      for (const v of [4, 8, 16, 32]) {
        const [from, to] = [Math.max(low, s - w), Math.min(high, s + 1 + v)]
        if (from >= s || to <= s + 1) continue
        const [a, b] = [middle(l.slice(from, s)), middle(l.slice(s + 1, to))]
        const step = b - a
        const near = middle(l.slice(s + 1, Math.min(high, s + 7))) - middle(l.slice(Math.max(low, s - 6), s))
        const sign = Math.sign(step)
        if (Math.abs(step) < Math.log(1.05)) continue
        if (d[s]! * sign < Math.abs(step) / 2 || near * sign < Math.abs(step) / 2) continue
        const r = Math.min(Math.abs(d[s]!), 1.5 * Math.abs(step)) / m
        const p = [
          1 - r / Math.sqrt(r * r + 3),
          Math.max(0.001, rankP(l.slice(from, s), l.slice(s + 1, to), weakening)),
        ]
        const { old, new: fresh, threshold } = rows[s]!
        // erfc(x) is the two-sided tail of a normal value at sqrt(2) x.
        const chance = 1.8214 * (Math.abs((fresh - old) / old) / (threshold ?? 1))
        if (threshold !== null && threshold > 0) p.push(Math.max(0.05, normalTwoSided(Math.SQRT2 * chance)))
        const Q = p.reduce((product, one) => product * one, 1)
        const L = -Math.log(Q)
        const together = p.length === 3 ? Q * (1 + L + L ** 2 / 2) : Q * (1 + L)
        if (together > 0.001 || (best !== null && together >= best.p)) continue
        const G = misfits(s, from, to, a, b)
        if (G.every((other) => other >= G[s - from]!)) best = { p: together, a, b, from, to }
      }
    }
    return best
  }
  const misfits = (s: number, from: number, to: number, a: number, b: number) => {
    const indexes = Array.from({ length: to - from }, (_, i) => from + i)
    const residuals = indexes.filter((j) => j !== s).map((j) => Math.abs(l[j]! - (j < s ? a : b)))
    const scale = Math.max(0.003, middle(residuals))
    const rho = (v: number, of: number) => 1.5 * Math.log(1 + (v / of) ** 2 / 3)
    return indexes.map((k) => {
      const levels = indexes.map((j) => rho(l[j]! - (j < k ? a : j > k ? b : (a + b) / 2), scale))
      const pair = rows[k]!.isClose ? rho(d[k]! - (b - a), m) - rho(d[k]!, m) : 0
      return levels.reduce((sum, one) => sum + one, 0) + pair
    })
  }
  const greedy = (weakening: number) => {
    const accepted: number[] = []
    const between = (s: number) => ({
      low: Math.max(-1, ...accepted.filter((other) => other < s)) + 1,
      high: Math.min(rows.length, ...accepted.filter((other) => other > s)),
    })
    const judged = (s: number) => judge(s, between(s).low, between(s).high, weakening)
    for (;;) {
      const places = rows.flatMap((_, s) => {
        const place = accepted.includes(s) ? null : judged(s)
        return place === null ? [] : [{ s, p: place.p }]
      })
      const [first] = places.toSorted((x, y) => x.p - y.p || x.s - y.s)
      if (first === undefined) break
      accepted.push(first.s)
    }
    return accepted
      .toSorted((x, y) => x - y)
      .flatMap((s) => {
        const place = judged(s)
        return place === null ? [] : [{ s, ...place }]
      })
  }

  let steps = greedy(1)
  let isWeakened = false
  if (rows.length >= 60) {
    const ends = [-1, ...steps.map(({ s }) => s), rows.length]
    const residuals = l.map((value, j) => {
      if (ends.includes(j)) return 0
      const end = ends.findIndex((one) => one > j)
      return value - middle(l.slice(ends[end - 1]! + 1, ends[end]))
    })
    const most = 3 * 1.4826 * middle(residuals.map(Math.abs))
    const clipped = residuals.map((value) => Math.min(most, Math.max(-most, value)))
    const squares = clipped.reduce((sum, value) => sum + value ** 2, 0)
    const phi = clipped.reduce((sum, value, j) => sum + value * (clipped[j - 1] ?? 0), 0) / squares
    isWeakened = phi > 2 / Math.sqrt(rows.length)
    if (isWeakened) steps = greedy(Math.sqrt((1 - phi) / (1 + phi)))
  }
  return steps.map(({ s, p, a, b, from, to }) => {
    const G = misfits(s, from, to, a, b)
    const weights = G.map((value) => Math.exp(G[s - from]! - value))
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const order = weights.map((_, i) => i).toSorted((x, y) => weights[y]! - weights[x]! || x - y)
    const held = order.map((_, i) => order.slice(0, i).reduce((sum, one) => sum + weights[one]!, 0))
    const places = [s, ...order.filter((_, i) => held[i]! < 0.99 * total).map((i) => from + i)]
    const [earliest, latest] = [Math.min(...places), Math.max(...places)]
    return {
      index: rows[s]!.position,
      pValue: p,
      step: Math.expm1(b - a),
      // Rows without a value before the earliest place may be it.
      places: [earliest === 0 ? rows[0]!.position : rows[earliest - 1]!.position + 1, rows[latest]!.position],
      isWeakened,
    }
  })
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >>> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}

/** By all relabelings where they are few enough for the definition to count them. */
function rankP(left: readonly number[], right: readonly number[], weakening: number): number {
  const [n, m] = [left.length, right.length]
  const wins = (a: number, b: number) => (a > b ? 1 : a === b ? 0.5 : 0)
  const u = left.reduce((sum, a) => sum + right.reduce((of, b) => of + wins(a, b), 0), 0)
  const distance = Math.abs(u - (n * m) / 2)
  const all = [...left, ...right].toSorted((a, b) => a - b)
  const isExact = (n <= 12 && m <= 12) || Math.min(n, m) <= 4
  const p = isExact ? enumerated(all, n, distance) : approximated(all, n, m, distance)
  return weakening === 1 ? p : normalTwoSided(weakening * zOf(p))
}

/** Ranks are added one after the other: how many choices of so many samples have which sum of ranks (doubled for ties). */
function enumerated(all: readonly number[], n: number, distance: number): number {
  const ranks = all.map((value) => all.indexOf(value) + all.lastIndexOf(value) + 2)
  let choices = new Map([[0, new Map([[0, 1]])]])
  for (const rank of ranks) {
    const next = new Map([...choices].map(([count, sums]) => [count, new Map(sums)]))
    for (const [count, sums] of choices) {
      if (count === n) continue
      const target = next.get(count + 1) ?? new Map<number, number>()
      next.set(count + 1, target)
      for (const [sum, ways] of sums) target.set(sum + rank, (target.get(sum + rank) ?? 0) + ways)
    }
    choices = next
  }
  const m = all.length - n
  let [total, beyond] = [0, 0]
  for (const [sum, ways] of choices.get(n)!) {
    total += ways
    if (Math.abs((sum - n * (n + 1)) / 2 - (n * m) / 2) >= distance) beyond += ways
  }
  return beyond / total
}

function approximated(all: readonly number[], n: number, m: number, distance: number): number {
  const ties = [...new Set(all)].map((value) => all.filter((other) => other === value).length)
  const tied = ties.reduce((sum, count) => sum + count ** 3 - count, 0)
  const variance = ((n * m) / 12) * (n + m + 1 - tied / ((n + m) * (n + m - 1)))
  return variance <= 0 ? 1 : Math.min(1, normalTwoSided(Math.max(0, distance - 0.5) / Math.sqrt(variance)))
}

function zOf(p: number): number {
  let [low, high] = [0, 40]
  for (let i = 0; i < 60; i += 1) {
    const between = (low + high) / 2
    if (normalTwoSided(between) > p) low = between
    else high = between
  }
  return low
}

describe('what does not matter', () => {
  const rows = noisy(3, 50, 0.03, (k) => (k < 20 ? 1 : k < 36 ? 1.15 : 1.05))
  const found = pairedEvidence(rows)

  test('the unit', () => {
    expect(found).toHaveLength(2)
    for (const factor of [1e-9, 1e9, 3.7]) {
      const scaled = rows.map((one) => ({ ...one, old: factor * one.old, new: factor * one.new }))
      const again = pairedEvidence(scaled)
      expect(again.map(({ index, earliest, latest }) => [index, earliest, latest])).toEqual(
        found.map(({ index, earliest, latest }) => [index, earliest, latest]),
      )
      for (const [i, { before, pValue }] of again.entries()) {
        expect(before / factor).toBeCloseTo(found[i]!.before, 9)
        expect(pValue).toBeCloseTo(found[i]!.pValue, 9)
      }
    }
  })

  test('whether more is slower: a rate steps the other way at the same place', () => {
    const rates = rows.map((one) => ({ ...one, old: 1 / one.old, new: 1 / one.new, threshold: null }))
    const times = rows.map((one) => ({ ...one, threshold: null }))
    const mirrored = pairedEvidence(rates)
    expect(mirrored.map(({ index }) => index)).toEqual(pairedEvidence(times).map(({ index }) => index))
    for (const [i, { step }] of pairedEvidence(times).entries()) {
      expect(Math.log1p(mirrored[i]!.step)).toBeCloseTo(-Math.log1p(step), 9)
    }
  })

  test('rows that were not measured, away from the step', () => {
    const broken = { old: 1, new: Number.NaN, threshold: null, isClose: true }
    const more = [broken, ...rows.slice(0, 8), broken, broken, ...rows.slice(8)]
    expect(positions(more)).toEqual(found.map(({ index }) => index + 3))
  })
})

describe('no step', () => {
  test('among runs in which nothing changed', () => {
    let steps = 0
    for (let seed = 1; seed <= 300; seed += 1) steps += positions(noisy(seed, 100, 0.05, () => 1)).length
    // Of 30,000 rows.
    expect(steps).toBeLessThanOrEqual(15)
  })

  test('where the machine changed: the pairs do not show it', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const moved = noisy(seed, 60, 0.02, () => 1).map((one, k) => {
        const machine = k < 30 ? 1 : 1.25
        return { ...one, old: one.old * machine, new: one.new * machine }
      })
      expect(positions(moved)).toEqual([])
    }
  })

  test('where the old build is another than that of the row before', () => {
    const rows = noisy(1, 40, 0.02, changedAt(20, 0.15))
    expect(positions(rows)).toEqual([20])
    expect(positions(rows.map((one, k) => (k === 20 ? { ...one, isClose: false } : one)))).toEqual([])
    expect(positions(rows.map((one) => ({ ...one, isClose: false })))).toEqual([])
    // The build of the row without a value is between.
    expect(positions(rows.map((one, k) => (k === 19 ? { ...one, new: Number.NaN } : one)))).toEqual([])
  })

  test('where there is next to nothing', () => {
    for (const count of [0, 1, 2, 3]) expect(positions(noisy(1, count, 0.01, changedAt(1, 0.1)))).toEqual([])
    const same = Array.from({ length: 50 }, () => ({ old: 1, new: 1, threshold: 0, isClose: true }))
    expect(positions(same)).toEqual([])
  })

  test.each([1.3, 2, 10])('in a spike of %d times, of one row or two', (size) => {
    for (const last of [30, 31]) {
      for (let seed = 1; seed <= 20; seed += 1) {
        const spiked = noisy(seed, 60, 0.02, (k) => (k >= 30 && k <= last ? size : 1))
        expect(positions(spiked)).toEqual([])
      }
    }
  })
})

test('of 10 to 20%, where the levels before and after are clear: found at its place', () => {
  let exact = 0
  for (let seed = 1; seed <= 100; seed += 1) {
    const [index, ...more] = positions(noisy(seed, 40, 0.025, changedAt(20, 0.1 + (seed % 10) / 100)))
    expect(more).toEqual([])
    if (index === 20) exact += 1
  }
  expect(exact).toBeGreaterThan(80)
})

test('machines with regimes: neighbours that are alike make few false steps', () => {
  let [steps, rows] = [0, 0]
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = generator(seed * 31)
    let regime = 1
    const calm = noisy(seed, 150, 0.02, () => 1).map((one) => {
      // Another host now and then, for both sides of the run.
      if (random() < 0.06) regime = 1 + 0.15 * (random() - 0.5)
      return { ...one, old: one.old * regime, new: one.new * regime }
    })
    steps += positions(calm).length
    rows += calm.length
  }
  expect((steps / rows) * 1000).toBeLessThan(1)
})

test('5,000 rows, each of which may be a step', () => {
  const rows = noisy(5, 5000, 0.02, (k) => (Math.floor(k / 9) % 2 === 0 ? 1 : 1.3))
  const start = computed()
  expect(pairedEvidence(rows).length).toBeGreaterThan(100)
  expect(computed() - start).toBeLessThan(3000)
})
