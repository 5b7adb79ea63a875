import { execFileSync } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseKeptConfig, parseRepositoryConfig } from '../../../src/config/parse-repository-config.ts'
import type { Classification, JudgedFailure, LookupProblem, Reason } from '../../../src/judge/ledger/failure.ts'
import { StackTree } from '../../../src/judge/profile/stack-tree.ts'
import { profileWords } from '../../../src/judge/profile/words.ts'
import type { Evidence } from '../../../src/judge/verdict/evidence/evidence.ts'
import { TestEntries } from '../../../src/judge/verdict/test-entries.ts'
import { COMMENT_LIMIT, commentMarker, hasMarker, renderComment } from '../../../src/report/render/comment.ts'
import { commandFor } from '../../../src/report/render/sections/reproduce.ts'
import type { RenderLinks } from '../../../src/report/render/view.ts'
import type { ReportRow, TriageReport } from '../../../src/report/report.ts'
import { anyCodePoint, anyWebUrl } from '../../any-code-point.ts'
import { expectSafe } from './expect-safe.ts'
import { chronic, failingTests, failure, fallout, judged, rollup, suspect } from './failing-tests-builder.ts'
import { HOSTILE } from './hostile.ts'
import { parse } from './markdown-parser.ts'
import { changed, notCompared, quiet, report, row, shard, unstable } from './report-builder.ts'
import { PAGES, PICTURES, STATES, type State } from './states.ts'

const NO_PAGES: RenderLinks = { reportUrl: null, wordsUrl: null, dashboards: [] }

function render(state: State): string {
  return renderComment({
    report: state.report,
    links: {
      ...(state.hasPictures ? PICTURES : state.hasPages ? PAGES : NO_PAGES),
      ...(state.hasCommands && { commandPrefix: '/perf' }),
    },
    botId: 'perf-triage',
    previous: state.previous ?? null,
  })
}

/** The lines of the tables whose first column is named so. */
function linesUnder(body: string, ...names: readonly string[]) {
  const source = body.split('\n')
  return parse(body)
    .children.filter((node) => node.type === 'table')
    .filter((table) => names.includes(source[table.position!.start.line - 1]!.split('|')[1]!.trim()))
    .flatMap((table) => table.children.slice(1).map((line) => source[line.position!.start.line - 1]!))
}

/** Every open row has its line: nothing hides a row. Those that have one cause are one line and have their own in a fold. */
function namedRows(body: string): number {
  return linesUnder(
    body,
    'query',
    'benchmark',
    'test #query',
    'query `id`',
    'benchmark `id`',
    'test #query `id`',
  ).filter((line) => !line.includes('probably one cause |')).length
}

describe('golden files', () => {
  for (const [name, state] of Object.entries(STATES)) {
    test(name, async () => {
      const body = render(state)
      expectSafe(body, state.report)
      expect(render(state)).toBe(body)
      await expect(shortened(body)).toMatchFileSnapshot(`../../golden/${name}.md`)
    })
  }
})

test('pictures are all that the key adds, one for each row with a history, and their texts say no name', () => {
  for (const name of ['pictures', 'pictures-hostile']) {
    const state = STATES[name]!
    const body = render(state)
    const drawn = state.report.rows.filter(({ trunkLine }) => trunkLine !== undefined)
    expect(body.match(/<br><picture>/g)).toHaveLength(drawn.length)
    const without = body.replaceAll(/<br><picture>.*?<\/picture>/g, '').replace(/^<picture>.*\n\n/m, '')
    expect(without).toBe(render({ ...state, hasPictures: false }))
    const [ofAll, ...ofRows] = [...body.matchAll(/alt="([^"]*)"/g)].map(([, words]) => words!).toReversed()
    expect(ofAll).toMatch(/^\d+ queries by change, [a-z0-9 ,;:]*; the typical one [-+±]?[\d.]+%$/)
    for (const words of ofRows) {
      expect(words).toMatch(/^40 runs on the main branch between [\d.]+ and [\d.]+(?: ms)?, here [\d.]+(?: ms)?$/)
    }
  }
})

test('no picture while the report of a new head is awaited', () => {
  const { report: previous } = STATES['pictures']!
  const awaited = report([], {
    head: 'e'.repeat(40),
    complete: false,
    shards: [shard(1, 1, { state: 'pending', conclusion: null })],
  })
  const body = renderComment({ report: awaited, links: PICTURES, botId: 'perf-triage', previous })
  expect(body).toContain('join_hash #3')
  expect(body).not.toContain('<picture>')
})

/** What a person can read of a body: of thousands of rows the first, how many more there are, and the end. */
function shortened(body: string): string {
  const lines = body.split('\n')
  if (lines.length < 400) return body
  const left = lines.slice(40, -40)
  const rows = left.filter((line) => line.startsWith('|')).length
  const said = `[${body.length} characters; ${left.length} lines left out, ${rows} of them rows]`
  return [...lines.slice(0, 40), said, ...lines.slice(-40)].join('\n')
}

