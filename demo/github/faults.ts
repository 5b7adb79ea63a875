export interface Fault {
  /** Default: every method. */
  readonly method?: string
  /** Against the path with its query, without `/api/v3`; a string must be equal to the path, a pattern must match. */
  readonly path: RegExp | string
  /** How many matching requests meet it. */
  readonly times: number
  /**
   * `status`: that status and nothing done; `timeout`: no answer at all; `slow`: the right answer after `delay`; `drip`:
   * headers, and the body a byte a second; `truncate`: half of the right answer, then the connection ends; `unanswered`: it is done, and
   * no answer comes; `disconnect`: the connection ends at once.
   */
  readonly kind: 'status' | 'timeout' | 'slow' | 'drip' | 'truncate' | 'unanswered' | 'disconnect'
  readonly status?: number
  /** For `status`; default `Server Error`. */
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds, for `slow`. Default 200. */
  readonly delay?: number
  /** For `slow`, in the place of `delay`: called when a request is there, which is held until what it returns resolves. */
  readonly until?: () => Promise<unknown>
}

export class Faults {
  #planned: { readonly fault: Fault; left: number }[] = []

  plan(fault: Fault): void {
    this.#planned.push({ fault, left: fault.times })
  }

  clear(): void {
    this.#planned = []
  }

  /** The fault that this request meets, used up by asking. */
  take(method: string, path: string): Fault | null {
    const found = this.#planned.find(({ fault, left }) => left > 0 && meets(fault, method, path))
    if (found === undefined) return null
    found.left -= 1
    return found.fault
  }
}

function meets(fault: Fault, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method.toUpperCase() !== method) return false
  return typeof fault.path === 'string'
    ? path === fault.path || path.split('?')[0] === fault.path
    : fault.path.test(path)
}
