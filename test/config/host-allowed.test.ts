import { describe, expect, test } from 'vitest'
import { DEFAULT_ARTIFACT_HOSTS, hostAllowed, hostPatternProblem } from '../../src/config/host-allowed.ts'

describe('hostAllowed', () => {
  test.each([
    'https://productionresultssa7.blob.core.windows.net/actions-results/x?sig=1',
    'https://pipelines.actions.githubusercontent.com/x',
    'https://s3.amazonaws.com/clickhouse-test-reports/x',
    'https://S3.AmazonAWS.com:443/x',
  ])('by default: %s', (url) => {
    expect(hostAllowed(url, DEFAULT_ARTIFACT_HOSTS)).toBe(true)
  })

  test.each([
    'http://s3.amazonaws.com/x',
    'https://s3.amazonaws.com:8443/x',
    'https://s3.amazonaws.com.evil.org/x',
    'https://evil-s3.amazonaws.com/x',
    'https://evil.blob.core.windows.net/x',
    'https://productionresultssa.evil.blob.core.windows.net/x',
    'https://actions.githubusercontent.com/x',
    'https://user@s3.amazonaws.com/x',
    'https://user:secret@s3.amazonaws.com/x',
    'https://s3.amazonaws.com@evil.org/x',
    'https://127.0.0.1/x',
    'https://169.254.169.254/latest/meta-data',
    'http://localhost/x',
    'ftp://s3.amazonaws.com/x',
    'file:///etc/passwd',
    'not an address',
  ])('not by default: %s', (url) => {
    expect(hostAllowed(url, DEFAULT_ARTIFACT_HOSTS)).toBe(false)
  })

  test('a port counts', () => {
    expect(hostAllowed('https://a.example.org:8443/', ['a.example.org:8443'])).toBe(true)
    expect(hostAllowed('https://a.example.org/', ['a.example.org:8443'])).toBe(false)
    expect(hostAllowed('https://a.example.org/', ['a.example.org:443'])).toBe(true)
  })

  test('plain http is for listed loopback hosts alone', () => {
    expect(hostAllowed('http://127.0.0.1:4000/x', ['127.0.0.1:4000'])).toBe(true)
    expect(hostAllowed('http://localhost:4000/x', ['localhost:4000'])).toBe(true)
    expect(hostAllowed('http://[::1]:4000/x', ['[::1]:4000'])).toBe(true)
    expect(hostAllowed('http://127.0.0.1:4001/x', ['127.0.0.1:4000'])).toBe(false)
    expect(hostAllowed('http://10.0.0.7/x', ['10.0.0.7'])).toBe(false)
  })

  test.each(['https://10.0.0.7/', 'https://0x0a000007/', 'https://167772167/'])(
    'an IP address is the same in any spelling and must be listed: %s',
    (url) => {
      expect(hostAllowed(url, ['10.0.0.7'])).toBe(true)
      expect(hostAllowed(url, ['*.0.0.7', '10.0.0.8', 'example.org'])).toBe(false)
    },
  )
})

describe('hostPatternProblem', () => {
  test.each(['example.org', '*.example.org', 'results*.example.org', 'localhost:80', '10.0.0.7', '[::1]:80'])(
    '%s can be used',
    (pattern) => {
      expect(hostPatternProblem(pattern)).toBeNull()
    },
  )

  test.each([
    ['https://example.org', 'remove https://'],
    ['example.org/path', 'the path'],
    ['user@example.org', 'more than a host'],
    ['*', 'top-level'],
    ['*.org', 'top-level'],
    ['*a*.example.org', 'more than one'],
    ['a.*.example.org', 'after the first dot'],
    ['', 'not a host name'],
    ['ex ample.org', 'more than a host'],
    ['example.org:port', 'not a host name'],
  ])('%j can not: %s', (pattern, why) => {
    expect(hostPatternProblem(pattern)).toContain(why)
  })
})
