/** How GitHub shows a finished check: conclusions of check runs and states of commit statuses. */

const RED: ReadonlySet<string> = new Set(['failure', 'error', 'timed_out', 'startup_failure'])
const GREEN: ReadonlySet<string> = new Set(['success', 'neutral', 'skipped'])

/** A red check has to be looked at. A cancelled one says nothing of the code: it was stopped. */
export function isRed(conclusion: string | null): boolean {
  return conclusion !== null && RED.has(conclusion)
}

export function isGreen(conclusion: string | null): boolean {
  return conclusion !== null && GREEN.has(conclusion)
}
