import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Fault } from '../../demo/github/faults.ts'
import type { PullRequest, Repository } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import { type PostgresServer, postgresServer } from '../inbox/postgres-server.ts'
import {
  type BotSetting,
  botChecksOf,
  botComments,
  installApp,
  makeBotSetting,
  rawRun,
  SLOWER,
  STEADY,
} from './bot-setting.ts'

/** Far longer than a comment takes, also on crowded cores: who waits for one such call is seen. */
const LIMITS = { headersMs: 5000, wholeMs: 6000 }
const RESULTS = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })

describe.each(['SQLite', 'PostgreSQL'])('with the inbox in %s', (engine) => {
  let server: PostgresServer | null = null
  let setting: BotSetting
  /** Milliseconds by which the bot's clock is ahead: a pause need not be waited for. */
  let ahead = 0
  let opened = 0

  beforeAll(async () => {
    server = engine === 'SQLite' ? null : await postgresServer()
    const env = server === null ? {} : { DATABASE_URL: server.url }
    setting = await makeBotSetting({ env, bot: { callLimits: LIMITS, now: () => Date.now() + ahead } })
    // What is read and compiled at the first comment is no question of fairness.
    await finished(setting.repo)
    await setting.settled()
  })
  afterEach(() => {
    setting.github.clearFaults()
    expect(setting.github.violations).toEqual([])
  })
  afterAll(async () => {
    await setting.close()
    await server?.remove()
  })

  async function finished(repo: Repository): Promise<PullRequest> {
    opened += 1
    const { github } = setting
    const pull = github.openPullRequest({ repo, head: `work-${opened}` })
    const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
    await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: RESULTS }] })
    return pull
  }

  /** Resolves when each has its one comment. */
  async function commented(pulls: readonly PullRequest[], timeout = 20_000): Promise<void> {
    await expect
      .poll(() => pulls.filter((pull) => botComments(pull).length !== 1).length, { timeout, interval: 20 })
      .toBe(0)
  }

  /** From the results of a healthy pull request to its comment. */
  async function millisecondsToComment(): Promise<number> {
    const healthy = await finished(setting.repo)
    const begun = performance.now()
    await commented([healthy])
    return performance.now() - begun
  }

  function newAccount(name: string): { readonly repo: Repository; readonly installationId: number } {
    const repo = setting.github.createRepository({ owner: name, name: 'engine' })
    return { repo, installationId: installApp(setting.github, name).id }
  }

  const secondaryLimit = {
    kind: 'status',
    status: 403,
    message: 'You have exceeded a secondary rate limit.',
    headers: { 'retry-after': '120' },
  } as const

  test.each<[string, string, (installationId: number) => Omit<Fault, 'times'>]>([
    ['never answers', 'silent', () => ({ path: /^\/repos\/silent\//, kind: 'timeout' })],
    ['drips a byte a second', 'dripping', () => ({ path: /^\/repos\/dripping\//, kind: 'drip' })],
    ['holds a secondary limit', 'limited', () => ({ path: /^\/repos\/limited\//, ...secondaryLimit })],
    ['gives no token', 'tokenless', (id) => ({ path: `/app/installations/${id}/access_tokens`, kind: 'timeout' })],
  ])(
    'an installation that %s holds no other up, and is served when it is well',
    { timeout: 60_000 },
    async (_what, name, fault) => {
      const { github, bot } = setting
      const bad = newAccount(name)
      await setting.settled()
      github.fault({ ...fault(bad.installationId), times: Number.POSITIVE_INFINITY })
      const alone = await millisecondsToComment()
      const held: PullRequest[] = []
      for (let index = 0; index < 2; index += 1) held.push(await finished(bad.repo))

      // Who waits for one call of the other installation alone waits longer.
      expect(await millisecondsToComment()).toBeLessThan(2 * alone + 2000)
      const paused = async () =>
        (await bot.inbox.queue(Date.now() + ahead)).paused.map(({ installationId }) => installationId)
      await expect.poll(paused, { timeout: 15_000 }).toContain(bad.installationId)
      expect(held.flatMap(botComments)).toEqual([])

      const ready = (await (await fetch(`${bot.url}/readyz`)).json()) as { readonly queue: { readonly paused: number } }
      expect((await bot.inbox.queue(Date.now() + ahead)).deliveries).toBeGreaterThan(0)
      expect(Object.keys(ready.queue)).toEqual(['deliveries', 'triages', 'answers', 'oldestSeconds', 'paused'])
      expect(ready.queue.paused).toBe(1)

      github.clearFaults()
      ahead += 121_000
      bot.worker.poke()
      await commented(held)
      expect(await paused()).not.toContain(bad.installationId)
    },
  )

  test('an installation with 20 pull requests lets another one have its comment first', async () => {
    const { github } = setting
    const busy = newAccount('busy')
    await setting.settled()
    // A fast machine would else be through with all of them before the other one's webhook arrives.
    github.fault({ path: /^\/repos\/busy\//, kind: 'slow', delay: 200, times: Number.POSITIVE_INFINITY })
    const pulls: PullRequest[] = []
    for (let index = 0; index < 20; index += 1) pulls.push(await finished(busy.repo))
    const other = await finished(setting.repo)
    // GitHub sends them one after the other: the last one's place there is not under test.
    await github.idle()
    await commented([other])
    expect(pulls.filter((pull) => botComments(pull).length === 0).length).toBeGreaterThan(5)
  })
})

test('an installation that has written 450 times in an hour waits, is named, and holds no other up', async () => {
  const lines: string[] = []
  let ahead = 0
  const setting = await makeBotSetting({
    env: { METRICS_TOKEN: 'a-token-of-the-test-only', METRICS_PORT: '0' },
    bot: {
      paced: true,
      now: () => Date.now() + ahead,
      log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
    },
  })
  try {
    const { github, bot } = setting
    const repo = github.createRepository({ owner: 'full', name: 'engine' })
    const { id } = installApp(github, 'full')
    await setting.settled()
    const begun = Date.now() - 10 * 60_000
    for (let write = 0; write < 450; write += 1)
      await bot.inbox.writeSlots.take(id, 'write', 1000, begun + write * 1000)
    const pulls = [repo, setting.repo].map((of) => github.openPullRequest({ repo: of, head: 'work' }))
    for (const pull of pulls) {
      const run = github.startWorkflowRun(pull.repo, { name: 'Performance', pull })
      await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: RESULTS }] })
    }
    const [held, other] = pulls as [PullRequest, PullRequest]
    await expect.poll(() => botComments(other).length, { timeout: 30_000 }).toBe(1)
    await expect.poll(async () => (await bot.inbox.queue(Date.now())).paused, { timeout: 15_000 }).toHaveLength(1)
    expect((await bot.inbox.queue(Date.now())).paused[0]).toMatchObject({ installationId: id, until: begun + 3610_000 })
    const written = () =>
      github.requests.filter(({ method, path }) => method !== 'GET' && path.startsWith('/repos/full/'))
    expect(written()).toEqual([])
    const until = new Date(begun + 3610_000).toISOString()
    expect(lines.join('')).toContain(
      `installation ${id} has made 450 writes within an hour: its work waits until ${until}`,
    )
    const metrics = await (await fetch(bot.metricsUrl!)).text()
    expect(metrics).toContain(`perf_triage_github_writes_in_hour{installation="${id}"} 450`)
    expect(metrics).toContain('perf_triage_installations_paused 1')

    ahead = 3010_000
    bot.worker.poke()
    await expect.poll(() => botComments(held).length, { timeout: 30_000 }).toBe(1)
    const checked = () => botChecksOf(github, held.head.sha).map(({ status }) => status)
    await expect.poll(checked, { timeout: 30_000 }).toEqual(['completed'])
    expect(github.violations).toEqual([])
  } finally {
    await setting.close()
  }
})
