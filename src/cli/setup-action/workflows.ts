import { type Measuring, yamlText } from './place.ts'

/** The files that make a repository use the Action: one workflow that measures, one that judges, and the configuration. */

export interface WorkflowFile {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
}

export const MEASURE_PATH = '.github/workflows/perf-triage-measure.yml'
export const JUDGE_PATH = '.github/workflows/perf-triage.yml'
export const CONFIGURATION_PATH = '.github/perf-triage.yml'

/** One job of the workflow that measures. */
export type MeasuredBy = Measuring & { readonly name: string }

/** `uses`: the Action, `owner/repository@ref`. `branch`: the main branch. */
export function measureWorkflow(tools: readonly MeasuredBy[], branch: string, uses: string): WorkflowFile {
  const jobs = tools.flatMap((tool) => indented(jobOf(tool, uses, tools.length === 1 ? 'results' : tool.name), 2))
  return {
    path: MEASURE_PATH,
    text: lines([
      '# Measures the base and the head in turns. Code of pull requests runs here, so the token can only read.',
      'name: perf-triage-measure',
      'on:',
      '  pull_request:',
      '  push:',
      `    branches: [${yamlText(branch)}]`,
      'permissions:',
      '  contents: read',
      'concurrency:',
      '  group: perf-triage-measure-${{ github.event.pull_request.number || github.sha }}',
      '  cancel-in-progress: true',
      'jobs:',
      ...jobs,
    ]),
  }
}

function jobOf({ name, measure, steps }: MeasuredBy, uses: string, artifact: string): readonly string[] {
  return [
    `${name}:`,
    '  runs-on: ubuntu-24.04',
    '  steps:',
    ...indented(
      [
        '- uses: actions/checkout@v7',
        '  with: { fetch-depth: 0, persist-credentials: false }',
        ...steps,
        `- uses: ${uses}`,
        ...indented(inputs(measure), 2),
        '- uses: actions/upload-artifact@v7',
        '  if: ${{ !cancelled() }}',
        `  with: { name: performance-${artifact}, path: results }`,
      ],
      4,
    ),
  ]
}

function inputs(measure: readonly string[]): readonly string[] {
  const text = measure.join(' ')
  if (/^[\w./= -]+$/.test(text)) return [`with: { measure: ${text} }`]
  return ['with:', '  measure: >-', ...indented(measure, 4)]
}

/** `prefix`: what commands begin with, a word that no YAML or expression has to quote. */
export function judgeWorkflow(uses: string, prefix: string): WorkflowFile {
  return {
    path: JUDGE_PATH,
    text: lines([
      '# Judges what was measured, and follows commands in comments. Its token can write, so no code of a pull request is checked out or run here.',
      'name: perf-triage',
      'on:',
      '  workflow_run: # zizmor: ignore[dangerous-triggers]',
      '    workflows: [perf-triage-measure]',
      '    types: [completed]',
      `  issue_comment: # ${prefix} accept "reason"`,
      '    types: [created, edited]',
      'permissions: {}',
      'concurrency:',
      '  group: perf-triage-${{ github.event.workflow_run.event }}-${{ github.event.workflow_run.head_repository.id }}-${{ github.event.workflow_run.head_branch }}-${{ github.event.workflow_run.head_sha || github.event.comment.id }}',
      'jobs:',
      '  judge:',
      '    if: >-',
      "      github.event_name == 'workflow_run' ||",
      `      github.event.issue.pull_request && contains(github.event.comment.body, '${prefix}') &&`,
      '      (github.event.comment.user.id == github.event.issue.user.id ||',
      '      contains(fromJSON(\'["OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR"]\'), github.event.comment.author_association))',
      '    runs-on: ubuntu-24.04',
      '    timeout-minutes: 15',
      '    permissions:',
      '      actions: read # the results',
      '      checks: write',
      '      contents: write # the branch perf-triage-history',
      '      pull-requests: write # the comment',
      '    steps:',
      `      - uses: ${uses}`,
    ]),
  }
}

export const CONFIGURATION: WorkflowFile = {
  path: CONFIGURATION_PATH,
  text: lines([
    '# shadow: results appear in job summaries only. Remove this line, and pull requests get a comment and a check.',
    'mode: shadow',
  ]),
}

function indented(texts: readonly string[], columns: number): readonly string[] {
  return texts.map((text) => `${' '.repeat(columns)}${text}`)
}

function lines(texts: readonly string[]): string {
  return `${texts.join('\n')}\n`
}
