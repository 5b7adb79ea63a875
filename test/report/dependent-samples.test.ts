import { expect, test } from 'vitest'
import { measuredHistory } from '../../bench/calibration/recorded-runs.ts'
import { joinedOf } from '../../bench/samples/attempts.ts'
import { forks, goOn } from '../../bench/samples/made.ts'
import { foundOf, plantedOn, runsInTurns } from '../../bench/samples/power.ts'
import { compared } from '../../bench/samples/said.ts'

// The rates of docs/calibration.md#processes, by fewer seeds than there.

const SEEDS = [1, 2, 3, 4]

test.each([
  [3, 20, 0.05],
  [5, 5, 0.015],
  [5, 20, 0.03],
])(
  'where nothing changed, at most one row in a hundred accuses by %d forks of %d iterations',
  (count, iterations, least) => {
    const { before, now } = compared(
      'forks',
      SEEDS.map((seed) => forks(count, iterations, 100, seed)),
    )
    expect(now.rows).toBe(400)
    expect(now.regression / now.rows).toBeLessThanOrEqual(0.01)
    expect(before.regression / before.rows).toBeGreaterThan(least)
  },
)

test('no run on a host with spells accuses, and those that ask for another are no more than twice as many rows', () => {
  const runs = [15, 40, 80].flatMap((length) =>
    SEEDS.map((seed) => goOn({ share: 0.05, factor: 1.25, length }, 'in one piece', seed)),
  )
  const { before, now } = compared('spells', runs)
  expect(before.accusing).toBeGreaterThan(6)
  expect(now.accusing).toBe(0)
  expect(now.needsRerun).toBeLessThanOrEqual(2 * (before.needsRerun + before.regression))
  expect(now.improvement).toBe(0)
})

test.each([0.01, 0.03])(
  'a slow-down by a tenth on a quiet host is open, and hardly ever doubted as a spell, with noise of %d',
  (noise) => {
    const { planted, open, doubted } = plantedOn(noise, 4)
    expect(planted).toBe(40)
    expect(open / planted).toBeGreaterThanOrEqual(0.9)
    expect(doubted / planted).toBeLessThanOrEqual(0.1)
  },
)

test('a slow-down of 20% is open wherever a rank test at 1% sees it, and nothing is unstable by its own change', () => {
  const found = foundOf('in turns', runsInTurns(7, 0.05, 4), 1.2)
  expect(found.queries).toBe(256)
  expect(found.open).toBeGreaterThanOrEqual(found.rankAt1)
  expect(found.unstable).toBeLessThanOrEqual(found.unstableBefore)
})

test('two attempts leave fewer rows unstable than either, and change none', async () => {
  const [first, second] = (await measuredHistory()).filter((run) => run.isSameBuild)
  const joined = joinedOf([[first!.measurements, second!.measurements]], 1)
  expect(joined.together.unstable).toBeLessThan(Math.min(joined.first.unstable, joined.second.unstable))
  expect(joined.together.slower + joined.together.faster).toBeLessThanOrEqual(
    joined.second.slower + joined.second.faster,
  )
})
