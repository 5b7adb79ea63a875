/** `fib(10) x 1,431,759 ops/sec ±0.74% (93 runs sampled)` */
export const LINE = /^(.+?) x (\d[\d,]*(?:\.\d+)?) ops\/sec(?: ±(\d+(?:\.\d+)?)%)? \((\d+) runs? sampled\)/m
