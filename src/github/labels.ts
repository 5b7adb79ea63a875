import type { AppIdentity } from './github-app.ts'
import type { Octokit } from './octokit.ts'
import type { RepositoryRef } from './repository-ref.ts'

export interface LabelState {
  readonly isSet: boolean
  /** The last one who set or removed it; null when nobody ever did. */
  readonly lastActor: 'self' | 'other' | null
}

/** The state of each label: whether it is set, and whether the App or somebody else touched it last. */
export async function getLabelStates(
  octokit: Octokit,
  ref: RepositoryRef,
  issueNumber: number,
  names: readonly string[],
  self: AppIdentity,
): Promise<Map<string, LabelState>> {
  const labels = await octokit.paginate(octokit.rest.issues.listLabelsOnIssue, {
    ...ref,
    issue_number: issueNumber,
    per_page: 100,
  })
  // GitHub's labels are the same whatever their case.
  const set = new Set(labels.map(({ name }) => name.toLowerCase()))
  const lastActor = new Map<string, 'self' | 'other'>()
  const events = await octokit.paginate(octokit.rest.issues.listEvents, {
    ...ref,
    issue_number: issueNumber,
    per_page: 100,
  })
  // Oldest first, as GitHub lists them: the last one seen stands.
  for (const event of events) {
    if (event.event !== 'labeled' && event.event !== 'unlabeled') continue
    const name = 'label' in event ? event.label?.name : undefined
    if (name) lastActor.set(name.toLowerCase(), event.actor?.login === self.botLogin ? 'self' : 'other')
  }
  return new Map(
    names.map((name) => {
      const key = name.toLowerCase()
      return [name, { isSet: set.has(key), lastActor: lastActor.get(key) ?? null }]
    }),
  )
}

export async function addLabel(octokit: Octokit, ref: RepositoryRef, issueNumber: number, name: string): Promise<void> {
  await octokit.rest.issues.addLabels({ ...ref, issue_number: issueNumber, labels: [name] })
}

/** Removing what somebody has removed in between is no error. */
export async function removeLabel(
  octokit: Octokit,
  ref: RepositoryRef,
  issueNumber: number,
  name: string,
): Promise<void> {
  try {
    await octokit.rest.issues.removeLabel({ ...ref, issue_number: issueNumber, name })
  } catch (error) {
    if ((error as { status?: number }).status !== 404) throw error
  }
}
