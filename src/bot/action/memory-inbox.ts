import type { BranchTree, HistoryBranch } from '../../github/history-branch.ts'
import type { HeardCommand, StoredCommand } from '../../inbox/commands.ts'
import type { Decision } from '../../report/acceptance.ts'
import type { HearingInbox } from '../slash/saying.ts'
import { decisionText, parseDecisions } from './decisions.ts'
import { appendLines, DECISIONS_FILE, POSTED_FILE, textOf } from './history-files.ts'
import { parsePosted } from './posted.ts'

/** What a job remembers of what people say: decisions on the history branch, and the rest for as long as it runs. */

export interface MemoryInbox extends HearingInbox {
  /** Whether a command asks for another look. */
  readonly isWoken: () => boolean
}

export async function memoryInbox(branch: HistoryBranch, tree: BranchTree): Promise<MemoryInbox> {
  const posted = parsePosted(await textOf(branch, tree, POSTED_FILE)).lines
  const said: { pull: number; decision: Decision }[] = [
    ...parseDecisions(await textOf(branch, tree, DECISIONS_FILE)).lines,
  ]
  const heard: StoredCommand[] = []
  let woken = false
  return {
    isWoken: () => woken,
    together: (work) => work(),
    commands: {
      list: async () => heard,
      countBy: async () => heard.length,
      add: async ({ line, wasDone, words }: HeardCommand) =>
        void heard.push({ line, wasDone, words, isAnswered: false }),
      answered: async () => {},
      correct: async () => {},
    },
    reruns: {
      add: async () => {},
      list: async () => [],
      begin: async () => {},
      settle: async () => {},
      counts: async () => ({ ofHead: 0, ofPullRequest: 0, ofDay: 0 }),
    },
    decisions: {
      // On the branch before the person is told that it is.
      add: async (_repositoryId, pull, given) => {
        if (pull === null) throw new Error('a job keeps what is said of one pull request')
        const decision = given as Decision
        const message = `Keep what ${decision.actor} said of pull request ${pull}`
        await appendLines(branch, new Map([[DECISIONS_FILE, decisionText(pull, decision)]]), message)
        return said.push({ pull, decision })
      },
      list: async (_repositoryId, pull) => said.flatMap((one) => (one.pull === pull ? [one.decision] : [])),
      declarations: async () => new Map(),
    },
    posted: {
      // GitHub's times are whole seconds: what was posted within the same one nobody has read.
      // GitHub's times are whole seconds: what was posted within the same one nobody has read.
      lastSeen: async (_repositoryId, pull, at) =>
        posted.findLast((line) => line.pull === pull && line.seen !== undefined && line.seen.at < Number(at))?.seen ??
        null,
      seenAs: async () => null,
    },
    triages: {
      wake: async () => {
        woken = true
      },
    },
    refusedSources: { forget: async () => {} },
  }
}
