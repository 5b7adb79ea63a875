import type { Octokit } from './github-app.ts'
import type { RepositoryRef } from './repository-ref.ts'

export interface CheckRunOutput {
  readonly title: string
  readonly summary: string
  readonly text?: string
  readonly annotations?: readonly CheckRunAnnotation[]
}

export interface CheckRunAnnotation {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly level: 'notice' | 'warning' | 'failure'
  readonly title: string
  readonly message: string
}

export interface CheckRunContent {
  readonly name: string
  /** null while results are outstanding. */
  readonly conclusion: 'success' | 'neutral' | 'failure' | null
  readonly detailsUrl: string | null
  readonly output: CheckRunOutput
}

/** GitHub's limit for one request. */
const ANNOTATIONS_PER_REQUEST = 50

/** The id of the App's own check run of this name on a commit; null when there is none. */
export async function findOwnCheckRun(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
  name: string,
  appId: number,
): Promise<number | null> {
  const { data } = await octokit.rest.checks.listForRef({
    ...ref,
    ref: head,
    check_name: name,
    app_id: appId,
    filter: 'latest',
    per_page: 100,
  })
  return data.check_runs.find((run) => run.app?.id === appId)?.id ?? null
}

/** GitHub creates at most one annotation set a request; what is beyond 50 is left out, and the summary says so. */
export async function createCheckRun(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
  content: CheckRunContent,
): Promise<number> {
  const { data } = await octokit.rest.checks.create({ ...ref, head_sha: head, ...parametersOf(content) })
  return data.id
}

export async function updateCheckRun(
  octokit: Octokit,
  ref: RepositoryRef,
  id: number,
  content: CheckRunContent,
): Promise<void> {
  await octokit.rest.checks.update({ ...ref, check_run_id: id, ...parametersOf(content) })
}

function parametersOf({ name, conclusion, detailsUrl, output }: CheckRunContent) {
  return {
    name,
    ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
    ...(conclusion === null ? { status: 'in_progress' as const } : { status: 'completed' as const, conclusion }),
    output: {
      title: output.title,
      summary: output.summary,
      ...(output.text ? { text: output.text } : {}),
      annotations: (output.annotations ?? []).slice(0, ANNOTATIONS_PER_REQUEST).map((annotation) => ({
        path: annotation.path,
        start_line: annotation.line,
        end_line: annotation.line,
        annotation_level: annotation.level,
        title: annotation.title,
        message: annotation.message,
      })),
    },
  }
}
