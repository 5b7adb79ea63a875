import type { Failure, InfrastructureProblem } from './failure.ts'

/**
 * Phrases that a runner, an agent or a build tool writes when the machine is to blame, in the order in which they are
 * looked for: where a runner is gone the time-out that follows is no news. Whole phrases, since a compiler quotes code,
 * and code has words like `timeout` in it. `Connection refused` and `Connection reset` are not among them: that is how
 * a client sees a server that crashed.
 */
const PHRASES: readonly (readonly [InfrastructureProblem, RegExp])[] = [
  [
    'runner-lost',
    /lost communication with the server|runner has received a shutdown signal|runner (?:was|is|has been|got) (?:lost|terminated|disconnected|stopped)|(?:lost|no) connection (?:to|with) the (?:runner|agent)|not acquired by runner|agent (?:was )?(?:lost|disconnected)|spot (?:instance )?(?:interruption|termination|was terminated)|instance (?:was |has been )?(?:terminated|reclaimed|preempted)|^runner (?:lost|died)/im,
  ],
  [
    'disk-full',
    /no space left on device|not enough (?:free )?(?:disk space|space on the disk)|disk (?:is )?full|disk quota exceeded|\bENOSPC\b/i,
  ],
  [
    'out-of-memory',
    /\boom[- ]?kill|killed by (?:the )?oom|cannot allocate memory|^(?:error: |fatal: |fatal error: )?out of memory\b|(?:runner|host|machine|container|instance) (?:ran|is|was|went) out of memory|fatal error: killed signal/im,
  ],
  [
    'network',
    /could not resolve host|temporary failure (?:in name resolution|resolving)|network is unreachable|no route to host|connection timed out|tls handshake timeout|dial tcp[^\n]{0,200}i\/o timeout|toomanyrequests|\b(?:bad gateway|gateway time-?out|service unavailable)\b|error pulling image|failed to pull image/i,
  ],
  [
    'time-out',
    /\b(?:job|check|step|workflow|task|action|build|runner|container) (?:has |was |is |have )?(?:timed out|timed-out|timeout|time-out|cancelled by timeout|killed by timeout)\b|(?:has |have )?exceeded the (?:maximum execution time|time limit|timeout)|^(?:error: )?(?:timeout|timed out|time-out)(?: (?:expired|reached|exceeded))?\s*[.!]?$|^(?:error: )?timeout: (?:the )?(?:job|check|step|workflow)\b|\bprocess did not (?:finish|exit) before \S{1,40} (?:timeout|grace period)|\btoo long with no output\b|\bno output has been received in the last\b/im,
  ],
  // A change that makes a job hang is killed as well, so that this excuses nothing.
  [
    'no-result',
    /\bjob (?:was |has been |got )?(?:killed|terminated|aborted)\b|\bno (?:test )?(?:results?|reports?) (?:files?\b|(?:was |were )?(?:provided|found|uploaded|produced|generated))|\bdid (?:not ){1,3}(?:provide|produce|upload) (?:a |any )?results?\b|\bpod (?:got|was) (?:deleted|evicted)\b|\bentrypoint received (?:interrupt|signal)|\bstopped hearing from agent\b/i,
  ],
]

/**
 * The problem of the machine, by the own text of a check in which no test failed; null where the text does not say.
 *
 * Is: `No space left on device`; `The self-hosted runner lost communication with the server`. Is not: `error: no member
 * named 'timeout' in 'Settings'`, a build that does not compile; `Memory limit (total) exceeded`, a query that was stopped.
 */
export function infrastructureProblem(text: string): InfrastructureProblem | null {
  return PHRASES.find(([, phrase]) => phrase.test(text))?.[0] ?? null
}

/**
 * The same for a check without a failing test; null of a test. One that ended in an error (not in a failure) and says nothing
 * left no result: praktika's word for a job that did not come to its end, and the bot's.
 */
export function problemOfJob({
  testName,
  status,
  signature,
}: Pick<Failure, 'testName' | 'status' | 'signature'>): InfrastructureProblem | null {
  if (testName !== '') return null
  const isMute = signature.kind === 'name' && status.toLowerCase() === 'error'
  return infrastructureProblem(signature.text) ?? (isMute ? 'no-result' : null)
}
