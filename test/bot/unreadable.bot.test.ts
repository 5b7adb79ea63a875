import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { zipOf } from '../../demo/github/zip.ts'
import { type BotSetting, botChecks, makeBotSetting } from './bot-setting.ts'

let setting: BotSetting

beforeAll(async () => {
  setting = await makeBotSetting()
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(() => setting.close())

test('an artifact that can’t be read is fetched once, also after a restart, and again when a person asks for it', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'work' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const artifact = { name: 'performance-arm', zip: Buffer.from('PK no zip') }
  await github.finishWorkflowRun(run, { artifacts: [artifact] })
  await setting.settled()
  const downloads = () => github.requests.filter(({ path }) => path.startsWith('/artifacts/')).length
  const title = () => botChecks(setting, pull.head.sha).map(({ output }) => output.title)
  const said = title()
  expect(said).toEqual([expect.stringContaining('No results')])
  expect(downloads()).toBe(1)

  await setting.restart()
  github.closePullRequest(pull)
  github.reopenPullRequest(pull)
  await setting.settled()
  expect(title()).toEqual(said)
  expect(downloads()).toBe(1)

  github.rerequestCheckRun(botChecks(setting, pull.head.sha)[0]!, 'alice')
  await setting.settled()
  expect(title()).toEqual(said)
  expect(downloads()).toBe(2)
})

test('an artifact whose name fits no pattern is said in the check where nothing else was ever measured, others are not', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'names' })
  const run = github.startWorkflowRun(repo, { name: 'CI', pull })
  const zip = zipOf({ 'index.html': '<html></html>' })
  const artifacts = ['coverage', 'test-results', 'go-bench'].map((name) => ({ name, zip }))
  await github.finishWorkflowRun(run, { artifacts })
  await setting.settled()
  const [check] = botChecks(setting, pull.head.sha)
  expect(check).toMatchObject({ conclusion: 'neutral', output: { title: 'No artifact has the expected name' } })
  expect(check!.output.summary).toContain('the artifact go-bench matches none of the expected names: performance-')
  expect(check!.output.summary).not.toMatch(/coverage|test-results/)
})

test('the check says which files were found in the place of results, what they look like, and what is read', async () => {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head: 'markdown' })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  const files = {
    'hyperfine.md': '| Command | Mean [s] | Min [s] | Max [s] | Relative |\n|:---|---:|---:|---:|---:|\n',
    'bench.txt': '| Command | Mean [s] | Min [s] | Max [s] | Relative |\n|:---|---:|---:|---:|---:|\n',
    '@alice `<img src=x>`.md': 'x',
  }
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-cli', zip: zipOf(files) }] })
  await setting.settled()
  const [check] = botChecks(setting, pull.head.sha)
  const { title, summary, text } = check!.output
  expect(title).toBe('No results: 0 of 1 shard in')
  expect(summary).toContain('bench.txt (looks like hyperfine’s Markdown: export JSON (--export-json))')
  expect(summary).toMatch(/supported formats: .*\bhyperfine\b/)
  expect(text).toContain('its results hold no measurements: ``')
  // what stands in the names of files is inside a code span
  expect(`${summary}\n${text}`).not.toMatch(/(?<!``.*)@alice/)
  expect(`${title}\n${summary}\n${text}`).not.toMatch(/re-?run/i)
})

test('a check that uploads nothing is told what is looked for and how to upload; one that failed has its log for that', async () => {
  const { github, repo } = setting
  github.commit(repo, { files: { '.github/perf-triage.yml': 'checks: ["perf"]\n' } })
  const summaryOf = async (conclusion: 'success' | 'failure') => {
    const pull = github.openPullRequest({ repo, head: `nothing-${conclusion}` })
    const run = github.startWorkflowRun(repo, { name: 'CI', pull })
    const check = github.startCheckRun(repo, { name: 'perf', headSha: pull.head.sha, workflowRun: run })
    github.finishCheckRun(check, conclusion)
    await github.finishWorkflowRun(run, { conclusion, artifacts: [] })
    await setting.settled()
    const { title, summary } = botChecks(setting, pull.head.sha)[0]!.output
    expect(title).toBe('No results: 0 of 1 shard in')
    return summary
  }
  expect(await summaryOf('success')).toMatch(
    /Look at what \[`perf`\]\S+ uploads: `nothing under the expected names: performance-\{architecture\}-\S+, performance-\S+, performance-\{architecture\}, performance`\. \[How a workflow uploads results\]\(https:\/\/perf\.example\.org\/installed\)\.\n/,
  )
  expect(await summaryOf('failure')).toMatch(/\[`perf`\]\(\S+\) needs a rerun/)
})
