/** Lines by which the output of Rust's `#[bench]` is known, and read. */

/** `test sums::thousand ... bench:       1,306.16 ns/iter (+/- 1,313.66) = 6125 MB/s` */
export const TEXT_BENCH =
  /^test (\S.*?)\s+\.\.\. bench:\s+([\d,]+(?:\.\d+)?) (\S{1,20}) \(\+\/- ([\d,]+(?:\.\d+)?)\)(?: = ([\d,]+(?:\.\d+)?) (\S{1,20}\/s))?\s*$/m

/** `{ "type": "bench", "name": "fib", "median": 190171.74, "deviation": 574069 }` */
export const JSON_BENCH = /^[ \t]*\{\s*"type"\s*:\s*"bench"/m

/** `     Running benches/lib.rs (target/release/deps/lib-0123456789abcdef)` */
export const RUNNING = /^\s*Running (?:unittests )?(\S+)(?: \([^()]+\))?\s*$/
