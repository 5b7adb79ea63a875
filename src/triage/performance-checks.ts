import { matchName } from '../config/name-pattern.ts'
import type { RepositoryConfig } from '../config/repository-config.ts'
import type { Artifact } from '../github/artifacts.ts'
import type { CommitCheck, WorkflowRun } from '../github/performance-checks.ts'

/** What GitHub says of one head, as far as it can matter here. */
export interface HeadChecks {
  readonly checkRuns: readonly CommitCheck[]
  readonly statuses: readonly CommitCheck[]
  readonly workflowRuns: readonly WorkflowRun[]
  /** By workflow run id. */
  readonly artifacts: ReadonlyMap<number, readonly Artifact[]>
}

/** A check that is expected to give one run. */
export interface PerformanceCheck {
  readonly check: string
  readonly architecture: string | null
  readonly shard: number | null
  readonly shards: number | null
  /** `missing`: its siblings' names say that it will come. */
  readonly state: 'finished' | 'pending' | 'missing'
  readonly conclusion: string | null
  readonly url: string | null
  /** ISO 8601; null unless finished. */
  readonly finishedAt: string | null
  /** Grows with every attempt: the second since 1970 at which it finished. 0 unless finished. */
  readonly attempt: number
  readonly workflowRun: WorkflowRun | null
  /** The artifacts that may hold its results, best first, each with the configured member pattern. */
  readonly artifacts: readonly { readonly artifact: Artifact; readonly path: string | null }[]
  readonly isAmbiguous: boolean
}

/**
 * The performance checks of a head. With `checks` in the configuration they are the check runs and statuses whose names
 * match; without, they are the artifacts whose names match, since an artifact is all that the defaults ask for.
 */
export function performanceChecks(config: RepositoryConfig, head: HeadChecks): PerformanceCheck[] {
  return config.checks.length > 0 ? checksByName(config, head) : checksByArtifact(config, head)
}

/** Does a workflow count? All do unless the configuration names some, by name or by file. */
export function isWatchedWorkflow(config: RepositoryConfig, run: Pick<WorkflowRun, 'name' | 'path'>): boolean {
  if (config.workflows.length === 0) return true
  const file = run.path.split('/').at(-1)
  return config.workflows.some((name) => name === run.name || name === run.path || name === file)
}

/** Does a check of this name count? */
export function isWatchedCheck(config: RepositoryConfig, name: string): boolean {
  return config.checks.some((pattern) => matchName(pattern, name) !== null)
}

type NameParts = Readonly<Record<string, string>>

function checksByName(config: RepositoryConfig, head: HeadChecks): PerformanceCheck[] {
  const runOfSuite = new Map(head.workflowRuns.map((run) => [run.checkSuiteId, run]))
  const found: { readonly check: PerformanceCheck; readonly pattern: string; readonly parts: NameParts }[] = []
  for (const candidate of newestByName([...head.checkRuns, ...head.statuses])) {
    const match = firstMatch(config.checks, candidate.name)
    if (match === null) continue
    const workflowRun = candidate.checkSuiteId === null ? null : (runOfSuite.get(candidate.checkSuiteId) ?? null)
    const artifacts = workflowRun === null ? [] : (head.artifacts.get(workflowRun.id) ?? [])
    found.push({
      ...match,
      check: {
        check: candidate.name,
        ...placeOf(match.parts),
        state: candidate.isFinished ? 'finished' : 'pending',
        conclusion: candidate.conclusion,
        url: candidate.url,
        finishedAt: candidate.finishedAt,
        attempt: attemptOf(candidate.finishedAt),
        workflowRun,
        ...artifactsFor(config, artifacts, match.parts),
      },
    })
  }
  return [...found.map(({ check }) => check), ...missingSiblings(found)]
}

function checksByArtifact(config: RepositoryConfig, head: HeadChecks): PerformanceCheck[] {
  const checks: PerformanceCheck[] = []
  const seen = new Set<string>()
  // Newest workflow run first: an artifact of the same name in an older one has been replaced.
  for (const run of head.workflowRuns) {
    if (!isWatchedWorkflow(config, run)) continue
    const ofRun = checksOfWorkflowRun(config, run, head.artifacts.get(run.id) ?? [])
    const isNamed = config.workflows.length > 0
    for (const check of ofRun) {
      if (seen.has(check.check)) continue
      seen.add(check.check)
      checks.push(check)
    }
    const isOutstanding = !run.isFinished && (isNamed || ofRun.length > 0)
    const isWithoutResults = run.isFinished && isNamed && ofRun.length === 0
    if ((isOutstanding || isWithoutResults) && !seen.has(run.name)) {
      seen.add(run.name)
      checks.push(workflowRunAsCheck(run))
    }
  }
  const placed = withoutLoneArchitecture(checks)
  return [...placed, ...missingSiblings(placed.map((check) => ({ check, pattern: null, parts: partsOf(check) })))]
}

/** Names of processors as builds and runners use them. */
const ARCHITECTURE_NAME = /^(?:amd|arm|x86|x64|i[36]86|aarch|ppc|riscv|s390|power|graviton|apple|m[1-9]\b)/i

/**
 * `performance-results` fits `performance-{architecture}` without naming one. Two such artifacts are told apart by that
 * part whatever it says; one alone has an architecture only when it is the name of one.
 */
function withoutLoneArchitecture(checks: readonly PerformanceCheck[]): readonly PerformanceCheck[] {
  const names = new Set(checks.map(({ architecture }) => architecture).filter((name) => name !== null))
  const [only] = names
  if (names.size !== 1 || ARCHITECTURE_NAME.test(only!)) return checks
  return checks.map((check) => ({ ...check, architecture: null }))
}

