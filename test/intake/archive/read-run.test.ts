import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ReadOptions,
  readRun,
  readRuns,
  readSides,
  readUploadedRun,
} from '../../../src/intake/archive/read-run.ts'
import type { RunContents } from '../../../src/intake/measurement/run.ts'
import { codes, row, summaries } from '../measurement/read-text.ts'
import { makeTar } from './make-tar.ts'
import { makeZip, type ZipSpec } from './make-zip.ts'

const RECORDED = fileURLToPath(new URL('../../../demo/recording/run-25.8-vs-26.9', import.meta.url))

/** A raw file of one query with so many samples a side. */
const rawText = (repetitions: number) =>
  Array.from({ length: repetitions }, (_, run) =>
    [0, 1].map((side) => row('query', 0, `x.query0.run${run}`, side, 0.5 + run / 1000)).join(''),
  ).join('')
const raw = rawText(2)

let folder = ''
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function onDisk(name: string, data: Uint8Array | string): Promise<string> {
  files += 1
  const path = join(folder, String(files), name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, data)
  return path
}

const readFileNamed = async (name: string, data: Uint8Array | string, options: ReadOptions = {}) =>
  await readRun(await onDisk(name, data), options)
const readZip = async (specs: readonly ZipSpec[], options: ReadOptions = {}) =>
  await readFileNamed('run.zip', makeZip(specs), options)

/** What was read, of which the rest of a test only wants to know that it is there. */
const read = (contents: RunContents) => summaries(contents.measurements)
const SUM = 'sum #0 client_time: 2 + 2'

test('stacks of profilers are found beside the measurements, in an archive as it is published', async () => {
  const stacks = (count: number) => row('sum', 0, 'CPU', 'SELECT 1', 'main;read', count)
  const logs = makeTar([
    { name: './report/stacks.left.tsv', data: stacks(310) },
    { name: './report/stacks.right.tsv', data: stacks(440) },
    { name: './report/tmp/sum_0_CPU_SELECT 1.stacks.left.tsv', data: 'main;read 310\n' },
    { name: './report/tmp/sum_0_CPU_SELECT 1.stacks.right.tsv', data: 'main;read 440\n' },
    { name: './sum_0_CPU_SELECT 1.diff.svg', data: '<svg/>' },
    { name: './sum-raw.tsv', data: raw },
  ])
  const profile = {
    test: 'sum',
    queryIndex: 0,
    queryName: null,
    traceType: 'CPU',
    old: [{ stack: 'main;read', count: 310 }],
    new: [{ stack: 'main;read', count: 440 }],
  }
  const plain = await readFileNamed('logs.tar.zst', zstdCompressSync(logs))
  expect(plain.profiles).toEqual([profile])
  expect(plain.warnings).toEqual([])
  expect((await readZip([{ name: 'logs.tar.zst', data: zstdCompressSync(logs) }])).profiles).toEqual([profile])
  // An archive that was cut has no side of which the end is not known.
  const cut = await readZip([
    { name: 'sum-raw.tsv', data: raw },
    { name: 'report.tar', data: logs.subarray(0, 512 + 512 + 512) },
  ])
  expect(read(cut)).toEqual([SUM])
  expect(cut).not.toHaveProperty('profiles')
})

