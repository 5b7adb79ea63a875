import { DECIDING_METRICS } from '../units.ts'
import type { Format } from './format.ts'
import { jsonReader } from './whole-text.ts'

/** The first columns of the samples of a query, and of a report, as the pages give them. */
const SAMPLES_TSV = /^test\tquery_index\tquery_name\t(?:.*\t)?value(?:\t|\r?\n)/
const REPORT_TSV = /^repository\tpull_request_number\thead\t(?:.*\t)?old_median\t/

const ours = {
  name: 'perf-triage',
  companion: false,
  oneSided: false,
  decides: DECIDING_METRICS,
  claim: () => null,
} as const

/**
 * What `classify --json` and `comment --json` print, and the JSON of the pages of a report and of a query. Where samples are in it
 * they are judged anew; a median is one number.
 */
const json: Format = {
  ...ours,
  looksFor: 'the JSON of perf-triage',
  matchesName: (fileName) => (fileName.endsWith('.json') ? 'maybe' : 'no'),
  matchesContent: (head) =>
    /^\s*\{\s*"schemaVersion"\s*:\s*1\s*,/.test(head) &&
    /"(?:counts|queries|body|pullRequest|measured)"\s*:/.test(head),
  reader: async (context) => {
    const { perfTriageJson } = await import('./perf-triage-export.ts')
    return jsonReader((text) => perfTriageJson(text, context))
  },
}

/** The tab-separated values of the same pages. In folders of other tools a `.tsv` is something else: it has to be named. */
const tsv: Format = {
  ...ours,
  looksFor: 'the TSV of the pages of perf-triage',
  matchesName: () => 'no',
  matchesContent: (head) => SAMPLES_TSV.test(head) || REPORT_TSV.test(head),
  reader: async (context) => {
    const { PerfTriageTsv } = await import('./perf-triage-export.ts')
    return new PerfTriageTsv(context)
  },
}

export const perfTriage: readonly Format[] = [json, tsv]
