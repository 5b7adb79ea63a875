import { notFound } from '../api-error.ts'
import type { Commit } from '../commit-graph.ts'
import { commitJson, commitWithFilesJson, fileJson } from '../resources/commit.ts'
import { repositoryPage, repositoryUrl } from '../resources/repository.ts'
import { type Answer, type Call, paged, type Route, repositoryOf, shaOf } from '../route.ts'
import type { Repository } from '../state.ts'

const read = ['contents:read']
/** GitHub lists no more files of one comparison. */
const maxFiles = 300

export const commitRoutes: readonly Route[] = [
  {
    operation: 'repos/get-commit',
    needs: read,
    answer: (call) => {
      const repo = repositoryOf(call)
      const commit = repo.graph.get(shaOf(repo, call.path['ref'] ?? ''))
      if (commit === undefined) throw notFound()
      if (String(call.headers.accept).includes('.sha')) {
        return { status: 200, raw: { content: Buffer.from(commit.sha), type: 'application/vnd.github.sha' } }
      }
      return { status: 200, body: commitWithFilesJson(call.state, repo, commit) }
    },
  },
  {
    operation: 'repos/list-commits',
    needs: read,
    answer: (call) => {
      const repo = repositoryOf(call)
      const { sha, path, since, until, author } = call.query
      const found = repo.graph
        .ancestors(shaOf(repo, String(sha ?? repo.defaultBranch)))
        .filter((commit) => since === undefined || commit.date.getTime() >= Date.parse(String(since)))
        .filter((commit) => until === undefined || commit.date.getTime() <= Date.parse(String(until)))
        .filter((commit) => author === undefined || isBy(commit, String(author)))
        .filter((commit) => path === undefined || touches(repo, commit.sha, String(path)))
      return paged(call, found, (page) => page.map((commit) => commitJson(call.state, repo, commit)))
    },
  },
  { operation: 'repos/compare-commits-with-basehead', needs: read, answer: compare },
  {
    operation: 'repos/get-branch',
    needs: read,
    answer: (call) => {
      const repo = repositoryOf(call)
      const name = call.path['branch'] ?? ''
      const commit = repo.graph.get(repo.branches.get(name) ?? '')
      if (commit === undefined) throw notFound()
      const url = `${repositoryUrl(call.state, repo)}/branches/${name}`
      return {
        status: 200,
        body: {
          name,
          commit: commitJson(call.state, repo, commit),
          _links: { self: url, html: `${repositoryPage(call.state, repo)}/tree/${name}` },
          protected: false,
          protection: { enabled: false },
          protection_url: `${url}/protection`,
        },
      }
    },
  },
]

/** GitHub takes a name or an address for the author. */
function isBy({ author: { login, email } }: Commit, author: string): boolean {
  return [login, email].some((known) => known?.toLowerCase() === author.toLowerCase())
}

/** `base...head`: what head has since it left base. Commits come in pages, oldest first. */
function compare(call: Call): Answer {
  const repo = repositoryOf(call)
  const { state } = call
  const [baseName, headName] = (call.path['basehead'] ?? '').split('...')
  if (baseName === undefined || headName === undefined) throw notFound()
  const { graph } = repo
  const base = graph.get(sideOf(repo, baseName))
  const head = graph.get(sideOf(repo, headName))
  if (base === undefined || head === undefined) throw notFound()
  const mergeBase = graph.mergeBase(base.sha, head.sha)
  // GitHub answers so for histories without a common commit.
  if (mergeBase === undefined) throw notFound()
  const ahead = graph.between(base.sha, head.sha)
  const behind = graph.between(head.sha, base.sha)
  const status =
    ahead.length > 0 && behind.length > 0
      ? 'diverged'
      : ahead.length > 0
        ? 'ahead'
        : behind.length > 0
          ? 'behind'
          : 'identical'
  const page = `${repositoryPage(state, repo)}/compare/${baseName}...${headName}`
  return paged(call, ahead, (commits) => ({
    url: `${repositoryUrl(state, repo)}/compare/${baseName}...${headName}`,
    html_url: page,
    permalink_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    base_commit: commitJson(state, repo, base),
    merge_base_commit: commitJson(state, repo, mergeBase),
    status,
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: commits.map((commit) => commitJson(state, repo, commit)),
    // Files are on the first page only.
    files:
      Number(call.query['page'] ?? 1) > 1
        ? []
        : graph
            .changes(mergeBase.sha, head.sha)
            .slice(0, maxFiles)
            .map((change) => fileJson(state, repo, head.sha, change)),
  }))
}

/** A side may name the owner of a fork: `owner:branch`. */
function sideOf(repo: Repository, name: string): string {
  return shaOf(repo, name.includes(':') ? name.slice(name.indexOf(':') + 1) : name)
}

function touches(repo: Repository, sha: string, path: string): boolean {
  const commit = repo.graph.get(sha)
  if (commit === undefined) return false
  return repo.graph
    .changesOf(commit)
    .some((change) => change.path === path || change.path.startsWith(`${path.replace(/\/$/, '')}/`))
}
