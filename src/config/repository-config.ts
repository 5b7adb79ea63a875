import { z } from 'zod'
import { FORMAT_NAMES } from '../intake/measurement/formats/format-names.ts'
import { PRIMARY_METRIC } from '../intake/measurement/run.ts'
import { LEDGER_THRESHOLDS, type LedgerThresholds } from '../judge/ledger/thresholds.ts'
import { type IgnoredByPerson, MOST_ACCEPTED, TestEntries, type TestEntry } from '../judge/verdict/test-entries.ts'
import { DEFAULT_THRESHOLDS, LEARNED_CAP, type ThresholdSettings } from '../judge/verdict/thresholds.ts'
import { unsafePlaceholder } from '../text/command-template.ts'
import { compileNamePattern, LONGEST_PATTERN, matchName, NamePatternError } from '../text/name-pattern.ts'
import {
  LINK_PLACEHOLDERS,
  placeholdersOf,
  REPRODUCE_PLACEHOLDERS,
  RESULTS_PLACEHOLDERS,
} from '../text/url-template.ts'

/** The settings of a repository: the schema of `.github/perf-triage.yml` and its defaults. Parsing and its messages: `parse-repository-config.ts`. */

export type ResultsSource = {
  /** Picks members inside it; archives in it are opened too. */
  readonly path: string | null
  /** A name of `FORMAT_NAMES`. */
  readonly format: string
} /** A GitHub artifact by name pattern. */ & (
  | { readonly kind: 'artifact'; readonly artifact: string }
  /** An address with `{pr} {sha} {workflow} {check}`; 403 and 404 both mean that nothing is there. */
  | { readonly kind: 'url'; readonly url: string }
)

/**
 * Where results are when the repository says nothing. An artifact belongs to the first pattern that its name fits, and
 * no name can be meant by two: the first two end in `-<number>-of-<number>`, and the second has no other part. The third
 * takes what follows `performance-` as the architecture, so that `performance-arm` and `performance-amd` stay apart; a
 * single `performance-results` has an architecture of that name. The fourth is one name.
 */
const DEFAULT_RESULTS: readonly z.input<typeof resultsSource>[] = [
  { artifact: 'performance-{architecture}-{shard}-of-{shards}' },
  { artifact: 'performance-{shard}-of-{shards}' },
  { artifact: 'performance-{architecture}' },
  { artifact: 'performance' },
]

/** Read where it is there: a database may have the one table, the other, or both. */
export const DEFAULT_RUNS_TABLE = 'query_metric_runs_v1'

/** Named by nobody, where the operator does not let it be read, it is simply not there. */
export const DEFAULT_STACKS_TABLE = 'perf_flamegraph_stacks_v1'

/** Names that ClickHouse's CI uses; they do no harm where nothing is called so. */
const DEFAULT_ROLLUP_CHECKS = ['Mergeable Check', 'PR', 'CH Inc sync', 'Finish Workflow']
const DEFAULT_FALLOUT_TESTS = ['Cannot start clickhouse-server*', 'Check failed', 'Server died']
const DEFAULT_ISSUE_LABELS = ['flaky test', 'flaky', 'testing']
const DEFAULT_JUNIT = ['*junit*', '*test-results*', '*test-report*']

/** The commands that a person can give in a comment. */
export const COMMAND_NAMES = [
  'accept',
  'unaccept',
  'ignore',
  'unignore',
  'chronic',
  'unchronic',
  'renew',
  'mute',
  'unmute',
  'rerun',
  'refresh',
  'explain',
  'bisect',
  'help',
] as const
export type CommandName = (typeof COMMAND_NAMES)[number]

/** The people who may do a thing, by their permission. `author`: who opened the pull request, and everybody with `triage`. */
export const ROLES = ['everybody', 'author', 'triage', 'write', 'maintain', 'admin'] as const
export type Role = (typeof ROLES)[number]

const MOST_ENTRIES = 100

/** A sentence or two, with a link. */
const LONGEST_REASON = 300

/** GitHub refuses longer names of labels. */
const LONGEST_LABEL = 50

