import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { afterAll } from 'vitest'

const folders: string[] = []

// Registered before the hooks of the file that imports this, and so run after them.
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

/** A folder of its own, removed after the file's tests. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-clickhouse-'))
  folders.push(folder)
  return folder
}

export interface Address {
  readonly url: string
  readonly user: string
  readonly password: string
}

export function clientOf(address: Address, options: Parameters<typeof createClient>[0] = {}): ClickHouseClient {
  const { url, user: username, password } = address
  const clickhouse_settings = { output_format_json_quote_64bit_integers: 1 } as const
  return createClient({
    url,
    username,
    password,
    clickhouse_settings,
    log: { level: ClickHouseLogLevel.OFF },
    ...options,
  })
}

export async function waitFor(condition: () => boolean | Promise<boolean>, timeout = 15_000): Promise<void> {
  const deadline = Date.now() + timeout
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('it did not happen in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
