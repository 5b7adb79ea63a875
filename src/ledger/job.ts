import type { Failure } from './failure.ts'

/** One run of one check on one commit: what its tests have in common. Another attempt is another job. */
export function jobOf({ commitSha, checkName, time }: Failure): string {
  return JSON.stringify([commitSha, checkName, time])
}