test('no golden file is left over from a state that is gone', async () => {
  const files = await readdir(new URL('../../golden/', import.meta.url))
  const known = [...Object.keys(STATES), 'recorded-run'].map((name) => `${name}.md`)
  expect(files.filter((file) => file.endsWith('.md')).toSorted()).toEqual(known.toSorted())
})

describe('what is said of several rows holds for each of them', () => {
  const heading = (state: State) => /^### (.*)$/m.exec(render(state))![1]!
  const SHIFT = { architecture: null, shard: null, shift: 0.06, queries: 74, again: 0.05 }
  const by = {
    reason: '',
    until: null,
    via: 'command' as const,
    actor: 'grace',
    actorId: 1,
    saidAt: 0,
    difference: 0.06,
  }

  test('who needs a rerun and who is noise is not confused with who got faster', () => {
    const fast = row('fast', 0, [changed(2, 1)])
    const slow = row('slow', 0, [changed(1, 2)])
    const again = row('again', 0, [changed(1, 1.2)], { verdict: 'needs-rerun' })
    const noise = (index: number) => row('noise', index, [changed(1, 1.2)], { verdict: 'likely-noise' })
    expect(heading({ report: report([slow, again, fast]) })).toBe(
      '2 of 3 queries got slower, 1 of them needs a rerun, 1 got faster',
    )
    expect(heading({ report: report([slow, noise(0), fast]) })).toBe(
      '2 of 3 queries got slower, 1 got faster; 1 of the slower ones is likely noise',
    )
    expect(heading({ report: report([noise(0), noise(1), fast]) })).toBe(
      'No new slowdown: 2 of 3 queries are slower, 1 got faster; both slower ones are likely noise',
    )
  })

  test('much slower is said where each of them may be', () => {
    const much = row('much', 0, [unstable(1, 2)], { verdict: 'needs-rerun', guarded: true })
    const leans = row(
      'leans',
      0,
      [quiet(1)[0]!.results[0]!].map((one) => ({ ...one, leans: { reason: 'one-repetition-overlaps' as const } })),
      { verdict: 'needs-rerun' },
    )
    expect(heading({ report: report([much]) })).toBe('1 query may be much slower')
    expect(heading({ report: report([much, leans]) })).toBe('2 queries may be slower')
  })

  test('a slower run that somebody accepted is new, and a faster one beside it is said', () => {
    const accepted = { ...SHIFT, verdict: 'regression' as const, accepted: by }
    const known = row('known', 0, [changed(1, 2)], { verdict: 'already-on-trunk' })
    expect(heading({ report: report([known, ...quiet(3)], { wholeRun: [accepted] }) })).not.toContain('No new slowdown')
    const faster = { ...SHIFT, architecture: 'arm', shift: -0.07, verdict: null, again: null }
    const two = report(quiet(3), {
      wholeRun: [{ ...accepted, architecture: 'amd' }, faster],
      architectures: ['amd', 'arm'],
    })
    expect(render({ report: two })).toContain('The whole run on arm is 7% faster')
  })

  test('a faster run is said where repetitions failed', () => {
    const failing = row('failing', 0, [{ ...quiet(1)[0]!.results[0]!, partlyFailedIn: 'new' as const }])
    const body = render({
      report: report([failing], { wholeRun: [{ ...SHIFT, shift: -0.07, verdict: null, again: null }] }),
    })
    expect(body).toContain('The whole run is 7% faster')
  })

  test('the largest gain is the first where more is better', () => {
    const gain = (index: number, fresh: number) =>
      row('rate', index, [changed(100, fresh, { unit: '1/s', better: 'higher', direction: 'faster' })])
    expect(render({ report: report([gain(0, 110), gain(1, 500)]) })).toContain(
      '<summary>2 faster, up to 5.0×</summary>',
    )
  })

  test('all samples are slower in each architecture and in each of the rows that are one line, or it is not said', () => {
    const arm = changed(1, 2, { architecture: 'arm' })
    const said = ' exceed all '
    const both = (amd: ReturnType<typeof changed>) =>
      render({
        report: report([row('sum', 0, [arm, { ...amd, architecture: 'amd' }])], { architectures: ['arm', 'amd'] }),
      })
    expect(both(changed(1, 2))).toContain(said)
    expect(both(changed(2, 1))).not.toContain(said)
    expect(both(changed(1, 2, { separated: false }))).not.toContain(said)
  })

  test('of rows that are one line the largest change is shown', () => {
    const suite = Array.from({ length: 4 }, (_, index) =>
      row('sum', index, [changed(1, 1.2 + index / 5, { separated: index < 3 })]),
    )
    const body = render({ report: report([...suite, ...quiet(60)]) })
    expect(body).toMatch(/ 1\.00\s→\s1\.80\ss at worst/)
    // the last of the four overlaps
    expect(body).not.toContain(' exceed all ')
  })

  test('what most of the noisy rows hide is said of those that hide it', () => {
    const noisy = (index: number, slowdown: number) =>
      row('noisy', index, [unstable(1, 1, { couldHide: { slowdown, repetitions: 40, ruledOut: null } })])
    expect(heading({ report: report([noisy(0, 0.2), noisy(1, 0.4)]) })).toBe(
      'Too noisy to judge 2 of 2 queries: differences under 40.0% can’t be told from noise in half of them',
    )
    expect(heading({ report: report([noisy(0, 0.4), noisy(1, 0.4)]) })).toBe(
      'Too noisy to judge: differences under 40.0% can’t be told from noise in 2 of 2 queries',
    )
  })
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
        // Some of its spaces keep numbers and units together.
        const heading = /^### (.*)$/m.exec(body)![1]!.replaceAll('\u{a0}', ' ')
        const said = (pattern: RegExp) => Number(pattern.exec(heading)?.[1] ?? 0)
        const isNamed = heading.startsWith('Query `slow #0` got slower: 1.00 → 2.00 s (+100%)')
        expect(isNamed).toBe(slower === 1 && reruns + gains === 0)
        expect(said(/(\d+) of \d+ (?:quer(?:y|ies)|benchmarks?) (?:got slower|may be slower)/)).toBe(
          isNamed ? 0 : slower + reruns,
        )
        expect(said(/(\d+) (?:of \d+ quer(?:y|ies) )?got faster/)).toBe(gains)
        expect(/rerun/.test(heading)).toBe(reruns > 0)
        expect(/\b1 queries|[02-9] query\b/.test(heading)).toBe(false)
        expect(namedRows(body)).toBe(isNamed ? 0 : slower + reruns + gains)
      }),
      {
        numRuns: 40,
        examples: [
          [1, 0, 0, 0],
          [1, 0, 0, 5],
        ],
      },
    )
  })

  test('those that may be slower beside sure ones are folded, with the command for those who may', () => {
    const again = (index: number) =>
      row('again', index, [unstable(1, 1.1, { leans: { reason: 'one-repetition-overlaps' } })], {
        verdict: 'needs-rerun',
      })
    const body = (reruns: number, hasCommands = true) =>
      render({
        report: report([
          row('slow', 0, [changed(1, 2)]),
          ...Array.from({ length: reruns }, (_, index) => again(index)),
        ]),
        hasCommands,
      })
    expect(body(2)).toContain('### 1 of 3 queries got slower\n')
    const fold = /<summary>\d+ may be slower<\/summary>[^]*?<\/details>/
    expect(fold.exec(body(2))?.[0]).toContain('**Maintainers:** `/perf rerun` settles the 2 that may be slower.')
    expect(fold.exec(body(1))?.[0]).toContain('**Maintainers:** `/perf rerun` settles `again #0`.')
    expect(body(2).replace(fold, '')).not.toContain('settles')
    expect(body(2, false)).toContain('The performance check needs a rerun to settle the 2 that may be slower.')
    expect(body(0)).not.toContain('settles')
  })

  test('slower rows look like the author’s where nothing but a missing history is a doubt', () => {
    const of = (rest: Partial<ReportRow>, more: Partial<TriageReport> = {}) =>
      render({ report: report([row('slow', 0, [changed(1, 2)], rest), row('slow', 1, [changed(1, 3)])], more) })
    const own = 'Only this PR differs between the two builds, so these look like yours'
    const floor = { kind: 'floor-threshold', threshold: 0.05 } as const
    const tooShort = { runs: 3, moreThan: 100, days: 30, endedDaysAgo: 7 }
    const provenance = { learned: 0, floor: 2, newest: null, source: 'own', tooShort } as const
    expect(of({ evidence: [floor] })).toContain(`${own}.`)
    expect(of({ evidence: [floor] }, { history: { provenance, problem: null } })).toContain(
      `${own}; \`master\` has 3 of the 101 runs needed to show how much these vary on their own.`,
    )
    const modes = { median: 1, samples: 3 }
    const bimodal: Evidence = { kind: 'bimodal', architecture: null, side: 'new', modes: [modes, modes] }
    const doubted = [
      of({ evidence: [bimodal] }),
      of({ evidence: [{ kind: 'stale-reference', commit: 'ab', commitsBeforeMergeBase: 2 }] }),
      of({ verdict: 'needs-rerun' }),
      of({ becauseOfChange: true }),
      of({}, { references: [] }),
      ...[null, 2].map((commitsBeforeMergeBase) =>
        of({}, { references: [{ commit: 'ab', architectures: [null], commitsBeforeMergeBase }] }),
      ),
      of({}, { labels: { kind: 'program', old: ['a'], new: ['b'] } }),
      of({}, { wrongBuilds: [{ kind: 'same-commit', commit: 'ab' }] }),
      of({}, { newMayHoldMore: true }),
      of({}, { howMeasured: { files: ['ci/a.sh'], more: 0, isCut: false, version: 'a1' } }),
      of({}, { shards: [shard(1, 1, { origin: { kind: 'other-workflow', workflow: 'a.yml' } })] }),
      of({}, { shards: [shard(1, 1, { origin: { kind: 'unknown', workflow: null } })] }),
      of(
        {},
        {
          wholeRun: [{ architecture: null, shard: null, shift: 0.06, queries: 9, again: null, verdict: 'needs-rerun' }],
        },
      ),
    ]
    for (const body of doubted) expect(body).not.toContain('like yours')
  })

  test('an unstable query that the guard names is not counted as slower', () => {
    const guarded = row('a', 0, [unstable(1, 4)], { verdict: 'needs-rerun', guarded: true })
    expect(render({ report: report([guarded]) })).toContain('### 1 query may be much slower\n')
    expect(render({ report: report([guarded, row('b', 0, [changed(1, 2)])]) })).toContain(
      '### 1 of 2 queries got slower; 1 more may be much slower\n',
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
    fc.string({ unit: anyCodePoint, maxLength: 40 }),
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 }).map((units) => String.fromCharCode(...units)),
  )
  const url = fc.oneof(anyWebUrl, nasty, fc.constant(null))

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

