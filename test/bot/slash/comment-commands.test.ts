import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../src/bot/slash/commands.ts'
import { commandsIn, mayHoldCommand } from '../../../src/bot/slash/comment-commands.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { computed } from '../../computing-time.ts'

const words = (markdown: string) =>
  commandsIn(markdown, '/perf', 'perf-triage').map((line) => line.words.map(({ text }) => text))

describe('a command', () => {
  test.each<[string, string[][]]>([
    ['/perf help', [['help']]],
    ['/perf', [[]]],
    ['  /PERF Refresh  ', [['Refresh']]],
    ['Thanks!\n/perf refresh\r\n/perf help', [['refresh'], ['help']]],
    ['@perf-triage refresh', [['refresh']]],
    ['@perf-triage[bot]: refresh', [['refresh']]],
    ['/perf accept "hash functions" #1 “wanted so”', [['accept', 'hash functions', '#1', 'wanted so']]],
    ["/perf accept hash 'it''s wanted' don't 'so", [['accept', 'hash', "'it''s", "wanted'", "don't", "'so"]]],
    ["/perf accept hash 'wanted so'", [['accept', 'hash', 'wanted so']]],
    ['/perf explain `sum #8` hash_functions_*', [['explain', 'sum #8', 'hash_functions_*']]],
    ['/perf help <!-- please -->', [['help']]],
    ['see\n<details>\n\nmore\n\n</details>\n\n/perf help', [['help']]],
    ['<details><summary>a</summary> <!-- b > c --> <br> d < e </details>\n\n/perf help', [['help']]],
    ['a <sub>b</sub> <img src="c">\n/perf help', [['help']]],
    ['![a](b "c")\n/perf help', [['help']]],
    ['See [the docs](https://a.example/b_(c) "d"), [e] and array[0\n/perf help', [['help']]],
    ['[a]: https://a.example\n\n/perf help', [['help']]],
    ['As said[^1].\n/perf help\n\n[^1]: There.', [['help']]],
    ['a\n[^note]:\n/perf help', [['help']]],
    ['/perf accept all "👩‍💻 ❤️"', [['accept', 'all', '👩‍💻 ❤️']]],
    ['/perf accept all "~5% for $5"\n/perf help', [['accept', 'all', '~5% for $5'], ['help']]],
    ['a\n          /perf help', [['help']]],
    ['> > > > > > a\n\n/perf help', [['help']]],
    ['- - - - - - -\n/perf help', [['help']]],
    ['/perf help\n| a | b |\n| - | - |\n| 1 | 2 |\n\n/perf refresh', [['help'], ['refresh']]],
  ])('%j', (markdown, expected) => {
    expect(words(markdown)).toEqual(expected)
    expect(mayHoldCommand(markdown)).toBe(true)
  })

  test.each([
    'what does /perf help say?',
    '/performance help',
    '\\/perf help',
    '> /perf help',
    '> quoted\n/perf help',
    '- /perf help',
    '# /perf help',
    '    /perf help',
    '```\n/perf help\n```',
    '~~~ sh\n/perf help',
    '`one\n/perf help`',
    '<!--\n/perf help\n-->',
    'a <!-- b\n/perf help\n--> c',
    '<pre>\n/perf help\n</pre>',
    'a\n<!-- b -->/perf help',
    '@perf-triage-fan help',
    'a\n        > /perf help',
    'a\n         - /perf help',
    '<div>\n         -\n/perf help\n</div>',
    'a\n/perf help\n---------',
    '> > > > > > /perf help',
    '| a | b |\n| - | - |\n| 1 | 2 |\n/perf help',
    '| a | b |\n| - | - |\n/perf help',
    '/perf help | b\n--- | ---',
    '/perf help\n|---|',
    // An image's text, a link's, and the titles of both.
    '![a\n/perf help\n](b)',
    '![a\n/perf help](b)',
    '![a\n/perf help\n][b]\n\n[b]: c',
    '![a\n/perf help\n]\n\nmore\n\n[a /perf help]: c',
    '[a\n/perf help\n](b)',
    '[a](b "c\n/perf help\n")',
    "[a](<b> 'c\n/perf help\n')",
    '![a](b (c\n/perf help\n))',
    '[a]: b "c\n/perf help\n"',
    "[a]: b\n'c\n/perf help'",
    '![a <http://b]> \n/perf help\n](c)',
    '![a `]`\n/perf help\n](c)',
    '[a](b "`") ![ `")]`\n/perf help\n](c)',
    '[![a\n/perf help\n](b)](c)',
    // Footnotes stand at the end of the comment, or nowhere.
    '[^1]: a b\n/perf help',
    '[^1]: a\n/perf help',
    '[^1]: a\n\n    /perf help',
    // Elements of HTML, of which some hide what they have.
    'see\n<details>\n\n/perf help\n\n</details>',
    '<details><summary>a</summary>\n\n/perf help\n\n</details>',
    '<details/>\n\n/perf help',
    '<details>\n\n</summary>\n\n/perf help',
    '<details><table></details>\n\n/perf help',
    '<details>\n<!-- </details> -->\n\n/perf help',
    '<details>\n<img alt="</details>">\n\n/perf help',
    '<!-- a --!><details>\n\n/perf help\n\n<!-- -->',
    '<!--> <details> -->\n\n/perf help',
    '<div title="\n\n/perf help\n\n">',
    '<div a"></div> <details y">\n\n/perf help',
    '<div><!-- a\n\n/perf help',
    '<div><!-- a --!><details> -->\n</div>\n\n/perf help',
    '<p hidden>\n\n/perf help\n\n</p>',
    '> <details>\n\n/perf help',
    '- <details>\n\n/perf help',
    'a <sub>\n/perf help\n</sub>',
    'a <sub>b *c*\n/perf help\n</sub>',
    '[<details>](a)\n/perf help',
    // Struck out, or a formula, which can hide its letters.
    '~~a\n/perf help\n~~',
    '~~\n/perf help~~',
    '$\\phantom{\n/perf help\n}$',
    // What can't be seen, or turns the direction.
    '\u200b/perf help',
    '/perf he\u200blp',
    '/perf accept all "\u202eesnopser on\u202c"',
    '/perf accept \u2066a\u2069',
    '/perf accept "a\u{e0061}"',
    '/perf accept "a\u3164b"',
    '/perf accept "a\u00adb"',
  ])('is none: %j', (markdown) => {
    expect(words(markdown)).toEqual([])
  })

  test('no more than ten of a comment are read', () => {
    expect(words('/perf help\n'.repeat(11))).toHaveLength(10)
  })
})

