/** Which workflows an event starts. Pure. */
import type { Filters, Workflow } from './workflow.ts'

/** An event, as far as filters ask about it. */
export interface Occasion {
  readonly event: string
  readonly action: string | null
  /** Of a push: the branch; of a pull request: its base; of a workflow run: its head. */
  readonly branch: string | null
  readonly tag: string | null
  /** Of the files that changed; null: no paths are filtered. */
  readonly paths: readonly string[] | null
  /** Of `workflow_run`: the name of the workflow that ran. */
  readonly workflow: string | null
}

/** GitHub takes these where a workflow names no `types`; of an event that isn't listed, all. */
const defaultTypes: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
}

export function isTriggered({ on }: Workflow, occasion: Occasion): boolean {
  const filters = on[occasion.event]
  if (filters === undefined) return false
  const types = filters['types'] ?? defaultTypes[occasion.event]
  if (types !== undefined && !types.includes(occasion.action ?? '')) return false
  if (occasion.event === 'workflow_run' && !filters['workflows']?.includes(occasion.workflow ?? '')) return false
  return isRefWanted(filters, occasion) && arePathsWanted(filters, occasion.paths)
}

/** A workflow with filters for branches alone hears of no tag, and the other way round. */
function isRefWanted(filters: Filters, { branch, tag }: Occasion): boolean {
  const has = (kind: string) => filters[kind] !== undefined || filters[`${kind}-ignore`] !== undefined
  if (tag !== null) return has('tags') ? isNameWanted(filters, 'tags', tag) : !has('branches')
  if (branch === null) return true
  return has('branches') ? isNameWanted(filters, 'branches', branch) : !has('tags')
}

function isNameWanted(filters: Filters, kind: string, name: string): boolean {
  const wanted = filters[kind]
  return wanted === undefined ? !matchesAny(filters[`${kind}-ignore`] ?? [], name) : matchesAny(wanted, name)
}

function arePathsWanted(filters: Filters, paths: readonly string[] | null): boolean {
  const { paths: wanted, 'paths-ignore': ignored } = filters
  if (paths === null) return true
  if (wanted !== undefined) return paths.some((path) => matchesAny(wanted, path))
  return ignored === undefined || paths.some((path) => !matchesAny(ignored, path))
}

/** The last pattern that fits decides: with `!` it takes the name out again. */
function matchesAny(patterns: readonly string[], name: string): boolean {
  const last = patterns.findLast((pattern) => expressionOf(pattern.replace(/^!/, '')).test(name))
  return last !== undefined && !last.startsWith('!')
}

/** GitHub's pattern: `*` stays in one part of the name, `**` doesn't; `?` and `+` are those of regular expressions. */
function expressionOf(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/?|\*|[.^${}()|\\]/g, (found) =>
    found === '**/' ? '(?:.*/)?' : found === '**' ? '.*' : found === '*' ? '[^/]*' : `\\${found}`,
  )
  return new RegExp(`^${source}$`)
}
