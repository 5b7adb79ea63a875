import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { LedgerEntry } from '../../../../src/judge/ledger/entry.ts'
import { entryIdOf } from '../../../../src/judge/ledger/entry.ts'
import { entryPath } from '../../../../src/report/urls.ts'
import { DEFAULT_LEDGER_VIEW } from '../../../../src/store/ledger/found-entries.ts'
import { daysSql, ledgerSql } from '../../../../src/web/pages/ledger/ledger-reproduce.ts'
import { parseLedgerView } from '../../../../src/web/pages/ledger/ledger-view.ts'
import { pages } from '../../../../src/web/pages.ts'
import { anyCodePoint } from '../../../any-code-point.ts'
import { HOSTILE } from '../../../report/render/hostile.ts'
import { migratedDatabase } from '../../../store/embedded/engine-fixture.ts'
import { recordingLog } from '../../recording-log.ts'
import { sampleReport } from '../../sample-report.ts'
import { commitOf, DAY, LEDGER, type LedgerSetting, makeLedgerSetting, NOW, REPOSITORY } from './ledger-setting.ts'

let setting: LedgerSetting
beforeAll(async () => {
  setting = await makeLedgerSetting(await migratedDatabase())
})
afterAll(() => setting?.close())

function ask(path: string, headers: Record<string, string> = {}) {
  const { store } = setting
  const app = pages({ store, publicUrl: 'https://perf.example.org', version: '1.2.3', log: recordingLog() })
  return app.request(path, { headers })
}

const ledgerSchema = z.object({
  schemaVersion: z.literal(1),
  states: z.record(z.string(), z.number()),
  kinds: z.record(z.string(), z.number()),
  found: z.number(),
  entries: z.array(
    z.looseObject({
      entryId: z.string(),
      kind: z.string(),
      state: z.string(),
      testName: z.string(),
      hits7: z.number(),
      unrelatedPullRequests: z.number(),
      owner: z.string().nullable(),
      openedAt: z.string(),
    }),
  ),
})

async function entriesAt(query: string) {
  return ledgerSchema.parse(await (await ask(`${LEDGER}?format=json${query}`)).json())
}

