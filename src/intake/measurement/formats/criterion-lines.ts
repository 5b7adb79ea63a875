/** Lines by which the output of criterion is known, and read. */

/** `fib 20      time:   [31.218 µs 31.529 µs 31.782 µs]`; the name is on the line before where it is long. */
export const TIME_LINE =
  /^(\S.*?)?[ \t]*time:\s+\[([\d.]+) ([^\s\]]{1,20}) ([\d.]+) ([^\s\]]{1,20}) ([\d.]+) ([^\s\]]{1,20})\]\s*$/m

/** A message of `cargo criterion --message-format=json`. */
export const BENCHMARK_COMPLETE = /^[ \t]*\{\s*"reason"\s*:\s*"(?:benchmark|group)-complete"/m
