import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'

const SRC = join(import.meta.dirname, '../src')

/**
 * The rooms of `src/`, from the roof to the ground: a file imports from its own room and from those below, never from one
 * above. The longest path that fits a file names its room. `docs/architecture.md` shows the same list.
 *
 * Allowed: `report/judge-rows.ts` imports `judge/verdict/verdict.ts`. Not allowed: the other way round.
 */
const ROOMS: readonly (readonly [path: string, holds: string])[] = [
  ['action.ts', 'the entry of the Action'],
  ['cli.ts', 'the entry of the command line'],
  ['cli/action/', 'the measuring job of the Action'],
  ['cli/commands/', 'the commands, with their options and tables'],
  ['cli/setup-action/', 'benchmarks that a repository has, and the workflows that measure them'],
  ['cli/measure/', 'base and head measured in turns: what comes next, and the processes'],
  ['cli/bisect-git/', 'git beside the pure bisection: clones, commits, paths'],
  ['main.ts', 'the bot behind a server of its own'],
  ['app.ts', 'the Probot application: everything put together, from start to stop'],
  ['web/', 'the HTTP server, the webhook, the application of the pages'],
  ['web/pages/', 'a file a page, or a folder: its route, HTML, JSON and TSV'],
  ['web/access/', 'who may see a page: sign-in, sessions, permissions'],
  ['web/kit/', 'the frame of a page, charts, words, answers and caching'],
  ['web/assets/', 'styles and scripts of the pages'],
  ['bot/action/', 'the judging job of the Action: border, results, history branch, commands'],
  ['bot/triage/', 'gather, measure, classify, ask, judge, publish; the worker; the data folder'],
  ['bot/slash/', 'commands in comments: the parser, a file a command, permissions and answers'],
  ['bot/events/', 'GitHub’s payloads: which event wakes what'],
  ['store/sync/', 'the copy of the main branch’s history from a CI database'],
  ['store/', 'the ClickHouse client, migrations, and a folder a subject, with its SQL beside the code'],
  ['store/embedded/', 'the embedded engine behind a small HTTP front'],
  ['store/make-folder.ts', 'a folder that its owner alone may use'],
  ['github/', 'every call to GitHub'],
  ['inbox/', 'the state that must not be forgotten, in SQLite or PostgreSQL'],
  ['report/render/', 'the comment and the check run: Markdown from the report'],
  ['report/', 'the report of a head: classified, judged, decided; the addresses of its parts'],
  ['config/', 'the settings of a repository and of the process'],
  ['judge/ledger/', 'failing tests: signatures, counts, rules'],
  ['judge/verdict/', 'outcomes, evidence, verdicts of measured queries'],
  ['judge/bisect/', 'steps of the main branch, windows, scripts to bisect'],
  ['judge/profile/', 'flame graphs and changed functions'],
  ['judge/history/', 'the main branch’s series, as values'],
  ['judge/statistics/', 'tests, intervals, change points'],
  ['intake/download/', 'downloads, their budgets and their scratch folder'],
  ['intake/imports/', 'readers of CI results, histories and query logs, from files'],
  ['intake/archive/', 'members of ZIP and tar archives, compressed files and folders'],
  ['intake/measurement/', 'runs, their queries, samples and stacks; the formats that they come in'],
  ['telemetry/', 'counters of the process for Prometheus, spans for OpenTelemetry'],
  ['text/', 'numbers, names, times and quoting'],
]

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** Every text that a file imports or re-exports from, as a value or as a type, and every file that it names beside itself. */
function specifiersOf(node: Node): string[] {
  const {
    source,
    callee,
    arguments: given,
  } = node as Node & { readonly source?: unknown; readonly arguments?: unknown }
  const own =
    isNode(source) && /^(Import|Export)|^TSImportType$/.test(node.type)
      ? [source]
      : node.type === 'NewExpression' && isNode(callee) && callee['name'] === 'URL' && Array.isArray(given)
        ? given.slice(0, 1)
        : []
  const inside = Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]))
  return [
    ...own.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])),
    ...inside.filter(isNode).flatMap(specifiersOf),
  ]
}

/** Every `object.member` of a file, where both are plain names. */
function membersOf(node: Node): string[] {
  const { object, property } = node
  const own = isNode(object) && isNode(property) ? [[object['name'], property['name']].join('.')] : []
  const inside = Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]))
  return [...own, ...inside.filter(isNode).flatMap(membersOf)]
}

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.(ts|js)$/.test(file))
  .toSorted()

const PROGRAMS: ReadonlyMap<string, Node> = new Map(
  FILES.map((file) => [file, parseAst(readFileSync(join(SRC, file), 'utf8'), { lang: 'ts' }) as unknown as Node]),
)

/** For each file the files of `src/` that it imports. */
const IMPORTS: ReadonlyMap<string, readonly string[]> = new Map(
  FILES.map((file) => {
    const targets = specifiersOf(PROGRAMS.get(file)!)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => relative(SRC, join(SRC, dirname(file), specifier)).replaceAll('\\', '/'))
    return [file, [...new Set(targets.filter((target) => !target.startsWith('..')))]]
  }),
)

