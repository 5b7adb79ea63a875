import { readFile } from 'node:fs/promises'
import pino from 'pino'
import { type NotReplayed, type ReplayContext, replayReport } from '../../bot/triage/replay.ts'
import { readCiDatabaseEnvironment, readInboxEnvironment } from '../../config/environment.ts'
import { parseRepositoryConfig } from '../../config/parse-repository-config.ts'
import { DEFAULT_CONFIG, type RepositoryConfig } from '../../config/repository-config.ts'
import { Configs, lastGoodConfig } from '../../inbox/configs.ts'
import { Decisions } from '../../inbox/decisions.ts'
import { queryLabel } from '../../intake/measurement/run.ts'
import { renderComment } from '../../report/render/comment.ts'
import { NO_LINKS } from '../../report/render/view.ts'
import type { TriageReport } from '../../report/report.ts'
import { type DecisionChange, type ReportChanges, type RowState, reportChanges } from '../../report/report-changes.ts'
import type { Store } from '../../store/store.ts'
import { storeOn } from '../../store/store.ts'
import { openHistorySources } from '../../store/sync/history-sources.ts'
import { count, counted, percent, signedPercent } from '../../text/numbers.ts'
import { DAY } from '../../text/time.ts'
import { type CommandIO, EXIT_CONDITION, EXIT_OK, InputError, printJson } from './command.ts'
import { openExistingDatabase } from './database.ts'
import { wantedRepositories } from './listing.ts'
import type { RepositoryGiven } from './option-values.ts'
import { Progress } from './progress.ts'
import { openInboxToRead } from './stored-inbox.ts'
import { formatTable, painter, type TerminalColumn } from './table.ts'
import { plainText, terminalWidth, withSpaces } from './terminal-text.ts'

/** `perf-triage replay`: stored reports judged again by other rules. It changes no stored report. */

interface ReplayOptions {
  readonly repository?: RepositoryGiven
  readonly pr?: number
  readonly days: number
  readonly config?: string
  readonly changedThreshold?: number
  readonly unstableThreshold?: number
  readonly failOn?: readonly string[]
  readonly json?: boolean
}

/** A stored report, and what it would be. */
interface Replayed extends ReportChanges {
  readonly repository: string
  readonly pullRequest: number
  readonly head: string
  readonly judgedAt: string
  /** The text of the comment, links aside, is another one. */
  readonly wordsDiffer: boolean
}

interface LeftOut extends Pick<Replayed, 'repository' | 'pullRequest' | 'head'> {
  readonly reason: NotReplayed
}

export async function run(options: ReplayOptions, io: CommandIO): Promise<number> {
  const given = options.config === undefined ? null : await readConfig(options.config)
  const ci = readCiDatabaseEnvironment(io.env)
  await using inbox = await openInboxToRead(readInboxEnvironment(io.env))
  const decisions = inbox === null ? null : new Decisions(inbox)
  const configs = inbox === null ? null : new Configs(inbox)
  const historySources = ci === null ? null : openHistorySources(ci)
  const store = storeOn(await openExistingDatabase(io))
  const context: ReplayContext = {
    store,
    historySources,
    decisionsOn: async (id, numbers) => (await decisions?.on(id, numbers)) ?? (() => []),
    log: pino({ level: 'silent' }),
  }
  const configOf = async (id: number) =>
    withThresholds(given ?? (configs === null ? DEFAULT_CONFIG : await lastGoodConfig(configs, id)), options)
  const progress = new Progress(io.stderr)
  const replayed: Replayed[] = []
  const leftOut: LeftOut[] = []
  try {
    for await (const stored of storedReports(store, options)) {
      const { repository, head } = stored
      const of = { repository: `${repository.owner}/${repository.name}`, pullRequest: stored.pullRequest.number, head }
      progress.update(() => `judging ${of.repository}#${of.pullRequest}, ${replayed.length} done`)
      const after = await replayReport(context, await configOf(repository.id), stored)
      if (typeof after === 'string') leftOut.push({ ...of, reason: after })
      else {
        const { judgedAt } = stored
        const wordsDiffer = wordsOf(stored) !== wordsOf(after)
        replayed.push({ ...of, judgedAt, wordsDiffer, ...reportChanges(stored, after) })
      }
    }
  } finally {
    progress.done()
    await historySources?.close()
    await store.close()
  }
  if (options.pr !== undefined && replayed.length + leftOut.length === 0) {
    throw new InputError(
      `no report of pull request ${options.pr} of the last ${counted(options.days, 'day', 'days')} is stored`,
    )
  }
  const differing = replayed.filter((one) => one.wordsDiffer || one.rows.length > 0 || one.decisions.length > 0)
  if (options.json) printJson({ judged: replayed.length, reports: differing, leftOut }, io)
  else io.stdout.write(`${linesOf(replayed.length, differing, leftOut, io).join('\n')}\n`)
  return options.failOn?.includes('changed') && differing.length > 0 ? EXIT_CONDITION : EXIT_OK
}

