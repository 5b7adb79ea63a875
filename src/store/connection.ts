import type { ClickHouse } from './client.ts'

/** What the subjects of the store are opened on. */
export interface Connection {
  /** The client, its tables brought up to date. Throws `StoreUnavailable` where the database can't be reached in time. */
  readonly ready: () => Promise<ClickHouse>
  readonly now: () => Date
  /** Told of what could not be read. pino's `warn` fits. */
  readonly warn: (details: Record<string, unknown>, message: string) => void
}
