import { expect, test } from 'vitest'
import { findTools } from '../../../src/cli/setup-action/tools.ts'

const toolsOf = async (files: Readonly<Record<string, string>>) =>
  await findTools({ paths: Object.keys(files), read: async (path) => files[path] ?? '' })

/** A line for each tool with its arguments: `go --directory sub --go`. */
const found = async (files: Readonly<Record<string, string>>) =>
  (await toolsOf(files)).map(({ name, measure }) => `${name} ${measure.join(' ')}`)

const stepsOf = async (files: Readonly<Record<string, string>>) => (await toolsOf(files))[0]!.steps

const GO_BENCHMARK = 'package a\n\nfunc BenchmarkSort(b *testing.B) {\n'
const CRITERION = '[dev-dependencies]\ncriterion = "0.5"\n\n[[bench]]\nname = "sort"\nharness = false\n'
const VITEST = '{ "devDependencies": { "vitest": "^4.0.0" } }'
const PYTEST = 'def test_fib(benchmark):\n    benchmark(fib, 10)\n'
const JMH = '<project><dependency><artifactId>jmh-core</artifactId></dependency></project>'
const JMH_SOURCE = '@Benchmark public void sort() {}'

test('Go: benchmarks in test files, wherever the module is', async () => {
  expect(await found({ 'go.mod': '', 'sort/sort_test.go': GO_BENCHMARK })).toEqual(['go --go'])
  expect(await found({ 'server/go.mod': '', 'server/a_test.go': GO_BENCHMARK })).toEqual(['go --directory server --go'])
  const steps = await stepsOf({ 'server/go.mod': '', 'server/a_test.go': GO_BENCHMARK })
  expect(steps).toContain('  with: { go-version-file: server/go.mod }')
})

test('a manifest without benchmarks is none, nor is one of a dependency', async () => {
  expect(await found({ 'go.mod': '', 'a_test.go': 'func TestSort(t *testing.T) {', 'a.go': GO_BENCHMARK })).toEqual([])
  expect(await found({ 'vendor/x/go.mod': '', 'vendor/x/a_test.go': GO_BENCHMARK })).toEqual([])
  expect(await found({ 'Cargo.toml': '[dependencies]\ncriterion-stats = "1"\n[[bench]]\nname = "x"\n' })).toEqual([])
  expect(await found({ 'package.json': VITEST, 'src/a.test.ts': '' })).toEqual([])
  expect(await found({ 'package.json': '{ "name": ', 'src/a.bench.ts': '' })).toEqual([])
  expect(await found({ 'requirements.txt': 'pytest-benchmark', 'test_a.py': 'def test_a(): pass' })).toEqual([])
  expect(await found({ 'pom.xml': JMH.replace('jmh-core', 'junit'), 'A.java': JMH_SOURCE })).toEqual([])
})

test('Rust: the benchmarks of criterion by name; of a workspace those of its member', async () => {
  expect(await found({ 'Cargo.toml': CRITERION })).toEqual([`criterion --criterion='--bench sort'`])
  const member = `[package]\nname = "core"\n\n[dev-dependencies.criterion]\nworkspace = true\n\n[[bench]]\nharness = false # criterion\nname = 'sort'\n`
  expect(await found({ 'Cargo.toml': '[workspace]\n', 'core/Cargo.toml': member })).toEqual([
    `criterion --criterion='-p core --bench sort'`,
  ])
  expect(await found({ 'native/Cargo.toml': CRITERION })).toEqual([
    `criterion --directory native --criterion='--bench sort'`,
  ])
})

test('vitest: installed by the package manager whose lock file is there', async () => {
  const project = { 'package.json': VITEST, 'src/a.bench.ts': '' }
  expect(await found({ ...project, 'package-lock.json': '' })).toEqual(['vitest --vitest'])
  expect(await found({ ...project, 'pnpm-lock.yaml': '' })).toEqual([
    `vitest --vitest --build 'npx --yes pnpm install --frozen-lockfile'`,
  ])
  expect(await found({ ...project, 'yarn.lock': '' })).toEqual([
    `vitest --vitest --build 'npx --yes yarn@1 install --frozen-lockfile'`,
  ])
  expect(await found(project)).toEqual([`vitest --vitest --build 'npm install'`])
  expect(
    await found({
      'package.json': '{}',
      'package-lock.json': '',
      'packages/a/package.json': VITEST,
      'packages/a/x.bench.ts': '',
    }),
  ).toEqual(['vitest --directory packages/a --vitest'])
})

