import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lookupJson } from '../../../../src/cli/commands/ledger-table.ts'
import { entryIdOfFailure } from '../../../../src/judge/ledger/entry.ts'
import { FAILING_TESTS_ANCHOR, failureAnchor } from '../../../../src/report/anchors.ts'
import { entryPath, failingTestsPath } from '../../../../src/report/urls.ts'
import { pages } from '../../../../src/web/pages.ts'
import {
  chronic,
  failingTests,
  fallout,
  notLookedUp,
  rollup,
  suspect,
} from '../../../report/render/failing-tests-builder.ts'
import { HOSTILE } from '../../../report/render/hostile.ts'
import { memoryReports } from '../../memory-reports.ts'
import { recordingLog } from '../../recording-log.ts'
import { HEAD, OLD, sampleReport } from '../../sample-report.ts'

const REPORT = '/r/acme/fast.db/pull/7'
const PATH = failingTestsPath({ owner: 'acme', repo: 'fast.db', number: 7, head: HEAD })

const known = chronic('promise has been destructed (STID: 2508-38c6)', 'Stress test (arm_tsan)', [7, 8, 2], {
  issue: { number: 12, title: 'A race', url: 'https://github.com/acme/fast.db/issues/12' },
  proofUrl: 'https://play.example/play#c2VsZWN0',
  owner: '@acme/core',
  trunkRate: { failed: 2, runs: 340, low: 0.0016, high: 0.0212 },
  firstBadTrunkCommit: OLD,
  lastTrunkPass: { commitSha: HEAD, time: Date.UTC(2026, 5, 20) },
})
const failures = [
  suspect('02345_join', 'Stateless tests (amd_debug)'),
  known,
  fallout('Check failed', 'Stress test (arm_tsan)', known.failure.testName),
  rollup('PR'),
]
const shown = sampleReport({ failingTests: failingTests(failures) })

function site(report = shown) {
  const { store } = memoryReports(report)
  return pages({ store, publicUrl: 'https://perf.example.org', version: '1.2.3', log: recordingLog() })
}

const textOf = async (report = shown, path = REPORT) => (await site(report).request(path)).text()
const partOf = (html: string) => html.slice(html.indexOf(`<section id="${FAILING_TESTS_ANCHOR}"`))
const decoded = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll('\u00a0', ' ')

