import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Values that are handed out and come back: readable, and nobody else can make or change one. */
export interface Seal {
  /** Letters, digits, `-`, `_` and one `.`: it fits into a cookie as it is. */
  seal(value: object): string
  /** The value; null for anything that was not made by `seal` with the same secret and purpose. */
  open(sealed: string | undefined): unknown
}

/** Browsers keep no longer cookies. */
const LONGEST = 4096

/** HMAC-SHA256. What was sealed for one purpose does not open for another. */
export function createSeal(secret: string, purpose: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `perf-triage: ${purpose}`, 32))
  const signature = (text: string) => Buffer.from(createHmac('sha256', key).update(text).digest('base64url'))
  return {
    seal(value) {
      const text = Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${text}.${signature(text).toString()}`
    },

    open(sealed) {
      if (sealed === undefined || sealed.length > LONGEST) return null
      const at = sealed.indexOf('.')
      const text = sealed.slice(0, Math.max(at, 0))
      const given = Buffer.from(sealed.slice(at + 1))
      const expected = signature(text)
      if (at < 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return null
      return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown
    },
  }
}
