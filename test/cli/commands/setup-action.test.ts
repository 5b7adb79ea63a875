import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { holds } from '../../../demo/runner/expressions.ts'
import { main } from '../../../src/cli.ts'
import { splitWords } from '../../../src/text/split-words.ts'
import { repository } from '../measure/repository.ts'
import { perfTriage } from './capture.ts'

const MEASURE = '.github/workflows/perf-triage-measure.yml'
const JUDGE = '.github/workflows/perf-triage.yml'
const CONFIGURATION = '.github/perf-triage.yml'

const workflow = z.object({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.object({
      if: z.string().optional(),
      permissions: z.record(z.string(), z.string()).optional(),
      steps: z.array(
        z.object({ uses: z.string(), if: z.string().optional(), with: z.record(z.string(), z.unknown()).optional() }),
      ),
    }),
  ),
})

function goRepository() {
  const made = repository()
  made.commit({ 'go.mod': 'module a\n', 'a_test.go': 'func BenchmarkA(b *testing.B) {}\n' })
  const setup = async (...args: readonly string[]) =>
    await perfTriage(['setup', '--action', '--directory', made.folder, ...args])
  const text = (path: string) => readFileSync(join(made.folder, path), 'utf8')
  return { ...made, setup, text, read: (path: string) => workflow.parse(parse(text(path))) }
}

test('writes two workflows and a configuration, and nothing the second time', async () => {
  const { folder, setup, text, git } = goRepository()
  const first = await setup()
  expect(first).toMatchObject({ code: 0, stderr: '' })
  for (const path of [MEASURE, JUDGE, CONFIGURATION]) expect(first.stdout).toContain(`── ${path}\n${text(path)}`)
  expect(first.stdout).toContain('Found go (go.mod): perf-triage measure --go --budget 10m\n')
  expect(first.stdout).toContain('git push -u origin perf-triage')
  expect(git('status', '--porcelain', '--untracked-files=all').split('\n')).toHaveLength(3)
  const config = await perfTriage(['config', 'check', join(folder, CONFIGURATION)])
  expect(config.code).toBe(0)
  const second = await setup()
  expect(second.code).toBe(0)
  expect(second.stdout).toContain('The files are already there.')
  expect(second.stdout).not.toContain('──')
})

test('what runs code of pull requests can only read, and what can write runs nothing of them', async () => {
  const { setup, read, text } = goRepository()
  await setup()
  const measure = read(MEASURE)
  expect(measure.on).toEqual({ pull_request: null, push: { branches: ['main'] } })
  expect(measure.permissions).toEqual({ contents: 'read' })
  const [job] = Object.values(measure.jobs)
  expect(job!.permissions).toBeUndefined()
  expect(job!.steps[0]).toEqual({
    uses: 'actions/checkout@v7',
    with: { 'fetch-depth': 0, 'persist-credentials': false },
  })
  const upload = job!.steps.at(-1)!
  expect(upload.with).toEqual({ name: 'performance-results', path: 'results' })
  expect(upload.if).toBe('${{ !cancelled() }}')

  const judge = read(JUDGE)
  expect(judge.on).toEqual({
    workflow_run: { workflows: [measure.name], types: ['completed'] },
    issue_comment: { types: ['created', 'edited'] },
  })
  expect(judge.permissions).toEqual({})
  expect(judge.jobs['judge']).toMatchObject({
    permissions: { actions: 'read', checks: 'write', contents: 'write', 'pull-requests': 'write' },
    steps: [{ uses: 'perf-triage/perf-triage@v1' }],
  })
  for (const path of [MEASURE, JUDGE]) expect(text(path)).not.toMatch(/\brun:|pull_request_target|cache/)
})

test.each([
  ['a maintainer', 1, 'MEMBER', '/perf accept "x"', true],
  ['the author of the pull request', 2, 'NONE', '/perf mute', true],
  ['a stranger', 1, 'NONE', '/perf accept all', false],
  ['a stranger who forked it', 1, 'FIRST_TIME_CONTRIBUTOR', '/perf accept all', false],
  ['a maintainer who says something else', 1, 'OWNER', 'thanks', false],
])('a comment of %s starts a job: %#', async (_, userId, author_association, body, expected) => {
  const { setup, read } = goRepository()
  await setup()
  const condition = read(JUDGE).jobs['judge']!.if!
  const issue = { pull_request: {}, user: { id: 2 } }
  const event = { comment: { body, author_association, user: { id: userId } }, issue }
  expect(holds(condition, { github: { event_name: 'issue_comment', event } }, 'success')).toBe(expected)
  expect(holds(condition, { github: { event_name: 'workflow_run', event: {} } }, 'success')).toBe(true)
})

