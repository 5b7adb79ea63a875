import { once } from 'node:events'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import pLimit from 'p-limit'
import { MOST_QUEUE_REPOSITORIES, NOTHING_REMEMBERED } from '../../bot/triage/queue.ts'
import { DEFAULT_CONFIG } from '../../config/repository-config.ts'
import { Configs, lastGoodConfig } from '../../inbox/configs.ts'
import { rememberedDifferences } from '../../web/pages/flame-graph/remembered-differences.ts'
import { mcpServer, Refusal, type WithSources } from '../../web/pages/mcp/mcp-server.ts'
import { type CommandIO, EXIT_OK, isInputProblem } from './command.ts'
import { isDatabaseProblem } from './database.ts'
import { storedRepository, withStored } from './listing.ts'
import { memoryOf } from './queue.ts'

/** Bytes of a message: a question has a few hundred. */
const LONGEST_MESSAGE = 1_000_000

/** Answers until standard input ends. */
export async function run(_options: object, io: CommandIO): Promise<number> {
  const { stdin, stdout } = process
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: LONGEST_MESSAGE })
  const failed = (error: unknown) => {
    io.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  }
  const withSources = storedSources(io)
  const handle = serveStdio(() => mcpServer(withSources, failed), { transport, maxSubscriptions: 0, onerror: failed })
  await once(stdin, 'close')
  await handle.close()
  return EXIT_OK
}

/**
 * Opened for each question, one after the other: an embedded database belongs to one process, and a bot that is started meanwhile
 * must get it.
 */
function storedSources(io: CommandIO): WithSources {
  const inTurn = pLimit(1)
  const profile = rememberedDifferences(Date.now)
  return (ask) =>
    inTurn(async () => {
      try {
        return await withStored(io, { readsInbox: true, migrates: false }, ({ store, inbox, publicUrl }) =>
          ask({
            ...{ store, profile },
            queueMemory: inbox === null ? NOTHING_REMEMBERED : memoryOf(inbox),
            configOf: async (id) => (inbox === null ? DEFAULT_CONFIG : await lastGoodConfig(new Configs(inbox), id)),
            repository: ({ owner, repo }) => storedRepository(store.reports, { name: `${owner}/${repo}` }),
            repositories: () => store.reports.repositories(MOST_QUEUE_REPOSITORIES),
            publicUrl: publicUrl === '' ? null : publicUrl,
            now: Date.now,
          }),
        )
      } catch (error) {
        throw isInputProblem(error) || isDatabaseProblem(error) ? new Refusal(error.message) : error
      }
    })
}