describe('on the report page', () => {
  test('every failure has its place, in the report’s order, and the counts link to them', async () => {
    const html = await textOf()
    const ids = [...partOf(html).matchAll(/<li id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual(failures.map(({ failure }) => failureAnchor(failure)))
    expect(html).toContain('1 of 2 failing tests looks like yours; the other one is a known failure')
    expect(html).toContain('<a href="#failing-tests">Failing tests</a>')
  })

  test('with its numbers, reasons and hits to look at', async () => {
    const html = partOf(await textOf())
    const text = decoded(html)
    for (const said of [
      '0 of 812 executions elsewhere had this error; if it failed even 1 time in 20, we would have seen it (chance to miss it: below 0.01%)',
      'Failed in 7 unrelated pull requests; 3 make it chronic',
      '7 unrelated pull requests, 8 hits, 2 on the main branch in 30 days',
      'Failed in 2 of 340 runs on the main branch, 0.2–2.1%',
      'Follows from promise has been destructed (STID: 2508-38c6) in the same job',
      'Only sums up other checks',
      'Owner @acme/core',
      'Known issue #12 A race',
      '3 hits to look at',
      '3 red checks, 2 not accounted for',
    ]) {
      expect(text).toContain(said)
    }
    for (const href of [
      'https://github.com/acme/fast.db/pull/92',
      `https://github.com/acme/fast.db/commit/${OLD}`,
      'https://github.com/acme/fast.db/issues/12',
      'https://s3.example/acme/database/92/report.html',
      'https://play.example/play#c2VsZWN0',
      `${PATH}?format=json`,
      `${PATH}?format=tsv`,
    ]) {
      expect(html).toContain(`href="${href}"`)
    }
  })

  test('what could not be asked is said, also where nothing else is known', async () => {
    for (const tests of [
      failingTests([notLookedUp('a', 'check', 'access-denied')], { problem: 'access-denied' }),
      failingTests([], { problem: 'access-denied' }),
    ]) {
      const text = decoded(partOf(await textOf(sampleReport({ failingTests: tests }))))
      expect(text).toContain('Not known:')
      expect(text).toContain('because the CI results database denies access')
      expect(text).not.toMatch(/flaky|chronic/)
    }
  })

  test('nothing where none were looked for or none failed', async () => {
    expect(await textOf(sampleReport())).not.toMatch(/failing/i)
    expect(await textOf(sampleReport({ failingTests: failingTests([]) }))).not.toMatch(/failing/i)
  })

  test('of 3,000 failures all have their place, and the page stays small enough to send', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({
      ...known,
      failure: { ...known.failure, testName: `${index}_test` },
      examples: Array.from({ length: 20 }, () => known.examples[0]!),
    }))
    const report = sampleReport({ failingTests: failingTests(many) })
    const answer = await site(report).request(REPORT, { headers: { 'accept-encoding': 'gzip' } })
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(500_000)
    expect(partOf(await textOf(report)).match(/<li id=/g)).toHaveLength(3000)
  })

  test('whatever names and addresses hold, they stay text', async () => {
    const piece = fc.constantFrom(
      ...HOSTILE,
      '"><script>alert(1)</script>',
      "' onclick='x",
      'javascript:alert(1)',
      '</table>',
    )
    const skeleton = (html: string) => html.match(/<[a-z!/][^>]*>/gi)!.map((tag) => tag.replace(/"[^"]*"/g, '""'))
    const make = (text: string) =>
      sampleReport({
        failingTests: failingTests(
          [
            suspect(`a${text}`, `b${text}`, 800, { owner: `c${text}` }),
            {
              ...known,
              failure: { ...known.failure, testName: `d${text}`, reportUrl: `javascript:${text}` },
              issue: { number: 1, title: `e${text}`, url: `javascript:${text}` },
              proofUrl: `https://user:pass@x/${text}`,
              examples: known.examples.map((hit) => ({
                ...hit,
                commitSha: `f${text}`,
                checkName: `g${text}`,
                reportUrl: `data:${text}`,
              })),
            },
          ],
          { redChecks: [{ name: `h${text}`, url: `https://evil.example/${text}`, state: 'may-be-yours' }] },
        ),
      })
    const calm = skeleton(await textOf(make('')))
    await fc.assert(
      fc.asyncProperty(piece, piece, async (a, b) => {
        const html = await textOf(make(a + b))
        expect(skeleton(html)).toEqual(calm)
        expect(partOf(html)).not.toMatch(/<script|<img|href="(?:javascript|data):|evil\.example\/["<]/i)
      }),
      { numRuns: 40 },
    )
  })
})

