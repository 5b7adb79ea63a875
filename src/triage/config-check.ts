import type { ConfigProblem } from '../config/parse-repository-config.ts'
import { listChangedFiles } from '../github/changed-files.ts'
import { createCheckRun, findOwnCheckRun, shows } from '../github/own-check-run.ts'
import { renderConfigCheck } from '../render/config-check.ts'
import { CONFIG_PATH, problemsOfConfigAt } from './load-config.ts'
import type { PublishContext } from './publish.ts'

/** The name of the check run that a pull request gets when it changes the configuration. */
export const CONFIG_CHECK_NAME = 'perf-triage configuration'

/** A pull request that changes the configuration is told whether it can be used, with an annotation on each wrong line. */
export async function publishConfigCheck({ octokit, ref, self, pullRequest }: PublishContext): Promise<void> {
  const { head, number } = pullRequest
  const { files } = await listChangedFiles(octokit, ref, number)
  if (!files.some(({ path }) => path === CONFIG_PATH)) return
  const problems: readonly ConfigProblem[] | null = await problemsOfConfigAt(octokit, ref, head)
  const content = renderConfigCheck(CONFIG_PATH, problems)
  const standing = await findOwnCheckRun(octokit, ref, head, CONFIG_CHECK_NAME, number, self.appId)
  if (standing !== null && shows(standing, content)) return
  await createCheckRun(octokit, ref, head, CONFIG_CHECK_NAME, number, content, null)
}
