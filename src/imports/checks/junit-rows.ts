import type { CheckRow } from '../../ledger/check-row.ts'
import type { ReadContext } from '../format.ts'
import { cut, cutName, detached, LONGEST_OUTPUT } from '../table-row.ts'
import { rowOfJob } from './given-values.ts'
import { type JunitNames, junitTestName } from './junit-name.ts'

type Attributes = Readonly<Record<string, string>>
type Status = 'OK' | 'FAIL' | 'ERROR' | 'SKIPPED'

/** What an element in a `testcase` says. `retry`: of an execution of its own besides the one that counts. */
const OUTCOMES: Readonly<Record<string, { readonly status: Status; readonly retry: boolean }>> = {
  failure: { status: 'FAIL', retry: false },
  error: { status: 'ERROR', retry: false },
  skipped: { status: 'SKIPPED', retry: false },
  rerunFailure: { status: 'FAIL', retry: true },
  rerunError: { status: 'ERROR', retry: true },
  flakyFailure: { status: 'FAIL', retry: true },
  flakyError: { status: 'ERROR', retry: true },
}

/** Of several outcomes in one test case the first of these is its status: one that failed may also fail when it ends. */
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

/** Of an element: a suite's name, or null where it is none. */
interface Open {
  readonly element: string
  readonly suite: string
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

  constructor(context: ReadContext) {
    this.#context = context
  }

  /** What there is since the last call. */
  take(): readonly CheckRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  /** True when the text that follows is wanted. */
  open(element: string, attributes: Attributes): boolean {
    const suite = this.#stack.at(-1)?.suite ?? ''
    const isSuite = element === 'testsuite' || element === 'testsuites'
    this.#stack.push({ element, suite: element === 'testsuite' ? (nameIn(attributes, 'name') ?? suite) : suite })
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
      if (this.#testCase === null) this.#addSuite(this.#outcome, closed?.suite ?? '')
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
      this.#context.warn('malformed-line', null, 'a failure of a suite without a name: not read')
      return
    }
    this.#rows.push({
      ...rowOfJob(this.#context.given, this.#context.time()),
      testName: cutName(suite),
      testStatus: outcome.status,
      testContextRaw: outputOf([outcome]),
    })
  }

  #addTestCase({ outcomes, time, isNotRun, ...names }: TestCase, suite: string): void {
    const { name, className, file } = names
    if (name === '' && (className ?? '') === '') {
      this.#context.warn('malformed-line', null, 'a testcase without a name: not read')
      return
    }
    const row: CheckRow = {
      ...rowOfJob(this.#context.given, this.#context.time()),
      testName: cutName(name === '' ? className! : junitTestName({ ...names, suite })),
      testDurationMs: milliseconds(time),
      attributes: file === null ? '' : JSON.stringify({ file }),
    }
    for (const outcome of outcomes) {
      if (!outcome.retry) continue
      this.#rows.push({ ...row, testStatus: outcome.status, testDurationMs: 0, testContextRaw: outputOf([outcome]) })
    }
    const counting = outcomes.filter(({ retry }) => !retry)
    this.#rows.push({
      ...row,
      testStatus: statusOf(counting, isNotRun),
      testContextRaw: outputOf(counting),
    })
  }
}

/** What is needed of the attributes of a `testcase`, each cut: names are put together, and their tag is let go. */
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

/** Null where it is not there. */
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
