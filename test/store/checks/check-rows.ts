import type { CheckRow } from '../../../src/intake/imports/checks/check-row.ts'

/** 2026-06-01 10:00:00 UTC. */
export const NOON = Date.UTC(2026, 5, 1, 12)
export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** A row of a pull request to master of its own repository; times in milliseconds before NOON make it easy to read. */
export function checkRow(changes: Partial<CheckRow> = {}): CheckRow {
  return {
    pullRequestNumber: 7,
    commitSha: 'c7',
    checkName: 'Stateless tests (amd_debug)',
    checkStatus: 'failure',
    checkDurationMs: 1000,
    checkStartTime: NOON,
    testName: '00001_select',
    testStatus: 'FAIL',
    testDurationMs: 20,
    reportUrl: 'https://reports.example/7',
    pullRequestUrl: '',
    commitUrl: '',
    taskUrl: '',
    baseRef: 'master',
    baseRepo: 'o/r',
    headRef: 'feature-7',
    headRepo: 'u7/r',
    testContextRaw: 'Expected 1, got 2',
    instanceType: '',
    instanceId: '',
    workflowName: '',
    attributes: '',
    ...changes,
  }
}

/** A row of the trunk. */
export function trunkRow(changes: Partial<CheckRow> = {}): CheckRow {
  return checkRow({
    pullRequestNumber: 0,
    commitSha: 't1',
    baseRef: '',
    headRef: 'master',
    headRepo: 'o/r',
    ...changes,
  })
}
