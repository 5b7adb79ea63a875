import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTar } from '../../intake/archive/make-tar.ts'
import { perfTriage } from './capture.ts'

const RECORDED = fileURLToPath(new URL('../../../demo/recording/run-25.8-vs-26.9', import.meta.url))
const SAME_BUILD = fileURLToPath(new URL('../../data/run-a-a', import.meta.url))

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-triage-test-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

interface Document {
  readonly schemaVersion: number
  readonly metric: string
  readonly counts: Readonly<Record<string, number>>
  readonly queries: readonly Readonly<Record<string, unknown>>[]
  readonly warnings: readonly unknown[]
}

async function json(...argv: readonly string[]): Promise<Document> {
  const { code, stdout, stderr } = await perfTriage(['classify', '--json', ...argv])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Document
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

interface Sample {
  readonly test: string
  readonly side: 'old' | 'new'
  readonly values: readonly number[]
  readonly metric?: string
  readonly queryName?: string
  readonly architecture?: string
}

const jsonLines = (samples: readonly Sample[]) =>
  samples.flatMap(({ values, ...rest }) => values.map((value) => `${JSON.stringify({ ...rest, value })}\n`)).join('')

const around = (center: number) => [0, 1, 2, 3, 4, 5, 6].map((step) => center * (1 + step / 1000))

describe('what a limit leaves out', () => {
  const cut = () =>
    file(
      'cut.jsonl',
      jsonLines([
        { test: 'sort', side: 'old', values: around(1) },
        { test: 'sort', side: 'new', values: around(1) },
        { test: 'x'.repeat(2 ** 20), side: 'new', values: [1] },
      ]),
    )
  const message =
    /^perf-triage \w+: not everything was read \(cut\.jsonl:15: the line is longer than 1,048,576 characters: skipped\); give it in smaller parts/

  test.each([['classify'], ['classify', '--json'], ['classify', '--as', 'tsv'], ['comment']])(
    '%s %s ends with an error',
    async (...argv) => {
      const { code, stdout, stderr } = await perfTriage([...argv, await cut()])
      expect(code).toBe(2)
      expect(stdout).toContain(argv[0] === 'comment' ? '1 benchmark' : 'sort')
      expect(stderr.split('\n').at(-2)).toMatch(message)
    },
  )
})

describe('--attempt', () => {
  const spread = Array.from({ length: 13 }, (_, at) => 1 + (at - 6) / 60)
  const attempt = (name: string, factor: number) =>
    file(
      name,
      jsonLines([
        { test: 'sort', side: 'old', values: spread },
        { test: 'sort', side: 'new', values: spread.map((value) => value * factor) },
      ]),
    )

  test('tests the attempts together, whatever each shows alone', async () => {
    const [first, second] = [await attempt('first.jsonl', 1.08), await attempt('second.jsonl', 1.08)]
    for (const one of [first, second]) expect((await json(one)).counts).toMatchObject({ slower: 0 })
    const { counts, queries } = await json('--attempt', first, '--attempt', second)
    expect(counts).toMatchObject({ slower: 1 })
    expect(queries[0]).toMatchObject({ attempts: 2, outcome: 'changed', direction: 'slower' })
    const { stdout } = await perfTriage(['classify', '--attempt', first, '--attempt', second])
    expect(stdout).toContain('2 attempts together')
  })

  test('takes one that no other contradicts as it is', async () => {
    const one = await attempt('one.jsonl', 1.3)
    expect((await json('--attempt', one)).queries).toEqual((await json(one)).queries)
  })

  test('stands alone, and joins what had one old build', async () => {
    const one = await attempt('one.jsonl', 1)
    const { code, stderr } = await perfTriage(['classify', one, '--attempt', one])
    expect([code, stderr]).toEqual([2, expect.stringContaining('give either --attempt')])
    const folders = await Promise.all(
      ['a', 'b'].map(async (commit) => {
        const at = await mkdtemp(join(folder, 'attempt-'))
        await writeFile(join(at, 'sum-raw.tsv'), 'query\t0\tsum.query0.run0\t0\t1\nquery\t0\tsum.query0.run0\t1\t1\n')
        await writeFile(join(at, 'left-commit.txt'), `${commit.repeat(40)}\n`)
        return at
      }),
    )
    const other = await perfTriage(['classify', '--attempt', folders[0]!, '--attempt', folders[1]!])
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('different old builds')])
  })
})

