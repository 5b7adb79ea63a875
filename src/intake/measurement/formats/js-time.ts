import { nearMiss } from '../near-miss.ts'
import type { Format } from './format.ts'
import { printedOutput } from './printed-output.ts'

/** `load: 56.672ms`, `long: 1.300s`, `longer: 1:02.345 (m:ss.mmm)`, `hours: 1:00:02.345 (h:mm:ss.mmm)`; Bun: `[56.67ms] load`. */
const LINE =
  /^(?:(\S.*?): (?:(\d+(?:\.\d+)?) ?(ms|s)|(?:(\d+):)?(\d+):(\d+\.\d+) \((?:h:m)?m:ss\.mmm\))(?: - timer ended)?|\[(\d+(?:\.\d+)?)(ns|µs|ms|s)\] (\S.*?))\s*$/m

/** What console.time of JavaScript prints: one time for each label, `load: 56.672ms`. */
export const jsTime: Format = {
  ...printedOutput({
    name: 'js-time',
    of: 'console.time',
    line: LINE,
    load: async () => (await import('./js-time-output.ts')).jsTimeOutput,
  }),
  // a summary of another tool has such lines, too
  matchesContent: (head) => LINE.test(head) && nearMiss(head) === null,
}