describe('packings of the same run', () => {
  const tar = makeTar([
    { name: 'run/', type: '5' },
    { name: 'run/sum-raw.tsv', data: raw },
    { name: 'job.log', data: 'x' },
  ])
  const zip = makeZip([
    { name: 'run/', data: '' },
    { name: 'run/sum-raw.tsv', data: raw },
  ])
  test.each<[string, Uint8Array | string]>([
    ['sum-raw.tsv', raw],
    ['sum-raw.tsv.gz', gzipSync(raw)],
    ['sum-raw.tsv.zst', zstdCompressSync(raw)],
    ['run.tar', tar],
    ['run.tgz', gzipSync(tar)],
    ['logs.tar.zst', zstdCompressSync(tar)],
    ['run.zip', zip],
    ['no-ending', zip],
    ['stored.zip', makeZip([{ name: 'sum-raw.tsv', data: raw, stored: true }])],
    ['of-tar-zst.zip', makeZip([{ name: 'logs.tar.zst', data: zstdCompressSync(tar) }])],
    ['of-zip.zip', makeZip([{ name: 'a/inner.zip', data: zip }])],
    ['of-zip.tar', makeTar([{ name: 'inner.zip', data: zip }])],
    ['at-rest.zip', makeZip([{ name: 'sum-raw.tsv', data: gzipSync(raw) }])],
  ])('%s', async (name, data) => {
    const contents = await readFileNamed(name, data)
    expect(read(contents)).toEqual([SUM])
    expect(contents.warnings).toEqual([])
  })

  test('a real run gives the same measurements from a folder and from each archive', async () => {
    const { readdir, readFile } = await import('node:fs/promises')
    const names = await readdir(RECORDED)
    const entries = await Promise.all(names.map(async (name) => ({ name, data: await readFile(join(RECORDED, name)) })))
    const expected = await readRun(RECORDED)
    expect(expected.measurements.length).toBe(68)
    expect(expected.warnings).toEqual([])
    expect(await readZip(entries)).toEqual(expected)
    expect(await readFileNamed('run.tar.zst', zstdCompressSync(makeTar(entries)))).toEqual(expected)
  })

  test('all frames of a zstd file are read, also skippable ones, wherever they begin', async () => {
    const text = rawText(400)
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4])
    for (const cut of [1, 1000, text.length - 1]) {
      const frames = [text.slice(0, cut), text.slice(cut)].flatMap((part) => [skippable, zstdCompressSync(part)])
      const contents = await readFileNamed('sum-raw.tsv.zst', Buffer.concat(frames))
      expect(read(contents)).toEqual(['sum #0 client_time: 400 + 400'])
      expect(contents.warnings).toEqual([])
    }
  })
})

describe('a folder', () => {
  test('folders and archives in it are read, plain files before archives, links are not followed', async () => {
    const path = dirname(
      await onDisk(
        'a.zip',
        makeZip([
          { name: 'sum-raw.tsv', data: rawText(9) },
          { name: 'b-raw.tsv', data: raw },
        ]),
      ),
    )
    await mkdir(join(path, 'z'))
    await writeFile(join(path, 'z', 'sum-raw.tsv'), raw)
    await symlink(join(path, 'z', 'sum-raw.tsv'), join(path, 'link-raw.tsv'))
    await symlink('/etc/passwd', join(path, 'passwd'))
    const contents = await readRun(path)
    expect(read(contents)).toEqual(['b #0 client_time: 2 + 2', SUM])
    expect(codes(contents)).toEqual(['refused-member link-raw.tsv', 'refused-member a.zip/sum-raw.tsv'])
  })

  test('the confirmation rerun is never a run', async () => {
    const path = dirname(await onDisk('sum-raw.tsv', raw))
    const rerun = join(path, 'deep', 'analyze-confirm')
    await mkdir(rerun, { recursive: true })
    await writeFile(join(rerun, 'sum-raw.tsv'), rawText(7))
    await writeFile(join(rerun, 'other-raw.tsv'), rawText(7))
    await writeFile(join(rerun, 'other.zip'), makeZip([{ name: 'zipped-raw.tsv', data: raw }]))
    const contents = await readRun(path)
    expect(read(contents)).toEqual([SUM])
    expect(contents.warnings).toEqual([])
    await expect(readRun(rerun)).rejects.toThrow('confirmation rerun')
    await expect(readRun(join(rerun, 'sum-raw.tsv'))).rejects.toThrow('confirmation rerun')
  })

  test('nothing known in it: what was looked for and what was found', async () => {
    const path = dirname(await onDisk('report.html', ''))
    await expect(readRun(path)).rejects.toThrow(
      /no measurements; found report\.html \(looks like HTML\), and no results; supported formats: clickhouse-raw, /,
    )
    await expect(readRun(join(path, 'nowhere'))).rejects.toMatchObject({ problem: 'missing' })
  })
})

