/**
 * What an event tells: that something about a pull request may have changed. Nothing in it is believed but the
 * identity; `triage` reads the present state from GitHub.
 */
export interface Hint {
  readonly installationId: number
  readonly repositoryId: number
  readonly owner: string
  readonly repo: string
  /** The pull request when the event names it (same-repository heads); null for forks and commit statuses. */
  readonly pullRequestNumber: number | null
  /** The head commit the event is about: by it the pull request is found when its number is not given. */
  readonly head: string | null
  /** `owner:branch` of the head where the event states it; the cheapest way to find a fork's pull request. */
  readonly headLabel: string | null
  /** A person pressed "Re-run" on the bot's own check. */
  readonly isAskedFor: boolean
}