describe('failing tests', () => {
  const lines = (body: string) => linesUnder(body, 'look at these', 'failing test')

  test('of 3,000 the first stand open, and shown and dropped ones add up', () => {
    for (const name of ['failing-3000', 'failing-3000-and-3000-slower']) {
      const body = render(STATES[name]!)
      const dropped = [...body.matchAll(/and ([\d,]+) more failing tests/g)].map(([, number]) =>
        Number(number!.replaceAll(',', '')),
      )
      expect(lines(body).length + dropped.reduce((sum, number) => sum + number, 0), name).toBe(3000)
      expect(lines(body.slice(0, body.indexOf('more failing tests</summary>'))), name).toHaveLength(10)
    }
  })

  const ownedBy = (...owners: readonly (string | null)[]) =>
    failingTests(
      owners.map((owner, i) => chronic(`test_${i}`, 'Unit', [7, 8, 0], { owner, hits14: 2, hits30: 5 })),
      { lookbackDays: 60 },
    )
  const shown = (tests: ReturnType<typeof ownedBy>) => render({ report: report([], { failingTests: tests }) })

  test('owners are said with how many have none, where any has one', () => {
    const said = (...owners: readonly (string | null)[]) => /^Owners: .*$/m.exec(shown(ownedBy(...owners)))?.[0]
    expect(said('@cache', null, '@disk', '@cache')).toBe('Owners: `@cache` (2) and `@disk` (1); 1 of 4 has no owner.')
    expect(said('@cache', '@cache')).toBe('Owners: `@cache` (2).')
    expect(said('a', 'b', 'c', 'd', 'e', 'f')).toBe('Owners: `a` (1), `b` (1), `c` (1), `d` (1) and 2 others.')
    expect([said(null, null), said('@cache')]).toEqual([undefined, undefined])
  })

  test('a fold has room for the hits of 14 and 30 days', () => {
    const body = shown(ownedBy(...Array<null>(12).fill(null)))
    const at = body.indexOf('12 known failures</summary>')
    expect(body.slice(0, at)).not.toContain('in 14 days')
    expect(body.slice(at).match(/ · 2 hits in 14 days, 5 in 30 · /g)).toHaveLength(12)
    expect(shown({ ...ownedBy(...Array<null>(12).fill(null)), lookbackDays: 30 })).not.toContain('in 14 days')
  })

  test('fallout stands with its cause, rollups in one line', () => {
    const body = render(STATES['failing-chronic']!)
    expect(lines(body)).toHaveLength(3)
    expect(body).toContain('with its fallout: `Cannot start clickhouse-server`, `Check failed` |')
    expect(body).toMatch(/^- red only because other checks are: \[`Mergeable Check`\]\(\S+\) and \[`PR`\]\(\S+\)$/m)
  })

  test('what to do about what looks like the author’s, and whom to ask where it is not', () => {
    const added = judged('pr-suspect', failure('new', 'Unit'), [{ kind: 'test-changed', path: 'new.sql', added: true }])
    const said = (failures: readonly JudgedFailure[], hasCommands = true) =>
      render({ report: report([], { failingTests: failingTests(failures) }), hasCommands }).split('\n')
    const ask = 'Not yours? Ask a maintainer for `/perf ignore`.'
    expect(said([added])).toContain('Fix your new test.')
    expect(said([added, suspect('a', 'Unit')])).toContain(`Fix your new test and check the other. ${ask}`)
    expect(said([suspect('a', 'Unit'), suspect('b', 'Unit')])).toContain(
      `Check whether the failing tests are yours. ${ask}`,
    )
    expect(said([suspect('a', 'Unit')], false)).toContain('Check whether the failing test is yours.')
  })

  test('each red check is accounted for by the worst of it', () => {
    const failures = [
      suspect('a', 'own'),
      chronic('b', 'own', [7, 8, 0]),
      chronic('b', 'known', [7, 8, 0]),
      judged('unknown', failure('c', 'open'), []),
      judged('infrastructure', failure('', 'lost'), [{ kind: 'no-test-failed', problem: 'runner-lost' }]),
      rollup('PR'),
    ]
    const body = render({ report: report([], { failingTests: failingTests(failures, {}, ['unseen']) }) })
    expect(body).toContain('<summary>1 known failure and all 6 red checks</summary>')
    expect(body.replace(/\[(`[^`]+`)\]\([^)]*\)/g, '$1')).toContain(
      [
        '**6 red checks**',
        '- may be yours: `own`',
        '- cause unknown: `open`',
        '- not known yet: `unseen`',
        '- infrastructure: `lost`',
        '- known failures: `known`',
        '- red only because other checks are: `PR`',
      ].join('\n'),
    )
  })

  test('the verdict block has all of them', () => {
    const body = render(STATES['failing-chronic']!)
    const block = JSON.parse(/verdicts:v1 (.*) -->/.exec(body)![1]!)
    expect(block.failingTestsLeftOut).toBe(0)
    expect(block.failingTests.map(({ classification }: { classification: string }) => classification)).toEqual([
      ...Array(3).fill('chronic'),
      ...Array(2).fill('fallout'),
      ...Array(2).fill('rollup'),
    ])
    expect(block.failingTests[1]).toEqual({
      checkName: 'Stress test (arm_tsan)',
      testName: 'promise has been destructed (STID: 2508-38c6)',
      signature: '2508-38c6',
      classification: 'chronic',
      unrelatedPullRequests: 7,
      hits: 8,
      trunkHits: 0,
      runs: 4008,
    })
  })

  test('when nothing could be asked nothing is called flaky, chronic or anybody’s', () => {
    for (const [name, state] of Object.entries(STATES)) {
      if (!name.startsWith('failing-lookup-')) continue
      const body = render(state)
      expect(body, name).toMatch(/^\*\*Not known:\*\* .+ because .+\. This comment will then be completed\.$/m)
      expect(body.replace(/test that .*$/gm, ''), name).not.toMatch(/flaky|chronic|accounted|need nothing/)
    }
  })

  test('there is always something to do about what may be the reader’s own', () => {
    for (const [name, state] of Object.entries(STATES)) {
      const body = render(state).replaceAll(/<summary>.*<\/summary>/g, '')
      const verdict = /^### .*$/m.exec(body)![0]
      if (/failing tests? looks? like yours/.test(verdict))
        expect(body, name).not.toMatch(/nothing to do|nothing from you/i)
    }
  })

  test('there is never nothing to do where something red is not known', () => {
    const nextOf = (tests: Parameters<typeof failingTests>) =>
      /^(?:Look|A rerun|\[`|Wait|Nothing|The ).*$/m.exec(
        render({ report: report(quiet(3), { failingTests: failingTests(...tests) }) }),
      )?.[0] ?? ''
    for (const [name, { report: shown }] of Object.entries(STATES)) {
      const tests = shown.failingTests ?? null
      if (tests === null || tests.redChecks.every(({ state }) => state === 'accounted-for')) continue
      const next = nextOf([tests.failures, tests])
      expect(next, name).not.toMatch(/nothing to do|nothing from you/i)
    }
    const known = chronic('a', 'check', [3, 3, 0])
    expect(nextOf([[known], {}, ['Fast test']])).toMatch(
      /^Look at \[`Fast test`\]\(\S+\) yourself, or wait for its results: this comment is updated then\.$/,
    )
    expect(nextOf([[known], { isFinal: true }, ['DCO', 'cla']])).toMatch(
      /^Look at \[`DCO`\]\(\S+\) and \[`cla`\]\(\S+\) yourself: they are red and not in the CI results\.$/,
    )
    expect(nextOf([[], { problem: 'too-slow' }])).toContain('Wait: the failing tests are judged once')
    expect(nextOf([[fallout('Check failed', 'check', 'gone')]])).toMatch(
      /^Look at \[`check`\]\(\S+\) yourself: not everything that failed there is accounted for\.$/,
    )
    expect(nextOf([[known], { notJudged: 7 }])).toContain('Look through the red checks yourself')
  })

  test('what is not in the CI results is promised only while it is waited for', () => {
    expect(render(STATES['failing-unseen-checks']!)).toContain('this comment is updated then.')
    const body = render(STATES['failing-unseen-checks-for-good']!)
    expect(body).toContain('they are red and not in the CI results.')
    expect(body).not.toMatch(/as soon as|nothing is known yet|in yet/)
  })

  test('those of one mass failure are one row, and each is counted', () => {
    const body = render(STATES['failing-large-mass']!)
    expect(body).toContain('### All 39 failing tests are known failures')
    expect(body.match(/<br>\*\*mass failure\*\*: /g)).toHaveLength(2)
    expect(body).toContain('`02005_url` and 33 others in ')
    expect(body.match(/41 tests/g)).toHaveLength(2)
  })

  test('the error stands where the reader has to say whether it is his, and each row has its proof', () => {
    for (const name of ['suspect', 'unknown', 'other-signature', 'test-edited', 'build']) {
      const rows = linesUnder(render(STATES[`failing-${name}`]!), 'look at these')
      expect(rows, name).not.toEqual([])
      for (const row of rows) expect(row, name).toMatch(/(?:`[^`]+`|no test failed: .*) · .*\[evidence\]/)
    }
    for (const name of ['mass', 'broken-trunk', 'flaky', 'expired-entry']) {
      const rows = linesUnder(render(STATES[`failing-${name}`]!), 'failing test')
      expect(rows, name).not.toEqual([])
      for (const row of rows) expect(row, name).toContain('[evidence](')
    }
  })

  test('an entry that expired is said loudly, one that came back is said', () => {
    const body = render(STATES['failing-expired-entry']!).replaceAll('\u00a0', ' ')
    expect(body).toContain('known since Nov 3, 2025 · **its entry expired on May 21, but it still fails** · ')
    expect(body).toContain('back since Jun 21 after being closed')
    expect(body).not.toContain(', since')
  })

  test('names and texts of any kind stay in their place', () => {
    const string = fc.oneof(
      fc.constantFrom(...HOSTILE, 'z'.repeat(5000)),
      fc.string({ unit: anyCodePoint, maxLength: 200 }),
      fc.string({
        unit: fc.constantFrom('`', '|', '\\', '\n', '<', '>', '@', '#', '1', 'a', ' ', '*', '[', ']', '(', ')', '_'),
      }),
    )
    const number = fc.nat({ max: 100_000 })
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const time = fc.oneof(fc.nat({ max: 2 ** 45 }), fc.constant(Number.NaN))
    const reason: fc.Arbitrary<Reason> = fc.oneof(
      fc.record({ kind: fc.constant('follows-from' as const), testName: string }),
      fc.record({ kind: fc.constant('test-changed' as const), path: string, added: fc.boolean() }),
      fc.record({ kind: fc.constant('failed-at-merge-base' as const), commitSha: string }),
      fc.record({
        kind: fc.constant('latest-trunk-runs-failed' as const),
        commits: fc.array(string, { maxLength: 5 }),
      }),
      fc.record({ kind: fc.constant('passed-on-same-commit' as const), commits: number, example: string }),
      fc.record({ kind: fc.constant('in-mass-failure' as const), tests: number, pullRequests: number, start: time }),
      fc.record({
        kind: fc.constant('never-elsewhere' as const),
        of: fc.constantFrom('test' as const, 'check' as const),
        runs: number,
        chance: share,
        rate: share,
      }),
    )
    const classification = fc.constantFrom<Classification>(
      'pr-suspect',
      'unknown',
      'broken-trunk',
      'chronic',
      'flaky',
      'mass-failure',
      'infrastructure',
      'fallout',
      'rollup',
    )
    const one = fc
      .tuple(classification, string, string, string, fc.array(reason, { maxLength: 4 }), number, time)
      .map(([each, testName, checkName, text, reasons, hits, at]) =>
        judged(
          each,
          failure(testName, checkName, { signature: { kind: hits % 3 === 0 ? 'output' : 'stack-trace-id', text } }),
          reasons,
          {
            entry: {
              state: 'expired',
              firstSeen: at,
              openedAt: at,
              expiresAt: at,
              reopened: hits,
              hits1: hits,
              hits7: hits,
            },
            unrelatedPullRequests: hits,
            hits,
            trunkHits: hits,
            runs: hits,
            firstSeen: at,
            trunkRate: { failed: hits, runs: hits, low: 0, high: 1 },
            lastTrunkPass: { commitSha: text, time: at },
            firstBadTrunkCommit: text,
            causedBy: testName,
            issue: hits % 2 === 0 ? null : { number: hits, title: text, url: text },
            proofUrl: text,
            owner: text,
          },
        ),
      )
    const problem = fc.constantFrom<LookupProblem | null>(null, 'unreachable')
    fc.assert(
      fc.property(fc.array(one, { maxLength: 14 }), problem, fc.boolean(), (failures, why, hasPages) => {
        const tests = failingTests(failures, { problem: why })
        const subject = report(quiet(3), { failingTests: tests })
        expectSafe(render({ report: subject, hasPages }), subject)
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
    expect(body).toContain('(+18.7%) at `43ae659`; `9c41d0e` is being measured')
    const started = report([row('x', 0, [changed(1, 2)])], { shards: [shard(1, 2), shard(2, 2, { state: 'pending' })] })
    expect(render({ report: started, previous: previous! })).not.toContain('43ae659')
  })

  test('a report without results that is complete shows itself', () => {
    const { report: failed } = STATES['all-shards-failed']!
    const { previous } = STATES['pending-new-head']!
    expect(render({ report: failed, previous: previous! })).toContain('### No results')
  })
})

describe('profiles', () => {
  test('the frames are in words, under the row and folded, and the page is linked where it is', () => {
    const without = render(STATES['profile-of-a-regression']!)
    expect(without).toContain(' · `Aggregator::executeImpl` grew from 31% to 44% of CPU samples\n')
    expect(without).toContain('- `Aggregator::executeImpl` 31% → 44% (+13.1\u00a0points)\n')
    expect(without).not.toContain('flame graph')
    const withPages = render(STATES['profile-of-a-regression-with-pages']!)
    expect(
      withPages.match(/\[flame graph\]\(https:\/\/triage\.example\/\S+\/flame\/q-group_by_fixed_keys-3-/g),
    ).toHaveLength(2)
  })

  test('a row without a profile has no link to one', () => {
    const rows = [row('a', 0, [changed(1, 2)], { profile: null }), row('b', 0, [changed(1, 2)])]
    expect(render({ report: report(rows), hasPages: true })).not.toMatch(/flame graph|Where the time went/)
  })

  test('the pages of the head before are not linked while a new one runs', () => {
    const pending = { ...STATES['profile-of-a-regression']!, hasPages: true }
    const next = report([], { head: 'a'.repeat(40), complete: false, shards: [] })
    const body = render({ report: next, previous: pending.report, hasPages: true })
    expect(body).toContain('Where the time went')
    expect(body).not.toContain('/flame/')
  })

  test('frames of any kind stay in their place', () => {
    const frame = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: anyCodePoint, maxLength: 40 }))
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 6 }), (frames) => {
        const tree = new StackTree()
        for (const [index, name] of frames.entries()) {
          tree.add(frames.join(';'), 'old', 100 + index)
          tree.add(`${name};${name}`, 'new', 300 - 20 * index)
        }
        const words = profileWords(tree.finish(), 'samples')
        const profile = { architecture: null, traceType: 'CPU', traceTypes: ['CPU'], words } as const
        const functions = frames.map((name) => ({ name, file: name, oldShare: 0.1, newShare: 0.2 }))
        const rows = [
          row('a', 0, [changed(1, 2)], { profile }),
          row('b', 0, [changed(1, 2)], {
            profile,
            evidence: [{ kind: 'on-path', architecture: null, functions }],
          }),
        ]
        const subject = report(rows)
        const body = render({ report: subject, hasPages: true })
        expectSafe(body, subject)
        expect(namedRows(body)).toBe(2)
      }),
      { numRuns: 60 },
    )
  })

  test('shown and left out rows add up', () => {
    const body = render(STATES['profiles-of-many']!)
    expect(body.match(/shares of all CPU samples, old → new/g)).toHaveLength(5)
    expect(body).toContain('and 3 more queries with profiles, in [the report]')
  })
})

