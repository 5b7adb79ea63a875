/** From an event of the local GitHub to a run: on which commit, and with whose workflow files. */
import type { PullRequest, Repository } from '../github/state.ts'
import type { HeardEvent } from '../github/webhooks.ts'
import type { Occasion } from './triggers.ts'

export interface Happening extends Occasion {
  readonly repo: Repository
  /** `github.sha`: what is checked out, and whose workflow files run. */
  readonly sha: string
  /** `github.ref`. */
  readonly ref: string
  readonly pull: PullRequest | null
  readonly actor: string
  /** The body of the webhook; it is the job's event file. */
  readonly body: Readonly<Record<string, unknown>>
  readonly inputs: Readonly<Record<string, string>>
}

const none = { branch: null, tag: null, paths: null, workflow: null, pull: null, inputs: {} }

/** null: no event that starts workflows. What a job's token did starts none, and a fork has none of its own. */
export function happeningOf(heard: HeardEvent): Happening | null {
  const { event, action, repo, sender, body } = heard
  if (repo.fork || (sender.login === 'github-actions[bot]' && event !== 'workflow_run')) return null
  const common = { ...none, event, action, repo, actor: sender.login, body: { ...body } }
  if (event === 'push') return ofPush(common)
  if (event === 'pull_request') return ofPull(common)
  if (event === 'workflow_run') return ofWorkflowRun(common)
  if (event === 'issue_comment') return ofTrunk(common)
  return null
}

/** The context `github` as far as the event gives it. */
export function githubOf({ ref, sha, pull, event, body, actor }: Happening, workflow: string) {
  return {
    ref,
    ref_name: ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    sha,
    head_ref: pull?.head.ref ?? '',
    base_ref: pull?.base.ref ?? '',
    event_name: event,
    event: body,
    actor,
    workflow,
  }
}

/** Somebody starts a workflow by hand. */
export function dispatched(
  repo: Repository,
  branch: string,
  actor: string,
  inputs: Readonly<Record<string, string>>,
): Happening {
  const ref = `refs/heads/${branch}`
  const sha = repo.branches.get(branch)
  if (sha === undefined) throw new Error(`no branch ${branch}`)
  const event = 'workflow_dispatch'
  return { ...none, event, action: null, repo, actor, body: { inputs, ref }, branch, ref, sha, inputs }
}

type Common = Omit<Happening, 'ref' | 'sha'>

function ofPush(common: Common): Happening | null {
  const { ref, before, after, deleted } = common.body as Record<'ref' | 'before' | 'after', string> & {
    deleted: boolean
  }
  if (deleted) return null
  const [, kind, name = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(ref) ?? []
  const paths = kind === 'heads' ? pathsOf(common.repo, before, after) : null
  const [branch, tag] = kind === 'heads' ? [name, null] : [null, name]
  return { ...common, ref, sha: after, branch, tag, paths }
}

function ofPull(common: Common): Happening | null {
  const pull = common.repo.pulls.get(common.body['number'] as number)
  if (pull === undefined || pull.mergeCommitSha === null) return null
  const { graph } = common.repo
  const start = graph.mergeBase(pull.base.sha, pull.head.sha)?.sha ?? pull.base.sha
  return {
    ...common,
    pull,
    ref: `refs/pull/${pull.number}/merge`,
    sha: pull.mergeCommitSha,
    branch: pull.base.ref,
    paths: pathsOf(common.repo, start, pull.head.sha),
  }
}

function ofWorkflowRun(common: Common): Happening | null {
  const { name, head_branch } = common.body['workflow_run'] as { name: string; head_branch: string }
  const happening = ofTrunk(common)
  return happening === null ? null : { ...happening, workflow: name, branch: head_branch }
}

/** Nothing of the pull request decides what runs: the files are those of the default branch. */
function ofTrunk(common: Common): Happening | null {
  const { repo } = common
  const sha = repo.branches.get(repo.defaultBranch)
  return sha === undefined ? null : { ...common, sha, ref: `refs/heads/${repo.defaultBranch}` }
}

function pathsOf({ graph }: Repository, before: string, after: string): string[] {
  return graph.changes(before, after).map(({ path }) => path)
}
