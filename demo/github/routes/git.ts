import { ApiError, notFound } from '../api-error.ts'
import { deleteBranch, moveBranch } from '../changes/pulls.ts'
import { type GitObjects, isFolder, type Mode, type TreeEntry } from '../git-objects.ts'
import { gitCommitJson } from '../resources/commit.ts'
import { type JsonObject, nodeId } from '../resources/json.ts'
import { repositoryUrl } from '../resources/repository.ts'
import { type Answer, author, base64Text, type Call, paged, type Route, rawAnswer, repositoryOf } from '../route.ts'
import { emailOf, refsOf } from '../state.ts'

const read = ['contents:read']
const write = ['contents:write']

/** Git's own data: objects that are made one by one, and the branches that name them. */
export const gitRoutes: readonly Route[] = [
  {
    operation: 'git/get-ref',
    needs: read,
    answer: (call) => {
      const repo = repositoryOf(call)
      const ref = `refs/${call.path['ref']}`
      const sha = refsOf(repo).get(ref)
      if (sha === undefined) throw notFound()
      return { status: 200, body: refJson(call, ref, sha) }
    },
  },
  {
    operation: 'git/list-matching-refs',
    needs: read,
    answer: (call) => {
      const found = [...refsOf(repositoryOf(call))].filter(([ref]) => ref.startsWith(`refs/${call.path['ref']}`))
      return paged(call, found, (page) => page.map(([ref, sha]) => refJson(call, ref, sha)))
    },
  },
  { operation: 'git/create-ref', needs: write, person: 'write', answer: createRef },
  { operation: 'git/update-ref', needs: write, person: 'write', answer: updateRef },
  {
    operation: 'git/delete-ref',
    needs: write,
    person: 'write',
    answer: (call) => {
      const repo = repositoryOf(call)
      const branch = branchOf(`refs/${call.path['ref']}`)
      if (!repo.branches.has(branch)) throw new ApiError(422, 'Reference does not exist')
      deleteBranch(call, repo, branch, author(call).account)
      return { status: 204 }
    },
  },
  {
    operation: 'git/get-commit',
    needs: read,
    answer: (call) => {
      const repo = repositoryOf(call)
      const commit = repo.graph.commits.get(call.path['commit_sha'] ?? '')
      if (commit === undefined) throw notFound()
      return { status: 200, body: gitCommitJson(call.state, repo, commit) }
    },
  },
  { operation: 'git/create-commit', needs: write, person: 'write', answer: createCommit },
  {
    operation: 'git/get-tree',
    needs: read,
    answer: (call) => {
      const repo = repositoryOf(call)
      const name = call.path['tree_sha'] ?? ''
      const commit = repo.graph.get(repo.branches.get(name) ?? name)
      return { status: 200, body: treeJson(call, commit?.treeSha ?? name, call.query['recursive'] !== undefined) }
    },
  },
  { operation: 'git/create-tree', needs: write, person: 'write', answer: createTree },
  {
    operation: 'git/get-blob',
    needs: read,
    answer: (call) => {
      const sha = call.path['file_sha'] ?? ''
      const content = repositoryOf(call).graph.objects.read('blob', sha)
      if (content === undefined) throw notFound()
      const about = { ...shortBlobJson(call, sha), node_id: nodeId('B', sha), size: content.length }
      const body = { ...about, content: base64Text(content), encoding: 'base64' }
      return rawAnswer(call, content) ?? { status: 200, body }
    },
  },
  {
    operation: 'git/create-blob',
    needs: write,
    person: 'write',
    answer: (call) => {
      const { content, encoding = 'utf-8' } = call.body as { content: string; encoding?: string }
      const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8')
      return { status: 201, body: shortBlobJson(call, repositoryOf(call).graph.objects.add('blob', bytes)) }
    },
  },
]

function createRef(call: Call): Answer {
  const repo = repositoryOf(call)
  const { ref, sha } = call.body as { ref: string; sha: string }
  const branch = branchOf(ref)
  if (!repo.graph.commits.has(sha)) throw new ApiError(422, 'Object does not exist')
  if (repo.branches.has(branch)) throw new ApiError(422, 'Reference already exists')
  moveBranch(call, repo, branch, sha, author(call).account)
  return { status: 201, body: refJson(call, ref, sha) }
}

