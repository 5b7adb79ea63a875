import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { whyNoPostgres } from './test/inbox/postgres-server.ts'

/** What a test file needs stands in its name: `row.engine.test.ts`. One without such a word needs nothing. */
const ENGINE = ['engine', 'bot', 'browser']

// Of processes that tests start: without it each strips and compiles the same sources, of the Action 1.1 s of 2.4 s.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compile')

const noPostgres = whyNoPostgres()
if (noPostgres !== null) console.warn(`The project "postgres" is left out. ${noPostgres}`)

export default defineConfig({
  plugins: [
    {
      name: 'conditions-of-production',
      // With `development`, which Vitest adds to what a configuration says, the Markdown parser is another and half as fast.
      configResolved: ({ ssr }) => void Object.assign(ssr.resolve ?? {}, { conditions: ['node'] }),
    },
  ],
  test: {
    // The embedded engine crashes under worker threads.
    pool: 'forks',
    // Files share a process and its modules, one after the other: each gives back what it takes, timers and globals too.
    isolate: false,
    // Megabytes. With the room that Node gives young objects a tenth of the computing time goes into their garbage.
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64'],
    // Three more than there are cores: a bot under test waits for pauses, deliveries and the engine most of its time.
    maxWorkers: availableParallelism() + 3,
    // The longest takes some 15 s where it is alone: a machine that is shared takes many times as long.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    coverage: { provider: 'v8', include: ['src/**/*.ts'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...ENGINE, 'postgres'].map((need) => `**/*.${need}.test.ts`),
          // These compute all the time, and each further process loads all modules once more. They come last, as a group of their own.
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          // Those of the inbox once more, on the database that replicas share.
          include: noPostgres === null ? ['test/inbox/*.test.ts', 'test/**/*.postgres.test.ts'] : [],
          exclude: ['arrivals', 'backup', 'data-folder', 'inbox'].map((ofSqlite) => `test/inbox/${ofSqlite}.test.ts`),
          globalSetup: noPostgres === null ? 'test/inbox/postgres-of-run.ts' : [],
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'engine',
          include: ENGINE.map((need) => `test/**/*.${need}.test.ts`),
          globalSetup: 'test/store/embedded/engine-of-run.ts',
          setupFiles: 'test/store/embedded/drop-databases.ts',
        },
      },
    ],
  },
})
