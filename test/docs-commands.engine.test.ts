import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { seedThread } from '../demo/seed-thread.ts'
import { openClickHouse } from '../src/store/client.ts'
import { storeOn } from '../src/store/store.ts'
import { seedCosts, seedLog } from './intake/imports/query-log/seed-log.ts'
import { migratedDatabase, serverVariablesOf, temporaryFolder } from './store/embedded/engine-fixture.ts'
import { measuredRows } from './store/history/trunk-rows.ts'
import { sampleReport } from './web/sample-report.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const HEAD_SHA = '7d3f'.repeat(10)

/** Commands that nobody can run here as they stand, and why. Closed: any other one runs. */
const NOT_HERE: readonly (readonly [command: RegExp, why: string])[] = [
  [
    /^mkdir perf-triage && cd perf-triage && npm init --yes$/,
    'a folder of its own; `test/package.bot.test.ts` installs there',
  ],
  [/^npm install \S+\.tgz /, 'a package of its own; `test/package.bot.test.ts` makes and installs it'],
  [/^npm install && npm run demo$/, 'installs and takes as long as the rest; `.ci/run` does both'],
  [/^perf-triage measure /, 'benchmarks of a repository, for minutes; `test/cli/measure/measure.test.ts` has some'],
  [/^clickhouse-client /, 'a client and a server of ClickHouse with that query log'],
  [/^export /, 'settings of the command below it'],
  [/^perf-triage classify --query-log /, 'the server that the line above names'],
  [/^curl /, 'a bot that serves'],
  [/^exec .* serve$/, 'runs until somebody ends it'],
  [/^docker /, 'no Docker'],
  [/^npx perf-triage setup /, 'waits for a person in a browser'],
  [/^perf-triage setup --action/, 'a repository of its own; `test/cli/commands/setup-action.test.ts` has some'],
  [/^npm run build:action$|^git (?:switch|push) /, 'a fork on GitHub; `test/deploy/release.test.ts` has one here'],
  [/^gh api /, 'GitHub itself'],
  [/^(?:DATABASE_URL=\S+ )?perf-triage (?:backup|restore) \/backup\//, 'a folder outside of the test'],
]

/** Commands that are to end otherwise than with 0 on the data here. */
const OTHER_CODES: readonly (readonly [command: RegExp, code: number])[] = [
  // two of the failing tests of the thread may be its own
  [/--fail-on pr-suspect/, 1],
]

interface Command {
  readonly where: string
  readonly text: string
}

const COMMANDS = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)]
  .filter((path) => path.endsWith('.md'))
  .flatMap(commandsOf)

/** The commands of the fenced blocks of a page; one may go over several lines. */
function commandsOf(path: string): Command[] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return [...text.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].flatMap(({ 2: block = '', index }) => {
    const commands: Command[] = []
    let command = ''
    for (const line of block.split('\n')) {
      command += `${line}\n`
      const isWhole = !line.endsWith('\\') && (command.split('"').length - 1) % 2 === 0
      if (!isWhole) continue
      const words = command.trim()
      if (words !== '' && !words.startsWith('#')) {
        commands.push({ where: `${path}:${text.slice(0, index).split('\n').length}`, text: words })
      }
      command = ''
    }
    return commands
  })
}

const isHere = ({ text }: Command) => !NOT_HERE.some(([command]) => command.test(text))

/** The same command on another page, or with another remark, runs once; npx itself starts the first one. */
const RUN = COMMANDS.filter(isHere).filter(
  ({ text }, index, all) => all.findIndex((other) => wordsOf(other.text) === wordsOf(text)) === index,
)

