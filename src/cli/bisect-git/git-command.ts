import { execFile } from 'node:child_process'

/** The most that a question to a clone may cost. 1,000 commits with their files are about 2 MB. */
export interface GitLimits {
  readonly outputBytes: number
  readonly milliseconds: number
}

export const GIT_LIMITS: GitLimits = { outputBytes: 64 * 1024 * 1024, milliseconds: 60_000 }

/** Git can't answer. The message is one line for a person. */
export class GitProblem extends Error {
  override readonly name = 'GitProblem'
}

export interface GitAnswer {
  readonly code: number
  readonly output: string
}

/**
 * A clone is data from outside: its configuration may name programs. Whatever one question could start is switched off:
 * file system monitors, hooks, pagers, signature checks, external differences, and transports that a partial clone would
 * fetch missing objects with.
 */
const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.sshCommand=false',
  'core.alternateRefsCommand=',
  'credential.helper=',
  'diff.external=',
  'gpg.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  'log.showSignature=false',
  'log.mailmap=false',
  'log.showRoot=true',
  'i18n.logOutputEncoding=UTF-8',
  'protocol.allow=never',
]

/**
 * Runs git in the folder, without a shell; the arguments are as they are given. Any exit code is an answer. Throws
 * `GitProblem` where there is no git, or where the answer takes more time or space than it may.
 */
export async function git(
  folder: string,
  args: readonly string[],
  limits: GitLimits = GIT_LIMITS,
): Promise<GitAnswer & { readonly errors: string }> {
  const settings = SETTINGS.flatMap((setting) => ['-c', setting])
  const all = ['--no-pager', '--no-optional-locks', '--no-replace-objects', ...settings, '-C', folder, ...args]
  return await new Promise((resolve, reject) => {
    const options = {
      env: environment(),
      timeout: limits.milliseconds,
      killSignal: 'SIGKILL' as const,
      maxBuffer: limits.outputBytes,
      encoding: 'utf8' as const,
      shell: false,
    }
    const started = performance.now()
    execFile('git', all, options, (error, output, errors) => {
      // One that ends just as its time is up has a code, and an output whose end may be lost.
      const isLate = performance.now() - started >= limits.milliseconds
      if (error === null && isLate) {
        reject(new GitProblem(tooLong(folder, limits)))
      } else if (error === null) {
        resolve({ code: 0, output, errors })
      } else if (typeof error.code === 'number') {
        resolve({ code: error.code, output, errors })
      } else {
        reject(new GitProblem(reasonOf(error, folder, limits)))
      }
    })
  })
}

/** The user's own configuration stays: it says which folders of others are safe. */
function environment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'SYSTEMROOT', 'TMPDIR'] as const
  const env: NodeJS.ProcessEnv = {
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
  }
  for (const name of kept) if (process.env[name] !== undefined) env[name] = process.env[name]
  return env
}

function reasonOf(
  error: Error & { code?: string | number | null; killed?: boolean },
  folder: string,
  limits: GitLimits,
) {
  if (error.code === 'ENOENT') return 'git is not installed; it is needed to read the clone'
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return `${folder}: git printed more than ${Math.round(limits.outputBytes / 1e6)} MB`
  }
  if (error.killed === true) return tooLong(folder, limits)
  return `${folder}: git failed: ${error.message.split('\n', 1)[0] ?? ''}`
}

function tooLong(folder: string, limits: GitLimits): string {
  return `${folder}: git took more than ${limits.milliseconds / 1000} seconds`
}
