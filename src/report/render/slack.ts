import { plainText } from '../../text/markdown.ts'
import { counted } from '../../text/numbers.ts'
import type { DigestPeriod } from '../digest.ts'
import { type Markup, moreLines, queueLine } from '../queue/lines.ts'
import type { QueueItem } from '../queue/queue.ts'

/** A message of an incoming webhook. */
export interface SlackMessage {
  readonly text: string
  /** Names like `@here` in a text stay what they are. */
  readonly link_names: false
  readonly unfurl_links: false
}

/** Lines of one message: whoever wants more opens the page. */
const MOST_LINES = 20
const LONGEST_NAME = 150

/** On a Monday both come at the same time. */
const PERIOD_WORDS = { day: 'daily', week: 'weekly' } as const satisfies Record<DigestPeriod, string>

/**
 * A digest in Slack's format. `news`: what began to wait since the last one; `waiting`: how many wait at all. `digestUrl` null:
 * the bot has no address from outside, and nothing is linked.
 */
export function slackDigest(
  period: DigestPeriod,
  news: readonly QueueItem[],
  waiting: number,
  publicUrl: string | null,
  digestPath: string,
): SlackMessage {
  const title = `*Performance, ${PERIOD_WORDS[period]}:*`
  const page = publicUrl === null ? '' : ` ${link(`${publicUrl}${digestPath}`, `The digest of the ${period}`)}`
  const lines = news.slice(0, MOST_LINES).map((item) => queueLine(item, publicUrl, SLACK))
  const more = news.length - lines.length
  const text =
    waiting === 0
      ? `${title} nothing needs attention any more.${page}`
      : [
          `${title} ${counted(news.length, 'new item', 'new items')}, ${counted(waiting, 'needs', 'need')} attention.${page}`,
          ...lines,
          ...moreLines(more, SLACK),
        ].join('\n')
  return { text, link_names: false, unfurl_links: false }
}

/** Slack's mrkdwn, as messages of webhooks and of its API have it. */
export const SLACK: Markup = { bullet: '•', text: escaped, link: (words, url) => link(url, words) }

function link(url: string, words: string): string {
  return `<${url.replaceAll('&', '&amp;').replaceAll('>', '%3E').replaceAll('|', '%7C')}|${escaped(words)}>`
}

/**
 * A text from outside as Slack shows it: `<!channel>` in the name of a test pings nobody, a bar ends no link, and characters of
 * Slack's markup change nothing around them.
 */
function escaped(text: string, limit = LONGEST_NAME): string {
  return plainText(text, limit)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('|', '¦')
    .replace(/[*_~`@]/g, (character) => `${character}\u200b`)
}
