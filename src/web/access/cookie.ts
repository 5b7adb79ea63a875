import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'

/** A cookie that scripts can't read and other sites' forms don't carry. */
export interface Cookie {
  read(context: Context): string | undefined
  write(context: Context, value: string, seconds: number): void
  remove(context: Context): void
}

/**
 * Where the site is reached over https its name begins with `__Host-`: browsers take such a one only from this host, over
 * https, so that no neighbouring host can plant one.
 */
export function createCookie(name: string, publicUrl: string): Cookie {
  const secure = publicUrl.startsWith('https://')
  const full = secure ? `__Host-${name}` : name
  const attributes = { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const
  return {
    read: (context) => getCookie(context, full),
    write: (context, value, seconds) => setCookie(context, full, value, { ...attributes, maxAge: seconds }),
    remove: (context) => deleteCookie(context, full, attributes),
  }
}
