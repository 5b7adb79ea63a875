import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type BisectWindow, type WindowCommit, withCommits } from '../../../src/judge/bisect/bisect-window.ts'
import { renderComment } from '../../../src/report/render/comment.ts'
import { SHOWN } from '../../../src/report/render/layout.ts'
import { bisectWindows } from '../../../src/report/render/sections/bisect-windows.ts'
import { NO_LINKS, viewOf } from '../../../src/report/render/view.ts'
import { windowWords } from '../../../src/report/step/words.ts'
import { anyCodePoint } from '../../any-code-point.ts'
import { expectSafe } from './expect-safe.ts'
import { HOSTILE } from './hostile.ts'
import { changed, quiet, report, row } from './report-builder.ts'
import { bare, windowCommit, windowOf } from './window-states.ts'

const PLACE = { repositoryUrl: 'https://github.com/acme/database', seenFrom: Date.UTC(2026, 10, 21) }

function section(windows: readonly BisectWindow[], room = 60_000): string {
  return bisectWindows.render(viewOf(report(quiet(2), { windows }), NO_LINKS), room)
}

/** Words without links and hard spaces. */
function plain(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\u00a0', ' ')
}

describe('words', () => {
  test('one functional change, as a maintainer would say it', () => {
    expect(plain(windowWords([windowOf(14, 1)], PLACE))).toBe(
      [
        '**Bisect window** for `insert_codecs #12` on arm, +15.2% (561 → 646 ms) on the main branch:',
        '- Last good `5b7f2aa` (Jun 14), first bad `e02d9c1` (Jun 16): with 99% confidence one of these 14 commits.',
        '- One functional change in the window: **`#100991`** `Change 1`; the other 13 can’t change the binary.',
        '- `git bisect start e02d9c1 5b7f2aa`; 7 repetitions per side are enough to confirm it.',
      ].join('\n'),
    )
  })

  test('without a pull request the commit itself', () => {
    const listed = [windowCommit(7, { pullRequestNumber: null, title: 'Quiet change', files: null })]
    const words = plain(windowWords([withCommits(bare(), { total: 1, listed })], PLACE))
    expect(words).toContain(
      `One functional change in the window: **\`${listed[0]!.sha.slice(0, 7)}\`** \`Quiet change\`.`,
    )
  })

  test('an improvement that is gone was lost again, not fixed', () => {
    const { firstBad } = bare().step
    const recovered = { ...firstBad, commit: 'a'.repeat(40) }
    expect(windowWords([bare({ recovered })], PLACE)).toContain('Fixed on the main branch since')
    const lost = windowWords([bare({ step: -0.13, before: 0.646, after: 0.561, recovered })], PLACE)
    expect(lost).toContain('Lost again on the main branch since')
    expect(lost).not.toContain('Fixed')
  })

  test('where the commits are not known, how often to measure is', () => {
    const often = '7 repetitions per side tell good from bad.'
    expect(plain(windowWords([withCommits(bare(), null)], PLACE))).toContain(
      `The commits in between are not known.\n- \`git bisect start e02d9c1 5b7f2aa\`; ${often}`,
    )
    expect(plain(windowWords([withCommits(bare(), { total: 5000, listed: [] })], PLACE))).toContain(
      `about 13 builds; ${often}`,
    )
    // As a report of an earlier version has it.
    const { repetitions: _, ...earlier } = bare()
    expect(windowWords([earlier], PLACE)).not.toContain('repetitions per side')
    expect(windowWords([withCommits(bare(), { total: 0, listed: [] })], PLACE)).not.toContain('repetitions per side')
  })

  test('of an uncertain place there is one range where a page has the other', () => {
    const unsure = bare({ earliest: { ...bare().step.earliest, commit: 'a'.repeat(40) } })
    expect(plain(windowWords([unsure], PLACE))).toContain('- 99% confidence: the first bad commit is between `aaaaaaa`')
    const brief = windowWords([unsure], { ...PLACE, rangeUrl: 'https://triage.example/report#windows' })
    expect(brief).toContain(
      '- [The place is uncertain](https://triage.example/report#windows): measure both ends again first.',
    )
    expect(brief).not.toContain('99% confidence')
    expect(windowWords([bare()], { ...PLACE, rangeUrl: 'https://triage.example/' })).not.toContain('uncertain')
  })

  test('dates of another year are written with it', () => {
    expect(windowWords([bare()], { ...PLACE, seenFrom: Date.UTC(2027, 1, 1) })).toContain('(Jun\u00a014, 2026)')
  })

  test('unknown noise is not called too noisy', () => {
    const unknown = { ...bare(), threshold: null }
    const words = windowWords([withCommits(unknown, { total: 1, listed: [windowCommit(1, { files: null })] })], PLACE)
    expect(words).toContain('its noise is unknown')
    expect(words).not.toContain('too noisy')
  })
})