/** Pieces of comments that people, and those who attack, write. */
const PIECES = [
  '/perf help',
  '/perf refresh',
  '@perf-triage help',
  '> ',
  '>',
  '- ',
  '```',
  '~~~',
  '`',
  '<!--',
  '-->',
  '<pre>',
  '</pre>',
  '    ',
  '\t',
  '# ',
  '1. ',
  '*',
  '_',
  '[a](',
  '![',
  ']',
  '"',
  '|',
  '| a | b |\n| - | - |\n',
  '---',
  '&amp;',
  '\\',
  '\r',
  '\n',
  '\n\n',
  '',
  'word',
]

/** A comment of ten pieces or fewer that follows from its number, one to a line or one beside the other. */
function commentOf(number: number): string {
  let state = (number * 2_654_435_761) >>> 0
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const pieces = Array.from({ length: 1 + next(10) }, () => PIECES[next(PIECES.length)]!)
  return pieces.join(next(2) === 0 ? '' : '\n')
}

/** The number of lines that begin as a command does: there are no more commands. */
function isSound(markdown: string): boolean {
  const called = markdown.split(/\r\n|\r|\n/).filter((text) => /^\s*(\/perf|@perf-triage)/i.test(text))
  const commands = commandsIn(markdown, '/perf', 'perf-triage')
  return commands.length <= called.length
}

test('100,000 generated comments: nothing makes the parser throw, or gives more commands than lines that begin as one', {
  timeout: 120_000,
}, () => {
  const comments = new Set(Array.from({ length: 100_000 }, (_, number) => commentOf(number)))
  expect([...comments].filter((comment) => !isSound(comment))).toEqual([])
})

test('the same of any characters', () => {
  fc.assert(fc.property(fc.string({ unit: anyCodePoint, maxLength: 200 }), isSound), { numRuns: 2000 })
})

