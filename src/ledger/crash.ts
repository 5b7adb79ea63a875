import type { Failure } from './failure.ts'

/**
 * Words about a process that ends or hangs by itself, and not about a query that is refused: `Code: 241 … memory limit
 * exceeded`, `AssertionError`, `(ABORTED)` and `DEADLOCK_AVOIDED` are answers of a server that lives. Whole words, in
 * names and in signatures, where numbers are `N`.
 */
const CRASH = new RegExp(
  [
    String.raw`\b(?:address|thread|memory|leak|undefined ?behaviou?r|hw ?address)? ?sanitizer\b`,
    String.raw`\blogical[ _]error\b`,
    // Not git's `fatal: unable to access`.
    String.raw`\bfatal\b(?!:)`,
    String.raw`\bsegmentation fault\b|\bsegfault\b|\bbus error\b|\bstack overflow\b`,
    String.raw`\bSIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL)\b|\b(?:received|killed by) signal\b|\bcore dumped\b|\bterminate called\b`,
    // The word of C and C++; Python's `AssertionError` is one word.
    String.raw`\bassertion\b`,
    String.raw`\babort\(|\baborted \(core\b|^aborted$`,
    String.raw`\bpanic(?:ked)?\b`,
    String.raw`\bhung check\b|\bdeadlock\b(?! avoided)`,
    String.raw`\bout of memory\b|\boom[- ]?kill`,
  ].join('|'),
  'im',
)

/** Longest part of a name that is looked at. */
const NAME_READ = 1000

/**
 * The failure is a crash: it has a stack trace, or its name or signature says that a process ended or hung.
 *
 * Is: `Logical error: … (STID: 2508-3e7b)`, `Hung check failed, possible deadlock found`, `AddressSanitizer (in stderr.log)`.
 * Is not: `01234_flaky`, `AssertionError: assert N == N`, `Timeout exceeded`.
 */
export function isCrash({ testName, signature }: Pick<Failure, 'testName' | 'signature'>): boolean {
  return signature.kind === 'stack-trace-id' || CRASH.test(testName.slice(0, NAME_READ)) || CRASH.test(signature.text)
}

const PROCESS = '(?:server|process|daemon|service|instance|node|database|cluster|clickhouse)'
const GONE = new RegExp(
  [
    String.raw`\b(?:cannot|can['’]t|could ?n['’]t|could not|failed to|unable to) (?:re)?start\b`,
    String.raw`\b${PROCESS}\b.{0,80}\b(?:died|dead|crashed|gone|exited|terminated|killed|(?:did|does|could|can)(?:n['’]t| ?not) (?:re)?start|not (?:running|responding|started))\b`,
    String.raw`\bkilled by signal\b`,
  ].join('|'),
  'i',
)

/**
 * The name of a secondary failure says that a process is gone or does not start. Only a crash explains that.
 *
 * Does: `Server died`, `Cannot start clickhouse-server`. Does not: `Check failed`, which follows from any failing test.
 */
export function saysProcessIsGone(testName: string): boolean {
  return GONE.test(testName.slice(0, NAME_READ))
}
