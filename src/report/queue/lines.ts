import { codeSpan, link, NAME_LIMIT } from '../../text/markdown.ts'
import { counted } from '../../text/numbers.ts'
import { kindWords, nextStepOf, type Queue, type QueueItem } from './queue.ts'

/** Items of the queue as lines that a person can paste, or that a channel is sent. */

/** How a kind of text writes what comes from outside. */
export interface Markup {
  readonly bullet: string
  readonly text: (outside: string, limit?: number) => string
  readonly link: (outside: string, url: string) => string
}

/** Markdown as GitHub reads it. */
export const MARKDOWN: Markup = {
  bullet: '-',
  text: (outside, limit = NAME_LIMIT) => codeSpan(outside, limit),
  link: (outside, url) => link(codeSpan(outside, NAME_LIMIT), url),
}

/** An item as one line. `publicUrl` null: the bot has no address from outside, and nothing is linked. */
export function queueLine(item: QueueItem, publicUrl: string | null, { bullet, text, link: linked }: Markup): string {
  const name = publicUrl === null ? text(item.what) : linked(item.what, `${publicUrl}${item.path}`)
  return `${bullet} ${kindWords(item)} ${name} in ${text(item.repository)}: ${nextStepOf(item, text)}`
}

/** What waits, a line an item. `publicUrl` null: nothing is linked. */
export function queueLines(
  { items, notShown }: Pick<Queue, 'items' | 'notShown'>,
  publicUrl: string | null,
  markup: Markup,
): readonly string[] {
  return [...items.map((item) => queueLine(item, publicUrl, markup)), ...moreLines(notShown, markup)]
}

/** The line below those that are shown; none where these are all. */
export function moreLines(notShown: number, { bullet }: Markup): readonly string[] {
  return notShown > 0 ? [`${bullet} and ${counted(notShown, 'more', 'more')}`] : []
}