describe('recorded runs', () => {
  test('two versions', async () => {
    const { schemaVersion, counts, queries, warnings } = await json(RECORDED)
    expect(schemaVersion).toBe(1)
    expect(counts).toEqual({ slower: 7, faster: 21, unstable: 16, tooSmall: 2, notSignificant: 21, notCompared: 1 })
    expect(warnings).toEqual([])
    expect(queries.length).toBe(68)
    expect(queries[0]).toMatchObject({
      test: 'hash_functions',
      queryIndex: 1,
      queryName: 'SELECT ignore(sipHash64(number)) FROM numbers(20000000)',
      metric: 'client_time',
      unit: 's',
      architecture: null,
      status: 'compared',
      old: { median: 0.281985803, repetitions: 7 },
      new: { median: 0.671963152, repetitions: 7 },
      outcome: 'changed',
      direction: 'slower',
      changedThreshold: 0.05,
      changedThresholdSource: 'floor',
      unstableThreshold: 0.1,
      unstableThresholdSource: 'floor',
      notes: [],
    })
    expect(queries.find(({ status }) => status !== 'compared')).toMatchObject({
      test: 'string_functions',
      queryIndex: 5,
      status: 'only-new',
      statusReason: 'partial',
      old: { median: null, repetitions: 0 },
      difference: null,
      outcome: null,
    })
  })

  test('one build against itself', async () => {
    const { counts } = await json(SAME_BUILD)
    expect(counts).toEqual({ slower: 0, faster: 1, unstable: 39, tooSmall: 1, notSignificant: 27, notCompared: 0 })
  })

  test('thresholds that are given count', async () => {
    const { counts, queries } = await json(RECORDED, '--changed-threshold', '0.5', '--unstable-threshold', '0.9')
    expect(counts).toMatchObject({ slower: 5, unstable: expect.any(Number) })
    expect(queries[0]).toMatchObject({ changedThreshold: 0.5, changedThresholdSource: 'given', unstableThreshold: 0.9 })
  })
})

describe('--fail-on', () => {
  test.each<[readonly string[], number, string]>([
    [['--fail-on', 'slower'], 0, ''],
    [['--fail-on', 'slower', '--fail-on', 'unstable'], 1, '39 unstable'],
    [['--fail-on', 'slower,changed'], 1, '1 changed'],
    [['--fail-on', ' Slower, CHANGED', '--format', 'Auto '], 1, '1 changed'],
  ])('%j', async (argv, code, message) => {
    const result = await perfTriage(['classify', SAME_BUILD, ...argv])
    expect(result.code).toBe(code)
    expect(result.stderr).toContain(message)
    expect(result.stdout).toContain('1 faster')
  })

  // the second file of the archive, in which a query is twice as slow, is cut off
  test.each(['classify', 'comment'])('%s of a cut archive decides only what holds already', async (command) => {
    const lines = (test: string, change: number) =>
      jsonLines([
        { test, side: 'old', values: around(1) },
        { test, side: 'new', values: around(change) },
      ])
    const archive = makeTar([
      { name: 'a.jsonl', data: lines('a', 0.5) },
      { name: 'b.jsonl', data: lines('b', 2) },
    ])
    const path = join(folder, 'cut.tar')
    await writeFile(path, archive.subarray(0, archive.indexOf('b.jsonl') + 512))
    const undecided = await perfTriage([command, path, '--fail-on', 'slower'])
    expect(undecided.code).toBe(2)
    expect(undecided.stderr).toMatch(/: not all results were read \(.+\), so --fail-on can’t be decided\n$/)
    expect((await perfTriage([command, path, '--fail-on', 'slower,changed'])).code).toBe(1)
  })
})

