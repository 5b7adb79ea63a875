import { writtenJson } from './printed-output.ts'

/** The summary of a run of k6: `--summary-export FILE`, and the data of `handleSummary` as JSON. */
export const k6 = writtenJson({
  name: 'k6',
  looksFor: 'the summary of k6 in a *.json (--summary-export, handleSummary)',
  matchesContent: (head) =>
    /^\s*\{/.test(head) &&
    /"(?:root_group|http_req\w{1,30}|iterations|iteration_duration|data_(?:received|sent)|vus(?:_max)?)"\s*:\s*\{|"k6_version"\s*:/.test(
      head,
    ),
  load: async () => (await import('./k6-summary.ts')).k6Summary,
})
