import { defineConfig } from 'vitest/config'

/** The tests that mutation testing runs, thousands of times: those of the pure middle, without the embedded engine. */
export default defineConfig({
  test: {
    include: ['test/{statistics,verdict,render,measurement,triage}/**/*.test.ts'],
    exclude: ['test/statistics/against-clickhouse.test.ts'],
    pool: 'forks',
  },
})