describe('the section', () => {
  test('is folded: it is for whoever is on call, and says so', () => {
    const better = windowOf(4, 1, { before: 0.6, after: 0.5, step: -1 / 6 }, { queryIndex: 9 })
    expect(section([windowOf(4, 1)])).toMatch(
      /^<details><summary>For on-call: where the main branch got slower<\/summary>\n\n\*\*Bisect window\*\*/,
    )
    expect(section([windowOf(4, 1), better])).toContain('<summary>For on-call: where the main branch changed</summary>')
  })

  test('is empty without windows, and so is a report that was stored before there were any', () => {
    expect(section([])).toBe('')
  })

  test('shown and left out add up, whatever the room', () => {
    const windows = Array.from({ length: 30 }, (_, index) => {
      const window = windowOf(3, 2)
      const firstBad = { ...window.step.firstBad, commit: index.toString(16).padStart(40, 'e') }
      return { ...window, step: { ...window.step, firstBad } }
    })
    for (const room of [400, 1000, 1500, 3000, 60_000]) {
      const text = section(windows, room)
      expect(text.length).toBeLessThanOrEqual(room)
      const shown = text.match(/^\*\*Bisect window\*\*/gm)?.length ?? 0
      const left = Number(/(?:^|and )(\d+) (?:more )?bisect windows? that did not fit/m.exec(text)?.[1] ?? 0)
      expect(shown + left, `room ${room}`).toBe(windows.length)
      expect(shown).toBeLessThanOrEqual(SHOWN.windows)
    }
  })

  test('queries with the same ends are one window; those that went the other way are another', () => {
    const slower = Array.from({ length: 5 }, (_, queryIndex) => windowOf(4, 1, {}, { queryIndex }))
    const faster = windowOf(4, 1, { before: 0.6, after: 0.5, step: -1 / 6 }, { queryIndex: 9 })
    const text = section([...slower, faster])
    expect(text.match(/^\*\*Bisect window\*\*.*$/gm)).toHaveLength(2)
    expect(plain(text)).toContain(
      '`insert_codecs #0` on arm, `insert_codecs #1` on arm, `insert_codecs #2` on arm and 2 more, +15.2% on the main branch:',
    )
  })

  test('stays in the comment beside 3,000 slower queries', () => {
    const rows = Array.from({ length: 3000 }, (_, index) => row('aggregate', index, [changed(1, 2)]))
    const body = renderComment({
      report: report(rows, { windows: [windowOf(14, 1)] }),
      links: NO_LINKS,
      botId: 'perf-triage',
      previous: null,
    })
    expect(body).toContain('**Bisect window** for `insert_codecs #12`')
    expect(body.indexOf('**Bisect window**')).toBeGreaterThan(body.indexOf('aggregate #0'))
  })
})

test('texts of any kind stay in their place', () => {
  const text = fc.oneof(
    fc.constantFrom(...HOSTILE, 'z'.repeat(5000)),
    fc.string({ unit: anyCodePoint, maxLength: 120 }),
    fc.string({
      unit: fc.constantFrom('`', '|', '\\', '\n', '<', '>', '@', '#', '1', 'a', ' ', '*', '[', ']', '(', ')', '_'),
    }),
  )
  const number = fc.oneof(fc.double(), fc.constantFrom(0, 0.1, -0.5, Number.NaN, Number.POSITIVE_INFINITY))
  const commit: fc.Arbitrary<WindowCommit> = fc.record({
    sha: fc.oneof(text, fc.constant('9c41d0e5b1f7a3c2d4e6f8091a2b3c4d5e6f7081')),
    title: text,
    files: fc.option(fc.array(text, { maxLength: 2 })),
    pullRequestNumber: fc.option(fc.integer({ min: 1, max: 2 ** 32 })),
  })
  const window = fc
    .tuple(text, text, fc.array(commit, { maxLength: 8 }), fc.option(fc.nat({ max: 9000 })), number, fc.option(number))
    .map(([a, b, listed, total, step, threshold]): BisectWindow => {
      const point = { ...bare().step.lastGood, commit: b, time: step }
      const ends = { lastGood: point, earliest: point, recovered: point, step, before: step, after: step }
      const empty = bare(ends, { test: a, architecture: b, metric: a })
      return withCommits({ ...empty, unit: a, threshold }, { total, listed })
    })
  fc.assert(
    fc.property(fc.array(window, { maxLength: 7 }), (windows) => {
      const subject = report(quiet(3), { windows })
      expectSafe(renderComment({ report: subject, links: NO_LINKS, botId: 'perf-triage', previous: null }), subject)
    }),
    { numRuns: 200 },
  )
})
