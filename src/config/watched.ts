import { matchName } from '../text/name-pattern.ts'
import type { RepositoryConfig } from './repository-config.ts'

/** Does a check of this name count? */
export function isWatchedCheck(config: RepositoryConfig, name: string): boolean {
  return config.checks.some((pattern) => matchName(pattern, name) !== null)
}

/** Does a workflow count? All do unless the configuration names some: by name, by path, or by the file's name. */
export function isWatchedWorkflow(
  config: RepositoryConfig,
  { name, path }: { readonly name?: string | null | undefined; readonly path?: string | null | undefined },
): boolean {
  if (config.workflows.length === 0) return true
  const file = path == null ? undefined : workflowFile(path)
  return config.workflows.some((known) => known === name || known === file || known === file?.split('/').at(-1))
}

/** `.github/workflows/performance.yml`: GitHub may write the branch behind it, `…/performance.yml@main`. */
export function workflowFile(path: string): string {
  return path.split('@')[0]!
}