describe('metrics', () => {
  const samples = (metric: string, change: number): Sample[] => [
    { test: 'a', metric, side: 'old', values: around(1) },
    { test: 'a', metric, side: 'new', values: around(change) },
  ]

  test('the default metric alone is judged; all of them with all; counts are over the default', async () => {
    const path = await file('two.jsonl', jsonLines([...samples('client_time', 1), ...samples('memory', 2)]))
    expect((await json(path)).queries.map(({ metric }) => metric)).toEqual(['client_time'])
    const all = await json(path, '--metric', 'all')
    expect(all.queries.map(({ metric }) => metric)).toEqual(['memory', 'client_time'])
    expect(all.counts).toMatchObject({ slower: 0, notSignificant: 1 })
    const memory = await json(path, '--metric', 'memory')
    expect(memory).toMatchObject({ metric: 'memory', counts: { slower: 1 } })
    const { stdout } = await perfTriage(['classify', path, '--metric', 'all', '--all'])
    expect(stdout).toMatch(/^memory +slower +\+100% +1\.00 → 2\.01 /m)
  })

  test('a query that only other metrics have is counted as not compared', async () => {
    const beside = samples('memory', 2).map((sample) => ({ ...sample, test: 'b' }))
    const path = await file('beside.jsonl', jsonLines([...samples('client_time', 1), ...beside]))
    for (const argv of [[path], [path, '--metric', 'all']]) {
      const { counts, queries } = await json(...(argv as [string]))
      expect(counts).toMatchObject({ notSignificant: 1, notCompared: 1 })
      expect(queries).toContainEqual(
        expect.objectContaining({
          test: 'b',
          metric: 'client_time',
          status: 'not-measured',
          statusReason: 'no-samples',
        }),
      )
    }
    expect((await perfTriage(['comment', path])).stdout).toContain('1 of 2 benchmarks compared')
  })

  test('without the default metric what there is decides', async () => {
    const path = await file('other.jsonl', jsonLines(samples('memory', 2)))
    expect(await json(path)).toMatchObject({ metric: 'memory', counts: { slower: 1 } })
    expect(await json(path, '--metric', 'all')).toMatchObject({ metric: 'memory', counts: { slower: 1 } })
  })
})

test('one side per file', async () => {
  const side = (center: number) =>
    around(center)
      .map((value) => `{"test":"a","value":${value}}\n`)
      .join('')
  const old = await file('old.jsonl', side(1))
  const fresh = await file('new.jsonl', side(2))
  expect((await json('--old', old, '--new', fresh)).counts).toMatchObject({ slower: 1 })
  expect((await json('--new', old, '--old', fresh)).counts).toMatchObject({ faster: 1 })
})

test('values that JSON does not know are null, and warnings are listed', async () => {
  const path = await file('nan-raw.tsv', 'query\t0\tx\t0\tnan\nquery\t0\tx\t1\tinf\nbroken\n')
  const { stdout } = await perfTriage(['classify', '--json', path])
  expect(stdout).not.toMatch(/NaN|Infinity/)
  expect(JSON.parse(stdout)).toMatchObject({
    counts: { notCompared: 1 },
    queries: [{ status: 'failed', statusReason: 'not-a-number', old: { median: null, repetitions: 1 } }],
    warnings: [{ code: 'malformed-line', where: 'nan-raw.tsv:3' }],
  })
})

