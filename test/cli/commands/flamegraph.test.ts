import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { perfTriage } from './capture.ts'

const INFERNO = fileURLToPath(new URL('../../data/profile-inferno/diff-folded/', import.meta.url))
const BEFORE = join(INFERNO, 'before.txt')
const AFTER = join(INFERNO, 'after.txt')

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const sorted = (text: string) => text.trim().split('\n').sort()
const flamegraph = (...argv: readonly string[]) => perfTriage(['flamegraph', ...argv])

describe('--as folded', () => {
  test.each([
    ['default.txt', []],
    ['normalize.txt', ['--normalize']],
    ['strip_hex.txt', ['--strip-hex']],
    ['default.txt', ['--as', ' Folded ', '--unit', 'BYTES']],
  ])('is what inferno has in %s', async (name, options) => {
    const { code, stdout, stderr } = await flamegraph(BEFORE, AFTER, '--as', 'folded', ...options)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(sorted(stdout)).toEqual(sorted(await readFile(join(INFERNO, 'results', name), 'utf8')))
  })

  test('cuts fractions with a warning, keeps them when told to', async () => {
    const old = join(INFERNO, 'before_fractionals.txt')
    const cut = await flamegraph(old, AFTER, '--as', 'folded')
    expect(sorted(cut.stdout)).toEqual(sorted(await readFile(join(INFERNO, 'results/fractionals.txt'), 'utf8')))
    expect(cut.stderr).toBe('warning: fractions of counts are cut off; --fractions keeps them\n')
    const kept = await flamegraph(old, AFTER, '--as', 'folded', '--fractions')
    expect(kept.stdout).toContain('dd;[unknown];read 14.2343983248723 13\n')
    expect(kept.stderr).toBe('')
  })
})

test('text: the frames whose share changed most, total and self', async () => {
  const old = await file('old', 'main;Aggregator::executeImpl 310\nmain;read 690\n')
  const fresh = await file('new', 'main;Aggregator::executeImpl 440\nmain;read 560\n')
  const { code, stdout, stderr } = await flamegraph(old, fresh)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(`old 1,000 samples, new 1,000 samples

Share of a frame including everything it calls, largest changes:
  \`Aggregator::executeImpl\` 31% → 44% (+13.0 points)
  \`read\` 69% → 56% (−13.0 points)

Share of a frame by itself, largest changes:
  \`Aggregator::executeImpl\` 31% → 44% (+13.0 points)
  \`read\` 69% → 56% (−13.0 points)
`)
})

test('text: too few samples, and a line that is no stack', async () => {
  const { code, stdout, stderr } = await flamegraph(join(INFERNO, 'bad_before.txt'), AFTER)
  expect(code).toBe(0)
  expect(stdout).toContain('Too few stack samples to compare shares, 54 on the old side and 80 on the new side')
  expect(stderr).toBe(`warning: ${join(INFERNO, 'bad_before.txt')}:3: not a stack followed by a count\n`)
})

test('svg: one file with its script, titled by the files', async () => {
  const { code, stdout, stderr } = await flamegraph(BEFORE, AFTER, '--as', 'svg', '--normalize')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" /)
  expect(stdout).toContain('aria-label="Profile difference, before.txt → after.txt"')
  expect(stdout).toContain('<script>')
  expect(stdout).toContain('old is scaled by 1.23')
  const icicle = await flamegraph(BEFORE, AFTER, '--as', 'svg', '--icicle', '--title', 'dd <1>')
  expect(icicle.stdout).toContain('aria-label="dd &lt;1&gt;"')
  expect(icicle.stdout).toContain('data-icicle="true"')
})

test('json: both sides for speedscope, in the unit that was given', async () => {
  const { code, stdout } = await flamegraph(BEFORE, AFTER, '--as', 'json', '--unit', 'bytes')
  expect(code).toBe(0)
  const document = JSON.parse(stdout) as { profiles: { name: string; unit: string; endValue: number }[] }
  expect(document.profiles).toMatchObject([
    { name: 'old: before.txt', unit: 'bytes', endValue: 65 },
    { name: 'new: after.txt', unit: 'bytes', endValue: 80 },
  ])
})

test('compressed files', async () => {
  const old = await file('old.gz', gzipSync(await readFile(BEFORE)))
  const { code, stdout } = await flamegraph(old, AFTER, '--as', 'folded')
  expect(code).toBe(0)
  expect(sorted(stdout)).toEqual(sorted(await readFile(join(INFERNO, 'results/default.txt'), 'utf8')))
})

test('an empty side is a side, as for a query that is new', async () => {
  const empty = await file('empty', '')
  for (const as of ['text', 'svg', 'folded', 'json']) {
    const { code, stdout, stderr } = await flamegraph(empty, AFTER, '--as', as)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    if (as === 'text') expect(stdout).toContain('The old side has no stacks')
    expect((await flamegraph(empty, empty, '--as', as)).code).toBe(0)
  }
})

