import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { pino } from 'pino'
import { runAction } from './bot/action/run.ts'
import { failedSummary } from './bot/action/summary.ts'
import { measureJob } from './cli/action/measure-job.ts'
import { summarize } from './cli/action/workflow.ts'
import { EnvironmentError, type JobEnvironment, readJobEnvironment } from './config/environment.ts'
import { createJobClient } from './github/job-client.ts'

/** The entry of the Action: what it does follows from the event that its workflow runs on. */

const JUDGED: ReadonlySet<string> = new Set(['workflow_run', 'issue_comment'])

const { env, stdout, stderr } = process
process.exitCode = JUDGED.has(env['GITHUB_EVENT_NAME'] ?? '')
  ? await judgingJob()
  : await measureJob({ stdout, stderr, env })

/** Gives the exit code: a report is none, however bad; 1 where the workflow is wrong or GitHub does not answer. */
async function judgingJob(): Promise<number> {
  // The log holds names of strangers from here on, and the runner would take them for commands.
  const end = randomUUID()
  stdout.write(`::stop-commands::${end}\n`)
  try {
    await judgeEvent(readJobEnvironment(env))
    return 0
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error))
    stderr.write(`${error instanceof EnvironmentError ? problem.message : problem.stack}\n`)
    await summarize(failedSummary(problem.message, statusOf(problem)), process)
    return 1
  } finally {
    stdout.write(`::${end}::\n`)
  }
}

async function judgeEvent(environment: JobEnvironment): Promise<void> {
  const { token, githubApiUrl: apiUrl, eventPath } = environment
  const stopping = new AbortController()
  process.once('SIGTERM', () => stopping.abort(new Error('the job was cancelled')))
  process.once('SIGINT', () => stopping.abort(new Error('the job was cancelled')))
  await runAction(environment, JSON.parse(await readFile(eventPath, 'utf8')), {
    octokit: createJobClient({ token, apiUrl, stopping: stopping.signal }),
    log: pino({ level: env['LOG_LEVEL'] ?? 'info', base: null }, stdout),
    now: Date.now,
    stopping: stopping.signal,
    summarize: async (markdown) => await summarize(markdown, process),
  })
}

/** The status of GitHub's answer; null: the error is not GitHub's. */
function statusOf(error: Error & { readonly status?: unknown }): number | null {
  return typeof error.status === 'number' ? error.status : null
}
