import type { ReadContext } from '../format.ts'
import { cut, cutName, detached, LONGEST_OUTPUT } from '../table-row.ts'
import type { CheckRow } from './check-row.ts'
import { rowOfJob } from './given-values.ts'

/** Makes rows of the elements of a JUnit document while they arrive. The XML itself is read by `junit.ts`. */

type Attributes = Readonly<Record<string, string>>
type Status = 'OK' | 'FAIL' | 'ERROR' | 'SKIPPED'

/**
 * The outcome that an element in a `testcase` states. `retry`: of an execution of its own besides the one that counts.
 */
const OUTCOMES: Readonly<Record<string, { readonly status: Status; readonly retry: boolean }>> = {
  failure: { status: 'FAIL', retry: false },
  error: { status: 'ERROR', retry: false },
  skipped: { status: 'SKIPPED', retry: false },
  rerunFailure: { status: 'FAIL', retry: true },
  rerunError: { status: 'ERROR', retry: true },
  flakyFailure: { status: 'FAIL', retry: true },
  flakyError: { status: 'ERROR', retry: true },
}

/** The status of a test case is the first of these among its outcomes: one that failed may also fail when it ends. */
const GRAVEST: readonly Status[] = ['FAIL', 'ERROR', 'SKIPPED', 'OK']

interface Outcome {
  readonly status: Status
  readonly retry: boolean
  /** The name of an exception. */
  readonly type: string
  readonly message: string
  text: string
}

interface TestCase extends Omit<JunitNames, 'suite'> {
  /** Seconds, as they are written. */
  readonly time: string
  readonly isNotRun: boolean
  readonly outcomes: Outcome[]
}

/** An element that is open, with the suite around it or that it is. */
interface Open {
  readonly element: string
  readonly suite: Suite
}

interface Suite {
  /** Empty where there is none. */
  readonly name: string
  readonly hostname: string
  readonly package: string
  /** The properties that tell one run of a test from another, by their names. */
  readonly properties: Map<string, string>
}

const NO_SUITE: Suite = { name: '', hostname: '', package: '', properties: new Map() }

/** A browser and a platform tell runs of a test apart; when and by whom it was run does not. */
const TELLING_PROPERTY =
  /^(?:project|browser|platform|device|os|environment|env|module|variant|target|configuration|config|profile)(?:[ ._-]?name)?$/i

/**
 * Rows of one document that wait for its end, and the characters of their names and outputs: until then nobody knows which suites
 * have a test of the same name. Of a document with more of them none is told apart, whichever suite comes first.
 */
const MOST_HELD = 100_000
const MOST_HELD_CHARACTERS = 32 * 1024 * 1024

interface HeldRow {
  readonly row: CheckRow
  readonly suite: Suite
}

/** Turns the elements of a JUnit document into rows: one for a test case, and one before it for each of its retries. */
export class JunitRows {
  readonly #context: ReadContext
  readonly #stack: Open[] = []
  #rows: CheckRow[] = []
  #testCase: TestCase | null = null
  #outcome: Outcome | null = null
  /** How deep the outcome stands that is being read, and the element in it whose text is not its own. */
  #outcomeDepth = 0
  #outputDepth = 0
  /** Playwright's root has an id, where vitest's, which looks much the same, has none. */
  #rootHasId = false
  /** The suites in which a name was met; null: there were more than are compared. */
  #suitesOf: Map<string, Set<Suite>> | null = new Map()
  /** Rows whose name the end of the document decides. */
  #held: HeldRow[] = []
  #heldCharacters = 0

  constructor(context: ReadContext) {
    this.#context = context
  }

  /** The rows since the last call. */
  take(): readonly CheckRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  /** The rows since the last call, and those that waited for the end of the document. */
  takeLast(): readonly CheckRow[] {
    this.#release()
    return this.take()
  }

