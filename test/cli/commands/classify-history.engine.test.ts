import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { main } from '../../../src/cli.ts'
import { migratedDatabase, temporaryFolder, variablesOf } from '../../store/embedded/engine-fixture.ts'

/** Jobs of the head alone, judged by runs of the trunk that were imported. */

let folder = ''
let env: Record<string, string> = {}

async function run(...argv: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text
    },
  })
  const stdin = (async function* () {})()
  const code = await main(argv, { stdin, stdout: output('stdout'), stderr: output('stderr'), env })
  return { code, ...written }
}

/** Of ten benchmarks; the times wobble by 3%, and the last is by so much slower. */
async function file(name: string, index: number, factor = 1): Promise<string> {
  const lines = Array.from({ length: 10 }, (_, benchmark) => {
    const wobble = 1 + 0.03 * ((((index * 37 + benchmark * 11) % 23) - 11) / 11)
    const value = (1 + benchmark) * wobble * (benchmark === 9 ? factor : 1)
    return JSON.stringify({ test: 'codec', queryName: `Benchmark${benchmark}`, side: 'new', unit: 's', value })
  })
  const path = join(folder, name)
  await writeFile(path, `${lines.join('\n')}\n`)
  return path
}

const dayOf = (index: number) => new Date(Date.UTC(2026, 0, 1 + index)).toISOString()
const trunkFile = async (index: number) => await file(`trunk-${index}.jsonl`, index)

async function importTable(repository: string, rows: readonly (readonly string[])[]) {
  const path = join(folder, 'runs.tsv')
  const lines = [['commit', 'time', 'path'], ...rows].map((row) => `${row.join('\t')}\n`)
  await writeFile(path, lines.join(''))
  return await run('history', 'import', '--repository', repository, '--runs', path)
}

const against = ['--against', 'history', '--repository', '7'] as const

beforeAll(async () => {
  folder = await temporaryFolder()
  env = variablesOf(await migratedDatabase())
})

test('without a stored run of the trunk it says how to store one', async () => {
  const { code, stderr } = await run('classify', '--new', await file('job.jsonl', 1), ...against)
  expect([code, stderr]).toEqual([
    2,
    'perf-triage classify: no run of the main branch is stored for repository 7: store them with `perf-triage history import --commit SHA --time TIME FILE`\n',
  ])
})

test('one job asks for another, two that agree are slower', async () => {
  const of = ['--repository', '7', '--commit', '5b7f2aa0', '--time', dayOf(0)]
  const one = await run('history', 'import', ...of, await file('trunk.jsonl', 0))
  expect([one.code, one.stdout]).toEqual([0, 'stored the run of 5b7f2aa0 with 10 measurements\n'])
  const again = await run('history', 'import', ...of, await file('trunk.jsonl', 0))
  expect([again.code, again.stdout]).toEqual([
    0,
    'a run of 5b7f2aa0 at this time is already stored; nothing was added\n',
  ])
  const rows = await Promise.all(
    Array.from({ length: 14 }, async (_, index) => [`5b7f2aa${index}`, dayOf(index), await trunkFile(index)]),
  )
  const imported = {
    code: 0,
    stdout: 'stored 14 runs of the main branch with 140 measurements, 2026-01-01 to 2026-01-14',
  }
  expect(await importTable('7', rows)).toMatchObject({
    ...imported,
    stdout: `${imported.stdout}; 13 new, the others were already stored\n`,
  })
  expect(await importTable('7', rows)).toMatchObject({
    ...imported,
    stdout: `${imported.stdout}; all were already stored\n`,
  })
  const jobs = [await file('job-1.jsonl', 20, 1.3), await file('job-2.jsonl', 21, 1.3)]
  const first = await run('classify', '--new', jobs[0]!, ...against)
  const unnamed = await run('classify', '--new', jobs[0]!, '--against', 'history')
  expect(unnamed).toEqual({ ...first, stderr: expect.stringContaining('repository 7, the only one stored') })
  expect(first.stdout).toMatch(
    /^0 slower.*\n10 benchmarks by client_time · 1 job against 1[1-4](?:…14)? runs on the main branch\n/,
  )
  expect(first.stdout).toMatch(/\ncodec Benchmark9 +slower .*run another\n/)
  expect((await run('classify', '--new', jobs[0]!, ...against, '--fail-on', 'slower')).code).toBe(0)

  const { code, stdout } = await run('classify', '--new', ...jobs, ...against, '--json', '--fail-on', 'slower')
  expect(code).toBe(1)
  const row = z.object({
    queryName: z.string(),
    outcome: z.string(),
    direction: z.string().nullable(),
    difference: z.number(),
    changedThresholdSource: z.string(),
    history: z.object({ jobs: z.number(), trunkRuns: z.number(), asLarge: z.number(), reach: z.number() }),
  })
  const { queries } = z.object({ queries: z.array(row) }).parse(JSON.parse(stdout))
  const [worst, ...others] = queries
  expect(worst).toMatchObject({
    queryName: 'Benchmark9',
    outcome: 'changed',
    direction: 'slower',
    changedThresholdSource: 'history',
    history: { jobs: 2, trunkRuns: 11, asLarge: 0 },
  })
  expect(worst!.difference).toBeGreaterThan(0.25)
  expect(others.map(({ outcome }) => outcome)).not.toContain('changed')

  const comment = await run('comment', '--new', ...jobs, ...against, '--fail-on', 'slower')
  expect(comment.code).toBe(1)
  expect(comment.stdout).toContain('### 1 of 10 benchmarks got slower than the main branch, in two jobs')
  expect(comment.stdout).toMatch(
    /`codec Benchmark9`<br>moved this much in 0 of 11 runs on the main branch · 2 jobs against/,
  )
})