describe('the table', () => {
  const hostile =
    'SELECT \u001b[31m\u001b]0;title\u0007\n\u202e"漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字"'
  const run = async () =>
    await file(
      'table.jsonl',
      jsonLines([
        { test: 'up', queryName: hostile, side: 'old', values: around(0.02) },
        { test: 'up', queryName: hostile, side: 'new', values: around(0.03) },
        { test: 'same', side: 'old', values: around(1), architecture: 'arm' },
        { test: 'same', side: 'new', values: around(1), architecture: 'arm' },
        { test: 'gone', side: 'old', values: around(1) },
      ]),
    )

  test('a query that the new build alone did not run is a condition of its own', async () => {
    for (const command of ['classify', 'comment']) {
      const { code, stdout, stderr } = await perfTriage([command, await run(), '--fail-on', 'failed,unstable'])
      expect(code).toBe(1)
      expect(stderr).toContain('--fail-on: 1 failed')
      expect(stdout).toContain('without a result in the new build')
    }
    const { code } = await perfTriage(['classify', await run(), '--fail-on', 'unstable'])
    expect(code).toBe(0)
  })

  test('counts first, then rows of note, worst first, and what was folded', async () => {
    const { stdout } = await perfTriage(['classify', await run()])
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toBe(
      '1 slower, 0 faster, 0 unstable, 0 too small, 1 not significant, 1 not compared (1 without a result in the new build)',
    )
    expect(lines[1]).toBe('3 benchmarks by client_time · 7 + 7 repetitions · smallest p they can reach 0.012')
    expect(lines[3]).toMatch(/^benchmark +outcome +change +old → new +noise +p$/)
    expect(lines[4]).toMatch(/^up \S.* +slower +\+50\.0% +20\.1 → 30\.1 ms +apart +0\.012/)
    expect(lines[5]).toMatch(/^gone +only old \(no samples\) +1\.00 s → –$/)
    expect(lines[7]).toBe('apart: old and new don’t overlap')
    expect(lines[9]).toBe('not shown: 1 not significant (--all shows them)')
    expect(lines.length).toBe(10)
    expect((await perfTriage(['classify', await run(), '--all'])).stdout).toMatch(
      /\nsame +not significant .* arm\n\napart: .*\n$/,
    )
  })

  test('a large p of a row that changed is explained where its samples are equal', async () => {
    const said = async (name: string, old: readonly number[], values: readonly number[]) =>
      (
        await perfTriage([
          'classify',
          await file(
            name,
            jsonLines([
              { test: 'memory', side: 'old', values: old },
              { test: 'memory', side: 'new', values },
            ]),
          ),
        ])
      ).stdout
    const line = 'p above 0.05 in a changed row: its samples have few distinct values but do not overlap, which decides'
    expect(await said('equal.jsonl', Array(7).fill(896), Array(7).fill(1792))).toMatch(
      /\nmemory +slower .* 1\.00\n\napart: .*\np above 0\.05/,
    )
    expect(await said('differing.jsonl', around(1), around(2))).not.toContain(line)
    const few = await said('few.jsonl', around(1).slice(0, 3), around(2).slice(0, 3))
    expect(few).toMatch(/slower .* 0\.20 /)
    expect(few).not.toContain(line)
  })

  test('nothing from outside steers the terminal, and colour is ours alone', async () => {
    const pipe = await perfTriage(['classify', await run()])
    expect(pipe.stdout).not.toMatch(/[^\P{C}\n]/u)
    const terminal = await perfTriage(['classify', await run()], { columns: 200 })
    expect(terminal.stdout).toContain('\u001b[31mslower\u001b[39m')
    expect(terminal.stdout).not.toContain('\u001b]')
    const plain = await perfTriage(['classify', await run()], { columns: 200, env: { NO_COLOR: '1' } })
    expect(plain.stdout).not.toContain('\u001b')
  })

  test('rows fit the terminal, wide characters counted as two', async () => {
    const { stdout } = await perfTriage(['classify', await run()], { columns: 130, env: { NO_COLOR: '1' } })
    const row = stdout.split('\n').find((line) => line.includes(' slower '))!
    const wide = row.match(/[漢字]/g)?.length ?? 0
    expect(wide).toBeGreaterThan(3)
    expect(row.length + wide).toBeLessThanOrEqual(130)
    expect(row).toMatch(/^up .*…/)
  })

  test('warnings follow, the first of them', async () => {
    const path = await file('warnings-raw.tsv', `${'x\n'.repeat(9)}query\t0\tx\t0\t1\n`)
    const { stdout } = await perfTriage(['classify', path])
    expect(stdout).toContain('warning: warnings-raw.tsv:1 and 8 others: this is not a known record: skipped\n')
    const bad = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ name, unit: 'ns', value: null }))
    const entries = await file('new.json', JSON.stringify([{ name: 'z', unit: 'ns', value: 1 }, ...bad]))
    const last = (await perfTriage(['classify', entries])).stdout.trimEnd().split('\n').at(-1)
    expect(last).toBe('and 2 more warnings (--json lists all)')
  })
})

