/** Lines by which the output of `perf stat` and of `time` is known, and read. */

/** ` Performance counter stats for 'php select.php 1000' (5 runs):` */
export const HEADER = /^\s*Performance counter stats for (.+?)(?: \((\d+) runs?\))?:\s*$/m
/** `487402260,,branches:u,496850000,100.00,980.986,M/sec` */
export const CSV_LINE =
  /^([\d.,]+|<not (?:counted|supported)>)([,;|\t])([a-zA-Z/]*)\2([a-zA-Z_]\w*\/[^/\t]*\/\w*|[a-zA-Z_][^,;|\t]*)\2(?:([\d.]+)%\2)?\d*\2([\d.]*)/m
export const JSON_LINE = /^\s*\{.*"counter-value"\s*:/m
/** `real	0m3.894s` of a shell, `real 3.89` of POSIX. */
export const TIME_LINE = /^(real|user|sys)\s+(?:(\d+)m)?(\d+(?:[.,]\d+)?)s?\s*$/m
