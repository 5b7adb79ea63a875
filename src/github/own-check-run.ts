import type { WriteUse } from '../inbox/write-slots.ts'
import type { RepositoryRef } from './octokit.ts'
import { type Octokit, timeOf } from './octokit.ts'

/** Writes the bot’s own check run. Its content comes from `report/render/check-run.ts`. */

export interface CheckRunAnnotation {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly level: 'notice' | 'warning' | 'failure'
  readonly title: string
  readonly message: string
}

/** The content of a check run; `report/render/check-run.ts` gives one. */
export interface CheckRunContent {
  readonly status: 'in_progress' | 'completed'
  /** null while in progress. */
  readonly conclusion: 'success' | 'neutral' | 'failure' | 'cancelled' | null
  readonly title: string
  readonly summary: string
  readonly text: string
  readonly annotations: readonly CheckRunAnnotation[]
  /** Three at most. */
  readonly buttons: readonly CheckRunButton[]
}

/** A button under a check run. GitHub takes 20 characters of a label and an identifier, and 40 of a description. */
export interface CheckRunButton {
  readonly label: string
  readonly description: string
  readonly identifier: string
}

export interface OwnCheckRun {
  readonly id: number
  readonly status: string
  readonly conclusion: string | null
  /** ISO 8601; null while in progress. */
  readonly completedAt: string | null
  readonly title: string
  readonly summary: string
  readonly text: string
  /** How many it has. */
  readonly annotations: number
}

/** GitHub's limit for one request. */
const ANNOTATIONS_PER_REQUEST = 50

/**
 * The App's own check run of this name on a commit for a pull request, the newest; null when there is none. Two pull
 * requests may have the same head: which one a check run is of stands in its external id.
 */
export async function findOwnCheckRun(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
  name: string,
  pullRequestNumber: number,
  appId: number,
): Promise<OwnCheckRun | null> {
  const own = (await listNamed(octokit, ref, head, name, { app_id: appId }))
    .filter((run) => run.app?.id === appId && run.external_id === externalId(pullRequestNumber))
    .toSorted((a, b) => b.id - a.id)[0]
  if (own === undefined) return null
  const { id, status, conclusion, completed_at, output } = own
  return {
    id,
    status,
    conclusion,
    completedAt: completed_at,
    title: output.title ?? '',
    summary: output.summary ?? '',
    text: output.text ?? '',
    annotations: output.annotations_count,
  }
}

/** Whether another App than this one has a check run of this name on a commit for a pull request. */
export async function isReportedByOther(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
  name: string,
  pullRequestNumber: number,
  appId: number,
): Promise<boolean> {
  const runs = await listNamed(octokit, ref, head, name)
  return runs.some(({ app, external_id }) => app?.id !== appId && external_id === externalId(pullRequestNumber))
}

/** All of them: each job of a workflow is a check run, and of the App that a job's token is of. */
async function listNamed(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
  name: string,
  only: { readonly app_id?: number } = {},
) {
  // The latest of a name would hide that of the other pull request.
  const wanted = { ...ref, ...only, ref: head, check_name: name, filter: 'all', per_page: 100 } as const
  return await octokit.paginate(octokit.rest.checks.listForRef, wanted)
}

/** Whether what stands on GitHub is what should stand. Annotations and buttons follow from the rest and are not read back. */
export function shows(standing: OwnCheckRun, content: CheckRunContent): boolean {
  return (
    standing.status === content.status &&
    standing.conclusion === content.conclusion &&
    standing.title === content.title &&
    standing.summary === content.summary &&
    // An update without a text leaves the one that stands.
    (content.text === '' || standing.text === content.text)
  )
}

/** Never tried twice by itself, like a comment. */
export async function createCheckRun(
  octokit: Octokit,
  ref: RepositoryRef,
  head: string,
  name: string,
  pullRequestNumber: number,
  content: CheckRunContent,
  detailsUrl: string | null,
  use: WriteUse = 'report',
): Promise<{ readonly id: number; readonly at: number }> {
  const { data, headers } = await octokit.rest.checks.create({
    ...ref,
    name,
    head_sha: head,
    external_id: externalId(pullRequestNumber),
    ...parametersOf(content, detailsUrl),
    request: { retries: 0, use },
  })
  return { id: data.id, at: timeOf(headers) }
}

/**
 * Returns GitHub's time of it, in milliseconds. GitHub appends the annotations of an update to those that stand: one
 * that has some is updated without.
 */
export async function updateCheckRun(
  octokit: Octokit,
  ref: RepositoryRef,
  id: number,
  content: CheckRunContent,
  detailsUrl: string | null,
  use: WriteUse = 'report',
): Promise<number> {
  const { headers } = await octokit.rest.checks.update({
    ...ref,
    check_run_id: id,
    ...parametersOf(content, detailsUrl),
    request: { use },
  })
  return timeOf(headers)
}

function externalId(pullRequestNumber: number): string {
  return `pull request ${pullRequestNumber}`
}

/** The pull request that a check run of the App's own is of; null: it is not one of its. */
export function pullRequestOf(id: string): number | null {
  const [, number] = /^pull request ([1-9]\d{0,9})$/.exec(id) ?? []
  return number === undefined ? null : Number(number)
}

function parametersOf(
  { status, conclusion, title, summary, text, annotations, buttons }: CheckRunContent,
  detailsUrl: string | null,
) {
  return {
    ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
    ...(status === 'completed' && conclusion !== null ? { status, conclusion } : { status: 'in_progress' as const }),
    actions: buttons.map((button) => ({ ...button })),
    output: {
      title,
      summary,
      ...(text === '' ? {} : { text }),
      ...(annotations.length === 0
        ? {}
        : { annotations: annotations.slice(0, ANNOTATIONS_PER_REQUEST).map(annotationOf) }),
    },
  }
}

function annotationOf({ path, line, level, title, message }: CheckRunAnnotation) {
  return { path, start_line: line, end_line: line, annotation_level: level, title, message }
}
