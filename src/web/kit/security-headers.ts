const YEAR = 31_536_000

/**
 * No script and no style but from files of our own, nothing from anywhere else, in no frame: what is left of an injection
 * that slipped through is text.
 * `Strict-Transport-Security` only where the public address is https, or a bot on plain http would lock its users out.
 */
export function securityHeaders(publicUrl: string): Readonly<Record<string, string>> {
  const headers = {
    'Content-Security-Policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  }
  if (!publicUrl.startsWith('https://')) return headers
  return { ...headers, 'Strict-Transport-Security': `max-age=${YEAR}` }
}
