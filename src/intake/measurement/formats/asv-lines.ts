/** Lines by which the output of asv is known, and read. */

/** `[25.00%] ··· benchmarks.mem_list        8.06k` */
export const CONSOLE_LINE = /^\[\s*\d+(?:\.\d+)?%\] [·.]{2,}(?: Running)? (\S(?:.*\S)?)\s+(\S+)\s*$/m

/** `| Change   | Before [e4ab1694] <main> | After [74ee93d8] | Ratio | Benchmark (Parameter) |`, and without bars before 0.6. */
export const COMPARE_HEADER = /^\|?[ \t]*(?:Change[ \t]*\|?[ \t]*)?[Bb]efore\b.{0,200}\s[Aa]fter\b.{0,200}\s[Rr]atio\b/m
