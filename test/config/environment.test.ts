import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  EnvironmentError,
  readCiDatabaseEnvironment,
  readClickHouseEnvironment,
  readEnvironment,
} from '../../src/config/environment.ts'

const PEM = generateKeyPairSync('rsa', {
  modulusLength: 1024,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey
const SECRET = 'a-secret-nobody-may-see'
const MINIMAL = { APP_ID: '123', PRIVATE_KEY: PEM, WEBHOOK_SECRET: SECRET }

const folder = mkdtempSync(join(tmpdir(), 'environment-'))
afterAll(() => rmSync(folder, { recursive: true }))

function problemsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    readEnvironment(env)
  } catch (error) {
    expect(error).toBeInstanceOf(EnvironmentError)
    const { problems, message } = error as EnvironmentError
    for (const problem of problems) expect(message).toContain(problem)
    return problems
  }
  return []
}

describe('readEnvironment', () => {
  test('three variables are enough', () => {
    expect(readEnvironment(MINIMAL)).toEqual({
      appId: 123,
      privateKey: PEM,
      privateKeyWarning: null,
      webhookSecret: SECRET,
      port: 3000,
      host: '127.0.0.1',
      trustedProxies: expect.objectContaining({ rules: [] }),
      publicUrl: null,
      githubUrl: 'https://github.com',
      githubApiUrl: 'https://api.github.com',
      signIn: null,
      slack: null,
      clickHouse: {
        url: null,
        user: 'default',
        password: '',
        database: 'perf_triage',
        cluster: null,
        dataDir: resolve('data'),
      },
      inbox: { databaseUrl: null, dataDir: resolve('data') },
      role: 'all',
      ciDatabase: null,
      ciDatabaseWarning: null,
      dataDir: resolve('data'),
      artifactHosts: [
        'productionresultssa*.blob.core.windows.net',
        '*.actions.githubusercontent.com',
        's3.amazonaws.com',
      ],
      metricsPort: null,
      webhookPort: null,
      metricsToken: null,
      traces: null,
      logLevel: 'info',
      isOn: true,
    })
  })

  test('trusted proxies are addresses and ranges of both families', () => {
    const { trustedProxies } = readEnvironment({ ...MINIMAL, TRUSTED_PROXIES: '127.0.0.1, 10.1.0.0/16 fd00::/8,::1' })
    const isTrusted = (address: string) => trustedProxies.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
    expect(['127.0.0.1', '::ffff:127.0.0.1', '10.1.2.3', 'fd12::1', '::1'].filter((one) => !isTrusted(one))).toEqual([])
    expect(['127.0.0.2', '10.2.0.1', 'fe80::1', '::2'].filter(isTrusted)).toEqual([])
    for (const wrong of [
      'proxy.example.org',
      '10.0.0.0/33',
      '::/129',
      '10.0.0.0/8/8',
      '10.0.0.0/',
      '10.1',
      '10.0.0.1:80',
    ]) {
      expect(problemsOf({ ...MINIMAL, TRUSTED_PROXIES: `127.0.0.1,${wrong}` }), wrong).toEqual([
        'TRUSTED_PROXIES must be a comma-separated list of addresses or ranges like 172.17.0.1 or 10.0.0.0/8',
      ])
    }
  })

  test('what processes share is PostgreSQL and a ClickHouse server, and without them there is one process', () => {
    const DATABASE_URL = 'postgresql://bot:secret@db.example.org:5432/perf?sslmode=verify-full'
    const shared = { ...MINIMAL, DATABASE_URL, CLICKHOUSE_URL: 'https://clickhouse.example.org' }
    expect(readEnvironment({ ...shared, PERF_TRIAGE_ROLE: 'web' })).toMatchObject({
      inbox: { databaseUrl: DATABASE_URL },
      role: 'web',
    })
    expect(problemsOf({ ...MINIMAL, DATABASE_URL })).toEqual([
      'CLICKHOUSE_URL is missing: DATABASE_URL is set, and replicas must share a ClickHouse server too',
    ])
    expect(problemsOf({ ...MINIMAL, PERF_TRIAGE_ROLE: 'worker' })).toEqual([
      'PERF_TRIAGE_ROLE must be all without DATABASE_URL: web and worker processes need a shared database',
    ])
    for (const wrong of ['mysql://bot:secret@db/perf', 'postgresql://db.example.org', 'secret'])
      expect(problemsOf({ ...shared, DATABASE_URL: wrong }), wrong).toEqual([
        'DATABASE_URL must be an address like postgresql://user:password@host:5432/name; in the user and password, write @ as %40, # as %23 and / as %2F',
      ])
  })

  test('all that can be set', () => {
    expect(
      readEnvironment({
        ...MINIMAL,
        PORT: '8080',
        HOST: '0.0.0.0',
        PUBLIC_URL: 'https://perf.example.org/',
        GITHUB_URL: 'https://github.example.org',
        CLICKHOUSE_URL: 'http://clickhouse:8123',
        CLICKHOUSE_USER: 'bot',
        CLICKHOUSE_PASSWORD: 'p',
        CLICKHOUSE_DATABASE: 'perf',
        CLICKHOUSE_CLUSTER: 'main',
        CIDB_URL: 'https://play.clickhouse.com',
        CIDB_USER: 'play',
        CIDB_REPOSITORIES: 'Acme/Engine, acme/docs',
        PERF_TRIAGE_ENABLED: 'false',
        PERF_TRIAGE_DATA_DIR: '/var/lib/perf-triage',
        ARTIFACT_HOSTS: '*.example.org, results.example.com:8443',
        LOG_LEVEL: 'debug',
      }),
    ).toMatchObject({
      port: 8080,
      host: '0.0.0.0',
      publicUrl: 'https://perf.example.org',
      githubUrl: 'https://github.example.org',
      githubApiUrl: 'https://github.example.org/api/v3',
      clickHouse: { url: 'http://clickhouse:8123', user: 'bot', password: 'p', database: 'perf', cluster: 'main' },
      ciDatabase: {
        url: 'https://play.clickhouse.com',
        user: 'play',
        password: '',
        repositories: ['acme/engine', 'acme/docs'],
        tables: [
          'checks',
          'default.checks',
          'query_metrics_v2',
          'default.query_metrics_v2',
          'query_metric_runs_v1',
          'default.query_metric_runs_v1',
          'perf_flamegraph_stacks_v1',
          'default.perf_flamegraph_stacks_v1',
        ],
      },
      ciDatabaseWarning: null,
      dataDir: '/var/lib/perf-triage',
      artifactHosts: ['*.example.org', 'results.example.com:8443'],
      logLevel: 'debug',
      isOn: false,
    })
  })

  test.each([
    ['https://github.com/', 'https://api.github.com'],
    ['https://octo.ghe.com', 'https://api.octo.ghe.com'],
    ['https://github.example.org', 'https://github.example.org/api/v3'],
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000/api/v3'],
  ])('the API of %s is %s', (githubUrl, api) => {
    expect(readEnvironment({ ...MINIMAL, GITHUB_URL: githubUrl }).githubApiUrl).toBe(api)
  })

  test('an Enterprise Server may keep artifacts itself', () => {
    const { artifactHosts } = readEnvironment({ ...MINIMAL, GITHUB_URL: 'https://github.example.org' })
    expect(artifactHosts).toContain('github.example.org')
  })

  test.each([
    ['with its line ends as \\n', PEM.replaceAll('\n', '\\n')],
    ['in quotes', `"${PEM.replaceAll('\n', '\\n')}"`],
    ['in base64', Buffer.from(PEM).toString('base64')],
  ])('takes the private key %s', (_how, value) => {
    expect(readEnvironment({ ...MINIMAL, PRIVATE_KEY: value }).privateKey).toBe(PEM)
  })

  test('takes the private key from a file', () => {
    const file = join(folder, 'key.pem')
    writeFileSync(file, PEM)
    const env = { APP_ID: '1', WEBHOOK_SECRET: SECRET, PRIVATE_KEY_PATH: file }
    expect(readEnvironment(env).privateKey).toBe(PEM)
    expect(problemsOf({ ...env, PRIVATE_KEY_PATH: join(folder, 'none.pem') })).toEqual([
      "PRIVATE_KEY_PATH: the file can't be read (ENOENT)",
    ])
    for (const mode of [0o644, 0o640, 0o604]) {
      chmodSync(file, mode)
      expect(readEnvironment(env).privateKeyWarning).toMatch(
        /^Others can read the private key .*: chmod 600 .*key\.pem$/,
      )
    }
    chmodSync(file, 0o600)
    expect(readEnvironment(env).privateKeyWarning).toBeNull()
  })

  test('lists everything that is wrong at once, the secrets not', () => {
    const problems = problemsOf({
      APP_ID: 'Iv1.abc',
      PRIVATE_KEY: 'not-the-key',
      WEBHOOK_SECRET: 'development',
      PORT: '70000',
      PUBLIC_URL: 'perf.example.org',
      GITHUB_URL: 'http://github.example.org',
      CLICKHOUSE_URL: 'http://bot:hunter2@clickhouse:8123',
      CLICKHOUSE_DATABASE: 'a; DROP TABLE x',
      ARTIFACT_HOSTS: 'https://example.org',
      LOG_LEVEL: 'loud',
    })
    expect(new Set(problems.map((problem) => problem.split(' ')[0]))).toEqual(
      new Set([
        'APP_ID',
        'ARTIFACT_HOSTS',
        'CLICKHOUSE_DATABASE',
        'CLICKHOUSE_URL',
        'GITHUB_URL',
        'LOG_LEVEL',
        'PORT',
        'PRIVATE_KEY',
        'PUBLIC_URL',
        'WEBHOOK_SECRET',
      ]),
    )
    const all = problems.join('\n')
    for (const hidden of ['not-the-key', 'hunter2', 'DROP']) expect(all).not.toContain(hidden)
  })

  test('says what to do about what is missing; an empty value is missing', () => {
    const problems = problemsOf({ APP_ID: '', WEBHOOK_SECRET: ' ', PRIVATE_KEY: undefined })
    expect(problems).toHaveLength(4)
    expect(problems[0]).toMatch(/^APP_ID is missing: /)
    expect(problems[1]).toMatch(/^WEBHOOK_SECRET is missing: /)
    expect(problems[2]).toMatch(/^PRIVATE_KEY is missing: .*PRIVATE_KEY_PATH/)
    expect(problems[3]).toMatch(/"perf-triage setup" registers one .* set -a; \. \.\/perf-triage\.env; set \+a$/)
    expect(problemsOf({ APP_ID: '1', PRIVATE_KEY: undefined }).join()).not.toContain('perf-triage setup')
  })

  test('the channel: a secret address with https, and names of repositories', () => {
    const SLACK_WEBHOOK_URL = 'https://hooks.slack.com/services/T0/B0/abc'
    expect(readEnvironment({ ...MINIMAL, SLACK_WEBHOOK_URL }).slack).toEqual({
      webhookUrl: SLACK_WEBHOOK_URL,
      repositories: null,
    })
    const names = { SLACK_WEBHOOK_URL, SLACK_REPOSITORIES: 'acme/fast.db, acme/secret' }
    expect(readEnvironment({ ...MINIMAL, ...names }).slack?.repositories).toEqual(['acme/fast.db', 'acme/secret'])
    const problems = problemsOf({
      ...MINIMAL,
      SLACK_WEBHOOK_URL: 'http://hooks.slack.com/services/abc',
      SLACK_REPOSITORIES: 'acme',
    })
    expect(problems).toHaveLength(2)
    expect(problems.join()).not.toContain('services')
  })

  describe('the sign-in', () => {
    const SIGN_IN = { CLIENT_ID: 'Iv23liAbC', CLIENT_SECRET: 'f'.repeat(40), PUBLIC_URL: 'https://perf.example.org' }

    test('is on with both variables and a public address', () => {
      const { signIn } = readEnvironment({ ...MINIMAL, ...SIGN_IN })
      expect(signIn).toEqual({ clientId: 'Iv23liAbC', clientSecret: 'f'.repeat(40) })
      expect(problemsOf({ ...MINIMAL, ...SIGN_IN, PUBLIC_URL: 'http://127.0.0.1:3000' })).toEqual([])
    })

    test.each([
      ['CLIENT_ID', undefined, /^CLIENT_ID is missing: CLIENT_SECRET is set/],
      ['CLIENT_SECRET', '', /^CLIENT_SECRET is missing: CLIENT_ID is set/],
      ['PUBLIC_URL', undefined, /^PUBLIC_URL is missing: CLIENT_ID is set/],
      ['PUBLIC_URL', 'http://perf.example.org', /^PUBLIC_URL must begin with https/],
      ['CLIENT_ID', 'a b', /^CLIENT_ID must be the client ID/],
      ['CLIENT_SECRET', 'hunter2', /^CLIENT_SECRET must be a client secret/],
    ])('is an error with %s %s', (name, value, problem) => {
      const problems = problemsOf({ ...MINIMAL, ...SIGN_IN, [name]: value })
      expect(problems).toEqual([expect.stringMatching(problem)])
      expect(problems.join()).not.toMatch(/hunter2|ffff/)
    })
  })

  test('a key of another kind is refused', () => {
    const key = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }).privateKey
    expect(problemsOf({ ...MINIMAL, PRIVATE_KEY: key })[0]).toContain('does not contain an RSA private key')
  })
})

