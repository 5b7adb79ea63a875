import { readFile } from 'node:fs/promises'
import { DEFAULT_CONFIG } from '../config/default-config.ts'
import { parseRepositoryConfig } from '../config/parse-repository-config.ts'
import type { RepositoryConfig } from '../config/repository-config.ts'
import { InputError } from './command.ts'

const DEFAULT_PATH = '.github/perf-triage.yml'

/**
 * The configuration of the file; without a name that of `.github/perf-triage.yml`, where that is there. Throws
 * `InputError`, with the first line that is wrong.
 */
export async function lookupConfig(path: string | null): Promise<RepositoryConfig> {
  const file = path ?? DEFAULT_PATH
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (missing && path === null) return DEFAULT_CONFIG
    throw new InputError(missing ? `${file}: there is no such file` : `${file}: ${(error as Error).message}`)
  }
  const { config, problems } = parseRepositoryConfig(text)
  if (config !== null) return config
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  throw new InputError(`${file}:${first?.line ?? 1}: ${first?.message ?? 'cannot be read'}${more}`)
}