function text(longest: number) {
  return z.string().trim().min(1).max(longest)
}

function list<T extends z.ZodType>(entry: T) {
  return z.array(entry).max(MOST_ENTRIES)
}

const namePattern = text(LONGEST_PATTERN).check((context) => {
  try {
    compileNamePattern(context.value)
  } catch (error) {
    if (!(error instanceof NamePatternError)) throw error
    context.issues.push({
      code: 'custom',
      input: context.value,
      message: `is not a pattern: ${error.message} (character ${error.position + 1})`,
    })
  }
})

/** A path inside an archive never leaves it. */
const memberPath = text(300).refine((path) => !path.startsWith('/') && !/(^|\/)\.\.(\/|$)|[\\\0]/.test(path), {
  message: 'must stay inside the artifact: no leading "/", no "..", no "\\"',
})

function addressTemplate(placeholders: readonly string[]) {
  return text(2000).check((context) => {
    const message = addressProblem(context.value, placeholders)
    if (message !== null) context.issues.push({ code: 'custom', input: context.value, message })
  })
}

function addressProblem(template: string, placeholders: readonly string[]): string | null {
  const unknown = placeholdersOf(template).find((name) => !placeholders.includes(name))
  if (unknown !== undefined) {
    return `has the unknown placeholder {${unknown}}; use ${placeholders.map((name) => `{${name}}`).join(' ')}`
  }
  const host = /^https?:\/\/([^/?#\\]+)/.exec(template)?.[1]
  if (host === undefined) return 'must be a complete address that begins with https://'
  if (/[{}]/.test(host)) return 'must name the host literally: no {…} before the first "/" of the path'
  if (host.includes('@')) return 'must not contain a user or password'
  // Braces are legal in no address, so that one which stays after the placeholders are gone is a mistake.
  const plain = template.replaceAll(/\{[^{}]*\}/g, 'x')
  if (/[{}]/.test(plain)) return 'has a "{" or "}" that is not part of a placeholder'
  return URL.canParse(plain) ? null : 'is not an address'
}

const commandTemplate = text(500).check((context) => {
  const unknown = placeholdersOf(context.value).find((name) => !REPRODUCE_PLACEHOLDERS.includes(name))
  const message =
    unknown !== undefined
      ? `has the unknown placeholder {${unknown}}; use ${REPRODUCE_PLACEHOLDERS.map((name) => `{${name}}`).join(' ')}`
      : /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(context.value)
        ? 'must be one line of visible characters'
        : null
  if (message !== null) context.issues.push({ code: 'custom', input: context.value, message })
})

const resultsSource = z
  .strictObject({
    artifact: namePattern
      .optional()
      .describe('Name of a GitHub artifact, as a pattern: {architecture}, {shard}, {shards}, *'),
    url: addressTemplate(RESULTS_PLACEHOLDERS)
      .optional()
      .describe('Address on a host that the server allows, with {pr} {sha} {workflow} {check}'),
    path: memberPath
      .optional()
      .describe('Which files inside it count: * and ? match within a part of the path, ** across parts'),
    format: z
      .enum(FORMAT_NAMES)
      .optional()
      .describe('The format of its contents, as --format names it. Default: auto, which tries all'),
  })
  .refine(({ artifact, url }) => (artifact === undefined) !== (url === undefined), {
    message: 'must have exactly one of "artifact" and "url"',
  })
  .transform(
    ({ artifact, url, path = null, format = 'auto' }): ResultsSource =>
      artifact === undefined ? { kind: 'url', url: url!, path, format } : { kind: 'artifact', artifact, path, format },
  )

const tableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}(?:\.[A-Za-z_][A-Za-z0-9_]{0,63})?$/, 'must be a table or database.table')

const fraction = z.number().min(0).lt(1).describe('A fraction of the old median: 0.05 is 5%')

