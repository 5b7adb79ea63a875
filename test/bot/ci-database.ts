import { createClient } from '@clickhouse/client'
import type { CheckRow } from '../../src/intake/imports/checks/check-row.ts'
import { startEmbedded } from '../../src/store/embedded/embedded.ts'
import { Switchable } from './switchable.ts'

/** As the CI database of ClickHouse declares it. */
const COLUMNS = `
  pull_request_number UInt32,
  commit_sha LowCardinality(String),
  check_name LowCardinality(String),
  check_status LowCardinality(String),
  check_duration_ms UInt64,
  check_start_time DateTime('UTC'),
  test_name LowCardinality(String),
  test_status LowCardinality(String),
  test_duration_ms UInt64,
  report_url String,
  pull_request_url String,
  commit_url String,
  task_url String,
  base_ref String,
  base_repo String,
  head_ref String,
  head_repo String,
  test_context_raw String,
  instance_type LowCardinality(String),
  instance_id String,
  workflow_name LowCardinality(String)`

/** A ClickHouse server of others with a table `default.checks`; it can be cut off and come back. */
export interface CiDatabaseServer {
  readonly url: string
  readonly user: string
  readonly password: string
  readonly line: Switchable
  fill(rows: readonly CheckRow[]): Promise<void>
  /** A statement of whoever runs the server. */
  command(sql: string): Promise<void>
  stop(): Promise<void>
}

/** What the bot reads it with for `acme/engine`, the repository of each setting. */
export function variablesOfCi({ url, user, password }: CiDatabaseServer): Record<string, string> {
  return { CIDB_URL: url, CIDB_USER: user, CIDB_PASSWORD: password, CIDB_REPOSITORIES: 'acme/engine' }
}

export async function startCiDatabase(dataDir: string): Promise<CiDatabaseServer> {
  const engine = await startEmbedded({ dataDir })
  const line = new Switchable(engine.url)
  const url = await line.listen()
  line.isOn = true
  const client = createClient({
    url: engine.url,
    username: engine.user,
    password: engine.password,
    clickhouse_settings: { date_time_input_format: 'best_effort' },
  })
  await client.command({
    query: `CREATE TABLE default.checks (${COLUMNS}) ENGINE = MergeTree ORDER BY check_start_time`,
  })
  return {
    url,
    user: engine.user,
    password: engine.password,
    line,
    async fill(rows) {
      await client.insert({ table: 'default.checks', values: rows.map(columnsOf), format: 'JSONEachRow' })
    },
    async command(query) {
      await client.command({ query })
    },
    async stop() {
      await client.close()
      line.close()
      await engine.stop()
    },
  }
}

function columnsOf({ checkStartTime, ...row }: CheckRow) {
  const snake = Object.entries(row)
    .filter(([key]) => key !== 'attributes')
    .map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value])
  return { ...Object.fromEntries(snake), check_start_time: Math.floor(checkStartTime / 1000) }
}
