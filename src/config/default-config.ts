import { type RepositoryConfig, repositoryConfigSchema, toRepositoryConfig } from './repository-config.ts'

/** What holds for a repository without `.github/perf-triage.yml`, or with an empty one. */
export const DEFAULT_CONFIG: RepositoryConfig = toRepositoryConfig(repositoryConfigSchema.parse({}))
