import { expect } from 'vitest'
import { COMMENT_LIMIT } from '../../../src/report/render/comment.ts'
import type { TriageReport } from '../../../src/report/report.ts'
import { cellsOf, GITHUB_REFERENCES, htmlOf, linksOf, nodesOf, parse, textOutsideCode } from './markdown-parser.ts'

const ALLOWED_HTML =
  /^(?:<!-- perf-triage:v1 [A-Za-z0-9-]* -->|<!-- perf-triage:verdicts:v1 [^<>]* -->|<details><summary>[^<>]*<\/summary>|<\/details>|<br>|<\/?sub>|<\/?picture>|<source media="\(prefers-color-scheme: dark\)" srcset="https:\/\/triage\.example\/[^"<>]*">|<img src="https:\/\/triage\.example\/[^"<>]*" alt="[^"<>]+">)$/

/** What must hold for every body whatever stands in the report. */
export function expectSafe(body: string, subject: TriageReport): void {
  expect(body.length).toBeLessThanOrEqual(COMMENT_LIMIT)
  expect(Buffer.byteLength(body)).toBeLessThan(262_144)
  expect(body.isWellFormed()).toBe(true)
  expect(body.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u)

  const tree = parse(body)
  for (const cells of cellsOf(tree)) expect(new Set(cells).size, 'cells in each row').toBe(1)
  for (const html of htmlOf(tree)) for (const line of html.split('\n')) expect(line).toMatch(ALLOWED_HTML)
  expect(
    htmlOf(tree)
      .join('\n')
      .match(/<details>/g)?.length ?? 0,
  ).toBe(body.match(/^<\/details>$/gm)?.length ?? 0)

  const prefixes = [`${subject.repository.url}/`, 'https://triage.example/']
  const addresses = [
    ...subject.shards.map(({ url }) => url),
    ...(subject.failingTests?.redChecks.map(({ url }) => url) ?? []),
    ...(subject.failingTests?.failures.flatMap(({ proofUrl, issue }) => [proofUrl, issue?.url ?? null]) ?? []),
  ]
  const known = new Set(addresses.map((url) => decoded(URL.parse(url ?? '')?.href ?? '')))
  for (const url of linksOf(tree)) {
    const isKnown = prefixes.some((prefix) => url.startsWith(prefix)) || known.has(decoded(url))
    expect(isKnown, url).toBe(true)
  }
  expect(nodesOf(tree, 'heading').length, 'headings').toBeLessThanOrEqual(1)
  for (const type of [
    'image',
    'footnoteReference',
    'footnoteDefinition',
    'definition',
    'linkReference',
    'thematicBreak',
    'blockquote',
    'delete',
    'code',
    'break',
  ] as const) {
    expect(nodesOf(tree, type), type).toEqual([])
  }
  for (const item of nodesOf(tree, 'listItem')) expect(item.checked ?? null).toBeNull()
  // One assertion: of a body of 3,000 rows there are a hundred thousand answers.
  const references = textOutsideCode(tree).flatMap((text) =>
    GITHUB_REFERENCES.filter(({ pattern }) => pattern.test(text)).map(({ name }) => `${name} in: ${text}`),
  )
  expect(references).toEqual([])
}

/** Two spellings of one address: percent codes of ASCII characters as these characters. */
function decoded(url: string): string {
  return url.replace(/%([2-7][0-9A-F])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
