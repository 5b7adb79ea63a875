import { DAY } from '../../text/time.ts'
import type { TriageContext } from './triage-context.ts'

/** Rows of one insert. */
const AT_ONCE = 1000

/** What was decided so long before the newest stored one is stored: two clocks differ by less. */
const OVERLAP_MS = DAY

/**
 * Copies the decisions of people into the database, where they can be counted. The inbox keeps them: with the database away
 * nothing is lost, and after a crash the last ones are written again, which changes nothing. Throws `StoreUnavailable`.
 */
export async function mirrorDecisions({
  store,
  inbox,
  mirrored,
}: Pick<TriageContext, 'store' | 'inbox' | 'mirrored'>): Promise<void> {
  if ((await inbox.decisions.after(mirrored.upTo ?? 0, 1)).length === 0) return
  // What the database holds is asked once: it may be another one than before the start.
  mirrored.upTo ??= await inbox.decisions.lastBefore((await store.decisions.newest()) - OVERLAP_MS)
  for (;;) {
    const decisions = await inbox.decisions.after(mirrored.upTo, AT_ONCE)
    if (decisions.length === 0) return
    await store.decisions.save(decisions)
    mirrored.upTo = decisions.at(-1)!.id
  }
}
