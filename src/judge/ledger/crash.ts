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
    String.raw`\bSIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL)\b|\b(?:received|killed by|got) signal\b|\bcore dumped\b|\bterminate called\b`,
    // The word of C and C++; Python's `AssertionError` is one word.
    // PostgreSQL's own begin with `TRAP:`.
    String.raw`\bassertion\b|^TRAP: `,
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

const LOST = new RegExp(
  [
    String.raw`\bconnection (?:was |has been )?(?:refused|reset|aborted|lost|closed)\b|\b(?:lost|closed the) connection\b`,
    String.raw`\bECONN(?:REFUSED|RESET|ABORTED)\b|\bEPIPE\b|\bERR_CONNECTION_(?:REFUSED|RESET|CLOSED|ABORTED)\b`,
    String.raw`\bconnection to \S{1,200} (?:was )?refused\b|\bactively refused\b|\bconnect call failed\b|\bterminating connection\b`,
    String.raw`\bempty reply from server\b|\bend of stream\b|\bdatabase system is (?:in recovery mode|shutting down|starting up)\b`,
    // The question below it.
    String.raw`\baccepting TCP\/IP connections\b|^TCP\/IP connections on port\b`,
    String.raw`\bbroken pipe\b|\bsocket hang up\b|\battempt to read after eof\b`,
    String.raw`\b${PROCESS} (?:has |is |was )?(?:gone|died|dead|crashed|not (?:running|responding))\b`,
  ].join('|'),
  'i',
)
/** ClickHouse's runner says so before the reason. */
const BEFORE_REASON = /^(?:reason: )?(?:return code: ?[N\d]+|having (?:stderror|exception)[^:]{0,40}:?)$/i
/** What compares two values, or two files, is about the test. */
const COMPARES = /\b(?:assert\w*|expect(?:ed|s|ation)?|differs?|mismatch|should|but was|got)\b|[=!]=|^[-+]/i

/**
 * Every line of the signature says that a server is gone or can't be reached, and none what the test was about.
 *
 * Does: `Connection refused`; `return code: 210` and `Connection reset by peer`; `server died`. Does not: `result differs with
 * reference`; `expected "OK" but was "Connection refused"`; `Timeout!`.
 */
export function saysServerIsLost({ signature: { kind, text } }: Pick<Failure, 'signature'>): boolean {
  if (kind !== 'output') return false
  const lines = text.split('\n').filter((line) => !BEFORE_REASON.test(line))
  return lines.length > 0 && lines.every((line) => LOST.test(line) && !COMPARES.test(line))
}
