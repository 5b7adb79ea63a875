import type { KnownPerson } from '../inbox/people.ts'
import type { WriteUse } from '../inbox/write-slots.ts'
import type { Octokit, RepositoryRef } from './octokit.ts'

/** A person or an App. */
export interface Account {
  readonly id: number
  readonly login: string
  readonly isBot: boolean
}

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
    return data.user?.id === id ? permissionIn(data) : 'none'
  } catch (error) {
    if ((error as { status?: number }).status === 404) return 'none'
    throw error
  }
}

function permissionIn(data: { readonly role_name: string; readonly permission: string }): Permission {
  // A role that an organization made has a name of its own; `permission` says what it is built on, without `triage`.
  return (
    PERMISSIONS.find((known) => known === data.role_name) ??
    PERMISSIONS.find((known) => known === data.permission) ??
    'none'
  )
}

/**
 * Names that GitHub gives. GitHub takes an address for the author of a commit as well, and everybody may write one into the
 * name of a repository in CI results: `ada@example.org` is asked about nowhere.
 */
const LOGIN = /^[a-z\d][\w-]{0,99}(?:\[bot\])?$/i

/**
 * Whether somebody's word counts in the repository: they may write to it, or a commit of theirs is on the default branch. One
 * call, and a second one for who may not write. Throws when GitHub does not say.
 */
export async function standingOnGitHub(octokit: Octokit, ref: RepositoryRef, login: string): Promise<KnownPerson> {
  if (!LOGIN.test(login)) return { login, accountId: null, trusted: null }
  const account = await octokit.rest.repos
    .getCollaboratorPermissionLevel({ ...ref, username: login })
    .then(({ data }) => ({ id: data.user?.id ?? null, permission: permissionIn(data) }))
    .catch((error: unknown) => {
      // An organization, or nobody any more: of both there may be commits.
      if ((error as { status?: number }).status === 404) return { id: null, permission: 'none' as const }
      throw error
    })
  const person = { login, accountId: account.id }
  if (PERMISSIONS.indexOf(account.permission) >= PERMISSIONS.indexOf('write'))
    return { ...person, trusted: 'may-write' }
  const { data: commits } = await octokit.rest.repos.listCommits({ ...ref, author: login, per_page: 1 })
  const author = commits[0]?.author?.login
  return { ...person, trusted: author?.toLowerCase() === login.toLowerCase() ? 'has-commit' : null }
}

/** GitHub keeps one reaction of each kind, however often it is given. */
export async function react(
  octokit: Octokit,
  ref: RepositoryRef,
  commentId: number,
  content: '+1' | 'confused',
  use: WriteUse,
): Promise<void> {
  await octokit.rest.reactions.createForIssueComment({ ...ref, comment_id: commentId, content, request: { use } })
}