function updateRef(call: Call): Answer {
  const repo = repositoryOf(call)
  const ref = `refs/${call.path['ref']}`
  const branch = branchOf(ref)
  const { sha, force = false } = call.body as { sha: string; force?: boolean }
  const before = repo.branches.get(branch)
  if (before === undefined) throw new ApiError(422, 'Reference does not exist')
  if (!repo.graph.commits.has(sha)) throw new ApiError(422, 'Object does not exist')
  if (!force && !repo.graph.descends(sha, before)) throw new ApiError(422, 'Update is not a fast forward')
  if (sha !== before) moveBranch(call, repo, branch, sha, author(call).account)
  return { status: 200, body: refJson(call, ref, sha) }
}

/** @throws ApiError for anything but a branch: nobody writes tags here */
function branchOf(ref: string): string {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  if (branch === undefined) throw new ApiError(422, 'Reference name is not that of a branch')
  return branch
}

function createCommit(call: Call): Answer {
  const repo = repositoryOf(call)
  const given = call.body as {
    message: string
    tree: string
    parents?: readonly string[]
    author?: { name: string; email: string; date?: string }
  }
  if (repo.graph.objects.read('tree', given.tree) === undefined) throw new ApiError(422, 'Tree SHA does not exist')
  const parents = given.parents ?? []
  if (parents.some((sha) => !repo.graph.commits.has(sha)))
    throw new ApiError(422, 'Parent SHA does not exist or is not a commit object')
  const { account } = author(call)
  const { name, email } = given.author ?? { name: account.login, email: emailOf(account) }
  const commit = repo.graph.commit({
    treeSha: given.tree,
    parents,
    message: given.message,
    author: { name, email, login: given.author === undefined ? account.login : null },
    date: given.author?.date === undefined ? call.state.now() : new Date(given.author.date),
  })
  return { status: 201, body: gitCommitJson(call.state, repo, commit) }
}

interface WantedEntry {
  readonly path: string
  readonly mode: Mode
  readonly sha?: string | null
  readonly content?: string
}

/** Files in place of, beside or, with `sha: null`, out of those of another tree. */
function createTree(call: Call): Answer {
  const { graph } = repositoryOf(call)
  const { tree, base_tree: base } = call.body as { tree: readonly WantedEntry[]; base_tree?: string }
  const start = base === undefined ? undefined : (graph.commits.get(base)?.treeSha ?? base)
  if (start !== undefined && graph.objects.read('tree', start) === undefined) throw notFound()
  const files = start === undefined ? new Map() : graph.objects.filesOf(start)
  for (const entry of tree) {
    if (entry.sha === null) files.delete(entry.path)
    else files.set(entry.path, blobOf(graph.objects, entry))
  }
  return { status: 201, body: treeJson(call, graph.objects.treeOf(files), false) }
}

function blobOf(objects: GitObjects, { sha, content, mode, path }: WantedEntry) {
  if (content !== undefined) return objects.blob(Buffer.from(content, 'utf8'), mode)
  const known = objects.read('blob', sha ?? '')
  if (known === undefined) throw new ApiError(422, `tree.sha ${sha} is not a valid blob: ${path}`)
  return objects.blob(known, mode)
}

function treeJson(call: Call, sha: string, recursive: boolean): JsonObject {
  const repo = repositoryOf(call)
  const url = `${repositoryUrl(call.state, repo)}/git`
  const { objects } = repo.graph
  const listed = (tree: string, prefix: string): JsonObject[] =>
    (objects.entries(tree) ?? []).flatMap((entry) => [
      entryJson(url, objects, entry, prefix),
      ...(recursive && isFolder(entry) ? listed(entry.sha, `${prefix}${entry.name}/`) : []),
    ])
  if (objects.entries(sha) === undefined) throw notFound()
  return { sha, url: `${url}/trees/${sha}`, tree: listed(sha, ''), truncated: false }
}

function entryJson(url: string, objects: GitObjects, entry: TreeEntry, prefix: string): JsonObject {
  const { sha, mode, name } = entry
  const common = { path: prefix + name, mode: mode.padStart(6, '0'), sha }
  return isFolder(entry)
    ? { ...common, type: 'tree', url: `${url}/trees/${sha}` }
    : { ...common, type: 'blob', size: objects.read('blob', sha)?.length ?? 0, url: `${url}/blobs/${sha}` }
}

function shortBlobJson(call: Call, sha: string): JsonObject {
  return { sha, url: `${repositoryUrl(call.state, repositoryOf(call))}/git/blobs/${sha}` }
}

function refJson(call: Call, ref: string, sha: string): JsonObject {
  const url = `${repositoryUrl(call.state, repositoryOf(call))}/git`
  return {
    ref,
    node_id: nodeId('REF', ref),
    url: `${url}/${ref}`,
    object: { type: 'commit', sha, url: `${url}/commits/${sha}` },
  }
}
