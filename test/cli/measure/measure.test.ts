import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { perfTriage } from '../commands/capture.ts'
import { fileIn, measured, repository, SORT_BENCHMARK, sorting, startMeasure } from './repository.ts'

const RUN = ['--run', 'node bench.js {out}']

const comment = z.object({
  report: z.object({
    equalBuilds: z.array(z.object({ queries: z.number(), difference: z.number() })),
    rows: z.array(
      z.object({
        queryName: z.string(),
        outcome: z.string().nullable(),
        verdict: z.string().nullable(),
        evidence: z.array(z.object({ kind: z.string(), difference: z.number().nullish() })),
      }),
    ),
  }),
})
const classified = z.object({
  counts: z.record(z.string(), z.number()),
  oldCommit: z.string(),
  newCommit: z.string(),
  equalBuilds: z.object({ queries: z.number(), difference: z.number() }).optional(),
  queries: z.array(
    z
      .object({ queryName: z.string(), outcome: z.string().nullable(), old: z.object({ repetitions: z.number() }) })
      .loose(),
  ),
})
const classifiedIn = async (path: string) =>
  classified.parse(JSON.parse((await perfTriage(['classify', path, '--json'])).stdout))

describe('base and head in turns', () => {
  test('a slowdown of 30 % is open, with what equal builds differed by', async () => {
    const made = sorting('exports.sorts = 130\n')
    const before = made.git('status', '--porcelain', '--branch')
    const { code, stdout, stderr } = await measured(made, [...RUN, '--seed', '1'])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/^turn 1: .*\n/) })
    expect(stdout).toContain('as precise as requested')

    const file = fileIn(made.results)
    expect(file).toMatchObject({ end: 'precise', seed: 1, failures: [], base: { commit: made.base } })
    expect(file.turns.length).toBeLessThan(30)
    expect(file.turns.filter(({ order }) => order.includes('copy')).length).toBeGreaterThanOrEqual(5)
    for (const { order, outputs } of file.turns) expect(outputs.map(({ build }) => build)).toEqual(order)
    expect(new Set(file.turns.map(({ order }) => order[0])).size).toBeGreaterThan(1)

    const { counts, oldCommit, newCommit, equalBuilds, queries } = await classifiedIn(made.results)
    expect({ oldCommit, newCommit }).toEqual({ oldCommit: made.base, newCommit: made.git('rev-parse', 'change') })
    expect(counts).toMatchObject({ slower: 2 })
    expect(queries.map(({ old }) => old.repetitions)).toEqual([file.turns.length, file.turns.length])
    expect(equalBuilds).toMatchObject({ queries: 2 })
    expect(equalBuilds!.difference).toBeLessThan(0.05)

    const { stdout: json } = await perfTriage(['comment', made.results, '--json'])
    const { report } = comment.parse(JSON.parse(json))
    expect(report.rows.map(({ verdict }) => verdict)).toEqual(['regression', 'regression'])
    for (const { evidence } of report.rows)
      expect(evidence.find(({ kind }) => kind === 'equal-builds')!.difference).toBeLessThan(0.05)
    expect((await perfTriage(['classify', made.results])).stdout).toMatch(/equal builds differed by up to \d/)

    const archive = join(dirname(made.results), 'artifact.tar.gz')
    execFileSync('tar', ['-czf', archive, '-C', dirname(made.results), 'results'])
    expect(await classifiedIn(archive)).toEqual(await classifiedIn(made.results))
    expect(made.git('worktree', 'list').split('\n')).toHaveLength(1)
    expect(made.git('status', '--porcelain', '--branch')).toBe(before)
  })

  test('a change that changes nothing is none', async () => {
    const made = sorting('exports.sorts = 100 // the same\n')
    await measured(made, [...RUN])
    const { counts } = await classifiedIn(made.results)
    expect(counts).toMatchObject({ slower: 0, faster: 0, unstable: 0 })
  })

  test('noise ends a run early, and what is exact is not measured again where the tool can leave it out', async () => {
    const made = sorting('exports.sorts = 20\n', 'exports.sorts = 20\n// before\n')
    const filter = ['--run', 'node bench.js {out} {filter}', '--filter', '"$(echo {names} | tr " " ,)"']
    await measured(made, [...filter, '--show', '2.5%'])
    const { turns, end } = fileIn(made.results)
    expect(end).toBe('precise')
    expect(turns.slice(0, 5).every(({ only }) => only === null)).toBe(true)
    expect(turns.at(-1)!.only).toEqual(['small'])
  })
})

