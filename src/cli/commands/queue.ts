import type { Command } from 'commander'
import {
  DEFAULT_QUEUE_DAYS,
  MOST_QUEUE_DAYS,
  MOST_QUEUE_REPOSITORIES,
  NOTHING_REMEMBERED,
  type QueueMemory,
  type QueueRepository,
  queueMemoryOf,
  queueOf,
} from '../../bot/triage/queue.ts'
import { type InboxEnvironment, readClickHouseEnvironment, readInboxEnvironment } from '../../config/environment.ts'
import { Decisions } from '../../inbox/decisions.ts'
import { StepMarks } from '../../inbox/step-marks.ts'
import { TrunkSteps } from '../../inbox/trunk-steps.ts'
import type { Reports } from '../../store/reports/reports.ts'
import { openStore } from '../../store/store.ts'
import { count } from '../../text/numbers.ts'
import { emptySentence, queueColumns, queueJson } from '../../web/pages/queue.ts'
import { type CommandIO, EXIT_OK, examples, type Finished, InputError, printJson } from './command.ts'
import {
  daysUpTo,
  parseRepository,
  REPOSITORY_FLAGS,
  type RepositoryGiven,
  repositoryGivenText,
} from './option-values.ts'
import { openInboxToRead } from './stored-inbox.ts'
import { formatTable, painter } from './table.ts'
import { plainText, terminalWidth } from './terminal-text.ts'

interface QueueOptions {
  readonly days: number
  readonly repository?: RepositoryGiven
  readonly json?: boolean
}

/** The description, options and examples of `perf-triage queue`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  command
    .description(
      'Lists what waits for a person: red checks that nobody explained, steps of the trunk that nobody accepted, expired acceptances and ledger entries. What needs a person first stands first.',
    )
    .option(
      '--days <number>',
      `how far back it looks (at most ${MOST_QUEUE_DAYS})`,
      daysUpTo(MOST_QUEUE_DAYS),
      DEFAULT_QUEUE_DAYS,
    )
    .option(REPOSITORY_FLAGS, 'only of this repository (default: all that have reports)', parseRepository)
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['queue', 'what waits of the last week'],
        ['queue --days 1 --repository acme/fast.db', 'of one repository since yesterday'],
        ['queue --json', 'for other programs'],
      ),
    )
    .action(async (options: QueueOptions) => {
      finished(await run(options, io))
    })
}

async function run({ days, repository, json }: QueueOptions, io: CommandIO): Promise<number> {
  const environment = readClickHouseEnvironment(io.env)
  const publicUrl = (io.env['PUBLIC_URL'] ?? '').replace(/\/+$/, '')
  await using memory = await storedMemory(readInboxEnvironment(io.env))
  const store = await openStore(environment)
  try {
    const repositories = await wantedRepositories(store.reports, repository)
    const queue = await queueOf(repositories, days, { store, memory, now: Date.now() })
    if (json) printJson(queueJson(queue, days, publicUrl), io)
    else if (queue.items.length + queue.marked.length === 0) io.stdout.write(`${emptySentence(days)}\n`)
    else {
      const columns = queueColumns(publicUrl).flatMap(({ heading, text }) =>
        heading === undefined || text === undefined
          ? []
          : [{ heading: heading.toLowerCase(), text: (item: (typeof queue.items)[number]) => plainText(text(item)) }],
      )
      const lines = formatTable(
        columns,
        [...queue.items, ...queue.marked],
        terminalWidth(io.stdout),
        painter(io.stdout, io.env),
      )
      if (queue.notShown > 0) lines.push(`${count(queue.notShown)} more; choose a --repository or fewer --days`)
      io.stdout.write(`${lines.join('\n')}\n`)
    }
    return EXIT_OK
  } finally {
    await store.close()
  }
}

/** The repository that was named, or those judged latest, at most so many. Throws `InputError`. */
export async function wantedRepositories(
  reports: Pick<Reports, 'repositoryByName' | 'repositoryById' | 'repositories'>,
  given: RepositoryGiven | undefined,
  most = MOST_QUEUE_REPOSITORIES,
): Promise<QueueRepository[]> {
  if (given !== undefined) {
    const found = await storedRepository(reports, given)
    if (found === null) throw new InputError(`no report of ${repositoryGivenText(given)} is stored`)
    return [found]
  }
  return await reports.repositories(most)
}

async function storedRepository(
  reports: Pick<Reports, 'repositoryByName' | 'repositoryById'>,
  given: RepositoryGiven,
): Promise<QueueRepository | null> {
  if ('id' in given) {
    const address = await reports.repositoryById(given.id)
    return address === null ? null : { ...address, id: given.id }
  }
  const [owner = '', repo = ''] = given.name.split('/')
  const found = await reports.repositoryByName(owner, repo)
  if (found === null) return null
  // as GitHub writes it, which a person need not
  return { ...((await reports.repositoryById(found.id)) ?? { owner, repo }), id: found.id }
}

/** What the inbox knows. */
async function storedMemory(environment: InboxEnvironment): Promise<QueueMemory & AsyncDisposable> {
  const database = await openInboxToRead(environment)
  if (database === null) return { ...NOTHING_REMEMBERED, [Symbol.asyncDispose]: async () => {} }
  const memory = queueMemoryOf({
    decisions: new Decisions(database),
    trunkSteps: new TrunkSteps(database),
    stepMarks: new StepMarks(database),
  })
  return { ...memory, [Symbol.asyncDispose]: () => database.close() }
}
