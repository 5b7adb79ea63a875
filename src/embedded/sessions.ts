import type { Session } from 'chdb'
import type { Engine } from './engine.ts'
import { exception } from './exception.ts'

/** Named sessions kept at the same time; one more is refused rather than an older one dropped. */
const MAX_NAMED_SESSIONS = 100

interface Named {
  readonly session: Session
  busy: boolean
  timer: NodeJS.Timeout | null
}

/** A session in use by one request. */
export interface Lease {
  readonly session: Session
  readonly release: () => void
}

/** Fresh sessions for requests without a `session_id`, kept ones for the others, as a server has them. */
export class Sessions {
  readonly #engine: Engine
  readonly #named = new Map<string, Named>()

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** @throws HttpException when the named session is in use or too many are kept. */
  lease(id: string | null, timeoutSeconds: number): Lease {
    if (id === null) {
      const session = this.#engine.session()
      return { session, release: () => session.close() }
    }
    const named = this.#named.get(id) ?? this.#create(id)
    if (named.busy) throw exception(373, 'SESSION_IS_LOCKED', 'The session is in use by another query')
    named.busy = true
    if (named.timer !== null) clearTimeout(named.timer)
    return {
      session: named.session,
      release: () => {
        named.busy = false
        named.timer = setTimeout(() => this.#drop(id), timeoutSeconds * 1000).unref()
      },
    }
  }

  close(): void {
    for (const id of [...this.#named.keys()]) this.#drop(id)
  }

  #create(id: string): Named {
    if (this.#named.size >= MAX_NAMED_SESSIONS) {
      throw exception(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many named sessions are open')
    }
    const named: Named = { session: this.#engine.session(), busy: false, timer: null }
    this.#named.set(id, named)
    return named
  }

  #drop(id: string): void {
    const named = this.#named.get(id)
    if (named === undefined) return
    if (named.timer !== null) clearTimeout(named.timer)
    this.#named.delete(id)
    named.session.close()
  }
}
