import { describe, expect, test } from 'vitest'
import { type ChangeStep, changeSteps, DARK_PALETTE, LIGHT_PALETTE } from '../../../src/judge/profile/flame-style.ts'
import { differenceOf } from './stacks.ts'

type Rgb = readonly [number, number, number]

/** Linear light, 0 to 1. */
function linear(colour: string): Rgb {
  const channel = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b
const times = (matrix: readonly Rgb[], [r, g, b]: Rgb) =>
  matrix.map(([x, y, z]) => x * r + y * g + z * b) as unknown as Rgb

/** WCAG 2. */
function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(linear(a)), luminance(linear(b))].sort((x, y) => x - y) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** Oklab: https://bottosson.github.io/posts/oklab/ */
function oklab(rgb: Rgb): Rgb {
  const lms = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb,
  ).map((value) => Math.cbrt(Math.max(0, value))) as unknown as Rgb
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    lms,
  )
}

/** Machado, Oliveira and Fernandes (2009), full severity, on linear light. */
const SIGHTS: Readonly<Record<string, readonly Rgb[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

const STEPS: readonly ChangeStep[] = [-3, -2, -1, 0, 1, 2, 3]

describe.each([
  ['light', LIGHT_PALETTE],
  ['dark', DARK_PALETTE],
])('%s', (_, palette) => {
  test('text can be read everywhere', () => {
    for (const step of STEPS) expect(contrast(palette.label, palette.fills[step])).toBeGreaterThan(4.5)
    for (const colour of [palette.text, palette.muted]) expect(contrast(colour, palette.page)).toBeGreaterThan(4.5)
    expect(contrast(palette.mark, palette.page)).toBeGreaterThan(3)
  })

  test('each step is further from the page than the one before', () => {
    const away = (step: ChangeStep) => contrast(palette.page, palette.fills[step])
    for (const side of [
      [1, 2, 3],
      [-1, -2, -3],
    ] as const) {
      expect(away(side[1])).toBeGreaterThan(away(side[0]) * 1.15)
      expect(away(side[2])).toBeGreaterThan(away(side[1]) * 1.15)
    }
  })

  test.each(Object.keys(SIGHTS))('all steps differ, more from less clearly: %s', (sight) => {
    const seen = (step: ChangeStep) => oklab(times(SIGHTS[sight]!, linear(palette.fills[step])))
    const apart = (a: ChangeStep, b: ChangeStep) => Math.hypot(...seen(a).map((value, i) => value - seen(b)[i]!))
    for (const a of STEPS) for (const b of STEPS) if (a < b) expect(apart(a, b), `${a} and ${b}`).toBeGreaterThan(0.02)
    for (const size of [2, 3] as const) expect(apart(size, -size as ChangeStep)).toBeGreaterThan(0.1)
  })
})

describe('change step', () => {
  const step = (old: number, fresh: number, judged = false) =>
    changeSteps(differenceOf([['a', old]], [['a', fresh]]), false, judged)(1)

  test.each([
    [1000, 1049, 0],
    [1000, 1050, 1],
    [1000, 1250, 2],
    [1000, 2000, 3],
    [0, 1000, 3],
    [1050, 1000, -1],
    [1250, 1000, -2],
    [1000, 500, -3],
    [1000, 0, -3],
    [1000, 1000, 0],
    [0, 0, 0],
  ])('%d → %d is step %d', (old, fresh, expected) => {
    expect(step(old, fresh)).toBe(expected)
  })

  test('what may be chance has no colour', () => {
    expect(step(3, 8)).toBe(3)
    expect(step(3, 8, true)).toBe(0)
    expect(step(0, 12, true)).toBe(3)
    expect(step(1000, 1050, true)).toBe(0)
    expect(step(10_000, 10_500, true)).toBe(1)
  })

  test('normalised, steps are of shares', () => {
    const difference = differenceOf(
      [
        ['a', 300],
        ['b', 700],
      ],
      [
        ['a', 600],
        ['b', 1400],
      ],
    )
    expect([1, 2].map(changeSteps(difference, true, true))).toEqual([0, 0])
    expect([1, 2].map(changeSteps(difference, false, true))).toEqual([3, 3])
  })
})
