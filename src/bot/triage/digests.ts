import type { Logger } from 'pino'
import type { SlackEnvironment } from '../../config/environment.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import { DIGEST_DAYS, DIGEST_PERIODS, type DigestPeriod, itemKey, newsSince } from '../../report/digest.ts'
import { type SlackMessage, slackDigest } from '../../report/render/slack.ts'
import { digestPath } from '../../report/urls.ts'
import { DAY, HOUR } from '../../text/time.ts'
import { type QueueMemory, type QueueRepository, type QueueStore, queueOf } from './queue.ts'

/** Before this hour, in UTC, the digest of the day is not due. */
const HOUR_OF_DAY = 6
const INTERVAL_MS = 5 * 60_000
const SEND_MS = 10_000

export interface DigestsContext {
  readonly slack: SlackEnvironment
  readonly inbox: Pick<Inbox, 'digests'>
  readonly store: QueueStore
  readonly memory: QueueMemory
  /** Those that the channel may read of. */
  readonly repositories: () => Promise<readonly QueueRepository[]>
  readonly publicUrl: string | null
  /** Asked before each round: one of several processes sends. */
  readonly mayBegin: () => Promise<boolean>
  readonly now: () => number
  readonly log: Logger
}

export interface Digests {
  /** Sends what is due; one round at a time. Never rejects. */
  round(): Promise<void>
  stop(): Promise<void>
}

/** Sends the digests of each day and week to the channel, when there is news. */
export function startDigests(context: DigestsContext): Digests {
  const stopping = new AbortController()
  let underWay: Promise<void> | null = null
  const round = () =>
    (underWay ??= sendDue(context, stopping.signal).finally(() => {
      underWay = null
    }))
  const timer = setInterval(() => void round(), INTERVAL_MS)
  return {
    round,
    async stop() {
      clearInterval(timer)
      stopping.abort(new Error('the bot is stopping'))
      await underWay
    },
  }
}

async function sendDue(context: DigestsContext, stopping: AbortSignal): Promise<void> {
  const { inbox, now, log } = context
  if (!(await context.mayBegin())) return
  for (const period of DIGEST_PERIODS) {
    try {
      const day = dueDay(period, now())
      const last = await inbox.digests.last(period)
      if (stopping.aborted || (last !== null && last.day >= day)) continue
      await send(context, period, day, last?.items ?? [], stopping)
    } catch (error) {
      // The next round tries again. The address of the channel is a secret, and no message of `fetch` holds it.
      if (!stopping.aborted) log.warn({ err: error, period }, 'a digest was not sent')
    }
  }
}

/** The row is written after the channel has taken the message: a crash in between sends it twice, and never not at all. */
async function send(
  context: DigestsContext,
  period: DigestPeriod,
  day: string,
  before: readonly string[],
  stopping: AbortSignal,
): Promise<void> {
  const { slack, inbox, store, memory, publicUrl, now, log } = context
  const repositories = await context.repositories()
  const { items, notShown } = await queueOf(repositories, DIGEST_DAYS[period].all, { store, memory, now: now() })
  const news = newsSince(items, before)
  if (news !== null) {
    const message = slackDigest(period, news, items.length + notShown, publicUrl, digestPath(period))
    await post(slack.webhookUrl, message, stopping)
    log.info({ period, day, news: news.length, waiting: items.length }, 'a digest was sent')
  }
  await inbox.digests.add(period, day, items.map(itemKey), news !== null, now())
}

async function post(url: string, message: SlackMessage, stopping: AbortSignal): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
    redirect: 'error',
    signal: AbortSignal.any([stopping, AbortSignal.timeout(SEND_MS)]),
  })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`the channel answered ${answer.status}`)
}

/** The day whose digest is due now: from six o'clock on the day itself, of a week its Monday. */
function dueDay(period: DigestPeriod, now: number): string {
  const date = new Date(now - HOUR_OF_DAY * HOUR)
  const sinceMonday = period === 'week' ? (date.getUTCDay() + 6) % 7 : 0
  return new Date(date.getTime() - sinceMonday * DAY).toISOString().slice(0, 10)
}