test('the prefix of commands that the configuration has starts a job', async () => {
  const { setup, read, folder, commit } = goRepository()
  commit({ [CONFIGURATION]: 'commands: { prefix: "!bench" }\n' })
  expect((await setup()).code).toBe(0)
  const condition = read(JUDGE).jobs['judge']!.if!
  const starts = (body: string) => {
    const event = {
      comment: { body, author_association: 'MEMBER', user: { id: 1 } },
      issue: { pull_request: {}, user: { id: 2 } },
    }
    return holds(condition, { github: { event_name: 'issue_comment', event } }, 'success')
  }
  expect([starts('!bench mute'), starts('/perf mute')]).toEqual([true, false])
  writeFileSync(join(folder, CONFIGURATION), 'commands: 7\n')
  await setup('--yes')
  expect(read(JUDGE).jobs['judge']!.if).toContain("'/perf'")
})

test('a file that is there is replaced only when somebody says so', async () => {
  const { setup, text, folder } = goRepository()
  await setup()
  writeFileSync(join(folder, CONFIGURATION), 'mode: advisory\n')
  const refused = await setup('--uses', 'acme/perf-triage@main')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain(
    `Replace ${MEASURE}, ${JUDGE}? There is no terminal to ask on: give --yes. Nothing was changed`,
  )
  expect(text(JUDGE)).toContain('uses: perf-triage/perf-triage@v1\n')
  expect((await setup('--uses', 'acme/perf-triage@main', '--yes')).code).toBe(0)
  expect(text(JUDGE)).toContain('uses: acme/perf-triage@main\n')
  expect(text(CONFIGURATION)).toBe('mode: advisory\n')
})

test.each([
  ['y\n', 'acme/a@v1'],
  ['n\n', 'perf-triage/perf-triage@v1'],
  ['', 'perf-triage/perf-triage@v1'],
])('on a terminal it asks: %j', async (answer, expected) => {
  const { setup, text, folder } = goRepository()
  await setup()
  const stdin = Readable.from(answer === '' ? [] : [Buffer.from(answer)])
  const written: string[] = []
  const stdout = { write: (piece: string) => written.push(piece), isTTY: true }
  const argv = ['setup', '--action', '--directory', folder, '--uses', 'acme/a@v1']
  const code = await main(argv, { stdin, stdout, stderr: { write: () => undefined }, env: {} })
  expect(written.join('')).toContain(`\nReplace ${MEASURE}, ${JUDGE}? [y/N] `)
  expect(code).toBe(0)
  expect(written.join('').includes('Nothing was changed.')).toBe(answer !== 'y\n')
  expect(text(JUDGE)).toContain(`uses: ${expected}\n`)
})

test('a command of one’s own, in the quotes that it was given in', async () => {
  const { setup, read, folder } = goRepository()
  const measure = `--run './bench --json {out}' --build "make \\"CC=a b\\"" --filter '--only={regex}'`
  expect((await setup('--measure', measure)).code).toBe(0)
  const given = read(MEASURE).jobs['benchmarks']!.steps.find(({ uses }) => uses.startsWith('perf-triage/'))!
  expect(splitWords(String(given.with!['measure']))).toEqual(splitWords(measure))
  rmSync(join(folder, '.github'), { recursive: true })
  await setup('--measure', '--go ./sort --budget 5m')
  expect(read(MEASURE).jobs['benchmarks']!.steps.map(({ uses }) => uses)).toContain('actions/setup-go@v7')
})

test.each([
  ['--goo', /--measure: unknown option '--goo'/],
  [`--run 'a`, /measure: a quote is not closed/],
  ['--budget never', /It must be a time such as 90s/],
])('--measure %s is refused', async (measure, message) => {
  const { setup, folder } = goRepository()
  const { code, stderr } = await setup('--measure', measure)
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
  expect(existsSync(join(folder, '.github'))).toBe(false)
})

