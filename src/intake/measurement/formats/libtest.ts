import { DECIDING_METRICS } from '../units.ts'
import type { Format } from './format.ts'
import { JSON_BENCH, TEXT_BENCH } from './libtest-lines.ts'
import { WholeText } from './whole-text.ts'

/** Ten thousand benchmarks have some 800,000 characters. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/**
 * What Rust's own `#[bench]` prints, as text or as JSON (`-Z unstable-options --format json`), and what others print in its form:
 * criterion's `--output-format bencher`.
 */
export const libtest: Format = {
  name: 'libtest',
  companion: false,
  looksFor: 'the output of cargo bench (test … bench: … ns/iter) in a *.txt, *.log, *.out, *.json or *.jsonl',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (/\.(?:txt|log|out|jsonl?)$/.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) => TEXT_BENCH.test(head) || JSON_BENCH.test(head),
  claim: () => null,
  reader: async (context) => {
    const { libtestOutput } = await import('./libtest-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => libtestOutput(text, context))
  },
}
