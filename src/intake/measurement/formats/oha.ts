import type { Format } from './format.ts'
import { printedOutput, writtenJson } from './printed-output.ts'

const NAME = 'oha'
// without think time a latency follows from the rate
const DECIDES = ['throughput', 'time']

/** `oha --output-format json`, once `--json`. */
const json = writtenJson({
  name: NAME,
  looksFor: 'the JSON of oha (--output-format json)',
  decides: DECIDES,
  matchesContent: (head) => /^\s*\{\s*"summary"\s*:\s*\{\s*"successRate"\s*:/.test(head),
  load: async () => (await import('./oha-output.ts')).ohaResult,
})

/** What it prints. */
const text: Format = {
  ...printedOutput({
    name: NAME,
    of: 'oha (--no-tui)',
    line: /^Summary:\r?\n {2}Success rate:\t/m,
    load: async () => (await import('./oha-output.ts')).ohaOutput,
  }),
  decides: DECIDES,
}

export const oha: readonly Format[] = [json, text]
