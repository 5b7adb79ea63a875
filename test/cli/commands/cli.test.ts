import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Help } from 'commander'
import { describe, expect, test } from 'vitest'
import { buildProgram } from '../../../src/cli/commands/program.ts'
import { perfTriage } from './capture.ts'
import { helpExamples } from './help-examples.ts'

const LAUNCHER = fileURLToPath(new URL('../../../bin/perf-triage.js', import.meta.url))
const RECORDED = fileURLToPath(new URL('../../../demo/recording/run-25.8-vs-26.9', import.meta.url))

describe('help', () => {
  test('lists the commands', async () => {
    const { code, stdout, stderr } = await perfTriage(['--help'])
    expect(code).toBe(0)
    expect(stderr).toBe('')
    for (const command of ['classify', 'comment', 'serve', 'migrate', 'backup', 'restore', 'doctor'])
      expect(stdout).toContain(`  ${command}`)
  })

  test.each(['classify', 'comment', 'serve', 'migrate', 'backup', 'restore', 'doctor'])(
    '%s has examples',
    async (command) => {
      const { code, stdout } = await perfTriage([command, '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain(`Usage: perf-triage ${command}`)
      expect(stdout).toContain(`Examples:\n  perf-triage ${command}`)
      expect((await perfTriage(['help', command])).stdout).toBe(stdout)
    },
  )

  test('the list has each command with the options and arguments that its module defines', async () => {
    const io = { stdout: { write: () => true }, stderr: { write: () => true }, env: {} }
    const { root, define } = buildProgram(io, () => undefined)
    const listed = root.createHelp()
    const commands = [root, ...root.commands].flatMap((parent) => parent.commands)
    for (const command of commands) {
      await define(command)
      const own = new Help().subcommandTerm(command)
      if (command.commands.length === 0) expect(listed.subcommandTerm(command)).toBe(own)
    }
    expect(commands.filter((command) => command.commands.length === 0)).toHaveLength(24)
  })

  test('every example is a command line that its command takes', async () => {
    const silent = { stdout: { write: () => true }, stderr: { write: () => true }, env: {} }
    const { root, define } = buildProgram(silent, () => undefined)
    const commands = root.commands.flatMap((one) => (one.commands.length === 0 ? [one] : one.commands))
    let taken = 0
    for (const command of commands) {
      if (command.name() === 'help') continue
      await define(command)
      const names = command.parent === root ? [command.name()] : [command.parent!.name(), command.name()]
      const examples = await helpExamples(names.join(' '))
      expect(examples.length, names.join(' ')).toBeGreaterThan(0)
      for (const { text, words } of examples) {
        // the last of measure shows what reads its folder
        if (!words.join(' ').startsWith(names.join(' '))) continue
        const fresh = buildProgram(silent, () => undefined)
        const same = names.reduce((at, name) => at.commands.find((one) => one.name() === name)!, fresh.root)
        await fresh.define(same)
        same.action(() => {
          taken += 1
        })
        await expect(fresh.root.parseAsync([...words], { from: 'user' }), text).resolves.toBe(fresh.root)
      }
    }
    expect(taken).toBeGreaterThan(70)
  })

  test('is what the bare command and a bare group print', async () => {
    expect(await perfTriage([])).toEqual(await perfTriage(['--help']))
    expect(await perfTriage(['ledger'])).toEqual(await perfTriage(['ledger', '--help']))
  })

  test('every command takes --data-dir, and those that have a use for it say so', async () => {
    const saying = await Promise.all(
      ['backup x', 'bisect', 'history list', 'ledger import', 'queue', 'serve', 'change-points x'].map(
        async (command) => (await perfTriage([...command.split(' '), '--help'])).stdout.includes('--data-dir <folder>'),
      ),
    )
    expect(saying).toEqual([true, true, true, true, true, true, false])
    const { stderr } = await perfTriage(['change-points', '--data-dir', '/x', '/no/such'])
    expect(stderr).toBe('perf-triage change-points: /no/such: there is no such file\n')
  })

  test('the version is that of the package', async () => {
    const { code, stdout } = await perfTriage(['--version'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('what is wrong is one line and exit code 2', () => {
  test.each<[readonly string[], RegExp]>([
    [['clasify'], /^perf-triage: unknown command 'clasify' \(Did you mean classify\?\)/],
    [['clasify', '--help'], /^perf-triage: unknown command 'clasify' \(Did you mean classify\?\)/],
    [
      ['ledger', 'lokup', '-h'],
      /^perf-triage ledger: unknown command "lokup"; the commands are "ledger import", "ledger lookup" and "ledger list"$/,
    ],
    [['classify', '--jsn'], /^perf-triage classify: unknown option '--jsn' \(Did you mean --json\?\)/],
    [['classify'], /no PATH/],
    [['classify', '-', '-'], /^perf-triage classify: stdin \(-\) can be read only once$/],
    [['classify', '/no/such\nfolder'], /^perf-triage classify: \/no\/such folder: there is no such file or folder$/],
    [['classify', RECORDED, '--metric', 'memory'], /unknown metric "memory"; available: client_time/],
    [
      ['classify', RECORDED, '--format', 'xml'],
      /argument 'xml' is invalid. Allowed choices are auto, clickhouse-raw, measurements/,
    ],
    [['classify', RECORDED, '--changed-threshold', '5'], /this is 500%; 0\.05 is 5%/],
    [['classify', RECORDED, '--unstable-threshold', '10%'], /0\.1 for 10%/],
    [['classify', RECORDED, '--changed-threshold', 'x'], /such as 0\.05/],
    [['classify', RECORDED, '--changed-threshold', '-0.1'], /such as 0\.05/],
    [
      ['classify', RECORDED, '--fail-on', 'slower,red'],
      /argument 'slower,red' is invalid. Allowed choices are slower, unstable, changed/,
    ],
    [['classify', '--old', RECORDED], /--new is missing/],
    [['classify', RECORDED, '--old', 'a', '--new', 'b'], /either PATH .* or --old and --new/],
    [['classify', '--old', RECORDED, '--new', RECORDED], /clickhouse-raw has both sides in one file/],
    [['serve', '--port', '70000'], /from 0 to 65535/],
  ])('%j', async (argv, message) => {
    const { code, stdout, stderr } = await perfTriage(argv)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr.trimEnd()).toMatch(message)
    expect(stderr.trimEnd()).not.toContain('\n')
  })
})

describe('asking makes no data folder', () => {
  test.each([
    'ledger lookup --pr 1 --sha abcdef0',
    'ledger lookup --test x',
    'ledger list',
    'queue',
    'queue --as slack',
    'record',
    'quality',
    'replay',
    'history list',
    'bisect',
  ])('%s', async (command) => {
    const folder = await mkdtemp(join(tmpdir(), 'perf-triage-asked-'))
    const none = join(folder, 'none')
    try {
      const ask = async (dataDir: string) =>
        await perfTriage([...command.split(' '), '--data-dir', dataDir], { env: { PATH: process.env['PATH'] } })
      const where = 'name another folder with --data-dir, or a server with CLICKHOUSE_URL'
      const before = /^perf-triage [a-z ]+: there is /
      const missing = await ask(none)
      expect(missing).toMatchObject({ code: 2, stdout: '' })
      expect(missing.stderr.replace(before, '')).toBe(`no data folder ${none}: ${where}\n`)
      const empty = await ask(folder)
      expect(empty).toMatchObject({ code: 2, stdout: '' })
      expect(empty.stderr.replace(before, '')).toBe(`no database in the data folder ${folder}: ${where}\n`)
      expect(await readdir(folder)).toEqual([])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('with --json what is wrong is a document on stdout, beside the line on stderr', () => {
  test.each<[readonly string[], string, string, string]>([
    [['classify', '/no/such', '--json'], 'input', 'classify', '/no/such: there is no such file or folder'],
    [['queue', '--days', 'x', '--json'], 'usage', 'queue', 'argument .x. is invalid'],
    [['clasify', '--json'], 'usage', '', 'Did you mean classify'],
  ])('%j', async (argv, kind, command, message) => {
    const { code, stdout, stderr } = await perfTriage(argv)
    expect(code).toBe(2)
    const document = JSON.parse(stdout) as { error: { message: string } }
    expect(document).toEqual({
      schemaVersion: 1,
      error: { kind, command, message: expect.stringMatching(message) as string },
    })
    expect(stderr).toBe(
      `${['perf-triage', ...(command === '' ? [] : [command])].join(' ')}: ${document.error.message}\n`,
    )
  })

  test('a file of that name is none', async () => {
    expect((await perfTriage(['classify', '--', '--json'])).stdout).toBe('')
  })
})

test('something unexpected is one line as well; LOG_LEVEL=debug shows where', async () => {
  const io = {
    stdout: {
      write: () => {
        throw new TypeError('no room')
      },
    },
    env: {},
  }
  const { main } = await import('../../../src/cli.ts')
  const run = async (env: Record<string, string>) => {
    let stderr = ''
    const code = await main(['classify', RECORDED], {
      ...io,
      env,
      stderr: { write: (text: string) => (stderr += text) },
    })
    expect(code).toBe(2)
    return stderr
  }
  expect(await run({})).toBe('perf-triage classify: TypeError: no room (unexpected; LOG_LEVEL=debug shows where)\n')
  expect(await run({ LOG_LEVEL: 'debug' })).toContain('\n    at ')
})

describe('as a process', () => {
  test('the exit code is that of the command', async () => {
    const failed = await promisify(execFile)(process.execPath, [
      LAUNCHER,
      'classify',
      RECORDED,
      '--fail-on',
      'slower',
    ]).catch((error: { code: number; stdout: string; stderr: string }) => error)
    expect(failed).toMatchObject({ code: 1, stderr: 'perf-triage classify: --fail-on: 7 slower\n' })
  })

  test('a reader that goes away is no error', async () => {
    const child = spawn(process.execPath, [LAUNCHER, 'classify', RECORDED, '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.stdout.destroy()
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  test('the help of a command loads nothing that does its work', async () => {
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = new Set()
      registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context) } })
      const { main } = await import(${JSON.stringify(new URL('../../../src/cli.ts', import.meta.url).href)})
      const { buildProgram } = await import(${JSON.stringify(new URL('../../../src/cli/commands/program.ts', import.meta.url).href)})
      const silent = { stdout: { write() {} }, stderr: { write() {} }, env: {} }
      const { root } = buildProgram(silent, () => {})
      const commands = root.commands.flatMap((one) => (one.commands.length === 0 ? [[one.name()]] : one.commands.map((sub) => [one.name(), sub.name()])))
      for (const command of commands) await main([...command, '--help'], silent)
      console.log(JSON.stringify({ commands: commands.length, loaded: [...loaded] }))
    `
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    const { commands, loaded } = JSON.parse(stdout) as { commands: number; loaded: string[] }
    expect(commands).toBeGreaterThan(20)
    const packages = loaded.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])
    expect([...new Set(packages)]).toEqual(['commander'])
    expect(loaded.filter((url) => /\/src\/(?:store|inbox|bot|web|github)\//.test(url))).toEqual([])
  })

  test('classify imports nothing that only the server needs', async () => {
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = new Set()
      registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context) } })
      const { main } = await import(${JSON.stringify(new URL('../../../src/cli.ts', import.meta.url).href)})
      const silent = { write() {} }
      await main(['classify', ${JSON.stringify(RECORDED)}], { stdout: silent, stderr: silent, env: {} })
      console.log(JSON.stringify([...loaded]))
    `
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    const loaded = JSON.parse(stdout) as string[]
    expect(loaded.some((url) => url.endsWith('/src/judge/verdict/classify.ts'))).toBe(true)
    const packages = loaded.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])
    expect([...new Set(packages)].toSorted()).toEqual(['commander', 'lru-cache'])
  })
})
