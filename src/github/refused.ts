/** Missing permission, no such repository any more, issues disabled; not a rate limit, which is a 403 as well. */
export function isRefused(error: unknown): boolean {
  const { status, message, response } = error as {
    readonly status?: number
    readonly message?: string
    readonly response?: { readonly headers?: Readonly<Record<string, string | number | undefined>> }
  }
  if (status === 404 || status === 410) return true
  if (status !== 403) return false
  const headers = response?.headers ?? {}
  const isLimited = headers['retry-after'] !== undefined || String(headers['x-ratelimit-remaining']) === '0'
  return !isLimited && !/rate limit/i.test(message ?? '')
}
