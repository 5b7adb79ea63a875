import type { ConfigProblem } from '../config/parse-repository-config.ts'
import { codeSpan, plainText } from '../text/markdown.ts'
import { counted } from '../text/numbers.ts'
import type { CheckRunOutput } from './check-run.ts'

/** Longest message that is shown of one problem. */
const MESSAGE_LIMIT = 1000

/** The check run of a pull request that changes the configuration; `problems` null: it removes the file. */
export function renderConfigCheck(path: string, problems: readonly ConfigProblem[] | null): CheckRunOutput {
  if (problems === null) return valid('The configuration is removed: the defaults hold once this is merged.')
  if (problems.length === 0) return valid('The configuration can be used. It is in force once this is merged.')
  return {
    status: 'completed',
    conclusion: 'failure',
    title: `${counted(problems.length, 'problem', 'problems')} in ${path}`,
    summary: [
      `Merged like this, \`${path}\` could not be used, and the last good one would stay in force.`,
      '',
      ...problems.map(({ line, message }) => `- line ${line}: ${codeSpan(message, MESSAGE_LIMIT)}`),
    ].join('\n'),
    text: '',
    annotations: problems.map(({ line, message }) => ({
      path,
      line,
      level: 'failure',
      title: 'perf-triage configuration',
      message: plainText(message, MESSAGE_LIMIT),
    })),
  }
}

function valid(summary: string): CheckRunOutput {
  return {
    status: 'completed',
    conclusion: 'success',
    title: 'The configuration is valid',
    summary,
    text: '',
    annotations: [],
  }
}
