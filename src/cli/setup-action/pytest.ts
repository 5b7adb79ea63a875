import { posix } from 'node:path'
import { filesWith, inFolder, type Measuring, type Place, quoted, yamlText } from './place.ts'
import { type Table, tablesOf } from './toml.ts'

/** pytest-benchmark: each side in an environment of its own, since one that both share would measure one build twice. */

const PLUGIN = /pytest[-_]benchmark/

export async function pytestTool(place: Place): Promise<Measuring | null> {
  const { manifest, folder, below, read } = place
  if (!PLUGIN.test(await read(manifest))) return null
  const scripts = below.filter((path) => path.endsWith('.py'))
  const tests = await filesWith(/def test_\w*\([^)]*\bbenchmark\b/, scripts, read, 1000)
  if (tests.length === 0) return null
  const common = commonFolder(tests.map((path) => posix.dirname(path.slice(folder.length))))
  const pytest = common === '.' ? '--pytest' : `--pytest ${quoted(common)}`
  const install = (await requirements(place)).map((word) => quoted(word)).join(' ')
  const build = `python -m venv .venv && .venv/bin/pip install -q ${install}`
  const measure = [...inFolder(folder), pytest, `--build ${quoted(build)}`]
  return { measure, steps: steps(place) }
}

function commonFolder(folders: readonly string[]): string {
  const [first = '.', ...others] = folders
  const isAbove = (folder: string) => others.every((other) => other === folder || other.startsWith(`${folder}/`))
  let folder = first
  while (folder !== '.' && !isAbove(folder)) folder = posix.dirname(folder)
  return folder
}

/** The arguments of `pip install`: the project, where it is one, and pytest-benchmark. */
async function requirements({ manifest, folder, paths, read }: Place): Promise<readonly string[]> {
  const project = `${folder}pyproject.toml`
  const tables = paths.includes(project) ? tablesOf(await read(project)) : []
  const isProject =
    paths.includes(`${folder}setup.py`) || tables.some(({ name }) => /^(?:project|tool\.poetry)$/.test(name))
  if (/\.txt$/.test(manifest)) return [...(isProject ? ['-e', '.'] : []), '-r', posix.basename(manifest)]
  const extra = keyWith(tables.find(({ name }) => name === 'project.optional-dependencies'))
  const group = keyWith(tables.find(({ name }) => name === 'dependency-groups'))
  if (extra !== null) return ['-e', `.[${extra}]`]
  if (group !== null) return [...(isProject ? ['-e', '.'] : []), '--group', group]
  return [...(isProject ? ['-e', '.'] : []), 'pytest-benchmark']
}

/** The list of a table that names the plugin. */
function keyWith(table: Table | undefined): string | null {
  const lists = [...(table?.text ?? '').matchAll(/^\s*["']?([\w.-]+)["']?\s*=\s*\[([^[\]]*(?:\[[^\]]*\][^[\]]*)*)\]/gm)]
  return lists.find(([, , list]) => PLUGIN.test(list!))?.[1] ?? null
}

function steps({ folder, paths }: Place): readonly string[] {
  const has = (name: string) => paths.includes(`${folder}${name}`)
  const file = ['.python-version', 'pyproject.toml'].find(has)
  const version = file === undefined ? "python-version: '3.x'" : `python-version-file: ${yamlText(`${folder}${file}`)}`
  return ['- uses: actions/setup-python@v7', `  with: { ${version} }`]
}
