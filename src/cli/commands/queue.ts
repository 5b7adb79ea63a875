import { type Command, Option } from 'commander'
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
import { MARKDOWN, type Markup, moreLines, queueLine } from '../../report/queue/lines.ts'
import {
  emptySentence,
  isUnowned,
  QUEUE_KINDS,
  type Queue,
  type QueueItem,
  type QueueKind,
} from '../../report/queue/queue.ts'
import { SLACK } from '../../report/render/slack.ts'
import { count } from '../../text/numbers.ts'
import { type CommandIO, type Finished, InputError } from './command.ts'
import { defineListing, wantedRepositories } from './listing.ts'
import { choiceOption } from './option-values.ts'

interface QueueOptions {
  readonly days: number
  readonly kind?: QueueKind
  readonly unowned?: boolean
  readonly as?: keyof typeof MARKUPS
}

const MARKUPS = { markdown: MARKDOWN, slack: SLACK } as const satisfies Record<string, Markup>

/** The description, options and examples of `perf-triage queue`. */
export function define(command: Command, io: CommandIO, finished: Finished): void {
  defineListing<QueueOptions, QueueItem>(command, io, finished, {
    description:
      'Lists what needs attention: red checks that nobody has explained, steps of the main branch that nobody has accepted, and expired acceptances and ledger entries. Most urgent first.',
    days: { most: MOST_QUEUE_DAYS, initial: DEFAULT_QUEUE_DAYS },
    options: [
      choiceOption('--kind <kind>', 'only of this kind', QUEUE_KINDS),
      new Option('--unowned', 'only what nobody has marked, owns or accepted'),
      choiceOption('--as <markup>', 'a line to paste for each open item, most urgent first', Object.keys(MARKUPS)),
    ],
    examples: [
      ['queue', 'what needs attention from the last week'],
      ['queue --days 1 --repository acme/fast.db', 'of one repository since yesterday'],
      ['queue --unowned --kind trunk-step', 'steps of the main branch that nobody owns'],
      ['queue --unowned --as markdown', 'the same of every kind, to paste'],
      ['queue --json', 'for other programs'],
    ],
    readsInbox: true,
    ask: async ({ days, repository, kind, unowned = false, as, json = false }, { store, inbox, publicUrl, now }) => {
      const memory = inbox === null ? NOTHING_REMEMBERED : memoryOf(inbox)
      if (json && as !== undefined) throw new InputError('--as and --json can’t be combined; choose one')
      const isWanted = (item: QueueItem) => (kind ?? item.kind) === item.kind && (!unowned || isUnowned(item))
      const repositories = await wantedRepositories(store.reports, repository)
      const queue = await queueOf(repositories, days, { store, memory, now, isWanted })
      const nothing = kind === undefined && !unowned ? emptySentence(days) : emptySentence(days, 'No such item')
      const { items, marked, notShown } = queue
      return {
        json: queueJson(queue, days, publicUrl),
        columns: queueColumns(publicUrl),
        rows: [...items, ...marked],
        nothing,
        ...(as !== undefined && { lines: items.length === 0 ? [nothing] : linesOf(queue, publicUrl, MARKUPS[as]) }),
        below: notShown > 0 ? [`${count(notShown)} more; choose a --repository or fewer --days`] : [],
      }
    },
  })
}

function linesOf({ items, notShown }: Queue, publicUrl: string, markup: Markup): readonly string[] {
  const address = publicUrl === '' ? null : publicUrl
  return [...items.map((item) => queueLine(item, address, markup)), ...moreLines(notShown, markup)]
}

function memoryOf(inbox: Database): QueueMemory {
  const [decisions, trunkSteps, stepMarks] = [new Decisions(inbox), new TrunkSteps(inbox), new StepMarks(inbox)]
  return queueMemoryOf({ decisions, trunkSteps, stepMarks })
}
