import type { WriteUse } from '../inbox/write-slots.ts'
import type { AppIdentity } from './github-app.ts'
import type { RepositoryRef } from './octokit.ts'
import { type Octokit, timeOf } from './octokit.ts'

/** Finds and writes the bot’s own comment on a pull request. Its text comes from `report/render/comment.ts`. */

export interface OwnComment {
  readonly id: number
  readonly body: string
  readonly url: string
}

/**
 * The bot's comment on a pull request: by its stored id, else by marker and author over all pages. A comment that only
 * carries the marker is somebody else's; a stored id that leads nowhere means that a person deleted it.
 */
export async function findOwnComment(
  octokit: Octokit,
  ref: RepositoryRef,
  pullRequestNumber: number,
  isMarked: (body: string) => boolean,
  self: AppIdentity,
  storedId: number | null,
): Promise<OwnComment | null> {
  if (storedId !== null) {
    const stored = await getComment(octokit, ref, storedId)
    if (stored !== null) return stored
  }
  for await (const { data } of commentPages(octokit, ref, pullRequestNumber)) {
    const own = data.find(
      ({ body, user, performed_via_github_app: app }) =>
        isMarked(body ?? '') && (app?.id === self.appId || user?.login === self.botLogin),
    )
    if (own) return { id: own.id, body: own.body ?? '', url: own.html_url }
  }
  return null
}

/** Whether another App has a comment on a pull request that begins as one of its own. `isMarked`: of this text, by the App of this slug. */
export async function isCommentedByOther(
  octokit: Octokit,
  ref: RepositoryRef,
  pullRequestNumber: number,
  isMarked: (body: string, slug: string) => boolean,
  self: AppIdentity,
): Promise<boolean> {
  for await (const { data } of commentPages(octokit, ref, pullRequestNumber)) {
    const isOther = data.some(({ body, user }) => {
      const slug = /^([a-z0-9-]+)\[bot\]$/i.exec(user?.login ?? '')?.[1]
      return slug !== undefined && slug !== self.slug && user?.type === 'Bot' && isMarked(body ?? '', slug)
    })
    if (isOther) return true
  }
  return false
}

function commentPages(octokit: Octokit, ref: RepositoryRef, pullRequestNumber: number) {
  const wanted = { ...ref, issue_number: pullRequestNumber, per_page: 100 }
  return octokit.paginate.iterator(octokit.rest.issues.listComments, wanted)
}

async function getComment(octokit: Octokit, ref: RepositoryRef, id: number): Promise<OwnComment | null> {
  try {
    const { data } = await octokit.rest.issues.getComment({ ...ref, comment_id: id })
    return { id: data.id, body: data.body ?? '', url: data.html_url }
  } catch (error) {
    if ((error as { status?: number }).status === 404) return null
    throw error
  }
}

/** Never tried twice by itself: where GitHub took it and the answer was lost, a second try would be a second comment. */
export async function createComment(
  octokit: Octokit,
  ref: RepositoryRef,
  pullRequestNumber: number,
  body: string,
  use: WriteUse = 'report',
): Promise<OwnComment & { readonly at: number }> {
  const { data, headers } = await octokit.rest.issues.createComment({
    ...ref,
    issue_number: pullRequestNumber,
    body,
    request: { retries: 0, use },
  })
  return { id: data.id, body, url: data.html_url, at: timeOf(headers) }
}

/** Returns GitHub's time of it, in milliseconds. */
export async function updateComment(
  octokit: Octokit,
  ref: RepositoryRef,
  id: number,
  body: string,
  use: WriteUse = 'report',
): Promise<number> {
  const { headers } = await octokit.rest.issues.updateComment({ ...ref, comment_id: id, body, request: { use } })
  return timeOf(headers)
}
