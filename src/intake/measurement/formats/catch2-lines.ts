/** The head of a table of benchmarks, and an element of the report in XML. */
export const LINE = /^benchmark name\s+samples\s+iterations\s+(?:est|mean)|<BenchmarkResults\s/m

const TIME = String.raw`(\d+(?:\.\d+)?(?:e[+-]?\d+)?) (ns|us|ms|s|m|h)`
/** `fib 10          100           208     7.1968 ms` */
export const FIRST = new RegExp(String.raw`^(.*?)\s+(\d+)\s+(\d+)\s+${TIME}\s*$`)
/** `            344 ns        341 ns        349 ns` */
export const THREE = new RegExp(String.raw`^\s+${TIME}\s+${TIME}\s+${TIME}\s*$`)

/** The head of a table without an analysis, whose last column is the mean. */
export const MEAN_ONLY = /^benchmark name\s+samples\s+iterations\s+mean/
