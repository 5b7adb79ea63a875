import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { parseKeptConfig } from '../config/parse-repository-config.ts'
import { DEFAULT_CONFIG, type RepositoryConfig } from '../config/repository-config.ts'
import { prepareAll, readRow } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** `.github/perf-triage.yml` of a default branch as it last was when it was good. */
export interface StoredConfig {
  readonly yaml: string
  /** Git's id of the file's contents: the same id is the same file. */
  readonly blobSha: string
  readonly readAt: number
}

export interface Configs {
  /** Keeps a configuration, which must be one that parses. */
  save(repositoryId: number, config: Pick<StoredConfig, 'yaml' | 'blobSha'>, now: Time): void
  /** null: none was ever good, or the file is gone. */
  lastKnownGood(repositoryId: number): StoredConfig | null
  /** The file was removed: the defaults hold again. */
  forget(repositoryId: number): void
}

const configRow: z.ZodType<StoredConfig> = z.object({ yaml: z.string(), blobSha: z.string(), readAt: z.int() })

export function createConfigs(database: DatabaseSync): Configs {
  const statements = prepareAll(database, 'records.sql', ['saveConfig', 'configOf', 'forgetConfig'])
  return {
    save(repositoryId, { yaml, blobSha }, now) {
      statements.saveConfig.run({ repositoryId, yaml, blobSha, now: milliseconds(now) })
    },

    lastKnownGood(repositoryId) {
      return readRow(statements.configOf, configRow, { repositoryId })
    },

    forget(repositoryId) {
      statements.forgetConfig.run({ repositoryId })
    },
  }
}

/** The configuration of a repository without a call to GitHub: the last one that was good, else the defaults. */
export function lastGoodConfig(configs: Pick<Configs, 'lastKnownGood'>, repositoryId: number): RepositoryConfig {
  const stored = configs.lastKnownGood(repositoryId)
  return (stored === null ? null : parseKeptConfig(stored.yaml)) ?? DEFAULT_CONFIG
}
