import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DataFolderInUse, takeDataFolder } from '../../bot/triage/data-folder.ts'
import { type ClickHouseEnvironment, readClickHouseEnvironment } from '../../config/environment.ts'
import { openClickHouse } from '../../store/client.ts'
import {
  COPIED_TABLES,
  CopyFailed,
  copyTable,
  databasesWithRows,
  type TableCopied,
  tablesWithRows,
} from '../../store/copy/copy-database.ts'
import { migrate } from '../../store/migrate.ts'
import { count, counted, list } from '../../text/numbers.ts'
import { type CommandIO, EXIT_OK, InputError, printJson } from './command.ts'
import { Progress } from './progress.ts'

/** Where a copy has begun: only there may rows be that a copy has left. */
const FILE = 'copy-to.json'
const begun = z.object({ url: z.string(), database: z.string() })

/** A statement of the copy takes no longer. Milliseconds. */
const TIMEOUT = 300_000

/** Rows that leave within this time are not worth the way. Seconds. */
const LEAVING = 3600

interface CopyOptions {
  readonly url: string
  /** The name of the embedded one; that of the server is CLICKHOUSE_DATABASE. */
  readonly fromDatabase: string
  readonly json: boolean
}

/** `perf-triage migrate --copy-to URL`: all tables of the embedded database, to a server that has none of their rows yet. */
export async function runCopy({ url, fromDatabase, json }: CopyOptions, io: CommandIO): Promise<number> {
  const environment = readClickHouseEnvironment({ ...io.env, CLICKHOUSE_URL: url })
  const { dataDir } = environment
  // A folder that was mistyped is not made.
  if (!existsSync(dataDir)) throw new InputError(`${dataDir} does not exist: ${WHICH_FOLDER}`)
  try {
    const folder = await takeDataFolder(dataDir)
    try {
      return await copied(environment, fromDatabase, json, io)
    } finally {
      folder.release()
    }
  } catch (error) {
    if (error instanceof CopyFailed) throw new InputError(`${error.message}. Run it again to continue with that month`)
    if (error instanceof DataFolderInUse)
      throw new InputError(`${error.message}. Whatever the bot stores in the meantime would be missing`)
    throw error
  }
}

const WHICH_FOLDER = 'set PERF_TRIAGE_DATA_DIR to the bot’s data folder'

async function copied(
  environment: ClickHouseEnvironment,
  fromDatabase: string,
  json: boolean,
  io: CommandIO,
): Promise<number> {
  const { dataDir, database } = environment
  const from = await openClickHouse({ url: null, dataDir, database: fromDatabase, timeout: TIMEOUT })
  try {
    const names = await databasesWithRows(from)
    if (!names.includes(fromDatabase)) {
      const found = names.length === 0 ? WHICH_FOLDER : `there are rows in ${list(names)}; name it with --from-database`
      throw new InputError(`the embedded database ${fromDatabase} in ${dataDir} has no rows to copy: ${found}`)
    }
    const to = await openClickHouse({ ...environment, timeout: TIMEOUT })
    try {
      await migrate(from)
      await migrate(to)
      const note = join(dataDir, FILE)
      const target = { url: to.where, database }
      const taken = isBegun(note, target) ? [] : await tablesWithRows(to)
      if (taken.length > 0) {
        const where = `${database} (${to.where}) already has rows, in ${list(taken)}`
        throw new InputError(`${where}: copy into an empty database, named by CLICKHOUSE_DATABASE`)
      }
      writeFileSync(note, JSON.stringify(target), { mode: 0o600 })
      const tables: TableCopied[] = []
      const progress = new Progress(io.stderr)
      const after = Math.floor(Date.now() / 1000) + LEAVING
      for (const table of COPIED_TABLES) {
        const onProgress = (name: string, rows: number, of: number) =>
          progress.update(() => `copying ${name}: ${count(rows)} of ${count(of)} rows`)
        tables.push(await copyTable(from, to, table, { after, onProgress }))
      }
      progress.done()
      // From here on the bot writes there: what differs then is no copy that was not finished.
      rmSync(note)
      say({ where: to.where, database, user: environment.user, cluster: environment.cluster, tables }, json, io)
      return EXIT_OK
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

function isBegun(note: string, target: { readonly url: string; readonly database: string }): boolean {
  try {
    const found = begun.parse(JSON.parse(readFileSync(note, 'utf8')))
    return found.url === target.url && found.database === target.database
  } catch {
    return false
  }
}

interface Result {
  readonly where: string
  readonly database: string
  readonly user: string
  readonly cluster: string | null
  readonly tables: readonly TableCopied[]
}

function say(result: Result, json: boolean, io: CommandIO): void {
  if (json) {
    printJson(result, io)
    return
  }
  const { where, database, user, cluster, tables } = result
  for (const { table, rows, months, present } of tables) {
    const before = present === 0 ? '' : `, ${count(present)} of them before`
    io.stdout.write(`${table}: ${counted(rows, 'row', 'rows')} of ${counted(months, 'month', 'months')}${before}\n`)
  }
  io.stdout.write(
    `every table and month has the same number of rows in ${database} (${where}). Start the bot with the same data folder, the password of the user in CLICKHOUSE_PASSWORD, and\n`,
  )
  const variables = { URL: where, USER: user, DATABASE: database, ...(cluster !== null && { CLUSTER: cluster }) }
  for (const [name, value] of Object.entries(variables)) io.stdout.write(`CLICKHOUSE_${name}=${value}\n`)
}