function roomOf(file: string): number {
  const fitting = ROOMS.flatMap(([path], index) => (file === path || file.startsWith(path) ? [{ path, index }] : []))
  return fitting.toSorted((a, b) => b.path.length - a.path.length)[0]?.index ?? -1
}

test('every file is in a room', () => {
  expect(FILES.filter((file) => roomOf(file) < 0)).toEqual([])
})

test('the parts of a room stand together, so that no two rooms import each other', () => {
  const rooms = ROOMS.map(([path]) => path.replace(/\/.*/, ''))
  expect(rooms.filter((room, index) => room !== rooms[index - 1])).toEqual([...new Set(rooms)])
})

test('every import of a file of src names one that is there', () => {
  const missing = [...IMPORTS].flatMap(([file, targets]) =>
    targets.filter((target) => !existsSync(join(SRC, target))).map((target) => `${file} imports ${target}`),
  )
  expect(missing).toEqual([])
  expect([...IMPORTS.values()].flat().length).toBeGreaterThan(1000)
})

test('imports run down the list of the rooms, never up', () => {
  const up = [...IMPORTS].flatMap(([file, targets]) =>
    targets.filter((target) => roomOf(target) < roomOf(file)).map((target) => `${file} imports ${target}`),
  )
  expect(up).toEqual([])
})

test('no files import each other in a circle', () => {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, way: readonly string[]) => {
    const start = way.indexOf(file)
    if (start >= 0) circles.push([...way.slice(start), file].join(' > '))
    if (start >= 0 || done.has(file)) return
    for (const target of IMPORTS.get(file) ?? []) visit(target, [...way, file])
    done.add(file)
  }
  for (const file of FILES) visit(file, [])
  expect(circles).toEqual([])
})

test('the rules take values and return values: no file, process, network, clock or chance', () => {
  const pure = ROOMS.filter(([path]) => /^(?:report|judge|text)\/|^intake\/measurement/.test(path))
  const values = [
    'hono/html',
    'hono/utils/html',
    'lru-cache',
    'node:buffer',
    'node:crypto',
    'node:path',
    'node:util',
    'node:zlib',
    'saxes',
    'zod',
  ]
  const reaching = FILES.filter((file) => pure.includes(ROOMS[roomOf(file)]!)).flatMap((file) => [
    ...specifiersOf(PROGRAMS.get(file)!).filter((one) => !one.startsWith('.') && !values.includes(one)),
    ...membersOf(PROGRAMS.get(file)!).filter((one) => /^(Date\.now|Math\.random|process\.\w+)$/.test(one)),
  ])
  expect(reaching).toEqual([])
})

test('docs/architecture.md shows the rooms in this order', () => {
  const docs = readFileSync(join(SRC, '../docs/architecture.md'), 'utf8')
  const width = Math.max(...ROOMS.map(([path]) => path.length))
  const drawing = ROOMS.map(([path, holds]) => `${path.padEnd(width)}  ${holds}`).join('\n')
  expect(/```text\n(action\.ts[^`]*)\n```/.exec(docs)?.[1]).toBe(drawing)
})

/** Files by their paths below the root, below `src/`, and by their names alone, as in *`evidence.ts` beside it*. */
const NAMED_FILES: ReadonlyMap<string, string> = new Map(
  ['test', 'src']
    .flatMap((folder) =>
      readdirSync(join(SRC, '..', folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .flatMap((file): [string, string][] => [
      [basename(file), file],
      [relative('src', file), file],
      [file, file],
    ]),
)

function fileNamed(name: string): string | null {
  const path = NAMED_FILES.get(name.replace(/\/$/, '')) ?? name
  return existsSync(join(SRC, '..', path)) ? path : null
}

test.each(['docs/architecture.md', 'CONTRIBUTING.md'])(
  '%s names files that are there, and what they declare',
  (page) => {
    const text = readFileSync(join(SRC, '..', page), 'utf8')
    const files = [...text.matchAll(/`(\w[\w./-]*(?:\.(?:ts|js|sql|md|json)|\/))`/g)].map(([, name]) => name!)
    expect(files.length).toBeGreaterThan(30)
    expect(files.filter((name) => fileNamed(name) === null)).toEqual([])

    const declared = [...text.matchAll(/`#?(\w+)`(?: and `(\w+)`)? (?:in|of) `([\w./-]+\.ts)`/g)].flatMap(
      ([, first, second, file]) =>
        [first, second].flatMap((name) => (name === undefined ? [] : [{ name, file: file! }])),
    )
    expect(declared.length).toBeGreaterThan(10)
    const isDeclared = ({ name, file }: (typeof declared)[number]) =>
      new RegExp(`(?:function|const|type)\\*? ${name}\\b|async \\*?#?${name}\\(|\\b${name}: |'${name}'`).test(
        readFileSync(join(SRC, '..', fileNamed(file)!), 'utf8'),
      )
    expect(declared.filter((one) => !isDeclared(one))).toEqual([])
  },
)
