/** `actions/upload-artifact` and `actions/download-artifact` against the local GitHub. */
import { createWriteStream, statSync } from 'node:fs'
import { glob, mkdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fromBufferPromise } from 'yauzl'
import type { LocalGitHub } from '../github/local-github.ts'
import type { Artifact, WorkflowRun } from '../github/state.ts'
import { zipOf } from '../github/zip.ts'
import type { Machine, Outcome } from './machine.ts'

type Inputs = Readonly<Record<string, string>>

export async function upload(
  machine: Machine,
  inputs: Inputs,
  github: LocalGitHub,
  run: WorkflowRun,
): Promise<Outcome> {
  const name = inputs['name'] ?? 'artifact'
  const found = await filesOf(machine.workspace, inputs['path'] ?? '', inputs['include-hidden-files'] === 'true')
  if (found.size === 0) {
    const fails = inputs['if-no-files-found'] === 'error'
    const words = `No files were found with the provided path: ${inputs['path']}. No artifacts will be uploaded.`
    machine.hear(`::${fails ? 'error' : 'warning'}::${words}`)
    return fails ? 'failure' : 'success'
  }
  const before = run.artifacts.find((known) => known.name === name && known.createdAt >= run.startedAt)
  if (before !== undefined) {
    if (inputs['overwrite'] !== 'true') {
      machine.hear(`::error::Failed to CreateArtifact: an artifact with this name already exists on the workflow run`)
      return 'failure'
    }
    run.artifacts.splice(run.artifacts.indexOf(before), 1)
  }
  const members = Object.fromEntries(
    await Promise.all([...found].map(async ([path, member]) => [member, await readFile(path)] as const)),
  )
  const days = Number(inputs['retention-days'] ?? 90)
  await github.uploadArtifact(run, { name, zip: zipOf(members), retentionDays: days })
  machine.log(`Artifact ${name} has been successfully uploaded with ${found.size} files.`)
  return 'success'
}

/**
 * Files by their absolute path, with the name of each in the archive: what all paths have in common is left out.
 * @param paths one a line; `!` takes files out again
 */
async function filesOf(workspace: string, paths: string, withHidden: boolean): Promise<Map<string, string>> {
  const lines = paths.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const wanted = lines.filter((line) => !line.startsWith('!'))
  const found = new Set<string>()
  for (const line of wanted) for (const path of await matching(workspace, line)) found.add(path)
  for (const line of lines.filter((one) => one.startsWith('!')))
    for (const path of await matching(workspace, line.slice(1))) found.delete(path)
  const root = commonFolder(wanted.map((line) => rootOf(workspace, line)))
  const named = [...found].map((path): [string, string] => [path, relative(root, path)])
  return new Map(named.filter(([, name]) => withHidden || !name.split(sep).some((part) => part.startsWith('.'))))
}

async function matching(workspace: string, pattern: string): Promise<string[]> {
  const path = resolve(workspace, pattern)
  const found: string[] = []
  for await (const entry of glob(isFolder(path) ? `${path}/**` : path, { cwd: workspace })) {
    if (!isFolder(entry)) found.push(entry)
  }
  return found
}

/** Up to the first part with a wildcard; of one file its folder. */
function rootOf(workspace: string, pattern: string): string {
  const path = resolve(workspace, pattern)
  const parts = path.split(sep)
  const wild = parts.findIndex((part) => /[*?[\]]/.test(part))
  if (wild >= 0) return parts.slice(0, wild).join(sep)
  return isFolder(path) ? path : dirname(path)
}

function commonFolder(roots: readonly string[]): string {
  const [first = '', ...others] = roots
  const parts = first.split(sep)
  const same = parts.findIndex((part, index) => others.some((other) => other.split(sep)[index] !== part))
  return (same < 0 ? parts : parts.slice(0, same)).join(sep)
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** One artifact into the folder, or each of all into a folder of its name; of another run by its number and a token. */
export async function download(
  machine: Machine,
  inputs: Inputs,
  github: LocalGitHub,
  run: WorkflowRun,
): Promise<Outcome> {
  const { name } = inputs
  const target = resolve(machine.workspace, inputs['path'] ?? '.')
  const archives = inputs['run-id'] === undefined ? ofRun(run) : await ofOtherRun(github.url, inputs, inputs['run-id'])
  if (archives === null) {
    machine.hear('::error::Resource not accessible by integration')
    return 'failure'
  }
  const wanted = name === undefined ? archives : archives.filter((archive) => archive.name === name).slice(-1)
  if (name !== undefined && wanted.length === 0) {
    machine.hear(`::error::Unable to download artifact(s): Artifact not found for name: ${name}`)
    return 'failure'
  }
  const isFlat = name !== undefined || inputs['merge-multiple'] === 'true'
  for (const archive of wanted) await unpack(await archive.zip(), isFlat ? target : join(target, archive.name))
  return 'success'
}

interface Archive {
  readonly name: string
  readonly zip: () => Promise<Buffer>
}

function ofRun({ artifacts }: WorkflowRun): Archive[] {
  return artifacts.map(({ name, content }) => ({ name, zip: () => bytesOf(content) }))
}

async function bytesOf(content: Artifact['content']): Promise<Buffer> {
  return typeof content === 'string' ? await readFile(content) : Buffer.from(content)
}

/** Through the API, as the action does. null: the token may not. */
async function ofOtherRun(url: string, inputs: Inputs, id: string): Promise<Archive[] | null> {
  const headers = { authorization: `Bearer ${inputs['github-token']}` }
  const answer = await fetch(`${url}/repos/${inputs['repository']}/actions/runs/${id}/artifacts?per_page=100`, {
    headers,
  })
  if (!answer.ok) return null
  const { artifacts } = (await answer.json()) as { artifacts: { name: string; archive_download_url: string }[] }
  return artifacts.map(({ name, archive_download_url }) => ({
    name,
    zip: async () => Buffer.from(await (await fetch(archive_download_url, { headers })).arrayBuffer()),
  }))
}

/** Names that lead out of the folder are refused by the reader of the archive. */
async function unpack(zip: Buffer, folder: string): Promise<void> {
  const archive = await fromBufferPromise(zip, { lazyEntries: true, strictFileNames: true })
  for await (const entry of archive.eachEntry()) {
    const path = join(folder, entry.fileName)
    if (entry.fileName.endsWith('/')) continue
    await mkdir(dirname(path), { recursive: true })
    await pipeline(await archive.openReadStreamPromise(entry), createWriteStream(path))
  }
}
