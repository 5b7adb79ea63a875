/** Lines by which the output of `perf stat` and of `time` is known, and read. */

/** ` Performance counter stats for 'php select.php 1000' (5 runs):` */
export const HEADER = /^[ \t]*Performance counter stats for (.+?)(?: \((\d+) runs?\))?:\s*$/m
/** `#           time CPU            counts unit events`: the head of intervals (`-I`). */
export const INTERVALS_HEADER = /^#\s+time\s.*counts\s.*events\s*$/m
/** What a part of the whole is of: a CPU (`-A`), a core with the number of its CPUs (`--per-core`), a node. */
export const PLACE = String.raw`CPU\d+|S\d+(?:-D\d+)?(?:-(?:L\d+-ID\d+|CLS\d+))?(?:-C\d+)?|N\d+`
/** `487402260,,branches:u,496850000,100.00,980.986,M/sec`; before it the time of an interval and the place of a part. */
export const CSV_LINE = new RegExp(
  String.raw`^(?:[ \t]*(?<time>\d+\.\d+|summary)[,;|\t])?(?:(?<place>${PLACE})[,;|\t](?:\d+[,;|\t])?)?(?<value>[\d.,]+|<not (?:counted|supported)>)(?<mark>[,;|\t])(?<unit>[a-zA-Z/]*)\k<mark>(?<event>[a-zA-Z_]\w*\/[^/\t]*\/\w*|[a-zA-Z_][^,;|\t]*)\k<mark>(?:(?<spread>[\d.]+)%\k<mark>)?\d*\k<mark>(?<running>[\d.]*)`,
  'm',
)
export const JSON_LINE = /^[ \t]*\{.*"counter-value"\s*:/m
/** `real	0m3.894s` of a shell, `real 3.89` of POSIX. */
export const TIME_LINE = /^(real|user|sys)\s+(?:(\d+)m)?(\d+(?:[.,]\d+)?)s?\s*$/m
