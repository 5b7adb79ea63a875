import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { CONFIG_PATH } from '../../config/config-path.ts'
import {
  type ConfigProblem,
  modeAsWritten,
  type ParsedConfig,
  parseRepositoryConfig,
} from '../../config/parse-repository-config.ts'
import { DEFAULT_CONFIG, type RepositoryConfig } from '../../config/repository-config.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import { getTextFile, type TextFile } from '../../github/repository.ts'
import { type Configs, lastGoodConfig } from '../../inbox/configs.ts'
import type { Degradation } from '../../report/report.ts'
import type { TriageContext } from './triage-context.ts'

/** Reads the repository’s file from GitHub and keeps the last good one in the inbox. */

export interface LoadedConfig {
  readonly config: RepositoryConfig
  /** The file on the default branch is broken: the last good one is in force, or the defaults. */
  readonly degradation: Degradation | null
}

/**
 * The configuration that is in force: that of the default branch, else the last one that was good, else the defaults with
 * the mode that the broken file asks for. A file that was good before a rule of this version keeps its settings, not its gate.
 */
export async function loadConfig(
  octokit: Octokit,
  ref: RepositoryRef,
  repositoryId: number,
  configs: Pick<Configs, 'forget' | 'lastKnownGood' | 'save'>,
  now: number,
  log: Logger,
): Promise<LoadedConfig> {
  const file = await getTextFile(octokit, ref, CONFIG_PATH)
  if (file === null) {
    await configs.forget(repositoryId)
    return { config: DEFAULT_CONFIG, degradation: null }
  }
  const parsed = parsedConfig(file)
  const lastGood = await configs.lastKnownGood(repositoryId)
  if (parsed.config !== null && file.text !== null) {
    if (lastGood?.blobSha !== file.sha) await configs.save(repositoryId, { yaml: file.text, blobSha: file.sha }, now)
    return { config: parsed.config, degradation: null }
  }
  log.warn(
    { ...ref, problems: parsed.problems.length },
    'the configuration is not valid, so the last valid one is used',
  )
  const fallback = lastGood === null ? null : parsedConfig({ text: lastGood.yaml, sha: lastGood.blobSha }).config
  if (fallback !== null) return { config: fallback, degradation: 'config-invalid' }
  const mode = modeAsWritten(file.text)
  return { config: { ...(await lastGoodConfig(configs, repositoryId)), mode }, degradation: 'config-never-valid' }
}

/** A file of 32 KiB that was made for it takes a quarter of a second to read, and is looked at with every event: once a content is enough. */
const read = new LRUCache<string, ParsedConfig>({ max: 200 })

/** `sha`: equal ids are equal contents. */
function parsedConfig({ text, sha }: TextFile): ParsedConfig {
  const known = text === null ? undefined : read.get(sha)
  if (known !== undefined) return known
  const parsed = parseRepositoryConfig(text)
  if (text !== null) read.set(sha, parsed)
  return parsed
}

/** A pull request's events come in dozens: what they are compared with may be a minute old. */
const CONFIG_KEPT_MS = 60_000
const MOST_CONFIGS_KEPT = 1000

/** The configurations in force by repository id, read once a minute at most, to tell which events matter. */
export type RecentConfigs = LRUCache<
  number,
  RepositoryConfig,
  { readonly octokit: Octokit; readonly ref: RepositoryRef }
>

export function recentConfigs({ inbox, now, log }: Pick<TriageContext, 'inbox' | 'now' | 'log'>): RecentConfigs {
  return new LRUCache({
    max: MOST_CONFIGS_KEPT,
    ttl: CONFIG_KEPT_MS,
    ttlResolution: 0,
    perf: { now },
    ignoreFetchAbort: true,
    fetchMethod: async (repositoryId, _, { context: { octokit, ref } }) =>
      (await loadConfig(octokit, ref, repositoryId, inbox.configs, now(), log)).config,
  })
}

/** The problems of the configuration at a commit; null when the file is not there. */
export async function problemsOfConfigAt(
  octokit: Octokit,
  ref: RepositoryRef,
  commit: string,
): Promise<readonly ConfigProblem[] | null> {
  const file = await getTextFile(octokit, ref, CONFIG_PATH, commit)
  return file === null ? null : parsedConfig(file).problems
}