const testEntry = z
  .strictObject({
    test: namePattern.describe('Name of a test, as a pattern: * for any characters'),
    query: z
      .union([z.int().min(0).max(1_000_000), namePattern], {
        error: 'must be a position in the test, from 0, or a pattern for the text of the query',
      })
      .optional()
      .describe('Position of a query in the test, from 0, or a pattern for its text. Default: all queries of the test'),
    threshold: fraction
      .optional()
      .describe('Smallest change that counts for it, as a fraction, instead of thresholds.changed'),
    ignore: text(LONGEST_REASON)
      .optional()
      .describe('Why it is ignored: its changes are shown but don’t count. Needs "until"'),
    accepted: z
      .number()
      .gt(0)
      .max(100)
      .optional()
      .describe('How much slower it may be, as a fraction of the old median: 0.5 is +50%. Needs "until"'),
    reason: text(LONGEST_REASON).optional().describe('Why that is accepted'),
    until: z.iso
      .date({ error: 'must be a day like 2027-03-01' })
      .optional()
      .describe('The last day on which it is ignored or accepted, in UTC'),
  })
  .refine(
    ({ threshold, ignore, accepted }) => [threshold, ignore, accepted].filter((one) => one !== undefined).length === 1,
    {
      message: 'must have exactly one of "threshold", "ignore" and "accepted"',
    },
  )
  .refine(({ threshold, until }) => (threshold === undefined) !== (until === undefined), {
    message: 'must have "until" with "ignore" or "accepted", and only then: ignoring and accepting need an end date',
  })
  .refine(({ accepted, reason }) => accepted !== undefined || reason === undefined, {
    message: 'has "reason" without "accepted": for an ignored entry, write the reason after "ignore"',
  })
  .transform(({ test, query = null, threshold, ignore, accepted, reason = '', until }): TestEntry => {
    if (threshold !== undefined) return { kind: 'threshold', test, query, threshold }
    if (accepted !== undefined) return { kind: 'accepted', test, query, difference: accepted, reason, until: until! }
    return { kind: 'ignore', test, query, reason: ignore!, until: until! }
  })

