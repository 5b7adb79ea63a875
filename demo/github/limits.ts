import { ApiError } from './api-error.ts'
import type { JsonObject } from './resources/json.ts'

export interface Limits {
  /** Requests an hour and token; GitHub's least for an installation. */
  readonly primary: number
  /** Requests a minute that create content. */
  readonly contentPerMinute: number
  /** What a refusal looks like: GitHub uses either. */
  readonly status: 403 | 429
  /** Seconds that `retry-after` asks to wait after too much content. */
  readonly retryAfter: number
}

export const githubLimits: Limits = { primary: 5_000, contentPerMinute: 80, status: 403, retryAfter: 60 }

interface Window {
  used: number
  resetAt: number
}

const hour = 3_600_000
const minute = 60_000

/** Counts requests the way GitHub does: an hourly allowance for each token owner, and one for writes. */
export class RateLimiter {
  readonly #limits: Limits
  readonly #windows = new Map<string, Window>()
  readonly #writes = new Map<string, number[]>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** @throws ApiError when the hour's requests are used up or too much was written in the last minute */
  admit(owner: string, writes: boolean, now: number): void {
    const window = this.#window(owner, now)
    if (window.used >= this.#limits.primary) {
      throw new ApiError(this.#limits.status, `API rate limit exceeded for ${owner}.`, {}, this.headers(owner, now))
    }
    if (!writes) return
    const recent = (this.#writes.get(owner) ?? []).filter((at) => at > now - minute)
    this.#writes.set(owner, recent)
    if (recent.length >= this.#limits.contentPerMinute) {
      const message =
        'You have exceeded a secondary rate limit and have been temporarily blocked from content creation.'
      throw new ApiError(
        this.#limits.status,
        `${message} Please retry your request again later.`,
        {},
        {
          ...this.headers(owner, now),
          'retry-after': String(this.#limits.retryAfter),
        },
      )
    }
    recent.push(now)
  }

  /** Counts an answered request; one answered with 304 is free. */
  count(owner: string, now: number): void {
    this.#window(owner, now).used += 1
  }

  headers(owner: string, now: number): Record<string, string> {
    const { limit, remaining, reset, used } = this.#figures(owner, now)
    return {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(reset),
      'x-ratelimit-used': String(used),
      'x-ratelimit-resource': 'core',
    }
  }

  /** `rate-limit-overview`. */
  overview(owner: string, now: number): JsonObject {
    const core = this.#figures(owner, now)
    const search = { limit: 30, remaining: 30, reset: Math.floor((now + minute) / 1000), used: 0 }
    return { resources: { core, search }, rate: core }
  }

  #figures(owner: string, now: number) {
    const { used, resetAt } = this.#window(owner, now)
    const limit = this.#limits.primary
    return { limit, remaining: Math.max(0, limit - used), reset: Math.ceil(resetAt / 1000), used }
  }

  #window(owner: string, now: number): Window {
    const known = this.#windows.get(owner)
    if (known !== undefined && known.resetAt > now) return known
    const window = { used: 0, resetAt: now + hour }
    this.#windows.set(owner, window)
    return window
  }
}
