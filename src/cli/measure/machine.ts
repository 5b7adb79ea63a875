import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { arch, cpus, loadavg, release, type as systemName, totalmem } from 'node:os'
import { promisify } from 'node:util'
import type { MeasureFile } from '../../intake/measurement/formats/measure-file.ts'
import type { Where } from './sides.ts'

/** Variables that change how programs run. Others may hold secrets. */
const VARIABLES =
  /^(?:CI|GITHUB_(?:RUN_ID|RUN_ATTEMPT|WORKFLOW|JOB|SHA|REF)|RUNNER_(?:NAME|OS|ARCH)|ImageOS|ImageVersion|GOMAXPROCS|GOGC|GOMEMLIMIT|GOFLAGS|GODEBUG|GOAMD64|CGO_ENABLED|RUSTFLAGS|CARGO_BUILD_TARGET|CARGO_PROFILE_\w+|C(?:XX)?FLAGS|LDFLAGS|NODE_OPTIONS|UV_THREADPOOL_SIZE|PYTHON(?:HASHSEED|OPTIMIZE)|JAVA_TOOL_OPTIONS|JAVA_OPTS|MALLOC_\w+|OMP_NUM_THREADS|LD_PRELOAD)$/
const LONGEST_VALUE = 1000

const VERSION_LIMIT_MS = 20_000

/** The machine and the toolchain, as far as they say it themselves. */
export async function machineHere(version: string | null, { folder, env }: Where): Promise<MeasureFile['environment']> {
  const processors = cpus()
  const variables = Object.entries(env).flatMap(([name, value]) =>
    VARIABLES.test(name) && value !== undefined ? [[name, value.slice(0, LONGEST_VALUE)] as const] : [],
  )
  return {
    cpu: processors[0]?.model.trim() ?? '',
    cpus: processors.length,
    governor: await governor(),
    memoryBytes: totalmem(),
    os: `${systemName()} ${release()}`,
    architecture: arch(),
    toolchain: version === null ? [] : await versionLines(version, folder, env),
    variables: Object.fromEntries(variables),
  }
}

/** The average of the last minute. */
export function load(): number {
  return loadavg()[0] ?? 0
}

async function governor(): Promise<string | null> {
  const text = await readFile('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor', 'utf8').catch(() => null)
  return text?.trim() ?? null
}

async function versionLines(command: string, folder: string, env: Where['env']): Promise<string[]> {
  const options = { cwd: folder, env: { ...env }, timeout: VERSION_LIMIT_MS }
  const printed = await promisify(execFile)('sh', ['-c', command], options).catch(() => null)
  const lines = printed?.stdout.split('\n').map((line) => line.trim()) ?? []
  return lines.filter((line) => line !== '').slice(0, 5)
}