test('a run of a table that can’t be read is told and keeps no other', async () => {
  const rows = [
    ['main', dayOf(0), await trunkFile(0)],
    ['5b7f2aa1', 'yesterday', await trunkFile(1)],
    ['5b7f2aa2', dayOf(2), join(folder, 'none.txt')],
    ['5b7f2aa3', dayOf(3), await trunkFile(3)],
  ]
  const { code, stdout, stderr } = await importTable('9', rows)
  expect([code, stdout]).toEqual([
    2,
    'stored 1 run of the main branch with 10 measurements, 2026-01-04; 3 were not read\n',
  ])
  expect(stderr.split('\n')).toEqual([
    expect.stringContaining('runs.tsv:2: "main" is not a commit ID'),
    expect.stringContaining('runs.tsv:3: "yesterday" is not a time'),
    expect.stringContaining('none.txt: there is no such file'),
    '',
  ])
})

test('two files of one commit and time are not stored as one of them', async () => {
  const rows = [
    ['5b7f2aa1', dayOf(0), await trunkFile(0)],
    ['5B7F2AA1', dayOf(0), await trunkFile(1)],
  ]
  const { code, stdout, stderr } = await importTable('10', rows)
  expect([code, stdout]).toEqual([
    2,
    'stored 1 run of the main branch with 10 measurements, 2026-01-01; 1 was not read\n',
  ])
  expect(stderr).toContain('runs.tsv:3: an earlier row has this commit and time')
})

test('the last line of a table without an end is a run, and may have been cut', async () => {
  const path = join(folder, 'no-end.tsv')
  await writeFile(path, `commit\ttime\tpath\n5b7f2aa1\t${dayOf(0)}\t${await trunkFile(0)}`)
  const { code, stdout, stderr } = await run('history', 'import', '--repository', '11', '--runs', path)
  expect([code, stdout]).toEqual([0, 'stored 1 run of the main branch with 10 measurements, 2026-01-01\n'])
  expect(stderr).toContain('no-end.tsv:2: the last line has no newline, so its last value may be cut off')
})

test('a run that a limit cuts is not stored, alone or in a table, so that it can be given again', async () => {
  const cut = await file('cut.jsonl', 0)
  const long = { test: 'x'.repeat(2 ** 20), side: 'new', value: 1 }
  await appendFile(cut, `${JSON.stringify(long)}\n`)
  const of = ['--repository', '12', '--commit', '5b7f2aa1', '--time', dayOf(0)]
  const alone = await run('history', 'import', ...of, cut)
  expect([alone.code, alone.stdout]).toEqual([2, ''])
  expect(alone.stderr).toContain('give it in smaller parts')
  const table = await importTable('12', [
    ['5b7f2aa1', dayOf(0), cut],
    ['5b7f2aa2', dayOf(1), await trunkFile(1)],
  ])
  const stored = 'stored 1 run of the main branch with 10 measurements, 2026-01-02; 1 was not read\n'
  expect([table.code, table.stdout]).toEqual([2, stored])
  expect(table.stderr).toMatch(/cut\.jsonl: not everything was read \(.*\); give it in smaller parts/)
  const again = await run('history', 'import', ...of, await trunkFile(0))
  expect(again.stdout).toBe('stored the run of 5b7f2aa1 with 10 measurements\n')
})