test('on a terminal nothing from a file steers it', async () => {
  const hostile = await file('hostile', '\u001b[31mred\u0007 150\nb 50\n')
  const { stdout } = await perfTriage(['flamegraph', hostile, AFTER], { columns: 80, env: { NO_COLOR: '1' } })
  expect(stdout).toContain('`\ufffd[31mred\ufffd` 75% → 0%')
})

describe('--run', () => {
  /** A folder as ClickHouse's performance check leaves it, with real stacks. */
  async function makeRun(profiles: readonly (readonly [index: number, traceType: string])[]): Promise<string> {
    const path = await mkdtemp(join(folder, 'run-'))
    await mkdir(join(path, 'report'))
    const raw = [0, 1].flatMap((index) => [
      `display-name\t${index}\tSELECT ${index}`,
      ...[0, 1].map((side) => `query\t${index}\tsum.query${index}.run0\t${side}\t0.1`),
    ])
    await writeFile(join(path, 'sum-raw.tsv'), `${raw.join('\n')}\n`)
    for (const [side, source] of [
      ['left', BEFORE],
      ['right', AFTER],
    ] as const) {
      const lines = (await readFile(source, 'utf8')).trim().split('\n')
      const rows = profiles.flatMap(([index, type]) =>
        lines.map((line) => `sum\t${index}\t${type}\tSELECT ${index}\t${line.replace(/ (\d+)$/, '\t$1')}\n`),
      )
      await writeFile(join(path, 'report', `stacks.${side}.tsv`), rows.join(''))
    }
    return path
  }

  test('is the difference of the two files of its stacks', async () => {
    const path = await makeRun([
      [0, 'Real'],
      [0, 'CPU'],
      [1, 'CPU'],
    ])
    const { code, stdout, stderr } = await flamegraph('--run', path, '--test', 'sum', '--query', '0', '--as', 'folded')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(sorted(stdout)).toEqual(sorted(await readFile(join(INFERNO, 'results/default.txt'), 'utf8')))
    const hex = await flamegraph('--run', path, '--query', '1', '--as', 'folded', '--strip-hex')
    expect(sorted(hex.stdout)).toEqual(sorted(await readFile(join(INFERNO, 'results/strip_hex.txt'), 'utf8')))
  })

  test('is titled by the query and counted as its trace type is', async () => {
    const path = await makeRun([
      [1, 'CPU'],
      [1, 'MemorySample'],
    ])
    const svg = await flamegraph('--run', path, '--as', 'svg')
    expect(svg.stdout).toContain('aria-label="sum #1, CPU"')
    const { stdout } = await flamegraph('--run', path, '--trace', 'MemorySample', '--as', 'json')
    const document = JSON.parse(stdout) as { profiles: { name: string; unit: string; endValue: number }[] }
    expect(document.profiles).toMatchObject([
      { name: 'old: old build', unit: 'bytes', endValue: 65 },
      { name: 'new: new build', unit: 'bytes', endValue: 80 },
    ])
  })

  test('says what there is where the choice is none, or open', async () => {
    const path = await makeRun([
      [0, 'CPU'],
      [1, 'CPU'],
      [1, 'Real'],
    ])
    expect(await flamegraph('--run', path)).toEqual({
      code: 2,
      stdout: '',
      stderr: `perf-triage flamegraph: ${path}: stacks of 2 queries; available: sum #0 (CPU), sum #1 (CPU, Real) (choose with --test, --query and --trace)\n`,
    })
    const none = await flamegraph('--run', path, '--test', 'avg')
    expect(none.stderr).toContain('no stacks of that query; available: sum #0 (CPU), sum #1 (CPU, Real)')
    expect((await flamegraph('--run', path, '--trace', 'Real')).code).toBe(0)
    expect((await flamegraph('--run', await makeRun([]))).stderr).toContain('no stacks in this run')
  })

  test('shows what was wrong with its stacks', async () => {
    const path = await makeRun([[0, 'CPU']])
    await appendFile(join(path, 'report/stacks.right.tsv'), 'nonsense\n')
    const { code, stderr } = await flamegraph('--run', path)
    expect(code).toBe(0)
    expect(stderr).toBe('warning: report/stacks.right.tsv:9: fewer than six fields: skipped\n')
  })
})

