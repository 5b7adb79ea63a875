import { ApiError, notFound, validationFailed } from '../api-error.ts'
import { type CheckRunValues, createCheckRun, suiteOf, updateCheckRun } from '../changes/checks.ts'
import { characters } from '../characters.ts'
import { annotationJson, checkRunJson, checkSuiteJson } from '../resources/check.ts'
import { type Answer, appOf, author, type Call, checkRunOf, paged, type Route, repositoryOf, shaOf } from '../route.ts'
import type { Annotation, CheckRun, CheckStatus, CheckSuite, Conclusion } from '../state.ts'

export const checkRoutes: readonly Route[] = [
  {
    operation: 'checks/create',
    needs: ['checks:write'],
    answer: (call) => {
      const repo = repositoryOf(call)
      const wanted = call.body as CheckRequest & { name: string; head_sha: string }
      if (!/^[0-9a-f]{40}$/.test(wanted.head_sha) || repo.graph.get(wanted.head_sha) === undefined) {
        throw new ApiError(422, `No commit found for SHA: ${wanted.head_sha}`)
      }
      const values = { ...valuesOf(wanted), name: wanted.name }
      const suite = suiteOf(call, repo, appOf(call), wanted.head_sha)
      return { status: 201, body: checkRunJson(call.state, createCheckRun(call, suite, author(call), values)) }
    },
  },
  {
    operation: 'checks/update',
    needs: ['checks:write'],
    answer: (call) => {
      const run = checkRunOf(call)
      if (run.suite.app !== appOf(call))
        throw new ApiError(
          403,
          'Invalid app_id `' + appOf(call).id + '` - check run can only be modified by the GitHub App that created it.',
        )
      updateCheckRun(call, run, author(call), valuesOf(call.body as CheckRequest))
      return { status: 200, body: checkRunJson(call.state, run) }
    },
  },
  {
    operation: 'checks/get',
    needs: ['checks:read'],
    answer: (call) => ({ status: 200, body: checkRunJson(call.state, checkRunOf(call)) }),
  },
  {
    operation: 'checks/list-annotations',
    needs: ['checks:read'],
    answer: (call) => {
      const run = checkRunOf(call)
      return paged(call, run.annotations, (page) => page.map((item) => annotationJson(call.state, run, item)))
    },
  },
  {
    operation: 'checks/list-for-ref',
    needs: ['checks:read'],
    answer: (call) => {
      const repo = repositoryOf(call)
      const sha = shaOf(repo, call.path['ref'] ?? '')
      return listRuns(
        call,
        repo.checkRuns.filter((run) => run.suite.headSha === sha),
      )
    },
  },
  {
    operation: 'checks/list-for-suite',
    needs: ['checks:read'],
    answer: (call) => {
      const suite = checkSuiteOf(call)
      return listRuns(
        call,
        suite.repo.checkRuns.filter((run) => run.suite === suite),
      )
    },
  },
  {
    operation: 'checks/list-suites-for-ref',
    needs: ['checks:read'],
    answer: (call) => {
      const repo = repositoryOf(call)
      const sha = shaOf(repo, call.path['ref'] ?? '')
      const { app_id: appId, check_name: name } = call.query
      const found = repo.suites
        .filter((suite) => suite.headSha === sha)
        .filter((suite) => appId === undefined || suite.app.id === appId)
        .filter((suite) => name === undefined || repo.checkRuns.some((run) => run.suite === suite && run.name === name))
      return paged(call, found, (page) => ({
        total_count: found.length,
        check_suites: page.map((suite) => checkSuiteJson(call.state, suite)),
      }))
    },
  },
  {
    operation: 'checks/get-suite',
    needs: ['checks:read'],
    answer: (call) => ({ status: 200, body: checkSuiteJson(call.state, checkSuiteOf(call)) }),
  },
]

/** The body of a create or update request, after the contract has checked it. */
interface CheckRequest {
  readonly name?: string
  readonly external_id?: string
  readonly details_url?: string
  readonly status?: CheckStatus
  readonly conclusion?: Conclusion
  readonly started_at?: string
  readonly completed_at?: string
  readonly output?: {
    readonly title?: string
    readonly summary?: string
    readonly text?: string
    readonly annotations?: readonly Annotation[]
  }
  readonly actions?: CheckRun['actions']
}

const maxAnnotationBytes = 64 * 1024
const maxAnnotationTitle = 255

function valuesOf(wanted: CheckRequest): CheckRunValues {
  if (wanted.conclusion === undefined && (wanted.status === 'completed' || wanted.completed_at !== undefined)) {
    throw validationFailed({ resource: 'CheckRun', code: 'missing_field', field: 'conclusion' })
  }
  if (wanted.conclusion === 'stale') {
    throw validationFailed({ resource: 'CheckRun', code: 'invalid', field: 'conclusion' })
  }
  if (wanted.conclusion === 'action_required' && wanted.details_url === undefined) {
    throw validationFailed({ resource: 'CheckRun', code: 'missing_field', field: 'details_url' })
  }
  if (wanted.name?.trim() === '') {
    throw validationFailed({ resource: 'CheckRun', code: 'missing_field', field: 'name' })
  }
  wanted.output?.annotations?.forEach(checkAnnotation)
  return {
    name: wanted.name,
    externalId: wanted.external_id,
    detailsUrl: wanted.details_url,
    status: wanted.status,
    conclusion: wanted.conclusion,
    startedAt: wanted.started_at === undefined ? undefined : new Date(wanted.started_at),
    completedAt: wanted.completed_at === undefined ? undefined : new Date(wanted.completed_at),
    ...(wanted.output === undefined ? {} : { output: wanted.output }),
    actions: wanted.actions,
  }
}

function checkAnnotation(annotation: Annotation): void {
  const columns = annotation.start_column !== undefined || annotation.end_column !== undefined
  const wrong =
    annotation.start_line < 1 || annotation.end_line < annotation.start_line
      ? 'end_line'
      : columns && annotation.start_line !== annotation.end_line
        ? 'start_column'
        : Buffer.byteLength(annotation.message) > maxAnnotationBytes
          ? 'message'
          : Buffer.byteLength(annotation.raw_details ?? '') > maxAnnotationBytes
            ? 'raw_details'
            : characters(annotation.title ?? '') > maxAnnotationTitle
              ? 'title'
              : null
  if (wrong !== null) throw validationFailed({ resource: 'CheckAnnotation', code: 'invalid', field: wrong })
}

function listRuns(call: Call, all: readonly CheckRun[]): Answer {
  const { check_name: name, status, app_id: appId, filter } = call.query
  const found = all
    .filter((run) => name === undefined || run.name === name)
    .filter((run) => status === undefined || run.status === status)
    .filter((run) => appId === undefined || run.suite.app.id === appId)
  const listed = (filter ?? 'latest') === 'latest' ? newestOfEachName(found) : found
  return paged(call, listed.toReversed(), (page) => ({
    total_count: listed.length,
    check_runs: page.map((run) => checkRunJson(call.state, run)),
  }))
}

function newestOfEachName(runs: readonly CheckRun[]): CheckRun[] {
  return [...new Map(runs.map((run) => [`${run.suite.id} ${run.name}`, run])).values()]
}

function checkSuiteOf(call: Call): CheckSuite {
  const id = Number(call.path['check_suite_id'])
  const suite = repositoryOf(call).suites.find((known) => known.id === id)
  if (suite === undefined) throw notFound()
  return suite
}
