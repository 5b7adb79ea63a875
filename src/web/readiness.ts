/** One thing that the process needs before it can do its work. */
export interface ReadinessCheck {
  /** Shown to whoever asks: a word like `clickhouse`, never an address. */
  readonly name: string
  /** Resolves when it is there; whatever it throws means that it is not. */
  check(): Promise<unknown>
  /** Milliseconds; after that it counts as not ready. Default 2,000. */
  readonly timeout?: number
  /** Milliseconds for which its answer is good: what costs a write is not asked by everybody. Default 0. */
  readonly keptFor?: number
}

export interface Readiness {
  readonly ready: boolean
  /** Names, in the order of the checks. */
  readonly notReady: readonly string[]
}

const DEFAULT_TIMEOUT = 2_000

/**
 * Asks all checks side by side. Questions that arrive while one is being answered share its answer, so that a flood of
 * them is one question to the database. Reasons go to `onFailure`, not into the answer.
 */
export function readinessProbe(
  checks: readonly ReadinessCheck[],
  onFailure: (name: string, error: unknown) => void,
): () => Promise<Readiness> {
  const remembering = checks.map(remembered)
  let asking: Promise<Readiness> | null = null
  return () => {
    asking ??= ask(remembering, onFailure).finally(() => {
      asking = null
    })
    return asking
  }
}

/** Gives the last answer, a failure too, while it is good. */
function remembered(check: ReadinessCheck): ReadinessCheck {
  const { keptFor = 0 } = check
  let answer: Promise<unknown> | null = null
  let asked = -Infinity
  return {
    ...check,
    check() {
      const now = performance.now()
      if (answer === null || now - asked >= keptFor) {
        asked = now
        answer = check.check()
      }
      return answer
    },
  }
}

async function ask(
  checks: readonly ReadinessCheck[],
  onFailure: (name: string, error: unknown) => void,
): Promise<Readiness> {
  const ready = await Promise.all(
    checks.map(async (check) => {
      try {
        await withTimeout(check)
        return true
      } catch (error) {
        onFailure(check.name, error)
        return false
      }
    }),
  )
  const notReady = checks.filter((_, index) => !ready[index]).map(({ name }) => name)
  return { ready: notReady.length === 0, notReady }
}

async function withTimeout(check: ReadinessCheck): Promise<void> {
  const timeout = check.timeout ?? DEFAULT_TIMEOUT
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeout} ms`)), timeout)
  })
  try {
    await Promise.race([check.check(), late])
  } finally {
    clearTimeout(timer)
  }
}
