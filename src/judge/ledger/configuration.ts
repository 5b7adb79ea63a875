/** `3/6` and `1 of 4` in brackets, `1, 4` alone or before a runner, `shard 2`: the part of a check that happened to hold a test. */
const SHARD = new RegExp(
  [
    String.raw`[ ,_/-]{0,3}\b(?:shard|part|partition|chunk|group|split|slice|batch|bucket|container|index)[ _#:=-]{0,2}\d{1,4}(?:(?: ?of ?|\/)\d{1,4})?(?![\w.])`,
    String.raw`(?:(?<=[([])|, {0,2})(?<n>\d{1,4}) ?(?:\/|of) ?(?<m>\d{1,4})(?=[)\]])`,
    // A matrix of shardIndex and shardTotal; with a runner behind it as PyTorch's.
    String.raw`(?:(?<=\()|(?<=\([\w.-]{1,60}), )(?<index>\d{1,2}), (?<total>\d{1,2})(?=\)|, [a-z][\w.-]{1,60}\))`,
    // GitLab's `parallel`, and names made by hand. Not a pair of versions.
    String.raw`(?<!\b(?:java|jdk|python|py|node|ruby|php|go|scala|pg|postgres\w{0,3}|mysql|k8s|kubernetes|spark|rails|django)[ :-]{0,2})(?<=[\w)\]:])[ _-]{1,2}(?<at>\d{1,4})(?:\/|[ _-]of[ _-])(?<end>\d{1,4})$`,
  ].join('|'),
  'gi',
)

/**
 * The configuration that a check runs its tests in: its name without the numbers of shards, since a test moves between shards
 * and not between platforms.
 *
 * The same: `Integration tests (amd_asan, 3/6)` and `Integration tests (amd_asan, 1/6)`; `e2e (1, 4)` and `e2e (3, 4)`; `rspec
 * 3/20` and `rspec 7/20`. Not: `tests (linux)` and `tests (windows)`; `tests (py3.9)` and `tests (py3.10)`; `java 8/11` and
 * `java 8/17`; `Stress test (0)` and `Stress test (1)`, which may be versions.
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
    const { n, m, index, total, at, end } = rest.at(-1) as Readonly<Record<string, string | undefined>>
    return Number(n ?? index ?? at ?? 0) > Number(m ?? total ?? end ?? 0) ? found : ''
  })
  return without.trim() === '' ? checkName : without
}
