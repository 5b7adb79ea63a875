import type { ChangedFile } from './failure.ts'

/**
 * Finds the changed file that holds a test, by the names that test runners give. A wrong match blames a pull request
 * for a chronic failure, so only whole names count, from one `/` to the next, and short or general ones (`test`,
 * `utils`) do not.
 *
 * | the test's name | the file |
 * |---|---|
 * | ClickHouse: `03999_my_new_test` | `tests/queries/…/03999_my_new_test.sql`, `.sh`, `.reference`, `.sql.j2`, … |
 * | ClickHouse: `test_storage_s3/test.py::test_foo[x-1]` | all of `tests/integration/test_storage_s3/` |
 * | pytest: `tests/unit/test_parser.py::TestParser::test_dates[utc]` | that path, also with folders before it |
 * | a name with the file's path in it: `src/cart.test.ts > adds`, `services_test.go:45` | that path |
 * | .NET, PHP, Swift: `Shop.Tests.CartTests.Adds`, `Shop\CartTest::adds` | `…/CartTests.cs`, `…/CartTest.php` |
 * | dotted: `org.example.CartTest.adds`, `tests.unit.test_parser.TestParser::test_dates` | `…/org/example/CartTest.java`, `…/tests/unit/test_parser.py` |
 */

/** Longer names are no names of tests, and classes do not lie deeper in their packages. */
const LONGEST_NAME = 1000
const DEEPEST = 20

const SOURCE =
  'py|java|kt|kts|scala|groovy|cs|rb|php|phpt|js|jsx|cjs|mjs|ts|tsx|cts|mts|go|rs|swift|c|cc|cpp|cxx|sql|sh|feature|robot|bats|exs'

const PATH = new RegExp(String.raw`^[\w@+.\-/]*\w\.(?:${SOURCE})$`)
/** The folders of a class in these languages need not be those of its namespace. */
const CLASS_ALONE = /\.(?:cs|php|swift)$/
const EXTENSION = new RegExp(String.raw`\.(?:${SOURCE})$`)

/**
 * The first changed file that holds the test; null: there is none, or nobody can tell by the name. A removed file does
 * not count: what it held can't fail any more.
 *
 * Is: `org.example.CartTest.adds` and `src/test/java/org/example/CartTest.java`. Is not: the same and
 * `src/test/java/org/other/CartTest.java`, or `test_a.py::test_x` and `contest_a.py`.
 */
export function fileOfTest(testName: string, changedFiles: readonly ChangedFile[]): ChangedFile | null {
  if (testName === '' || testName.length > LONGEST_NAME) return null
  const holds = holderOf(testName)
  return changedFiles.find(({ path, status }) => status !== 'removed' && status !== 'unchanged' && holds(path)) ?? null
}

function holderOf(testName: string): (path: string) => boolean {
  const stateless = /^(\d{5}_[\w-]+)(?:\.\w+)*$/.exec(testName)?.[1]
  if (stateless !== undefined) return (path) => isQueryTest(path, stateless)

  const folder = /^(?:tests\/integration\/)?(test_\w+)\/[\w/]+\.py(?:::|$)/.exec(testName)?.[1]
  const paths = pathsIn(testName)
  const stems = stemsIn(testName).filter(isTelling)
  const classes = stemsIn(testName).map(lastPart).filter(isTelling)
  return (path) =>
    (folder !== undefined && path.startsWith(`tests/integration/${folder}/`)) ||
    paths.some((named) => isFileNamed(path, named)) ||
    (EXTENSION.test(path) && stems.some((stem) => endsWithPath(path.replace(EXTENSION, ''), stem))) ||
    (CLASS_ALONE.test(path) && classes.includes(lastPart(path).replace(EXTENSION, '')))
}

/** An absolute path is one of the machine that ran the test; a relative one may begin below the root of the repository. */
function isFileNamed(path: string, named: string): boolean {
  if (named.startsWith('/')) return path.includes('/') && endsWithPath(named, path)
  return path === named || (isTelling(named) && endsWithPath(path, named))
}

/** `tests/queries/0_stateless/03999_my_new_test.sql.j2` is of `03999_my_new_test`. */
function isQueryTest(path: string, test: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1)
  return path.startsWith('tests/queries/') && (file === test || file.startsWith(`${test}.`))
}

/** The paths of source files that stand in the name. What stands in the brackets of a pytest id is data, not the test. */
function pathsIn(testName: string): readonly string[] {
  const named = testName.includes('::') ? testName.replace(/\[.*$/, '') : testName
  return named
    .split(/::|[\s:#>"'`()[\]{},;|]+/)
    .map((word) => word.replace(/^\.\//, ''))
    .filter((word) => PATH.test(word))
}

/**
 * Paths without extension that a dotted name begins with: `org.example.CartTest.adds` may be in `org/example/CartTest`.
 * Inner classes (`CartTest$Discounts`) are in the file of the outer one.
 */
function stemsIn(testName: string): readonly string[] {
  const [dotted] = /^[A-Za-z_][\w$]*(?:[.\\][A-Za-z_][\w$]*)*(?=$|[\s:#[(.])/.exec(testName) ?? ['']
  const segments = dotted.replace(/\$.*$/, '').split(/[.\\]/).slice(0, DEEPEST)
  return segments.map((_, index) => segments.slice(0, index + 1).join('/')).filter(namesTest)
}

/** The last part of the name is called as files and classes of tests are. */
function namesTest(stem: string): boolean {
  const last = lastPart(stem)
  return /^test_|_(?:test|tests|spec)$/.test(last) || /(?:[a-z0-9])(?:Test|Tests|TestCase|IT|Spec|Suite)$/.test(last)
}

/** Enough to tell a file by: a folder and a file, or a file whose name says more than that it is a test. */
function isTelling(path: string): boolean {
  if (path.includes('/')) return true
  const words = lastPart(path)
    .replace(EXTENSION, '')
    .replace(/[._-]?(?:[Tt]ests?|[Ss]pec|TestCase|IT|Suite)$|^[Tt]ests?[._-]?/g, '')
  return words.length >= SHORTEST_WORD && !GENERAL.has(words.toLowerCase())
}

const SHORTEST_WORD = 4
const GENERAL: ReadonlySet<string> = new Set([
  'index',
  'main',
  'utils',
  'util',
  'common',
  'basic',
  'setup',
  'conftest',
  'helpers',
  'base',
])

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function endsWithPath(path: string, end: string): boolean {
  return path === end || path.endsWith(`/${end}`)
}