function checksOfWorkflowRun(
  config: RepositoryConfig,
  run: WorkflowRun,
  artifacts: readonly Artifact[],
): PerformanceCheck[] {
  const patterns = config.results.filter((source) => source.kind === 'artifact')
  const checks: PerformanceCheck[] = []
  for (const artifact of artifacts) {
    const source = patterns.find((pattern) => matchName(pattern.artifact, artifact.name) !== null)
    if (source === undefined) continue
    checks.push({
      check: artifact.name,
      ...placeOf(matchName(source.artifact, artifact.name) ?? {}),
      state: 'finished',
      conclusion: run.conclusion,
      url: run.url,
      finishedAt: artifact.createdAt,
      attempt: attemptOf(artifact.createdAt),
      workflowRun: run,
      artifacts: [{ artifact, path: source.path }],
      isAmbiguous: false,
    })
  }
  return checks
}

function workflowRunAsCheck(run: WorkflowRun): PerformanceCheck {
  return {
    check: run.name,
    architecture: null,
    shard: null,
    shards: null,
    state: run.isFinished ? 'finished' : 'pending',
    conclusion: run.conclusion,
    url: run.url,
    finishedAt: run.finishedAt,
    attempt: attemptOf(run.finishedAt),
    workflowRun: run,
    artifacts: [],
    isAmbiguous: false,
  }
}

/** One check can be there twice, as a re-run or in two workflows: the one that is running, else the last to finish. */
function newestByName(checks: readonly CommitCheck[]): CommitCheck[] {
  const newest = new Map<string, CommitCheck>()
  for (const check of checks) {
    const known = newest.get(check.name)
    if (known === undefined || (known.isFinished && isNewer(check, known))) newest.set(check.name, check)
  }
  return [...newest.values()]
}

function isNewer(check: CommitCheck, known: CommitCheck): boolean {
  return !check.isFinished || (check.finishedAt ?? '') > (known.finishedAt ?? '')
}

function firstMatch(
  patterns: readonly string[],
  name: string,
): { readonly pattern: string; readonly parts: NameParts } | null {
  for (const pattern of patterns) {
    const parts = matchName(pattern, name)
    if (parts !== null) return { pattern, parts }
  }
  return null
}

/** Artifacts whose names match a pattern and contradict nothing that the check's own name says. */
function artifactsFor(
  config: RepositoryConfig,
  artifacts: readonly Artifact[],
  checkParts: NameParts,
): Pick<PerformanceCheck, 'artifacts' | 'isAmbiguous'> {
  for (const source of config.results) {
    if (source.kind !== 'artifact') continue
    const fitting = artifacts.filter(({ name }) => {
      const parts = matchName(source.artifact, name)
      return parts !== null && Object.entries(parts).every(([key, value]) => (checkParts[key] ?? value) === value)
    })
    if (fitting.length > 1) return { artifacts: [], isAmbiguous: true }
    if (fitting.length === 1) return { artifacts: [{ artifact: fitting[0]!, path: source.path }], isAmbiguous: false }
  }
  return { artifacts: [], isAmbiguous: false }
}

function placeOf(parts: NameParts): Pick<PerformanceCheck, 'architecture' | 'shard' | 'shards'> {
  return {
    architecture: parts['architecture'] ?? null,
    shard: parts['shard'] === undefined ? null : Number(parts['shard']),
    shards: parts['shards'] === undefined ? null : Number(parts['shards']),
  }
}

function partsOf({ architecture, shard, shards }: PerformanceCheck): NameParts {
  return {
    ...(architecture === null ? {} : { architecture }),
    ...(shard === null ? {} : { shard: String(shard) }),
    ...(shards === null ? {} : { shards: String(shards) }),
  }
}

function attemptOf(finishedAt: string | null): number {
  return finishedAt === null ? 0 : Math.floor(Date.parse(finishedAt) / 1000)
}

/** `3/12` says that there are twelve: the ones that nobody has seen yet, per set of siblings. */
function missingSiblings(
  found: readonly { readonly check: PerformanceCheck; readonly pattern: string | null; readonly parts: NameParts }[],
): PerformanceCheck[] {
  const sharded = found.filter(({ check }) => check.shard !== null && check.shards !== null)
  const families = Map.groupBy(sharded, ({ pattern, parts }) =>
    JSON.stringify([pattern, Object.entries(parts).filter(([key]) => key !== 'shard')]),
  )
  const missing: PerformanceCheck[] = []
  for (const family of families.values()) {
    const { check: sibling } = family[0]!
    const seen = new Set(family.map(({ check }) => check.shard))
    for (let shard = 1; shard <= sibling.shards!; shard += 1) {
      if (seen.has(shard)) continue
      missing.push({
        ...sibling,
        check: renumbered(sibling.check, sibling.shard!, sibling.shards!, shard),
        shard,
        state: 'missing',
        conclusion: null,
        url: null,
        finishedAt: null,
        attempt: 0,
        workflowRun: null,
        artifacts: [],
        isAmbiguous: false,
      })
    }
  }
  return missing
}

/** `Performance (amd, 1/6)` with shard 4 is `Performance (amd, 4/6)`; where that form is not in the name it is added. */
function renumbered(name: string, from: number, shards: number, to: number): string {
  const position = name.lastIndexOf(`${from}/${shards}`)
  if (position < 0) return `${name} (shard ${to} of ${shards})`
  return `${name.slice(0, position)}${to}/${shards}${name.slice(position + `${from}/${shards}`.length)}`
}