const keys = z.strictObject({
  checks: list(namePattern)
    .default([])
    .describe('Names of the performance checks, as patterns with named parts. If empty, the artifacts determine them'),
  workflows: list(text(300))
    .default([])
    .describe('Workflows whose runs may have results, by name or file name. If empty, all of them'),
  results: list(resultsSource)
    .min(1)
    .prefault([...DEFAULT_RESULTS])
    .describe('Where results are, tried in order'),
  reference: z
    .strictObject({
      file: memberPath.default('left-commit.txt').describe('File in the results that names the old commit'),
    })
    .prefault({}),
  metric: text(100).default(PRIMARY_METRIC).describe('The metric that decides'),
  thresholds: z
    .strictObject({
      changed: fraction
        .nullable()
        .default(null)
        .describe('Smallest change that counts, as a fraction. null: the built-in limit'),
      unstable: fraction
        .nullable()
        .default(null)
        .describe('Noise at which a query counts as unstable. null: the built-in limit'),
      learnedCap: fraction.default(LEARNED_CAP).describe('No threshold learned from history is larger than this'),
    })
    .prefault({}),
  better: z
    .strictObject({
      higher: list(namePattern).default([]).describe('Metrics where more is better'),
      lower: list(namePattern).default([]).describe('Metrics where less is better'),
    })
    .prefault({})
    .describe(
      'Whether more or less is better, for metrics with no known direction: patterns for a metric, its unit or a benchmark',
    ),
  tests: list(testEntry)
    .prefault([])
    .describe(
      'A threshold, an accepted size or a reason to ignore, for a single test or query. The first match applies',
    ),
  lookbackDays: z.int().min(1).max(365).default(30).describe('Days of measurements that the rules look at'),
  unbuiltPaths: z
    .array(z.string().min(1).max(200))
    .max(100)
    .default([])
    .describe(
      "Paths that can't reach the binary, with * and **, besides documentation and tests. A leading ! excludes a path",
    ),
  measuredBy: z
    .array(z.string().min(1).max(200))
    .max(100)
    .default([])
    .describe(
      'Paths that decide how it is measured, with * and **, besides workflows and the actions they use by path. A pull request that changes one is marked, and with "mode: gating" needs a maintainer',
    ),
  history: z
    .strictObject({
      table: tableName
        .nullable()
        .default('query_metrics_v2')
        .describe("The table of the main branch's measurements in the CI database. null: there is none"),
      runsTable: tableName
        .nullable()
        .default(DEFAULT_RUNS_TABLE)
        .describe('The table of raw runs there, for queries missing from the other table. null: there is none'),
      metrics: list(text(100))
        .max(20)
        .default([])
        .describe('Metrics whose history is copied from them, besides the deciding metric'),
      days: z.int().min(1).max(3650).default(365).describe('How many days back the history is copied'),
    })
    .prefault({}),
  profiles: z
    .strictObject({
      table: tableName
        .nullable()
        .default(DEFAULT_STACKS_TABLE)
        .describe('The table of profiler stacks in the CI database. null: there is none'),
    })
    .prefault({}),
  labels: z
    .strictObject({
      enabled: z.boolean().default(true),
      slower: text(LONGEST_LABEL).default('perf: slower'),
      faster: text(LONGEST_LABEL).default('perf: faster'),
      accepted: text(LONGEST_LABEL)
        .default('perf: accepted')
        .describe('Set by a person: accepts everything open, as the command does'),
      ignore: text(LONGEST_LABEL)
        .default('perf: ignore')
        .describe('Set by a person: ignores everything open and the failing tests, as the command does'),
      rerun: text(LONGEST_LABEL)
        .default('perf: rerun')
        .describe('Set by a person: starts the performance jobs again, as the command does, and is then removed'),
    })
    .refine(
      ({ slower, faster, accepted, ignore, rerun }) =>
        new Set([slower, faster, accepted, ignore, rerun].map((name) => name.toLowerCase())).size === 5,
      {
        message: 'must give different labels for slower, faster, accepted, ignore and rerun',
      },
    )
    .prefault({}),
  acknowledge: z
    .enum(['triage', 'write', 'maintain', 'admin'])
    .default('write')
    .describe('The lowest permission on the repository that may accept changes'),
  commands: z
    .strictObject({
      prefix: z
        .string()
        .regex(/^[/!][A-Za-z][A-Za-z0-9_-]{0,29}$/, 'must be a word that begins with "/" or "!"')
        .default('/perf')
        .describe('Starts a command in a comment. The bot’s name does too'),
      who: z
        .partialRecord(z.enum(COMMAND_NAMES), z.enum(ROLES))
        .default({})
        .describe('Who may use a command, if different from docs/commands.md'),
    })
    .prefault({}),
  confirm: z
    .enum(['never', 'auto'])
    .default('never')
    .describe('auto: the bot restarts the job that measured a row that needs a rerun'),
  confirmForks: list(z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'must be OWNER/NAME'))
    .max(100)
    .default([])
    .describe('Forks whose jobs "confirm: auto" also restarts'),
  undecided: z
    .enum(['block', 'pass'])
    .default('pass')
    .describe(
      'With "mode: gating". block: a slower row that needs a rerun is measured again as with "confirm: auto", and the check fails until a run is decisive. pass: it leaves the check neutral',
    ),
  comment: z
    .enum(['on-change', 'always', 'never'])
    .default('on-change')
    .describe('on-change: only when there is something to say'),
  pictures: z
    .boolean()
    .default(false)
    .describe(
      'true: the comment has pictures of the main branch’s history and of all changes; GitHub keeps copies of them. Public repositories only',
    ),
  enabled: z.boolean().default(true).describe('false: the bot does nothing in this repository'),
  mode: z
    .enum(['shadow', 'advisory', 'gating'])
    .default('advisory')
    .describe(
      'shadow: everything is judged and shown on pages, but nothing is written to GitHub. gating: the check run fails while a regression is open or something is unknown',
    ),
  ledger: z
    .strictObject({
      rollupChecks: list(namePattern)
        .default([...DEFAULT_ROLLUP_CHECKS])
        .describe('Checks that only sum up others: names, with * for any characters'),
      falloutTests: list(namePattern)
        .default([...DEFAULT_FALLOUT_TESTS])
        .describe('Tests that fail because another test of the same job failed: names, with * for any characters'),
      issueLabels: list(text(LONGEST_LABEL))
        .max(10)
        .default([...DEFAULT_ISSUE_LABELS])
        .describe('Labels of issues that track a failing test'),
      junit: list(namePattern)
        .default([...DEFAULT_JUNIT])
        .describe('Names of artifacts with JUnit XML, used if there is no CI database'),
      table: tableName.default('checks').describe('The table of CI results in the CI database'),
      playUrl: text(500)
        .refine((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''), { message: 'must begin with https://' })
        .nullable()
        .default(null)
        .describe('The play page of a CI database that the public may query'),
      lookbackDays: z
        .int()
        .min(1)
        .max(365)
        .default(LEDGER_THRESHOLDS.lookbackDays)
        .describe('Days of CI results by which a failing test is judged'),
      chronic: z
        .strictObject({
          pullRequests: z
            .int()
            .min(1)
            .max(1000)
            .default(LEDGER_THRESHOLDS.chronicPullRequests)
            .describe('Unrelated pull requests that make a failure chronic'),
          trunkDays: z
            .int()
            .min(1)
            .max(365)
            .default(LEDGER_THRESHOLDS.chronicTrunkDays)
            .describe('Different days with a hit on the main branch that make it chronic'),
        })
        .prefault({}),
      closeAfterDays: z
        .int()
        .min(1)
        .max(365)
        .default(LEDGER_THRESHOLDS.closeAfterDays)
        .describe('An entry closes after this many days without a hit'),
      expireAfterDays: z
        .int()
        .min(1)
        .max(3650)
        .default(LEDGER_THRESHOLDS.expireAfterDays)
        .describe('An entry whose failure persists after this many days is shown as expired'),
      owners: list(z.strictObject({ tests: namePattern, owner: text(100) }))
        .default([])
        .describe('Who owns which tests; the first matching pattern applies'),
    })
    .prefault({}),
  links: list(
    z.strictObject({
      title: text(100),
      url: addressTemplate(LINK_PLACEHOLDERS).describe('With {pr} {sha} {test} {query} {architecture}'),
    }),
  )
    .default([])
    .describe('Existing dashboards to link'),
  reproduce: commandTemplate
    .nullable()
    .default(null)
    .describe(
      'The command that measures one query, with {test} {query} {architecture}. null: the comment has no command',
    ),
  retention: z
    .strictObject({
      sampleDays: z.int().min(1).max(3650).default(90).describe('Days for which single samples are kept'),
    })
    .prefault({}),
})

