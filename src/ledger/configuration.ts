/** `3/6`, `shard 2`, `shard 2 of 6`, `part-3`: the part of a check that happened to hold a test. */
const SHARD =
  /[ ,_-]{0,2}\b(?:shard|part|chunk|group|split)[ _#:=-]{0,2}\d{1,4}(?:(?: ?of ?|\/)\d{1,4})?(?![\w.])|[ ,_-]{0,2}(?<![\w.])\d{1,4} ?(?:\/| of ) ?\d{1,4}(?![\w.])/gi

/**
 * The configuration that a check runs its tests in: its name without the numbers of shards, since a test moves between shards
 * and not between platforms.
 *
 * The same: `Integration tests (amd_asan, 3/6)` and `Integration tests (amd_asan, 1/6)`. Not: `tests (linux)` and
 * `tests (windows)`; `tests (py3.9)` and `tests (py3.10)`.
 */
export function configurationOf(checkName: string): string {
  return checkName.replace(SHARD, '')
}
