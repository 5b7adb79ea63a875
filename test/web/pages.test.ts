import { readFile } from 'node:fs/promises'
import * as fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { describe, expect, test } from 'vitest'
import { InboxUnavailable } from '../../src/inbox/database.ts'
import { bisectWindow, withCommits } from '../../src/judge/bisect/bisect-window.ts'
import { flameStyle } from '../../src/judge/profile/flame-style.ts'
import { rowAnchor } from '../../src/report/anchors.ts'
import { changeSizes, changeWords } from '../../src/report/render/change-sizes.ts'
import { pictureKey, trunkPicture, trunkWords } from '../../src/report/render/pictures.ts'
import { summaryOf } from '../../src/report/render/summary.ts'
import type { TriageReport } from '../../src/report/report.ts'
import {
  changesPicturePath,
  flameGraphPath,
  ownRowPath,
  rowPath,
  trunkPicturePath,
  wordAnchor,
} from '../../src/report/urls.ts'
import { MEASUREMENT_WORDS, NOTE_WORDS, VERDICT_WORDS } from '../../src/report/words.ts'
import type { ReportedRepository } from '../../src/store/reports/queue-reports.ts'
import { StoreUnavailable } from '../../src/store/store-unavailable.ts'
import { publicAccess } from '../../src/web/access/access.ts'
import { PICTURE_COLOURS } from '../../src/web/kit/charts/picture-file.ts'
import { GLOSSARY } from '../../src/web/kit/glossary.ts'
import { pageTurns } from '../../src/web/kit/page-turns.ts'
import type { PagesStore } from '../../src/web/pages/site.ts'
import { pages } from '../../src/web/pages.ts'
import { commitOf, point, seriesOf, step, windowCommit } from '../judge/bisect/series-builder.ts'
import { STATES } from '../report/render/states.ts'
import { memoryReports } from './memory-reports.ts'
import { recordingLog } from './recording-log.ts'
import { AMD, HEAD, largeReport, OLD, sampleReport, sampleResult, sampleRow } from './sample-report.ts'

const REPORT = '/r/acme/fast.db/pull/7'
const STATES_REPORT = '/r/acme/database/pull/108'

function site(reports = [sampleReport()], publicUrl = 'https://perf.example.org') {
  const { store, questions } = memoryReports(...reports)
  const log = recordingLog()
  return { app: pages({ store, publicUrl, version: '1.2.3', log }), questions, log }
}

test('a network that asks for more than its share is told so, and others are not', async () => {
  const { store } = memoryReports(sampleReport())
  const hangs = Promise.withResolvers<ReportedRepository[]>()
  const app = pages({
    store: { ...store, reports: { ...store.reports, repositories: () => hangs.promise } },
    publicUrl: 'https://perf.example.org',
    version: '1.2.3',
    log: recordingLog(),
    turns: pageTurns({
      ...{ atOnce: 2, atOnceOfOne: 1, waitingOfOne: 2, waiting: 9, crowd: 1 },
      ...{ longestWait: 60_000, refusedAfter: 0, longestRest: 0 },
    }),
  })
  const ask = async (path: string, network: string) =>
    await app.fetch(new Request(`https://perf.example.org${path}`), { network })
  const held = Array.from({ length: 3 }, () => ask('/', '203.0.113.9'))
  const refused = await ask('/', '203.0.113.9')
  expect(refused.status).toBe(429)
  expect(refused.headers.get('Retry-After')).toBe('10')
  expect(await refused.text()).toContain('Too many pages at once')
  expect((await ask('/words', '198.51.100.7')).status).toBe(200)
  hangs.resolve([])
  for (const { status } of await Promise.all(held)) expect(status).toBe(200)
})

/** What a browser makes of character references; enough for those that the pages write. */
function decoded(html: string): string {
  const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
  return html.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => named[name]!)
}

/** The names of its elements; throws where it is not well-formed. */
function tagsOfXml(text: string): Set<string> {
  const names = new Set<string>()
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name }) => names.add(name))
  parser.write(text).close()
  return names
}

/** What is read of it. */
function textOf(html: string): string {
  return decoded(html.replace(/<[^>]+>/g, ''))
}

