import { z } from 'zod'
import { repositoryConfigSchema } from './repository-config.ts'

/**
 * The JSON schema of `.github/perf-triage.yml` for editors, from the schema that validates it. What only code can say (a
 * pattern is well formed, an address has known placeholders) is not in it. `node src/config/json-schema.ts` prints it.
 */
export function repositoryConfigJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(repositoryConfigSchema, { io: 'input', target: 'draft-7' })
  return {
    $schema,
    title: 'perf-triage',
    description: 'Configuration of perf-triage for a repository: .github/perf-triage.yml on the default branch.',
    ...schema,
  }
}

if (import.meta.main) console.log(JSON.stringify(repositoryConfigJsonSchema(), null, 2))
