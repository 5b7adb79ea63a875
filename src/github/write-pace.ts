import { setTimeout as sleep } from 'node:timers/promises'
import type { WriteSlots, WriteUse } from '../inbox/write-slots.ts'
import { Stopped } from './bounded-fetch.ts'
import type { Octokit } from './octokit.ts'

/** Spaces the writes of an installation, over all processes. Reads are not held back. */

export interface WritePace {
  readonly slots: Pick<WriteSlots, 'take'>
  readonly now: () => number
}

/** GitHub asks for a second between two writes, and takes far fewer of those that notify somebody. */
const WRITE_MS = 1000
const COMMENT_MS = 3000

/**
 * Makes every write of an installation wait for its slot, which no other process has. A comment waits for its own first, so that
 * what is no comment need not wait for those that do.
 */
export function paced(
  octokit: Octokit,
  installationId: number,
  { slots, now }: WritePace,
  stopping?: AbortSignal,
): Octokit {
  const wait = async (at: number) => {
    try {
      await sleep(Math.max(0, at - now()), undefined, { signal: stopping })
    } catch (error) {
      throw new Stopped('the bot is stopping', { cause: error })
    }
  }
  octokit.hook.before('request', async ({ method, url, request }) => {
    // Tokens are asked for below `/app/`: GitHub paces writes of content alone.
    if (method === 'GET' || url.startsWith('/app/')) return
    const { use } = (request ?? {}) as { readonly use?: WriteUse }
    if (method === 'POST' && url.endsWith('/comments'))
      await wait(await slots.take(installationId, 'comment', COMMENT_MS, now(), use))
    await wait(await slots.take(installationId, 'write', WRITE_MS, now(), use))
  })
  return octokit
}
