/** What a `testcase` and the suites around it say of its name. null: the attribute is not there. */
export interface JunitNames {
  readonly name: string
  readonly className: string | null
  /** PHPUnit's own spelling of the class, with its namespace. */
  readonly phpClass: string | null
  /** Relative or absolute. */
  readonly file: string | null
  /** The suite around it; empty where it has none. */
  readonly suite: string
}

/**
 * The name of a test as a person would write it, so that it is the same wherever the same test is reported:
 *
 * - `test/test_spark.py::SparkTests::test_events[a]`: pytest, where the file is stated
 * - `PHPUnit\Event\DispatcherTest::testOne`: PHPUnit
 * - `github.com/owner/name/storage/buckets.TestCreate`: Go, whose class is the last part of the suite's package
 * - `test/button.test.ts > Button > is red`: a class that is a file
 * - `Button › is red`, `Button is red`: a class or a name in words
 * - `org.example.ButtonTest.isRed`: everything else
 * - the name alone where it begins with the class, where the class is the title of the whole suite, or where the class is
 *   stated as empty; without a class the suite stands in its place.
 */
export function junitTestName({ name, className, phpClass, file, suite }: JunitNames): string {
  if (className === null && phpClass === null) return withSuite(name, file, suite)
  if (phpClass !== null && phpClass !== '') return `${phpClass}::${name}`
  const owner = withoutSuffix(className ?? '')
  if (owner === '' || beginsWith(name, owner)) return name
  const pytest = pytestName(name, owner, file)
  if (pytest !== null) return pytest
  if (hasSpace(owner) && owner === suite) return name
  if (suite.endsWith(`/${owner}`)) return `${suite}.${name}`
  if (owner.includes('›')) return `${owner} › ${name}`
  if (/[/\\][^/\\]*\.\w+$/.test(owner)) return `${owner} > ${name}`
  if (owner.includes('\\')) return `${owner}::${name}`
  return hasSpace(owner) || hasSpace(beforeParameters(name)) ? `${owner} ${name}` : `${owner}.${name}`
}

function withSuite(name: string, file: string | null, suite: string): string {
  if (suite === '' || beginsWith(name, suite) || file?.endsWith(name) === true) return name
  return `${suite} ${name}`
}

/** Surefire's suffix for a second run of the class elsewhere: `QuickstartIT(sponge_log)`. */
function withoutSuffix(className: string): string {
  return className.replace(/^([\w$.]+)\([^()]*\)$/, '$1')
}

/** `test.test_spark.SparkTests` in `test/test_spark.py` is `test/test_spark.py::SparkTests`. */
function pytestName(name: string, owner: string, file: string | null): string | null {
  if (file === null || !file.endsWith('.py')) return null
  const module = file.slice(0, -3).replaceAll(/[/\\]/g, '.')
  const path = file.replaceAll('\\', '/')
  if (owner === module) return `${path}::${name}`
  if (!owner.startsWith(`${module}.`)) return null
  return [path, ...owner.slice(module.length + 1).split('.'), name].join('::')
}

function beginsWith(name: string, owner: string): boolean {
  return name.startsWith(owner) && (name.length === owner.length || /[\s.:#/›>|([-]/.test(name[owner.length]!))
}

/** Parameters in brackets may hold anything. */
function beforeParameters(name: string): string {
  const start = name.search(/[[(]/)
  return start === -1 ? name : name.slice(0, start)
}

function hasSpace(text: string): boolean {
  return /\s/.test(text.trim())
}
