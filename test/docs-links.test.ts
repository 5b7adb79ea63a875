import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { visit } from 'unist-util-visit'
import { expect, test } from 'vitest'
import { htmlOf, parse } from './report/render/markdown-parser.ts'

const ROOT = join(import.meta.dirname, '..')
const PAGES = globSync(['*.md', 'docs/**/*.md', 'bench/**/*.md'], { cwd: ROOT })

function treeOf(page: string) {
  return parse(readFileSync(join(ROOT, page), 'utf8'))
}

/**
 * The anchors of a page: those that are written as `<a id="…">`, and those that GitHub gives its headings: letters, digits, `-` and `_`, and a
 * number where a heading stands again.
 */
function anchorsOf(page: string): ReadonlySet<string> {
  const tree = treeOf(page)
  const written = htmlOf(tree).flatMap((html) => [...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!))
  const anchors = new Set(written)
  visit(tree, 'heading', (heading) => {
    let text = ''
    visit(heading, (node) => {
      if (node.type === 'text' || node.type === 'inlineCode') text += node.value
    })
    const anchor = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    let free = anchor
    for (let count = 1; anchors.has(free); count += 1) free = `${anchor}-${count}`
    anchors.add(free)
  })
  return anchors
}

const anchors = new Map(PAGES.map((page) => [page, anchorsOf(page)]))

test.each(PAGES)('%s leads to files and headings that are there', (page) => {
  const wrong: string[] = []
  visit(treeOf(page), (node) => {
    if ((node.type !== 'link' && node.type !== 'definition' && node.type !== 'image') || /^(?:\w+:|#$)/.test(node.url))
      return
    const [path = '', anchor] = node.url.split('#')
    const target = path === '' ? page : normalize(join(dirname(page), path))
    const isThere = anchor === undefined ? existsSync(join(ROOT, target)) : anchors.get(target)?.has(anchor)
    if (isThere !== true) wrong.push(node.url)
  })
  expect(wrong).toEqual([])
})

test('docs/operations.md explains log lines that the bot writes', () => {
  const code = globSync('src/**/*.ts', { cwd: ROOT })
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n')
    .replaceAll('${WRITES_OF_HOUR}', '500')
  const [, table = ''] = /### What a log line means\n\n(.+?)\n\n/s.exec(
    readFileSync(join(ROOT, 'docs/operations.md'), 'utf8'),
  )!
  const explained = [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, lines]) => lines!.slice(1, -1).split('`, `'))
  expect(explained.length).toBeGreaterThan(10)
  expect(explained.filter((line) => !code.includes(line))).toEqual([])
})
