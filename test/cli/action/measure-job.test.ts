import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { repository, sorting } from '../measure/repository.ts'

const ENTRY = fileURLToPath(new URL('../../../src/action.ts', import.meta.url))

/** Runs the Action as GitHub's runner does, in the folder of the checkout. */
async function job(
  folder: string,
  inputs: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) {
  const summary = join(folder, '../summary.md')
  const event = join(folder, '../event.json')
  rmSync(summary, { force: true })
  writeFileSync(event, JSON.stringify({ repository: { default_branch: env['GITHUB_REF_NAME'] ?? 'main' } }))
  const { GITHUB_REF: _, GITHUB_BASE_REF: __, ...own } = process.env
  const child = spawn(process.execPath, [ENTRY], {
    cwd: folder,
    env: {
      ...own,
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_EVENT_PATH: event,
      GITHUB_STEP_SUMMARY: summary,
      ACTIONS_RUNTIME_TOKEN: 'secret',
      INPUT_TOKEN: 'secret',
      ...env,
      ...Object.fromEntries(Object.entries(inputs).map(([name, text]) => [`INPUT_${name.toUpperCase()}`, text])),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text))
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, printed, summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '' }
}

/** A branch of a clone whose main branch sorts 100 times. */
function branch(program: string) {
  const made = sorting(program)
  made.git('update-ref', 'refs/remotes/origin/main', 'main')
  return made
}

const RUN = `--run 'node bench.js {out}' --seed 1`

test('measures into the folder results, and says what the run shows alone', async () => {
  const made = branch('exports.sorts = 130\n')
  const { code, printed, summary } = await job(made.folder, { measure: RUN })
  expect(code).toBe(0)
  expect(printed).toContain('turn 5: ')
  expect(summary).toContain('2 of 2 benchmarks got slower')
  expect(summary).toContain('2 of 2 benchmarks are precise enough to show a change as small as 5.0%.')
  expect(summary).toContain('Comments come from the judging job, which also knows the history of the main branch.')
  expect(existsSync(join(made.folder, 'results/measure.json'))).toBe(true)

  const failing = await job(made.folder, { results: 'results', 'fail-on': 'slower, failed' })
  expect(failing.code).toBe(1)
  expect(failing.printed).toContain('--fail-on: 2 slower')
  expect(failing.summary).toContain('2 of 2 benchmarks got slower')
  expect((await job(made.folder, { results: 'results' })).code).toBe(0)
})

test('builds and benchmarks get nothing that is the job’s alone', async () => {
  const made = branch('exports.sorts = 130\n')
  const { printed } = await job(made.folder, {
    measure: `${RUN} --build 'env > ${made.folder}/../environment; exit 3'`,
  })
  expect(printed).toContain('::error title=Nothing was measured::the base could not be built (exit code 3)')
  const environment = readFileSync(join(made.folder, '../environment'), 'utf8')
  expect(environment).toMatch(/^PATH=/m)
  expect(environment).not.toMatch(/^(?:INPUT_|ACTIONS_)|secret/m)
})

test('a build that fails is seen, and fails the job where that is asked for', async () => {
  const made = branch('exports.sorts = 130\n')
  const measure = `${RUN} --build 'for i in $(seq 20); do echo "line $i <b>"; done; exit 3'`
  const { code, printed, summary } = await job(made.folder, { measure })
  expect(code).toBe(0)
  expect(printed).toMatch(/^\| line 1 <b>$/m)
  expect(printed).toMatch(/^::error title=Nothing was measured::the base could not be built \(exit code 3\)/m)
  expect(summary).toMatch(
    /^### Nothing was measured\n\nThere is nothing to compare with: .*\n\n`the base could not be built .*line 20 <b>`$/m,
  )
  expect(summary).toContain('Mend the main branch, or bring this one up to date with it.')
  rmSync(join(made.folder, 'results'), { recursive: true })
  expect((await job(made.folder, { measure, 'fail-on': 'failed' })).code).toBe(1)
})

test('where the tip of the main branch can’t be built, only the main branch can be mended', async () => {
  const made = branch('exports.sorts = 130\n')
  made.git('checkout', '--quiet', '-b', 'merge', 'main')
  made.git('merge', '--quiet', '--no-ff', '-m', 'a merge', '-')
  const measure = `${RUN} --build 'exit 3'`
  const { summary } = await job(made.folder, { measure }, { GITHUB_REF: 'refs/pull/7/merge' })
  expect(summary).toContain('can’t be built. Mend the main branch.\n')
})

test('on the main branch the base is the commit before, whatever the branch is called', async () => {
  const made = repository()
  made.git('checkout', '--quiet', '-b', 'trunk')
  made.commit({ 'bench.js': 'throw new Error()' })
  made.commit({ 'bench.js': 'throw new Error("again")' })
  made.git('update-ref', 'refs/remotes/origin/trunk', 'HEAD')
  const { printed } = await job(
    made.folder,
    { measure: RUN },
    { GITHUB_EVENT_NAME: 'push', GITHUB_BASE_REF: '', GITHUB_REF_NAME: 'trunk' },
  )
  expect(printed).toContain('turn 1: ')
})

test('equal trees are told in the summary', async () => {
  const made = branch('exports.sorts = 100\n')
  const { code, summary } = await job(made.folder, { measure: RUN })
  expect({ code, summary }).toEqual({ code: 0, summary: 'Nothing to measure: the two trees are the same.\n' })
})

test.each([
  [{}, 'give measure, such as "--go", or results, the folder with what was measured'],
  [{ measure: '--goo' }, "unknown option '--goo'"],
  [{ measure: `--run 'a` }, 'measure: a quote is not closed'],
  [{ results: 'results', 'fail-on': 'slow' }, 'Allowed choices are slower, unstable, changed, failed.'],
])('wrong inputs fail the job: %j', async (inputs, message) => {
  const { code, printed } = await job(repository().folder, inputs)
  expect(code).toBe(1)
  expect(printed).toMatch(/^::error title=The workflow file is wrong::/)
  expect(printed).toContain(message)
})

test('results that are not there are no success', async () => {
  const { folder } = repository()
  expect(await job(folder, { results: 'results' })).toMatchObject({ code: 0 })
  const { code, summary } = await job(folder, { results: 'results', 'fail-on': 'slower' })
  expect(code).toBe(1)
  expect(summary).toContain('### Nothing was measured')
})