describe('the report page', () => {
  test('shows every number of every query, and the unrounded one beside it', async () => {
    const answer = await site().app.request(REPORT)
    const html = await answer.text()
    const all = await (await site().app.request(`${REPORT}?columns=all`)).text()
    expect(answer.status).toBe(200)
    for (const row of sampleReport().rows) {
      expect(html).toContain(`id="${rowAnchor(row)}"`)
      for (const result of row.results) {
        const main = [result.old.median, result.new.median, result.difference, result.threshold, result.pValue]
        const further = [result.rankPValue, result.qValue, result.changedThreshold, result.unstableThreshold]
        for (const number of main) if (number !== null) expect(html).toContain(`<data value="${number}"`)
        for (const number of further) if (number !== null) expect(all).toContain(`<data value="${number}"`)
      }
    }
    for (const text of [
      'On arm only, not on amd',
      'Two modes on the new side, 13.0 and 18.0\u00a0ms (3 and 4 repetitions)',
      'only in the new build: the query failed while it was measured',
      'it left no results',
      'History is not available',
      'sum-raw.tsv:1201',
      '1 new, 1 unchanged, 1 resolved',
      'sum #8',
      '2 commits older than the merge base',
    ]) {
      expect(textOf(html)).toContain(text)
    }
    expect(html).toContain(`href="https://github.com/acme/fast.db/commit/${HEAD}"`)
    const oldBuild = `<a href="https://github.com/acme/fast.db/commit/${OLD}"><code><bdi>${OLD.slice(0, 7)}</bdi></code></a>`
    expect(html).toContain(`Its old build ${oldBuild} is`)
  })

  test('shows the bisect windows, and what the thresholds were learned from', async () => {
    const [row] = sampleReport().rows
    const { test: name, queryIndex, queryName } = row!
    const measuredAt = Date.parse('2026-11-21T12:00:00Z')
    const report = sampleReport({
      windows: [
        withCommits(
          bisectWindow(
            seriesOf([0.1, 0.12], { test: name, queryIndex, queryName }),
            step({ recovered: point(60, 0.1, 0.1) }),
            's',
          ),
          { total: 7, listed: Array.from({ length: 7 }, (_, index) => windowCommit(index, ['src/a.cpp'])) },
        ),
        bisectWindow(
          seriesOf([0.1, 0.12], { test: '<script>' }),
          step({ step: 0.2, earliest: point(40, 0.1, 0.1) }),
          's',
        ),
      ],
      degradations: ['history-not-available'],
      history: {
        provenance: { source: 'own', learned: 1893, floor: 141, newest: measuredAt - 6 * 3600_000 },
        problem: 'too-slow',
        measuredAt,
      },
    })
    const html = decoded(await (await site([report]).app.request(REPORT)).text())
    for (const text of [
      '2 bisect windows',
      `<a href="${rowPath({ owner: 'acme', repo: 'fast.db', number: 7, head: HEAD }, row!)}">`,
      '+15.2',
      '7 commits',
      ' and 2 more',
      commitOf(44).slice(0, 10),
      commitOf(46).slice(0, 10),
      commitOf(61).slice(0, 10),
      'an unknown number of commits',
      '99% confidence: the first bad commit is between ',
      commitOf(41).slice(0, 7),
      'Main branch’s history: learned thresholds known for 1,893 of 2,034, 6 hours old, from runs the bot has seen; the main branch’s history took too long to answer.',
      'The main branch’s history took too long to answer.</strong> Default limits stand in',
    ]) {
      expect(html.replaceAll('\u00a0', ' ')).toContain(text)
    }
    expect(html).not.toContain('History is not available')
  })

  test('begins with what the comment says, and leads to the worst row', async () => {
    const [first] = sampleReport().rows
    const html = await (await site().app.request(REPORT)).text()
    expect(textOf(html)).toContain(
      '2 of 4 queries got slower, 1 of them needs a rerun, 1 got faster; some results could not be read. Start with join_hash #3, +18.7%.',
    )
    expect(html).toContain(
      `<a href="${rowPath({ owner: 'acme', repo: 'fast.db', number: 7, head: HEAD }, first!)}"><bdi>join_hash #3</bdi></a>, `,
    )
    const nothing = await (await site([sampleReport({ rows: [] })]).app.request(REPORT)).text()
    expect(nothing).toContain(
      '<p class="lead"><strong>Nothing could be compared; some results could not be read.</strong></p>',
    )
  })

  test('a link to it unfurls with its headline, and a hostile name stays in its place', async () => {
    const html = await (await site().app.request(REPORT)).text()
    expect(html).toContain(
      '<meta property="og:description" content="2 of 4 queries got slower, 1 of them needs a rerun, 1 got faster; some results could not be read.">',
    )
    const name = '"><script>alert(1)</script>'
    const row = sampleRow([sampleResult({ test: name })])
    const address = { owner: 'acme', repo: 'fast.db', number: 7, head: HEAD }
    const page = await (await site([sampleReport({ rows: [row] })]).app.request(ownRowPath(address, row))).text()
    expect(page).toContain('<meta property="og:title" content="&quot;&gt;&lt;script&gt;')
    expect(page).not.toContain('<script>alert')
    expect(page.indexOf('<p class="lead">')).toBeLessThan(page.indexOf('id="samples"'))
  })

  test('says what the queries of a suite have in common, and a cause of one suite only', async () => {
    const text = textOf(await (await site([STATES['ten-suites']!.report]).app.request(STATES_REPORT)).text())
    expect(text).toContain('suite_0: 5 of 6 queries slower, +20.0% to +100%; all 6 together +46.0%; probably one cause')
    expect(text).toContain('suite_1: 3 of 30 queries slower, +20.0% to +60.0%; all 30 together +3.4%.')
    expect(text.match(/probably one cause/g)).toHaveLength(1)
  })

  test('names a check that is red by its own rule while nothing is open', async () => {
    const text = textOf(await (await site([STATES['other-judges-red']!.report]).app.request(STATES_REPORT)).text())
    expect(text).toContain('Other judges. 1 of 2 performance checks is red by its own rule (1 confirmed regression,')
  })

  test('explains the words where they stand, and each of these links leads to one', async () => {
    const { app } = site()
    const html = await (await app.request(REPORT)).text()
    const places = new Set(
      [...(await (await app.request('/words')).text()).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id),
    )
    const links = [...html.matchAll(/href="\/words#([^"]+)"/g)].map(([, id]) => id)
    expect(links.filter((id) => !places.has(id))).toEqual([])
    for (const { term } of [VERDICT_WORDS.regression, VERDICT_WORDS['needs-rerun'], MEASUREMENT_WORDS.threshold]) {
      expect(links).toContain(wordAnchor(term))
    }
    const all = await (await app.request(`${REPORT}?columns=all`)).text()
    expect(decoded(all)).toContain(`title="${NOTE_WORDS['uneven-repetitions'].meaning}"`)
  })

  test('says what the profile of a row shows, and leads to its flame graph', async () => {
    const [first, ...rest] = sampleReport().rows
    const frame = { name: 'DB::Aggregator::executeImpl<true>(int)', change: '31% → 44%', points: '+13.2 points' }
    const profile = {
      architecture: 'arm',
      traceType: 'CPU',
      traceTypes: ['CPU', 'Real'],
      words: { cautions: ['Few samples.'], total: [{ ...frame, callers: 2, withinChance: false }], self: [] },
    } as const
    const html = await (
      await site([sampleReport({ rows: [{ ...first!, profile }, ...rest] })]).app.request(REPORT)
    ).text()
    for (const text of [
      'Profile on arm, shares of all CPU samples',
      'Few samples.',
      'Aggregator::executeImpl 31% → 44% +13.2 points, the same for 2 frames that only call it',
    ]) {
      expect(textOf(html)).toContain(text)
    }
    const address = { owner: 'acme', repo: 'fast.db', number: 7, head: HEAD }
    expect(html).toContain(`href="${flameGraphPath(address, first!)}"`)
    expect(html.match(/class="profile"/g)).toHaveLength(1)
  })

  test('every page of a repository says where it is', async () => {
    const { app } = site()
    for (const [path, here] of [
      ['/r/acme/fast.db', 'acme/fast.db'],
      [REPORT, '#7'],
      ['/r/acme/fast.db/ledger', 'Ledger'],
      [ownRowPath({ owner: 'acme', repo: 'fast.db', number: 7, head: HEAD }, sampleReport().rows[0]!), 'join_hash #3'],
    ] as const) {
      const crumbs = /<nav class="crumbs"[\s\S]*?<\/nav>/.exec(await (await app.request(path)).text())![0]
      expect(crumbs).toContain(`<span aria-current="page"><bdi>${here}</bdi></span>`)
      if (path !== '/r/acme/fast.db') expect(crumbs).toContain('href="/r/acme/fast.db"')
      if (here !== 'Ledger') expect(crumbs).toContain('href="/r/acme/fast.db/ledger"')
    }
  })

  test('the permanent address stays at its head, the other one follows the newest', async () => {
    const newer = sampleReport({ head: OLD, counts: { ...sampleReport().counts, slower: 1 } })
    const { app } = site([sampleReport(), newer])
    const head = async (path: string) =>
      ((await (await app.request(`${path}?format=json`)).json()) as { head: string }).head
    expect(await head(REPORT)).toBe(OLD)
    expect(await head(`${REPORT}/${HEAD}`)).toBe(HEAD)
    expect((await app.request(`${REPORT}/${'0'.repeat(40)}`)).status).toBe(404)
  })

  test('filters, sorts and pages', async () => {
    const { app } = site([largeReport(450)])
    const ids = async (query: string) =>
      [...(await (await app.request(REPORT + query)).text()).matchAll(/<tbody id="([^"]+)"/g)].map(([, id]) => id!)
    const all = largeReport(450).rows
    expect(await ids('')).toEqual(all.slice(0, 200).map(rowAnchor))
    expect(await ids('?page=3')).toEqual(all.slice(400).map(rowAnchor))
    expect(await ids('?page=99')).toEqual(all.slice(400).map(rowAnchor))
    expect(await ids('?outcome=slower')).toEqual(all.slice(0, 20).map(rowAnchor))
    expect(await ids('?test=test_3')).toEqual(all.slice(36, 48).map(rowAnchor))
    expect(await ids('?outcome=slower&test=test_3')).toEqual([])
    const byQ = all.toSorted((a, b) => a.results[0]!.qValue! - b.results[0]!.qValue!)
    expect(await ids('?sort=q')).toEqual(byQ.slice(0, 200).map(rowAnchor))
    expect(await ids('?sort=q&order=reverse')).toEqual(byQ.toReversed().slice(0, 200).map(rowAnchor))
    // A part of the label or of the query's text, whatever the case.
    expect(await ids('?q=TEST_3+%231')).toEqual([37, 46, 47].map((index) => rowAnchor(all[index]!)))
    expect(await ids('?q=FROM+t_440+where')).toEqual([rowAnchor(all[440]!)])
    expect(await ids('?q=t_44&outcome=slower')).toEqual([])
    expect(await ids(`?q=${'x'.repeat(201)}&page=3`)).toEqual(all.slice(400).map(rowAnchor))
    const searched = await (await app.request(`${REPORT}?test=test_3&q=c1`)).text()
    expect(searched).toContain('<input type="hidden" name="test" value="test_3">')
    expect(searched).toContain('value="c1"')
    expect(await ids('?sort=nonsense&page=-1&outcome=x')).toEqual(all.slice(0, 200).map(rowAnchor))

    // A link to a row finds the page that the row is on.
    const linked = rowPath({ owner: 'acme', repo: 'fast.db', number: 7 }, all[430]!)
    expect(await ids(linked.slice(REPORT.length).split('#')[0]!)).toContain(linked.split('#')[1])
  })

  test('of 3,000 queries on two architectures is under 200 KB compressed', async () => {
    const answer = await site([largeReport(3_000)]).app.request(REPORT, { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(200_000)
  })

  test('as JSON it is the whole report, as TSV a line per query and architecture', async () => {
    const { app } = site()
    const json = await app.request(REPORT, { headers: { accept: 'application/json' } })
    const findings = { failedInNew: 0, failedUnknown: 0, notMeasuredAgain: 0, notSeenAgain: 0, ignored: 0 }
    expect(await json.json()).toEqual({
      ...sampleReport(),
      findings,
      said: summaryOf(sampleReport()),
      speeds: expect.any(Array),
    })
    expect(json.headers.get('vary')).toContain('Accept')
    const tsv = await app.request(`${REPORT}?format=tsv`)
    expect(tsv.headers.get('content-type')).toBe('text/tab-separated-values; charset=utf-8')
    expect((await tsv.text()).split('\n')).toHaveLength(1 + 6 + 1)
    expect((await app.request(`${REPORT}?format=xml`)).status).toBe(400)
  })

  test('lists what has no result in the new build and what was not measured again, in every format, as the comment counts it', async () => {
    const none = { outcome: null, direction: null, difference: null, new: { median: null, repetitions: 0 } } as const
    const failed = (name: string, failedIn: 'new' | 'old' | 'unknown') =>
      sampleRow([sampleResult({ ...none, test: name, status: failedIn === 'old' ? 'only-new' : 'failed', failedIn })])
    const again = [
      sampleRow([sampleResult({ test: 'uniq' })], { verdict: 'regression' }),
      sampleRow([sampleResult({ test: 'join_hash' }), sampleResult({ test: 'join_hash', ...AMD })]),
    ]
    const [first] = sampleReport().rows
    const report = sampleReport({
      rows: [
        first!,
        failed('gone', 'new'),
        failed('lost', 'new'),
        failed('unclear', 'unknown'),
        failed('fresh', 'old'),
      ],
      notMeasuredAgain: again,
    })
    const { app } = site([report])
    const html = await (await app.request(REPORT)).text()
    const head = ['2 without a result in the new build', '1 failed in an unknown build']
    const carried = '2 slower before and not measured again'
    for (const words of [...head, carried]) expect(textOf(html)).toContain(words)
    const section = html.slice(html.indexOf('<section id="not-measured-again"'), html.indexOf('id="run-title"'))
    expect(textOf(section)).toContain(carried)
    expect(section.match(/<tbody/g)).toHaveLength(2)
    expect(section).toContain('uniq #3')
    expect(section).not.toContain('id="q-')
    expect(section).not.toContain('samples and metrics')
    for (const [filter, names] of [
      ['failed-in-new', ['gone', 'lost']],
      ['failed-unknown', ['unclear']],
    ] as const) {
      const rows = await (await app.request(`${REPORT}?outcome=${filter}`)).text()
      const found = [
        ...rows.slice(rows.indexOf('<section id="rows"')).matchAll(/class="label" href="[^"]+"><bdi>(\w+) #3/g),
      ]
      expect(found.map(([, name]) => name)).toEqual(names)
    }
    const json = (await (await app.request(`${REPORT}?format=json`)).json()) as object
    expect(json).toEqual({
      ...report,
      findings: { failedInNew: 2, failedUnknown: 1, notMeasuredAgain: 2, notSeenAgain: 0, ignored: 0 },
      said: summaryOf(report),
      speeds: expect.any(Array),
    })
    const [names, ...lines] = (await (await app.request(`${REPORT}?format=tsv`)).text()).trimEnd().split('\n')
    const cell = (line: string, name: string) => line.split('\t')[names!.split('\t').indexOf(name)]
    expect(lines.filter((line) => cell(line, 'failed_in') === 'new')).toHaveLength(2)
    expect(lines.filter((line) => cell(line, 'measured_again') === 'false').map((line) => cell(line, 'test'))).toEqual([
      'uniq',
      'join_hash',
      'join_hash',
    ])
    const plain = await (await site().app.request(REPORT)).text()
    expect(plain).not.toContain('not-measured-again')
    expect(plain).not.toContain('without a result in the new build</a>')
  })

  test('has what the repository’s file ignores in a list of its own, with the reason; what has expired is a notice', async () => {
    const entry = { test: 'join_*', query: 3, reason: '<b>disks</b> @octocat', until: '2027-03-01' }
    const [first] = sampleReport().rows
    const report = sampleReport({
      rows: [first!, sampleRow([sampleResult({ test: 'join_disks' })], { verdict: 'ignored', ignored: entry })],
      expired: [{ ...entry, reason: 'old & over', until: '2026-11-01', rows: 1 }],
    })
    const { app } = site([report])
    const html = await (await app.request(REPORT)).text()
    for (const words of ['1 ignored', 'Ignored by the repository’s file: join_* #3 until 2027-03-01']) {
      expect(textOf(html)).toContain(words)
    }
    expect(html).toContain('&lt;b&gt;disks&lt;/b&gt; @octocat')
    expect(html).not.toContain('<b>disks')
    const notices = html.slice(html.indexOf('<details class="notice"'), html.indexOf('<nav aria-label="Queries'))
    expect(notices).toContain('have expired')
    expect(notices).toContain('old &amp; over')
    const named = async (filter: string) => {
      const rows = await (await app.request(`${REPORT}?outcome=${filter}`)).text()
      return rows
        .slice(rows.indexOf('<section id="rows"'), rows.indexOf('id="run-title"'))
        .includes('<bdi>join_disks #3')
    }
    expect(await Promise.all(['ignored', 'slower', 'open'].map(named))).toEqual([true, false, false])
    expect(textOf(await (await site().app.request(REPORT)).text())).not.toMatch(/\d ignored/)
  })

  test('is not sent again to who has it; HEAD has no body', async () => {
    const { app } = site()
    const first = await app.request(REPORT)
    const tag = first.headers.get('etag')!
    const again = await app.request(REPORT, { headers: { 'if-none-match': `"x", ${tag}` } })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(again.headers.get('cache-control')).toBe('private, no-cache')
    const head = await app.request(REPORT, { method: 'HEAD' })
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', tag])
    expect(head.headers.get('content-length')).toBe(first.headers.get('content-length'))
  })
})

function listing() {
  const { id, owner, name, isPrivate } = sampleReport().repository
  return { id, isPrivate, owner, repo: name, storedAt: 1 }
}

/** The pages of a store that lists these repositories. */
function startOf(store: PagesStore, listed: readonly ReportedRepository[] = []) {
  const options = { publicUrl: 'https://perf.example.org', version: '1', log: recordingLog() }
  return pages({
    store: { ...store, reports: { ...store.reports, repositories: async () => listed.slice() } },
    ...options,
  })
}

describe('the start', () => {
  test('lists the repositories that whoever asks may see, with their last runs, and names no other', async () => {
    const secret = sampleReport({
      repository: { ...sampleReport().repository, id: 43, name: 'secret', isPrivate: true },
    })
    const { store } = memoryReports(sampleReport(), secret)
    const listed = [{ ...listing(), id: 43, isPrivate: true, repo: 'secret' }, listing()]
    const answer = await startOf(store, listed).request('/')
    const html = await answer.text()
    expect(textOf(html)).toContain(
      '#7 2 of 4 queries got slower, 1 of them needs a rerun, 1 got faster; some results could not be read',
    )
    expect(html).toContain(`href="${REPORT}/${HEAD}"`)
    expect(html).not.toContain('secret')
    expect(answer.headers.get('cache-control')).toBe('private, no-cache')
    const nothing = await (await startOf(store).request('/')).text()
    expect(nothing).toContain('No repository that you can see has a report yet.')
  })

  test('counts as the comment does: what is likely noise on the faster side is no finding', async () => {
    const { rows } = sampleReport()
    const noise = rows.map((row) => (row.direction === 'faster' ? { ...row, verdict: 'likely-noise' as const } : row))
    for (const [report, words] of [
      [
        sampleReport({ rows: noise }),
        '2 of 4 queries got slower, 1 of them needs a rerun; some results could not be read',
      ],
      [
        sampleReport({ rows: noise.filter(({ direction }) => direction === 'faster') }),
        'No slowdown found in what was measured; some results could not be read',
      ],
    ] as const) {
      expect(report.counts.faster).toBe(1)
      const { store } = memoryReports(report)
      const html = await (await startOf(store, [listing()]).request('/')).text()
      expect(textOf(html)).toContain(words)
      const runs = await (await startOf(store).request('/r/acme/fast.db')).text()
      expect(textOf(runs)).toContain(words)
    }
  })

  test('asks the database again only where it failed or a report was stored since', async () => {
    const { store } = memoryReports(sampleReport())
    let asked = 0
    const recent: typeof store.reports.recent = async (...given) => {
      asked += 1
      if (asked === 1) throw new StoreUnavailable('for a moment')
      return await store.reports.recent(...given)
    }
    const counted = { ...store, reports: { ...store.reports, recent } }
    const listed = [listing()]
    const app = startOf(counted, listed)
    const statuses = []
    for (let time = 0; time < 3; time += 1) statuses.push((await app.request('/')).status)
    expect([statuses, asked]).toEqual([[503, 200, 200], 2])
    listed[0] = { ...listing(), storedAt: 2 }
    await app.request('/')
    expect(asked).toBe(3)
  })
})

describe('what may not be seen', () => {
  const hidden = sampleReport({ repository: { ...sampleReport().repository, isPrivate: true } })

  test('a private repository looks like none, and no report is looked up', async () => {
    const { app, questions } = site([sampleReport(), hidden])
    const none = site([])
    const texts = new Set<string>()
    for (const [tried, path] of [
      [app, REPORT],
      [app, `${REPORT}/${HEAD}`],
      [app, `${REPORT}?format=xml`],
      [none.app, REPORT],
      [none.app, '/r/acme/fast.db/pull/0'],
      [none.app, '/r/acme/fast.db/pull/7/main'],
      [none.app, '/nothing'],
    ] as const) {
      const answer = await tried.request(path)
      expect(answer.status).toBe(404)
      texts.add(JSON.stringify([await answer.text(), [...answer.headers]]))
    }
    expect(texts.size).toBe(1)
    const data = new Set<string>()
    for (const tried of [app, none.app]) {
      for (const [path, headers] of [
        [`${REPORT}?format=json`, {}],
        [REPORT, { accept: 'application/json' }],
        ['/nothing', { accept: 'application/json' }],
      ] as const) {
        const answer = await tried.request(path, { headers })
        expect(answer.status).toBe(404)
        data.add(JSON.stringify([await answer.text(), [...answer.headers]]))
      }
    }
    expect([...data].map((one) => JSON.parse(JSON.parse(one)[0]))).toEqual([{ error: 'not found' }])
    expect([...data][0]).toContain('application/json')
    expect(questions).toEqual(Array(5).fill('repositoryByName'))
    expect(none.questions).toEqual(Array(3).fill('repositoryByName'))
  })

  test('a repository that turned public shows its reports', async () => {
    expect((await site([hidden, sampleReport({ head: OLD })]).app.request(REPORT)).status).toBe(200)
  })
})

describe('answers', () => {
  test('405 names what is allowed, also where there is no report', async () => {
    for (const path of ['/', '/words', REPORT, '/r/none/none/pull/1']) {
      const answer = await site().app.request(path, { method: 'POST' })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  test('503 while the store or the inbox is down, 500 without the reason', async () => {
    const failing = (error: Error) => {
      const log = recordingLog()
      const fail = async () => {
        throw error
      }
      const { store: up } = memoryReports()
      const store = { ...up, reports: { ...up.reports, repositoryByName: fail, of: fail } }
      return { app: pages({ store, publicUrl: 'http://x', version: '1', log }), log }
    }
    const away = [StoreUnavailable, InboxUnavailable].map(
      (Unavailable) => new Unavailable('secret:8123 does not answer'),
    )
    for (const error of away) {
      const { app, log } = failing(error)
      const down = await app.request(REPORT)
      expect([down.status, down.headers.get('retry-after'), down.headers.get('cache-control')]).toEqual([
        503,
        '60',
        'no-store',
      ])
      expect(await down.text()).not.toContain('secret')
      expect(log.lines.map(({ level }) => level)).toEqual(['warn'])
    }
    const broken = failing(new Error('secret reason'))
    const answer = await broken.app.request(REPORT)
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('secret')
    expect(broken.log.lines.map(({ level }) => level)).toEqual(['error'])
  })

  test('every answer has the security headers; HSTS only on https', async () => {
    for (const path of ['/', '/words', REPORT, '/nothing', `${REPORT}?format=json`]) {
      const { headers } = await site().app.request(path)
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      )
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
    }
    const plain = await site([], 'http://localhost:3000').app.request('/')
    expect(plain.headers.get('strict-transport-security')).toBeNull()
  })

  test('a picture is served by the name of what it shows, to everybody and with a policy of its own', async () => {
    const { report } = STATES['pictures']!
    const row = report.rows.find(({ trunkLine }) => trunkLine !== undefined)!
    const address = { owner: 'acme', repo: 'database', number: 108, head: report.head }
    const [sizes, line] = [changeSizes(report)!, trunkPicture(row)!]
    const [key, keyOfLine] = [pictureKey(sizes), pictureKey(line)]
    const path = changesPicturePath(address, key, 'dark')
    const pathOfLine = trunkPicturePath(address, row, keyOfLine, 'dark')
    const ask = async (shown: TriageReport, at: string) => await site([shown]).app.request(at)
    const style = await readFile(new URL('../../src/web/assets/style.css', import.meta.url), 'utf8')
    for (const [theme, at, words, tags] of (['light', 'dark'] as const).flatMap((name) => [
      [name, changesPicturePath(address, key, name), changeWords(sizes), ['g', 'rect', 'line']] as const,
      [
        name,
        trunkPicturePath(address, row, keyOfLine, name),
        trunkWords(line),
        ['line', 'polyline', 'circle'],
      ] as const,
    ])) {
      const answer = await ask(report, at)
      const { headers } = answer
      expect([answer.status, headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'")
      expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
      const svg = await answer.text()
      expect(tagsOfXml(svg)).toEqual(new Set(['svg', 'style', 'text', ...tags]))
      expect(svg).toContain(words)
      expect(svg).not.toContain('NaN')
      expect(svg.length).toBeLessThan(20_000)
      const used = [...svg.matchAll(/#[0-9a-f]{6}/g)].map(([colour]) => colour)
      expect(Object.values(PICTURE_COLOURS[theme])).toEqual(expect.arrayContaining(used))
      for (const colour of used) expect(style).toContain(colour)
    }

    for (const at of [path.replace(key, '0'.repeat(16)), pathOfLine.replace(keyOfLine, '0'.repeat(16))]) {
      const judgedAnew = await ask(report, at)
      expect([judgedAnew.status, judgedAnew.headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
    }

    const hidden = { ...report, repository: { ...report.repository, isPrivate: true } }
    const absent = [
      await ask(hidden, path),
      await ask(report, path.replace('database', 'other')),
      await ask(report, path.replace(report.head, 'f'.repeat(40))),
      await ask(report, path.replace('dark', 'blue')),
      await ask({ ...report, rows: [] }, path),
      await ask(hidden, pathOfLine),
      await ask(report, trunkPicturePath(address, report.rows.at(-1)!, keyOfLine, 'dark')),
    ]
    for (const { status, headers } of absent) {
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
    }
    const forOwner = pages({
      store: memoryReports(hidden).store,
      access: {
        ...publicAccess(memoryReports().store.reports),
        visible: async () => ({ id: hidden.repository.id, isPrivate: true }),
      },
      publicUrl: 'https://perf.example.org',
      version: '1.2.3',
      log: recordingLog(),
    })
    expect((await forOwner.request(path.split('/changes')[0]!)).status).toBe(200)
    expect((await forOwner.request(path)).status).toBe(404)
    expect((await forOwner.request(pathOfLine)).status).toBe(404)
  })

  test('the style sheet is where the pages say and may be kept for ever', async () => {
    const { app } = site()
    const path = /href="(\/assets\/[^"]+\.css)"/.exec(await (await app.request('/')).text())![1]!
    const style = await app.request(path)
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect(style.headers.get('cache-control')).toContain('immutable')
    expect(await style.text()).not.toMatch(/url\(|@import/)
  })

  test('the dark theme changes colours alone, so that what else holds of the light one holds of it', async () => {
    const { app } = site()
    const [path] = /\/assets\/[^"]+\.css/.exec(await (await app.request('/')).text())!
    const [, ...blocks] = (await (await app.request(path)).text()).split(/@media \(prefers-color-scheme: dark\) /)
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) expect(block).toMatch(/^\{\s*:root \{\s*(?:--[a-z-]+: #[0-9a-f]{6};\s*)+\}\s*\}/)
    const graph = /@media\(prefers-color-scheme:dark\)(.*)/.exec(flameStyle())![1]!
    expect(graph).toMatch(/^\{\.flame-graph\{(?:--[a-z0-9-]+:#[0-9a-f]{3,6};?)+\}\}/)
  })

  test('every term has its place in the glossary, once', async () => {
    const html = await (await site().app.request('/words')).text()
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { term } of GLOSSARY.flatMap(({ words }) => words)) expect(ids).toContain(wordAnchor(term))
  })
})

test('whatever names, texts and addresses hold, they stay text', async () => {
  const piece = fc.constantFrom(
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '</code></table></main>',
    '<!--',
    ']]>',
    '&lt;b&gt;',
    '\u202e\u2066',
    '\t\n\r\0\u0085',
    '\ud800',
    '`{{7*7}}`',
    'javascript:alert(1)',
    'x',
  )
  const hostile = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  const skeleton = (html: string) => html.match(/<[a-z!/][^>]*>/gi)!.map((tag) => tag.replace(/"[^"]*"/g, '""'))

  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, async (name, text, other) => {
      const make = (a: string, b: string, c: string) => {
        const result = sampleResult({
          test: `t${a}`,
          queryName: `q${b}`,
          architecture: `a${c}`,
          metric: `m${a}`,
          unit: `u${b}`,
        })
        const base = sampleReport()
        return sampleReport({
          pullRequest: { number: 7, baseRef: `b${a}` },
          primaryMetric: `m${a}`,
          architectures: [`a${c}`],
          references: [{ commit: `c${b}`, architectures: [`a${c}`], commitsBeforeMergeBase: 1 }],
          shards: [
            { ...base.shards[0]!, check: `s${a}`, architecture: `a${b}`, url: `javascript:${c}`, conclusion: `d${b}` },
          ],
          rows: [
            sampleRow([result], {
              evidence: [
                { kind: 'replicated', architectures: [`e${a}`] },
                { kind: 'stale-reference', commit: `f${b}`, commitsBeforeMergeBase: 1 },
              ],
            }),
          ],
          sinceLastPush: { head: `h${c}`, new: 0, unchanged: 0, resolved: [`r${a}`] },
          warnings: [{ code: 'run-error', where: `w${a}`, message: `v${b}` }],
          judgedAt: `j${c}`,
        })
      }
      const page = async (report: ReturnType<typeof make>, query = '') =>
        (await site([report]).app.request(REPORT + query)).text()
      const html = await page(make(name, text, other), `?test=${encodeURIComponent(`t${name.toWellFormed()}`)}`)
      const calm = await page(make('', '', ''), '?test=t')
      // The same elements with the same attributes, whatever the texts are.
      const lone = /[\ud800-\udfff]/.test(name)
      if (!lone) expect(skeleton(html)).toEqual(skeleton(calm))
      expect(
        html.replace(/<script type="module" src="\/assets\/[0-9a-f]{16}\/[a-z-]+\.js"><\/script>/g, ''),
      ).not.toMatch(/<script|<img|href="javascript/i)
      const outsideOfValues = html.replace(/ (?:value|href|title|datetime)="[^"]*"/g, '')
      expect(outsideOfValues).not.toMatch(/[[\p{Cc}--\n]\u202a-\u202e\u2066-\u2069]/v)
    }),
    { numRuns: 60 },
  )
})
