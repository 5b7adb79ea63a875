/** Lines by which the output of Ruby's Benchmark and of the gem benchmark-ips is known, and read. */

/** `fib(20):   0.000846   0.000000   0.000846 (  0.005778)`: user, system, both, and the time on the clock. */
export const TIMES = /^(.*?)[ \t]+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+\(\s*(\d+\.\d+)\)\s*$/

/** `   fib(10)    112.345k (± 1.2%) i/s   (8.90 μs/i) -  565.300k in   5.034s` */
export const RATE = /^[ \t]*(\S.*?)\s+(\d+(?:\.\d+)?)([kMBTQ]?)\s+\(±\s*(\d+(?:\.\d+)?)%\)\s+i\/s\b/

export const LINE = new RegExp(`${TIMES.source}|${RATE.source}`, 'm')
