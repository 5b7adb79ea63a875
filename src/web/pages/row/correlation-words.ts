import type { WithinSidesCorrelation } from '../../../statistics/within-sides-correlation.ts'

/** Chance stays within so many standard deviations in 19 of 20 cases. */
const WITHIN_CHANCE = 1.96

/** What the samples of one metric and the time say of the two. The names are shown as they are. */
export function correlationWords(correlation: WithinSidesCorrelation | null, name: string, time: string): string {
  if (correlation === null) {
    return `Within the sides it can’t be said: ${name} is the same in every repetition, or there are fewer than three.`
  }
  const within = Math.min(1, WITHIN_CHANCE * correlation.chanceDeviation).toFixed(2)
  const chance = `chance alone stays within ±${within} in 19 of 20 cases`
  const rho = signed(correlation.coefficient)
  if (!isBeyondChance(correlation)) {
    return `Within the sides ${name} and ${time} do not go together by more than chance: rank correlation ${rho}, and ${chance}.`
  }
  return correlation.coefficient > 0
    ? `Within the sides repetitions with more ${name} took longer: rank correlation ${rho}, and ${chance}.`
    : `Within the sides repetitions with more ${name} were quicker: rank correlation ${rho}, and ${chance}.`
}

/** Whether it is more than chance leaves in 19 of 20 cases. */
export function isBeyondChance({ coefficient, chanceDeviation }: WithinSidesCorrelation): boolean {
  return Math.abs(coefficient) > WITHIN_CHANCE * chanceDeviation
}

/** With two digits and its sign. */
export function signed(value: number): string {
  const text = Math.abs(value).toFixed(2)
  return text === '0.00' ? text : `${value < 0 ? '−' : '+'}${text}`
}
