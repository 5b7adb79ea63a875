import { enableCompileCache } from 'node:module'
import { pino } from 'pino'

// The bot as a process of its own, to be killed. What it needs comes in the environment, as in production; `PACED=true` keeps
// the pace of writes that GitHub asks for.
enableCompileCache()
const { readEnvironment } = await import('../../src/config/environment.ts')
const { startBot } = await import('../../src/main.ts')
const bot = await startBot(readEnvironment(process.env), {
  log: pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }),
  debounceMs: 0,
  paced: process.env['PACED'] === 'true',
})
process.send?.(bot.url)
process.once('SIGTERM', () => void bot.stop().then(() => process.exit(0)))
