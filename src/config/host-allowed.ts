/**
 * Which hosts results may be fetched from. A pattern is
 *
 * - a host name or IP address, as it is: `s3.amazonaws.com`, `10.0.0.7`, `[::1]`;
 * - with one `*`: in front (`*.example.org`) it stands for any names below, within a label (`results*.example.org`) for
 *   any characters of that label, none included. At least two labels follow it, and it never stands for an IP address;
 * - with a port when it is not that of the scheme: `artifacts.example.org:8443`.
 */

/**
 * Where GitHub keeps what workflows upload, and Amazon S3, where ClickHouse publishes its reports.
 *
 * github.com sends a download on to storage accounts of Azure that are named `productionresultssa0` and so on and of
 * which there is no published list; naming them so keeps every other account of Azure out.
 */
export const DEFAULT_ARTIFACT_HOSTS: readonly string[] = [
  'productionresultssa*.blob.core.windows.net',
  '*.actions.githubusercontent.com',
  's3.amazonaws.com',
]

/**
 * Whether to fetch from an address at all. Only https; plain http only from the machine itself, and only when that host
 * is listed. Never an address with a user or password in it, nor an IP address that is not listed as it is: private and
 * link-local ones are thereby out. What a listed name resolves to is not looked at.
 */
export function hostAllowed(url: string | URL, patterns: readonly string[]): boolean {
  const address = typeof url === 'string' ? URL.parse(url) : url
  if (address === null || address.username !== '' || address.password !== '') return false
  if (address.protocol !== 'https:' && !(address.protocol === 'http:' && isLoopback(address.hostname))) return false
  return patterns.some((pattern) => {
    const parsed = parsePattern(pattern)
    return parsed !== null && parsed.port === address.port && hostFits(parsed.host, address.hostname)
  })
}

/** The problem of a pattern, as the end of a sentence: `is no host name`; null when it can be used. */
export function hostPatternProblem(pattern: string): string | null {
  if (/[/?#@\s]/.test(pattern)) return 'is more than a host: remove https:// and the path'
  const parsed = parsePattern(pattern)
  if (parsed === null) return 'is not a host name'
  const stars = parsed.host.split('*').length - 1
  if (stars === 0) return null
  if (stars > 1) return 'has more than one "*"'
  const [label, ...below] = parsed.host.split('.')
  if (!label!.includes('*')) return 'has a "*" after the first dot'
  if (below.length < 2) return 'covers a whole top-level domain: at least two names must follow the "*"'
  return null
}

/** This machine itself, by name or address, as `URL.hostname` writes it. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}

interface HostPattern {
  readonly host: string
  /** Empty for the port of the scheme, as in `URL.port`. */
  readonly port: string
}

function parsePattern(pattern: string): HostPattern | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9*](?:[a-z0-9*._-]*[a-z0-9])?)(?::(\d{1,5}))?$/.exec(pattern.toLowerCase())
  if (match === null) return null
  const [, host, port = ''] = match
  // As the parser of addresses writes it, `[0:0::1]` and `127.1` included.
  const written = host!.includes('*') ? host! : URL.parse(`https://${host}/`)?.hostname
  return written === undefined ? null : { host: written, port: port === '443' ? '' : port }
}

function hostFits(pattern: string, hostname: string): boolean {
  const star = pattern.indexOf('*')
  if (star < 0) return pattern === hostname
  if (isAddress(hostname)) return false
  const before = pattern.slice(0, star)
  const after = pattern.slice(star + 1)
  if (!hostname.startsWith(before) || !hostname.endsWith(after) || hostname.length < before.length + after.length) {
    return false
  }
  const covered = hostname.slice(before.length, hostname.length - after.length)
  if (pattern.startsWith('*.')) return covered !== ''
  return !covered.includes('.')
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}
