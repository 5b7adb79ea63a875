import { EnvironmentError } from '../config/environment.ts'
import { MigrationFailed } from '../store/migrate.ts'
import { StoreUnavailable } from '../store/store-unavailable.ts'
import { InputError } from './command.ts'

/** The problem of the database or its settings, as one line for a person; any other error as it is. */
export function databaseProblem(error: unknown): unknown {
  const expected = [StoreUnavailable, MigrationFailed, EnvironmentError].some((kind) => error instanceof kind)
  return expected && error instanceof Error ? new InputError(error.message.replace(/\s+/g, ' ')) : error
}
