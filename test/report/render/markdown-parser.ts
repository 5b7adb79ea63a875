import type { Html, Link, Nodes, Root, Table } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { visit } from 'unist-util-visit'

const OPTIONS = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }

/** A test looks at one body in several ways, and parsing takes longer than all of them. */
let last: { readonly markdown: string; readonly tree: Root } | null = null

/** A body as GitHub's Markdown reads it: tables, autolinks, strikethrough, footnotes, task lists. */
export function parse(markdown: string): Root {
  if (last?.markdown !== markdown) last = { markdown, tree: fromMarkdown(markdown, OPTIONS) }
  return last.tree
}

/** The nodes of a tree by type: a test asks for many types, and a body of 3,000 rows has a hundred thousand nodes. */
const nodesByType = new WeakMap<Root, ReadonlyMap<string, readonly Nodes[]>>()

export function nodesOf<T extends Nodes['type']>(tree: Root, type: T): readonly Extract<Nodes, { type: T }>[] {
  let byType = nodesByType.get(tree)
  if (byType === undefined) {
    const all: Nodes[] = []
    visit(tree, (node) => void all.push(node))
    byType = Map.groupBy(all, (node) => node.type)
    nodesByType.set(tree, byType)
  }
  return (byType.get(type) ?? []) as readonly Extract<Nodes, { type: T }>[]
}

export function htmlOf(tree: Root): string[] {
  return nodesOf(tree, 'html').map((node: Html) => node.value)
}

export function linksOf(tree: Root): string[] {
  return nodesOf(tree, 'link').map((node: Link) => node.url)
}

/** Number of cells of each row of each table. */
export function cellsOf(tree: Root): number[][] {
  return nodesOf(tree, 'table').map((table: Table) => table.children.map((row) => row.children.length))
}

/** The text outside of code: what GitHub looks through for mentions and references. One entry per text node. */
export function textOutsideCode(tree: Root): string[] {
  return nodesOf(tree, 'text').map((node) => node.value)
}

/**
 * What GitHub turns into a link, a mention or something else in text outside of code, from its documentation of autolinked
 * references, mentions, emoji and mathematics. Matched generously: more than GitHub would take.
 */
export const GITHUB_REFERENCES: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: 'mention of a person or team', pattern: /@[A-Za-z0-9]/ },
  { name: 'issue or pull request, also owner/repo#1', pattern: /#\d/ },
  { name: 'issue or pull request by GH-', pattern: /\bGH-\d/i },
  { name: 'commit', pattern: /\b[0-9a-f]{7,40}\b/i },
  { name: 'security advisory', pattern: /\b(?:GHSA|CVE)-/i },
  { name: 'custom autolink of the repository', pattern: /\b[A-Z]{2,}-\d/ },
  { name: 'address', pattern: /:\/\/|\bwww\./i },
  { name: 'mail address', pattern: /\S@\S/ },
  { name: 'emoji', pattern: /:[a-z0-9_+-]+:/ },
  { name: 'mathematics', pattern: /\$/ },
  { name: 'footnote', pattern: /\[\^/ },
]
