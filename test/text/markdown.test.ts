import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isCommitId } from '../../src/text/commits.ts'
import {
  codeSpan,
  commentSafeJson,
  fold,
  link,
  linkDestination,
  plainText,
  queryText,
  shortCommit,
  tableHead,
  tableRow,
  word,
} from '../../src/text/markdown.ts'
import { anyCodePoint, anyWebUrl } from '../any-code-point.ts'
import { computed } from '../computing-time.ts'
import {
  cellsOf,
  GITHUB_REFERENCES,
  htmlOf,
  linksOf,
  nodesOf,
  parse,
  textOutsideCode,
} from '../report/render/markdown-parser.ts'

const anyText = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 60 }),
  fc
    .array(fc.constantFrom('`', '``', '|', '\\', ' ', 'a', '\n', '<', '\ud800', '\u0301', '\u200b'), { maxLength: 30 })
    .map((all) => all.join('')),
)

describe('plainText', () => {
  test('one visible line', () => {
    expect(plainText(' a\r\n\tb\u2028c\u00a0 d ', 50)).toBe('a b c d')
    expect(plainText('a\u0000b\u202ec\u200dd\ud800e\ue000f\u3164g', 50)).toBe(
      'a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\ufffdg',
    )
    expect(plainText('\u2764\ufe0f', 50)).toBe('\u2764\ufe0f')
    expect(plainText('  \n ', 50)).toBe('')
  })

  test('stacked marks are bounded, those of real scripts stay', () => {
    expect(plainText(`Z${'\u0301'.repeat(50)}`, 50)).toBe(`Z${'\u0301'.repeat(4)}`)
    expect(plainText('क्षि ញ៉ាំ', 50)).toBe('क्षि ញ៉ាំ')
  })

  test('cut between graphemes, with an ellipsis within the limit', () => {
    expect(plainText('abcdef', 6)).toBe('abcdef')
    expect(plainText('abcdefg', 6)).toBe('abcde…')
    expect(plainText('abcd efg', 6)).toBe('abcd…')
    expect(plainText('ab\u{1f600}\u{1f600}', 5)).toBe('ab\u{1f600}…')
    expect(plainText('abc\u{1f600}x', 5)).toBe('abc…')
    expect(plainText('abce\u0301e\u0301', 6)).toBe('abce\u0301…')
    expect(plainText('abcde\u0301f', 6)).toBe('abcd…')
    expect(plainText('\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}', 6)).toBe('\u{1f1e9}\u{1f1ea}…')
    expect(plainText('\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}x', 8)).toBe('\u{1f1e9}\u{1f1ea}…')
  })

  test('a single grapheme above the limit is cut between code points', () => {
    const jamo = '\u1100'.repeat(30)
    expect(plainText(jamo, 5)).toBe(`${'\u1100'.repeat(4)}…`)
    expect(plainText('\u{1f1e9}\u{1f1ea}xx', 4)).toBe('\u{1f1e9}…')
    expect(plainText('\u{10000}xx', 2)).toBe('…')
    expect(plainText('\u{1f1e9}\u{1f1ea}xx', 3)).toBe('\u{1f1e9}…')
  })

  test('what is far beyond the limit is not read, and is said to be cut', () => {
    expect(plainText(`${' '.repeat(5000)}x`, 50)).toBe('…')
    expect(plainText(`ab${' '.repeat(5000)}x`, 50)).toBe('ab…')
    expect(plainText(`ab${' '.repeat(4094)}`, 50)).toBe('ab')
    expect(plainText(`ab${' '.repeat(4095)}`, 50)).toBe('ab…')
    const started = computed()
    expect(plainText('`|@a '.repeat(2_000_000), 50).length).toBeLessThanOrEqual(50)
    expect(computed() - started).toBeLessThan(200)
  })

  test('any text: well-formed, within the limit, nothing unseen', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 40 }), (text, limit) => {
        const plain = plainText(text, limit)
        expect(plain.length).toBeLessThanOrEqual(limit)
        expect(plain.isWellFormed()).toBe(true)
        expect(plain).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
        expect(plain).toBe(plain.trim())
      }),
      { numRuns: 150 },
    )
  })
})

