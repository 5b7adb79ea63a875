import { type MeasuredTurns, measureFile } from '../measured-turns.ts'
import type { QueryId } from '../run.ts'
import { type Contribution, type Format, NOTHING, type ReaderContext } from './format.ts'
import { parseDocument } from './json-document.ts'
import { jsonReader } from './whole-text.ts'

/** The file that `perf-triage measure` writes beside the outputs of its turns: their order, the commits, and the A/A. */
export const measure: Format = {
  name: 'measure',
  companion: true,
  looksFor: 'measure.json of perf-triage measure',
  oneSided: false,
  matchesName: (fileName) => (fileName === 'measure.json' ? 'maybe' : 'no'),
  matchesContent: (head) => /^\s*\{\s*"schemaVersion"\s*:\s*1\s*,\s*"document"\s*:\s*"perf-triage measure"/.test(head),
  claim: () => null,
  reader: (context) => jsonReader((text) => contributionOf(text, context)),
}

function contributionOf(document: string, { path, budget }: ReaderContext): Contribution {
  const file = parseDocument(document, measureFile, 'measure.json of perf-triage', { exact: false })
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  const turns: MeasuredTurns = {
    outputs: file.turns.flatMap(({ outputs }) =>
      outputs.filter(({ build }) => build !== 'copy').map((output) => budget.keep(`${folder}${output.file}`)),
    ),
    equalBuilds: file.equalBuilds.map((one) => ({ ...one, ...kept(one, budget) })),
  }
  return { ...NOTHING, oldCommit: file.base.commit, newCommit: file.head.commit, turns }
}

function kept({ test, queryName }: QueryId, budget: ReaderContext['budget']): Pick<QueryId, 'test' | 'queryName'> {
  return { test: budget.keep(test), queryName: queryName === null ? null : budget.keep(queryName) }
}
