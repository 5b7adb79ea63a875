import { posix } from 'node:path'
import { cargoTool } from './cargo.ts'
import { cmakeTool } from './cmake.ts'
import { jmhTool } from './jmh.ts'
import { type Files, type FoundTool, filesWith, inFolder, type Measuring, type Place, yamlText } from './place.ts'
import { pytestTool } from './pytest.ts'
import { vitestTool } from './vitest.ts'

/** Benchmarks that a repository has: which tool runs them, and where. */

interface Kind {
  readonly name: FoundTool['name']
  readonly file: RegExp
  /** For a person: the manifest and the mark of a benchmark. */
  readonly words: string
  readonly toolOf: (place: Place) => Promise<Measuring | null>
}

const KINDS: readonly Kind[] = [
  { name: 'go', file: /^go\.mod$/, words: 'go.mod with func Benchmark… in a _test.go file', toolOf: goTool },
  { name: 'criterion', file: /^Cargo\.toml$/, words: 'Cargo.toml with criterion', toolOf: cargoTool },
  {
    name: 'vitest',
    file: /^package\.json$/,
    words: 'package.json with vitest and a *.bench.ts file',
    toolOf: vitestTool,
  },
  {
    name: 'pytest',
    file: /^(?:pyproject\.toml|setup\.cfg|setup\.py|requirements[\w.-]*\.txt)$/,
    words: 'pyproject.toml or requirements.txt with pytest-benchmark',
    toolOf: pytestTool,
  },
  { name: 'jmh', file: /^pom\.xml$/, words: 'pom.xml with jmh-core', toolOf: jmhTool },
  {
    name: 'cpp',
    file: /^CMakeLists\.txt$/,
    words: 'CMakeLists.txt with one program of benchmark::benchmark',
    toolOf: cmakeTool,
  },
]

/** The words of everything that `findTools` looks for. */
export const LOOKED_FOR: readonly string[] = KINDS.map(({ words }) => words)

/** Folders whose manifests are not the repository's own. */
const OF_OTHERS = /(?:^|\/)(?:node_modules|vendor|third_party|testdata|fixtures|tests?|examples?)\//

/** Of each tool one: that whose manifest is closest to the root. */
export async function findTools(files: Files): Promise<readonly FoundTool[]> {
  const tools: FoundTool[] = []
  for (const kind of KINDS) {
    const tool = await firstTool(kind, files)
    if (tool !== null) tools.push(tool)
  }
  return tools
}

async function firstTool({ name, file, toolOf }: Kind, { paths, read }: Files): Promise<FoundTool | null> {
  const manifests = paths.filter((path) => file.test(posix.basename(path)) && !OF_OTHERS.test(path))
  const folderOf = (path: string) => (path.includes('/') ? `${posix.dirname(path)}/` : '')
  for (const manifest of manifests.toSorted((a, b) => depth(a) - depth(b))) {
    const folder = folderOf(manifest)
    const deeper = manifests.map(folderOf).filter((other) => other !== folder && other.startsWith(folder))
    const below = paths.filter((path) => path.startsWith(folder) && !deeper.some((other) => path.startsWith(other)))
    const measuring = await toolOf({ paths, read, manifest, folder, below })
    if (measuring !== null) return { name, manifest, ...measuring }
  }
  return null
}

function depth(path: string): number {
  return path.split('/').length
}

async function goTool({ manifest, folder, below, read }: Place): Promise<Measuring | null> {
  const tests = below.filter((path) => path.endsWith('_test.go'))
  if ((await filesWith(/^func Benchmark[^a-z]\w*\(/m, tests, read, 1)).length === 0) return null
  const steps = ['- uses: actions/setup-go@v7', `  with: { go-version-file: ${yamlText(manifest)} }`]
  return { measure: [...inFolder(folder), '--go'], steps }
}
