import { posix } from 'node:path'
import { cargoTool } from './cargo.ts'
import { cmakeTool } from './cmake.ts'
import { jmhTool } from './jmh.ts'
import { type Files, type FoundTool, filesWith, inFolder, type Place, yamlText } from './place.ts'
import { pytestTool } from './pytest.ts'
import { vitestTool } from './vitest.ts'

/** Benchmarks that a repository has: which tool runs them, and where. */

interface Kind {
  readonly file: RegExp
  /** What was looked for, for a person. */
  readonly words: string
  readonly toolOf: (place: Place) => Promise<FoundTool | null>
}

const KINDS: readonly Kind[] = [
  { file: /^go\.mod$/, words: 'go.mod with func Benchmark… in a _test.go file', toolOf: goTool },
  { file: /^Cargo\.toml$/, words: 'Cargo.toml with criterion', toolOf: cargoTool },
  { file: /^package\.json$/, words: 'package.json with vitest and a *.bench.ts file', toolOf: vitestTool },
  {
    file: /^(?:pyproject\.toml|setup\.cfg|setup\.py|requirements[\w.-]*\.txt)$/,
    words: 'pyproject.toml or requirements.txt with pytest-benchmark',
    toolOf: pytestTool,
  },
  { file: /^pom\.xml$/, words: 'pom.xml with jmh-core', toolOf: jmhTool },
  { file: /^CMakeLists\.txt$/, words: 'CMakeLists.txt with one program of benchmark::benchmark', toolOf: cmakeTool },
]

/** What `findTools` looks for. */
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

async function firstTool({ file, toolOf }: Kind, { paths, read }: Files): Promise<FoundTool | null> {
  const manifests = paths.filter((path) => file.test(posix.basename(path)) && !OF_OTHERS.test(path))
  const folderOf = (path: string) => (path.includes('/') ? `${posix.dirname(path)}/` : '')
  for (const manifest of manifests.toSorted((a, b) => depth(a) - depth(b))) {
    const folder = folderOf(manifest)
    const deeper = manifests.map(folderOf).filter((other) => other !== folder && other.startsWith(folder))
    const below = paths.filter((path) => path.startsWith(folder) && !deeper.some((other) => path.startsWith(other)))
    const tool = await toolOf({ paths, read, manifest, folder, below })
    if (tool !== null) return tool
  }
  return null
}

function depth(path: string): number {
  return path.split('/').length
}

async function goTool({ manifest, folder, below, read }: Place): Promise<FoundTool | null> {
  const tests = below.filter((path) => path.endsWith('_test.go'))
  if ((await filesWith(/^func Benchmark[^a-z]\w*\(/m, tests, read, 1)).length === 0) return null
  const steps = ['- uses: actions/setup-go@v7', `  with: { go-version-file: ${yamlText(manifest)} }`]
  return { name: 'go', manifest, measure: [...inFolder(folder), '--go'], steps }
}
