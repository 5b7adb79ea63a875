import { readdir } from 'node:fs/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COMMENT_LIMIT, commentMarker, hasMarker, renderComment } from '../../src/render/comment.ts'
import type { RenderLinks } from '../../src/render/view.ts'
import type { ReportRow } from '../../src/triage/report.ts'
import { expectSafe } from './expect-safe.ts'
import { parse } from './markdown-parser.ts'
import { changed, notCompared, quiet, report, row, shard, unstable } from './report-builder.ts'
import { HOSTILE, PAGES, STATES, type State } from './states.ts'

const NO_PAGES: RenderLinks = { reportUrl: null, wordsUrl: null, dashboards: [] }

function render(state: State): string {
  return renderComment({
    report: state.report,
    links: state.hasPages ? PAGES : NO_PAGES,
    botId: 'perf-triage',
    previous: state.previous ?? null,
  })
}

/** Every open row has its line: nothing hides a row. */
function namedRows(body: string): number {
  return parse(body)
    .children.filter((node) => node.type === 'table')
    .flatMap((table) => table.children.slice(1))
    .filter((line) => line.children[0]?.children[0]?.type === 'strong').length
}

describe('golden files', () => {
  for (const [name, state] of Object.entries(STATES)) {
    test(name, async () => {
      const body = render(state)
      expectSafe(body, state.report)
      expect(render(state)).toBe(body)
      await expect(body).toMatchFileSnapshot(`../golden/${name}.md`)
    })
  }
})

test('no golden file is left over from a state that is gone', async () => {
  const files = await readdir(new URL('../golden/', import.meta.url))
  const known = [...Object.keys(STATES), 'recorded-run'].map((name) => `${name}.md`)
  expect(files.filter((file) => file.endsWith('.md')).toSorted()).toEqual(known.toSorted())
})

describe('the verdict line is counted from the rows it stands over', () => {
  const count = fc.integer({ min: 0, max: 12 })

  test('for any mix of rows', () => {
    fc.assert(
      fc.property(count, count, count, count, (slower, reruns, gains, still) => {
        const rows = [
          ...Array.from({ length: slower }, (_, index) => row('slow', index, [changed(1, 2)])),
          ...Array.from({ length: reruns }, (_, index) =>
            row('again', index, [changed(1, 1.2)], { verdict: 'needs-rerun' }),
          ),
          ...Array.from({ length: gains }, (_, index) => row('fast', index, [changed(2, 1)])),
          ...quiet(still),
        ]
        const body = render({ report: report(rows) })
        const heading = /^### (.*)$/m.exec(body)![1]!
        const said = (pattern: RegExp) => Number(pattern.exec(heading)?.[1] ?? 0)
        expect(said(/(\d+) quer(?:y|ies) measured slower/)).toBe(slower + reruns)
        expect(said(/(\d+) (?:quer(?:y|ies) measured )?faster/)).toBe(gains)
        expect(/rerun/.test(heading)).toBe(reruns > 0)
        expect(/\b1 queries|[02-9] query\b/.test(heading)).toBe(false)
        expect(namedRows(body)).toBe(slower + reruns + gains)
      }),
      { numRuns: 40 },
    )
  })

  test('an unstable query that the guard names is not counted as slower', () => {
    const guarded = row('a', 0, [unstable(1, 4)], { verdict: 'needs-rerun', guarded: true })
    expect(render({ report: report([guarded]) })).toContain('### 1 query may be much slower and needs a rerun\n')
    expect(render({ report: report([guarded, row('b', 0, [changed(1, 2)])]) })).toContain(
      '### 1 query measured slower; 1 more may be much slower and needs a rerun\n',
    )
  })
})

describe('budget', () => {
  test('the worst rows stay, and shown and dropped ones add up', () => {
    const body = render(STATES['budget-3000-slower']!)
    const dropped = Number(/and ([\d,]+) more slower queries/.exec(body)![1]!.replaceAll(',', ''))
    expect(namedRows(body) + dropped).toBe(3000)
    expect(namedRows(body)).toBeGreaterThan(100)
    expect(body).toContain('aggregate_by_key #0`')
    expect(body.length).toBeGreaterThan(COMMENT_LIMIT - 1000)
    const verdicts = JSON.parse(/verdicts:v1 (.*) -->/.exec(body)![1]!)
    expect(verdicts.rows.length + verdicts.rowsLeftOut).toBe(3000)
  })

  test('holds for the longest names there can be', () => {
    const name = '`|\u{1f469}\u200d\u{1f4bb}<@a#1'.repeat(10_000)
    const rows = Array.from({ length: 150 }, (_, index) =>
      row(name, index, [changed(1, 2, { unit: name, architecture: name })], { queryName: name }),
    )
    const subject = report(rows, {
      architectures: [name],
      shards: Array.from({ length: 60 }, (_, index) =>
        shard(index, 60, { check: name, state: 'failed', conclusion: name }),
      ),
      warnings: Array.from({ length: 60 }, () => ({ code: 'limit-reached' as const, where: name, message: name })),
      references: [{ commit: name, architectures: [name], commitsBeforeMergeBase: null }],
      primaryMetric: name,
    })
    expectSafe(render({ report: subject, hasPages: true }), subject)
  })
})

