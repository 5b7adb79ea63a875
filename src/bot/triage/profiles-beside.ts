import { lastGoodConfig } from '../../inbox/configs.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import type { ProfileDatabases } from '../../store/profiles/profile-databases.ts'
import type { ProfilesBesideOf } from '../../store/profiles/profiles.ts'

/**
 * The profiles that a repository has in the CI database, in the table of its configuration as it last was good; null: none,
 * or its present name is not known.
 */
export function profilesBeside(
  databases: ProfileDatabases,
  { repositories, configs }: Pick<Inbox, 'repositories' | 'configs'>,
): ProfilesBesideOf {
  return async ({ repositoryId }) => {
    const known = await repositories.byId(repositoryId)
    if (known === null || known.isGone || known.owner === '') return null
    const { profiles } = await lastGoodConfig(configs, repositoryId)
    return databases.of(`${known.owner}/${known.repo}`, profiles.table)
  }
}
