import type { BranchTree, HistoryBranch } from '../../github/history-branch.ts'
import type { Errand } from '../../inbox/answers.ts'
import { milliseconds } from '../../inbox/retry.ts'
import type { Decision } from '../../report/acceptance.ts'
import { MOST_OF_PERSON } from '../slash/budget.ts'
import type { HearingInbox } from '../slash/saying.ts'
import { decisionText, type HeardLine, heardLine, heardText, parseDecisions, parseHeard } from './decisions.ts'
import { appendLines, COMMANDS_FILE, DECISIONS_FILE, POSTED_FILE, textOf } from './history-files.ts'
import { parsePosted } from './posted.ts'

/** A job's memory of what people say: commands and decisions on the history branch, and the rest for as long as it runs. */

export interface MemoryInbox extends HearingInbox {
  /** Whether a command asks for another look, or did in a job before this one, which may have died since. */
  readonly isWoken: (commentId: number) => boolean
  /** Answers that are still to be written. */
  readonly errands: readonly Errand[]
}

export async function memoryInbox(branch: HistoryBranch, tree: BranchTree): Promise<MemoryInbox> {
  const posted = parsePosted(await textOf(branch, tree, POSTED_FILE)).lines
  const said: { pull: number; decision: Decision }[] = [
    ...parseDecisions(await textOf(branch, tree, DECISIONS_FILE)).lines,
  ]
  const before = parseHeard(await textOf(branch, tree, COMMANDS_FILE))
  const heard = [...before]
  const errands: Errand[] = []
  let woken = false
  let added = new Map<string, string>()
  const keep = (file: string, text: string) => added.set(file, (added.get(file) ?? '') + text)
  return {
    errands,
    isWoken: (commentId) => woken || before.some(({ comment, wasDone }) => comment === commentId && wasDone),
    // On the branch before the person is told that it is.
    together: async (work) => {
      added = new Map()
      const result = await work()
      await appendLines(branch, added, 'Keep what was said of a pull request')
      return result
    },
    commands: {
      // Answered once more a command looks the same: a reaction is there once, and the reply is edited.
      list: async ({ commentId }) =>
        heard.flatMap(({ comment, line, wasDone, words }) =>
          comment === commentId ? [{ line, wasDone, words, isAnswered: false }] : [],
        ),
      add: async (command, now) => {
        const line = heardLine(command, milliseconds(now))
        heard.push(line)
        keep(COMMANDS_FILE, heardText(line))
      },
      answered: async () => {},
      correct: async () => {},
    },
    answers: {
      add: async (errand) => {
        errands.push(errand)
      },
      isWaiting: async () => errands.length > 0,
      // Who was an author, or may act, is not on the branch: each has their own budget alone.
      spent: async ({ actorId, number }, since) => {
        const own = heard.filter((line) => line.actorId === actorId && line.at >= milliseconds(since))
        // Lines of one comment have one time, so that an edit counts like another comment.
        const asked = (lines: readonly HeardLine[]) => new Set(lines.map(({ comment, at }) => `${comment} ${at}`)).size
        const words = Math.min(asked(own.filter(({ wasDone }) => wasDone)), MOST_OF_PERSON.words)
        return {
          asAuthor: { here: asked(own.filter(({ pull }) => pull === number)), anywhere: asked(own) },
          asStranger: { words, reactions: asked(own) - words },
          ofStrangers: { words: 0, reactions: 0 },
        }
      },
    },
    reruns: {
      add: async () => {},
      list: async () => [],
      begin: async () => {},
      settle: async () => {},
      counts: async () => ({ ofHead: 0, ofPullRequest: 0, ofDay: 0 }),
    },
    decisions: {
      add: async (_repositoryId, pull, given) => {
        if (pull === null) throw new Error('a job keeps what is said of one pull request')
        const decision = given as Decision
        keep(DECISIONS_FILE, decisionText(pull, decision))
        return said.push({ pull, decision })
      },
      list: async (_repositoryId, pull) => said.flatMap((one) => (one.pull === pull ? [one.decision] : [])),
      declarations: async () => new Map(),
    },
    posted: {
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
