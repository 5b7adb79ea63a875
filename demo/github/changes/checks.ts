import { checkRunEventJson, checkSuiteEventJson } from '../resources/check.ts'
import type { Annotation, App, CheckRun, CheckStatus, CheckSuite, Conclusion, Repository } from '../state.ts'
import type { Author, World } from '../world.ts'

export interface CheckRunValues {
  readonly name?: string | undefined
  readonly externalId?: string | undefined
  readonly detailsUrl?: string | undefined
  readonly status?: CheckStatus | undefined
  readonly conclusion?: Conclusion | undefined
  readonly startedAt?: Date | undefined
  readonly completedAt?: Date | undefined
  readonly output?: {
    readonly title?: string | undefined
    readonly summary?: string | undefined
    readonly text?: string | undefined
    readonly annotations?: readonly Annotation[] | undefined
  }
  readonly actions?: CheckRun['actions'] | undefined
}

/** The suite of an app for a commit, which is none of a workflow run; GitHub makes one at the push or with the first check. */
export function suiteOf(world: World, repo: Repository, app: App, headSha: string): CheckSuite {
  const ofRuns = new Set(repo.workflowRuns.map(({ suite }) => suite))
  const found = repo.suites.find((suite) => suite.app === app && suite.headSha === headSha && !ofRuns.has(suite))
  return found ?? createSuite(world, repo, app, headSha)
}

export function createSuite(world: World, repo: Repository, app: App, headSha: string): CheckSuite {
  const now = world.state.now()
  const branch = [...repo.branches].find(([, sha]) => sha === headSha)?.[0] ?? null
  const suite: CheckSuite = {
    id: world.state.id('suite'),
    repo,
    app,
    headSha,
    headBranch: branch,
    before: repo.graph.get(headSha)?.parents[0] ?? null,
    status: 'queued',
    conclusion: null,
    createdAt: now,
    updatedAt: now,
  }
  repo.suites.push(suite)
  return suite
}

export function createCheckRun(
  world: World,
  suite: CheckSuite,
  by: Author,
  values: CheckRunValues & { readonly name: string },
): CheckRun {
  const { state } = world
  const run: CheckRun = {
    id: state.id('checkRun'),
    suite,
    name: values.name,
    externalId: '',
    detailsUrl: null,
    status: 'queued',
    conclusion: null,
    startedAt: state.now(),
    completedAt: null,
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
    job: null,
  }
  apply(world, run, values)
  suite.repo.checkRuns.push(run)
  tellOfRun(world, 'created', run, by)
  if (run.status === 'completed') tellOfRun(world, 'completed', run, by)
  refreshSuite(world, suite, by)
  return run
}

export function updateCheckRun(world: World, run: CheckRun, by: Author, values: CheckRunValues): void {
  apply(world, run, values)
  const completes = values.conclusion !== undefined || values.status === 'completed'
  if (completes) tellOfRun(world, 'completed', run, by)
  refreshSuite(world, run.suite, by)
}

export function tellOfRun(
  world: World,
  action: string,
  run: CheckRun,
  by: Author,
  more: Record<string, unknown> = {},
): void {
  world.webhooks.emit('check_run', action, run.suite.repo, by.account, {
    check_run: checkRunEventJson(world.state, run),
    ...more,
  })
}

export function tellOfSuite(world: World, action: string, suite: CheckSuite, by: Author): void {
  world.webhooks.emit('check_suite', action, suite.repo, by.account, {
    check_suite: checkSuiteEventJson(world.state, suite),
  })
}

function apply(world: World, run: CheckRun, values: CheckRunValues): void {
  run.name = values.name ?? run.name
  run.externalId = values.externalId ?? run.externalId
  run.detailsUrl = values.detailsUrl ?? run.detailsUrl
  run.startedAt = values.startedAt ?? run.startedAt
  run.actions = values.actions ?? run.actions
  if (values.conclusion !== undefined) {
    // A conclusion completes the run, whatever status came with it.
    run.status = 'completed'
    run.conclusion = values.conclusion
    run.completedAt = values.completedAt ?? world.state.now()
  } else if (values.status !== undefined) {
    run.status = values.status
    run.conclusion = null
    run.completedAt = null
  }
  if (values.output !== undefined) {
    const { title, summary, text, annotations } = values.output
    run.output = {
      title: title ?? run.output.title,
      summary: summary ?? run.output.summary,
      text: text ?? run.output.text,
    }
    run.annotations.push(...(annotations ?? []))
  }
}

const worstFirst: readonly Conclusion[] = [
  'failure',
  'timed_out',
  'action_required',
  'cancelled',
  'stale',
  'success',
  'neutral',
  'skipped',
]

/** A suite is what its newest runs of each name are together; that of a workflow run ends with the workflow run. */
function refreshSuite(world: World, suite: CheckSuite, by: Author): void {
  if (suite.repo.workflowRuns.some((run) => run.suite === suite)) return
  const runs = [
    ...new Map(suite.repo.checkRuns.filter((run) => run.suite === suite).map((run) => [run.name, run])).values(),
  ]
  const done = runs.length > 0 && runs.every((run) => run.status === 'completed')
  const before = suite.status
  suite.status = done ? 'completed' : runs.some((run) => run.status !== 'queued') ? 'in_progress' : 'queued'
  suite.conclusion = done ? (worstFirst.find((worst) => runs.some((run) => run.conclusion === worst)) ?? null) : null
  suite.updatedAt = world.state.now()
  if (done && before !== 'completed') tellOfSuite(world, 'completed', suite, by)
}
