import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmTable } from 'micromark-extension-gfm-table'

/** Finds the lines of a comment that are meant for the bot. What they ask for is `arguments.ts` and `commands.ts`. */

type Node = ReturnType<typeof fromMarkdown>['children'][number]

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
 * What else Markdown has makes no difference to where a command stands, and costs minutes in a comment that was made for that. A line
 * directly below a table is a row of it, pipes or none; cells are no paragraph.
 */
const BLOCKS_CODE_LINKS_AND_HTML = [gfmTable(), { disable: { null: ['attention', 'characterReference'] } }]

/** What the parser takes for links grows with the square of them. A comment with more brackets holds no command. */
const MOST_BRACKETS = 1000

/** The start of a footnote's text, which goes on as that of a quote does. */
const FOOTNOTE = /^( {0,3})\[\^[^\]\s]{1,999}\]:/gm

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
 * The lines of a comment that begin with the prefix or the bot's name, in their order, where a reader sees them as lines of plain text.
 * Code, quotes, lists, tables, headings, footnotes, links and images with their titles, and all that is inside an element of HTML hold
 * none, so that a command that somebody shows, quotes or hides does not run.
 *
 * `/perf help` is one; `> /perf help`, `see /perf help` and `![a\n/perf help\n](b)` are none.
 */
export function commandsIn(markdown: string, prefix: string, botName: string): CommandLine[] {
  const asked = upToLastCall(markdown, [prefix, `@${botName}`])
  if (asked === '') return []
  if ((asked.match(NESTED_LINE)?.length ?? 0) > MOST_NESTED_LINES) return []
  if ((asked.match(/[[\]]/g)?.length ?? 0) > MOST_BRACKETS) return []
  const source = asked
    .replaceAll(FOOTNOTE, '$1>')
    .replaceAll(DEEP_NUMBERS, '$1 .')
    .replaceAll(DEEP_NESTING, withoutNesting)
  const elements = new Elements()
  return fromMarkdown(source, { extensions: BLOCKS_CODE_LINKS_AND_HTML })
    .children.flatMap((block) => linesOf(block, source, elements))
    .filter((line) => !UNSEEN.test(line))
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

/**
 * The text up to the end of the paragraph of the last line that begins with a call: what follows makes it no other, unless it says where
 * brackets in it lead. Empty: no line does.
 */
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
  return blank === null || markdown.includes(']:', blank.index) ? markdown : markdown.slice(0, blank.index)
}

/** What follows the prefix; null where the line does not begin with it as a whole word. */
function afterCall(line: string, call: string): string | null {
  if (line.slice(0, call.length).toLowerCase() !== call.toLowerCase()) return null
  const rest = line.slice(call.length).replace(/^\[bot\]/, '')
  return rest === '' || /^[\s,:\0]/.test(rest) ? rest.replace(/^[,:]/, '').replaceAll(HIDDEN, ' ') : null
}

/** In the place of each character of inline HTML: a command after it does not begin its line. */
const HIDDEN = '\0'

/**
 * What can't be seen, or turns the direction of what follows: a reader would take the line for another one. What joins or varies the
 * letters beside it, as in emoji, is no such.
 */
const UNSEEN = /(?!\u200c|\u200d|\ufe0e|\ufe0f|\t|\0)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

/** What begins and ends text that is struck out, or a formula, which may hide its letters. */
const SHOWN_OTHERWISE = ['~', '$']

/**
 * The lines of a paragraph as they were typed: `hash_*` would be read as emphasis. Code, links, images and HTML begin no line, and
 * neither does what is inside an element of HTML.
 */
function linesOf(block: Node, markdown: string, elements: Elements): string[] {
  if (block.type !== 'paragraph' || elements.areOpen) {
    elements.readAll(block)
    return []
  }
  let text = ''
  let end = block.position!.start.offset!
  for (const child of block.children) {
    const { start, end: last } = child.position!
    text += markdown.slice(end, start.offset)
    const source = markdown.slice(start.offset, last.offset)
    if (child.type === 'html') text += HIDDEN.repeat(source.length)
    else text += isPlain(child) && !elements.areOpen ? source : source.replaceAll(/[\r\n]/g, ' ')
    elements.readAll(child)
    end = last.offset!
  }
  const lines = (text + markdown.slice(end, block.position!.end.offset)).split(/\r\n|\r|\n/)
  const marked = SHOWN_OTHERWISE.map((mark) => lines.flatMap((line, at) => (line.includes(mark) ? [at] : [])))
  return lines
    .filter((_, at) => !marked.some((of) => at > (of[0] ?? at) && at <= of.at(-1)!))
    .map((line) => line.trimStart())
}

function isPlain({ type }: Node): boolean {
  return type === 'text' || type === 'break'
}

/** Those that have no end. */
const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
])

/** As Markdown has them: in anything else a browser and this page may see different ends. */
const OPENING_TAG = /<([a-z][a-z\d-]*)(?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*\/?>/iy
const CLOSING_TAG = /<\/([a-z][a-z\d-]*)\s*>/iy
const START_OF_COMMENT = /<!--(?:-?>)?/y
const END_OF_COMMENT = /--!?>/g

/** The elements of HTML that are open where one has read to. `<details>` hides what is inside until it is opened. */
class Elements {
  readonly #open: string[] = []

  get areOpen(): boolean {
    return this.#open.length > 0
  }

  /** All HTML in a part of a comment, in its order. */
  readAll(node: Node): void {
    if (node.type === 'html') this.#read(node.value)
    if ('children' in node) for (const child of node.children) this.readAll(child)
  }

  /** An end that is not that of the innermost element ends nothing: a browser may not let it. */
  #read(html: string): void {
    for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
      const comment = matchAt(START_OF_COMMENT, html, at)
      const opening = matchAt(OPENING_TAG, html, at)
      const closing = matchAt(CLOSING_TAG, html, at)
      if (comment !== null) {
        END_OF_COMMENT.lastIndex = at + comment[0].length
        const isWhole = comment[0].endsWith('>') || END_OF_COMMENT.test(html)
        if (!isWhole) return void this.#open.push(NEVER_ENDS)
        at = comment[0].endsWith('>') ? at + comment[0].length : END_OF_COMMENT.lastIndex
      } else if (opening !== null) {
        const name = opening[1]!.toLowerCase()
        if (!VOID.has(name)) this.#open.push(name)
        at += opening[0].length
      } else if (closing !== null) {
        if (this.#open.at(-1) === closing[1]!.toLowerCase()) this.#open.pop()
        at += closing[0].length
      } else if (/[a-z/!?]/i.test(html[at + 1] ?? ' ')) return void this.#open.push(NEVER_ENDS)
      else at += 1
    }
  }
}

/** No name of an element: what a browser makes of the rest is not known. */
const NEVER_ENDS = ''

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** `explain "hash functions #1" #2` has three words. An apostrophe quotes only at the ends of words: `don't` is one. */
function wordsOf(rest: string): Word[] {
  const found = rest.matchAll(/"([^"]*)"|“([^”]*)”|(?<!\S)'([^']*)'(?!\S)|`([^`]*)`|(\S+)/g)
  return Array.from(found, ([, straight, curly, single, code, bare]) => ({
    text: straight ?? curly ?? single ?? code ?? bare!,
    isQuoted: (straight ?? curly ?? single) !== undefined,
  }))
}
