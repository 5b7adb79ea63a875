import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Command, Help } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Shell } from '../../../src/cli/commands/completion-options.ts'
import { buildProgram } from '../../../src/cli/commands/program.ts'
import { perfTriage } from './capture.ts'

const hasShell = (name: Shell) => spawnSync(name, ['--version']).status === 0

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-triage-completion-'))
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await perfTriage(['completion', shell])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await writeFile(join(folder, shell), stdout)
  }
})

afterAll(async () => await rm(folder, { recursive: true }))

/** What bash offers for the last word of each of these lines. */
async function bash(lines: readonly (readonly string[])[]): Promise<string[][]> {
  const script = lines.map((words) => {
    const quoted = words.map((word) => `'${word}'`).join(' ')
    return `COMP_WORDS=(perf-triage ${quoted}); COMP_CWORD=${words.length}; _perf_triage; echo "\${COMPREPLY[*]}"`
  })
  const { stdout } = await promisify(execFile)('bash', ['-c', `source ${folder}/bash\n${script.join('\n')}`])
  const offered = stdout.split('\n').slice(0, -1)
  return offered.map((line) => line.split(' ').filter((word) => word !== ''))
}

async function fish(lines: readonly string[]): Promise<string[][]> {
  const script = lines.map((line) => `complete -C '${line}'; echo`)
  const { stdout } = await promisify(execFile)('fish', [
    '--no-config',
    '-c',
    `source ${folder}/fish\n${script.join('\n')}`,
  ])
  return stdout.split('\n\n').map((block) => block.split('\n').map((line) => line.split('\t')[0]!))
}

async function allCommands(): Promise<{ readonly path: string[]; readonly command: Command }[]> {
  const io = { stdout: { write: () => true }, stderr: { write: () => true }, env: {} }
  const { root, define } = buildProgram(io, () => undefined)
  const below = async (command: Command, path: string[]): Promise<{ path: string[]; command: Command }[]> => {
    await define(command)
    const inside = await Promise.all(command.commands.map((one) => below(one, [...path, one.name()])))
    return [{ path, command }, ...inside.flat()]
  }
  return await below(root, [])
}

test('bash offers commands, options and choices', async () => {
  const lines = [
    ['q'],
    ['ledger', ''],
    ['queue', '--as', 'm'],
    ['queue', '--as', '=', 's'],
    ['completion', ''],
    ['classify', '--old', ''],
  ]
  expect(await bash(lines)).toEqual([
    ['queue', 'quality'],
    ['import', 'lookup', 'list'],
    ['markdown'],
    ['slack'],
    ['bash', 'zsh', 'fish'],
    [],
  ])
})

test('bash offers of each command all options that its help has', async () => {
  const commands = await allCommands()
  expect(commands.length).toBeGreaterThan(25)
  const offered = await bash(commands.map(({ path }) => [...path, '-']))
  const flags = commands.map(({ command }) =>
    new Help().visibleOptions(command).flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined)),
  )
  expect(offered).toEqual(flags)
})

test.skipIf(!hasShell('fish'))('fish offers the same', async () => {
  const [commands, inside, forms, shells] = await fish([
    'perf-triage q',
    'perf-triage ledger ',
    'perf-triage queue --as ',
    'perf-triage completion ',
  ])
  expect(commands).toEqual(['quality', 'queue'])
  expect(inside).toEqual(['import', 'list', 'lookup'])
  expect(forms).toEqual(['markdown', 'slack', 'table', 'tsv'])
  expect(shells).toEqual(['bash', 'fish', 'zsh'])
})

test.skipIf(!hasShell('zsh'))('zsh reads its script', async () => {
  const { stderr } = await promisify(execFile)('zsh', ['-n', join(folder, 'zsh')])
  expect(stderr).toBe('')
})

test('another shell is refused', async () => {
  expect(await perfTriage(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Allowed choices are bash, zsh, fish') as string,
  })
})
