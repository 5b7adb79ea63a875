/** Answers a request as a browser would send it over the network: `fetch`, or `request` of a Hono application. */
export type Ask = (url: string, init: RequestInit) => Response | Promise<Response>

/** A browser at one site: it keeps and sends cookies, and follows nothing by itself. */
export class VisitingBrowser {
  readonly cookies = new Map<string, string>()
  readonly #ask: Ask
  readonly #site: string

  constructor(ask: Ask, site: string) {
    this.#ask = ask
    this.#site = site
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#send('GET', path, headers)
  }

  /** As a form of the site itself sends it; other headers say otherwise. */
  post(
    path: string,
    headers: Record<string, string> = { origin: this.#site },
    fields?: Readonly<Record<string, string>>,
  ): Promise<Response> {
    return this.#send('POST', path, headers, fields === undefined ? null : new URLSearchParams(fields))
  }

  /** Begins at `/sign-in`, goes over GitHub and returns the answer of the callback. */
  async signIn(returnPath = '/'): Promise<Response> {
    return this.get(await this.callback(returnPath))
  }

  /** The path that GitHub sends the browser back to. */
  async callback(returnPath = '/'): Promise<string> {
    const begun = await this.get(`/sign-in?return=${encodeURIComponent(returnPath)}`)
    const agreed = await fetch(begun.headers.get('location')!, { redirect: 'manual' })
    const back = new URL(agreed.headers.get('location')!)
    return back.pathname + back.search
  }

  async #send(
    method: string,
    path: string,
    more: Record<string, string>,
    body: URLSearchParams | null = null,
  ): Promise<Response> {
    const headers = new Headers(more)
    if (this.cookies.size > 0) {
      headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    }
    const answer = await this.#ask(this.#site + path, { method, headers, body, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (/; Max-Age=0(;|$)/i.test(line)) this.cookies.delete(name!)
      else this.cookies.set(name!, value!)
    }
    return answer
  }
}