test('several tools have a job and an artifact each', async () => {
  const { setup, read, commit } = goRepository()
  const bench = '[[bench]]\nname = "a"\nharness = false\n'
  commit({ 'Cargo.toml': `[dev-dependencies]\ncriterion = "1"\n${bench}` })
  await setup()
  const { jobs } = read(MEASURE)
  expect(Object.keys(jobs)).toEqual(['go', 'criterion'])
  expect(Object.values(jobs).map(({ steps }) => steps.at(-1)!.with!['name'])).toEqual([
    'performance-go',
    'performance-criterion',
  ])
})

test('--budget goes with what was found and with a command of one’s own', async () => {
  const { setup, text } = goRepository()
  await setup('--budget', '90s')
  expect(text(MEASURE)).toContain('with: { measure: --go --budget 90s }\n')
  await setup('--budget', '5m', '--measure', '--go ./sort', '--yes')
  expect(text(MEASURE)).toContain('with: { measure: --go ./sort --budget 5m }\n')
  expect((await setup('--budget', 'soon')).stderr).toContain('It must be a time such as 90s')
})

test('where nothing is found it says what was looked for, and how to go on', async () => {
  const made = repository()
  made.commit({ 'README.md': '' })
  const { code, stderr } = await perfTriage(['setup', '--action', '--directory', made.folder])
  expect(code).toBe(2)
  expect(stderr).toContain('no benchmarks found; looked for go.mod with func Benchmark… in a _test.go file; Cargo.toml')
  expect(stderr).toContain(`--measure "--run './bench --json {out}'"`)
  const nowhere = await perfTriage(['setup', '--action', '--directory', '/'])
  expect(nowhere.stderr).toContain('/ is not in a git repository: give --directory')
})

test('--remove takes the files away, and says what is left', async () => {
  const { setup, folder } = goRepository()
  await setup()
  expect((await setup('--remove')).stderr).toContain(
    `Remove ${MEASURE}, ${JUDGE}, ${CONFIGURATION}? There is no terminal`,
  )
  const removed = await setup('--remove', '--yes')
  expect(removed.stdout).toContain('git push origin --delete perf-triage-history')
  for (const path of [MEASURE, JUDGE, CONFIGURATION]) expect(existsSync(join(folder, path))).toBe(false)
  expect((await setup('--remove')).stdout).toContain('There was nothing to remove.')
})

test('--remove leaves a configuration that somebody changed', async () => {
  const { setup, text, folder } = goRepository()
  await setup()
  writeFileSync(join(folder, CONFIGURATION), 'mode: advisory\n')
  expect((await setup('--remove', '--yes')).stdout).toContain(`${CONFIGURATION} was changed by hand, and stays.`)
  expect(text(CONFIGURATION)).toBe('mode: advisory\n')
})

test('the main branch is the default of the remote repository', async () => {
  const { setup, read, git } = goRepository()
  git('update-ref', 'refs/remotes/origin/trunk', 'HEAD')
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk')
  await setup()
  expect(read(MEASURE).on['push']).toEqual({ branches: ['trunk'] })
})

test('odd names of folders and branches stay names in YAML', async () => {
  const made = repository()
  made.commit({ '1, {b}/go.mod': 'module a\n', '1, {b}/a_test.go': 'func BenchmarkA(b *testing.B) {}\n' })
  made.git('branch', '--move', '0,x')
  expect((await perfTriage(['setup', '--action', '--directory', made.folder])).code).toBe(0)
  const read = workflow.parse(parse(readFileSync(join(made.folder, MEASURE), 'utf8')))
  expect(read.on['push']).toEqual({ branches: ['0,x'] })
  const [, go, action] = read.jobs['go']!.steps
  expect(go!.with).toEqual({ 'go-version-file': '1, {b}/go.mod' })
  expect(splitWords(String(action!.with!['measure']))).toEqual(['--directory', '1, {b}', '--go', '--budget', '10m'])
})

test('its options are for it alone', async () => {
  expect((await perfTriage(['setup', '--remove'])).stderr).toContain('--remove needs --action')
  expect((await perfTriage(['setup', '--action', '--uses', 'perf-triage'])).stderr).toContain(
    'It must be OWNER/REPOSITORY@REF',
  )
})
