import { DECIDING_METRICS } from '../units.ts'
import { type Format, nameOfJson, nameOfText } from './format.ts'
import { HYPERFINE_ENDS, HYPERFINE_RUNS } from './hyperfine-lines.ts'
import { jsonReader, WholeText } from './whole-text.ts'

const NAME = 'hyperfine'
const ENDS_EARLY = 'hyperfine stops at the first command that fails, unless it has -i'
const MOST_CHARACTERS = 16 * 1024 * 1024

/** `hyperfine --export-json`: its times are samples. */
const json: Format = {
  name: NAME,
  companion: false,
  looksFor: 'the JSON of hyperfine (--export-json)',
  oneSided: true,
  endsEarly: ENDS_EARLY,
  decides: DECIDING_METRICS,
  matchesName: nameOfJson,
  matchesContent: (head) =>
    /^\s*\{\s*"results"\s*:\s*\[/.test(head) && /"command"\s*:/.test(head) && /"(?:mean|times|user)"\s*:/.test(head),
  claim: () => null,
  reader: async (context) => {
    const { hyperfineResult } = await import('./hyperfine-output.ts')
    return jsonReader((text) => hyperfineResult(text, context))
  },
}

/** `hyperfine --export-csv`: means. */
const csv: Format = {
  name: NAME,
  companion: false,
  looksFor: 'the CSV of hyperfine (--export-csv)',
  oneSided: true,
  endsEarly: ENDS_EARLY,
  decides: DECIDING_METRICS,
  matchesName: (fileName) => (/\.(?:csv|txt)$/i.test(fileName) ? 'maybe' : 'no'),
  matchesContent: (head) => /^command,mean,stddev,median,user,system,min,max\b/.test(head),
  claim: () => null,
  reader: async (context) => {
    const { hyperfineTable } = await import('./hyperfine-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => hyperfineTable(text, context))
  },
}

/** What hyperfine prints where it ends at a command that failed: of that one the exports have nothing. */
const ending: Format = {
  name: NAME,
  companion: true,
  looksFor: 'what hyperfine prints for a command that failed',
  oneSided: true,
  matchesName: nameOfText,
  matchesContent: (head) => HYPERFINE_ENDS.test(head) && HYPERFINE_RUNS.test(head),
  claim: () => null,
  reader: async (context) => {
    const { hyperfineEnding } = await import('./hyperfine-output.ts')
    return new WholeText(MOST_CHARACTERS, (text) => hyperfineEnding(text, context))
  },
}

export const hyperfine: readonly Format[] = [json, csv, ending]
