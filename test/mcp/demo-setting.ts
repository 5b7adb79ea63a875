import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { Ci } from '../../demo/ci.ts'
import { startLocalGitHub } from '../../demo/github/local-github.ts'
import { earlierFailures, SCENES } from '../../demo/scenes.ts'
import { layPast } from '../../demo/trunk.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import { type Bot, startBot } from '../../src/main.ts'
import { WEBHOOK_PATH } from '../../src/web/server.ts'
import { botComments, environmentVariables, installApp, WEBHOOK_SECRET } from '../bot/bot-setting.ts'
import { MEMORY_FOLDER } from '../memory-folder.ts'
import { migratedDatabase, serverVariablesOf } from '../store/embedded/engine-fixture.ts'

/** The demo, played: its five pull requests have been answered by a bot that goes on running. */
export interface DemoSetting {
  readonly bot: Bot
  readonly repositoryId: number
  /** Of a process that reads what the bot has stored. */
  readonly env: Readonly<Record<string, string>>
  /** The comments of the bot. */
  readonly comments: readonly string[]
  close(): Promise<void>
}

export async function playDemo(): Promise<DemoSetting> {
  const github = await startLocalGitHub()
  const repo = github.createRepository({ owner: 'acme', name: 'engine' })
  const past = layPast(github, repo)
  installApp(github)
  const dataDir = mkdtempSync(join(MEMORY_FOLDER, 'perf-triage-demo-'))
  const env = { ...environmentVariables(github, dataDir), ...serverVariablesOf(await migratedDatabase()) }
  const bot = await startBot(readEnvironment(env), { log: pino({ level: 'silent' }), debounceMs: 100, paced: false })
  github.setWebhook({ url: `${bot.url}${WEBHOOK_PATH}`, secret: WEBHOOK_SECRET })
  await bot.store.trunkHistory.save(repo.id, past.rows)
  const ci = new Ci(github, repo, () => {})
  const pulls = []
  for (const { title, body, head, files, resultsOf } of SCENES) {
    const pull = github.openPullRequest({ repo, head, title, body, author: 'alice', files })
    pulls.push(pull)
    const results = resultsOf(pull, past)
    if (results.redChecks !== undefined) await bot.store.ciResults.save(repo.id, earlierFailures(pull))
    ci.watch(pull, results)
    // What the bot writes causes deliveries again, and those may cause work.
    for (let round = 0; round < 3; round += 1) {
      await ci.idle()
      await github.idle()
      await bot.worker.idle()
    }
  }
  return {
    ...{ bot, env, repositoryId: repo.id },
    comments: pulls.flatMap((pull) => botComments(pull).map(({ body }) => body)),
    async close() {
      await bot.stop()
      await github.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
