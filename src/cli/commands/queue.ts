import type { Command } from 'commander'
import {
  DEFAULT_QUEUE_DAYS,
  MOST_QUEUE_DAYS,
  NOTHING_REMEMBERED,
  type QueueMemory,
  queueMemoryOf,
  queueOf,
} from '../../bot/triage/queue.ts'
import type { Database } from '../../inbox/database.ts'
import { Decisions } from '../../inbox/decisions.ts'
import { StepMarks } from '../../inbox/step-marks.ts'
import { TrunkSteps } from '../../inbox/trunk-steps.ts'
import { queueColumns, queueJson } from '../../report/queue/columns.ts'
import { emptySentence, type QueueItem } from '../../report/queue/queue.ts'
import { count } from '../../text/numbers.ts'
import type { CommandIO, Finished } from './command.ts'
import { defineListing, wantedRepositories } from './listing.ts'

/** The description, options and examples of `perf-triage queue`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  defineListing<{ readonly days: number }, QueueItem>(command, io, finished, {
    description:
      'Lists what waits for a person: red checks that nobody explained, steps of the trunk that nobody accepted, expired acceptances and ledger entries. What needs a person first stands first.',
    days: { most: MOST_QUEUE_DAYS, initial: DEFAULT_QUEUE_DAYS },
    examples: [
      ['queue', 'what waits of the last week'],
      ['queue --days 1 --repository acme/fast.db', 'of one repository since yesterday'],
      ['queue --json', 'for other programs'],
    ],
    readsInbox: true,
    ask: async ({ days, repository }, { store, inbox, publicUrl, now }) => {
      const memory = inbox === null ? NOTHING_REMEMBERED : memoryOf(inbox)
      const queue = await queueOf(await wantedRepositories(store.reports, repository), days, { store, memory, now })
      const { items, marked, notShown } = queue
      return {
        json: queueJson(queue, days, publicUrl),
        columns: queueColumns(publicUrl),
        rows: [...items, ...marked],
        nothing: emptySentence(days),
        below: notShown > 0 ? [`${count(notShown)} more; choose a --repository or fewer --days`] : [],
      }
    },
  })
}

function memoryOf(inbox: Database): QueueMemory {
  const [decisions, trunkSteps, stepMarks] = [new Decisions(inbox), new TrunkSteps(inbox), new StepMarks(inbox)]
  return queueMemoryOf({ decisions, trunkSteps, stepMarks })
}
