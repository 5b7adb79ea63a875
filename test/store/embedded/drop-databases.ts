import { afterAll } from 'vitest'
import { dropDatabases } from './engine-fixture.ts'

// Hooks of a setup file that come after the tests are the last.
afterAll(dropDatabases)
