import { normalQuantile, normalTwoSided } from './normal-tail.ts'

/** T is the 0.99 quantile of what chance gives. */
const QUANTILE_OF_T = normalQuantile(0.995)

/**
 * The chance that one more attempt like these shows the change that they found: that all together are further off than `level` of chance, and
 * by `wanted` or more. `logRatio` is of the medians, `logThreshold` the T of it, `attempts` how many it is of.
 *
 * T gives the spread of one attempt. The next one falls about what was found, as far off as the spread of both allows: what was found
 * may itself be luck, so one that just reaches T is no better than even. Attempts are taken for equally noisy, and medians for normal.
 *
 * ln 1.08 with T = ln 1.09 and a level of 0.001: 49%. With T = ln 1.06: 94%.
 */
export function chanceToSettle(
  logRatio: number,
  logThreshold: number,
  attempts: number,
  { level, wanted }: { readonly level: number; readonly wanted: number },
): number {
  const found = Math.abs(logRatio)
  const spread = (logThreshold / QUANTILE_OF_T) * Math.sqrt(attempts)
  if (spread === 0) return found >= wanted ? 1 : 0
  const needed = Math.max(wanted, normalQuantile(1 - level / 2) * (spread / Math.sqrt(attempts + 1)))
  const deviation = (spread * Math.sqrt(1 + 1 / attempts)) / (attempts + 1)
  const z = (needed - found) / deviation
  const tail = normalTwoSided(Math.abs(z)) / 2
  return z >= 0 ? tail : 1 - tail
}