test('Python: an environment for each build, with what the project asks for', async () => {
  const bench = { 'benchmarks/test_a.py': PYTEST, 'tests/test_b.py': 'def test_b(): pass' }
  const build = 'python -m venv .venv && .venv/bin/pip install -q'
  const extra = `[project]\nname = "a"\n\n[project.optional-dependencies]\ndocs = ["sphinx"]\ndev = [\n  "pytest[x]",\n  "pytest-benchmark",\n]\n`
  expect(await found({ 'pyproject.toml': extra, ...bench })).toEqual([
    `pytest --pytest benchmarks --build "${build} -e '.[dev]'"`,
  ])
  const group = `[project]\nname = "a"\n\n[dependency-groups]\nbench = ["pytest-benchmark"]\n`
  expect(await found({ 'pyproject.toml': group, ...bench })).toEqual([
    `pytest --pytest benchmarks --build '${build} -e . --group bench'`,
  ])
  expect(await found({ 'requirements-dev.txt': 'pytest_benchmark==5', 'test_a.py': PYTEST })).toEqual([
    `pytest --pytest --build '${build} -r requirements-dev.txt'`,
  ])
})

test('Java: the jar that the build makes, and short forks where no annotation says how long', async () => {
  expect(await found({ 'pom.xml': JMH, 'src/A.java': `@Warmup(iterations = 1) ${JMH_SOURCE}` })).toEqual(['jmh --jmh'])
  expect(await found({ 'pom.xml': JMH, 'src/A.java': JMH_SOURCE })).toEqual([
    `jmh --jmh 'target/benchmarks.jar -wi 3 -w 300ms -i 3 -r 300ms'`,
  ])
  const child = `<project><parent></parent><properties><uberjar.name>perf</uberjar.name></properties><artifactId>jmh-core</artifactId><finalName>\${uberjar.name}</finalName></project>`
  expect(
    await found({
      'pom.xml': '<project/>',
      mvnw: '',
      'bench/pom.xml': child,
      'bench/src/A.java': `@Measurement ${JMH_SOURCE}`,
    }),
  ).toEqual([`jmh --jmh bench/target/perf.jar --build './mvnw -q -DskipTests -pl bench -am package'`])
  const steps = async (pom: string) => (await stepsOf({ 'pom.xml': pom, 'A.java': JMH_SOURCE })).join('\n')
  expect(await steps(`${JMH}<maven.compiler.release>25</maven.compiler.release>`)).toContain('java-version: 25,')
  expect(await steps(`${JMH}<maven.compiler.release>8</maven.compiler.release>`)).toContain('java-version: 21,')
})

test('C++: the program that CMake links with Google Benchmark, where there is one', async () => {
  const build = (program: string) =>
    `--build 'cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build --target ${program}'`
  const root = 'project(a)\nfind_package(benchmark REQUIRED)\nadd_subdirectory(bench)\n'
  const bench = 'add_executable(sorts a.cpp)\ntarget_link_libraries(sorts PRIVATE a\n  benchmark::benchmark_main)\n'
  const files = { 'CMakeLists.txt': root, 'bench/CMakeLists.txt': bench }
  expect(await found(files)).toEqual([`cpp --google-benchmark ./build/bench/sorts ${build('sorts')}`])
  expect(await stepsOf(files)).toEqual(['- run: sudo apt-get install -y libbenchmark-dev'])
  const all = `PROJECT(a)\n${bench}`
  expect(await found({ 'CMakeLists.txt': all })).toEqual([`cpp --google-benchmark ./build/sorts ${build('sorts')}`])
  expect(await found({ 'CMakeLists.txt': `${all}${bench.replaceAll('sorts', 'other')}` })).toEqual([])
  expect(await found({ 'CMakeLists.txt': 'project(a)\nadd_executable(a a.cpp)' })).toEqual([])
})

test('several tools are several', async () => {
  expect(await found({ 'go.mod': '', 'a_test.go': GO_BENCHMARK, 'web/Cargo.toml': CRITERION })).toEqual([
    'go --go',
    `criterion --directory web --criterion='--bench sort'`,
  ])
})
