import type { Account } from '../events/event.ts'
import type { Octokit } from './octokit.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** What a person may do in a repository, the least first. */
export const PERMISSIONS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const
export type Permission = (typeof PERMISSIONS)[number]

/** The text of a comment as it stands now; null where it is gone. */
export async function commentBody(octokit: Octokit, ref: RepositoryRef, commentId: number): Promise<string | null> {
  try {
    const { data } = await octokit.rest.issues.getComment({ ...ref, comment_id: commentId })
    return data.body ?? ''
  } catch (error) {
    if ((error as { status?: number }).status === 404) return null
    throw error
  }
}

/**
 * What GitHub says a person may do. Logins change hands: `none` where it is another person's by now. Throws when GitHub does
 * not say, and the caller refuses or tries again.
 */
export async function permissionOf(octokit: Octokit, ref: RepositoryRef, { id, login }: Account): Promise<Permission> {
  try {
    const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ ...ref, username: login })
    if (data.user?.id !== id) return 'none'
    // A role that an organization made has a name of its own; `permission` says what it is built on, without `triage`.
    return (
      PERMISSIONS.find((known) => known === data.role_name) ??
      PERMISSIONS.find((known) => known === data.permission) ??
      'none'
    )
  } catch (error) {
    if ((error as { status?: number }).status === 404) return 'none'
    throw error
  }
}

/** GitHub keeps one reaction of each kind, however often it is given. */
export async function react(
  octokit: Octokit,
  ref: RepositoryRef,
  commentId: number,
  content: '+1' | 'confused',
): Promise<void> {
  await octokit.rest.reactions.createForIssueComment({ ...ref, comment_id: commentId, content })
}
