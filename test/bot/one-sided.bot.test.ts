import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import type { TriageReport } from '../../src/report/report.ts'
import { ownRowPath, reportPath } from '../../src/report/urls.ts'
import { type BotSetting, botChecks, botComments, makeBotSetting } from './bot-setting.ts'

/** A Go project whose jobs measure one build each: the trunk's after each push, and the head's. */

const TRUNK_RUNS = 40
/** Pushes between two looks of the bot at the trunk. */
const AT_ONCE = 20
const BENCHMARKS = 100
const PLANTED = 42
const PACKAGES = ['example.com/codec/json', 'example.com/codec/wire']
const nameOf = (benchmark: number) => `BenchmarkEncode/size=${benchmark}-4`

let setting: BotSetting
let opened = 0

beforeAll(async () => {
  setting = await makeBotSetting()
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

/** Noise between jobs, normal with a standard deviation of 3%; the same at each start. */
let seed = 1
function uniform(): number {
  seed = (seed * 48_271) % 2_147_483_647
  return seed / 2_147_483_647
}
function noise(): number {
  return 1 + 0.03 * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}

/** The lines of one benchmark as Go aligns them, each repetition a little off, and what it allocates, which does not vary. */
function linesOf(benchmark: number, nanoseconds: number): readonly string[] {
  const name = nameOf(benchmark).padEnd(24)
  return [0.997, 1, 1.002].map((wobble) => {
    const time = `${(nanoseconds * wobble).toFixed(0).padStart(10)} ns/op`
    return `${name}\t${String(1000 + benchmark).padStart(8)}\t${time}\t${'4096'.padStart(8)} B/op\t${'12'.padStart(8)} allocs/op`
  })
}

/** What `go test -bench . -benchmem -count 3 ./...` prints of the head, each benchmark by so much slower. */
function outputOf(factor: (benchmark: number) => number): string {
  const packages = PACKAGES.map((name, place) => {
    const own = Array.from({ length: BENCHMARKS }, (_, benchmark) => benchmark).filter(
      (benchmark) => benchmark % PACKAGES.length === place,
    )
    const lines = own.flatMap((benchmark) => linesOf(benchmark, 1e5 * (1 + benchmark) * factor(benchmark) * noise()))
    const head = ['goos: linux', 'goarch: amd64', `pkg: ${name}`, 'cpu: AMD EPYC 7763 64-Core Processor']
    return [...head, ...lines, 'PASS', `ok  \t${name}\t${60 + place}.018s`]
  })
  return `?   \texample.com/codec/internal\t[no test files]\n${packages.flat().join('\n')}\n`
}

/** As on a machine whose processor Go can't name. */
const withoutCpu = (output: string) => output.replaceAll(/^cpu: .*\n/gm, '')

async function upload(
  factor: (benchmark: number) => number,
  pull?: PullRequest,
  rewritten = (output: string) => output,
): Promise<void> {
  const { github, repo } = setting
  // GitHub's times are whole seconds: attempts that end in one are the same
  github.advance(5000)
  const run = github.startWorkflowRun(repo, { name: 'Bench', ...(pull === undefined ? {} : { pull }) })
  const zip = zipOf({ 'bench.txt': rewritten(outputOf(factor)) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-go', zip }] })
}

async function measure(...of: Parameters<typeof upload>): Promise<void> {
  await upload(...of)
  await setting.settled()
}

function openPull(): PullRequest {
  opened += 1
  setting.github.advance(60_000)
  return setting.github.openPullRequest({
    repo: setting.repo,
    head: `work-${opened}`,
    author: 'alice',
    files: { [`src/codec-${opened}.go`]: `${opened}` },
  })
}

async function reportOf(pull: PullRequest): Promise<TriageReport> {
  const report = await setting.bot.store.reports.of(setting.repo.id, pull.number)
  expect(report).not.toBeNull()
  return report!
}

const check = (pull: PullRequest) => botChecks(setting, pull.head.sha).at(-1)!
const planted = (benchmark: number) => (benchmark === PLANTED ? 1.3 : 1)
const blamed = ({ rows }: TriageReport) =>
  rows.filter(({ verdict }) => verdict === 'regression').map(({ queryName }) => queryName)
const asked = ({ rows }: TriageReport) =>
  rows.filter(({ verdict }) => verdict === 'needs-rerun').map(({ queryName }) => queryName)

test('without a history of the trunk nothing is judged', async () => {
  const pull = openPull()
  await measure(planted, pull, withoutCpu)
  const report = await reportOf(pull)
  expect(report.runNotes).toMatchObject([{ machine: 'ubuntu-24.04' }])
  expect([blamed(report), asked(report), botComments(pull).length]).toEqual([[], [], 0])
  expect(new Set(report.rows.flatMap(({ results }) => results.map(({ statusReason }) => statusReason)))).toEqual(
    new Set(['no-history']),
  )
  expect(check(pull).output.title).toBe('0 of 100 benchmarks could be compared, so nothing is known')
})

test('two builds in one artifact that do not say which are told', async () => {
  const { github, repo } = setting
  const pull = openPull()
  const run = github.startWorkflowRun(repo, { name: 'Bench', pull })
  const zip = zipOf({ 'main/bench.txt': outputOf(() => 1), 'feature/bench.txt': outputOf(planted) })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-go', zip }] })
  await setting.settled()
  expect(check(pull).output.text).toContain(
    '`performance-go: main/bench.txt`: no file name says which build: `it and feature/bench.txt count as repetitions of the new build; put files of the old build into old/ and the others into new/`',
  )
})

test('one job asks for another, the second one blames what both show and nothing else', async () => {
  const { github, repo } = setting
  for (let run = 0; run < TRUNK_RUNS; run += 1) {
    github.commit(repo, { files: { 'src/trunk.go': `${run}` } })
    await upload(() => 1)
    if (run % AT_ONCE === AT_ONCE - 1) await setting.settled()
  }
  const pull = openPull()
  await measure(planted, pull)
  const first = await reportOf(pull)
  expect(blamed(first)).toEqual([])
  expect(asked(first)).toContain(nameOf(PLANTED))
  expect(botComments(pull)).toEqual([])
  expect(check(pull).output.title).toMatch(/may be slower/)

  await measure(planted, pull)
  const second = await reportOf(pull)
  expect(blamed(second)).toEqual([nameOf(PLANTED)])
  expect(asked(second)).toEqual([])
  expect(botComments(pull)).toHaveLength(1)
  expect(check(pull).output.title).toMatch(/^1 of 100 benchmarks got slower/)
  const { body } = botComments(pull)[0]!
  expect(body).toContain('### 1 of 100 benchmarks got slower than the main branch, in two jobs')
  expect(body).toMatch(
    /moved this much in 0 of \d+ runs on the main branch · 2 jobs against 20 runs on the main branch ·/,
  )

  const address = { owner: 'acme', repo: 'engine', number: pull.number, head: pull.head.sha }
  const row = second.rows.find(({ verdict }) => verdict === 'regression')!
  const [ofReport, ofRow] = await Promise.all(
    [reportPath(address), ownRowPath(address, row)].map(async (path) => {
      const page = await (await fetch(`${setting.bot.url}${path}`)).text()
      return page.replaceAll('\u00a0', ' ')
    }),
  )
  expect(ofReport).toContain(' against the main branch’s history · ')
  expect(ofReport).toMatch(/20 runs on the main branch<.*2 jobs</s)
  expect(ofRow).toMatch(/baseline: \S+ ms<.*new: 3 samples of the newest job, \S+ ms in 2 jobs</s)
  // the artifact is performance-go, which is no architecture
  expect(ofRow).not.toMatch(
    /on go<|a repetition of the old build|old: 0 samples|× 0|randomization test|recomputed from them/,
  )
  for (const page of [ofReport!, ofRow!]) {
    const heads = [...page.matchAll(/<th scope="col"[^>]*>(?:<a [^>]*>)?([A-Za-z ]+)/g)].map(([, head]) => head!.trim())
    expect(heads).toEqual(expect.arrayContaining(['Baseline', 'This run', 'Change', 'Detectable from']))
    expect(heads).not.toContain('Old')
    expect(page).toContain(`--against history --repository ${setting.repo.id} --metric time --all`)
  }
})

test('a machine that is 20% slower blames nobody and is said once', async () => {
  const pull = openPull()
  for (const job of [1, 2]) {
    await measure(() => 1.2, pull)
    const report = await reportOf(pull)
    expect([blamed(report), botComments(pull).length]).toEqual([[], job - 1])
    expect(report.wholeRun).toHaveLength(1)
    expect(report.wholeRun?.[0]).toMatchObject({ verdict: 'needs-rerun', jobs: job })
  }
  const [comment] = botComments(pull)
  expect(comment!.body.match(/The whole run is [\d.]+%\sslower/gi)).toHaveLength(1)
})
