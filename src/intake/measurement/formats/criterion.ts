import { DECIDING_METRICS } from '../units.ts'
import { BENCHMARK_COMPLETE, TIME_LINE } from './criterion-lines.ts'
import type { Format } from './format.ts'
import { WholeText } from './whole-text.ts'

/** A thousand benchmarks give some 500,000 characters of text; a file of one benchmark has fewer than 20,000. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/**
 * The folder of criterion, `target/criterion`: of each benchmark a folder for `base`, one for `new` and one for each saved
 * baseline, with `benchmark.json`, `sample.json` and `estimates.json`. A folder `old/` or `new/` around it says the side of it all.
 */
export const criterionFolder: Format = {
  name: 'criterion',
  companion: false,
  looksFor: 'sample.json, benchmark.json and estimates.json of criterion in the folders of its benchmarks',
  oneSided: true,
  mayRepeat: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (/^(?:sample|benchmark|estimates)\.json$/.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) =>
    /^\s*(?:\{\s*"(?:sampling_mode|iters)"|\[\s*\[\s*\d[\d.eE+]*,|\{\s*"group_id"|\{\s*"[mM]ean"\s*:\s*\{\s*"confidence_interval")/.test(
      head,
    ),
  claim: () => null,
  reader: async (context) => {
    const { criterionFile } = await import('./criterion-folder.ts')
    return new WholeText(MOST_CHARACTERS, (text) => criterionFile(text, context))
  },
}

/** What criterion prints, and the messages of `cargo criterion --message-format=json`, which have samples. */
export const criterionText: Format = {
  name: 'criterion',
  companion: false,
  looksFor: 'the output of criterion in a *.txt, *.log, *.out, *.json or *.jsonl',
  oneSided: true,
  needsSide: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (/\.(?:txt|log|out|jsonl?)$/.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) => TIME_LINE.test(head) || BENCHMARK_COMPLETE.test(head),
  claim: () => null,
  reader: async (context) => {
    const { criterionOutput } = await import('./criterion-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => criterionOutput(text, context))
  },
}
