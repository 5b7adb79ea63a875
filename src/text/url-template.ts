/** Placeholders that the address of results may hold. */
export const RESULTS_PLACEHOLDERS: readonly string[] = ['pr', 'sha', 'workflow', 'check']
/** Placeholders that the address of a dashboard may hold. */
export const LINK_PLACEHOLDERS: readonly string[] = ['pr', 'sha', 'test', 'query', 'architecture']

/** Placeholders that the command which measures a query may hold. */
export const REPRODUCE_PLACEHOLDERS: readonly string[] = ['test', 'query', 'architecture']

/** Names that stand in an address as `normalizeCheckName` writes them. */
const NORMALIZED: ReadonlySet<string> = new Set(['check', 'workflow'])

const PLACEHOLDER = /\{([^{}]*)\}/g

/**
 * Puts values into an address. `{check}` and `{workflow}` are written as `normalizeCheckName` has them; all others are
 * percent-encoded, so that a value never adds a part to the path or to the query. Throws `RangeError` for a placeholder
 * without a value.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return fillIn(template, values, (value, name) =>
    NORMALIZED.has(name) ? normalizeCheckName(value) : encodeURIComponent(value.toWellFormed()),
  )
}

/** Puts values into a template, each as `write` writes it. Throws `RangeError` for a placeholder without a value. */
export function fillIn(
  template: string,
  values: Readonly<Record<string, string>>,
  write: (value: string, name: string) => string,
): string {
  return template.replace(PLACEHOLDER, (_whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) throw new RangeError(`nothing to put in for {${name}}`)
    return write(value, name)
  })
}

/** The placeholders of a template, in the order in which they stand. */
export function placeholdersOf(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, name]) => name!)
}

/**
 * How ClickHouse's CI writes the name of a check or workflow in a path: lower case, every run of other characters than
 * letters and digits one `_`, none at the end. `Performance Comparison (amd_release, master_head, 6/6)` is
 * `performance_comparison_amd_release_master_head_6_6`.
 */
export function normalizeCheckName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replace(/_$/, '')
}