  /** True when the text that follows is wanted. */
  open(element: string, attributes: Attributes): boolean {
    const suite = this.#stack.at(-1)?.suite ?? NO_SUITE
    const isSuite = element === 'testsuite' || element === 'testsuites'
    if (element === 'testsuites') this.#rootHasId = attributes['id'] !== undefined
    this.#stack.push({ element, suite: element === 'testsuite' ? suiteOf(attributes, suite) : suite })
    if (element === 'property' && this.#testCase === null) addProperty(suite, attributes)
    if (isSuite && attributes['timestamp'] !== undefined) this.#context.stateTime(attributes['timestamp'])
    if (this.#outcome !== null) {
      if (this.#outputDepth === 0 && (element === 'system-out' || element === 'system-err')) {
        this.#outputDepth = this.#stack.length
      }
      return false
    }
    if (element === 'testcase') this.#testCase = { ...testCaseOf(attributes), outcomes: [] }
    const outcome = Object.hasOwn(OUTCOMES, element) ? OUTCOMES[element] : undefined
    if (outcome === undefined) return false
    const inSuite = this.#stack.at(-2)?.element === 'testsuite'
    // of a whole suite only what broke it says something
    if (this.#stack.at(-2)?.element !== 'testcase' && !(inSuite && outcome.status !== 'SKIPPED' && !outcome.retry)) {
      return false
    }
    if (inSuite) this.#testCase = null
    const message = (attributes['message'] ?? '').trim()
    const type = nameIn(attributes, 'type') ?? ''
    this.#outcome = { ...outcome, type, message: cut(message, LONGEST_OUTPUT), text: '' }
    this.#outcomeDepth = this.#stack.length
    return true
  }

  /** Text inside the outcome of a test case. */
  text(text: string): void {
    const outcome = this.#outcome
    if (outcome === null || this.#outputDepth > 0 || outcome.text.length > LONGEST_OUTPUT) return
    outcome.text = cut(outcome.text + text, LONGEST_OUTPUT + 1)
  }

  /** True when the text that follows is no longer wanted. */
  close(): boolean {
    const depth = this.#stack.length
    const closed = this.#stack.pop()
    if (depth === this.#outputDepth) this.#outputDepth = 0
    if (this.#outcome !== null) {
      if (depth !== this.#outcomeDepth) return false
      if (this.#testCase === null) this.#addSuite(this.#outcome, closed?.suite.name ?? '')
      else this.#testCase.outcomes.push(this.#outcome)
      this.#outcome = null
      return true
    }
    if (closed?.element === 'testcase' && this.#testCase !== null) {
      this.#addTestCase(this.#testCase, closed.suite)
      this.#testCase = null
    }
    return false
  }

  #addSuite(outcome: Outcome, suite: string): void {
    if (suite === '') {
      this.#context.warn('malformed-line', null, 'a failure of a suite without a name: skipped')
      return
    }
    this.#rows.push({
      ...rowOfJob(this.#context.given, this.#context.time()),
      testName: cutName(suite),
      testStatus: outcome.status,
      testContextRaw: outputOf([outcome]),
    })
  }

  #addTestCase({ outcomes, time, isNotRun, ...names }: TestCase, suite: Suite): void {
    const { name, className, file } = names
    if (name === '' && (className ?? '') === '') {
      this.#context.warn('malformed-line', null, 'a testcase without a name: skipped')
      return
    }
    const { testName, isTold } =
      name === '' ? { testName: cutName(className!), isTold: true } : this.#nameOf(names, suite)
    const row: CheckRow = {
      ...rowOfJob(this.#context.given, this.#context.time()),
      testName,
      testDurationMs: milliseconds(time),
      attributes: attributesOf({ file }),
    }
    const counting = outcomes.filter(({ retry }) => !retry)
    const testStatus = statusOf(counting, isNotRun)
    const attributes = attributesOf({ file, passedOnRetry: testStatus === 'OK' })
    const rows: CheckRow[] = []
    for (const outcome of outcomes) {
      if (!outcome.retry) continue
      const { status } = outcome
      rows.push({
        ...row,
        attributes,
        testStatus: status,
        testDurationMs: 0,
        testContextRaw: outputOf([outcome]),
      })
    }
    rows.push({ ...row, testStatus, testContextRaw: outputOf(counting) })
    if (isTold) this.#rows.push(...rows)
    else this.#hold(rows, suite)
  }

  /** `isTold`: no other suite of the document changes the name. */
  #nameOf(names: Omit<JunitNames, 'suite'>, suite: Suite): { readonly testName: string; readonly isTold: boolean } {
    const project = this.#rootHasId ? playwrightProject(names, suite) : ''
    if (project !== '') {
      const title = names.name.startsWith(`[${project}] `) ? names.name.slice(project.length + 3) : names.name
      return {
        testName: cutName(`[${project}] ${junitTestName({ ...names, name: title, suite: suite.name })}`),
        isTold: true,
      }
    }
    return { testName: cutName(junitTestName({ ...names, suite: suite.name })), isTold: false }
  }

  #hold(rows: readonly CheckRow[], suite: Suite): void {
    const suites = this.#suitesOf
    if (suites === null) {
      this.#rows.push(...rows)
      return
    }
    for (const row of rows) {
      this.#held.push({ row, suite })
      this.#heldCharacters += row.testName.length + row.testContextRaw.length
      suites.set(row.testName, (suites.get(row.testName) ?? new Set()).add(suite))
    }
    if (this.#held.length <= MOST_HELD && this.#heldCharacters <= MOST_HELD_CHARACTERS) return
    this.#suitesOf = null
    this.#release()
  }

  /** Tests of one name in suites that only their properties tell apart are as many tests: chromium and firefox. */
  #release(): void {
    const differences = new Map<string, (suite: Suite) => string>()
    for (const [name, suites] of this.#suitesOf ?? []) if (suites.size > 1) differences.set(name, difference(suites))
    for (const { row, suite } of this.#held) {
      const what = differences.get(row.testName)?.(suite) ?? ''
      this.#rows.push(what === '' ? row : { ...row, testName: cutName(`${row.testName} [${what}]`) })
    }
    this.#held = []
  }
}

function suiteOf(attributes: Attributes, around: Suite): Suite {
  return {
    name: nameIn(attributes, 'name') ?? around.name,
    hostname: nameIn(attributes, 'hostname') ?? around.hostname,
    package: nameIn(attributes, 'package') ?? around.package,
    properties: new Map(around.properties),
  }
}

function addProperty({ name: suite, properties }: Suite, attributes: Attributes): void {
  const name = nameIn(attributes, 'name') ?? ''
  if (suite !== '' && TELLING_PROPERTY.test(name)) properties.set(name.toLowerCase(), nameIn(attributes, 'value') ?? '')
}

/** Playwright names its project in the suite's `hostname` alone, and the file in the suite's name and the class. */
function playwrightProject({ className }: Omit<JunitNames, 'suite'>, { name, hostname }: Suite): string {
  return className === name && /\.[cm]?[jt]sx?$/.test(name) ? hostname : ''
}

/**
 * The values in which one of these suites differs from another, in an order that does not depend on theirs; the `package`
 * where no property differs. Never a host, which is another one in each run.
 */
function difference(suites: ReadonlySet<Suite>): (suite: Suite) => string {
  const all = [...suites]
  const properties = [...new Set(all.flatMap((suite) => [...suite.properties.keys()]))]
  const differing = properties.filter((name) => new Set(all.map((suite) => suite.properties.get(name))).size > 1)
  if (differing.length === 0)
    return new Set(all.map((suite) => suite.package)).size > 1 ? (suite) => suite.package : () => ''
  const names = differing.toSorted()
  return ({ properties: values }) => names.flatMap((name) => values.get(name) || []).join(', ')
}

/** `passedOnRetry`: an execution that failed, of a test that its runner counts as passed. */
function attributesOf({ file, passedOnRetry = false }: { file: string | null; passedOnRetry?: boolean }): string {
  if (file === null && !passedOnRetry) return ''
  return JSON.stringify({ ...(file !== null && { file }), ...(passedOnRetry && { passedOnRetry }) })
}

/** The attributes of a `testcase` that are needed, each cut: names are put together, and their tag is let go. */
function testCaseOf(attributes: Attributes): Omit<TestCase, 'outcomes'> {
  return {
    name: nameIn(attributes, 'name') ?? '',
    className: nameIn(attributes, 'classname'),
    phpClass: nameIn(attributes, 'class'),
    file: nameIn(attributes, 'file'),
    time: (attributes['time'] ?? '').slice(0, LONGEST_NUMBER),
    isNotRun: attributes['status'] === 'notrun',
  }
}

const LONGEST_NUMBER = 32

/** The name in an attribute; null where the element has no such attribute. */
function nameIn(attributes: Attributes, attribute: string): string | null {
  const value = attributes[attribute]?.trim()
  return value === undefined ? null : detached(cutName(value))
}

function statusOf(outcomes: readonly Outcome[], isNotRun: boolean): Status {
  const stated = GRAVEST.find((status) => outcomes.some((outcome) => outcome.status === status))
  if (stated !== undefined) return stated
  // GoogleTest's word for a disabled test
  return isNotRun ? 'SKIPPED' : 'OK'
}

/** The message and the text of each, without saying the same twice; the type where there is neither. */
function outputOf(outcomes: readonly Outcome[]): string {
  const parts = outcomes.flatMap(({ type, message, text }) => {
    const body = text.trim()
    if (message === '' && body === '') return [type]
    return body.startsWith(message) ? [body] : [message, body]
  })
  return detached(cut(parts.filter((part) => part !== '').join('\n'), LONGEST_OUTPUT))
}

/** JUnit counts in seconds, Surefire with a comma before the thousands. */
function milliseconds(time: string): number {
  const seconds = Number(time.replaceAll(',', ''))
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.round(seconds * 1000), Number.MAX_SAFE_INTEGER) : 0
}

/** The parts of a test's name in its `testcase` and the suites around it. null: the attribute is not there. */
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
  // gotestsum's name for a package that failed although none of its tests did.
  if (name === 'TestMain' && owner === '') return withSuite(name, file, suite)
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
