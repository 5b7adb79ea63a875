import { z } from 'zod'
import { parseKeptConfig } from '../config/parse-repository-config.ts'
import { DEFAULT_CONFIG, type RepositoryConfig } from '../config/repository-config.ts'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** `.github/perf-triage.yml` of a default branch as it last was when it was good. */
export interface StoredConfig {
  readonly yaml: string
  /** Git's id of the file's contents: the same id is the same file. */
  readonly blobSha: string
  readonly readAt: number
}

const configRow: z.ZodType<StoredConfig> = z.object({ yaml: z.string(), blobSha: z.string(), readAt: z.int() })

const namedRow = z.object({ owner: z.string(), repo: z.string(), yaml: z.string() })

export class Configs {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', ['saveConfig', 'configOf', 'configsOfRepositories', 'forgetConfig'])
  }

  /** Keeps a configuration, which must be one that parses. */
  async save(
    repositoryId: number,
    { yaml, blobSha }: Pick<StoredConfig, 'yaml' | 'blobSha'>,
    now: Time,
  ): Promise<void> {
    await this.#database.run(this.#statements.saveConfig, { repositoryId, yaml, blobSha, now: milliseconds(now) })
  }

  /** null: none was ever good, or the file is gone. */
  async lastKnownGood(repositoryId: number): Promise<StoredConfig | null> {
    return await this.#database.row(this.#statements.configOf, configRow, { repositoryId })
  }

  /** Those of all repositories that the App is installed on and that have one, by their names. */
  async all(): Promise<
    readonly { readonly owner: string; readonly repo: string; readonly config: RepositoryConfig }[]
  > {
    const rows = await this.#database.rows(this.#statements.configsOfRepositories, namedRow)
    return rows.flatMap(({ yaml, ...ref }) => {
      const config = parseKeptConfig(yaml)
      return config === null ? [] : [{ ...ref, config }]
    })
  }

  /** The file was removed: the defaults hold again. */
  async forget(repositoryId: number): Promise<void> {
    await this.#database.run(this.#statements.forgetConfig, { repositoryId })
  }
}

/** The configuration of a repository without a call to GitHub: the last one that was good, else the defaults. */
export async function lastGoodConfig(
  configs: Pick<Configs, 'lastKnownGood'>,
  repositoryId: number,
): Promise<RepositoryConfig> {
  const stored = await configs.lastKnownGood(repositoryId)
  return (stored === null ? null : parseKeptConfig(stored.yaml)) ?? DEFAULT_CONFIG
}
