import { printedOutput } from './printed-output.ts'
import { RUNNING } from './wrk-lines.ts'

/** What wrk and wrk2 print of a run: how many requests a second, and the latency. */
export const wrk = {
  ...printedOutput({
    name: 'wrk',
    of: 'wrk',
    line: RUNNING,
    load: async () => (await import('./wrk-output.ts')).wrkOutput,
  }),
  // without think time a latency follows from the rate
  decides: ['throughput', 'time'],
}
