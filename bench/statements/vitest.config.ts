import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/**
 * The tests of statements against a ClickHouse server, instead of the embedded engine: see README.md. STATEMENTS_URL is its
 * address, STATEMENTS_USER `default` where not given; STATEMENTS_CLUSTER names a cluster of it.
 */
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export default defineConfig({
  test: {
    root: here('../..'),
    include: ['test/{store,sync}/**/*.engine.test.ts'],
    // They start engines of their own.
    exclude: ['**/{two-shards,open-embedded}.engine.test.ts'],
    globalSetup: here('server-of-run.ts'),
    setupFiles: [here('on-server.ts')],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
})
