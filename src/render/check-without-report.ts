import type { TriageReport } from '../report/report.ts'
import type { CheckRunOutput } from './check-run.ts'

/** What stands in the check run while the bot's own database can't be asked. Where it gates, nobody passes unseen. */
export function renderDatabaseDown(mode: TriageReport['mode']): CheckRunOutput {
  return {
    status: 'completed',
    conclusion: mode === 'gating' ? 'failure' : 'neutral',
    title: 'Not analysed yet: the bot can’t reach its database',
    summary:
      'Results of this commit are in, but the database of perf-triage does not answer, so nothing is known about them yet. ' +
      'It is tried again by itself, and this check then shows what was measured.' +
      (mode === 'gating' ? ' Until then it fails, since this repository is `gating`.' : ''),
    text: '',
    annotations: [],
  }
}

/** The configuration never could be used, so that nobody knows which checks to look for. */
export function renderConfigNeverValid(mode: TriageReport['mode']): CheckRunOutput {
  return {
    status: 'completed',
    conclusion: mode === 'gating' ? 'failure' : 'neutral',
    title: 'The configuration file is not valid',
    summary:
      'The configuration file of the default branch can’t be used, and none before it could, so nothing is known of this commit. ' +
      'A pull request that mends the file is told of each wrong line.' +
      (mode === 'gating' ? ' Until then this check fails, since the file does not say that it asks for no gate.' : ''),
    text: '',
    annotations: [],
  }
}

/** A performance check of the head runs, after one was concluded already. */
export function renderUnderWay(): CheckRunOutput {
  return {
    status: 'in_progress',
    conclusion: null,
    title: 'Waiting for results',
    summary: 'A performance check of this commit is running.',
    text: '',
    annotations: [],
  }
}

/** Every performance check of the head was skipped on purpose: a change of documentation alone. */
export function renderNothingToMeasure(): CheckRunOutput {
  return {
    status: 'completed',
    conclusion: 'success',
    title: 'Nothing to measure',
    summary:
      'Every performance check of this commit was skipped. One that is started later makes this check begin again.',
    text: '',
    annotations: [],
  }
}
