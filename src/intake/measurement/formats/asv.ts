import { DECIDING_METRICS } from '../units.ts'
import { COMPARE_HEADER, CONSOLE_LINE } from './asv-lines.ts'
import type { Format } from './format.ts'
import { jsonReader, WholeText } from './whole-text.ts'

/** A thousand benchmarks with parameters give less than 1,000,000 characters. */
const MOST_CHARACTERS = 16 * 1024 * 1024

/**
 * The results of asv: a file for each commit and environment, and `benchmarks.json` with the units. Of two commits in one folder
 * the earlier one is old; a folder `old/` or `new/` around the files says it as well.
 */
export const asvResults: Format = {
  name: 'asv',
  companion: false,
  looksFor: 'results/MACHINE/COMMIT-ENVIRONMENT.json of asv, with benchmarks.json',
  oneSided: true,
  mayRepeat: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (fileName.endsWith('.json') ? 'maybe' : 'no'),
  matchesContent: (head) =>
    /^\s*\{/.test(head) &&
    ((/"commit_hash"\s*:/.test(head) && /"(?:env_name|requirements|result_columns)"\s*:/.test(head)) ||
      (/"param_names"\s*:/.test(head) && /"(?:code|timeout|type)"\s*:/.test(head))),
  claim: () => null,
  reader: async (context) => {
    const { asvFile } = await import('./asv-results.ts')
    return jsonReader((text) => asvFile(text, context))
  },
}

/** What `asv run` prints, of one side, and the table of `asv compare` and `asv continuous`, of both. */
export const asvText: Format = {
  name: 'asv',
  companion: false,
  looksFor: 'the output of asv run, asv compare or asv continuous in a *.txt, *.log or *.out',
  oneSided: true,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (/\.(?:txt|log|out|md)$/.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) => CONSOLE_LINE.test(head) || COMPARE_HEADER.test(head),
  claim: () => null,
  reader: async (context) => {
    const { asvOutput } = await import('./asv-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => asvOutput(text, context))
  },
}
