import { posix } from 'node:path'
import { filesWith, inFolder, type Measuring, type Place, quoted } from './place.ts'

/** Google Benchmark: the only program that CMake links with it. */
export async function cmakeTool({ manifest, folder, paths, read }: Place): Promise<Measuring | null> {
  if (!/^\s*project\(/im.test(await read(manifest))) return null
  const lists = paths.filter((path) => path.startsWith(folder) && posix.basename(path) === 'CMakeLists.txt')
  const linked = await filesWith(LINKED, lists, read, 2)
  const programs = (await Promise.all(linked.map(read))).flatMap((text) => [...text.matchAll(new RegExp(LINKS, 'gi'))])
  const [program, another] = programs.map(([, name]) => name!)
  if (program === undefined || another !== undefined) return null
  const made = posix.join('build', posix.dirname(linked[0]!.slice(folder.length)), program)
  const build = `cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build --target ${program}`
  const isOfSystem = (await filesWith(/find_package\(\s*benchmark\b/i, lists, read, 1)).length > 0
  return {
    measure: [...inFolder(folder), `--google-benchmark ./${made}`, `--build ${quoted(build)}`],
    steps: isOfSystem ? ['- run: sudo apt-get install -y libbenchmark-dev'] : [],
  }
}

const LINKS = String.raw`target_link_libraries\(\s*(\w[\w.-]*)\b[^()]*\bbenchmark::benchmark`
const LINKED = new RegExp(LINKS, 'i')
