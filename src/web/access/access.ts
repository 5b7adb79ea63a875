import type { Context } from 'hono'
import type { RepositoryName } from '../../store/store.ts'

/** Who may see what. Asked before anything else is looked up, by every route that belongs to a repository. */
export interface Access {
  /**
   * The repository, for whoever asks; null where there is none of that name and where this visitor may not see it: the
   * two can't be told apart.
   */
  visible(context: Context, owner: string, repo: string): Promise<RepositoryName | null>
}
