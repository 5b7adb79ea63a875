import { DEFAULT_CONFIG } from '../config/default-config.ts'
import { parseRepositoryConfig } from '../config/parse-repository-config.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { ProfileDatabases } from '../store/profiles/profile-databases.ts'
import type { Profiles, ProfileWanted } from '../store/profiles/profiles.ts'

/**
 * The profiles that a repository has in the CI database, in the table of its configuration as it last was good; null: none,
 * or its present name is not known.
 */
export function profilesBeside(
  databases: ProfileDatabases,
  { repositories, configs }: Pick<Inbox, 'repositories' | 'configs'>,
): (wanted: ProfileWanted) => Profiles | null {
  return ({ repositoryId }) => {
    const known = repositories.byId(repositoryId)
    if (known === null || known.isGone || known.owner === '') return null
    const stored = configs.lastKnownGood(repositoryId)
    const config = (stored === null ? null : parseRepositoryConfig(stored.yaml).config) ?? DEFAULT_CONFIG
    return databases.of(`${known.owner}/${known.repo}`, config.profiles.table)
  }
}
