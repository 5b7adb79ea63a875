import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import type { FileChanges } from '../../../demo/github/commit-graph.ts'
import { type LocalGitHub, startLocalGitHub } from '../../../demo/github/local-github.ts'
import { accountJson } from '../../../demo/github/resources/account.ts'
import { commentJson } from '../../../demo/github/resources/comment.ts'
import { pullAsIssueJson } from '../../../demo/github/resources/issue.ts'
import { repositoryJson } from '../../../demo/github/resources/repository.ts'
import { workflowRunJson } from '../../../demo/github/resources/workflow.ts'
import type { Comment, Permissions, PullRequest, Repository, WorkflowRun } from '../../../demo/github/state.ts'
import { zipOf } from '../../../demo/github/zip.ts'
import { runAction } from '../../../src/bot/action/run.ts'
import { readJobEnvironment } from '../../../src/config/environment.ts'
import { createJobClient } from '../../../src/github/job-client.ts'
import { MEMORY_FOLDER } from '../../memory-folder.ts'

export const MEASURES = '.github/workflows/perf-triage-measure.yml'
export const JUDGES = '.github/workflows/perf-triage.yml'

export const WORKFLOWS: Readonly<Record<string, string>> = {
  [MEASURES]: 'name: perf-triage-measure\non: [pull_request, push]\njobs: {}\n',
  [JUDGES]: 'name: perf-triage\non:\n  workflow_run:\n    workflows: [perf-triage-measure]\n    types: [completed]\n',
}

/** What `setup --action` gives the judging job. */
const PERMISSIONS: Permissions = {
  actions: 'read',
  checks: 'write',
  contents: 'write',
  pull_requests: 'write',
}

export interface Artifact {
  readonly name: string
  readonly zip: Uint8Array
}

/** A local GitHub on which nobody runs a server: each event is a job of its own. */
export class ActionSetting {
  readonly github: LocalGitHub
  readonly #folder = mkdtempSync(join(MEMORY_FOLDER, 'perf-triage-action-'))
  #repositories = 0
  #heads = 0

  constructor(github: LocalGitHub) {
    this.github = github
  }

  repository(files: FileChanges = {}): Repository {
    this.#repositories += 1
    const name = `engine-${this.#repositories}`
    return this.github.createRepository({
      owner: 'acme',
      name,
      defaultBranch: 'main',
      files: { 'src/a.cpp': '0', ...WORKFLOWS, ...files },
    })
  }

  open(repo: Repository, values: { readonly files?: FileChanges; readonly fork?: string } = {}): PullRequest {
    this.#heads += 1
    return this.github.openPullRequest({
      repo,
      head: `work-${this.#heads}`,
      files: values.files ?? { 'src/a.cpp': '1' },
      ...(values.fork === undefined ? { author: 'alice' } : { fork: { owner: values.fork } }),
    })
  }

  /** A finished run of the measuring workflow: of a pull request, or of a push. */
  async measured(
    of: PullRequest | Repository,
    artifacts: readonly Artifact[],
    values: { readonly path?: string; readonly event?: string; readonly name?: string } = {},
  ): Promise<WorkflowRun> {
    const { github } = this
    github.advance(5000)
    const repo = 'repo' in of ? of.repo : of
    const { name = 'perf-triage-measure', path = MEASURES, event } = values
    const run = github.startWorkflowRun(repo, {
      name,
      path,
      ...('repo' in of && { pull: of }),
      ...(event !== undefined && { event }),
    })
    const check = github.startCheckRun(repo, { name: 'measure', headSha: run.headSha, workflowRun: run })
    await github.finishWorkflowRun(run, { artifacts })
    github.finishCheckRun(check, 'success')
    return run
  }

  /** The next attempt of a run, finished. */
  async measuredAgain(run: WorkflowRun, artifacts: readonly Artifact[]): Promise<WorkflowRun> {
    const { github } = this
    github.advance(5000)
    github.rerunWorkflow(run)
    const check = github.startCheckRun(run.repo, { name: 'measure', headSha: run.headSha, workflowRun: run })
    await github.finishWorkflowRun(run, { artifacts })
    github.finishCheckRun(check, 'success')
    return run
  }