describe('two programs, two machines, several variants', () => {
  const time = (command: string, real: string, user: string, sys: string) =>
    `$ time ${command}\n\nreal    ${real}\nuser    ${user}\nsys ${sys}\n`
  const clickbench = (machine: string, factor: number) =>
    JSON.stringify({
      system: 'ClickHouse',
      machine,
      result: Array.from({ length: 43 }, (_, index) =>
        [1, 0.1, 0.101, 0.102, 0.103, 0.104].map((at) => at * factor * (index + 1)),
      ),
    })

  test('what waits is said, and one number a side decides nothing', async () => {
    const old = await file('php-old.txt', time('php insert.php 8170', '0m3.894s', '0m0.030s', '0m0.061s'))
    const fresh = await file('php-new.txt', time('php insert.php 8171', '0m0.422s', '0m0.050s', '0m0.022s'))
    const { stdout } = await perfTriage(['classify', old, fresh])
    expect(stdout).toContain('0 slower, 0 faster')
    expect(stdout).toContain('0 not compared, 1 measured once')
    expect(stdout).toContain('old: php insert.php 8170\nnew: php insert.php 8171')
    expect(stdout).toContain('98% of the old 3.89 s and 83% of the new 422 ms was spent waiting')
    expect(stdout).toMatch(/outcome: measured once\n[^]*cpu-time +−20\.9% +91\.0 → 72\.0 ms/)
    expect(stdout).toContain('one number per side decides nothing')
    const document = await json('--old', old, '--new', fresh)
    expect(document).toMatchObject({ metric: 'real', labels: { old: ['php insert.php 8170'] } })
    expect(document.queries.find(({ metric }) => metric === 'real')).toMatchObject({
      status: 'measured-once',
      better: 'lower',
      old: { median: 3.894, repetitions: 1 },
      difference: (0.422 - 3.894) / 3.894,
      direction: 'faster',
      outcome: null,
    })
    const undecided = await perfTriage(['classify', old, fresh, '--fail-on', 'changed'])
    const comment = (await perfTriage(['comment', old, fresh])).stdout
    expect(comment).toMatch(/^### The new program: .* measured once, which decides nothing$/m)
    expect(comment).toContain('Measure with 5 repetitions per side')
    expect(comment).toContain('old: `php insert.php 8170` · new: `php insert.php 8171`')
    expect(comment.match(/3,890/g)).toHaveLength(2)
    expect(undecided).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing could be compared') })
  })

  test('what decides is shown however it came out, and from 0 on nothing failed', async () => {
    const sides = ['old', 'new'].map((side) =>
      Promise.all(
        [1, 4, 2, 5, 3].map((noise, of) =>
          file(
            `noisy-${side}-${of}.txt`,
            time('sleep', `0m0.${noise}00s`, '0m0.001s', side === 'old' ? '0m0.000s' : '0m0.002s'),
          ),
        ),
      ),
    )
    const [old, fresh] = await Promise.all(sides)
    const { stdout } = await perfTriage(['classify', '--old', ...old!, '--new', ...fresh!])
    expect(stdout).toMatch(/^real +unstable /m)
    expect(stdout).toMatch(/^sys +no ratio \(zero old\) /m)
    expect(stdout).not.toContain('failed')
  })

  test('a run that is all noise shows its rows, what they hide and what would show it', async () => {
    const noisy = [90, 140, 100, 105, 95, 160, 110]
    const rowsOf = (side: string) =>
      noisy.map((value, repetition) => JSON.stringify({ test: 'sum', side, value: value / 1000, repetition }))
    const run = await file('noisy.jsonl', `${[...rowsOf('old'), ...rowsOf('new')].join('\n')}\n`)
    const { stdout } = await perfTriage(['classify', run])
    expect(stdout).toMatch(/^benchmark .* could hide +for 5%/m)
    expect(stdout).toMatch(/^sum +unstable .* 105 → 105 ms/m)
    const { queries } = await json(run)
    const { couldHide } = queries[0] as { couldHide: { slowdown: number; repetitions: number | null } }
    expect(couldHide.slowdown).toBeGreaterThan(0.1)
    const wanted = couldHide.repetitions === null ? '>499' : String(couldHide.repetitions)
    expect(stdout).toContain(` ${wanted}\n`)
  })

  test('a file that is named twice is one repetition, and an equal one another', async () => {
    const text = time('php', '0m3.894s', '0m0.030s', '0m0.061s')
    const [a, b] = [await file('a.txt', text), await file('b.txt', text)]
    const { queries, warnings } = await json('--old', a, a, b, '--new', a)
    expect(queries[0]).toMatchObject({ old: { repetitions: 2 }, new: { repetitions: 1 } })
    expect(warnings).toMatchObject([{ code: 'refused-member', where: a }])
  })

  test('ClickBench: a line for the whole, which names the machine', async () => {
    const [old, fresh] = [
      await file('ebs-old.json', clickbench('EBS', 2)),
      await file('nvme-new.json', clickbench('NVMe', 1)),
    ]
    const { stdout } = await perfTriage(['classify', old, fresh])
    expect(stdout).toContain('0 slower, 43 faster')
    expect(stdout).toMatch(
      /\nhot: 0\.50\d times the time \(geometric mean of t \+ 10 ms of 43 queries\), faster in 43 of 43: the machine, not the build\n/,
    )
    const comment = (await perfTriage(['comment', old, fresh])).stdout
    expect(comment).toContain('faster in 43 of 43: the machine, not the build\n')
    const same = await perfTriage(['classify', '--old', old, '--new', await file('ebs-2.json', clickbench('EBS', 1))])
    expect(same.stdout).toContain('faster in 43 of 43\n')
    expect(same.stdout).toMatch(/measured on: EBS · each name begins with clickbench\n[^]*#42 +hot +faster/)
  })

  const perf = " Performance counter stats for 'a':\n\n  1.50 msec task-clock\n"
  test.each<[string, string, string]>([
    ['perf stat that was cut', 'cut.txt', perf.slice(0, -5)],
    ['perf stat without a counter', 'none.txt', perf.split('\n')[0] + '\n\n'],
    ['counters of threads', 'threads.csv', 'php-12,1,,cycles,1,100.00,,\n'],
    ['a line that is not a counter', 'other.csv', '1,,cycles,1,100.00,,\nnonsense\n'],
    ['10,001 counters', 'many.csv', Array.from({ length: 10_001 }, (_, n) => `1,,c${n},1,100.00,,\n`).join('')],
    [
      '10,001 counters of a CPU',
      'cpus.csv',
      Array.from({ length: 10_001 }, (_, n) => `CPU0,1,,c${n},1,100.00,,\n`).join(''),
    ],
    ['ClickBench that was cut', 'cut.json', clickbench('m6i', 1).slice(0, 500)],
    ['ClickBench without queries', 'empty.json', '{"system":"a","machine":"b","result":[]}'],
    ['ClickBench of 2 MB', 'large.json', clickbench('m6i', 1).replace('{', `{"tags":["${'x'.repeat(2e6)}"],`)],
  ])('%s is one line of error', async (_, name, text) => {
    const [old, fresh] = [await file(`a-${name}`, text), await file(`b-${name}`, text)]
    const { code, stdout, stderr } = await perfTriage(['classify', '--old', old, '--new', fresh])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(name)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr.length).toBeLessThan(500)
  })

  test('a pattern of a variant is all files that it matches, and no name breaks the table', async () => {
    const first = await file('pattern-1.json', clickbench('m6i', 2))
    await file('pattern-2.json', clickbench('m6i', 2))
    const other = await file('other.json', clickbench('m6i', 1))
    const pattern = first.replace('pattern-1', 'pattern-*')
    const { code, stdout } = await perfTriage([
      ...['classify', '--metric', 'hot', '--variant', `\u001b[31m|@a\n${'x'.repeat(500)}=${pattern}`],
      ...['--variant', `__proto__=${other}`],
    ])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^__proto__ against \ufffd\[31m\|@a x{40,60}…: 0 slower, 43 faster/)
    expect(stdout).not.toContain('\u001b')
    const { variants } = JSON.parse(
      (await perfTriage(['classify', '--json', '--variant', `a=${pattern}`, '--variant', `b=${other}`])).stdout,
    ) as { variants: readonly { queries: readonly { metric: string; old: { repetitions: number } }[] }[] }
    expect(variants[0]!.queries.find(({ metric }) => metric === 'hot')!.old.repetitions).toBe(10)
  })

  test('three variants: each against the first, in one table', async () => {
    const [a, b, c] = [
      await file('a.json', clickbench('m6i', 2)),
      await file('b.json', clickbench('m6i', 1)),
      await file('c.json', clickbench('c7g', 3)),
    ]
    const argv = [
      'classify',
      '--metric',
      'hot',
      '--variant',
      `8K=${a}`,
      '--variant',
      `128K=${b}`,
      `--variant`,
      `1M=${c}`,
    ]
    const { stdout } = await perfTriage(argv)
    expect(stdout).toContain('128K against 8K: 0 slower, 43 faster')
    expect(stdout).toContain('1M against 8K: 43 slower, 0 faster')
    expect(stdout).toMatch(/\n#0 +204 ms +102 ms +−50\.0% +faster +306 ms +\+50\.0% +slower\n/)
    expect(JSON.parse((await perfTriage([...argv, '--json'])).stdout)).toMatchObject({
      reference: '8K',
      variants: [
        { name: '128K', metric: 'hot', counts: { faster: 43 } },
        { name: '1M', metric: 'hot', counts: { slower: 43 }, labels: { old: ['m6i'], new: ['c7g'] } },
      ],
    })
    expect((await perfTriage([...argv, '--fail-on', 'slower'])).code).toBe(1)
  })

  test.each([
    [['--variant', 'a=x.json'], 'one variant alone can’t be compared'],
    [['--variant', 'x.json'], 'start with a name'],
    [['--variant', 'a=x', '--variant', 'a=y'], 'two variants are named a'],
    [['--variant', 'a=x', '--variant', 'b=y', 'z.json', '--old', 'x'], 'give either --variant, or PATH'],
    [['--variant', 'a=missing.json', '--variant', 'b=y'], 'missing.json: there is no such file'],
    [['--variant', 'a=missing-*.json', '--variant', 'b=y'], 'missing-*.json: there is no such file (of the variant a)'],
    [['--variant', 'a\u001b[31m\n=x', '--variant', 'a\u001b[31m\n=y'], 'two variants are named a\ufffd[31m'],
    [
      Array.from({ length: 1000 }, (_, n) => ['--variant', `v${n}=x`]).flat(),
      '1000 variants, but one table compares at most 20',
    ],
  ])('%j is one line of error', async (argv, message) => {
    const { code, stdout, stderr } = await perfTriage(['classify', ...argv])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})

test('every row of a run of 150,000 is shown, and the document of them is one', async () => {
  const metrics = Array.from({ length: 1500 }, (_, metric) => `Counter${metric}\t2\t3\t0.5\t1.5\t0.1\t`)
  const queries = Array.from({ length: 100 }, (_, query) =>
    metrics.map((metric) => `${metric}sum\t${query}\tq${query}\n`),
  )
  const path = await file('all-query-metrics.tsv', queries.flat().join(''))
  const shown = await perfTriage(['classify', '--metric', 'all', '--all', path])
  expect(shown.code).toBe(0)
  expect(shown.stdout.match(/^sum #\d+ +Counter\d+ /gm)).toHaveLength(150_000)
  const { stdout } = await perfTriage(['classify', '--json', '--metric', 'all', path])
  const document = JSON.parse(stdout) as Document
  expect(document.queries).toHaveLength(150_000)
  expect(stdout).toBe(`${JSON.stringify(document, null, 2)}\n`)
})
