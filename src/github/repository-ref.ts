/** How GitHub's API addresses a repository. The numeric id is what we store: names change. */
export interface RepositoryRef {
  readonly owner: string
  readonly repo: string
}