/** A file that was good when it was kept: a rule between keys that a later version has does not take its settings away. */
export const keptConfigSchema = keys

const gatingWithoutChecks = z.object({ mode: z.literal('gating'), checks: z.array(z.unknown()).max(0) })

/** The file as it is written. The keys are those of `RepositoryConfig`. */
export const repositoryConfigSchema = keys
  .refine((written) => !gatingWithoutChecks.safeParse(written).success, {
    path: ['mode'],
    message:
      'is gating, which needs "checks": without their names, results that were never uploaded would not be missed',
    when: () => true,
  })
  .superRefine(({ workflows, tests, measuredBy, reproduce }, context) => {
    const refuse = (path: (string | number)[], message: string | null) => {
      if (message !== null) context.addIssue({ code: 'custom', path, message })
    }
    for (const [index, workflow] of workflows.entries()) refuse(['workflows', index], workflowProblem(workflow))
    for (const [index, path] of measuredBy.entries()) refuse(['measuredBy', index], measuringPathProblem(path))
    for (const [index, entry] of tests.entries()) {
      const isLarge = entry.kind === 'accepted' && entry.difference > MOST_ACCEPTED
      refuse(['tests', index, 'accepted'], isLarge ? `must be at most ${MOST_ACCEPTED}` : null)
    }
    const unsafe = reproduce === null ? null : unsafePlaceholder(reproduce)
    refuse(
      ['reproduce'],
      unsafe === null ? null : `could run the name of a test as a command: ${unsafe.problem}; ${unsafe.advice}`,
    )
  })

