import { outageOf } from '../../github/outage.ts'
import { createComment, findOwnComment, updateComment } from '../../github/own-comment.ts'
import { react } from '../../github/people.ts'
import type { Errand, Grant } from '../../inbox/answers.ts'
import type { CommandComment } from '../../inbox/commands.ts'
import { COMMENT_LIMIT } from '../../report/render/comment.ts'
import { codeSpan } from '../../text/markdown.ts'
import { counted } from '../../text/numbers.ts'
import type { Hearing, HearingInbox } from './saying.ts'

/** For the mark that the answer is known by, and for what was left out. */
const ROOM_APART = 200

/** The longest part of a line that is repeated in an answer. */
const SHOWN = 80

/**
 * A reaction, and a reply where there is something to say: one for each comment, edited when the comment is. It carries the
 * comment's number, so that one that GitHub took without our hearing of it is found again.
 */
export async function answerComment(
  {
    octokit,
    self,
    inbox,
    now,
    log,
  }: Pick<Hearing, 'octokit' | 'self' | 'now' | 'log'> & {
    readonly inbox: Pick<HearingInbox, 'commands'>
  },
  event: Pick<Errand, keyof CommandComment | 'owner' | 'repo' | 'number' | 'via' | 'repliesTo'>,
  grantedNow: () => Promise<Grant | null>,
): Promise<void> {
  const { commentId, via, repliesTo } = event
  const ref = { owner: event.owner, repo: event.repo }
  const commands = await inbox.commands.list(event)
  if (commands.every(({ isAnswered }) => isAnswered)) return
  // After the commands: they are kept together with what they are granted.
  const granted = await grantedNow()
  if (granted === null) return
  const use = granted.charged === 'may-act' ? 'report' : 'answer'
  try {
    if (via === 'command')
      await react(octokit, ref, commentId, commands.every(({ wasDone }) => wasDone) ? '+1' : 'confused', use)
    const words = fitting(
      commands.flatMap((command) =>
        command.words === null ? [] : [`${codeSpan(command.line, SHOWN)}\n\n${command.words}`],
      ),
    )
    if (words.length > 0 && granted.reply === 'words') {
      const marker = `<!-- perf-triage-reply ${repliesTo ?? commentId} -->`
      const body = [marker, ...words].join('\n\n')
      const standing = await findOwnComment(octokit, ref, event.number, (text) => text.startsWith(marker), self, null)
      if (standing === null) await createComment(octokit, ref, event.number, body, use)
      else if (standing.body !== body) await updateComment(octokit, ref, standing.id, body, use)
    }
  } catch (error) {
    if (!isFinal(error, now())) throw error
    log.warn({ err: error, comment: commentId }, 'a command was heard, but GitHub does not accept the answer')
  }
  await inbox.commands.answered(event, commands.length, now())
}

/** The answers that one comment has room for, and how many it has not. */
function fitting(answers: readonly string[]): readonly string[] {
  let room = COMMENT_LIMIT - ROOM_APART
  const end = answers.findIndex((answer) => {
    room -= answer.length + 2
    return room < 0
  })
  if (end === -1) return answers
  const more = counted(answers.length - end, 'answer has', 'answers have')
  return [...answers.slice(0, end), `${more} no room here: ask again in a separate comment.`]
}

/** A locked conversation, or a comment that was deleted meanwhile: trying again changes nothing. */
function isFinal(error: unknown, now: number): boolean {
  const { status } = error as { readonly status?: number }
  return outageOf(error, now) === null && (status === 403 || status === 404 || status === 410 || status === 422)
}
