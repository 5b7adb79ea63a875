import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { InboxUnusable } from '../../src/inbox/database.ts'
import { openPostgres } from '../../src/inbox/postgres.ts'
import { type PostgresServer, postgresServer } from './postgres-server.ts'

const usesTls = z.object({ ssl: z.boolean() })
const USES_TLS = { name: 'ssl', text: 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()' }

/** Node reads certificates and makes none. */
function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'])
    return true
  } catch {
    return false
  }
}

describe.skipIf(!hasOpenssl())('a PostgreSQL with TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perf-triage-tls-'))
  const file = (name: string) => join(folder, name)
  let server: PostgresServer

  beforeAll(async () => {
    const openssl = (line: string) => execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'pipe' })
    const key = (name: string) => `-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ${name}.key`
    for (const name of ['ours', 'another']) openssl(`req -x509 ${key(name)} -out ${name}.pem -days 2 -subj /CN=${name}`)
    openssl(`req ${key('server')} -out server.csr -subj /CN=localhost`)
    writeFileSync(file('names'), 'subjectAltName=DNS:localhost\n')
    openssl(
      'x509 -req -in server.csr -CA ours.pem -CAkey ours.key -CAcreateserial -out server.pem -days 2 -extfile names',
    )
    server = await postgresServer({
      tls: { certificate: readFileSync(file('server.pem'), 'utf8'), key: readFileSync(file('server.key'), 'utf8') },
    })
  })
  afterAll(async () => {
    await server?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  function address(host: string, parameters: Readonly<Record<string, string>>): string {
    const url = new URL(server.url.replace('postgres@', 'postgres:secret@'))
    url.hostname = host
    url.search = new URLSearchParams(parameters).toString()
    return url.href
  }

  test.each<[string, string, Record<string, string>, boolean]>([
    ['verify-full by our authority', 'localhost', { sslmode: 'verify-full', sslrootcert: 'ours.pem' }, true],
    ['our authority alone', 'localhost', { sslrootcert: 'ours.pem' }, true],
    ['no-verify, whatever the certificate says', '127.0.0.1', { sslmode: 'no-verify' }, true],
    ['no sslmode', '127.0.0.1', {}, false],
  ])('%s: connected, with TLS or without', async (_what, host, { sslrootcert, ...parameters }, ssl) => {
    const database = await openPostgres(
      address(host, { ...parameters, ...(sslrootcert && { sslrootcert: file(sslrootcert) }) }),
    )
    try {
      expect(await database.row(USES_TLS, usesTls)).toEqual({ ssl })
    } finally {
      await database.close()
    }
  })

  test.each<[string, string, string | null, RegExp]>([
    ['another authority', 'localhost', 'another.pem', /certificate.*\): name a file with the certificate authority/],
    ['no authority that Node knows', 'localhost', null, /certificate.*\): name a file with the certificate authority/],
    [
      'a host that the certificate does not name',
      '127.0.0.1',
      'ours.pem',
      /127\.0\.0\.1 is not in the cert's list.*\): use a host name from the certificate in DATABASE_URL$/,
    ],
  ])('verify-full, and %s: refused in one line that says what to do', async (_what, host, authority, words) => {
    const of = authority === null ? {} : { sslrootcert: file(authority) }
    const refused = openPostgres(address(host, { sslmode: 'verify-full', ...of }))
    await expect(refused).rejects.toThrow(InboxUnusable)
    await expect(refused).rejects.toThrow(words)
    await expect(refused).rejects.not.toThrow(/secret|\n/)
  })
})