/** GitHub takes no longer comment. */
const LONGEST = 65_536

test.each<[string, string]>([
  ['quotes in quotes', '>'.repeat(LONGEST)],
  ['lists in lists', '- '.repeat(LONGEST / 2)],
  ['lists in quotes', `${'> - '.repeat(10)}a\n`.repeat(LONGEST / 42)],
  ['brackets', '['.repeat(LONGEST)],
  ['emphasis', '*a_ '.repeat(LONGEST / 4)],
  ['backticks', Array.from({ length: 360 }, (_, length) => '`'.repeat(length)).join(' ')],
  ['comments', '<!-- '.repeat(LONGEST / 5)],
  ['commands', '/perf help\n'.repeat(LONGEST / 11)],
  ['tags that never end', '/perf\n<a\n'.repeat(LONGEST / 9)],
  ['code', '`a`\n'.repeat(LONGEST / 4)],
  ['tables', 'a|a\n-|-\n'.repeat(LONGEST / 8)],
  ['numbers in numbers', '1. '.repeat(LONGEST / 3)],
  ['numbers in numbers, and a word', '1. 1. 1. 1. 1. 1. a\n'.repeat(LONGEST / 20)],
  ['items in items', '- - a\n'.repeat(LONGEST / 6)],
  ['items below items', '- a\n  - a\n'.repeat(LONGEST / 10)],
  ['quotes in items', '- > a\n'.repeat(LONGEST / 6)],
  ['backticks alone', '`'.repeat(LONGEST)],
  ['lines of a backtick', '`\n'.repeat(LONGEST / 2)],
  ['quotes of ten thousand', '>'.repeat(10_000)],
  ['less-than signs', '<'.repeat(60_000)],
  ['pipes', '|'.repeat(LONGEST)],
  ['asterisks', '*'.repeat(LONGEST)],
  ['line separators', '\u2028'.repeat(LONGEST)],
  ['definitions without an end', '[a]: <b\n'.repeat(LONGEST / 8)],
  ['as many brackets as are read', `${'['.repeat(990)}${'a\n'.repeat(30_000)}`],
  ['as many images', `${'![a](b "'.repeat(490)}${'a\n'.repeat(25_000)}`],
  ['as many pairs', `${'['.repeat(490)}${']'.repeat(490)}${'a\n'.repeat(25_000)}`],
  ['as many links with addresses', `${'[a](((('.repeat(490)}${'a\n'.repeat(25_000)}`],
  ['angle brackets of addresses', '<a:'.repeat(LONGEST / 3)],
  ['tags in a block', `<div>${'<a b="'.repeat(LONGEST / 6)}`],
  ['comments in a block', `<div>${'<!--'.repeat(LONGEST / 4)}`],
  ['spaces in a tag', `<div><a${' '.repeat(LONGEST)}`],
  ['attributes in a tag', `<div><a${' b'.repeat(LONGEST / 2)}`],
  ['footnotes', '[^'.repeat(990)],
])('a comment of nothing but %s is read in a moment', (_, bomb) => {
  const text = bomb.slice(0, LONGEST - 12)
  const started = computed()
  for (const comment of [`${text}\n/perf help\n`, `/perf help\n${text}`]) commandsIn(comment, '/perf', 'perf-triage')
  expect(computed() - started).toBeLessThan(5_000)
})

test('a list of many items within items is no place for a command, and one of a hundred is', () => {
  const items = (count: number) => `${'- a\n  - b\n'.repeat(count)}\n/perf help\n`
  expect(commandsIn(items(100), '/perf', 'perf-triage')).toHaveLength(1)
  expect(commandsIn(items(1000), '/perf', 'perf-triage')).toEqual([])
})

test('a comment with more than a thousand brackets holds no command', () => {
  const links = (count: number) => `${'[a](b) '.repeat(count)}\n/perf help\n`
  expect(commandsIn(links(500), '/perf', 'perf-triage')).toHaveLength(1)
  expect(commandsIn(links(501), '/perf', 'perf-triage')).toEqual([])
})

test('each command has a name of its own, which its usage begins with', () => {
  const names = COMMANDS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { name, usage, summary } of COMMANDS) {
    expect(usage.split(' ')[0]).toBe(name)
    expect(summary).toMatch(/\.$/)
  }
})
