import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { CheckRow } from '../../../../src/intake/imports/checks/check-row.ts'
import { NOTHING_GIVEN } from '../../../../src/intake/imports/checks/given-values.ts'
import { junit } from '../../../../src/intake/imports/checks/junit.ts'
import { computed } from '../../../computing-time.ts'

async function rowsOf(parts: Iterable<string>): Promise<{ rows: number; longest: number; kept: CheckRow[] }> {
  async function* bytes() {
    for (const part of parts) yield Buffer.from(part)
  }
  const context = {
    where: 'x.xml',
    given: { ...NOTHING_GIVEN, checkName: 'c', commitSha: '1'.repeat(40) },
    time: () => 0,
    stateTime: () => undefined,
    warn: () => undefined,
  }
  const kept: CheckRow[] = []
  for await (const rows of junit.read(bytes(), context)) kept.push(...rows)
  return { rows: kept.length, longest: Math.max(...kept.map(({ testName }) => testName.length)), kept }
}

test('a suite with a name of 20 MB costs its tests nothing', async () => {
  const name = 'n'.repeat(20 * 1024 ** 2)
  const tests = Array.from({ length: 2000 }, (_, index) => `<testcase name="t${index}"/>`)
  const before = process.memoryUsage().heapUsed + process.memoryUsage().external
  const started = computed()
  const { rows, longest, kept } = await rowsOf([`<testsuite name="${name}">`, ...tests, '</testsuite>'])
  expect(rows).toBe(2000)
  expect(longest).toBeLessThan(10_000)
  expect(new Set(kept.map(({ testName }) => testName)).size).toBe(2000)
  expect(computed() - started).toBeLessThan(5_000)
  expect(process.memoryUsage().heapUsed + process.memoryUsage().external - before).toBeLessThan(400 * 1024 ** 2)
})
