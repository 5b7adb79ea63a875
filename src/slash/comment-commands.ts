import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTable } from 'micromark-extension-gfm-table'

type Block = ReturnType<typeof fromMarkdown>['children'][number]

/** A word of a command, or what stands in quotes or inline code as one. */
export interface Word {
  readonly text: string
  readonly isQuoted: boolean
}

/** A line of a comment that is meant for the bot: `/perf mute "known"` is the words `mute` and `known`. */
export interface CommandLine {
  /** The line as it stands, without the spaces around it. */
  readonly text: string
  readonly words: readonly Word[]
  /** It begins with the bot's name: `@perf-triage thanks` may be no command at all. */
  readonly isMention: boolean
}

/** More lines of one comment are not read: nobody means so many. */
const MOST_COMMANDS = 10

/**
 * All else makes no difference to where a command stands, and costs minutes in a comment that was made for that. A line directly below a
 * table is a row of it, pipes or none; cells are no paragraph.
 */
const BLOCKS_CODE_AND_HTML = [
  gfmTable(),
  {
    disable: {
      null: ['attention', 'autolink', 'characterReference', 'labelEnd', 'labelStartImage', 'labelStartLink'],
    },
  },
]

/** The marks of quotes and lists at the start of a line, beyond a depth that people write, and what follows them. */
const DEEP_NESTING = /^([ \t>*+-]{8})[ \t]*([>*+-]?)[ \t>*+-]*(.?)/gm

/** The same of lists with numbers: `1. 1. 1. 1. 1. /perf help`. */
const DEEP_NUMBERS = /^((?:[ \t>*+-]*\d{1,9}[.)]){3})[ \t]*[>*+\-\d.)][ \t>*+\-\d.)]*/gm

/**
 * A line of a list within a list or a quote within one, such as `  - a`, `- - a` or `1. > a`. What the parser takes grows with the square
 * of them: 10,000 keep it busy for twenty seconds.
 */
const NESTED_LINE =
  /^[ \t>]*(?:(?<=[ \t]{2})(?:[*+-]|\d{1,9}[.)])[ \t\r\n]|(?:[*+-]|\d{1,9}[.)])[ \t]+(?:[>*+-]|\d{1,9}[.)]))/gm
/** A comment with more of them holds no command. */
const MOST_NESTED_LINES = 300

/**
 * The lines of a comment that begin with the prefix or the bot's name, in their order. Code, quotes, lists, tables, headings
 * and HTML with its comments hold none, so that a command that somebody shows or quotes does not run.
 *
 * `/perf help` is one; `> /perf help` and `see /perf help` are none.
 */
export function commandsIn(markdown: string, prefix: string, botName: string): CommandLine[] {
  const asked = upToLastCall(markdown, [prefix, `@${botName}`])
  if ((asked.match(NESTED_LINE)?.length ?? 0) > MOST_NESTED_LINES) return []
  const source = asked.replaceAll(DEEP_NUMBERS, '$1 .').replaceAll(DEEP_NESTING, withoutNesting)
  return fromMarkdown(source, { extensions: BLOCKS_CODE_AND_HTML })
    .children.flatMap((block) => linesOf(block, source))
    .flatMap((line) => {
      const rest = afterCall(line, prefix) ?? afterCall(line, `@${botName}`)
      return rest === null
        ? []
        : [{ text: line.replaceAll(HIDDEN, ' ').trim(), words: wordsOf(rest), isMention: line.startsWith('@') }]
    })
    .slice(0, MOST_COMMANDS)
}

/**
 * Indented by eight spaces a mark is text of the paragraph above it: `> /perf help` is no command there either, and a line of marks alone
 * is no empty one, which would end a block of HTML.
 */
function withoutNesting(_: string, start: string, mark: string, next: string): string {
  if (mark === '') return `${start}${next}`
  return next === '' ? `${start}${mark}` : `${start}${mark}. ${next}`
}

/** A line begins as a command may. A line ends at U+2028 too: as space, each of them would be tried with all that follow. */
const MAY_BEGIN = /^[^\S\r\n\u2028\u2029]*[/!@][A-Za-z]/m

/** Whether a line begins as a command may: where none does, nothing need be asked or read. */
export function mayHoldCommand(markdown: string): boolean {
  return MAY_BEGIN.test(markdown)
}

/** The text up to the end of the paragraph of the last line that begins with a call: what follows makes it no other. Empty: no line does. */
function upToLastCall(markdown: string, calls: readonly string[]): string {
  let last = -1
  for (const { 0: start, index } of markdown.matchAll(new RegExp(MAY_BEGIN, 'gm'))) {
    const at = index + start.length - 2
    if (calls.some((call) => markdown.slice(at, at + call.length).toLowerCase() === call.toLowerCase())) last = at
  }
  if (last === -1) return ''
  const end = /(?:\r\n|\r|\n)[ \t]*(?:\r|\n)/g
  end.lastIndex = last
  const blank = end.exec(markdown)
  return blank === null ? markdown : markdown.slice(0, blank.index)
}

/** What follows the prefix; null where the line does not begin with it as a whole word. */
function afterCall(line: string, call: string): string | null {
  if (line.slice(0, call.length).toLowerCase() !== call.toLowerCase()) return null
  const rest = line.slice(call.length).replace(/^\[bot\]/, '')
  return rest === '' || /^[\s,:\0]/.test(rest) ? rest.replace(/^[,:]/, '').replaceAll(HIDDEN, ' ') : null
}

/** In the place of each character of inline HTML: a command after it does not begin its line. */
const HIDDEN = '\0'

/** The lines of a paragraph as they were typed: `hash_*` would be read as emphasis. Inline code and HTML begin no line. */
function linesOf(block: Block, markdown: string): string[] {
  if (block.type !== 'paragraph') return []
  let text = ''
  let end = block.position!.start.offset!
  for (const child of block.children) {
    if (child.type !== 'html' && child.type !== 'inlineCode') continue
    const source = sourceOf(child, markdown)
    const hidden = child.type === 'html' ? HIDDEN.repeat(source.length) : source.replaceAll(/[\r\n]/g, ' ')
    text += markdown.slice(end, child.position!.start.offset) + hidden
    end = child.position!.end.offset!
  }
  text += markdown.slice(end, block.position!.end.offset)
  return text.split(/\r\n|\r|\n/).map((line) => line.trimStart())
}

function sourceOf({ position }: Block, markdown: string): string {
  return markdown.slice(position!.start.offset, position!.end.offset)
}

/** `explain "hash functions #1" #2` has three words. An apostrophe quotes only at the ends of words: `don't` is one. */
function wordsOf(rest: string): Word[] {
  const found = rest.matchAll(/"([^"]*)"|“([^”]*)”|(?<!\S)'([^']*)'(?!\S)|`([^`]*)`|(\S+)/g)
  return Array.from(found, ([, straight, curly, single, code, bare]) => ({
    text: straight ?? curly ?? single ?? code ?? bare!,
    isQuoted: (straight ?? curly ?? single) !== undefined,
  }))
}
