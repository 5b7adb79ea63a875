/** `3/6` and `1 of 4` in brackets, `shard 2`, `shard 2 of 6`, `part-3`: the part of a check that happened to hold a test. */
const SHARD =
  /[ ,_-]{0,2}\b(?:shard|part|chunk|group|split)[ _#:=-]{0,2}\d{1,4}(?:(?: ?of ?|\/)\d{1,4})?(?![\w.])|(?:(?<=\()|, {0,2})(?<n>\d{1,4}) ?(?:\/|of) ?(?<m>\d{1,4})(?=\))/gi

/**
 * The configuration that a check runs its tests in: its name without the numbers of shards, since a test moves between shards
 * and not between platforms.
 *
 * The same: `Integration tests (amd_asan, 3/6)` and `Integration tests (amd_asan, 1/6)`. Not: `tests (linux)` and
 * `tests (windows)`; `tests (py3.9)` and `tests (py3.10)`; `java 8/11` and `java 8/17`.
 */
export function configurationOf(checkName: string): string {
  const known = KNOWN.get(checkName)
  if (known !== undefined) return known
  if (KNOWN.size >= MOST_KNOWN) KNOWN.clear()
  const configuration = withoutShards(checkName)
  KNOWN.set(checkName, configuration)
  return configuration
}

/** Each of thousands of rows is asked, and a project has some hundred checks. */
const KNOWN = new Map<string, string>()
const MOST_KNOWN = 10_000

function withoutShards(checkName: string): string {
  const without = checkName.replace(SHARD, (found: string, ...rest: unknown[]) => {
    const { n, m } = rest.at(-1) as { readonly n?: string; readonly m?: string }
    return Number(n ?? 0) > Number(m ?? 0) ? found : ''
  })
  return without.trim() === '' ? checkName : without
}
