import { defineConfig } from 'vitest/config'

/** The tests that mutation testing runs, thousands of times: those of the pure middle, without the embedded engine. */
export default defineConfig({
  test: {
    include: ['test/{statistics,verdict,render,report,text,measurement,triage}/**/*.test.ts'],
    exclude: ['**/*.{engine,bot,browser}.test.ts'],
    pool: 'forks',
    testTimeout: 30_000,
  },
})
