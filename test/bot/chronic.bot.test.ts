import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Comment, PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { engineOfRun } from '../store/embedded/engine-fixture.ts'
import { type BotSetting, botComments, makeBotSetting, rawRun, STEADY } from './bot-setting.ts'
import { Switchable } from './switchable.ts'

const GATING =
  'mode: gating\nworkflows: [perf.yml]\ncomment: always\nchecks: [perf]\nresults: [{ artifact: results }]\n'
const NAME = 'tests/unit/test_cache.py::test_evicts'
const DAY = 86_400_000
const dayIn = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)

let setting: BotSetting
let database: Switchable
let ahead = 0

beforeAll(async () => {
  database = new Switchable(engineOfRun().url)
  const url = await database.listen()
  database.isOn = true
  setting = await makeBotSetting({
    files: { '.github/perf-triage.yml': GATING },
    bot: { now: () => Date.now() + ahead, databaseIntervalMs: 200 },
    env: { CLICKHOUSE_URL: url },
  })
  setting.github.setPermission(setting.repo, 'maria', 'write')
})
afterEach(() => expect(setting.github.violations).toEqual([]))
afterAll(async () => {
  await setting.close()
  database.close()
})

/** A pull request with a steady performance check, and unit tests of which one fails with this message. */
async function failed(head: string, message: string): Promise<PullRequest> {
  const { github, repo } = setting
  const pull = github.openPullRequest({ repo, head, author: 'alice', fork: { owner: `owner-of-${head}` } })
  const perf = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: STEADY }]) })
  const xml = `<testsuites><testsuite name=""><testcase name="${NAME}"><failure message="${message}">${message}</failure></testcase></testsuite></testsuites>`
  const artifacts = {
    perf: { name: 'results', zip: perf },
    Unit: { name: 'junit-unit', zip: zipOf({ 'report.xml': xml }) },
  }
  for (const [name, artifact] of Object.entries(artifacts)) {
    const conclusion = name === 'perf' ? 'success' : 'failure'
    const run = github.startWorkflowRun(repo, { name, pull })
    const check = github.startCheckRun(repo, { name, headSha: pull.head.sha, workflowRun: run })
    github.finishCheckRun(check, conclusion)
    await github.finishWorkflowRun(run, { conclusion, artifacts: [artifact] })
  }
  await setting.settled()
  return pull
}

async function say(pull: PullRequest, by: string, body: string): Promise<string> {
  setting.github.advance(2000)
  const comment = setting.github.comment(pull, by, body)
  await setting.settled()
  return reactionOf(comment)
}

const reactionOf = ({ reactions }: Comment) => reactions.map(({ content }) => content).join()
const report = (pull: PullRequest) => botComments(pull).find(({ body }) => body.includes('perf-triage:v1'))!.body
const lastReply = (pull: PullRequest) => botComments(pull).at(-1)!.body
const text = async (path: string) => await (await fetch(`${setting.bot.url}${path}`)).text()
const page = async (path: string): Promise<unknown> => JSON.parse(await text(path))

test('a maintainer enters a failure into the ledger: it is chronic everywhere, another output is not, until it expires, is renewed and taken back', {
  timeout: 240_000,
}, async () => {
  const [one, two] = [await failed('one', 'no port was free'), await failed('two', 'no port was free')]
  const other = await failed('other', 'heap-use-after-free')
  expect(report(one)).toContain('<br>**unknown**: ')

  expect(await say(one, 'alice', `/perf chronic ${NAME} "a port"`)).toBe('confused')
  expect(lastReply(one)).toContain('is for people with the role `write`')
  expect(await say(one, 'maria', `/perf chronic ${NAME}`)).toBe('confused')
  expect(lastReply(one)).toContain('Say why')
  expect(await say(one, 'maria', `/perf chronic ${NAME.replace('evicts', 'evict')} "a port"`)).toBe('confused')
  expect(lastReply(one)).toContain(`Did you mean \`${NAME}\`?`)
  expect(await say(one, 'maria', `/perf chronic ${NAME} "a port" until 2020-01-01`)).toBe('confused')
  expect(lastReply(one)).toContain('has passed')
  expect(report(one)).toContain('<br>**unknown**: ')

  const until = dayIn(1)
  expect(await say(one, 'maria', `/perf chronic ${NAME} #12 "a port" until ${until}`)).toBe('+1')
  expect(lastReply(one)).toContain('matches 1 failure on 1 other pull request in 60 days')
  for (const pull of [one, two]) {
    expect(report(pull)).toContain('<br>**chronic**: declared chronic by maria: `a port`, until')
    expect(report(pull)).toContain('/issues/12')
  }
  const ledger = '/r/acme/engine/ledger'
  const [entry] = ((await page(`${ledger}?format=json`)) as { entries: { entryId: string }[] }).entries
  expect(entry).toMatchObject({
    state: 'open',
    issue: expect.stringContaining('/issues/12'),
    byHand: { state: 'holds', actor: 'maria', reason: 'a port', until: `${until}T23:59:59.999Z`, pullRequestNumber: 1 },
  })
  expect(await text(ledger)).toContain('declared by <bdi>maria</bdi>')
  const entryPage = await text(`${ledger}/${encodeURIComponent(entry!.entryId)}`)
  expect(entryPage).toMatch(
    /Declared chronic by <bdi>maria<\/bdi>: <code><bdi>a port<\/bdi><\/code>, until .*, on <a [^>]*>/,
  )

  await say(other, 'alice', '/perf refresh')
  expect(report(other)).toContain('<br>**unknown**: ')

  ahead = 3 * DAY
  await setting.settled()
  for (const pull of [one, two]) {
    expect(report(pull)).toContain('was declared chronic by maria')
    expect(report(pull)).toContain('its entry expired')
  }
  const queue = (await page('/queue?format=json')) as { items: { kind: string; what: string }[] }
  expect(queue.items).toContainEqual(expect.objectContaining({ kind: 'expired-entry', what: NAME }))

  expect(await say(two, 'maria', `/perf renew ${NAME} until ${dayIn(30)}`)).toBe('+1')
  for (const pull of [one, two])
    expect(report(pull)).toContain('<br>**chronic**: declared chronic by maria: `a port`, until')

  expect(await say(two, 'maria', '/perf unchronic test_evict')).toBe('confused')
  expect(await say(two, 'maria', `/perf unchronic ${NAME}`)).toBe('+1')
  for (const pull of [one, two]) expect(report(pull)).toContain('<br>**unknown**: ')

  // While the database is away nothing is counted and nothing forgotten.
  setting.github.advance(2000)
  const asked = vi.spyOn(setting.bot.store.reports, 'of')
  database.off()
  const comment = setting.github.comment(one, 'maria', `/perf chronic ${NAME} "once more"`)
  await expect.poll(() => asked.mock.settledResults.map(({ type }) => type)).toContain('rejected')
  expect(reactionOf(comment)).toBe('')
  database.isOn = true
  await expect.poll(() => reactionOf(comment), { timeout: 60_000 }).toBe('+1')
  await setting.settled()
  for (const pull of [one, two])
    expect(report(pull)).toContain('<br>**chronic**: declared chronic by maria: `once more`')
  asked.mockRestore()
})
