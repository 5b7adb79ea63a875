import { Buffer } from 'node:buffer'
import { type CiResultsFormat, type ReadContext, ReadStopped } from '../format.ts'
import { parseTime } from '../parse-time.ts'
import { cutName } from '../table-row.ts'
import type { CheckRow } from './check-row.ts'
import { rowOfJob } from './given-values.ts'

/** Bytes. The whole document is held: it has no lines to read it by. Those of a month have some ten kilobytes. */
const LARGEST = 64 * 1024 * 1024

/**
 * KubeVirt's dequarantine report: the latest results of tests in quarantine, each with the number and time of its build.
 * A build is a job; without `--sha` its number stands for its commit (`build-40`).
 */
export const dequarantineReport: CiResultsFormat = {
  name: 'dequarantine',
  looksFor: 'a dequarantine report: a JSON array with "tests" and "testResults"',
  matches(head) {
    const start = head.trimStart()
    return /^\[\s*\]\s*$/.test(start) || (/^\[\s*\{/.test(start) && /"tests"\s*:/.test(start))
  },
  problem: (_head, given) => (given.checkName === null ? 'the report names no check; give one with --check' : null),
  read,
}

/** Jenkins' words. `FIXED` passed after a failure, `REGRESSION` failed after a pass. */
const STATUSES: Readonly<Record<string, string>> = {
  PASSED: 'OK',
  FIXED: 'OK',
  FAILED: 'FAIL',
  REGRESSION: 'FAIL',
  SKIPPED: 'SKIPPED',
}

async function* read(bytes: AsyncIterable<Uint8Array>, context: ReadContext): AsyncGenerator<readonly CheckRow[]> {
  const document = parse(await whole(bytes))
  if (!Array.isArray(document)) throw new ReadStopped('malformed-line', null, 'this is not a JSON array: skipped')
  for (const entry of document as readonly unknown[]) {
    yield listOf(field(entry, 'tests')).flatMap((test) => rowsOf(test, context))
  }
}

function rowsOf(test: unknown, { given, warn }: ReadContext): CheckRow[] {
  const name = field(test, 'testName')
  if (typeof name !== 'string' || name === '') {
    warn('malformed-line', null, 'a test without a testName: skipped')
    return []
  }
  const rows: CheckRow[] = []
  for (const result of listOf(field(test, 'testResults'))) {
    const build = field(result, 'buildNo')
    const dateTime = field(result, 'dateTime')
    const status = field(result, 'result')
    const time = typeof dateTime === 'string' ? parseTime(dateTime) : null
    const testStatus = typeof status === 'string' && Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined
    if (time === null || testStatus === undefined || typeof build !== 'number') {
      warn('malformed-line', null, `a result of "${name}" without a buildNo, dateTime or known result: skipped`)
      continue
    }
    rows.push({
      ...rowOfJob(given, time),
      commitSha: given.commitSha ?? `build-${build}`,
      testName: cutName(name),
      testStatus,
      instanceId: String(build),
    })
  }
  return rows
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > LARGEST) {
      throw new ReadStopped('limit-reached', null, `more than ${LARGEST.toLocaleString('en')} bytes: skipped`)
    }
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

/** Go writes an empty list as null. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