function wordsOf(text: string): string {
  return text.replace(/ +#.*/, '').replace(/^npx /, '')
}

let folder = ''
let env: NodeJS.ProcessEnv = {}

beforeAll(async () => {
  folder = await temporaryFolder()
  // a checkout as npx sees it, with the files that the pages name beside it
  for (const name of ['package.json', 'bin', 'src', 'node_modules']) symlinkSync(join(ROOT, name), join(folder, name))
  const database = await migratedDatabase()
  const path = join(folder, 'path')
  mkdirSync(path)
  // what npx itself runs in the end
  writeFileSync(join(path, 'perf-triage'), `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/bin/perf-triage.js" "$@"\n`)
  chmodSync(join(path, 'perf-triage'), 0o755)
  env = {
    ...process.env,
    ...serverVariablesOf(database),
    PERF_TRIAGE_DATA_DIR: join(folder, 'data'),
    HOME: folder,
    // the Node of the machine, as whoever types these has it: npx brings the right one
    PATH: [path, ...pathOfMachine()].join(':'),
    HEAD_SHA,
    NO_COLOR: '1',
  }
  prepareFiles()
  await exec(
    'git init -q src/engine && git -C src/engine -c user.name=a -c user.email=a@b commit -q --allow-empty -m one',
    {
      cwd: join(folder, 'home'),
    },
  )
  const clickhouse = await openClickHouse(database)
  try {
    // replayed by its name and number
    await storeOn(clickhouse).reports.save({
      ...sampleReport(),
      pullRequest: { ...sampleReport().pullRequest, number: 7 },
      judgedAt: new Date().toISOString(),
    })
  } finally {
    await clickhouse.close()
  }
})

function pathOfMachine(): string[] {
  return (process.env['PATH'] ?? '').split(':').filter((part) => !part.includes('node_modules'))
}

async function exec(command: string, { cwd = folder } = {}): Promise<{ code: number; stdout: string; stderr: string }> {
  return await promisify(execFile)('bash', ['-c', command], { cwd, env, maxBuffer: 1e8 }).then(
    (ended) => ({ code: 0, ...ended }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
}

function prepareFiles(): void {
  const data = (name: string) => join(ROOT, 'test/data', name)
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
  }
  mkdirSync(join(folder, 'results'))
  for (const test of ['hash_functions', 'quantiles']) {
    cpSync(join(ROOT, `demo/recording/run-25.8-vs-26.9/${test}-raw.tsv`), join(folder, `results/${test}-raw.tsv`))
  }
  cpSync(data('profile-inferno/diff-folded/before.txt'), join(folder, 'old.folded'))
  cpSync(data('profile-inferno/diff-folded/after.txt'), join(folder, 'new.folded'))
  mkdirSync(join(folder, '.github'))
  cpSync(join(ROOT, 'docs/examples/clickhouse.perf-triage.yml'), join(folder, '.github/perf-triage.yml'))
  mkdirSync(join(folder, 'home/src'), { recursive: true })
  env['HOME'] = join(folder, 'home')

  const thread = (number: number, head: string) =>
    seedThread({ number, head, headRef: `change-${number}`, headRepo: 'acme/engine' }).rows
  const rows = [
    ...thread(107_306, `fe4258e${randomBytes(17).toString('hex').slice(0, 33)}`),
    ...thread(42, HEAD_SHA).filter(({ commitSha }) => commitSha === HEAD_SHA),
  ]
  write('checks.jsonl', rows.map((row) => `${JSON.stringify(inColumns(row))}\n`).join(''))

  const trunk = measuredRows()
  const header =
    'event_time pr_number old_sha new_sha test query_index query_display_name metric old_value new_value diff stat_threshold'
  const lines = trunk.map((row) =>
    [
      new Date(row.time).toISOString().slice(0, 19).replace('T', ' '),
      0,
      row.oldCommit,
      row.newCommit,
      row.test,
      row.queryIndex,
      row.queryName,
      row.metric,
      row.old,
      row.new,
      row.difference,
      row.threshold,
    ].join('\t'),
  )
  write('metrics.tsv', `${[header.replaceAll(' ', '\t'), ...lines].join('\n')}\n`)
  const [first] = trunk
  const series = trunk.filter(({ test: name, queryIndex }) => name === first!.test && queryIndex === first!.queryIndex)
  write(
    'series.csv',
    [
      'time,commit,value',
      ...series.map((row) => `${new Date(row.time).toISOString()},${row.newCommit},${row.new}`),
    ].join('\n'),
  )
  const json = (of: Iterable<object>) => [...of].map((row) => `${JSON.stringify(row)}\n`).join('')
  // three jobs of one build each
  for (const [number, name] of ['trunk', 'job-1', 'job-2'].entries()) {
    const measured = trunk.slice(number * 10, number * 10 + 10)
    const samples = measured.flatMap((row, query) =>
      [row.old, row.new].map((value) => ({ test: 'orders', queryIndex: query, side: 'new', value })),
    )
    write(`${name}.jsonl`, json(samples))
  }
  write('runs.tsv', 'commit\ttime\tpath\n5b7f2aa\t2026-11-10T08:00Z\ttrunk.jsonl\n')
  write('log.jsonl', json(seedLog({ share: 0.003, hours: 24 })))
  const costs = [...seedCosts({ hours: 24 })]
  write('merges.jsonl', json(costs.filter((row) => 'event_type' in row)))
  write('parts.jsonl', json(costs.filter((row) => !('event_type' in row))))
}

/** `commitSha` → `commit_sha`, and times as a CI database writes them. */
function inColumns(row: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      key === 'checkStartTime'
        ? new Date(value as number).toISOString().slice(0, 19).replace('T', ' ')
        : (value as unknown),
    ]),
  )
}

describe('every command of README.md and docs runs as it stands', () => {
  test('there are some, and each one that does not run here is still there', () => {
    expect(COMMANDS.filter(isHere).length).toBeGreaterThan(18)
    for (const [command] of NOT_HERE)
      expect(
        COMMANDS.some(({ text }) => command.test(text)),
        command.source,
      ).toBe(true)
  })

  for (const command of RUN) {
    test(`${command.where}: ${command.text.split('\n')[0]}`, async () => {
      const expected = OTHER_CODES.find(([of]) => of.test(command.text))?.[1] ?? 0
      // npx takes as long as the command: the first one has shown that it finds the right Node
      const text = command === RUN[0] ? command.text : command.text.replace(/^npx /, '')
      const { code, stdout, stderr } = await exec(text)
      expect({ code, stderr: code === expected ? '' : stderr }).toEqual({ code: expected, stderr: '' })
      if (!command.text.includes(' > ')) expect(stdout).not.toBe('')
    })
  }
})

test('what the words of the docs tell to run with Node is there, and is run by the Node of the project', () => {
  const documents = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`)
  const paths = ['README.md', 'CONTRIBUTING.md', ...documents].filter((path) => path.endsWith('.md'))
  const named = paths.flatMap((path) => {
    const commands = readFileSync(join(ROOT, path), 'utf8').matchAll(/(?<by>npx )?\bnode (?<file>[\w/.-]+\.ts)/g)
    return [...commands].map(({ groups }) => ({ path, by: groups!['by'], file: groups!['file']! }))
  })
  expect(named.length).toBeGreaterThan(20)
  // Node 20, which is on many machines, runs no TypeScript; `npx` finds the one that `npm install` brought.
  expect(named.filter(({ by, file }) => by === undefined || !existsSync(join(ROOT, file)))).toEqual([])
})
