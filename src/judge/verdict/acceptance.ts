import { z } from 'zod'

/** Who said something and until when it holds: shared by decisions, declarations and reports. */

export const saidSchema = z.object({
  /** Empty: none was given. */
  reason: z.string(),
  /** The end of the last day on which it holds, in milliseconds; null: it has no end. */
  until: z.int().nullable(),
  via: z.enum(['command', 'label', 'button']),
  actor: z.string(),
  /** GitHub's numeric id of the actor: names change. */
  actorId: z.int(),
  /** GitHub's time, in milliseconds. */
  saidAt: z.int(),
})

/** Who said a thing, when, why, how, and until when it holds. */
export type Said = Readonly<z.output<typeof saidSchema>>

/** What a person or the repository's file has accepted, as it stands beside what it is about. */
export interface Acceptance extends Omit<Said, 'via'> {
  /** `file`: an entry of the repository's file, and no actor. */
  readonly via: Said['via'] | 'file'
  /** The size that was accepted, a fraction of the old value; null: that there is no result in the new build. */
  readonly difference: number | null
}