describe('alone', () => {
  test('as JSON in the fields of `ledger lookup --json`', async () => {
    const answer = await site().request(PATH)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(answer.headers.get('cache-control')).toBe('private, no-cache')
    const json = (await answer.json()) as { failures: Record<string, unknown>[] }
    expect(json).toMatchObject({ schemaVersion: 1, lookbackDays: 30, head: HEAD, problem: null, notJudged: 0 })
    expect(json.failures.map(({ classification }) => classification)).toEqual([
      'pr-suspect',
      'chronic',
      'fallout',
      'rollup',
    ])
    expect(json.failures[1]).toMatchObject({
      checkName: 'Stress test (arm_tsan)',
      testName: 'promise has been destructed (STID: 2508-38c6)',
      signature: '2508-38c6',
      status: 'FAIL',
      unrelatedPullRequests: 7,
      hits: 8,
      trunkHits: 2,
      runs: 4008,
      firstSeen: '2026-05-28T15:12:00.000Z',
      causedBy: null,
      issue: { number: 12 },
    })
    expect(json.failures[1]!['examples']).toHaveLength(3)
  })

  test('the very fields of the command line, and what only the bot knows', async () => {
    const judged = {
      ...chronic('a', 'check', [3, 3, 0]),
      entry: {
        state: 'expired' as const,
        firstSeen: Date.UTC(2026, 0, 1),
        openedAt: Date.UTC(2026, 0, 2),
        expiresAt: Date.UTC(2026, 3, 2),
        reopened: 2,
        hits1: 1,
        hits7: 6,
      },
    }
    const lookup = {
      source: 'own' as const,
      lookbackDays: 30,
      problem: null,
      notJudged: 0,
      failures: [{ judged, until: judged.failure.time, passedSince: null, stored: null }],
      suggestions: [],
    }
    const [onCommandLine] = lookupJson(lookup).failures
    const report = sampleReport({ failingTests: failingTests([judged, rollup('PR')]) })
    const json = (await (await site(report).request(PATH)).json()) as { failures: Record<string, unknown>[] }
    const { asOf, passedOnTrunkSince, stored, ...shared } = onCommandLine!
    expect([asOf, passedOnTrunkSince, stored]).toEqual(['2026-06-24T15:12:00.000Z', null, null])
    expect(json.failures[0]).toEqual(shared)
    expect(json.failures[0]).toMatchObject({ entry: { state: 'expired', expiresAt: '2026-04-02T00:00:00.000Z' } })
    expect(json.failures[1]).toMatchObject({ signature: null, signatureKind: 'name', entry: null })

    const text = decoded(partOf(await textOf(report)))
    expect(text).toContain('Known since 2026-01-01 00:00 UTC')
    expect(text).toContain('Its entry expired on Apr 2, but it still fails')
    expect(text).toContain('Back since Jan 2 after being closed 2 times')
    expect(text).toContain('By its entry, this pull request’s own included: 1 hit in 1 day, 6 in 7 days')
    const links = partOf(await textOf(report)).match(/href="\/r\/acme\/fast\.db\/ledger\/[^"]*"/g)
    expect(links).toEqual([`href="${entryPath({ owner: 'acme', repo: 'fast.db' }, entryIdOfFailure(judged.failure))}"`])
  })

  test('as TSV a line per failure', async () => {
    const answer = await site().request(PATH, { headers: { accept: 'text/tab-separated-values' } })
    expect(answer.headers.get('content-type')).toBe('text/tab-separated-values; charset=utf-8')
    const [names, ...lines] = (await answer.text()).split('\n').slice(0, -1)
    expect(lines).toHaveLength(failures.length)
    const field = (line: string, name: string) => line.split('\t')[names!.split('\t').indexOf(name)]
    expect(field(lines[1]!, 'unrelated_pull_requests')).toBe('7')
    expect(field(lines[1]!, 'caused_by')).toBe('\\N')
    expect(field(lines[2]!, 'caused_by')).toBe('promise has been destructed (STID: 2508-38c6)')
    for (const line of lines) expect(line.split('\t')).toHaveLength(names!.split('\t').length)
  })

  test('a browser gets JSON too; no page has this address', async () => {
    const browser = await site().request(PATH, { headers: { accept: 'text/html,application/xhtml+xml' } })
    expect(browser.headers.get('content-type')).toBe('application/json')
    for (const format of ['html', 'xml']) expect((await site().request(`${PATH}?format=${format}`)).status).toBe(400)
  })

  test('nothing of a private repository, of another head, or where none were looked for', async () => {
    const isPrivate = { ...shown, repository: { ...shown.repository, isPrivate: true } }
    expect((await site(isPrivate).request(PATH)).status).toBe(404)
    expect((await site(sampleReport()).request(PATH)).status).toBe(404)
    expect((await site().request(PATH.replace(HEAD, OLD))).status).toBe(404)
    expect((await site().request(`${REPORT}/main/failing-tests`)).status).toBe(404)
  })
})