async function readConfig(file: string): Promise<RepositoryConfig> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new InputError(`${file} can't be read: ${error.message}`)
  })
  const { config, problems } = parseRepositoryConfig(text)
  if (config === null) throw new InputError(`${file}:${problems[0]!.line}: ${problems[0]!.message}`)
  return config
}

function withThresholds(
  config: RepositoryConfig,
  { changedThreshold, unstableThreshold }: ReplayOptions,
): RepositoryConfig {
  const { changed, unstable } = config.thresholds
  const thresholds = {
    ...config.thresholds,
    changed: changedThreshold ?? changed,
    unstable: unstableThreshold ?? unstable,
  }
  return { ...config, thresholds }
}

/** Reports that are asked for at a time. */
const PAGE = 500
const MOST_REPOSITORIES = 1000

/** The newest report of each pull request, the latest first: the one that its comment shows. */
async function* storedReports(
  store: Store,
  { repository, pr, days, config }: ReplayOptions,
): AsyncGenerator<TriageReport> {
  const wanted = await wantedRepositories(store.reports, repository, MOST_REPOSITORIES)
  if (config !== undefined && wanted.length > 1) {
    throw new InputError('several repositories have reports: say whose file it is with --repository')
  }
  const since = Date.now() - days * DAY
  for (const { id } of wanted) {
    for (const number of await pullRequestsSince(store, id, since)) {
      const report = pr === undefined || pr === number ? await store.reports.of(id, number) : null
      if (report !== null) yield report
    }
  }
}

/** The pull requests of a repository with a report since a time, those judged latest first. */
async function pullRequestsSince(store: Store, repositoryId: number, since: number): Promise<ReadonlySet<number>> {
  const found = new Set<number>()
  let after = { judgedAt: Number.MAX_SAFE_INTEGER, pullRequestNumber: 0, head: '' }
  for (;;) {
    const page = await store.reports.recent(repositoryId, after, PAGE)
    const recent = page.filter(({ judgedAt }) => judgedAt >= since)
    for (const { pullRequestNumber } of recent) found.add(pullRequestNumber)
    if (recent.length < PAGE) return found
    after = recent.at(-1)!
  }
}

function wordsOf(report: TriageReport): string {
  return renderComment({ report, links: NO_LINKS, botId: 'perf-triage', previous: null })
}

interface Line {
  readonly pullRequest: string
  readonly what: string
  readonly before: string
  readonly after: string
  readonly state: RowState | null
  readonly query: string
}

const COLUMNS: readonly TerminalColumn<Line>[] = [
  { heading: 'pull request', text: ({ pullRequest }) => pullRequest },
  { heading: 'what', text: ({ what }) => what },
  { heading: 'was', text: ({ before }) => before },
  { heading: 'would be', text: ({ after }) => after },
  { heading: 'D', isNumber: true, value: ({ state }) => state?.difference ?? null, shown: signedPercent },
  { heading: 'T', isNumber: true, value: ({ state }) => state?.threshold ?? null, shown: percent },
  { heading: 'query', text: ({ query }) => query },
]

function linesOf(judged: number, differing: readonly Replayed[], leftOut: readonly LeftOut[], io: CommandIO): string[] {
  const lines = differing.flatMap(tableLines)
  const table =
    lines.length === 0 ? [] : formatTable(COLUMNS, lines, terminalWidth(io.stdout), painter(io.stdout, io.env))
  const gone = leftOut.filter(({ reason }) => reason === 'samples-gone').length
  return [
    ...table,
    `${counted(judged, 'report', 'reports')} judged again, ${count(differing.length)} would differ`,
    ...(gone === 0 ? [] : [`${counted(gone, 'report', 'reports')} left out, since their samples are no longer kept`]),
  ].map(withSpaces)
}

function tableLines({ repository, pullRequest: number, rows, decisions, wordsDiffer }: Replayed): Line[] {
  const pullRequest = plainText(`${repository}#${number}`)
  const decided = decisions.map(
    ({ part, before, after }): Line => ({
      pullRequest,
      what: part,
      before: decisionWords(part, before),
      after: decisionWords(part, after),
      state: null,
      query: '',
    }),
  )
  const ofRows = rows.map(
    (row): Line => ({
      pullRequest,
      what: 'row',
      before: stateWords(row.before),
      after: stateWords(row.after),
      state: row.after ?? row.before,
      query: plainText(`${queryLabel(row)}${row.architecture === null ? '' : ` (${row.architecture})`}`),
    }),
  )
  const lines = [...decided, ...ofRows]
  if (lines.length > 0 || !wordsDiffer) return lines
  return [{ pullRequest, what: 'words', before: '', after: '', state: null, query: '' }]
}

/** Shards are outstanding, and the check has not concluded; labels are left as they are. */
function decisionWords(part: DecisionChange['part'], value: DecisionChange['before']): string {
  if (value === null) return part === 'labels' ? 'left alone' : 'pending'
  return plainText(typeof value === 'string' ? value : value.join(', ') || 'none')
}

/** A row's verdict, its outcome where it has none. */
function stateWords(state: RowState | null): string {
  if (state === null) return 'not there'
  return `${state.verdict ?? state.outcome ?? 'not compared'}${state.guarded ? ', guarded' : ''}`
}