describe('what is asked for', () => {
  test('a pattern picks members, inside archives as well', async () => {
    const zip = makeZip([
      { name: 'amd/sum-raw.tsv', data: raw },
      { name: 'arm/sum-raw.tsv', data: rawText(3) },
      { name: 'arm/logs.tar', data: makeTar([{ name: 'x/b-raw.tsv', data: raw }]) },
      { name: 'left-commit.txt', data: `${'a'.repeat(40)}\n` },
    ])
    const contents = await readFileNamed('run.zip', zip, { memberPattern: 'arm/**/*-raw.tsv' })
    expect(read(contents)).toEqual(['b #0 client_time: 2 + 2', 'sum #0 client_time: 3 + 3'])
    expect(contents.oldCommit).toBe('a'.repeat(40))
    await expect(readFileNamed('run.zip', zip, { memberPattern: '*.tsv.gz' })).rejects.toThrow(
      'and nothing matching *.tsv.gz',
    )
  })

  test('a pattern can name a member whose name says nothing', async () => {
    const contents = await readZip([{ name: 'out.txt', data: raw }], { memberPattern: 'out.txt' })
    expect(read(contents)).toEqual(['out #0 client_time: 2 + 2'])
  })

  test('a format leaves the others out', async () => {
    const specs = [
      { name: 'sum-raw.tsv', data: raw },
      { name: 'measurements.jsonl', data: '{"test":"a","side":"old","value":1}\n' },
    ]
    expect(read(await readZip(specs, { format: 'measurements' }))).toEqual(['a #null client_time: 1 + 0'])
    expect(read(await readZip(specs, { format: 'clickhouse-raw' }))).toEqual([SUM])
  })

  test('several paths are one run; one that holds nothing is a mistake', async () => {
    const first = await onDisk('sum-raw.tsv', raw)
    const second = await onDisk('b-raw.tsv', `${raw}x\n`)
    const contents = await readRuns([first, second])
    expect(read(contents)).toEqual(['b #0 client_time: 2 + 2', SUM])
    expect(codes(contents)).toEqual([`malformed-line ${second}:5`])
    await expect(readRuns([first, dirname(await onDisk('x.txt', ''))])).rejects.toThrow('no measurements')
  })

  test('old and new files', async () => {
    const old = await onDisk('a.jsonl', '{"test":"a","value":1}\n')
    const fresh = await onDisk('b.jsonl', '{"test":"a","value":2}\n')
    expect((await readSides([old], [fresh])).measurements).toMatchObject([{ old: [1], new: [2] }])
  })

  test('folders that are named after the sides', async () => {
    const line = '{"test":"a","value":1}\n'
    const [old, fresh] = [await onDisk('old/a.jsonl', line), await onDisk('new/b.jsonl', `\n${line}`)]
    expect((await readRuns([dirname(old), dirname(fresh)])).measurements).toMatchObject([{ old: [1], new: [1] }])
  })

  test('progress is told and an abort ends it', async () => {
    let bytes = 0
    await readRun(RECORDED, { onProgress: (progress) => (bytes = progress.bytes) })
    expect(bytes).toBeGreaterThan(10_000)
    await expect(readRun(RECORDED, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('an upload whose files do not say their side', () => {
  const bench = (nanoseconds: number) =>
    `goos: linux\npkg: example.com/sort\nBenchmarkSort\t1000\t${nanoseconds} ns/op\n`
  const uploaded = async (names: readonly string[]) => {
    const specs = names.map((name, index) => ({ name, data: bench(1000 + index) }))
    const { measurements, warnings } = await readUploadedRun(await onDisk('upload', makeZip(specs)), {
      shownAs: 'performance-go',
    })
    return [measurements.map((one) => [one.old.length, one.new.length]), warnings]
  }

  test('is of the head, and a warning names files that may be of two builds', async () => {
    expect(await uploaded(['a/bench.txt', 'b/bench.txt'])).toEqual([
      [[0, 2]],
      [
        {
          code: 'side-assumed',
          where: 'a/bench.txt',
          message:
            'it and b/bench.txt count as repetitions of the new build; put files of the old build into old/ and the others into new/',
        },
      ],
    ])
  })

  test('names that are long, or many, do not take the room of what to do', async () => {
    const [, warnings] = await uploaded([`a/${'x'.repeat(60)}.txt`, `b/${'y'.repeat(60)}.txt`])
    expect(warnings).toMatchObject([{ message: expect.stringMatching(/^it and 1 other file count as .* into new\/$/) }])
    const [, ofThree] = await uploaded(['a/bench.txt', 'b/bench.txt', 'c/bench.txt'])
    expect(ofThree).toMatchObject([{ message: expect.stringMatching(/^it and 2 other files count as /) }])
  })

  test.each([
    ['numbers tell repetitions apart', ['1.txt', '2.txt', '10.txt'], [[0, 3]]],
    ['names say the sides', ['base.txt', 'head.txt'], [[1, 1]]],
    ['a single file', ['bench.txt'], [[0, 1]]],
  ])('%s: no warning', async (_, names, samples) => {
    expect(await uploaded(names)).toEqual([samples, []])
  })
})

describe('hostile zips', () => {
  const good = { name: 'sum-raw.tsv', data: raw }
  test.each<[string, ZipSpec, string, string]>([
    ['a symbolic link', { name: 'bad-raw.tsv', data: '/etc/passwd', mode: 0o120777 }, 'refused', 'a symbolic link'],
    ['an encrypted member', { name: 'bad-raw.tsv', data: raw, flags: 0x801 }, 'refused', 'it is encrypted'],
    ['an unknown compression', { name: 'bad-raw.tsv', data: raw, method: 93 }, 'refused', 'method 93'],
    ['a wrong check sum', { name: 'bad-raw.tsv', data: raw, crc: 1 }, 'unreadable', 'its checksum is wrong'],
    ['too many bytes', { name: 'bad-raw.tsv', data: raw, declaredSize: 10 }, 'unreadable', 'too many bytes'],
    ['too few bytes', { name: 'bad-raw.tsv', data: raw, declaredSize: 10_000 }, 'unreadable', 'not enough bytes'],
    [
      'a wrong check sum of a large member',
      { name: 'bad-raw.tsv', data: rawText(20_000), crc: 1 },
      'unreadable',
      'its checksum is wrong',
    ],
  ])('%s is left out and said', async (_, bad, code, message) => {
    const { measurements, warnings } = await readZip([bad, good])
    expect(summaries(measurements)).toEqual([SUM])
    expect(warnings).toEqual([
      { code: `${code}-member`, where: 'bad-raw.tsv', message: expect.stringContaining(message) },
    ])
  })

  test('a second entry of the same name', async () => {
    const contents = await readZip([good, { ...good, data: rawText(9) }])
    expect(read(contents)).toEqual([SUM])
    expect(codes(contents)).toEqual(['refused-member sum-raw.tsv'])
  })

  test.each(['../bad-raw.tsv', '/bad-raw.tsv', 'a/../../bad-raw.tsv', 'C:\\bad-raw.tsv'])(
    'a name that leads out: %s',
    async (name) => {
      await expect(readZip([good, { name, data: raw }])).rejects.toThrow(/(absolute|relative) path/)
    },
  )

  test('a zip that was cut anywhere is an error of one line', async () => {
    const zip = makeZip([good, { name: 'b-raw.tsv', data: raw }])
    for (let length = 0; length < zip.length; length += 7) {
      await expect(readFileNamed('run.zip', zip.subarray(0, length))).rejects.toMatchObject({
        name: 'SourceError',
        message: expect.not.stringContaining('\n'),
      })
    }
  })

  test('bytes changed anywhere never crash and never give a wrong sample', async () => {
    const zip = makeZip([good])
    const measured = new Set((await readZip([good])).measurements.flatMap((m) => [...m.old, ...m.new]))
    for (let position = 0; position < zip.length; position += 3) {
      const broken = Buffer.from(zip)
      broken[position]! ^= 0x15
      const contents = await readFileNamed('run.zip', broken).catch((error: Error) => {
        expect(error.name).toBe('SourceError')
        return null
      })
      const samples = contents?.measurements.flatMap((m) => [...m.old, ...m.new]) ?? []
      expect(samples.filter((value) => !measured.has(value))).toEqual([])
    }
  })

  test('a broken zip among good files is a warning', async () => {
    const contents = await readZip([good, { name: 'inner.zip', data: makeZip([good]).subarray(0, 100) }])
    expect(read(contents)).toEqual([SUM])
    expect(codes(contents)).toEqual(['unreadable-member inner.zip'])
  })

  test('a directory of too many entries', async () => {
    const specs = Array.from({ length: 50 }, (_, i) => ({ name: `${i}.txt`, data: '', stored: true }))
    await expect(readZip(specs, { limits: { entries: 20 } })).rejects.toThrow('more than 20 files and folders')
    await expect(readZip(specs, { limits: { zipDirectoryBytes: 200 } })).rejects.toThrow(
      'more than 200 bytes in the directory',
    )
  })
})

describe('bombs', () => {
  const zeros = Buffer.alloc(8 * 1024 * 1024)
  const limits = { ratioFrom: 1024 * 1024 }

  test.each<[string, Uint8Array]>([
    ['run.zip', makeZip([{ name: 'sum-raw.tsv', data: zeros }])],
    ['sum-raw.tsv.gz', gzipSync(zeros)],
    ['sum-raw.tsv.zst', zstdCompressSync(zeros)],
    [
      'run.tar.zst',
      zstdCompressSync(
        makeTar([
          { name: 'job.log', data: zeros },
          { name: 'sum-raw.tsv', data: raw },
        ]),
      ),
    ],
  ])('%s: too much for its size', async (name, data) => {
    const outcome = await readFileNamed(name, data, { limits }).catch((error: Error) => error)
    const text = outcome instanceof Error ? outcome.message : JSON.stringify(outcome.warnings)
    expect(text).toContain('more than 200 times its compressed size')
  })

  test('too much in all ends the reading of the source and keeps what was read', async () => {
    const specs = [
      { name: 'a-raw.tsv', data: raw },
      { name: 'b-raw.tsv', data: Buffer.alloc(100_000, 'x\n') },
      { name: 'c-raw.tsv', data: raw },
    ]
    const contents = await readZip(specs, { limits: { totalBytes: 50_000 } })
    expect(read(contents)).toContain('a #0 client_time: 2 + 2')
    expect(contents.measurements.some((m) => m.test === 'c')).toBe(false)
    expect(contents.warnings).toContainEqual(expect.objectContaining({ code: 'limit-reached' }))
  })

  const MiB = 1024 * 1024
  const bad = Buffer.alloc(4 * MiB, 'x\n')
  const many = (count: number, name: (i: number) => string, data: Buffer) =>
    Array.from({ length: count }, (_, i) => ({ name: name(i), data }))
  const packed = (specs: ReturnType<typeof many>) => gzipSync(gzipSync(makeTar(specs), { level: 9 }), { level: 9 })

  test.each<[string, Buffer]>([
    ['streams that are each within their ratio', packed(many(60, (i) => `${i}-raw.tsv.gz`, gzipSync(bad)))],
    ['decompressors that are started for nothing', packed(many(5000, (i) => `${i}.tar.gz`, gzipSync('')))],
    [
      'zips of empty files',
      packed(many(60, (i) => `${i}.zip`, makeZip(many(100, (j) => `${j}-raw.tsv`, Buffer.alloc(0))))),
    ],
    ['files that hold nothing', packed(many(5000, (i) => `${i}-raw.tsv`, Buffer.from('x\n')))],
    [
      'frames that hold nothing',
      packed(many(9, (i) => `${i}-raw.tsv.zst`, Buffer.concat(Array(900).fill(zstdCompressSync(''))))),
    ],
  ])('%s end the reading of a small source, however they are nested', async (_, data) => {
    const inner = { name: 'logs.tar.gz', data }
    const source = makeZip([inner])
    let done = 0
    const onProgress = ({ bytes }: { bytes: number }) => (done = bytes)
    const reading = readFileNamed('run.zip', source, { limits: { workFrom: MiB }, onProgress })
    const outcome = await reading.catch((error: Error) => error)
    const text = outcome instanceof Error ? outcome.message : JSON.stringify(outcome.warnings)
    expect(text).toContain('more than 200 bytes to unpack and read for each byte on disk')
    expect(source.length).toBeLessThan(60_000)
    expect(done).toBeLessThan(MiB + 200 * source.length + 128 * 1024)
  })

  test('archives inside archives inside archives', async () => {
    let data = makeZip([{ name: 'sum-raw.tsv', data: raw }])
    for (let depth = 0; depth < 10; depth += 1) data = makeZip([{ name: 'inner.zip', data }])
    await expect(readFileNamed('run.zip', data)).rejects.toThrow('more than 6 nested archives')
  })

  test('a large zip inside another archive', async () => {
    const inner = makeZip([{ name: 'sum-raw.tsv', data: rawText(500), stored: true }])
    const contents = await readZip(
      [
        { name: 'inner.zip', data: inner },
        { name: 'b-raw.tsv', data: raw },
      ],
      { limits: { nestedZipBytes: 10_000 } },
    )
    expect(read(contents)).toEqual(['b #0 client_time: 2 + 2'])
    expect(codes(contents)).toEqual(['limit-reached inner.zip'])
  })

  test('many tiny zstd frames', async () => {
    const frame = zstdCompressSync('x\n')
    const data = Buffer.concat(Array.from({ length: 500 }, () => frame))
    await expect(readFileNamed('sum-raw.tsv.zst', data, { limits: { frames: 100 } })).rejects.toThrow('100 zstd frames')
  })
})

describe('hostile tars and streams', () => {
  const good = { name: 'sum-raw.tsv', data: raw }

  test('links, doubles and names that lead out are refused', async () => {
    const contents = await readFileNamed(
      'run.tar',
      makeTar([
        { name: 'soft-raw.tsv', type: '2', link: '/etc/passwd' },
        { name: 'hard-raw.tsv', type: '1', link: 'sum-raw.tsv' },
        { name: '../out-raw.tsv', data: raw },
        { name: '/abs-raw.tsv', data: raw },
        good,
        { name: './sum-raw.tsv', data: rawText(9) },
        { name: 'pipe-raw.tsv', type: '6' },
      ]),
    )
    expect(read(contents)).toEqual([SUM])
    expect(codes(contents).map((code) => code.split(' ')[0])).toEqual(Array(5).fill('refused-member'))
  })

  test.each(['', '.gz', '.zst'])('a tar%s that was cut anywhere keeps whole members and says so', async (ending) => {
    const tar = makeTar([good, { name: 'b-raw.tsv', data: rawText(30) }])
    const data = ending === '.gz' ? gzipSync(tar) : ending === '.zst' ? zstdCompressSync(tar) : tar
    let most = 0
    for (let length = 600; length < data.length - 1024; length += Math.ceil(data.length / 40)) {
      const contents = await readFileNamed(`run.tar${ending}`, data.subarray(0, length)).catch((error: Error) => {
        expect(error.name).toBe('SourceError')
        return null
      })
      if (contents === null) continue
      expect(codes(contents).some((code) => code.startsWith('unreadable-member'))).toBe(true)
      expect([[SUM], ['b #0 client_time: 30 + 30', SUM]]).toContainEqual(read(contents))
      most = Math.max(most, contents.measurements.length)
    }
    if (ending === '') expect(most).toBe(2)
  })

  test('a wrong check sum at the end of a stream spoils all that came out of it', async () => {
    const tar = makeTar([good])
    for (const [name, data] of [
      ['run.tar.gz', gzipSync(tar)],
      ['run.tar.zst', zstdCompressSync(tar, { params: { 201: 1 } })],
    ] as const) {
      const broken = Buffer.from(data)
      broken[data.length - (name.endsWith('.gz') ? 6 : 1)]! ^= 1
      await expect(readFileNamed(name, broken)).rejects.toThrow(/check|checksum/)
    }
  })

  test('a header that declares more than there is', async () => {
    const tar = makeTar([good, { name: 'b-raw.tsv', data: raw, declaredSize: 1e9 }])
    const contents = await readFileNamed('run.tar', tar)
    expect(read(contents)).toEqual([SUM])
    expect(codes(contents)).toContain('unreadable-member b-raw.tsv')
  })

  test('an archive by name that is none', async () => {
    const contents = await readFileNamed('run.tar', makeTar([good, { name: 'x.zip', data: 'no zip' }]))
    expect(read(contents)).toEqual([SUM])
    expect(codes(contents)).toEqual(['unreadable-member x.zip'])
  })
})
