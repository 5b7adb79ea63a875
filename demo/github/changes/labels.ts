import { labelJson, pullJson } from '../resources/pull-request.ts'
import { type IssueEvent, type Label, labelOf, type PullRequest, type Repository, type State } from '../state.ts'
import type { Author, World } from '../world.ts'

export function createLabel(
  state: State,
  repo: Repository,
  values: { readonly name: string; readonly color?: string | undefined; readonly description?: string | undefined },
): Label {
  const label: Label = {
    id: state.id('label'),
    name: values.name,
    color: values.color ?? 'ededed',
    description: values.description ?? null,
  }
  repo.labels.set(values.name.toLowerCase(), label)
  return label
}

/** Adds labels to a pull request; those that the repository lacks are made first. */
export function addLabels(world: World, pull: PullRequest, by: Author, names: readonly string[]): void {
  for (const name of names) {
    const label = labelOf(pull.repo, name) ?? createLabel(world.state, pull.repo, { name })
    if (pull.labels.includes(label)) continue
    pull.labels.push(label)
    record(world, pull, by, 'labeled', label)
  }
}

export function removeLabel(world: World, pull: PullRequest, by: Author, label: Label): void {
  pull.labels.splice(pull.labels.indexOf(label), 1)
  record(world, pull, by, 'unlabeled', label)
}

function record(world: World, pull: PullRequest, by: Author, event: 'labeled' | 'unlabeled', label: Label): void {
  const { state } = world
  addIssueEvent(state, pull, by, event, { label })
  world.webhooks.emit('pull_request', event, pull.repo, by.account, {
    number: pull.number,
    pull_request: pullJson(state, pull),
    label: labelJson(state, pull.repo, label),
  })
}

export function addIssueEvent(
  state: State,
  pull: PullRequest,
  by: Author,
  event: IssueEvent['event'],
  details: { readonly label?: Label; readonly commitId?: string } = {},
): void {
  const now = state.now()
  pull.updatedAt = now
  pull.events.push({
    id: state.id('event'),
    event,
    actor: by.account,
    app: by.app,
    label: details.label ?? null,
    commitId: details.commitId ?? null,
    at: now,
  })
}