test.each<readonly [string, readonly string[], string]>([
  ['a side of its own', ['classify', '--old', 'a', '--new', 'b', ...against], '--against history replaces --old'],
  ['no file', ['classify', ...against], 'no FILE'],
  ['all metrics', ['classify', '--new', 'b', ...against, '--metric', 'all'], '--against history judges one metric'],
  ['a repository alone', ['classify', 'x', '--repository', '7'], '--repository is for --against history'],
  ['the same of a comment', ['comment', 'x', '--repository', '7'], '--repository is for --against history'],
  ['no time', ['history', 'import', '--commit', '5b7f2aa', 'x'], 'both --commit and --time'],
  ['no commit id', ['history', 'import', '--commit', 'main', '--time', '2026-01-01', 'x'], 'main is not a commit ID'],
  ['a table and a file', ['history', 'import', '--runs', 'x', 'y'], 'remove FILE'],
  ['a table that is none', ['history', 'import', '--runs', import.meta.filename], 'commit is missing'],
  ['two runs', ['history', 'import', '--commit', '5b7f2aa', '--time', '2026-01-01', 'x', 'y'], 'one run at a time'],
])('%s is said in one line', async (_, argv, expected) => {
  const { code, stderr } = await run(...argv)
  expect([code, stderr.split('\n').length, stderr.includes(expected)], stderr).toEqual([2, 2, true])
})

test('a job is held against the trunk on its own kind of machine, and it is said where there is none', async () => {
  const output = async (name: string, cpu: string, ns: number) => {
    const lines = Array.from({ length: 10 }, (_, benchmark) => `BenchmarkX${benchmark}-8 100 ${ns + benchmark} ns/op\n`)
    const path = join(folder, name)
    await writeFile(path, `pkg: codec\ncpu: ${cpu}\n${lines.join('')}`)
    return path
  }
  const rows: string[][] = []
  for (let index = 0; index < 24; index += 1) {
    const [cpu, ns] = index % 2 === 0 ? ['EPYC 7763', 100] : ['Xeon 8370C', 200]
    rows.push([`9c41d0e${index}`, dayOf(index), await output(`trunk-${index}.txt`, cpu, ns + (index % 3))])
  }
  expect(await importTable('8', rows)).toMatchObject({ code: 0, stderr: '' })
  const row = z.object({
    old: z.object({ median: z.number() }),
    outcome: z.string(),
    history: z.object({ isOtherMachine: z.boolean().optional() }),
  })
  const judged = async (cpu: string, ns: number) => {
    const job = await output('job.txt', cpu, ns)
    const { stdout } = await run('classify', '--new', job, '--against', 'history', '--repository', '8', '--json')
    const { queries } = z.object({ queries: z.array(row) }).parse(JSON.parse(stdout))
    return queries.map(({ outcome, old, history }) => [outcome, Math.floor(old.median * 1e7), history.isOtherMachine])
  }
  expect(new Set((await judged('EPYC 7763', 101)).map(String))).toEqual(new Set(['not-significant,1,']))
  expect(new Set((await judged('Xeon 8370C', 201)).map(String))).toEqual(new Set(['not-significant,2,']))
  for (const [, , isOther] of await judged('Apple M4', 101)) expect(isOther).toBe(true)

  // A job on another machine says nothing of this one: it is not the second that agrees.
  const jobs = [await output('job-1.txt', 'Xeon 8370C', 300), await output('job-2.txt', 'EPYC 7763', 150)]
  const mixed = await run('classify', '--new', ...jobs, '--against', 'history', '--repository', '8')
  expect(mixed.stdout).toContain(' · 1 job against 12 runs on the main branch\n')
  const alone = await run('classify', '--new', await output('job.txt', 'Apple M4', 101), '--against', 'history')
  expect(alone.stderr).toContain('choose with --repository')
  const other = await run('comment', '--new', join(folder, 'job.txt'), '--against', 'history', '--repository', '8')
  const said = '- measured on: `Apple M4`; some runs on the main branch were on a different kind of machine\n'
  expect(other.stdout).toContain(said)
  const slower = ['--new', await output('slow.txt', 'Apple M4', 900), '--against', 'history', '--repository', '8']
  expect((await run('classify', ...slower)).stdout).toContain('some on a different kind of machine than Apple M4\n')
})
