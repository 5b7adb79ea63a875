import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as yauzl from 'yauzl'
import { zipOf } from '../../demo/github/zip.ts'
import { makeSetting, type Setting } from './setting.ts'

let setting: Setting

beforeEach(async () => {
  setting = await makeSetting()
})

afterEach(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.github.stop()
})

async function membersOf(archive: Uint8Array): Promise<Record<string, string>> {
  const zip = await yauzl.fromBufferPromise(Buffer.from(archive))
  const members: Record<string, string> = {}
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    members[entry.fileName] = Buffer.concat(chunks).toString('utf8')
  }
  return members
}

test('the runs of a head, with their artifacts', async () => {
  const { github, octokit, repo, at } = setting
  const { actions } = octokit.rest
  const pull = github.openPullRequest({ repo, head: 'one' })
  const run = github.startWorkflowRun(repo, { name: 'PR', pull })
  github.startWorkflowRun(repo, { name: 'Master' })
  const { data } = await actions.listWorkflowRunsForRepo({ ...at, head_sha: pull.head.sha })
  expect(data.workflow_runs.map(({ id }) => id)).toEqual([run.id])
  expect(data.workflow_runs[0]?.pull_requests?.map(({ number }) => number)).toEqual([pull.number])
  const zip = zipOf({ 'a.tsv': 'a' })
  await github.finishWorkflowRun(run, {
    artifacts: [
      { name: 'performance-arm', zip },
      { name: 'logs', zip },
    ],
  })
  const one = { ...at, run_id: run.id }
  expect((await actions.getWorkflowRun(one)).data).toMatchObject({ status: 'completed', conclusion: 'success' })
  expect((await actions.listWorkflowRunArtifacts(one)).data.artifacts.map(({ name }) => name)).toEqual([
    'logs',
    'performance-arm',
  ])
  const named = await actions.listArtifactsForRepo({ ...at, name: 'performance-arm' })
  expect(named.data).toMatchObject({ total_count: 1, artifacts: [{ name: 'performance-arm', expired: false }] })
  const artifact = await actions.getArtifact({ ...at, artifact_id: named.data.artifacts[0]!.id })
  expect(artifact.data.workflow_run?.head_sha).toBe(pull.head.sha)
})

test('a run again is the same run in its next attempt', async () => {
  const { github, octokit, repo, at } = setting
  const run = github.startWorkflowRun(repo, { name: 'PR' })
  const one = { ...at, run_id: run.id }
  await expect(octokit.rest.actions.reRunWorkflow(one)).rejects.toMatchObject({ status: 403 })
  await github.finishWorkflowRun(run, { conclusion: 'failure' })
  await octokit.rest.actions.reRunWorkflow(one)
  expect((await octokit.rest.actions.getWorkflowRun(one)).data).toMatchObject({ run_attempt: 2, conclusion: null })
})

test('a download is a redirect to another origin, good for a minute and without a token', async () => {
  const { github, octokit, repo, at } = setting
  const run = github.startWorkflowRun(repo, { name: 'PR' })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'p', zip: zipOf({ 'a/b.tsv': 'text'.repeat(1000) }) }] })
  const one = { ...at, artifact_id: run.artifacts[0]!.id, archive_format: 'zip' }
  const answer = await octokit.rest.actions.downloadArtifact({ ...one, request: { redirect: 'manual' } })
  expect(answer.status).toBe(302)
  const location = String(answer.headers.location)
  expect(new URL(location).origin).toBe(github.blobUrl)
  expect(github.blobUrl).not.toBe(github.url)
  expect((await fetch(location, { headers: { authorization: 'token x' } })).status).toBe(401)
  expect((await fetch(location + 'x')).status).toBe(403)
  const response = await fetch(location)
  expect(response.headers.get('content-type')).toBe('application/zip')
  expect(await membersOf(await response.bytes())).toEqual({ 'a/b.tsv': 'text'.repeat(1000) })
  github.advance(60_001)
  expect((await fetch(location)).status).toBe(403)
  // The client follows the redirect by itself and leaves the token behind.
  const followed = await octokit.rest.actions.downloadArtifact(one)
  expect(Object.keys(await membersOf(new Uint8Array(followed.data as ArrayBuffer)))).toEqual(['a/b.tsv'])
})

test('an artifact from a file is streamed; an expired one is gone', async () => {
  const { github, octokit, repo, at } = setting
  const folder = await mkdtemp(join(tmpdir(), 'artifact-'))
  const path = join(folder, 'a.zip')
  await writeFile(path, zipOf({ 'x.txt': 'from a file' }, 'store'))
  const run = github.startWorkflowRun(repo, { name: 'PR' })
  await github.finishWorkflowRun(run, {
    artifacts: [
      { name: 'file', zip: path },
      { name: 'old', zip: path, retentionDays: 0 },
    ],
  })
  const download = (artifact_id: number) =>
    octokit.rest.actions.downloadArtifact({ ...at, artifact_id, archive_format: 'zip' })
  const { data } = await download(run.artifacts[0]!.id)
  expect(await membersOf(new Uint8Array(data as ArrayBuffer))).toEqual({ 'x.txt': 'from a file' })
  await expect(download(run.artifacts[1]!.id)).rejects.toMatchObject({ status: 410 })
  github.fault({ path: /^\/artifacts\//, times: 1, kind: 'truncate' })
  const one = { ...at, artifact_id: run.artifacts[0]!.id, archive_format: 'zip' }
  const { headers } = await octokit.rest.actions.downloadArtifact({ ...one, request: { redirect: 'manual' } })
  const broken = await fetch(String(headers.location))
  await expect(broken.bytes()).rejects.toThrow()
  await rm(folder, { recursive: true })
})

test('the run of a fork names no pull request', async () => {
  const { github, octokit, repo, at } = setting
  const pull = github.openPullRequest({ repo, head: 'patch-1', fork: { owner: 'mallory' } })
  const run = github.startWorkflowRun(repo, { name: 'PR', pull })
  const { data } = await octokit.rest.actions.getWorkflowRun({ ...at, run_id: run.id })
  expect(data.pull_requests).toEqual([])
  expect(data).toMatchObject({ head_branch: 'patch-1', head_repository: { full_name: 'mallory/ClickHouse' } })
})