describe('codeSpan', () => {
  test.each([
    ['plain', '`plain`'],
    ['a`b', '``a`b``'],
    ['`a`', '`` `a` ``'],
    ['a``', '``` a`` ```'],
    ['a`````b', '````a```b````'],
    ['\n', '`(empty)`'],
    ['\\', '`\\`'],
    ['&lt;', '`&lt;`'],
  ])('%j is %s', (text, expected) => {
    expect(codeSpan(text, 50)).toBe(expected)
  })

  test('no fence is longer than GitHub’s parser takes (80)', () => {
    expect(codeSpan('`'.repeat(500), 400)).toBe('```` ```… ````')
  })

  test('any text is one code span with exactly that text, in a paragraph and in a table', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const expected = plainText(text, 50).replace(/`{4,}/g, '```') || '(empty)'
        const inParagraph = parse(`x ${codeSpan(text, 50)} y`)
        expect(nodesOf(inParagraph, 'inlineCode').map((node) => node.value)).toEqual([expected])
        expect(textOutsideCode(inParagraph).join('')).toBe('x  y')

        const inTable = parse(`${tableHead(['a', 'b'])}\n${tableRow([codeSpan(text, 50), 'y'])}`)
        expect(cellsOf(inTable)).toEqual([[2, 2]])
        const [code] = nodesOf(inTable, 'inlineCode').map((node) => node.value)
        // A pipe after an odd number of backslashes is set apart; nothing else differs.
        expect(code!.replaceAll('\\ |', '\\|')).toBe(expected.replaceAll('\\ |', '\\|'))
      }),
      { numRuns: 200 },
    )
  })
})

describe('tableRow', () => {
  test('escapes pipes, also after backslashes', () => {
    expect(tableRow(['a|b', '`\\|`', '`\\\\|`', '`\\\\\\|`'])).toBe('| a\\|b | `\\ \\|` | `\\\\\\|` | `\\\\\\ \\|` |')
  })

  test('head and delimiter', () => {
    expect(tableHead(['query', ' '])).toBe('| query |   |\n| --- | --- |')
  })
})

describe('word', () => {
  test.each(['arm', 'amd', 'x86_64', 's390x', 'client_time', 'ms', 'aarch64', 'AMD'])('%s stays', (text) => {
    expect(word(text)).toBe(text)
  })

  test.each([
    '',
    'a b',
    '_a',
    'a_',
    'a__b',
    '@a',
    '#1',
    '1',
    'GH-1',
    'a.b',
    'www.a',
    'deadbeef',
    'DEADBEE',
    'a:b',
    'a'.repeat(25),
  ])('%s is code', (text) => {
    expect(word(text)).toBe(codeSpan(text, 32))
  })

  test('six hex digits are no commit', () => {
    expect(word('facade')).toBe('facade')
    expect(word('z1234567')).toBe('z1234567')
    expect(word('1234567z')).toBe('`1234567z`')
    expect(word('a1234567z')).toBe('a1234567z')
    expect(word('arm_deadbeef')).toBe('`arm_deadbeef`')
    expect(word('deadbeef_arm')).toBe('`deadbeef_arm`')
    expect(word('z'.repeat(24))).toBe('z'.repeat(24))
    expect(word('z'.repeat(25))).toBe(codeSpan('z'.repeat(25), 32))
    expect(word('effaced')).toBe('`effaced`')
  })
})

describe('shortCommit', () => {
  test('seven digits of a commit, anything else as it is', () => {
    const commit = '9c41d0e5b1f7a3c2d4e6f8091a2b3c4d5e6f7081'
    expect(shortCommit(commit)).toBe('`9c41d0e`')
    expect(shortCommit(`${commit}0`)).toBe('`9c41d0e5b1f7a3c2d4e6f80…`')
    expect(shortCommit('v26.9')).toBe('`v26.9`')
    expect(shortCommit(commit.padEnd(64, '0'))).toBe('`9c41d0e`')
    expect(isCommitId(commit.toUpperCase())).toBe(false)
    expect(isCommitId(`x${commit}`)).toBe(false)
  })
})

