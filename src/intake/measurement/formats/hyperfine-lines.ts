/** Lines of what hyperfine prints where it ends before its time. */

/** `Benchmark 2: ./sort data.txt`, before version 1.13 `Benchmark #2: …`. */
export const HYPERFINE_RUNS = /^Benchmark #?\d{1,6}: (.{1,300})/m
/** `Error: Command terminated with non-zero exit code: 3. Use the '-i'/'--ignore-failure' option …` */
export const HYPERFINE_ENDS =
  /^Error: ((?:Command terminated with non-zero exit code|The process has been terminated by a signal)[^\n]{0,300})/m