describe('bad input is one line that says what and where', () => {
  test.each([
    [['missing.txt', AFTER], 'missing.txt: there is no such file'],
    [[INFERNO, AFTER], `${INFERNO}: a folder; give a file of folded stacks`],
    [['-', '-'], 'stdin (-) can be read only once'],
    [
      [BEFORE, AFTER, '--as', 'png'],
      "option '--as <output>' argument 'png' is invalid. Allowed choices are text, svg, folded, json",
    ],
    [[BEFORE, AFTER, '--unit', 'apples'], 'Allowed choices are samples, bytes, '],
    [[BEFORE], 'no NEW: give the files of both sides, or --run PATH'],
    [[], 'no OLD: give the files of both sides, or --run PATH'],
    [[BEFORE, AFTER, '--run', 'logs.tar.zst'], 'give either OLD and NEW or --run PATH, not both'],
    [[BEFORE, AFTER, '--query', '3'], 'choose from a run'],
    [['--run', 'missing.zip'], 'missing.zip: there is no such file or folder'],
    [['--run', 'missing.zip', '--trace', 'Memory'], 'Allowed choices are CPU, Real, MemorySample, JemallocSample'],
  ])('%j', async (argv, message) => {
    const { code, stdout, stderr } = await flamegraph(...argv)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  test('a file of something else', async () => {
    const other = await file('other.json', '{\n"a": "b"\n}\n')
    const { code, stderr } = await flamegraph(other, AFTER)
    expect(code).toBe(2)
    expect(stderr).toBe(
      `perf-triage flamegraph: ${other}: not folded stacks; each line is "frame;frame;frame COUNT", outermost frame first\n`,
    )
  })

  test('an archive, and a damaged one', async () => {
    const zip = await file('a.zip', Buffer.from('504b0304140000000000', 'hex'))
    expect((await flamegraph(zip, AFTER)).stderr).toContain('a zip archive; unpack it')
    const cut = await file('cut.gz', gzipSync(await readFile(BEFORE)).subarray(0, 60))
    expect((await flamegraph(cut, AFTER)).stderr).toContain('can’t be read completely')
  })
})

describe('profiles of pprof', () => {
  const profile = (side: string) => fileURLToPath(new URL(`../../data/profile-go/${side}/cpu.pprof`, import.meta.url))

  test('two of them are compared, compressed or not, and so are one and folded stacks of the same', async () => {
    const both = await flamegraph(profile('old'), profile('new'), '--as', 'folded')
    expect({ code: both.code, stderr: both.stderr }).toEqual({ code: 0, stderr: '' })
    const lines = both.stdout.trim().split('\n')
    const sumOf = (place: number) => lines.reduce((sum, line) => sum + Number(line.split(' ').at(place)), 0)
    expect([sumOf(-2), sumOf(-1)]).toEqual([75, 75])
    const plain = await file('plain.bin', gunzipSync(await readFile(profile('old'))))
    expect((await flamegraph(plain, profile('new'), '--as', 'folded')).stdout).toBe(both.stdout)
    const folded = lines.map((line) => line.replace(/ \d+$/, '')).filter((line) => !line.endsWith(' 0'))
    const old = await file('old.folded', `${folded.join('\n')}\n`)
    const mixed = await flamegraph(old, profile('new'), '--as', 'folded')
    expect(sorted(mixed.stdout)).toEqual(sorted(both.stdout))
    const svg = await flamegraph(profile('old'), profile('new'), '--as', 'svg')
    expect(svg.stdout).toContain('Profile difference, old/cpu.pprof → new/cpu.pprof')
  })

  test('numbers of two kinds are not compared', async () => {
    const whole = gunzipSync(await readFile(profile('old'))).toString('latin1')
    const of = async (name: string, kind: string, unit: string) => {
      const texts = [['cpu', kind] as const, ['nanoseconds', unit] as const]
      const bytes = texts.reduce((text, [old, fresh]) => text.replace(string(old), string(fresh)), whole)
      return await file(name, Buffer.from(bytes, 'latin1'))
    }
    const string = (text: string) => `2${String.fromCodePoint(text.length)}${text}`
    const [wall, memory] = [
      await of('wall.pprof', 'wall', 'nanoseconds'),
      await of('heap.pprof', 'alloc_space', 'bytes'),
    ]
    const folded = await file('some.folded', 'main;f 12\n')
    const said = async (...files: [string, string]) => (await flamegraph(...files)).stderr
    expect(await said(profile('old'), wall)).toContain('a profile of CPU and one of Real can’t be compared')
    expect(await said(memory, wall)).toContain('a profile of MemorySample and one of Real can’t be compared')
    expect(await said(folded, memory)).toContain('folded stacks and a profile of bytes can’t be compared')
    expect(await said(folded, wall)).toBe('')
    expect(await said(await file('empty.folded', ''), memory)).toBe('')
  })

  test('one that is broken is refused with a line, an empty one has no stacks', async () => {
    const whole = gunzipSync(await readFile(profile('old')))
    const broken = {
      'cut.pprof': (await readFile(profile('old'))).subarray(0, 2000),
      'half.pprof': whole.subarray(0, whole.length / 2),
      'other.pprof': 'main;f 12\n',
      'huge.pprof': Buffer.alloc(65 * 1024 * 1024),
    }
    for (const [name, bytes] of Object.entries(broken)) {
      const { code, stdout, stderr } = await flamegraph(await file(name, bytes), profile('new'))
      expect([name, code, stdout]).toEqual([name, 2, ''])
      expect(stderr).toMatch(/^perf-triage flamegraph: \S+: [^\n]+\n$/)
    }
    const none = await flamegraph(await file('none.pprof', ''), profile('new'))
    expect([none.code, none.stdout.split('\n')[0]]).toEqual([0, 'old 0 samples, new 75 samples'])
  })
})
