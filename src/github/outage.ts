import type { Outage } from '../inbox/turns.ts'
import { HourUsedUp } from '../inbox/write-slots.ts'
import { NoAnswer } from './bounded-fetch.ts'

/** GitHub's words: where a limit comes without a time, wait for a minute at least. */
const UNSAID_PAUSE_MS = 60_000

/** A primary limit begins anew after an hour at the latest. */
const LONGEST_PAUSE_MS = 3600_000

/**
 * Whether the error says that GitHub does not answer for now, asked to wait or would ask for it, and until when; null: it is of
 * another kind, and trying again soon may be of no use.
 */
export function outageOf(error: unknown, now: number): Outage | null {
  if (error instanceof NoAnswer) return { until: null }
  if (error instanceof HourUsedUp) return { until: error.until, isOfThisAlone: error.isOfThisAlone }
  if (error instanceof AggregateError) return error.errors.map((part) => outageOf(part, now)).find(Boolean) ?? null
  const { name, status, message, response } = error as GitHubError
  if (name !== 'HttpError' || status === undefined) return null
  if (status >= 500) return { until: null }
  const {
    'retry-after': retryAfter,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': reset,
  } = headersOf(response)
  const isUsedUp = remaining === '0'
  const isLimit = isUsedUp || retryAfter !== undefined || /\bsecondary rate\b/i.test(message ?? '')
  if (status !== 429 && !(status === 403 && isLimit)) return null
  const pause =
    Number(retryAfter) > 0
      ? Number(retryAfter) * 1000
      : isUsedUp && Number(reset) > 0
        ? Number(reset) * 1000 - now
        : UNSAID_PAUSE_MS
  return { until: now + Math.min(Math.max(pause, 1000), LONGEST_PAUSE_MS) }
}

/** The error of octokit's requests, which a failed connection gives too, with status 500. */
interface GitHubError {
  readonly name?: string
  readonly status?: number
  readonly message?: string
  readonly response?: { readonly headers?: Readonly<Record<string, string>> }
}

function headersOf(response: GitHubError['response']): Readonly<Record<string, string | undefined>> {
  return response?.headers ?? {}
}
