/**
 * Comments as GitHub shows them: GitHub-flavoured Markdown, raw HTML from a safe list only, mentions and references
 * turned into links, so that a person sees what a text would ping.
 */
import type { Element, ElementContent, Root, RootContent, Text } from 'hast'
import { toHtml } from 'hast-util-to-html'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { toHast } from 'mdast-util-to-hast'
import { gfm } from 'micromark-extension-gfm'

/** Raw tags that may stand in a comment, with the attributes that they keep. */
const safeTags: Readonly<Record<string, readonly string[]>> = {
  details: ['open'],
  summary: [],
  br: [],
  hr: [],
  sub: [],
  sup: [],
  b: [],
  strong: [],
  i: [],
  em: [],
  s: [],
  del: [],
  ins: [],
  code: [],
  kbd: [],
  samp: [],
  tt: [],
  var: [],
  p: ['align'],
  div: ['align'],
  blockquote: [],
  a: ['href'],
  img: ['src', 'alt', 'width', 'height', 'align'],
}
const empty = new Set(['br', 'hr', 'img'])
/** Dropped with what is inside; of other unknown tags the text stays. */
const droppedContent = /<(script|style|iframe|textarea|title|noembed|xmp)\b[\s\S]*?(?:<\/\1\s*>|$)/gi

export interface MarkdownContext {
  /** Where a mention of a person leads. */
  readonly userUrl: (login: string) => string
  /** Where `#12` leads; null when there is no such pull request, which leaves the text alone. */
  readonly issueUrl: (number: number) => string | null
}

/** Safe HTML of a comment; `mentions` lists the people that GitHub would notify. */
export function renderMarkdown(markdown: string, context: MarkdownContext): { html: string; mentions: string[] } {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  const hast = toHast(tree, { allowDangerousHtml: true, clobberPrefix: 'user-content-' })
  const root: Root = hast.type === 'root' ? hast : { type: 'root', children: [hast] }
  const open: string[] = []
  const mentions = new Set<string>()
  clean(root, open, mentions, context, false)
  // A tag left open would take in what follows the comment on the page.
  const closing = open.toReversed().map((tag) => `</${tag}>`)
  return { html: toHtml(root, { allowDangerousHtml: true }) + closing.join(''), mentions: [...mentions] }
}

function clean(
  parent: Root | Element,
  open: string[],
  mentions: Set<string>,
  context: MarkdownContext,
  plain: boolean,
): void {
  const children: RootContent[] = []
  for (const child of parent.children) {
    if (child.type === 'raw') {
      children.push({ type: 'raw', value: safeHtml(child.value, open) })
    } else if (child.type === 'text') {
      children.push(...(plain ? [child] : linked(child, mentions, context)))
    } else if (child.type === 'element') {
      cleanLinks(child)
      clean(child, open, mentions, context, plain || ['a', 'code', 'pre'].includes(child.tagName))
      children.push(child)
    }
  }
  parent.children = children as ElementContent[]
}

function cleanLinks(element: Element): void {
  for (const name of ['href', 'src'] as const) {
    const value = element.properties[name]
    if (value !== undefined && !isSafeUrl(value)) delete element.properties[name]
  }
}

function isSafeUrl(url: string): boolean {
  // An entity could hide the colon of a scheme.
  if (/&#|&\w+;/.test(url)) return false
  return /^(https?:|mailto:|#|\/|\.)/i.test(url) || !/^[^/?#]*:/.test(url)
}

/** Raw HTML with safe tags only, written anew; comments vanish. `open` holds the tags that were not closed yet. */
export function safeHtml(html: string, open: string[]): string {
  const source = html.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '').replaceAll(droppedContent, '')
  let safe = ''
  let rest = source
  while (rest !== '') {
    const tag = /^<(\/?)([a-z][a-z0-9]*)\b((?:[^>"']|"[^"]*"|'[^']*')*)>/i.exec(rest)
    if (tag === null) {
      const next = rest.indexOf('<', 1)
      const text = next === -1 ? rest : rest.slice(0, next)
      safe += escapeText(text)
      rest = rest.slice(text.length)
      continue
    }
    const [whole, slash, name = '', attributes = ''] = tag
    safe += safeTag(name.toLowerCase(), slash === '/', attributes, open)
    rest = rest.slice(whole.length)
  }
  return safe
}

function safeTag(name: string, closes: boolean, attributes: string, open: string[]): string {
  const kept = safeTags[name]
  if (kept === undefined) return ''
  if (closes) {
    const at = open.lastIndexOf(name)
    // An end without its beginning could close what encloses the comment.
    if (at === -1) return ''
    const ended = open.splice(at).toReversed()
    return ended.map((tag) => `</${tag}>`).join('')
  }
  if (!empty.has(name)) open.push(name)
  const values = kept.map((attribute) => {
    const found = new RegExp(`\\s${attribute}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+)))?(?=\\s|/|$)`, 'i').exec(
      attributes,
    )
    if (found === null) return ''
    const value = (found[1] ?? found[2] ?? found[3] ?? '').trim().replaceAll('&amp;', '&')
    if ((attribute === 'href' || attribute === 'src') && !isSafeUrl(value)) return ''
    return ` ${attribute}="${escapeAttribute(value)}"`
  })
  return `<${name}${values.join('')}>`
}

/** `&` may begin an entity that the author wrote. */
function escapeText(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function escapeAttribute(text: string): string {
  return escapeText(text.replaceAll('&', '&amp;')).replaceAll('"', '&quot;')
}

const references = /(?<![\w`/&@#])(?:@([a-z\d](?:-?[a-z\d]){0,38})(?![\w-])|#(\d{1,9})(?!\w))/gi

function linked(text: Text, mentions: Set<string>, context: MarkdownContext): ElementContent[] {
  const parts: ElementContent[] = []
  let at = 0
  for (const found of text.value.matchAll(references)) {
    const [whole, login, number] = found
    const href = login === undefined ? context.issueUrl(Number(number)) : context.userUrl(login)
    if (href === null) continue
    if (login !== undefined) mentions.add(login)
    parts.push({ type: 'text', value: text.value.slice(at, found.index) })
    parts.push({
      type: 'element',
      tagName: 'a',
      properties: { href, className: [login === undefined ? 'issue-link' : 'user-mention'] },
      children: [{ type: 'text', value: whole }],
    })
    at = found.index + whole.length
  }
  parts.push({ type: 'text', value: text.value.slice(at) })
  return parts
}
