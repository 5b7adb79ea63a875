import type { Classification, JudgedFailure, RedCheck } from './failure.ts'

/** Classifications that say by themselves that the pull request is not the cause. */
const EXCUSED: ReadonlySet<Classification> = new Set([
  'mass-failure',
  'broken-trunk',
  'chronic',
  'flaky',
  'infrastructure',
])

/**
 * What one failure makes of its check, fallout by itself. `unknown` never accounts for anything; where the lookup failed
 * it is not known either whether it may be the pull request's.
 */
export function stateOfFailure({ classification, reasons }: JudgedFailure): RedCheck['state'] {
  if (EXCUSED.has(classification)) return 'accounted-for'
  return classification === 'unknown' && reasons[0]?.kind === 'lookup-failed' ? 'not-known' : 'may-be-yours'
}