test.each([undefined, '', ' , '])(
  'with CIDB_REPOSITORIES %j no repository uses the CI database, and that is warned of',
  (names) => {
    const read = readEnvironment({ ...MINIMAL, CIDB_URL: 'https://ci.example.org', CIDB_REPOSITORIES: names })
    expect(read.ciDatabase?.repositories).toEqual([])
    expect(read.ciDatabaseWarning).toMatch(
      /^CIDB_URL is set but CIDB_REPOSITORIES is not, so .* CIDB_REPOSITORIES=owner\/name/,
    )
  },
)

test('readCiDatabaseEnvironment needs nothing but its own', () => {
  expect(readCiDatabaseEnvironment({})).toBeNull()
  expect(readCiDatabaseEnvironment({ CIDB_URL: ' ', CIDB_USER: 'ci' })).toBeNull()
  expect(readCiDatabaseEnvironment({ CIDB_URL: 'https://ci.example.org/', PORT: 'x' })).toMatchObject({
    url: 'https://ci.example.org',
    user: 'default',
    password: '',
  })
  const wrong = () => readCiDatabaseEnvironment({ CIDB_URL: 'https://ci:secret@ci.example.org' })
  expect(wrong).toThrow('CIDB_URL must not contain a user or password')
  expect(wrong).not.toThrow('secret')
})

test('readClickHouseEnvironment needs nothing of GitHub', () => {
  expect(readClickHouseEnvironment({}).url).toBeNull()
  expect(readClickHouseEnvironment({ CLICKHOUSE_URL: 'https://ch.example.org:8443/' }).url).toBe(
    'https://ch.example.org:8443',
  )
  expect(() => readClickHouseEnvironment({ CLICKHOUSE_CLUSTER: 'a b' })).toThrow('CLICKHOUSE_CLUSTER')
})
