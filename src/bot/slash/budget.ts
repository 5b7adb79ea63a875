import type { Answered, Errand, Spent, Standing } from '../../inbox/answers.ts'

/** Whether and how a person is answered: each stranger, and all strangers together, can make the bot write only a little. */

export type Reply = Errand['reply'] | 'none'

export const SPENT_WINDOW_MS = 3600_000

/** A person asks what the bot can do, and about two rows; beyond that they can read the page. */
export const MOST_OF_PERSON: Answered = { words: 3, reactions: 3 }
/** Seven pull requests of one author in an hour: each may ask for three more looks, which are written as reports. */
const MOST_OF_AUTHOR = { here: 3, anywhere: 20 }
/** With a reaction for each answer these are 80 of the 500 writes that GitHub takes in an hour. */
const MOST_OF_STRANGERS: Answered = { words: 20, reactions: 40 }

/**
 * An author gets three answers an hour on a pull request of their own, which nobody else can use up; after those they count as a stranger.
 * A stranger is refused by a reaction alone, and gets one in place of an answer once their answers in words are used up.
 */
export function replyTo(
  standing: Standing,
  isRefused: boolean,
  { asAuthor, asStranger, ofStrangers }: Spent,
): { readonly reply: Reply; readonly charged: Standing } {
  if (standing === 'may-act') return { reply: 'words', charged: standing }
  const isWithin = asAuthor.here < MOST_OF_AUTHOR.here && asAuthor.anywhere < MOST_OF_AUTHOR.anywhere
  if (standing === 'author' && isWithin) return { reply: 'words', charged: standing }
  const has = (of: keyof Answered) => asStranger[of] < MOST_OF_PERSON[of] && ofStrangers[of] < MOST_OF_STRANGERS[of]
  const reply = !isRefused && has('words') ? 'words' : has('reactions') ? 'reaction' : 'none'
  return { reply, charged: 'stranger' }
}