test('what people accepted and ignored is offered as lines that the configuration reads, whatever the names hold', () => {
  const by = { actor: 'maria', actorId: 1, via: 'command', until: null, saidAt: Date.UTC(2026, 10, 23) } as const
  const accepted = { ...by, reason: 'more columns', difference: 0.2 }
  const rows = HOSTILE.filter((name) => name !== '').flatMap((name) => [
    row(name, 1, [changed(1, 1.2)], { verdict: 'acknowledged', accepted }),
    row(name, 2, [changed(1, 3)], {
      verdict: 'ignored',
      ignored: { test: name, query: 2, by: { ...by, reason: name } },
    }),
  ])
  const twofold = row('twofold', 1, [changed(1, 2.2)], {
    verdict: 'acknowledged',
    accepted: { ...accepted, difference: 1.2 },
  })
  const ofFile = { ...accepted, difference: 0.7, via: 'file', actor: '' } as const
  const known = row('known', 1, [changed(1, 1.7)], { verdict: 'acknowledged', accepted: ofFile })
  const failed = row('gone', 1, [changed(1, 1.7)], {
    verdict: 'acknowledged',
    accepted: { ...accepted, difference: null },
  })
  const larger = row('larger', 1, [changed(1, 6.1)], {
    verdict: 'acknowledged',
    accepted: { ...accepted, difference: 5.1 },
  })
  const markdown = renderComment({
    report: report([...rows, twofold, known, failed, larger]),
    links: NO_PAGES,
    botId: 'x',
    previous: null,
  })
  const [, yaml = ''] = /```yaml\n(.*?)\n```/s.exec(markdown) ?? []
  const { config, problems } = parseRepositoryConfig(yaml)
  expect(problems).toEqual([])
  expect(config?.tests).toHaveLength(rows.length + 1)
  const entries = new TestEntries(config?.tests ?? [], '2026-12-23')
  expect(entries.of({ test: 'twofold', queryIndex: 1, queryName: '' }).entry).toMatchObject({ difference: 1.2 })
  expect(markdown).toMatch(/accepted in the repository’s file at \+70\.0%: `more columns`/)
  for (const { test: name, queryIndex } of rows) {
    const { entry } = entries.of({ test: name, queryIndex, queryName: '' })
    expect(entry).toMatchObject(
      queryIndex === 1
        ? { kind: 'accepted', difference: 0.2, reason: 'more columns', until: '2026-12-23' }
        : { kind: 'ignore', until: '2026-12-23' },
    )
  }
})

