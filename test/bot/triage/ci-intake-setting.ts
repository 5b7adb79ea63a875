import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { CheckRun, Conclusion, PullRequest, WorkflowRun } from '../../../demo/github/state.ts'
import type { CheckedCommit } from '../../../src/bot/triage/check-rows.ts'
import { type Intake, type IntakeContext, resultsTakenIn, takeInCiResults } from '../../../src/bot/triage/ci-intake.ts'
import { readReportedHead } from '../../../src/bot/triage/ci-intake-trunk.ts'
import { DEFAULT_CONFIG } from '../../../src/config/repository-config.ts'
import { rememberedAnswers, withEtags } from '../../../src/github/etags.ts'
import { ScratchFolder } from '../../../src/intake/download/scratch-folder.ts'
import type { CheckRow } from '../../../src/intake/imports/checks/check-row.ts'
import { makeSetting, octokitOf, type Setting } from '../../demo/setting.ts'

export interface IntakeSetting extends Setting {
  readonly context: IntakeContext
  /** What was stored, in the order in which it was. */
  readonly stored: CheckRow[]
  /** Requests for anything but tokens since the last call, by operation. */
  readonly asked: () => Readonly<Record<string, number>>
  /** A bot that has just been started: it remembers nothing. */
  readonly restarted: () => IntakeContext
  readonly leftInScratch: () => readonly string[]
  readonly close: () => Promise<void>
}

export async function makeIntakeSetting(overrides: Partial<IntakeContext> = {}): Promise<IntakeSetting> {
  const setting = await makeSetting()
  const { github, installation, repo, at } = setting
  const scratchDir = mkdtempSync(join(tmpdir(), 'perf-triage-intake-'))
  const stored: CheckRow[] = []
  const octokit = octokitOf(github, installation)
  withEtags(octokit, installation.id, rememberedAnswers())
  const context: IntakeContext = {
    octokit,
    ref: at,
    repositoryId: repo.id,
    config: DEFAULT_CONFIG,
    ciResults: {
      save: async (repositoryId, rows) => {
        if (repositoryId !== repo.id) throw new Error(`rows of repository ${repositoryId}`)
        for await (const row of rows) stored.push(row)
      },
    },
    isAllowedHost: ({ origin }) => origin === github.blobUrl,
    scratch: new ScratchFolder(scratchDir),
    stopping: new AbortController().signal,
    log: pino({ level: 'silent' }),
    taken: resultsTakenIn(),
    ownAppId: github.credentials.appId,
    isLeftOut: () => false,
    ...overrides,
  }
  return {
    ...setting,
    octokit,
    context,
    stored,
    asked: () => {
      const counts: Record<string, number> = {}
      for (const { operation, host } of github.requests.splice(0)) {
        if (operation === 'apps/create-installation-access-token') continue
        const name = operation ?? host
        counts[name] = (counts[name] ?? 0) + 1
      }
      return counts
    },
    restarted: () => ({ ...context, taken: resultsTakenIn() }),
    leftInScratch: () => readdirSync(scratchDir),
    close: async () => {
      rmSync(scratchDir, { recursive: true, force: true })
      await github.stop()
    },
  }
}

/** A JUnit file of the test data. */
export function junitFile(name: string): Buffer {
  return readFileSync(new URL(`../../data/junit-enricomi/pytest/${name}`, import.meta.url))
}

export function headOf({ github, repo }: Setting, pull: PullRequest): CheckedCommit {
  return {
    repository: { owner: repo.owner.login, name: repo.name, url: `${github.url}/ClickHouse/ClickHouse` },
    commitSha: pull.head.sha,
    trunk: repo.defaultBranch,
    pullRequest: {
      number: pull.number,
      baseRef: pull.base.ref,
      headRepo: `${pull.head.repo.owner.login}/${pull.head.repo.name}`,
      headRef: pull.head.ref,
    },
  }
}

/** Reads the head of a pull request as it is now and takes it in. */
export async function takeIn(setting: IntakeSetting, pull: PullRequest, context = setting.context): Promise<Intake> {
  const head = await readReportedHead(context.octokit, context.ref, pull.head.sha)
  return await takeInCiResults(context, headOf(setting, pull), head)
}

/** A job of a workflow run, from its beginning to its end. */
export function runJob(
  { github, repo }: Setting,
  workflowRun: WorkflowRun,
  name: string,
  conclusion: Conclusion,
  output?: Parameters<Setting['github']['finishCheckRun']>[2],
): CheckRun {
  const run = github.startCheckRun(repo, { name, headSha: workflowRun.headSha, workflowRun })
  github.advance(60_000)
  github.finishCheckRun(run, conclusion, output)
  return run
}
