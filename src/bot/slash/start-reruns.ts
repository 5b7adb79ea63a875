import type { Logger } from 'pino'
import type { Octokit } from '../../github/octokit.ts'
import { startAgain } from '../../github/reruns.ts'
import type { CommandComment } from '../../inbox/commands.ts'
import type { RerunOutcome, StoredRerun } from '../../inbox/reruns.ts'
import { targetWords } from './commands/rerun.ts'
import type { HearingInbox } from './saying.ts'

/** Starts on GitHub what `/perf rerun` put in the inbox, and answers the person with what came of it. */

const PROBLEMS: Readonly<Record<Exclude<RerunOutcome, 'started'>, string>> = {
  superseded: 'a newer commit has been pushed',
  'not-permitted':
    'the App lacks the permission *Actions: write*, which an owner of the repository can give it on GitHub',
  'already-running': 'it is already running',
  refused: 'GitHub refuses to rerun it, as it does for runs older than a month',
}

interface Starting {
  readonly octokit: Octokit
  readonly inbox: Pick<HearingInbox, 'commands' | 'reruns' | 'together'>
  readonly now: () => number
  readonly log: Logger
}

/**
 * Asks GitHub for what the lines of a comment want started again, each once: after a crash for what is left. Only the present
 * head is run again. Throws what should be tried again.
 */
export async function startReruns(
  { octokit, inbox, now, log }: Starting,
  comment: CommandComment & { readonly owner: string; readonly repo: string },
  head: string,
): Promise<void> {
  const ref = { owner: comment.owner, repo: comment.repo }
  const waiting = (await inbox.reruns.list(comment)).filter(({ outcome }) => outcome === null)
  for (const rerun of waiting) {
    const outcome = await startAgain({ octokit, ref, head, reruns: inbox.reruns, now: now() }, rerun)
    const isStarted = outcome === 'started'
    if (!isStarted) log.warn({ rerun, outcome }, 'a job was not restarted')
    await inbox.together(async () => {
      await inbox.reruns.settle(rerun.rowId, outcome)
      if (!isStarted) await correct(inbox, comment, rerun.line)
    })
  }
}

/** What the line says now that GitHub has answered. */
async function correct(inbox: Starting['inbox'], comment: CommandComment, line: string): Promise<void> {
  const reruns = (await inbox.reruns.list(comment)).filter((one) => one.line === line)
  const started = reruns.filter(({ outcome }) => outcome === 'started' || outcome === null)
  const words = [
    ...(started.length === 0 ? [] : [`Restarted: ${started.map(targetWords).join(', ')}.`]),
    ...reruns.flatMap(problemWords),
  ]
  await inbox.commands.correct(comment, { line, wasDone: started.length > 0, words: words.join(' ') })
}

function problemWords(rerun: StoredRerun): readonly string[] {
  const { outcome } = rerun
  return outcome === null || outcome === 'started'
    ? []
    : [`Not restarted: ${targetWords(rerun)}; ${PROBLEMS[outcome]}.`]
}
