import type { TestProject } from 'vitest/node'
import { postgresServer } from './postgres-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the inbox is kept in a database that replicas share; absent: in SQLite. */
    postgresUrl?: string
  }
}

/** The PostgreSQL that the test files share. Each place of an inbox is a schema of its own in it. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await postgresServer()
  provide('postgresUrl', server.url)
  return () => server.remove()
}
