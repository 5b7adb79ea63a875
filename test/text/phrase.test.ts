import { expect, test } from 'vitest'
import {
  capitalized,
  code,
  commit,
  joined,
  listed,
  type Phrase,
  phrase,
  time,
  toMarkdown,
  toText,
  word,
} from '../../src/text/phrase.ts'
import { toHtml } from '../../src/text/phrase-html.ts'

const COMMIT = '5b7f2aa3c4d5e6f708192a3b4c5d6e7f80910213'
const commitUrl = (id: string) => `https://github.com/o/r/commit/${id}`

/** One phrase as Markdown, HTML and plain text. */
const PRINTED: readonly (readonly [string, Phrase, string, string, string])[] = [
  [
    'our own words',
    phrase`slower by ${2} & more`,
    'slower by 2 & more',
    'slower by 2 &amp; more',
    'slower by 2 & more',
  ],
  [
    'a time of another year, and one that is none',
    phrase`since ${time(Date.UTC(2025, 10, 3, 8, 15), Date.UTC(2026, 5, 1))} or ${time(Number.NaN, 0)}`,
    'since Nov\u00a03, 2025 or an unknown day',
    'since <time datetime="2025-11-03T08:15:00.000Z">2025-11-03 08:15 UTC</time> or –',
    'since Nov\u00a03, 2025 or an unknown day',
  ],
  ['a plain word', phrase`on ${word('arm')}`, 'on arm', 'on <bdi>arm</bdi>', 'on arm'],
  [
    'a word with markup',
    phrase`on ${word('<b>[a](http://b)')}`,
    'on `<b>[a](http://b)`',
    'on <bdi>&lt;b&gt;[a](http://b)</bdi>',
    'on <b>[a](http://b)',
  ],
  [
    'code with backticks and a line break',
    phrase`${code('a`b\n@c', 20)} grew`,
    '``a`b @c`` grew',
    '<code><bdi>a`b @c</bdi></code> grew',
    'a`b @c grew',
  ],
  ['code that is cut', [code('abcdef', 4)], '`abc…`', '<code><bdi>abc…</bdi></code>', 'abc…'],
  ['code that nobody can see', [code('\n', 4)], '`(empty)`', '<code><bdi>(empty)</bdi></code>', '(empty)'],
  [
    'a commit',
    phrase`since ${commit(COMMIT)}`,
    `since [\`5b7f2aa\`](https://github.com/o/r/commit/${COMMIT})`,
    `since <a href="https://github.com/o/r/commit/${COMMIT}"><code><bdi>5b7f2aa</bdi></code></a>`,
    'since 5b7f2aa',
  ],
  [
    'a phrase within a phrase, in a list',
    listed([phrase`1 ${word('a')}`, ['2'], phrase`3`]),
    '1 a, 2 and 3',
    '1 <bdi>a</bdi>, 2 and 3',
    '1 a, 2 and 3',
  ],
]

test.each(PRINTED)('%s', async (_name, said, markdown, html, text) => {
  expect(toMarkdown(said, commitUrl)).toBe(markdown)
  expect((await toHtml(said, commitUrl)).toString()).toBe(html)
  expect(toText(said)).toBe(text)
})

test('a commit without an address is not linked', async () => {
  expect(toMarkdown([commit(COMMIT)])).toBe('`5b7f2aa`')
  expect((await toHtml([commit('<main>')])).toString()).toBe('<code><bdi>&lt;main&gt;</bdi></code>')
})

test('a sentence of our own begins with a capital letter, a name stays as it is', () => {
  expect(toText(capitalized(phrase`on ${word('arm')}`))).toBe('On arm')
  expect(toText(capitalized(phrase`${word('arm')} only`))).toBe('arm only')
  expect(capitalized([])).toEqual([])
})

test('phrases are joined, and an empty list is nothing', () => {
  expect(toText(joined([['a'], ['b']], '; '))).toBe('a; b')
  expect(listed([])).toEqual([])
  expect(toText(listed([['a'], ['b']]))).toBe('a and b')
})
