import type { AppIdentity } from './github-app.ts'
import type { Octokit, RepositoryRef } from './octokit.ts'
import type { Account } from './people.ts'

/** Labels of a pull request, and whether the App or a person touched them last. */

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

/** Who set or removed a label last, and when. */
export interface LabelChange {
  /** GitHub's number of the change. */
  readonly id: number
  readonly isSet: boolean
  readonly by: Account
  /** In milliseconds. */
  readonly at: number
}

/** The last change of a label on a pull request; null: there was none, or the account that made it is gone. */
export async function lastLabelChange(
  octokit: Octokit,
  ref: RepositoryRef,
  issueNumber: number,
  name: string,
): Promise<LabelChange | null> {
  const events = await octokit.paginate(octokit.rest.issues.listEvents, {
    ...ref,
    issue_number: issueNumber,
    per_page: 100,
  })
  const last = events.findLast(
    (event) =>
      (event.event === 'labeled' || event.event === 'unlabeled') &&
      'label' in event &&
      event.label?.name?.toLowerCase() === name.toLowerCase(),
  )
  if (last?.actor == null) return null
  const { id, login, type } = last.actor
  const by = { id, login, isBot: type === 'Bot' }
  return { id: last.id, isSet: last.event === 'labeled', by, at: Date.parse(last.created_at) }
}

/** Makes a label that people set, where the repository lacks it: by name, with a colour and what it does. */
export async function ensureLabel(
  octokit: Octokit,
  ref: RepositoryRef,
  label: { readonly name: string; readonly color: string; readonly description: string },
): Promise<void> {
  try {
    await octokit.rest.issues.getLabel({ ...ref, name: label.name })
  } catch (error) {
    if ((error as { status?: number }).status !== 404) throw error
    await octokit.rest.issues.createLabel({ ...ref, ...label }).catch((refusal: unknown) => {
      // Somebody made it in between.
      if ((refusal as { status?: number }).status !== 422) throw refusal
    })
  }
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