/** It is compared as it is. Refused: `.github/workflows/perf.yml`, `perf-*.yml`. Not: `perf.yml`, `Performance`. */
function workflowProblem(workflow: string): string | null {
  if (!/[/*]/.test(workflow)) return null
  const file = /\/([^/*]+\.ya?ml)$/.exec(workflow)?.[1] ?? 'perf.yml'
  return `must be the name or file name of a workflow: write ${file}, not its path; patterns are not allowed here`
}

/** Refused, where it fits no path or is not written as it is read: `/ci/**`, `./ci/**`, `../ci/**`, `ci\bench`, `ci/`. Not: `ci/**`, `bench.sh`. */
function measuringPathProblem(path: string): string | null {
  if (!/^\.{0,2}\/|\\|\/$/.test(path)) return null
  const meant = path
    .replaceAll('\\', '/')
    .replace(/^(?:\.{0,2}\/)+/, '')
    .replace(/(?:^|\/+)$/, '/**')
    .replace(/^\//, '')
  return `must be a path from the root of the repository, with ** for everything below a folder: write ${JSON.stringify(meant)}`
}

/** A value that nobody changes, all that is in it included. */
type Immutable<T> = T extends readonly (infer Entry)[]
  ? readonly Immutable<Entry>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T

/**
 * `.github/perf-triage.yml` after validation: what the rules and the triage read. Every key has a default that works
 * for a repository that uploads artifacts named `performance` or `performance-*`.
 */
export type RepositoryConfig = Immutable<z.output<typeof keys>>

export type DashboardLink = RepositoryConfig['links'][number]

/** The configuration of a repository without `.github/perf-triage.yml`, or with an empty one. */
export const DEFAULT_CONFIG: RepositoryConfig = repositoryConfigSchema.parse({})

/** The thresholds and directions that a repository configures, before anything is learned. */
export function thresholdSettings({ thresholds, better }: RepositoryConfig, entries: TestEntries): ThresholdSettings {
  const { changed, unstable, learnedCap } = thresholds
  const ofEntry: ThresholdSettings['ofEntry'] = (query) => entries.thresholdOf(query)
  return {
    ...DEFAULT_THRESHOLDS,
    configured: { changed, unstable },
    ofEntry,
    betterOf: directionsTold(better),
    learnedCap,
  }
}

/** The direction that the file gives a metric, by its name, its unit or the benchmark; null: none. */
function directionsTold(better: RepositoryConfig['better']): ThresholdSettings['betterOf'] {
  const told = (['higher', 'lower'] as const).flatMap((way) =>
    better[way].map((pattern) => ({ way, pattern: compileNamePattern(pattern) })),
  )
  if (told.length === 0) return null
  return ({ metric, unit, queryName, test }) => {
    const names = [metric, unit, queryName ?? test].filter((name) => name !== null)
    return told.find(({ pattern }) => names.some((name) => matchName(pattern, name) !== null))?.way ?? null
  }
}

/** The entries of `tests` as they are at a time, in milliseconds: days are those of UTC. `byPeople`: as in `TestEntries`. */
export function testEntries(
  { tests }: Pick<RepositoryConfig, 'tests'>,
  now: number,
  byPeople?: ReadonlyMap<string, IgnoredByPerson>,
): TestEntries {
  return new TestEntries(tests, new Date(now).toISOString().slice(0, 10), byPeople)
}

/** The thresholds of the ledger as a repository sets them. */
export function ledgerThresholds({ ledger }: Pick<RepositoryConfig, 'ledger'>): LedgerThresholds {
  return {
    ...LEDGER_THRESHOLDS,
    lookbackDays: ledger.lookbackDays,
    chronicPullRequests: ledger.chronic.pullRequests,
    chronicTrunkDays: ledger.chronic.trunkDays,
    closeAfterDays: ledger.closeAfterDays,
    expireAfterDays: ledger.expireAfterDays,
  }
}