describe('anything from outside', () => {
  // Whole nasty strings, their pieces glued together, and any UTF-16 at all.
  const nasty = fc.oneof(
    fc.constantFrom(...HOSTILE),
    fc
      .array(
        fc.constantFrom(
          ...HOSTILE.flatMap((text) => text.split(' ')),
          '|',
          '\\',
          '`',
          '\n',
          ' ',
          '\\|',
          '*',
          '_',
          '~~',
          '<',
          '&lt;',
          '](',
          '![',
          '\ud83d',
        ),
        { maxLength: 20 },
      )
      .map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 }).map((units) => String.fromCharCode(...units)),
  )
  const url = fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), nasty, fc.constant(null))

  test('neither breaks a table, nor pings, links, injects or hides', () => {
    fc.assert(
      fc.property(fc.array(nasty, { minLength: 8, maxLength: 8 }), url, fc.boolean(), (texts, address, hasPages) => {
        const [a, b, c, d, e, f, g, h] = texts as [string, string, string, string, string, string, string, string]
        const rows: ReportRow[] = [
          row(a, 0, [changed(0.1, 0.2, { architecture: b, unit: h })], { queryName: c }),
          row(c, null, [changed(0.1, 0.3, { architecture: b })], { queryName: a, verdict: 'needs-rerun' }),
          row(d, 1, [changed(0.3, 0.2, { architecture: b })]),
          row(e, 2, [unstable(0.3, 0.2, { architecture: b })]),
          row(f, 3, [notCompared('failed', { architecture: b, statusReason: 'run-error' })]),
        ]
        const subject = report(rows, {
          architectures: [b],
          shards: [
            shard(1, 2, { check: g, url: address }),
            shard(2, 2, { check: a, url: address, state: 'failed', problem: 'empty', conclusion: f }),
          ],
          references: [{ commit: d, architectures: [b], commitsBeforeMergeBase: 3 }],
          warnings: [{ code: 'malformed-line', where: g, message: h }],
          sinceLastPush: { head: e, new: 1, resolved: [f, g], unchanged: 0 },
          primaryMetric: h,
        })
        const body = render({ report: subject, hasPages })
        expectSafe(body, subject)
        expect(namedRows(body)).toBe(3)
      }),
      { numRuns: 150 },
    )
  })
})

describe('the hidden parts', () => {
  test('the marker holds the bot’s own id and nothing that could end it', () => {
    expect(commentMarker('my-bot')).toBe('<!-- perf-triage:v1 my-bot -->')
    expect(commentMarker('a-->b --')).toBe('<!-- perf-triage:v1 a-b- -->')
    const body = render(STATES['nothing']!)
    expect(hasMarker(body, 'perf-triage')).toBe(true)
    expect(hasMarker(body, 'perf')).toBe(false)
    expect(hasMarker(`x\n${body}`, 'perf-triage')).toBe(false)
    expect(hasMarker(body.replace('\n', '\r\n'), 'perf-triage')).toBe(true)
  })

  test('the verdict block is JSON again, with the verdicts and without what raw text scanners act on', () => {
    const body = render(STATES['hostile-names']!)
    const json = /<!-- perf-triage:verdicts:v1 (.*) -->$/.exec(body)![1]!
    expect(json).not.toMatch(/--|[<>@#]|[^ -~]/)
    const block = JSON.parse(json)
    expect(block).toMatchObject({ schemaVersion: 1, complete: true, slower: HOSTILE.length, faster: 0, rowsLeftOut: 0 })
    expect(block.rows[0]).toMatchObject({ test: HOSTILE[0], verdict: 'regression', difference: 1 })
  })
})

describe('the pending state', () => {
  test('old results stand under their own commit until the new head has a shard in', () => {
    const { report: fresh, previous } = STATES['pending-new-head']!
    const body = render({ report: fresh, previous: previous! })
    expect(body).toContain('### 1 query measured slower at `43ae659`; `9c41d0e` is being measured')
    const started = report([row('x', 0, [changed(1, 2)])], { shards: [shard(1, 2), shard(2, 2, { state: 'pending' })] })
    expect(render({ report: started, previous: previous! })).not.toContain('43ae659')
  })

  test('a report without results that is complete shows itself', () => {
    const { report: failed } = STATES['all-shards-failed']!
    const { previous } = STATES['pending-new-head']!
    expect(render({ report: failed, previous: previous! })).toContain('### No results')
  })
})
