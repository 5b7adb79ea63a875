import { printedOutput } from './printed-output.ts'

/** `Running 10s test @ http://127.0.0.1:8080/items` */
const RUNNING = /^Running \S{1,20} test @ (\S+)\s*$/m

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
