import { spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { inboxIn } from '../../src/inbox/inbox.ts'
import { openPostgres } from '../../src/inbox/postgres.ts'
import { answers, ended, freePort, ownerOfServer } from './postgres-server.ts'

const PGBOUNCER = process.env['PERF_TRIAGE_TEST_PGBOUNCER']

/** The address of a PgBouncer before the PostgreSQL of the run, which gives each transaction the session that was idle for longest. */
async function pooler(mode: 'session' | 'transaction' | 'statement'): Promise<string> {
  const { hostname, port: serverPort } = new URL(inject('postgresUrl')!)
  const folder = mkdtempSync(join(tmpdir(), 'perf-triage-pooler-'))
  const owner = ownerOfServer()
  if (owner !== null) chownSync(folder, owner.uid, owner.gid)
  const port = await freePort()
  writeFileSync(join(folder, 'users'), '"postgres" ""\n')
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${serverPort} user=postgres`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
    `auth_type = any\nauth_file = ${join(folder, 'users')}`,
    `pool_mode = ${mode}\ndefault_pool_size = ${mode === 'session' ? 30 : 4}\nserver_round_robin = 1`,
  ]
  writeFileSync(join(folder, 'settings'), settings.join('\n'))
  const child = spawn(PGBOUNCER!, ['-q', join(folder, 'settings')], { ...owner, stdio: 'ignore' })
  const end = ended(child)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await end
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `postgresql://postgres@127.0.0.1:${port}/pooled_${mode}`
  const client = new Client(inject('postgresUrl'))
  await client.connect()
  await client.query(`CREATE DATABASE pooled_${mode}`)
  await client.end()
  await answers(url)
  return url
}

const settingRow = z.object({ setting: z.string() })
const settingOf = (name: string) => ({ name: 'setting', text: `SELECT current_setting('${name}') AS setting` })

test.skipIf(PGBOUNCER === undefined).each(['session', 'transaction'] as const)(
  'a PgBouncer that keeps a %s: processes work side by side, and nothing is left in a session',
  async (mode) => {
    const url = await pooler(mode)
    const databases = await Promise.all([1, 2, 3].map(() => openPostgres(url)))
    onTestFinished(async () => void (await Promise.all(databases.map((database) => database.close()))))
    const inboxes = databases.map((database) => inboxIn(database, { debounceMs: 0, isShared: true }))
    const guids = Array.from({ length: 60 }, (_, index) => `${mode}-${index}`)
    const receive = (guid: string, index: number) =>
      inboxes[index % 3]!.deliveries.receive({ guid, event: 'push', installationId: index % 7, payload: '{}' }, 0)
    await Promise.all(guids.map(receive))
    const done: string[] = []
    await Promise.all(
      inboxes.map(async ({ deliveries }) => {
        for (let claim = await deliveries.claimNext(1); claim !== null; claim = await deliveries.claimNext(1)) {
          done.push(claim.guid)
          await deliveries.finish(claim, 2)
        }
      }),
    )
    expect(done.toSorted()).toEqual(guids.toSorted())
    const [database] = databases
    const other = new Client(url)
    await other.connect()
    onTestFinished(() => other.end())
    for (const [name, setting] of [
      ['enable_bitmapscan', 'off'],
      ['lock_timeout', '5s'],
      ['statement_timeout', '30s'],
    ] as const) {
      const within = database!.transaction(() => database!.row(settingOf(name), settingRow))
      expect([await within, await database!.row(settingOf(name), settingRow)]).toEqual([{ setting }, { setting }])
      for (const _ of databases) expect((await other.query(settingOf(name).text)).rows).not.toEqual([{ setting }])
    }
    await other.query('BEGIN; LOCK TABLE inbox_version')
    await expect(database!.ping()).rejects.toThrow(/can't be used now \(canceling statement due to lock timeout/)
    await other.query('ROLLBACK')
    await database!.ping()
  },
)

test.skipIf(PGBOUNCER === undefined)(
  'a PgBouncer that keeps a statement is refused at start, with its reason',
  async () => {
    await expect(openPostgres(await pooler('statement'))).rejects.toThrow(/can't be used \(.*statement pooling mode/)
  },
)
