import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalGitHub, startLocalGitHub } from '../../../demo/github/local-github.ts'
import { zipOf } from '../../../demo/github/zip.ts'
import type { Admitted } from '../../../src/bot/action/border.ts'
import { judgeRun, linksOfJob } from '../../../src/bot/action/judge.ts'
import { fileOf, reportsOf } from '../../../src/bot/action/kept-reports.ts'
import { type HeadResults, readHead } from '../../../src/bot/action/results.ts'
import { CommitRanges } from '../../../src/bot/triage/commit-ranges.ts'
import { gatherChecks, gatherCommits } from '../../../src/bot/triage/gather.ts'
import { ingestAll } from '../../../src/bot/triage/ingest.ts'
import { checkRunOf, headInput, judgeHead } from '../../../src/bot/triage/judge-head.ts'
import { linksOf } from '../../../src/bot/triage/links.ts'
import type { PublishContext } from '../../../src/bot/triage/publish.ts'
import { sourcesOfHead } from '../../../src/bot/triage/sources-of-head.ts'
import type { TriageContext } from '../../../src/bot/triage/triage-context.ts'
import { DEFAULT_CONFIG, type RepositoryConfig } from '../../../src/config/repository-config.ts'
import { listChangedFiles } from '../../../src/github/changed-files.ts'
import { createJobClient } from '../../../src/github/job-client.ts'
import type { Octokit } from '../../../src/github/octokit.ts'
import { getPullRequest, type PullRequest } from '../../../src/github/pull-requests.ts'
import { type Inbox, openInbox } from '../../../src/inbox/inbox.ts'
import { readUploadedRun } from '../../../src/intake/archive/read-run.ts'
import { ScratchFolder } from '../../../src/intake/download/scratch-folder.ts'
import { historyLine } from '../../../src/intake/imports/history/history-lines.ts'
import type { TrunkRow } from '../../../src/intake/imports/history/trunk-row.ts'
import { decidingMetric } from '../../../src/intake/measurement/formats/formats.ts'
import { queryKey, type Run, type RunContents } from '../../../src/intake/measurement/run.ts'
import { classify } from '../../../src/judge/verdict/classify.ts'
import { DEFAULT_THRESHOLDS } from '../../../src/judge/verdict/thresholds.ts'
import { historyRunsOf, keptOfTrunkRun, trunkRowsOfRun } from '../../../src/judge/verdict/trunk-run.ts'
import { isOpen } from '../../../src/judge/verdict/verdict.ts'
import { type Decision, openFindingsOf, standingDecisions } from '../../../src/report/acceptance.ts'
import { type DecidedReport, decided } from '../../../src/report/decisions.ts'
import { renderComment } from '../../../src/report/render/comment.ts'
import type { HowMeasured, TriageReport } from '../../../src/report/report.ts'
import { type ClickHouse, openClickHouse } from '../../../src/store/client.ts'
import { type Store, storeOn } from '../../../src/store/store.ts'
import { MEMORY_FOLDER } from '../../memory-folder.ts'
import { shard } from '../../report/judge-setting.ts'
import { FAILING_STATES } from '../../report/render/failing-states.ts'
import { migratedDatabase } from '../../store/embedded/engine-fixture.ts'
import { saveAtOnce } from '../../store/runs/save-at-once.ts'
import { DATA, NOW, RECORDED, readRecorded, runOfHead, runOfTrunk } from './recorded-heads.ts'

/**
 * The same results, history, decisions, diff and checks give the same report, comment and check run with a server and without: the App
 * reads them from its database and inbox, the Action from memory and the lines of its file.
 */

const log = pino({ level: 'silent' })
const now = () => NOW

