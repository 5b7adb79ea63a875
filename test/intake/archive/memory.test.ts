import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createZstdCompress } from 'node:zlib'
import { expect, test } from 'vitest'
import { costOf } from '../../../bench/classify.ts'
import { SHARD, shardTable } from '../../../bench/shard-table.ts'

const MEMBER_MEGABYTES = 160
const MOST_MEGABYTES = 140

/**
 * Reads the run and prints how many measurements there are and the peak of the process's memory in MB: VmHWM, since the
 * maximum of `resourceUsage` has that of the process that started it in it.
 */
const SCRIPT = `
  const { readFileSync } = await import('node:fs')
  const { readRun } = await import(process.argv[1])
  const { measurements } = await readRun(process.argv[2])
  const samples = measurements.reduce((sum, m) => sum + m.old.length + m.new.length, 0)
  const [, kilobytes] = /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))
  console.log(samples, kilobytes / 1024)
`

test('a member larger than the memory that is used is read as a stream', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
  try {
    const path = join(folder, 'sum-raw.tsv.zst')
    const filler = `profile\t0\t${'x'.repeat(1000)}\t0\t1\n`.repeat(1000)
    const lines = function* () {
      for (let run = 0; run < MEMBER_MEGABYTES; run += 1) {
        yield `query\t0\tsum.query0.run${run}\t0\t${Math.random()}\n`
        // different in each megabyte, or the ratio would be that of a bomb
        for (let piece = 0; piece < 8; piece += 1)
          yield Array.from({ length: 400 }, () => Math.random()).join(' ') + '\n'
        yield filler
      }
    }
    await pipeline(Readable.from(lines()), createZstdCompress(), createWriteStream(path))
    const reader = new URL('../../../src/intake/archive/read-run.ts', import.meta.url).href
    const args = ['--input-type=module', '-e', SCRIPT, reader, path]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const [samples, megabytes] = stdout.split(' ').map(Number)
    expect(samples).toBe(MEMBER_MEGABYTES)
    expect(megabytes).toBeLessThan(MOST_MEGABYTES)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a shard’s table of all metrics: memory has a bound, and what is computed grows with its lines', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
  try {
    const [third, whole] = [join(folder, 'third.tsv'), join(folder, 'whole.tsv')]
    await writeFile(third, shardTable(1, { ...SHARD, queries: Math.round(SHARD.queries / 3) }))
    await writeFile(whole, shardTable(1))
    const start = await costOf('classify', '--help')
    const [small, large, all] = [
      await costOf('classify', third),
      await costOf('classify', whole),
      await costOf('classify', '--metric', 'all', whole),
    ]
    expect(large.peakMegabytes).toBeLessThan(350)
    expect(all.peakMegabytes).toBeLessThan(430)
    // three times as many lines: nine times as much where each looked at all others
    const times = (large.computedSeconds - start.computedSeconds) / (small.computedSeconds - start.computedSeconds)
    expect(times).toBeLessThan(5)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
