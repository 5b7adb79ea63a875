import { describe, expect, test } from 'vitest'
import { parseReportAddress, reportPath, rowAnchor, rowPath, wordAnchor, wordsPath } from '../../src/report/urls.ts'
import { GLOSSARY } from '../../src/web/kit/glossary.ts'
import { HEAD } from '../web/sample-report.ts'

describe('addresses', () => {
  test('of a report, of one of its rows, of a word', () => {
    const address = { owner: 'acme', repo: 'fast.db', number: 7 }
    const query = { test: 'join <hash>', queryIndex: 3, queryName: 'SELECT "1"\n' }
    expect(reportPath(address)).toBe('/r/acme/fast.db/pull/7')
    expect(reportPath({ ...address, head: HEAD })).toBe(`/r/acme/fast.db/pull/7/${HEAD}`)
    expect(rowPath(address, query)).toBe(`/r/acme/fast.db/pull/7?row=${rowAnchor(query)}#${rowAnchor(query)}`)
    expect(rowPath(address, query)).toMatch(/^[A-Za-z0-9/.?=#_-]+$/)
    expect(wordsPath()).toBe('/words')
    expect(wordsPath('Too small')).toBe('/words#too-small')
  })

  test('every word of the glossary has an anchor', () => {
    for (const { term } of GLOSSARY.flatMap(({ words }) => words)) expect(wordAnchor(term)).toMatch(/^[a-z0-9-]+$/)
  })

  test('what GitHub would not name is no address', () => {
    const good = { owner: 'acme', repo: 'fast.db', number: '7', head: HEAD }
    expect(parseReportAddress(good)).toEqual({ owner: 'acme', repo: 'fast.db', number: 7, head: HEAD })
    expect(parseReportAddress({ ...good, head: 'a'.repeat(64) })).not.toBeNull()
    const bad: readonly Partial<typeof good>[] = [
      { owner: '-acme' },
      { owner: 'a'.repeat(40) },
      { owner: 'a b' },
      { owner: '' },
      { repo: '..' },
      { repo: '.' },
      { repo: 'a/b' },
      { repo: 'r'.repeat(101) },
      { repo: "x'; DROP TABLE reports" },
      { number: '0' },
      { number: '07' },
      { number: '1e3' },
      { number: '2147483648' },
      { number: '99999999999999999999' },
      { head: HEAD.slice(1) },
      { head: HEAD.toUpperCase() },
      { head: `${HEAD}\n` },
      { head: '' },
    ]
    for (const change of bad) expect(parseReportAddress({ ...good, ...change }), JSON.stringify(change)).toBeNull()
  })
})