  event(run: WorkflowRun): Record<string, unknown> {
    const { state } = this.github
    return JSON.parse(
      JSON.stringify({
        action: 'completed',
        repository: repositoryJson(state, run.repo),
        workflow_run: workflowRunJson(state, run),
      }),
    )
  }

  /** The judging job of a run; gives its summary. */
  async judge(
    run: WorkflowRun,
    values: { readonly event?: unknown; readonly permissions?: Permissions; readonly now?: () => number } = {},
  ): Promise<string> {
    return await this.#job(run.repo, 'workflow_run', values.event ?? this.event(run), values)
  }

  /** The job of a comment; gives its summary. */
  async hear(comment: Comment, action: 'created' | 'edited' = 'created'): Promise<string> {
    const { state } = this.github
    const { pull, author } = comment
    const payload: unknown = JSON.parse(
      JSON.stringify({
        action,
        repository: repositoryJson(state, pull.repo),
        issue: pullAsIssueJson(state, pull),
        comment: commentJson(state, comment),
        sender: accountJson(state, author),
      }),
    )
    return await this.#job(pull.repo, 'issue_comment', payload, {})
  }

  async #job(
    repo: Repository,
    eventName: string,
    payload: unknown,
    values: { readonly permissions?: Permissions; readonly now?: () => number },
  ): Promise<string> {
    const { github } = this
    const repository = `${repo.owner.login}/${repo.name}`
    const environment = readJobEnvironment({
      GITHUB_EVENT_NAME: eventName,
      GITHUB_EVENT_PATH: '/nowhere',
      GITHUB_REPOSITORY: repository,
      GITHUB_WORKFLOW_REF: `${repository}/${JUDGES}@refs/heads/main`,
      GITHUB_SERVER_URL: github.url,
      GITHUB_API_URL: `${github.url}/api/v3`,
      GITHUB_RUN_ID: '77',
      INPUT_TOKEN: github.jobToken(repo, values.permissions ?? PERMISSIONS),
      RUNNER_TEMP: this.#folder,
      ARTIFACT_HOSTS: new URL(github.blobUrl).host,
    })
    const { token, githubApiUrl: apiUrl } = environment
    const stopping = new AbortController().signal
    let summary = ''
    await runAction(environment, payload, {
      octokit: createJobClient({ token, apiUrl, paced: false, stopping }),
      log: pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }),
      now: values.now ?? (() => github.state.now().getTime()),
      stopping,
      summarize: async (markdown) => {
        summary += markdown
      },
    })
    return summary
  }

  /** What jobs wrote to GitHub, but for the objects of the history: `POST /repos/…/comments`. */
  writes(): string[] {
    return this.github.requests
      .filter(({ method, path }) => method !== 'GET' && !/\/git\/(?:blobs|trees|commits)$/.test(path))
      .map(({ method, path }) => `${method} ${decodeURIComponent(path)}`)
  }

  async close(): Promise<void> {
    await this.github.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

export async function makeActionSetting(): Promise<ActionSetting> {
  return new ActionSetting(await startLocalGitHub())
}

/** The comments of a job on a pull request. */
export function jobComments({ comments }: PullRequest): readonly string[] {
  return comments.filter(({ author }) => author.login === 'github-actions[bot]').map(({ body }) => body)
}

/** The check run of the judging job on a head, the newest. */
export function jobCheck({ repo, head }: PullRequest) {
  return repo.checkRuns.findLast(
    ({ name, suite }) => name === 'perf-triage' && suite.headSha === head.sha && suite.app.slug === 'github-actions',
  )
}

/** The files of the history branch as they stand. */
export function historyFiles({ graph, branches }: Repository): ReadonlyMap<string, Buffer> {
  const commit = graph.get(branches.get('perf-triage-history') ?? '')
  return new Map([...(commit?.files ?? [])].map(([path, { content }]) => [path, content]))
}

export function artifact(files: Readonly<Record<string, string | Uint8Array>>, name = 'performance-results'): Artifact {
  const bytes = Object.entries(files).map(([path, text]) => [path, Buffer.from(text)] as const)
  return { name, zip: zipOf(Object.fromEntries(bytes)) }
}