describe('the ledger', () => {
  test('has every entry, whatever its state, and counts them', async () => {
    const { states, kinds, found, entries } = await entriesAt('')
    expect(states).toEqual({ expired: 4, open: 961, closed: 1 })
    expect(kinds).toEqual({ failure: 965, mover: 1 })
    expect([found, entries.length]).toEqual([966, 966])
    expect(entries.map(({ entryId }) => entryId)).toEqual(
      expect.arrayContaining([setting.chronic, setting.expired, setting.closed, setting.mover, setting.check]),
    )
  })

  test('the worst first: expired, open, closed, and within these by hits in 7 days and pull requests', async () => {
    const { entries } = await entriesAt('')
    const keys = entries.map(({ state, hits7, unrelatedPullRequests }) => [
      ['expired', 'open', 'closed'].indexOf(state),
      -hits7,
      -unrelatedPullRequests,
    ])
    const inOrder = (a: number[], b: number[]) => a.map((key, index) => key - b[index]!).find((n) => n !== 0) ?? 0
    expect(keys).toEqual(keys.toSorted(inOrder))
  })

  test.each([
    ['&state=closed', 1],
    ['&kind=mover', 1],
    ['&owner=acme/network', 1],
    ['&owner=-', 961],
    ['&q=PORT-FORWARD', 1],
    ['&q=Build+(amd', 1],
    ['&q=uncommon+words', 0],
    ['&q=%25', 0],
    ['&state=expired&kind=mover', 0],
    ['&state=<b>&kind=1&sort=x&order=y&page=-1', 966],
  ])('found by %s: %i', async (query, expected) => {
    const { found, entries } = await entriesAt(query)
    expect([found, entries.length]).toEqual([expected, expected])
  })

  test.each([
    ['test', (entry: LedgerEntry) => entry.testName],
    ['hits-30', (entry: LedgerEntry) => -entry.hits30],
    ['trunk', (entry: LedgerEntry) => -entry.trunkHits],
    ['opened', (entry: LedgerEntry) => entry.openedAt],
    ['owner', (entry: LedgerEntry) => entry.owner ?? '\uffff'],
  ] as const)('sorted by %s, and the other way round', async (sort, key) => {
    const { entries } = await entriesAt(`&sort=${sort}`)
    const keyOf: (entry: LedgerEntry) => string | number = key
    const keys = (entries as unknown as LedgerEntry[]).map((entry) => keyOf(entry))
    expect(keys).toEqual(keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
    const reversed = (await entriesAt(`&sort=${sort}&order=reverse`)).entries as unknown as LedgerEntry[]
    if (sort === 'owner') {
      expect(reversed[0]!.owner).not.toBeNull()
      expect(reversed.at(-1)!.owner).toBeNull()
    } else expect(reversed.map((entry) => keyOf(entry))).toEqual(keys.toReversed())
  })

  test('a page has 100 of them and links to the next; one after the last is the last', async () => {
    const html = await (await ask(`${LEDGER}?kind=failure`)).text()
    expect(html.match(/<tbody>/g)).toHaveLength(100)
    expect(html).toContain('Entries 1 to 100 of 965, worst first')
    expect(html).toContain(`rel="next" href="${LEDGER}?kind=failure&amp;page=2#entries"`)
    const last = await (await ask(`${LEDGER}?kind=failure&page=9999`)).text()
    expect(last).toContain('Entries 901 to 965 of 965, worst first')
    expect(last).toContain('Page 10 of 10')
  })

  test('links to each entry, its issue and what else its owner has', async () => {
    const html = await (await ask(`${LEDGER}?q=port-forward`)).text()
    expect(html).toContain(`href="${entryPath(REPOSITORY, setting.chronic)}"`)
    expect(html).toContain('href="https://github.com/acme/fast.db/issues/77"')
    expect(html).toContain(`href="${LEDGER}?q=port-forward&amp;owner=acme%2Fnetwork#entries"`)
    expect(html).toContain('href="/r/acme/fast.db"')
  })

  test('where there are none it says what a ledger is', async () => {
    await setting.store.reports.save(
      sampleReport({ repository: { ...sampleReport().repository, id: 4711, name: 'empty' } }),
    )
    const html = await (await ask('/r/acme/empty/ledger')).text()
    expect(html).toContain('There is no entry yet')
    expect(html).not.toContain('<form class="filter"')
    expect(await (await ask('/r/acme/empty/ledger?format=json')).json()).toMatchObject({ found: 0, entries: [] })
  })

  test('as tab-separated values, a line for each entry that is found', async () => {
    const lines = (await (await ask(`${LEDGER}?format=tsv&kind=failure`)).text()).trimEnd().split('\n')
    expect(lines).toHaveLength(966)
    expect(lines[0]!.split('\t')).toEqual(
      'entry_id kind state check_name test_name signature first_seen last_seen opened_at closed_at expires_at reopened hits_1 hits_7 hits_30 unrelated_pull_requests trunk_hits owner issue'.split(
        ' ',
      ),
    )
  })

  test('the statement that the page shows finds the same', async () => {
    for (const query of ['', 'state=open&kind=failure&q=Spr', 'owner=-', 'owner=acme/network']) {
      const view = parseLedgerView(new URLSearchParams(query))
      const rows = await setting.clickhouse.read(
        'shown',
        ledgerSql(REPOSITORY.id, view),
        {},
        z.looseObject({ entry_id: z.string() }),
      )
      const { entries } = await entriesAt(`&${query}`)
      expect(rows.map((row) => row.entry_id).toSorted()).toEqual(entries.map(({ entryId }) => entryId).toSorted())
    }
  })

  test('a page is small and quickly made', async () => {
    const answer = await ask(LEDGER, { 'accept-encoding': 'gzip' })
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(100_000)
    const milliseconds = async (path: string) => {
      const times: number[] = []
      for (let time = 0; time < 5; time += 1) {
        const start = performance.now()
        await (await ask(path)).text()
        times.push(performance.now() - start)
      }
      return Math.min(...times)
    }
    const repository = { ...sampleReport().repository, id: 4700, name: 'young' }
    await setting.store.reports.save(sampleReport({ repository }))
    // Of a thousand entries and of none.
    expect(await milliseconds(LEDGER)).toBeLessThan(8 * (await milliseconds('/r/acme/young/ledger')))
  })
})

const entrySchema = z.object({
  schemaVersion: z.literal(1),
  entry: z.looseObject({ entryId: z.string(), hits30: z.number(), state: z.string() }),
  timeline: z.object({
    from: z.string(),
    until: z.string(),
    notCompared: z.number(),
    massFailuresKnown: z.boolean(),
    days: z.array(
      z.object({
        day: z.string(),
        pullRequestHits: z.number(),
        trunkHits: z.number(),
        inMassFailures: z.number(),
      }),
    ),
  }),
  latestHits: z.array(z.looseObject({ time: z.string(), pullRequestNumber: z.number(), commitSha: z.string() })),
})

async function entryAt(entryId: string) {
  return entrySchema.parse(await (await ask(`${entryPath(REPOSITORY, entryId)}?format=json`)).json())
}

describe('one entry', () => {
  test('its days are those of its hits, and its hits those that it was opened for', async () => {
    const { entry, timeline, latestHits } = await entryAt(setting.chronic)
    expect(timeline.days).toHaveLength(90)
    expect([timeline.from, timeline.until]).toEqual(['2026-08-23T00:00:00.000Z', '2026-11-20T15:04:00.000Z'])
    const met = timeline.days.filter((day) => day.pullRequestHits + day.trunkHits > 0)
    expect(met.map(({ day, pullRequestHits, trunkHits }) => [day, pullRequestHits, trunkHits])).toEqual([
      ['2026-10-31', 1, 0],
      ['2026-11-02', 2, 0],
      ['2026-11-05', 3, 0],
      ['2026-11-10', 1, 0],
      ['2026-11-15', 1, 0],
      ['2026-11-17', 0, 1],
      ['2026-11-18', 0, 1],
    ])
    expect(entry.hits30).toBe(10)
    expect(latestHits).toHaveLength(10)
    expect(latestHits[0]).toMatchObject({
      time: '2026-11-18T15:04:00.000Z',
      pullRequestNumber: 0,
      commitSha: commitOf(20),
      inMassFailure: false,
    })
    expect(timeline).toMatchObject({ notCompared: 0, massFailuresKnown: true })
  })

  test('of a check without a failing test, and of a query that moves', async () => {
    const check = await entryAt(setting.check)
    expect(check.latestHits.map(({ pullRequestNumber }) => pullRequestNumber)).toEqual([7, 8, 9])
    const mover = await entryAt(setting.mover)
    expect(mover.latestHits.map(({ pullRequestNumber }) => pullRequestNumber)).toEqual([30, 31, 32])
    expect(mover.latestHits[0]!['difference']).toBeCloseTo(0.3)
    expect(mover.timeline.days.filter(({ pullRequestHits }) => pullRequestHits > 0).map(({ day }) => day)).toEqual([
      '2026-10-11',
      '2026-11-16',
      '2026-11-19',
    ])
  })

  test.each(['chronic', 'expired', 'closed', 'mover', 'check'] as const)(
    'the statement that the page of %s shows gives the same days',
    async (kind) => {
      const entry = (await setting.store.ledger.entry(REPOSITORY.id, setting[kind]))!
      const timeline = await setting.store.ledger.timelineOf(REPOSITORY.id, 'acme/fast.db', entry)
      const sql = daysSql({ repositoryId: REPOSITORY.id, repository: REPOSITORY, entry, timeline })
      const row = z.object({
        day: z.string(),
        in_pull_requests: z.coerce.number(),
        on_trunk: z.coerce.number().default(0),
      })
      const rows = await setting.clickhouse.read('shown', sql, {}, row)
      expect(rows).toEqual(
        timeline.days
          .filter((day) => day.pullRequestHits + day.trunkHits > 0)
          .map((day) => ({
            day: new Date(day.start).toISOString().slice(0, 10),
            in_pull_requests: day.pullRequestHits,
            on_trunk: day.trunkHits,
          })),
      )
    },
  )

  test('its page draws them, marks what it became and links to the jobs', async () => {
    const html = await (await ask(entryPath(REPOSITORY, setting.chronic))).text()
    expect(html).toContain('8 hits in pull requests on 5 days. 2 hits on the main branch on 2 days.')
    expect(html).toMatch(/class="mark"[^>]*>opened Nov 20</)
    expect(html).toContain(`href="https://ci.example/reports/${commitOf(20)}"`)
    expect(html).toContain('href="https://github.com/acme/fast.db/pull/1"')
    expect(html).toContain('From checks that the bot has seen or that were imported.')
    const expired = await (await ask(entryPath(REPOSITORY, setting.expired))).text()
    expect(expired).toMatch(/class="mark"[^>]*>expired Nov 17</)
    expect(expired).toContain('nobody has dealt with it')
    const closed = await (await ask(entryPath(REPOSITORY, setting.closed))).text()
    expect(closed).toContain('Nothing is stored for the 90 days')
    const mover = await (await ask(entryPath(REPOSITORY, setting.mover))).text()
    expect(mover).toContain(`href="/r/acme/fast.db/pull/30/${commitOf(30)}"`)
    expect(mover).toMatch(/href="\/r\/acme\/fast\.db\/query\/uniq-[0-9a-f]{16}"/)
  })

  test('as tab-separated values, a line for each day', async () => {
    const lines = (await (await ask(`${entryPath(REPOSITORY, setting.chronic)}?format=tsv`)).text()).trimEnd()
    expect(lines.split('\n')).toHaveLength(91)
    expect(lines).toContain('\n2026-11-05\t3\t0\t0\n')
  })

  test.each([
    ['no id', `${LEDGER}/nothing`],
    ['an id of no entry', entryPath(REPOSITORY, 'failure||nothing|')],
    ['an id of another repository', '/r/acme/empty/ledger/failure%7C%7Ca%7Cb'],
    ['too long', `${LEDGER}/failure%7C%7C${'a'.repeat(2000)}%7C`],
    ['broken in its percents', `${LEDGER}/failure%7C%7C%E0%A4%7C`],
    ['a repository that nobody knows', '/r/acme/unknown/ledger'],
  ])('%s: there is nothing there', async (_, path) => expect((await ask(path)).status).toBe(404))
})

const TAGS =
  /<(?!\/?(?:!doctype|html|head|meta|title|link|body|a|header|nav|main|footer|h1|h2|p|b|strong|ul|ol|li|dl|div|dt|dd|data|details|summary|pre|code|bdi|span|small|section|form|label|input|select|option|button|table|caption|thead|tbody|tr|th|td|time|figure|figcaption|svg|desc|pattern|rect|line|text)\b)/i

test('names that try to break out of their place stay in it, and their addresses lead to them', async () => {
  const name = fc.oneof(
    fc.constantFrom(...HOSTILE, '"><script>alert(1)</script>', "'; rm -rf ~ #", '../../..', 'a/b?c#d%2F%00', '.', '%'),
    fc.string({ unit: anyCodePoint, maxLength: 60 }),
    fc.string({ unit: 'grapheme', minLength: 100, maxLength: 300 }),
    fc.constantFrom('x'.repeat(10_000), '<'.repeat(10_000), '\u202e'.repeat(10_000)),
  )
  const { store } = setting
  const id = 4712
  await store.reports.save(sampleReport({ repository: { ...sampleReport().repository, id, name: 'hostile' } }))
  const address = { owner: 'acme', repo: 'hostile' }
  const names = fc.record({ testName: name, checkName: name, signature: name, owner: name, isMover: fc.boolean() })
  const named = names.map(({ testName, checkName, signature, owner, isMover }) => {
    const kind = isMover ? 'mover' : 'failure'
    const text = isMover
      ? JSON.stringify([JSON.stringify([testName.toWellFormed(), signature.toWellFormed()]), owner.toWellFormed()])
      : signature
    const entry: LedgerEntry = {
      entryId: entryIdOf(kind, testName, text, testName === '' ? checkName : null),
      kind,
      state: 'open',
      testName,
      checkName,
      signature: text,
      firstSeen: NOW - DAY,
      lastSeen: NOW,
      openedAt: NOW,
      closedAt: null,
      expiresAt: NOW + DAY,
      reopened: 0,
      hits1: 1,
      hits7: 1,
      hits30: 1,
      unrelatedPullRequests: 1,
      trunkHits: 1,
      owner: owner.toWellFormed(),
      issue: `javascript:${owner.toWellFormed()}`,
    }
    return { testName, checkName, signature, owner, entry }
  })
  const safeHtml = async (path: string) => {
    const answer = await ask(path)
    expect(answer.status).toBe(200)
    const html = (await answer.text()).replace(
      /<script type="module" src="\/assets\/[0-9a-f]{16}\/[a-z-]+\.js"><\/script>/g,
      '',
    )
    // Told as the places, or the report of a failure would be the pages.
    expect(TAGS.exec(html)?.index).toBeUndefined()
    expect(/href="javascript/i.exec(html)?.index).toBeUndefined()
    expect(/[\p{Cf}\u2028\u2029]|[^\P{Cc}\n]/u.exec(html)?.index).toBeUndefined()
    expect(html.length).toBeLessThan(400_000)
  }
  await fc.assert(
    // Several at a time: to store one takes as long as its page.
    fc.asyncProperty(fc.array(named, { minLength: 5, maxLength: 5 }), async (all) => {
      await store.ledger.save(
        id,
        all.map(({ entry }) => entry),
      )
      await store.ciResults.save(
        id,
        all.map(({ testName, checkName, owner }) => ({
          ...setting.network[0]!,
          testName,
          checkName,
          commitSha: owner,
          pullRequestNumber: 5,
          checkStartTime: NOW - 1000,
          reportUrl: `javascript:${owner}`,
          pullRequestUrl: `javascript:alert(1)//${owner}`,
          commitUrl: owner,
          baseRepo: '',
        })),
      )
      await safeHtml('/r/acme/hostile/ledger?sort=last-seen')
      for (const { entry, signature, owner } of all) {
        const path = entryPath(address, entry.entryId)
        expect(path).not.toContain("'")
        await safeHtml(path)
        const json = entrySchema.parse(await (await ask(`${path}?format=json`)).json())
        expect(json.entry.entryId).toBe(entry.entryId)
        const query = new URLSearchParams({ q: signature, owner }).toString()
        expect((await ask(`/r/acme/hostile/ledger?${query}`)).status).toBe(200)
      }
    }),
    { numRuns: 3 },
  )
}, 90_000)

test('the default view has no query part', () => {
  expect(parseLedgerView(new URLSearchParams())).toEqual(DEFAULT_LEDGER_VIEW)
})
