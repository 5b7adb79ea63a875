import type { Answered, Errand, Spent, Standing } from '../../inbox/answers.ts'

/** How a person on a pull request is answered: what a stranger can have the bot write is little, for each of them and for all together. */

export type Reply = Errand['reply'] | 'none'

export const SPENT_WINDOW_MS = 3600_000

/** A person asks what the bot can do, and about two rows; beyond that they can read the page. */
export const MOST_OF_PERSON: Answered = { words: 3, reactions: 3 }
/** Seven pull requests of one author in an hour: each may ask for three more looks, which are written as reports. */
const MOST_OF_AUTHOR = { here: 3, anywhere: 20 }
/** With a reaction for each answer these are 80 of the 500 writes that GitHub takes in an hour. */
const MOST_OF_STRANGERS: Answered = { words: 20, reactions: 40 }

/**
 * An author has three answers an hour on a pull request of their own, which nobody else can use up; beyond these they are a stranger. A stranger's
 * refusal is a reaction, as is an answer that their budget has no words for.
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