describe('link', () => {
  test.each([
    ['https://github.com/a/b', 'https://github.com/a/b'],
    ['http://a.example/x_y~z*[1]', 'http://a.example/x_y~z*[1]'],
    ['https://a.example/a b', 'https://a.example/a%20b'],
    ['https://a.example/)](x', 'https://a.example/%29]%28x'],
    ['https://a.example/?a=1&copy;|\\`<>', 'https://a.example/?a=1&amp;copy;%7C%5C%60%3C%3E'],
  ])('%s', (address, destination) => {
    expect(linkDestination(address)).toBe(destination)
    expect(linksOf(parse(link('x', address)))).toEqual([destination.replaceAll('&amp;', '&')])
  })

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://a.example',
    '/relative',
    'www.a.example',
    '',
    'https://user@a.example/',
    'https://:password@a.example/',
    `https://a.example/${'a'.repeat(2000)}`,
    'xhttps://a.example',
  ])('%s is no link', (address) => {
    expect(linkDestination(address)).toBeNull()
    expect(link('`label`', address)).toBe('`label`')
  })

  test('null is no link', () => {
    expect(link('label', null)).toBe('label')
  })

  test('2000 characters are the most', () => {
    const address = `https://a.example/${'a'.repeat(1982)}`
    expect(address.length).toBe(2000)
    expect(linkDestination(address)).toBe(address)
  })

  test('any label and address: one link or none, and nothing else', () => {
    const address = fc.oneof(
      anyWebUrl,
      anyText.map((text) => `https://a.example/${text}`),
    )
    fc.assert(
      fc.property(anyText, address, (label, url) => {
        const tree = parse(`a ${link(codeSpan(label, 40), url)} b`)
        expect(linksOf(tree).length).toBe(linkDestination(url) === null ? 0 : 1)
        expect(textOutsideCode(tree).join('')).toBe('a  b')
        expect(htmlOf(tree)).toEqual([])
      }),
      { numRuns: 150 },
    )
  })
})

describe('queryText', () => {
  test('long words are shortened, the whole is cut', () => {
    expect(queryText('ignore(reinterpretAsString(number)) FROM numbers(1)', 16)).toBe(
      '`ignore(reinterp… FROM numbers(1)`',
    )
    expect(queryText('SELECT 1', 16)).toBe('`SELECT 1`')
    expect(queryText('a '.repeat(100), 16)).toMatch(/^`(?:a )+a…`$/)
    expect(queryText('a '.repeat(100), 16).length).toBeLessThanOrEqual(50)
  })
})

describe('fold', () => {
  test('is Markdown inside', () => {
    const tree = parse(fold('2 faster', `${tableHead(['a'])}\n${tableRow(['`x`'])}`))
    expect(htmlOf(tree)).toEqual(['<details><summary>2 faster</summary>', '</details>'])
    expect(cellsOf(tree)).toEqual([[1, 1]])
  })
})

describe('commentSafeJson', () => {
  test('any value comes back, and nothing in it ends a comment or wakes a scanner', () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText, (value, text) => {
        const json = commentSafeJson({ value, text, nasty: '-->--!><!-- @a #1 ` \u2028 -' })
        expect(json).not.toMatch(/--|[<>&@#`]|[^ -~]/)
        expect(JSON.parse(json)).toEqual(
          JSON.parse(JSON.stringify({ value, text, nasty: '-->--!><!-- @a #1 ` \u2028 -' })),
        )
      }),
      { numRuns: 150 },
    )
  })

  test('numbers stay numbers', () => {
    expect(commentSafeJson({ a: -0.5, b: 1e-7, c: '---' })).toBe('{"a":-0.5,"b":1e-7,"c":"-\\u002d-"}')
  })
})

/**
 * What GitHub would make of these outside of code; in a code span it makes nothing of them. The left column is the rule,
 * from GitHub's documentation of autolinked references, mentions, emoji and mathematical expressions.
 */
describe('GitHub’s autolink rules that code spans defend against', () => {
  const rules: readonly (readonly [string, string])[] = [
    ['mention of a person or team', '@octocat'],
    ['mention of a person or team', '@acme/reviewers'],
    ['issue or pull request, also owner/repo#1', '#12'],
    ['issue or pull request, also owner/repo#1', 'acme/database#12'],
    ['issue or pull request by GH-', 'GH-12'],
    ['commit', '9c41d0e'],
    ['commit', 'acme/database@9c41d0e5b1f7a3c2d4e6f8091a2b3c4d5e6f7081'],
    ['security advisory', 'GHSA-xxxx-yyyy-zzzz'],
    ['custom autolink of the repository', 'JIRA-123'],
    ['address', 'https://evil.example'],
    ['address', 'www.evil.example'],
    ['mail address', 'mail@evil.example'],
    ['emoji', ':tada:'],
    ['mathematics', '$x^2$'],
    ['footnote', '[^1]'],
  ]
  test.each(rules)('%s: %s', (name, text) => {
    const { pattern } = GITHUB_REFERENCES.find((rule) => rule.name === name)!
    expect(text).toMatch(pattern)
    const tree = parse(`before ${codeSpan(text, 80)} after`)
    for (const outside of textOutsideCode(tree)) expect(outside).not.toMatch(pattern)
    expect(linksOf(tree)).toEqual([])
    expect(nodesOf(tree, 'inlineCode').map((node) => node.value)).toEqual([text])
  })
})
