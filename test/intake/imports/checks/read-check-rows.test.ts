import { Buffer } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { CheckRow } from '../../../../src/intake/imports/checks/check-row.ts'
import { NOTHING_GIVEN } from '../../../../src/intake/imports/checks/given-values.ts'
import { JobTime } from '../../../../src/intake/imports/checks/job-time.ts'
import { openCiResults } from '../../../../src/intake/imports/checks/read-check-rows.ts'
import type { RowsFile } from '../../../../src/intake/imports/format.ts'
import { Warnings } from '../../../../src/intake/measurement/warnings.ts'

const ROW = {
  commit_sha: 'abc',
  check_name: 'c',
  test_name: 't',
  test_status: 'OK',
  check_start_time: '2026-10-20 08:15:00',
}
const TEXT = `${JSON.stringify(ROW)}\n`.repeat(5000)

/** Opens the bytes in pieces; `isClosed` tells whether their stream was let go of. */
async function opened(bytes: Uint8Array): Promise<{ file: Promise<RowsFile<CheckRow>>; isClosed: () => boolean }> {
  let closed = false
  const pieces = async function* () {
    try {
      for (let start = 0; start < bytes.length; start += 16_384) yield bytes.subarray(start, start + 16_384)
    } finally {
      closed = true
    }
  }
  const file = openCiResults(
    { where: 'in', bytes: pieces(), modified: null },
    { format: 'auto', given: NOTHING_GIVEN, time: new JobTime(null), warnings: new Warnings(10) },
  )
  return { file, isClosed: () => closed }
}

/** Compressed to no less than what it is. */
const STORED = gzipSync(TEXT, { level: 0 })

test.each([
  ['plain', Buffer.from(TEXT)],
  ['gzip', STORED],
  ['gzip, twice', gzipSync(STORED, { level: 0 })],
])('%s: a file that is looked at and not read is let go of', async (_name, bytes) => {
  const { file, isClosed } = await opened(bytes)
  const looked = await file
  expect(looked.format).toBe('JSONEachRow')
  expect(isClosed()).toBe(false)
  await looked.close()
  await expect.poll(isClosed).toBe(true)
})

test('one that is refused, too', async () => {
  for (const refused of ['<html>', 'PK\x03\x04', 'nothing known ']) {
    const { file, isClosed } = await opened(Buffer.from(refused.padEnd(200_000)))
    await expect(file).rejects.toThrow('in: ')
    await expect.poll(isClosed).toBe(true)
  }
})

test('the reader may stop in between', async () => {
  const { file, isClosed } = await opened(STORED)
  for await (const _ of (await file).rows()) break
  await expect.poll(isClosed).toBe(true)
})
