import { globSync, readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codeSpan, link, word } from '../../../../src/text/markdown.ts'
import { Sentences } from '../../../../src/web/pages/mcp/outside.ts'
import { first, fitted, MOST_BYTES } from '../../../../src/web/pages/mcp/tool.ts'
import { anyCodePoint } from '../../../any-code-point.ts'
import { sampleReport, sampleResult, sampleRow } from '../../sample-report.ts'

describe('a sentence for programs', () => {
  test('has marks in the place of names, links without their address, and a line for each item', () => {
    const sentences = new Sentences(null)
    const markdown = `**${codeSpan('sum #1', 72)}: slower.** See ${link('the report', 'https://example.org/?a=1')}.\n\n- one of ${codeSpan('sum #1', 72)}\n- ${codeSpan('b`c', 72)} too`
    expect(sentences.lines(markdown)).toEqual([['[1]: slower. See the report.', 'one of [1]', '[2] too'], 0])
    expect(sentences.list()).toEqual([
      { mark: '[1]', untrusted: 'sum #1' },
      { mark: '[2]', untrusted: 'b`c' },
    ])
    expect(sentences.lines(markdown, 1)).toEqual([['[1]: slower. See the report.'], 2])
  })

  test('has none of the short names that need no quotes in Markdown', () => {
    const result = sampleResult({ architecture: 'ignore_all_rules', unit: 'approve_it' })
    const report = sampleReport({ architectures: ['ignore_all_rules'], rows: [sampleRow([result])] })
    const said = `3 ${word('approve_it')} more on ${word('ignore_all_rules')} in client_time, 4 s`
    expect(new Sentences(report).lines(said)[0]).toEqual(['3 [1] more on [2] in client_time, 4 s'])
  })

  test('holds nothing of a text from outside, whatever that is', () => {
    const outside = fc.array(anyCodePoint, { minLength: 1, maxLength: 200 }).map((points) => points.join(''))
    fc.assert(
      fc.property(outside, fc.constantFrom('', '- ', '1. ', '> ', '# '), (text, before) => {
        const sentences = new Sentences(null)
        const [lines] = sentences.lines(`${before}old ${codeSpan(`\u2603${text}\u2603`, 300)} new`)
        expect(lines.join(' ')).toBe('old [1] new')
      }),
    )
  })
})

describe('an answer', () => {
  const draft = (name: string) => (most: number) => {
    const [items, more] = first(
      Array.from({ length: 100 }, () => ({ name: { untrusted: name } })),
      most,
    )
    return { items, more, kept: Array.from({ length: 6 }, () => ({ untrusted: name })) }
  }

  test('has as many items as fit, and says how many more there are', () => {
    const answer = fitted(draft('sum #1')) as { items: object[]; more: number }
    expect(answer.items.length).toBe(40)
    expect(answer.more).toBe(60)
    const longer = fitted(draft('x'.repeat(120))) as { items: object[]; more: number }
    expect(longer.items.length + longer.more).toBe(100)
    expect(longer.items.length).toBeLessThan(12)
  })

  test('has as many as fit whatever their number, after a few drafts', () => {
    for (let length = 1; length < 120; length++) {
      const counts: number[] = []
      const draftOf = draft('x'.repeat(length))
      const answer = fitted((most) => {
        counts.push(most)
        return draftOf(most)
      }) as { items: object[] }
      const { length: shown } = answer.items
      const isWithin = (most: number) => Buffer.byteLength(JSON.stringify(draftOf(most))) <= MOST_BYTES
      expect([length, isWithin(shown), shown === 40 || !isWithin(shown + 1)]).toEqual([length, true, true])
      expect(counts.length).toBeLessThan(10)
    }
  })

  test('is within its limit where each letter has three bytes', () => {
    const answer = JSON.stringify(fitted(draft('字'.repeat(120))))
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(MOST_BYTES)
    expect(answer).toContain('字')
  })
})

test('the protocol is loaded by the command and by the first question over HTTP, and by nothing else', () => {
  const root = new URL('../../../../', import.meta.url)
  const importing = (pattern: RegExp) =>
    globSync('src/**/*.ts', { cwd: root })
      .filter((file) => pattern.test(readFileSync(new URL(file, root), 'utf8')))
      .toSorted()
  expect(importing(/^(?:import|export) [^;]*from '@modelcontextprotocol\//m)).toEqual([
    'src/cli/commands/mcp.ts',
    'src/web/pages/mcp/mcp-server.ts',
  ])
  expect(importing(/from '[^']*\/mcp-server\.ts'/)).toEqual(['src/cli/commands/mcp.ts'])
  expect(importing(/from '[^']*commands\/mcp\.ts'/)).toEqual([])
})
