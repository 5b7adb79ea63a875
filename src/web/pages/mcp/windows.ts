import { z } from 'zod'
import { NOTHING_REMEMBERED, queueOf } from '../../../bot/triage/queue.ts'
import type { BisectWindow, PlannedMidpoint } from '../../../judge/bisect/bisect-window.ts'
import { WINDOWS_ANCHOR } from '../../../report/anchors.ts'
import { MOST_QUEUE_DAYS } from '../../../report/lookback.ts'
import type { QueueItem } from '../../../report/queue/queue.ts'
import { queryName } from '../../../report/row/name.ts'
import { MARK_STATES } from '../../../report/step/marks.ts'
import { QUEUE_PATH, reportPath } from '../../../report/urls.ts'
import { addressOf } from '../shown-report.ts'
import { commitOrNull, untrusted, untrustedOrNull, untrustedText } from './outside.ts'
import { LONGEST_NAME, rowOf } from './rows.ts'
import { proof, reportAsked, repositoryNamed, type Sources } from './sources.ts'
import { first, NO_REPORT, NO_REPOSITORY, OF_REPORT, ROW, tool } from './tool.ts'

export const buildShape = z.strictObject({
  commit: z.string(),
  repetitions: z.int().nullable().describe('A side; null: not known.'),
  after: z.enum(['good', 'bad']).nullable().describe('How the build before has to turn out; null: the first.'),
})

/** None of a commit without an id. */
export function buildsOf({
  commit,
  repetitions,
  after,
}: Omit<PlannedMidpoint, 'level'>): z.output<typeof buildShape>[] {
  return commitOrNull(commit) === null ? [] : [{ commit, repetitions, after }]
}

const count = z.int().nonnegative().nullable()

const windowShape = z.strictObject({
  name: untrustedText,
  architecture: untrustedText.nullable(),
  step: z.number().describe('A fraction of the value before.'),
  lastGood: z.string().nullable(),
  firstBad: z.string().nullable(),
  commits: count.describe('All in the window; null: not known.'),
  candidates: count.describe('Those of them that can change the binary.'),
  commit: z
    .strictObject({
      sha: z.string().nullable(),
      title: untrustedText,
      pullRequest: count,
      author: untrustedText.nullable(),
    })
    .nullable()
    .describe('The one candidate, where there is one.'),
  builds: z.array(buildShape),
  state: z.enum(MARK_STATES).describe('What a person has marked it as.'),
})

type Window = z.output<typeof windowShape>

export const stepWindow = tool({
  name: 'step_window',
  title: 'The window of a step on the main branch',
  description:
    'Between which commits the main branch got slower, which of them can be the cause, and what to build. Of the rows of a pull request where one is named; else of all steps that the bot has found.',
  input: { ...OF_REPORT, pullRequest: OF_REPORT.pullRequest.optional(), row: ROW.optional() },
  output: { windows: z.array(windowShape) },
  async ask(sources, { pullRequest, ...asked }) {
    const found =
      pullRequest === undefined ? await stepsOf(sources, asked) : await windowsOf(sources, { ...asked, pullRequest })
    if (typeof found === 'string') return found
    const { windows, where } = found
    return (most) => {
      const [shown, more] = first(windows, most)
      return {
        answer:
          windows.length === 0
            ? 'No lasting step of the main branch is known here.'
            : 'Steps of the main branch, each between two measured commits.',
        windows: [...shown],
        proof: where,
        references: [],
        more,
      }
    }
  },
})

interface Found {
  readonly windows: readonly Window[]
  readonly where: string
}

async function windowsOf(
  sources: Sources,
  asked: {
    readonly repository: string
    readonly pullRequest: number
    readonly head?: string | undefined
    readonly row?: string | undefined
  },
): Promise<Found | string> {
  const report = await reportAsked(sources, asked)
  if (report === null) return NO_REPORT
  const row = asked.row === undefined ? null : rowOf(report, asked.row)
  if (typeof row === 'string') return row
  const isWanted = (window: BisectWindow) =>
    row === null || queryName(window, LONGEST_NAME) === queryName(row, LONGEST_NAME)
  const where = proof(
    sources,
    `${reportPath(addressOf(report))}#${WINDOWS_ANCHOR}`,
    `bisect --repository-id ${report.repository.id} --json`,
  )
  return { windows: report.windows.filter(isWanted).map(ofReport), where }
}

function ofReport({ architecture, step, commits, functional, plan, ...query }: BisectWindow): Window {
  const [only, ...others] = functional
  return {
    name: untrusted(queryName(query, LONGEST_NAME)),
    architecture: untrustedOrNull(architecture),
    step: step.step,
    lastGood: commitOrNull(step.lastGood.commit),
    firstBad: commitOrNull(step.firstBad.commit),
    commits: commits?.total ?? null,
    candidates: commits === null ? null : functional.length,
    commit:
      only === undefined || others.length > 0
        ? null
        : {
            sha: commitOrNull(only.sha),
            title: untrusted(only.title),
            pullRequest: only.pullRequestNumber,
            author: null,
          },
    builds: plan.flatMap(buildsOf),
    state: 'open',
  }
}

async function stepsOf(
  sources: Sources,
  { repository: name, row }: { readonly repository: string; readonly row?: string | undefined },
): Promise<Found | string> {
  const repository = await repositoryNamed(sources, name)
  if (repository === null) return NO_REPOSITORY
  const { store, queueMemory, now } = sources
  // The queue without what reports and ledger add to it.
  const isStep = (item: QueueItem) => item.kind === 'trunk-step' && (row === undefined || item.what === row)
  const memory = { ...NOTHING_REMEMBERED, ...queueMemory }
  const { items, marked } = await queueOf([repository], MOST_QUEUE_DAYS, {
    store,
    memory,
    now: now(),
    isWanted: isStep,
  })
  const where = proof(
    sources,
    `${QUEUE_PATH}?repository=${encodeURIComponent(name)}&days=${MOST_QUEUE_DAYS}`,
    `queue --repository ${name} --days ${MOST_QUEUE_DAYS} --kind trunk-step --json`,
  )
  return { windows: [...items, ...marked].flatMap(ofQueue), where }
}

function ofQueue(item: QueueItem): Window[] {
  if (item.kind !== 'trunk-step') return []
  const { what, architecture, step, lastGood, firstBad, commits, commit, state } = item
  return [
    {
      name: untrusted(what),
      architecture: untrustedOrNull(architecture),
      step,
      lastGood: commitOrNull(lastGood),
      firstBad: commitOrNull(firstBad),
      commits: null,
      candidates: commits,
      commit:
        commit === null
          ? null
          : {
              sha: commitOrNull(commit.sha),
              title: untrusted(commit.title),
              pullRequest: commit.pullRequestNumber,
              author: untrustedOrNull(commit.author),
            },
      builds: [],
      state: state ?? 'open',
    },
  ]
}
