import type { ConfigProblem } from '../../config/parse-repository-config.ts'
import { codeSpan, plainText } from '../../text/markdown.ts'
import { counted } from '../../text/numbers.ts'
import type { NotPassed } from '../check-conclusion.ts'
import type { Shard, TriageReport } from '../report.ts'
import { type CheckRunOutput, NOT_PASSED_TITLES, notPassedWords } from './check-run.ts'

/** What stands in the check run while the bot's own database can't be asked. Where it gates, nobody passes unseen. */
export function renderDatabaseDown(mode: TriageReport['mode']): CheckRunOutput {
  return completed(
    mode === 'gating' ? 'failure' : 'neutral',
    'Not analyzed yet: the bot can’t reach its database',
    'The results for this commit are in, but the bot’s database does not answer, so nothing is known about them yet. ' +
      'The bot keeps trying, and this check will then show what was measured.' +
      (mode === 'gating' ? ' Until then the check fails, since this repository is `gating`.' : ''),
  )
}

/** The configuration never could be used, so that nobody knows which checks to look for. */
export function renderConfigNeverValid(mode: TriageReport['mode']): CheckRunOutput {
  return completed(
    mode === 'gating' ? 'failure' : 'neutral',
    'The configuration file is not valid',
    'The configuration file on the default branch is not valid, and there is no earlier valid one, so this commit was not judged. ' +
      'A pull request that fixes the file gets an annotation on each wrong line.' +
      (mode === 'gating' ? ' Until then this check fails, since the file may ask for a gate.' : ''),
  )
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
    buttons: [],
  }
}

/** Every performance check of the head was skipped on purpose: a change of documentation alone, unless the pull request has seen to it. */
export function renderNothingToMeasure(reasons: readonly NotPassed[], commandPrefix: string): CheckRunOutput {
  const why = reasons.map((reason) => `${notPassedWords(reason, commandPrefix)}\n\n`)
  const titles = reasons.map(({ kind }) => `; ${NOT_PASSED_TITLES[kind]}`)
  return completed(
    reasons.length > 0 ? 'failure' : 'success',
    `Nothing to measure${titles.join('')}`,
    `${why.join('')}Every performance check of this commit was skipped. If one starts later, this check starts over.`,
  )
}

/** Longest list of artifacts and of the names that are looked for. */
const UNFIT_LIMIT = 900

/** Nothing was measured here as far as the names of artifacts say; `refusal` names them and what is looked for. */
export function renderNothingFits({ refusal = '' }: Pick<Shard, 'refusal'>): CheckRunOutput {
  return completed(
    'neutral',
    'No artifact has the expected name',
    `This commit was not judged: ${codeSpan(refusal, UNFIT_LIMIT)}. Upload results under such a name, or name the ` +
      'artifact under `results` in `.github/perf-triage.yml`. This message stops once something has been measured in this repository.',
  )
}

const VALID = 'The configuration is valid'

/** Longest message that is shown of one problem. */
const MESSAGE_LIMIT = 1000

/** The check run of a pull request that changes the configuration; `problems` null: it removes the file. */
export function renderConfigCheck(path: string, problems: readonly ConfigProblem[] | null): CheckRunOutput {
  if (problems === null)
    return completed('success', VALID, 'The configuration is removed: the defaults apply once this is merged.')
  if (problems.length === 0)
    return completed('success', VALID, 'The configuration is valid. It applies once this is merged.')
  return {
    status: 'completed',
    conclusion: 'failure',
    title: `${counted(problems.length, 'problem', 'problems')} in ${path}`,
    summary: [
      `If this were merged, \`${path}\` would not be valid, and the last valid one would stay in force.`,
      '',
      ...problems.map(({ line, message }) => `- line ${line}: ${codeSpan(message, MESSAGE_LIMIT)}`),
    ].join('\n'),
    text: '',
    buttons: [],
    annotations: problems.map(({ line, message }) => ({
      path,
      line,
      level: 'failure',
      title: 'perf-triage configuration',
      message: plainText(message, MESSAGE_LIMIT),
    })),
  }
}

/** What stands in the check run of a head that a push, or the end of the pull request, has left behind unfinished. */
export function renderSuperseded(newHead: string | null): CheckRunOutput {
  const why =
    newHead === null
      ? 'The pull request was closed before all results were in.'
      : `A newer commit, ${newHead.slice(0, 7)}, was pushed before all results of this one were in.`
  return completed(
    'neutral',
    newHead === null ? 'Closed before all results were in' : `Superseded by ${newHead.slice(0, 7)}`,
    `${why} What was measured until then is not judged here.`,
  )
}

/**
 * What becomes of a check run under way when the bot is switched off for the repository, or to shadow: cancelled, which a
 * required check does not pass, whatever the file says of a gate by then.
 */
export function renderSwitchedOff(): Omit<CheckRunOutput, 'conclusion'> & { readonly conclusion: 'cancelled' } {
  const summary =
    'The configuration turns perf-triage off for this repository, or sets `mode: shadow`, so nothing more is written here. If this check is required, it can’t pass: remove it from the required checks meanwhile.'
  return { ...completed(null, 'Switched off', summary), conclusion: 'cancelled' }
}

function completed(conclusion: CheckRunOutput['conclusion'], title: string, summary: string): CheckRunOutput {
  return { status: 'completed', conclusion, title, summary, text: '', annotations: [], buttons: [] }
}
