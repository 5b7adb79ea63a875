import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderMarkdown } from '../../demo/github/markdown.ts'

const context = {
  userUrl: (login: string) => `/${login}`,
  issueUrl: (number: number) => (number === 12 ? '/pull/12' : null),
}

function html(markdown: string): string {
  return renderMarkdown(markdown, context).html
}

test('tables, task lists and strikethrough are GitHub-flavoured', () => {
  expect(html('| a | b |\n|---|--:|\n| 1 | 2 |')).toContain('<td align="right">2</td>')
  expect(html('~~gone~~')).toBe('<p><del>gone</del></p>')
})

test('details and summary stay, with Markdown inside; comments vanish', () => {
  const shown = html('<details open><summary>more</summary>\n\n**bold**\n\n</details>\n\n<!-- {"hidden":1} -->\n')
  expect(shown).toMatch(/^<details open=""><summary>more<\/summary>\s*<p><strong>bold<\/strong><\/p>\s*<\/details>\s*$/)
})

test('what runs or leads astray is taken out', () => {
  expect(html('<script>alert(1)</script>\n\ntext')).not.toMatch(/script|alert/)
  expect(html('a <b onclick="x()">b</b>')).toBe('<p>a <b>b</b></p>')
  expect(html('[x](javascript:alert(1)) <a href="JavaScript:alert(1)">y</a>')).not.toMatch(/javascript/i)
  expect(html('<a href="javascript&#58;alert(1)">y</a>')).toBe('<p><a>y</a></p>')
  expect(html('<img src=x onerror=alert(1)>')).toContain('<img src="x">')
  expect(html('<iframe src="https://example.org"></iframe>')).not.toContain('iframe')
})

test('a tag that is not closed ends with the comment, an end alone is dropped', () => {
  expect(html('<details><summary>x')).toMatch(/<\/summary><\/details>$/)
  expect(html('</details></div>text')).not.toContain('</d')
})

test('mentions and references link outside of code, and are told', () => {
  const shown = renderMarkdown('@alice see #12 and #13, not `@bob` or mail@example.org', context)
  expect(shown.mentions).toEqual(['alice'])
  expect(shown.html).toContain('<a href="/alice" class="user-mention">@alice</a>')
  expect(shown.html).toContain('<a href="/pull/12" class="issue-link">#12</a>')
  expect(shown.html).not.toContain('#13<')
})

test('no input lets another tag or an event handler through', () => {
  const piece = fc.oneof(
    fc.constantFrom('<', '>', '</', '"', "'", '`', '\n\n', '<!--', '-->', '&#58;', 'javascript:', ' onload=', '='),
    fc.constantFrom('script', 'details', 'summary', 'a href=', 'img src=', 'svg', 'div', '[x](', ')', '|', '@a'),
    fc.string({ maxLength: 5 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const shown = html(pieces.join(''))
      for (const [, name] of shown.matchAll(/<\/?([a-z][a-z0-9]*)/gi)) {
        expect(['script', 'svg', 'iframe', 'style', 'object', 'form']).not.toContain(name?.toLowerCase())
      }
      for (const [tag] of shown.matchAll(/<[a-z](?:[^>"]|"[^"]*")*>/gi)) {
        expect(tag.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/\son\w+\s*=/i)
        expect(tag).not.toMatch(/(?:href|src)="\s*javascript:/i)
      }
    }),
    { numRuns: 500 },
  )
})
