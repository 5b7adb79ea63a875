import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { perfTriage } from './capture.ts'

const folder = mkdtempSync(join(tmpdir(), 'perf-triage-config-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function written(yaml: string): string {
  const file = join(folder, 'perf-triage.yml')
  writeFileSync(file, yaml)
  return file
}

const SIX = `mode: loud
enabled: maybe
thresholds:
  changed: 5
  chanegd: 0.1
labels:
  slower: ""
lookbackDays: many
`

test('each of six mistakes has its line and column', async () => {
  const file = written(SIX)
  const { code, stdout, stderr } = await perfTriage(['config', 'check', file])
  expect(code).toBe(1)
  expect(stderr).toBe(`perf-triage config check: 6 mistakes in ${file}\n`)
  const lines = stdout.trimEnd().split('\n')
  expect(lines.map((line) => line.slice(file.length).replace(/(:\d+:\d+: "?[^" ]+).*/, '$1'))).toEqual([
    ':1:7: "mode',
    ':2:10: "enabled',
    ':4:12: "thresholds.changed',
    ':5:3: There',
    ':7:3: "labels.slower',
    ':8:15: "lookbackDays',
  ])
  expect(lines[3]).toBe(`${file}:5:3: There is no key "chanegd" here. Did you mean "changed"?`)

  const json = await perfTriage(['config', 'check', file, '--json'])
  expect(json.code).toBe(1)
  expect(JSON.parse(json.stdout)).toMatchObject({
    schemaVersion: 1,
    ok: false,
    problems: [{ line: 1, column: 7, path: 'mode' }, {}, {}, {}, {}, { line: 8, path: 'lookbackDays' }],
  })
})

test('a file that is right, a broken one, one that is not there', async () => {
  const right = written('mode: shadow\n')
  expect(await perfTriage(['config', 'check', right])).toEqual({
    code: 0,
    stdout: `${right}: no mistakes\n`,
    stderr: '',
  })
  const broken = await perfTriage(['config', 'check', written('mode: [\n')])
  expect(broken.code).toBe(1)
  expect(broken.stdout).toMatch(/:\d+:\d+: This is not valid YAML: /)
  const missing = await perfTriage(['config', 'check', join(folder, 'missing.yml')])
  expect(missing).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/missing\.yml: there is no such file; .*\n$/),
  })
})

test('of a folder its .github/perf-triage.yml is read, and named', async () => {
  const repository = join(folder, 'repository')
  const file = join(repository, '.github', 'perf-triage.yml')
  mkdirSync(join(repository, '.github'), { recursive: true })
  expect(await perfTriage(['config', 'check', repository])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${file}: there is no such file; `),
  })
  writeFileSync(file, 'mode: shadow\n')
  expect(await perfTriage(['config', 'check', repository])).toMatchObject({ code: 0, stdout: `${file}: no mistakes\n` })
})

test('what the file holds does not steer the terminal', async () => {
  const { stdout } = await perfTriage(['config', 'check', written('"k\\e[31my": 1\n')])
  expect(stdout).not.toContain('\u001b')
})
