import type { RepositoryConfig } from '../../config/repository-config.ts'
import type { ChangedFiles } from '../../github/changed-files.ts'
import { getTextFile } from '../../github/repository.ts'
import { howMeasured, usedByPath } from '../../report/how-measured.ts'
import type { HowMeasured } from '../../report/report.ts'
import type { GatheredChecks } from './gather.ts'
import { type HeadChecks, workflowOf } from './performance-checks.ts'
import type { PublishContext } from './publish.ts'

/** Workflows and actions that are read of one head, at each of two commits: a large repository measures with a few of them. */
const MOST_READ = 30

/**
 * The changed files that decide how a head is measured; null: none does. Throws what GitHub answers: who can't tell whether the
 * measurement was changed does not say that it was not.
 */
export async function measuringFilesOf(
  publishing: Pick<PublishContext, 'octokit' | 'ref' | 'pullRequest'>,
  { measuredBy }: Pick<RepositoryConfig, 'measuredBy'>,
  gathered: Pick<GatheredChecks, 'performance' | 'skippedChecks'>,
  ofTrunk: NonNullable<HeadChecks['ofTrunk']>,
  { files, isCut }: ChangedFiles,
): Promise<HowMeasured | null> {
  const { head, baseRef } = publishing.pullRequest
  const checks = [...gathered.performance, ...gathered.skippedChecks]
  const workflows = new Set(checks.flatMap((check) => [workflowOf(check), ofTrunk.get(check.check) ?? '']))
  // A pull request is mostly built merged into its base, whose workflows then count, and a branch by its own.
  const actions = await Promise.all([baseRef, head].map((commit) => actionsAt(publishing, [...workflows], commit)))
  return howMeasured({ head, changed: files, isCut, measuredBy, actions: [...new Set(actions.flat())] })
}

const IS_YAML = /\.ya?ml$/

/** The folders of the actions that workflows use by path, and those that these use. */
async function actionsAt(
  { octokit, ref }: Pick<PublishContext, 'octokit' | 'ref'>,
  workflows: readonly string[],
  commit: string,
): Promise<readonly string[]> {
  const folders = new Set<string>()
  const files = new Set(workflows.filter((path) => IS_YAML.test(path)))
  let read = 0
  for (const path of files) {
    if (read >= MOST_READ) break
    read += 1
    const file = await getTextFile(octokit, ref, path, commit)
    for (const used of usedByPath(file?.text ?? '')) {
      if (IS_YAML.test(used)) {
        files.add(used)
        continue
      }
      folders.add(used)
      for (const name of ['action.yml', 'action.yaml']) files.add(used === '' ? name : `${used}/${name}`)
    }
  }
  return [...folders]
}
