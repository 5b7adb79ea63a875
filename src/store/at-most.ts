/** Runs what it is given, and gives its result; what is beyond the number that runs at once waits in turn. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>

/** For work that takes memory while it is under way. */
export function atMost(atOnce: number): Turns {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < atOnce) running += 1
    // Whoever ends hands its turn on.
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
