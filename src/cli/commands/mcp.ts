import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
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

/** After the end of the input: a client that withdrew a question gets no answer to it. */
const LONGEST_ANSWER_MS = 60_000

/** Answers until standard input ends. */
export async function run(_options: object, io: CommandIO): Promise<number> {
  const { stdin, stdout } = process
  // The transport ends with its input: it is given one that stays open until all is answered.
  const messages = new PassThrough()
  stdin.pipe(messages, { end: false })
  const transport = new StdioServerTransport(messages, stdout, { maxBufferSize: LONGEST_MESSAGE })
  const failed = (error: unknown) => {
    io.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  }
  const withSources = storedSources(io)
  const handle = serveStdio(() => mcpServer(withSources, failed), { transport, maxSubscriptions: 0, onerror: failed })
  const answered = answersOf(transport)
  io.stderr.write(
    'perf-triage mcp: reads questions from standard input; the first opens the database, which takes some seconds\n',
  )
  await once(stdin, 'close')
  await Promise.race([answered(), delay(LONGEST_ANSWER_MS, undefined, { ref: false })])
  await handle.close()
  messages.destroy()
  return EXIT_OK
}

/** Waits until each question that came in has its answer out, so that `printf … | perf-triage mcp` gets all of them. */
function answersOf(transport: StdioServerTransport): () => Promise<void> {
  const open = new Set<string | number>()
  const { onmessage } = transport
  const send = transport.send.bind(transport)
  let done = () => {}
  Object.assign(transport, {
    onmessage(message: JSONRPCMessage) {
      if ('method' in message && 'id' in message) open.add(message.id)
      onmessage?.(message)
    },
    async send(message: JSONRPCMessage) {
      await send(message)
      if (!('method' in message) && message.id !== undefined) open.delete(message.id)
      if (open.size === 0) done()
    },
  } satisfies Partial<StdioServerTransport>)
  return async () => {
    // What was piped is handed on by then.
    await setImmediate()
    if (open.size > 0) await new Promise<void>((resolve) => (done = resolve))
  }
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