describe('nothing to measure', () => {
  test('equal trees end it before anything is built', async () => {
    const made = repository()
    made.commit({ 'bench.js': SORT_BENCHMARK })
    made.git('checkout', '--quiet', '-b', 'change')
    made.commit({}, 'nothing')
    const { code, stdout } = await measured(made, [...RUN, '--build', 'exit 1'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Nothing to measure: the two trees are the same.\n' })
    expect(fileIn(made.results)).toMatchObject({
      end: 'no-difference',
      turns: [],
      unmeasured: { reason: 'same-trees', message: 'the two trees are the same' },
    })
  })

  test('so do files that the repository’s file lists as not built, and no others', async () => {
    const made = repository()
    made.commit({ 'bench.js': SORT_BENCHMARK, '.github/perf-triage.yml': 'unbuiltPaths: ["notes/**"]\n' })
    made.git('checkout', '--quiet', '-b', 'change')
    made.commit({ 'notes/a.txt': 'a' })
    expect((await measured(made, [...RUN, '--build', 'exit 1'])).stdout).toContain('notes/a.txt')
    expect(fileIn(made.results)).toMatchObject({ end: 'no-difference', unmeasured: { reason: 'unbuilt-paths' } })
    made.commit({ 'README.md': 'a' })
    const again = { ...made, results: `${made.results}-2` }
    expect(await measured(again, [...RUN, '--build', 'exit 1'])).toMatchObject({ code: 2 })
  })
})

describe.skipIf(spawnSync('go', ['version']).error !== undefined)('equal builds', () => {
  const GO = {
    'go.mod': 'module a\n\ngo 1.21\n',
    'x/x_test.go':
      'package x\n\nimport "testing"\n\nfunc BenchmarkX(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n',
  }
  /** A branch of a module that differs from main in these files. */
  const branch = (files: Readonly<Record<string, string>>) => {
    const made = repository()
    made.commit(GO)
    made.git('checkout', '--quiet', '-b', 'change')
    made.commit(files)
    return made
  }

  test('of Go are told, and base and head are measured in five turns: a benchmark may read its sources', async () => {
    const made = branch({ 'y/y.go': 'package y\n' })
    const { code, stdout } = await measured(made, ['--go=-benchtime 1x ./x', '--show', '0.000001%'])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Both builds gave the same files, byte for byte: .*\n5 turns in .*no more turns/),
    })
    expect(readdirSync(made.results).toSorted()).toEqual(['measure.json', 'new', 'old'])
    const { turns, unmeasured, buildsAreEqual, settings } = fileIn(made.results)
    expect({ unmeasured, buildsAreEqual }).toEqual({ unmeasured: null, buildsAreEqual: true })
    expect(settings.copies).toBe(false)
    for (const { order } of turns) expect(order.toSorted()).toEqual(['base', 'head'])
    const { queries, newCommit } = await classifiedIn(made.results)
    expect(queries).toMatchObject([{ old: { repetitions: 5 }, new: { repetitions: 5 } }])
    expect(newCommit).toBe(made.git('rev-parse', 'change'))
  })

  test('are none where a file that a benchmark may read differs, or a build', async () => {
    for (const files of [{ 'x/testdata/input.txt': '7' }, { 'x/x.go': 'package x\n\nvar Note = 1\n' }]) {
      const made = branch(files)
      await measured(made, ['--go=-benchtime 1x ./x', '--budget', '0.001s', '--turn-limit', '60s'])
      expect(fileIn(made.results)).toMatchObject({ buildsAreEqual: false, turns: [{ turn: 1 }] })
    }
  })
})

