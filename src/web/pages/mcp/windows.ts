import { z } from 'zod'
import { rowsCalled } from '../../../bot/slash/rows-named.ts'
import { queryKey, queryLabel } from '../../../intake/measurement/run.ts'
import type { BisectWindow, PlannedMidpoint } from '../../../judge/bisect/bisect-window.ts'
import { openRowKey } from '../../../report/acceptance.ts'
import { WINDOWS_ANCHOR } from '../../../report/anchors.ts'
import { MOST_QUEUE_DAYS } from '../../../report/lookback.ts'
import { pullRequestsOf, type QueueStep, waitingSteps } from '../../../report/queue/queue.ts'
import { queryName } from '../../../report/row/name.ts'
import { MARK_STATES } from '../../../report/step/marks.ts'
import { QUEUE_PATH, reportPath } from '../../../report/urls.ts'
import { NAME_LIMIT } from '../../../text/markdown.ts'
import { DAY } from '../../../text/time.ts'
import { addressOf } from '../shown-report.ts'
import { commitOrNull, untrusted, untrustedOrNull, untrustedText } from './outside.ts'
import { rowOf } from './rows.ts'
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
  const isWanted = (window: BisectWindow) => row === null || queryKey(window) === queryKey(row)
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
    name: untrusted(queryName(query, NAME_LIMIT)),
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
  const { queueMemory: memory, now: time } = sources
  const [known, marks] = await Promise.all([memory.stepsOf(repository.id), memory.marksOf(repository.id)])
  const steps = row === undefined ? known : stepsCalled(known, row)
  const decisionsOf = await memory.decisionsOn(repository.id, steps.flatMap(pullRequestsOf))
  const now = time()
  const from = now - MOST_QUEUE_DAYS * DAY
  // As in the queue: those that wait for a person first, the largest first.
  const found = waitingSteps({ steps, marks, decisionsOf, from, now }).toSorted(
    (a, b) => Number(a.state !== null) - Number(b.state !== null) || b.found.step - a.found.step,
  )
  const where = proof(
    sources,
    `${QUEUE_PATH}?repository=${encodeURIComponent(name)}&days=${MOST_QUEUE_DAYS}`,
    `queue --repository ${name} --days ${MOST_QUEUE_DAYS} --kind trunk-step --json`,
  )
  return { windows: found.map(ofTrunk), where }
}

/** By the whole name, or as rows of a report are called: by the name as it is shown, or by the id. */
function stepsCalled(steps: readonly QueueStep[], name: string): readonly QueueStep[] {
  const called = steps.filter((step) => queryLabel(step) === name)
  if (called.length > 0) return called
  const named = steps.map((step) => {
    return { step, name: queryName(step, NAME_LIMIT), test: step.test, key: openRowKey(step) }
  })
  return rowsCalled(named, name).map(({ step }) => step)
}

function ofTrunk({ found, state }: ReturnType<typeof waitingSteps>[number]): Window {
  const { architecture, step, lastGood, firstBad, window } = found
  const commit = window?.commit ?? null
  return {
    name: untrusted(queryName(found, NAME_LIMIT)),
    architecture: untrustedOrNull(architecture),
    step,
    lastGood: commitOrNull(lastGood.commit),
    firstBad: commitOrNull(firstBad.commit),
    commits: null,
    candidates: window?.candidates ?? null,
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
  }
}
