import type { ClickHouse } from '../client.ts'
import { ProfileLookup } from './profile-lookup.ts'
import { ownProfileSql } from './profile-sql.ts'
import type { Profiles } from './profiles.ts'

export interface StoredProfilesOptions {
  /** Awaited before each statement; brings the tables about. Left out: they are there. */
  readonly ready?: () => Promise<void>
  readonly now?: () => Date
}

/** The bot's own `stacks`. The connection stays the caller's. */
export function storedProfiles(
  clickhouse: ClickHouse,
  { ready, now = () => new Date() }: StoredProfilesOptions = {},
): Profiles {
  return new ProfileLookup(async (name, parameters, row) => {
    await ready?.()
    return await clickhouse.read(`${name} of a profile`, ownProfileSql(name), parameters, row)
  }, now)
}