test('the copy of the base is as it was built, and not built again', async () => {
  const made = sorting('exports.sorts = 130\n')
  const built = join(dirname(made.results), 'built')
  const build = `pwd | tee -a ${built} >where; touch -d 2001-02-03 program.js`
  const run = `test "$(stat -c %Y program.js)" = "$(date -d 2001-02-03 +%s)" && pwd >>${built}.runs && node bench.js {out}`
  const { code } = await measured(made, ['--build', build, '--run', run])
  expect(code).toBe(0)
  const lines = (path: string) => readFileSync(path, 'utf8').trim().split('\n')
  expect(lines(built).map((path) => path.split('/').at(-1))).toEqual(['base', 'head'])
  expect(new Set(lines(`${built}.runs`).map((path) => path.split('/').at(-1)))).toEqual(
    new Set(['base', 'head', 'copy']),
  )
})

describe('what fails', () => {
  test.each([
    ['base', '130', 'base-not-built'],
    ['head', '100', 'head-not-built'],
  ])('a build of the %s says so, with its last lines', async (side, needed, reason) => {
    const made = sorting('exports.sorts = 130\n')
    const build = `grep -q ${needed} program.js || { echo compiling; echo "program.js:1: broken" >&2; exit 3; }`
    const { code, stderr } = await measured(made, [...RUN, '--build', build])
    expect(code).toBe(2)
    const message = `the ${side} could not be built (exit code 3); it said: compiling | program.js:1: broken`
    expect(stderr).toContain(message)
    expect(fileIn(made.results)).toMatchObject({ end: 'not-built', turns: [], unmeasured: { reason, message } })
    expect(made.git('worktree', 'list').split('\n')).toHaveLength(1)
  })

  test('a turn is said and left out, and the others stand', async () => {
    const made = sorting('exports.sorts = 130\n')
    const run = 'case {out} in */new/002*) echo lost >&2; exit 7;; esac; node bench.js {out}'
    const { code, stdout, stderr } = await measured(made, ['--run', run])
    expect(code).toBe(0)
    expect(stderr).toContain('turn 2: the head failed (exit code 7); it said: lost\n')
    expect(stdout).toContain('1 turn failed')
    const file = fileIn(made.results)
    expect(file.failures).toEqual([{ turn: 2, build: 'head', message: expect.stringContaining('exit code 7') }])
    expect(file.turns.map(({ turn }) => turn)).not.toContain(2)
    expect(readdirSync(join(made.results, 'old')).some((name) => name.startsWith('002'))).toBe(false)
    expect((await classifiedIn(made.results)).counts).toMatchObject({ slower: 2 })
  })

  test('a line that can’t be read is said once of each build, and its turn stands', async () => {
    const made = sorting('exports.sorts = 130\n')
    const run = 'node bench.js {out}; case {out} in */new/*) echo "{no result" >>{out};; esac'
    const { code, stderr } = await measured(made, ['--run', run])
    expect(code).toBe(0)
    expect(stderr.split('\n').filter((line) => line.startsWith('warning'))).toEqual([
      'warning: turn 1: the head: this is not a JSON object: skipped',
    ])
    expect(fileIn(made.results).failures).toEqual([])
  })

  test('three turns in a row end it, and what there is stays', async () => {
    const made = sorting('exports.sorts = 130\n')
    const run = 'case {out} in */new/00[4-9]*) exit 7;; esac; node bench.js {out}'
    const { code, stderr } = await measured(made, ['--run', run])
    expect({ code, last: stderr.split('\n').at(-2) }).toEqual({
      code: 2,
      last: expect.stringContaining('3 turns measured: the head failed (exit code 7)'),
    })
    expect(fileIn(made.results)).toMatchObject({ end: 'failed', failures: [{ turn: 4 }, { turn: 5 }, { turn: 6 }] })
    expect((await perfTriage(['classify', made.results])).code).toBe(0)
  })

  test('lines that say of themselves that they are of the new side are refused: they would all be of the head', async () => {
    const made = sorting('exports.sorts = 130\n')
    const line = JSON.stringify({ test: 'a', side: 'new', value: 1 })
    const { code, stderr } = await measured(made, ['--run', `echo '${line}'`])
    expect(code).toBe(2)
    expect(stderr).toContain('"side" is "new" in a file of the old build; omit "side"')
  })

  test('output without results is a failed turn that says what was looked for', async () => {
    const made = sorting('exports.sorts = 130\n')
    const { code, stderr } = await measured(made, ['--run', 'echo hello'])
    expect(code).toBe(2)
    expect(fileIn(made.results)).toMatchObject({ end: 'failed', turns: [], unmeasured: { reason: 'turns-failed' } })
    expect(stderr).toMatch(/gave no results \(.*supported formats/)
  })

  test('a process that hangs is killed, with what it started', async () => {
    const made = sorting('exports.sorts = 130\n')
    const pid = join(dirname(made.results), 'pid')
    const run = `sleep 300 & echo $! > ${pid}; wait`
    const { code, stderr } = await measured(made, ['--run', run, '--turn-limit', '1s', '--budget', '5s'])
    expect(code).toBe(2)
    expect(stderr).toContain('killed after 1 s')
    await expect.poll(() => isRunning(Number(readFileSync(pid, 'utf8')))).toBe(false)
  })

  test('what leaves the group of processes with its output open holds nothing up', async () => {
    const started = performance.now()
    const command = 'setsid sleep 60 & sleep 0.3; echo said >&2; exit 3'
    const limits = { limit: 60_000, output: null, folder: '/' }
    const call = `import { runCommand } from ${JSON.stringify(new URL('../../../src/cli/measure/run-command.ts', import.meta.url).href)}
      const ended = await runCommand(${JSON.stringify(command)}, { ...${JSON.stringify(limits)}, env: process.env, signal: new AbortController().signal })
      console.log(ended.problem, ended.lastLines)`
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', call], { encoding: 'utf8' })
    expect(printed).toContain("exit code 3 [ 'said' ]")
    expect(performance.now() - started).toBeLessThan(55_000)
  })

  test('neither tool, commit nor folder is said at once', async () => {
    const made = sorting('exports.sorts = 130\n')
    expect((await measured(made, [])).stderr).toContain('give --run COMMAND or a tool')
    expect((await measured(made, ['--base', 'nowhere', ...RUN])).stderr).toContain('--base nowhere: neither a commit')
    writeFileSync(join(made.folder, 'x'), '')
    const full = { ...made, results: made.folder }
    expect((await measured(full, RUN)).stderr).toContain('is not empty')
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

describe('what ends it from outside', () => {
  test('Ctrl-C keeps the whole turns and kills what runs', async () => {
    const made = sorting('exports.sorts = 130\n')
    const pid = join(dirname(made.results), 'pid')
    const run = `case {out} in */003*) sleep 300 & echo $! > ${pid}; wait;; esac; node bench.js {out}`
    const { child, ended } = startMeasure(made, ['--run', run])
    await expect.poll(() => existsSync(pid) && readFileSync(pid, 'utf8') !== '', { timeout: 60_000 }).toBe(true)
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('2 turns in ') })
    expect(stdout).toContain('interrupted')
    expect(fileIn(made.results)).toMatchObject({ end: 'interrupted', turns: [{ turn: 1 }, { turn: 2 }], failures: [] })
    expect(readdirSync(join(made.results, 'old'))).toEqual(['001.jsonl', '002.jsonl'])
    expect(isRunning(Number(readFileSync(pid, 'utf8')))).toBe(false)
    expect(made.git('worktree', 'list').split('\n')).toHaveLength(1)
    expect((await classifiedIn(made.results)).queries).toHaveLength(2)
  })

  test('too few turns for a verdict say which budget is enough for them', async () => {
    const made = sorting('exports.sorts = 1\n')
    const { stdout } = await measured(made, [
      '--run',
      'sleep 0.5; node bench.js {out}',
      '--budget',
      '2s',
      '--turn-limit',
      '60s',
    ])
    const budget = /^A verdict takes 5 turns: --budget (\d+)s is about enough for them\.$/m.exec(stdout)?.[1]
    expect(Number(budget)).toBeGreaterThanOrEqual(9)
  })

  test('a budget that is used up ends it with what there is', async () => {
    const made = sorting('exports.sorts = 1\n', 'exports.sorts = 1 // before\n')
    const { code, stdout } = await measured(made, ['--run', 'sleep 0.2; node bench.js {out}', '--budget', '4s'])
    expect(code).toBe(0)
    const { end, turns, startedAt, endedAt } = fileIn(made.results)
    expect(end).toBe('budget')
    expect(stdout).toContain('the budget is used up')
    expect(turns.length).toBeGreaterThan(0)
    expect(Date.parse(endedAt!) - Date.parse(startedAt)).toBeLessThan(60_000)
  })
})

describe('the sides', () => {
  test('are two commands', async () => {
    const made = sorting('exports.sorts = 130\n')
    made.git('worktree', 'add', '--quiet', '../other', 'main')
    const { code } = await measured(made, ['--base', 'node ../other/bench.js {out}', '--head', 'node bench.js {out}'])
    expect(code).toBe(0)
    expect(fileIn(made.results)).toMatchObject({ base: { commit: null }, head: { run: 'node bench.js {out}' } })
    expect((await perfTriage(['classify', made.results])).stdout).toMatch(/^2 slower/)
  })

  test('are a commit and the folder as it stands', async () => {
    const made = sorting('exports.sorts = 100\n')
    writeFileSync(join(made.folder, 'program.js'), 'exports.sorts = 130 // not committed\n')
    await measured(made, ['--base', 'main', '--head', '.', ...RUN])
    expect((await perfTriage(['classify', made.results])).stdout).toMatch(/^2 slower/)
  })

  test('of the merge commit of a pull request are its first parent and itself, fetched where they are missing', async () => {
    const made = sorting('exports.sorts = 130\n')
    made.git('checkout', '--quiet', 'main')
    const trunk = made.commit({ 'other.txt': 'moved on' })
    made.git('merge', '--quiet', '--no-ff', '--no-edit', 'change')
    const merge = made.git('rev-parse', 'HEAD')
    const clone = join(dirname(made.folder), 'clone')
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${made.folder}`, clone])
    const { code } = await measured({ ...made, folder: clone }, RUN, { GITHUB_REF: 'refs/pull/7/merge' })
    expect(code).toBe(0)
    expect(fileIn(made.results)).toMatchObject({ base: { commit: trunk }, head: { commit: merge } })
  })

  test('of a head on the trunk are the commit before it and itself', async () => {
    const made = sorting('exports.sorts = 130\n')
    made.git('checkout', '--quiet', 'main')
    made.git('merge', '--quiet', 'change')
    await measured(made, [...RUN, '--no-a-a', '--show', '50%'])
    expect(fileIn(made.results)).toMatchObject({ base: { commit: made.base }, end: 'precise', equalBuilds: [] })
    expect(fileIn(made.results).turns).toHaveLength(5)
  })

  test('are measured in the folder of the repository that the command was called in', async () => {
    const made = repository()
    made.commit({ 'deep/bench.js': SORT_BENCHMARK, 'deep/program.js': 'exports.sorts = 100\n' })
    made.git('checkout', '--quiet', '-b', 'change')
    made.commit({ 'deep/program.js': 'exports.sorts = 130\n' })
    expect(await measured({ ...made, folder: join(made.folder, 'deep') }, RUN)).toMatchObject({ code: 0 })
  })
})