const folder = mkdtempSync(join(MEMORY_FOLDER, 'same-report-'))
let github: LocalGitHub
let clickhouse: ClickHouse
let store: Store
let inbox: Inbox
beforeAll(async () => {
  github = await startLocalGitHub()
  clickhouse = await openClickHouse(await migratedDatabase())
  store = storeOn(clickhouse, { now: () => new Date(NOW) })
  inbox = await openInbox(folder)
})
afterAll(async () => {
  await store.close()
  await inbox.close()
  await github.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Commits of the trunk, which steps where four of them are left. More than a hundred teach thresholds. */
const FEW = 12
const MANY = 140

/** A pull request on GitHub, with the trunk that it left. */
interface Head {
  readonly octokit: Octokit
  readonly pullRequest: PullRequest
  readonly trunk: readonly string[]
}

async function openHead(index: number, commits: number): Promise<Head> {
  const repo = github.createRepository({ owner: 'acme', name: `engine-${index}`, defaultBranch: 'main' })
  const trunk = Array.from(
    { length: commits },
    (_, i) => github.commit(repo, { files: { 'src/a.cpp': `${i}` }, message: `Change ${i}` }).sha,
  )
  const files = index % 4 === 1 ? { 'docs/a.md': 'b' } : { 'src/join.cpp': 'int join() {\n  return 1;\n}\n' }
  if (index % 3 === 1) github.commit(repo, { branch: 'work', files: { 'src/b.cpp': '1' }, parents: [trunk.at(-1)!] })
  const pull = github.openPullRequest({ repo, head: 'work', files, title: `Work on ${index}` })
  const token = github.jobToken(repo, { contents: 'read', pull_requests: 'read', checks: 'read', actions: 'read' })
  const stopping = new AbortController().signal
  const octokit = createJobClient({ token, apiUrl: `${github.url}/api/v3`, paced: false, stopping })
  const ref = { owner: 'acme', repo: repo.name }
  return { octokit, pullRequest: (await getPullRequest(octokit, ref, pull.number))!, trunk }
}

function judgedOf(run: Run, config: RepositoryConfig) {
  const filled = run.measurements.map((one) => ({ ...one, architecture: one.architecture ?? run.architecture }))
  const results = classify(filled, DEFAULT_THRESHOLDS)
  return { run, results, decides: decidingMetric(config.metric, results) }
}

/** The trunk's runs into the database, and as lines of the file. */
async function keepTrunk(
  { pullRequest, trunk }: Head,
  contents: RunContents,
  config: RepositoryConfig,
): Promise<string> {
  const repositoryId = pullRequest.repository.id
  const lines: string[] = []
  const rows: TrunkRow[] = []
  const judged = trunk.slice(1).map((head, i) => {
    const base = trunk[i]!
    const spread = trunk.length === MANY ? 0.06 : 0.006
    const at = { index: i + 1, of: trunk.length, stepAt: trunk.length - 4, spread }
    const one = judgedOf(runOfTrunk(contents, { repositoryId, head, oldCommit: base }, at), config)
    const { run, results, decides } = one
    const kept = keptOfTrunkRun(results, decides)
    const url = `https://github.test/runs/${i}`
    lines.push(...historyRunsOf(run, kept, decides, { run: i + 1, branch: 'main', url, base }).map(historyLine))
    rows.push(...trunkRowsOfRun({ ...run, newCommit: null }, kept, { baseBranch: 'main', reportUrl: url }))
    return one
  })
  await saveAtOnce(clickhouse, judged, new Date(NOW))
  await store.trunkHistory.save(repositoryId, rows)
  return lines.join('\n')
}

/** What is known of a head beside its results and the trunk. */
interface Beside {
  readonly config: RepositoryConfig
  readonly howMeasured: HowMeasured | null
  readonly failingTests: TriageReport['failingTests']
  readonly shards: TriageReport['shards']
  readonly isFinal: boolean
  readonly previous: TriageReport | null
  readonly earlier: TriageReport | null
}

function besideOf(index: number): Beside {
  const lost = shard({ check: 'benchmarks-2', state: 'failed', problem: 'no-results', conclusion: 'failure' })
  return {
    config: {
      ...DEFAULT_CONFIG,
      mode: (['advisory', 'gating', 'shadow', 'advisory'] as const)[index % 4]!,
      undecided: index % 8 === 1 ? 'block' : DEFAULT_CONFIG.undecided,
      pictures: index % 2 === 0,
    },
    howMeasured:
      index % 8 === 3 ? { files: ['.github/workflows/bench.yml'], more: 0, isCut: false, version: 'a1' } : null,
    failingTests: index % 5 === 2 ? Object.values(FAILING_STATES)[index]!.report.failingTests : null,
    shards: [shard({ check: 'benchmarks' }), ...(index % 6 === 5 ? [lost] : [])],
    isFinal: index % 6 === 5,
    previous: null,
    earlier: null,
  }
}

interface Judged {
  readonly report: DecidedReport
  readonly comment: string
  readonly checkRun: unknown
}

/** The one line that the Action adds. */
const UNASKED = '- other pull requests were not checked for the same change\n'

const NO_PAGES = { publicUrl: null, hasSignIn: false }

async function byApp({ octokit, pullRequest }: Head, beside: Beside): Promise<Judged> {
  const { config } = beside
  const { id, owner, name } = pullRequest.repository
  const ref = { owner, repo: name }
  const context = {
    store,
    inbox,
    historySources: null,
    commitRanges: new CommitRanges(),
    now,
  } as unknown as TriageContext
  const publishing = { octokit, ref, pullRequest, log } as unknown as PublishContext
  const changedFiles = async () => await listChangedFiles(octokit, ref, pullRequest.number)
  const runs = await store.runs.of(id, pullRequest.head, config.metric)
  expect(runs.length).toBeGreaterThan(0)
  const said = standingDecisions(await inbox.decisions.list(id, pullRequest.number), NOW, config.mode)
  const commits = await gatherCommits(octokit, ref, pullRequest, runs)
  const input = headInput({ ...beside, ...commits, pullRequest, degradation: null, runs, said, now: NOW })
  const sources = sourcesOfHead(context, publishing, config, NOW)
  const judged = await judgeHead(sources, config, input, { commits: pullRequest.commits, changedFiles })
  const report = decided(judged.report, config, said.mute)
  const links = { ...linksOf(NO_PAGES, pullRequest, config), rerunsByHand: true } as const
  return {
    report,
    comment: renderComment({ report, links, botId: 'perf-triage', previous: beside.previous }),
    checkRun: await checkRunOf(report, links, changedFiles),
  }
}

type Results = Pick<HeadResults, 'runs' | 'shards' | 'isFinal' | 'replaced'>

/** `attempts`: the runs of each, the newest first. */
function resultsOf([newest, ...earlier]: readonly (readonly Run[])[], { shards, isFinal }: Beside): Results {
  return { runs: newest!, shards, isFinal, replaced: earlier.map((runs) => ({ runs, shards })) }
}

async function byAction(head: Head, results: Results, historyLines: string, beside: Beside): Promise<Judged> {
  const { octokit, pullRequest } = head
  const { repository, number } = pullRequest
  const { shards: _, isFinal: __, earlier: ___, ...others } = beside
  // As the history branch keeps it.
  const [previous = null] = beside.previous === null ? [] : reportsOf(fileOf([beside.previous]))
  const decisionsOf = await inbox.decisions.on(repository.id, [number])
  const { report, checkRun } = await judgeRun({
    ...others,
    octokit,
    pullRequest,
    degradation: null,
    previous,
    results,
    changedFiles: () => listChangedFiles(octokit, { owner: repository.owner, repo: repository.name }, number),
    historyLines,
    decisionsOn: decisionsOf,
    now: NOW,
    log,
  })
  const links = linksOfJob(pullRequest, beside.config)
  return { report, checkRun, comment: renderComment({ report, links, botId: 'perf-triage', previous }) }
}

/** What people say of the first report. */
async function decide({ pullRequest }: Head, report: DecidedReport, index: number): Promise<void> {
  const said = {
    reason: 'wanted',
    until: NOW + 1000,
    via: 'command',
    actor: 'maria',
    actorId: 2,
    saidAt: NOW - 1000,
  } as const
  const row = report.rows.find(({ verdict }) => verdict !== null) ?? report.rows[0]!
  const ignored = { key: queryKey(row), name: row.test, test: row.test, query: row.queryIndex }
  const decisions: readonly Decision[] = [
    ...(index % 3 === 0
      ? [{ ...said, kind: 'accept', subject: openFindingsOf(report, ({ test }) => test) } as const]
      : []),
    ...(index % 3 === 1 ? [{ ...said, kind: 'ignore', subject: { rows: [ignored], failures: [] } } as const] : []),
    ...(index % 7 === 0 ? [{ ...said, kind: 'mute', subject: null } as const] : []),
  ]
  for (const one of decisions) await inbox.decisions.add(pullRequest.repository.id, pullRequest.number, one, NOW)
}

/** What the reports had to say, each once. */
const said = new Set<string>()

function remember({ rows, windows, failingTests, thresholdSources, ...report }: DecidedReport): void {
  const has = { windows, failingTests: failingTests === null ? [] : [failingTests] }
  for (const [name, list] of Object.entries({ ...has })) if (list.length > 0) said.add(name)
  if (thresholdSources.learned > 0) said.add('learned thresholds')
  if ((thresholdSources.history ?? 0) > 0) said.add('one-sided history')
  for (const key of Object.keys(report)) said.add(key)
  if (rows.some((row) => row.results.some(({ attempts }) => attempts !== undefined))) said.add('earlier attempts')
  for (const row of rows) {
    said.add(`${row.verdict}`)
    if (row.profile) said.add('profile')
    if (row.trunkLine) said.add('trunk line')
    for (const { kind } of row.evidence) said.add(kind)
  }
}

function mustBeTheSame(action: Judged, app: Judged): void {
  const isUnasked = app.report.rows.some(({ verdict }) => isOpen(verdict))
  const degradations = isUnasked ? ['other-pull-requests-unknown'] : []
  expect(action.report.degradations).toEqual([...app.report.degradations, ...degradations])
  expect(JSON.stringify({ ...action.report, degradations: [] }, null, 1)).toBe(
    JSON.stringify({ ...app.report, degradations: [] }, null, 1),
  )
  expect(action.comment.replace(UNASKED, '')).toBe(app.comment)
  expect(JSON.stringify(action.checkRun, null, 1).replace(JSON.stringify(UNASKED).slice(1, -1), '')).toBe(
    JSON.stringify(app.checkRun, null, 1),
  )
}

/** A run as three jobs have it, each with its share of the benchmarks. */
function shardsOf(run: Run): readonly Run[] {
  const shares = [0, 1, 2].map((share) => run.measurements.filter((_, index) => index % 3 === share))
  const measured = shares.filter((measurements) => measurements.length > 0)
  return measured.map((measurements, index) => ({
    ...run,
    measurements,
    check: `benchmarks-${index + 1}`,
    ...{ shard: index + 1, shards: measured.length, source: `artifact ${index + 1}` },
  }))
}

test.each(RECORDED.map(([name, of], index) => ({ name, of, index })))(
  'the App and the Action report the same of $name',
  async ({ of, index }) => {
    const contents = await readRecorded(of)
    const head = await openHead(index, index === 12 ? MANY : FEW)
    const { repository, number: pullRequestNumber } = head.pullRequest
    const first = besideOf(index)
    const historyLines = await keepTrunk(head, contents, first.config)
    // every second one was measured against a build from before the step
    const oldCommit = head.trunk.at(index % 2 === 0 ? -1 : -7)!
    const place = { repositoryId: repository.id, pullRequestNumber, head: head.pullRequest.head, oldCommit }
    const change = { slower: index % 3 === 2 ? 1 : 1.4, oneOf: index % 5 === 0 ? 1 : 2, isShort: index % 6 === 4 }
    const run = runOfHead(contents, place, change)
    const attempts =
      index % 4 === 2 ? [{ ...runOfHead(contents, place, { ...change, slower: 1.35 }), attempt: 2 }, run] : [run]
    const runs = attempts.map((one) => (index % 4 === 3 ? shardsOf(one) : [one]))
    // The App has judged an attempt before the next one is there.
    let earlier: TriageReport | null = null
    for (const together of runs.toReversed()) {
      for (const one of together) {
        const { results, decides } = judgedOf(one, first.config)
        await store.runs.save(one, results, undefined, decides)
      }
      if (together !== runs[0]) earlier = (await byApp(head, { ...first, earlier })).report
    }

    const compare = async (beside: Beside) => {
      const [app, action] = [
        await byApp(head, beside),
        await byAction(head, resultsOf(runs, beside), historyLines, beside),
      ]
      mustBeTheSame(action, app)
      return app.report
    }
    const report = await compare({ ...first, earlier })
    await decide(head, report, index)
    const before = { ...report, head: 'c'.repeat(40) }
    const second = await compare({ ...first, previous: before, earlier: index % 2 === 0 ? report : earlier })
    remember(report)
    remember(second)
  },
)

const UPLOADED = RECORDED.flatMap(([name, { old, new: fresh }]) => (old === undefined ? [{ name, fresh }] : []))

test.each(UPLOADED.slice(0, 14).map((one, index) => ({ ...one, index })))(
  'and of an uploaded artifact that each of them reads: $name',
  async ({ fresh, index }) => {
    const path = join(DATA, fresh)
    const head = await openHead(100 + index, FEW)
    const { octokit, pullRequest } = head
    const { repository, number } = pullRequest
    const ref = { owner: repository.owner, repo: repository.name }
    const config = DEFAULT_CONFIG
    const historyLines = await keepTrunk(head, await readUploadedRun(path), config)
    await upload(head, path)
    const reading = {
      ...{ octokit, ref, repositoryId: repository.id, config, log, now, isAllowedHost: () => true },
      ...{ scratch: new ScratchFolder(folder), stopping: new AbortController().signal },
    }
    const results = await readHead(reading, { head: pullRequest.head } as Admitted, number, async () => true)
    const subject = { repositoryId: repository.id, pullRequestNumber: number, head: pullRequest.head }
    const refusedSources = { add: async () => {}, refusalOf: async () => null }
    const { performance } = await gatherChecks(octokit, ref, config, pullRequest.head, 1)
    const shards = await ingestAll(
      {
        ...{ ...reading, subject, refusedSources, thresholds: DEFAULT_THRESHOLDS, runs: store.runs },
        metrics: { download: () => {} },
      },
      performance,
    )
    expect(results.runs).toHaveLength(1)
    expect(results.shards).toEqual(shards)
    const beside = { ...besideOf(0), config, shards, isFinal: true }
    const [app, action] = [await byApp(head, beside), await byAction(head, results, historyLines, beside)]
    expect(app.report.rows.length).toBeGreaterThan(0)
    mustBeTheSame(action, app)
  },
)

/** A finished run of the measuring workflow with a file, or all files of a folder, in its artifact. */
async function upload({ pullRequest }: Head, path: string): Promise<void> {
  const repo = github.state.repository(pullRequest.repository.owner, pullRequest.repository.name)!
  const pull = repo.pulls.get(pullRequest.number)!
  const files = statSync(path).isFile()
    ? [[basename(path), path] as const]
    : readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => [name, join(path, name)] as const)
  const members = files.filter(([, at]) => statSync(at).isFile()).map(([name, at]) => [name, readFileSync(at)])
  const run = github.startWorkflowRun(repo, { name: 'measure', path: '.github/workflows/measure.yml', pull })
  const check = github.startCheckRun(repo, { name: 'measure', headSha: run.headSha, workflowRun: run })
  const artifacts = [{ name: 'performance-results', zip: zipOf(Object.fromEntries(members)) }]
  await github.finishWorkflowRun(run, { artifacts })
  github.finishCheckRun(check, 'success')
}

test('the recorded runs have what a report is made of', () => {
  const facts = [
    'windows',
    'pullRequestWindow',
    'failingTests',
    'howMeasured',
    'lessThanUsual',
    'wholeRun',
    'undecided',
  ]
  const answers = ['learned thresholds', 'one-sided history', 'earlier attempts', 'profile', 'trunk line']
  const evidence = ['already-on-trunk', 'stale-reference', 'shard-shift', 'no-code-changed', 'other-machine']
  const verdicts = ['regression', 'needs-rerun', 'likely-noise', 'improvement', 'acknowledged', 'ignored']
  expect([...facts, ...answers, ...evidence, ...verdicts].filter((one) => !said.has(one))).toEqual([])
})
