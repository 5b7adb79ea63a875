import { fullName, type Repository, type State } from '../state.ts'
import { accountJson } from './account.ts'
import { type JsonObject, nodeId, time } from './json.ts'

export function repositoryUrl(state: State, repo: Repository): string {
  return `${state.apiUrl}/repos/${fullName(repo)}`
}

export function repositoryPage(state: State, repo: Repository): string {
  return `${state.origin}/${fullName(repo)}`
}

/** The short form inside events about installations. */
export function repositoryReference(repo: Repository): JsonObject {
  return {
    id: repo.id,
    node_id: nodeId('R', repo.id),
    name: repo.name,
    full_name: fullName(repo),
    private: repo.private,
  }
}

/** `simple-repository`, with the addresses that every form has. */
export function simpleRepositoryJson(state: State, repo: Repository): JsonObject {
  const url = repositoryUrl(state, repo)
  return {
    ...repositoryReference(repo),
    owner: accountJson(state, repo.owner),
    html_url: repositoryPage(state, repo),
    description: null,
    fork: repo.fork,
    url,
    archive_url: `${url}/{archive_format}{/ref}`,
    assignees_url: `${url}/assignees{/user}`,
    blobs_url: `${url}/git/blobs{/sha}`,
    branches_url: `${url}/branches{/branch}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    comments_url: `${url}/comments{/number}`,
    commits_url: `${url}/commits{/sha}`,
    compare_url: `${url}/compare/{base}...{head}`,
    contents_url: `${url}/contents/{+path}`,
    contributors_url: `${url}/contributors`,
    deployments_url: `${url}/deployments`,
    downloads_url: `${url}/downloads`,
    events_url: `${url}/events`,
    forks_url: `${url}/forks`,
    git_commits_url: `${url}/git/commits{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    hooks_url: `${url}/hooks`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    issue_events_url: `${url}/issues/events{/number}`,
    issues_url: `${url}/issues{/number}`,
    keys_url: `${url}/keys{/key_id}`,
    labels_url: `${url}/labels{/name}`,
    languages_url: `${url}/languages`,
    merges_url: `${url}/merges`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    pulls_url: `${url}/pulls{/number}`,
    releases_url: `${url}/releases{/id}`,
    stargazers_url: `${url}/stargazers`,
    statuses_url: `${url}/statuses/{sha}`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    tags_url: `${url}/tags`,
    teams_url: `${url}/teams`,
    trees_url: `${url}/git/trees{/sha}`,
  }
}

/** `repository`, as lists, pull requests and webhooks carry it. */
export function repositoryJson(state: State, repo: Repository): JsonObject {
  const page = repositoryPage(state, repo)
  return {
    ...simpleRepositoryJson(state, repo),
    git_url: `${page.replace(/^https?/, 'git')}.git`,
    ssh_url: `git@localhost:${fullName(repo)}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    homepage: null,
    language: 'C++',
    forks: 0,
    forks_count: 0,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    size: 1024,
    open_issues: openIssues(repo),
    open_issues_count: openIssues(repo),
    is_template: false,
    topics: [],
    has_issues: true,
    has_projects: true,
    has_wiki: false,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    archived: false,
    disabled: false,
    visibility: repo.private ? 'private' : 'public',
    allow_forking: true,
    web_commit_signoff_required: false,
    mirror_url: null,
    license: null,
    default_branch: repo.defaultBranch,
    pushed_at: time(repo.pushedAt),
    created_at: time(repo.createdAt),
    updated_at: time(repo.pushedAt),
  }
}

/** `full-repository`. */
export function fullRepositoryJson(state: State, repo: Repository): JsonObject {
  return { ...repositoryJson(state, repo), network_count: 0, subscribers_count: 0 }
}

/** `push` alone has its times as seconds since 1970. */
export function pushRepositoryJson(state: State, repo: Repository): JsonObject {
  return {
    ...repositoryJson(state, repo),
    url: repositoryPage(state, repo),
    created_at: Math.floor(repo.createdAt.getTime() / 1000),
    pushed_at: Math.floor(repo.pushedAt.getTime() / 1000),
    stargazers: 0,
    master_branch: repo.defaultBranch,
  }
}

function openIssues(repo: Repository): number {
  return [...repo.pulls.values(), ...repo.issues.values()].filter(({ state }) => state === 'open').length
}
