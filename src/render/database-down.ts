import type { CheckRunOutput } from './check-run.ts'

/** What stands in the check run while the bot's own database can't be asked. */
export function renderDatabaseDown(): CheckRunOutput {
  return {
    status: 'completed',
    conclusion: 'neutral',
    title: 'Not analysed yet: the bot can’t reach its database',
    summary:
      'Results of this commit are in, but the database of perf-triage does not answer, so nothing is known about them yet. ' +
      'It is tried again by itself, and this check then shows what was measured.',
    text: '',
    annotations: [],
  }
}
