import { setTimeout as delay } from 'node:timers/promises'

/** Gives pages their turns: few at once, each visitor no more than a fair share of them. */
export interface PageTurns {
  /**
   * Waits for a turn. `share`: this visitor asks for more at once than is theirs. `busy`: others had all turns for too long.
   * A refusal comes late, so that asking again at once gains nothing.
   * @param visitor a person who is signed in, or else a network
   */
  take(visitor: string, signal: AbortSignal): Promise<PageTurn | 'share' | 'busy'>
}

export interface PageTurn {
  /** Gives it back. */
  end(): void
}

export interface PageTurnLimits {
  /** Pages that are made at once. */
  readonly atOnce: number
  readonly atOnceOfOne: number
  /** A browser opens six connections; GitHub asks for all pictures of a comment from one network. */
  readonly waitingOfOne: number
  readonly waiting: number
  /** Milliseconds that a page waits for its turn at most. */
  readonly longestWait: number
  /** Milliseconds until a refusal is answered. */
  readonly refusedAfter: number
  /** Milliseconds that a turn rests at most. */
  readonly longestRest: number
  /** A visitor of whom so many requests wait rests twice as long as their page took, with three times as many four times. */
  readonly crowd: number
}

const PAGE_TURN_LIMITS: PageTurnLimits = {
  atOnce: 4,
  atOnceOfOne: 2,
  waitingOfOne: 32,
  waiting: 256,
  longestWait: 10_000,
  refusedAfter: 5_000,
  longestRest: 10_000,
  crowd: 8,
}

interface Waiting {
  /** null: the page waits no longer. */
  begin(turn: PageTurn | null): void
}

interface Visitor {
  /** Counted over all visitors; 0: there was none yet. */
  lastTurn: number
  underWay: number
  readonly waiting: Set<Waiting>
}

export function pageTurns(limits: PageTurnLimits = PAGE_TURN_LIMITS): PageTurns {
  const visitors = new Map<string, Visitor>()
  let given = 0
  let underWay = 0
  let waiting = 0

  const begin = (name: string, visitor: Visitor): PageTurn => {
    underWay += 1
    visitor.underWay += 1
    visitor.lastTurn = given += 1
    const began = performance.now()
    let isHeld = true
    const freeAll = () => {
      underWay -= 1
      next()
    }
    const freeOwn = () => {
      visitor.underWay -= 1
      forget(name, visitor)
      next()
    }
    return {
      end() {
        if (!isHeld) return
        isHeld = false
        // While any wait pages take half of the process at most, whatever one costs, and a crowd of one visitor's less.
        const took = waiting === 0 ? 0 : performance.now() - began
        afterRest(took, freeAll)
        afterRest(took * (1 + visitor.waiting.size / limits.crowd), freeOwn)
      },
    }
  }

  const afterRest = (milliseconds: number, free: () => void) => {
    if (milliseconds === 0) free()
    else setTimeout(free, Math.min(milliseconds, limits.longestRest))
  }

  const forget = (name: string, { underWay: turns, waiting: others }: Visitor) => {
    if (turns === 0 && others.size === 0) visitors.delete(name)
  }

  const mayBegin = (visitor: Visitor) => underWay < limits.atOnce && visitor.underWay < limits.atOnceOfOne

  /** Whoever waits and has had no turn for longest is next. */
  const next = () => {
    const able = [...visitors].filter(([, visitor]) => visitor.waiting.size > 0 && mayBegin(visitor))
    const [name, visitor] = able.toSorted(([, a], [, b]) => a.lastTurn - b.lastTurn)[0] ?? []
    if (name === undefined || visitor === undefined) return
    const [first] = visitor.waiting
    first!.begin(begin(name, visitor))
    next()
  }

  return {
    async take(name, signal) {
      const visitor = visitors.get(name) ?? { lastTurn: 0, underWay: 0, waiting: new Set<Waiting>() }
      visitors.set(name, visitor)
      if (visitor.waiting.size === 0 && mayBegin(visitor)) return begin(name, visitor)
      const isOwn = visitor.underWay > 0 || visitor.waiting.size > 0
      if (visitor.waiting.size >= limits.waitingOfOne || waiting >= limits.waiting) {
        forget(name, visitor)
        // one who leaves is answered at once
        await delay(limits.refusedAfter, undefined, { signal }).catch(() => {})
        return isOwn ? 'share' : 'busy'
      }
      const turn = await new Promise<PageTurn | null>((resolve) => {
        waiting += 1
        const end = () => one.begin(null)
        const timer = setTimeout(end, limits.longestWait)
        const one: Waiting = {
          begin(given) {
            waiting -= 1
            visitor.waiting.delete(one)
            clearTimeout(timer)
            signal.removeEventListener('abort', end)
            resolve(given)
          },
        }
        signal.addEventListener('abort', end, { once: true })
        visitor.waiting.add(one)
      })
      if (turn !== null) return turn
      forget(name, visitor)
      return isOwn ? 'share' : 'busy'
    },
  }
}