describe('the command that reproduces a row', () => {
  const reproduced = (name: string, query: number | string | null, template = 'perf.sh {test} {query}') =>
    commandFor(
      row(name, typeof query === 'number' ? query : null, [changed(1, 2)], {
        ...(typeof query === 'string' && { queryName: query }),
        ...(query === null && { queryName: null }),
      }),
      template,
    )

  test('has every value in quotes for a shell, the position where there is one', () => {
    expect(reproduced('join_hash', 3)).toBe('perf.sh join_hash 3')
    expect(reproduced('example.com/pkg', 'BenchmarkSort/a b')).toBe("perf.sh example.com/pkg 'BenchmarkSort/a b'")
    expect(reproduced("it's; rm -rf $HOME", 0)).toBe(`perf.sh 'it'\\''s; rm -rf $HOME' 0`)
    expect(reproduced('{query}', 0)).toBe("perf.sh '{query}' 0")
  })

  test('is left out where a value is missing, can’t be seen whole, or would be an option', () => {
    for (const name of ['a\nb', 'a\u0000b', 'a\u001b[2Jb', 'a\u202eb', '--exec=sh', 'x'.repeat(2000)])
      expect(reproduced(name, 0), JSON.stringify(name)).toBeNull()
    expect(reproduced('a', null)).toBeNull()
    expect(reproduced('a', 1, 'perf.sh {test} --on {architecture}')).toBeNull()
  })

  test('is left out where a file that was kept has a placeholder in quotes', () => {
    expect(parseKeptConfig("reproduce: run.sh '{test}'\n")?.reproduce).toBe("run.sh '{test}'")
    expect(reproduced('a', 1, "run.sh '{test}'")).toBeNull()
  })

  test('stands in a fence that no name ends', () => {
    const rows = [row('a```\u200b', 0, [changed(1, 2)]), row('```` b', 1, [changed(1, 2)])]
    const links = { ...NO_PAGES, reproduce: 'perf.sh {test} {query}' }
    const body = renderComment({ report: report(rows), links, botId: 'perf-triage', previous: null })
    expect(body).toContain("`````sh\nperf.sh '```` b' 1\n`````\n")
    const codes = parse(body).children.flatMap((node) => (node.type === 'code' ? [node.value] : []))
    expect(codes).toEqual(["perf.sh '```` b' 1"])
  })

  test('runs as one word in a real shell, whatever is in the name', () => {
    const nasty = fc.oneof(fc.string({ minLength: 1, maxLength: 30, unit: anyCodePoint }), fc.constantFrom(...HOSTILE))
    fc.assert(
      fc.property(nasty, (name) => {
        const command = reproduced(name, 0, "printf '%s|' {test} {query}")
        if (command === null) return
        expect(execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' })).toBe(`${name}|0|`)
      }),
      { numRuns: 60 },
    )
  })
})

test('the day of the merge base stands with its whole id, with its year where that is another one', () => {
  const of = (time: string) =>
    render({ report: report([row('a', 0, [changed(1, 2)])], { mergeBaseTime: Date.parse(time) }) })
  expect(of('2026-06-03T10:00:00Z')).toMatch(/merge base `\w+` of Jun\s3,/)
  expect(of('2024-06-03T10:00:00Z')).toMatch(/merge base `\w+` of Jun\s3, 2024,/)
})
