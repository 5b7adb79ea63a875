import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { FailedIn } from '../../../src/judge/verdict/classified-query.ts'
import { conclusionOf, notPassedOf, unknownsOf } from '../../../src/report/check-conclusion.ts'
import { notPassedWords, OUTPUT_LIMIT, renderCheckRun } from '../../../src/report/render/check-run.ts'
import { renderDatabaseDown } from '../../../src/report/render/check-without-report.ts'
import { renderComment } from '../../../src/report/render/comment.ts'
import { NO_LINKS } from '../../../src/report/render/view.ts'
import { type Origin, type TriageReport, UNKNOWNS, type Unknown } from '../../../src/report/report.ts'
import { FAILED_IN_WORDS, UNKNOWN_WORDS } from '../../../src/report/words.ts'
import { expectSafe } from './expect-safe.ts'
import { chronic, failingTests, suspect } from './failing-tests-builder.ts'
import {
  changed,
  decidedReport,
  HEAD,
  notCompared,
  quiet,
  report,
  row,
  shard,
  shards,
  unstable,
} from './report-builder.ts'
import { PAGES, STATES } from './states.ts'

const slower = row('join_hash', 3, [changed(0.6391, 0.7588)])
const rerun = row('join_hash', 4, [changed(0.6391, 0.7588)], { verdict: 'needs-rerun' })
const faster = row('join_hash', 5, [changed(0.7, 0.5)])
const lost = [shard(1, 2), shard(2, 2, { state: 'failed', problem: 'no-results' })]

test('an undecided row has the noun of its format, and a maintainer is told both ways on', () => {
  const benchmark = { ...rerun, queryIndex: null, queryName: 'BenchmarkEncode' }
  expect(notPassedWords({ kind: 'undecided', rows: [benchmark] })).toBe(
    '**Not passed: 1 benchmark is slower, and no run of this commit is decisive:** `join_hash BenchmarkEncode` (+18.7%). **Maintainers:** measure again with `/perf rerun`, or accept it with `/perf accept "reason"`.',
  )
  expect(notPassedWords({ kind: 'undecided', rows: [rerun, slower] })).toContain('2 queries are slower')
})

describe('golden files', () => {
  for (const name of [
    'one-regression',
    'nothing',
    'shard-failed',
    'partial-shards',
    'all-shards-failed',
    'hostile-names',
    'failing-and-slower',
    'failing-chronic',
    'ignored',
    'ignored-alone',
    'not-measured-alike',
    'measurement-changed-gating',
    'measurement-accepted',
    'other-workflow',
    'no-trunk-run',
  ]) {
    test(name, async () => {
      const { title, status, conclusion, summary, text } = renderCheckRun(decidedReport(STATES[name]!.report), NO_LINKS)
      const whole = `title: ${title}\nstatus: ${status}\nconclusion: ${conclusion}\n\n${summary}\n\n---\n\n${text}\n`
      await expect(whole).toMatchFileSnapshot(`../../golden/check-run/${name}.md`)
    })
  }
})

describe('every state', () => {
  for (const [name, state] of Object.entries(STATES)) {
    test(`${name} keeps to the limits and to safe Markdown`, () => {
      const check = renderCheckRun(decidedReport(state.report), state.hasPages ? PAGES : NO_LINKS)
      expect(check.title.length).toBeLessThanOrEqual(255)
      expect(check.title).not.toMatch(/[\n`]/)
      for (const part of [check.summary, check.text]) {
        expect(part.length).toBeLessThanOrEqual(OUTPUT_LIMIT)
        expectSafe(part, state.report)
      }
    })
  }
})

describe('how a head was measured', () => {
  const accepted = { reason: 'new runner', until: null, via: 'command', actor: 'maria', actorId: 1, saidAt: 0 } as const
  const howMeasured = { files: ['.github/workflows/perf.yml'], more: 2, isCut: false, version: 'v1' }
  const from = (kind: Origin['kind'], workflow: string | null) =>
    [shard(1, 1, { check: 'perf (1/1)', origin: { kind, workflow } })] as const
  const said = (overrides: Partial<TriageReport>) => {
    const { title, conclusion, summary } = renderCheckRun(
      decidedReport(report(quiet(5), { mode: 'gating', ...overrides })),
      NO_LINKS,
    )
    return { title, conclusion, summary }
  }

  test.each<[string, Partial<TriageReport>, string, string, RegExp]>([
    [
      'changed files',
      { howMeasured },
      'failure',
      'No slowdown found in 5 queries; changes how it is measured',
      /^\*\*Not passed: this pull request changes how it is measured: `\.github\/workflows\/perf\.yml` and 2 more\.\*\* \*\*Maintainers:\*\* if that is intended, `\/perf accept measurement "why"` lets it pass\./,
    ],
    [
      'more files than GitHub lists',
      { howMeasured: { ...howMeasured, files: [], more: 0, isCut: true } },
      'failure',
      'No slowdown found in 5 queries; changes how it is measured',
      /more files than GitHub lists, so it may change how/,
    ],
    [
      'another workflow',
      { shards: from('other-workflow', '.github/workflows/other.yml') },
      'failure',
      'No slowdown found in 5 queries; results of another workflow',
      /the results of `perf \(1\/1\)` come from `\.github\/workflows\/other\.yml`, not from the usual workflow/,
    ],
    [
      'no workflow at all',
      { shards: from('other-workflow', null) },
      'failure',
      'No slowdown found in 5 queries; results of another workflow',
      /come from no GitHub Actions/,
    ],
    [
      'no run of the main branch',
      { shards: from('unknown', '.github/workflows/perf.yml') },
      'neutral',
      'No slowdown found in 5 queries; no run on the main branch yet',
      /^\*\*No run on the main branch\*\* has given results for `perf \(1\/1\)`/,
    ],
    [
      'fewer shards',
      { lessThanUsual: { trunkRuns: 5, shards: { measured: 3, usual: 5, skipped: [] } } },
      'failure',
      'No slowdown found in 5 queries; fewer shards than usual',
      /^\*\*Not passed: 3 of 5 usual shards\.\*\* “Usual” is the median of the main branch’s last runs\. \*\*Maintainers:\*\*/,
    ],
    [
      'a skipped job',
      { lessThanUsual: { trunkRuns: 5, shards: { measured: 1, usual: 2, skipped: ['perf arm'] } } },
      'failure',
      'No slowdown found in 5 queries; a job was skipped',
      /^\*\*Not passed: 1 of 2 usual shards, and `perf arm` was skipped\.\*\*/,
    ],
    [
      'queries that are gone',
      {
        lessThanUsual: {
          trunkRuns: 5,
          queries: { measured: 5, usual: 10, gone: { names: ['sum #0', 'sum #1'], more: 3 } },
          removed: { names: ['old #0'], more: 0 },
        },
      },
      'failure',
      'No slowdown found in 5 queries; fewer queries than usual',
      /^\*\*Not passed: 5 of 10 usual queries, without `sum #0`, `sum #1` and 3 more\.\*\* .*\n\nNot counted, since this pull request removes them: `old #0`\./s,
    ],
    [
      'fewer repetitions',
      { lessThanUsual: { trunkRuns: 5, repetitions: { measured: 3, usual: 13 } } },
      'failure',
      'No slowdown found in 5 queries; fewer repetitions than usual',
      /^\*\*Not passed: 3 repetitions, usually 13\.\*\*/,
    ],
  ])('%s keeps the gate closed until a maintainer has accepted it', (_, overrides, conclusion, title, words) => {
    expect(said(overrides)).toMatchObject({ conclusion, title, summary: expect.stringMatching(words) })
    expect(said({ ...overrides, acceptedMeasurement: accepted })).toMatchObject({ conclusion: 'success' })
    expect(said({ ...overrides, mode: 'advisory' })).toMatchObject({
      conclusion: 'success',
      title: 'No slowdown found in 5 queries',
    })
  })

  test('that less was measured is said where nothing gates, and once', () => {
    const lessThanUsual = { trunkRuns: 5, repetitions: { measured: 3, usual: 13 } }
    const words = '**Measured less than usual on the main branch:** 3 repetitions, usually 13.'
    const { summary } = said({ mode: 'advisory', lessThanUsual })
    expect(summary.split(words)).toHaveLength(2)
    expect(said({ lessThanUsual }).summary).not.toContain('Measured less')
    const comment = renderComment({
      report: decidedReport(report([slower], { mode: 'advisory', lessThanUsual })),
      links: NO_LINKS,
      botId: 'test',
      previous: null,
    })
    expect(comment.split(words)).toHaveLength(2)
  })

  test('a regression still fails where no run of the trunk is known, and results that were lost are not asked for their workflow', () => {
    const shards = from('unknown', 'a.yml')
    expect(conclusionOf(report([slower], { mode: 'gating', shards }))).toBe('failure')
    expect(notPassedOf(report([], { mode: 'gating', shards: [{ ...shards[0], state: 'failed' }] }))).toEqual([])
  })
})

const IGNORED = {
  verdict: 'ignored',
  ignored: { test: 'b', query: null, reason: 'new disks', until: '2027-03-01' },
} as const

describe('conclusion', () => {
  test('success when nothing is open, also with faster ones, a floor for thresholds and an invalid configuration', () => {
    expect(conclusionOf(report([...quiet(5), faster]))).toBe('success')
    expect(conclusionOf(report(quiet(5), { mode: 'gating' }))).toBe('success')
    expect(conclusionOf(report(quiet(5), { degradations: ['history-not-available', 'config-invalid'] }))).toBe(
      'success',
    )
  })

  test('neutral when something is open and the repository is advisory', () => {
    expect(conclusionOf(report([slower]))).toBe('neutral')
    expect(conclusionOf(report([rerun]))).toBe('neutral')
  })

  test('failure only when it is gating and a regression is open', () => {
    expect(conclusionOf(report([slower], { mode: 'gating' }))).toBe('failure')
    expect(conclusionOf(report([slower], { mode: 'gating', shards: lost }))).toBe('failure')
    expect(conclusionOf(report([rerun], { mode: 'gating' }))).toBe('neutral')
    expect(conclusionOf(report([row('a', 1, [changed(1, 2)], { verdict: 'likely-noise' })], { mode: 'gating' }))).toBe(
      'success',
    )
  })

  const unknown: readonly (readonly [Unknown, TriageReport])[] = [
    ['shard-without-results', report(quiet(5), { shards: lost })],
    ['shard-without-results', report([], { shards: lost.slice(1) })],
    [
      'results-not-read',
      report(quiet(5), { warnings: [{ code: 'unreadable-member', where: 'a.zip', message: 'cut' }] }),
    ],
    ['nothing-compared', report([row('a', 1, [notCompared('failed')])])],
    // No measurement of the metric that decides.
    ['nothing-compared', report([], { shards: [shard(1, 1)] })],
    ['wrong-builds', report(quiet(5), { wrongBuilds: [{ kind: 'same-commit', commit: HEAD }] })],
    [
      'other-machines',
      report(quiet(5), {
        environments: [
          { check: 'perf', architecture: null, old: { cpu: ['A'] }, new: { cpu: ['B'] }, differing: ['cpu'] },
        ],
      }),
    ],
    ['nothing-judged', report([row('a', 1, [unstable(1, 1.1)]), row('b', 1, [notCompared('only-new')])])],
    ['only-ignored', report([row('a', 1, [unstable(1, 1.1)]), row('b', 1, [changed(1, 2)], IGNORED)])],
    ['guarded-rerun', report([row('a', 1, [unstable(1, 4)], { verdict: 'needs-rerun', guarded: true }), ...quiet(2)])],
    [
      'failed-in-unknown-build',
      report([
        ...quiet(5),
        row('b', null, [notCompared('failed', { statusReason: 'run-error', failedIn: 'unknown' })]),
      ]),
    ],
    [
      'query-without-value',
      report([...quiet(5), row('b', 1, [notCompared('not-measured', { statusReason: 'no-samples' })])]),
    ],
    ['ci-results-unavailable', report(quiet(5), { failingTests: failingTests([], { problem: 'unreachable' }) })],
    ['failing-tests-not-read', report(quiet(5), { failingTests: failingTests([], { notJudged: 1 }) })],
    ['failing-tests-not-read', report(quiet(5), { failingTests: failingTests([], { isCut: true }) })],
    ['configuration-never-valid', report(quiet(5), { degradations: ['config-never-valid'] })],
  ]
  test.each(unknown)('%s: neutral, and a failure with its reason where the repository gates', (reason, of) => {
    expect(unknownsOf(of)).toEqual([reason])
    expect(renderCheckRun(decidedReport(of), NO_LINKS)).toMatchObject({ conclusion: 'neutral' })
    expect(renderCheckRun(decidedReport(of), NO_LINKS).summary).not.toContain('This check fails')
    const gating = renderCheckRun(decidedReport({ ...of, mode: 'gating' }), NO_LINKS)
    expect(gating.conclusion).toBe('failure')
    expect(gating.summary).toMatch(new RegExp(`^\\*\\*This check fails because ${UNKNOWN_WORDS[reason].term}`))
    const running = renderCheckRun(decidedReport({ ...of, mode: 'gating', complete: false }), NO_LINKS)
    expect(running).toMatchObject({ status: 'in_progress', conclusion: null })
  })

  test('a query that the new build alone did not run is a finding; one that the old build alone did not run passes', () => {
    const failed = (failedIn: FailedIn) =>
      report([...quiet(5), row('a', 1, [notCompared('failed', { statusReason: 'run-error', failedIn })])])
    expect(conclusionOf(failed('new'))).toBe('neutral')
    expect(renderCheckRun(decidedReport({ ...failed('new'), mode: 'gating' }), NO_LINKS)).toMatchObject({
      conclusion: 'failure',
      title: '1 query without a result in the new build',
      summary: expect.stringContaining('Find out why the new build has no result for `a #1`'),
    })
    for (const build of ['old', 'both'] as const) {
      const check = renderCheckRun(decidedReport({ ...failed(build), mode: 'gating' }), NO_LINKS)
      expect(check.conclusion).toBe('success')
      expect(check.summary).toContain(`1 ${FAILED_IN_WORDS[build].term}`)
    }
  })

  test('the table of docs/comment.md has a row for each reason', () => {
    const table = readFileSync('docs/comment.md', 'utf8').replaceAll("'", '’')
    for (const { term } of Object.values(UNKNOWN_WORDS))
      expect(table).toMatch(new RegExp(`^\\| ${term}[^|]*\\| neutral \\| \\*\\*failure\\*\\* \\|$`, 'm'))
  })

  test('each reason is tried', () => {
    expect(new Set(unknown.map(([reason]) => reason))).toEqual(new Set(UNKNOWNS))
  })

  test('a database that is away: nobody passes unseen', () => {
    expect(renderDatabaseDown('advisory').conclusion).toBe('neutral')
    expect(renderDatabaseDown('gating').conclusion).toBe('failure')
  })
})

describe('failing tests', () => {
  const withTests = (mode: 'advisory' | 'gating', ...of: Parameters<typeof failingTests>) =>
    renderCheckRun(decidedReport(report(quiet(5), { mode, failingTests: failingTests(...of) })), NO_LINKS)

  test('one that may be the pull request’s is open: red where the repository gates', () => {
    expect(withTests('advisory', [suspect('a', 'check')]).conclusion).toBe('neutral')
    expect(withTests('gating', [suspect('a', 'check')]).conclusion).toBe('failure')
  })

  test('those of others are not', () => {
    expect(withTests('gating', [chronic('a', 'check', [7, 8, 0])]).conclusion).toBe('success')
  })

  test('what could not be asked is not said to be fine', () => {
    expect(withTests('advisory', [], { problem: 'unreachable' }).conclusion).toBe('neutral')
    expect(withTests('gating', [], { problem: 'unreachable' }).conclusion).toBe('failure')
  })

  test('the title has those that somebody has to look at, the summary names the tests', () => {
    const { title, summary, text } = withTests('advisory', [suspect('a', 'check')])
    expect(title).toBe('The failing test looks like yours. No slowdown found in 5 queries')
    expect(withTests('advisory', [chronic('a', 'check', [7, 8, 0])]).title).toBe('No slowdown found in 5 queries')
    expect(summary).toMatch(/^The failing test looks like yours\. Check whether the failing test is yours\.\n\nAll 5 /)
    const known = withTests('advisory', [chronic('a', 'check', [7, 8, 0])]).summary
    expect(known).toMatch(/^All 5 queries are unchanged\.\n\nThe failing test is a known failure\./)
    expect(text).toContain('| look at these |')
  })
})

describe('annotations', () => {
  const changedFiles = [
    { path: 'tests/performance/join_hash.xml', status: 'modified' },
    { path: 'tests/performance/quiet.xml', status: 'modified' },
    { path: 'tests/queries/join_hash.xml', status: 'modified' },
    { path: 'old/performance/join_hash.xml', status: 'removed' },
  ]
  const of = (rows: Parameters<typeof report>[0], overrides: Partial<TriageReport> = {}) =>
    renderCheckRun(decidedReport(report(rows, overrides)), NO_LINKS, changedFiles).annotations

  test('a changed file of a test lists the rows of that test that changed', () => {
    expect(of([slower, rerun, faster, ...quiet(3)])).toEqual([
      {
        path: 'tests/performance/join_hash.xml',
        line: 1,
        level: 'warning',
        title: 'join_hash: 3 queries changed, 2 to look at',
        message: [
          'join_hash #3: 639 → 759 ms, +18.7%; slower',
          'join_hash #4: 639 → 759 ms, +18.7%; needs a rerun',
          'join_hash #5: 700 → 500 ms, −28.6%; faster',
        ].join('\n'),
      },
    ])
  })

  test('none while shards are awaited, nor where nothing of the test changed', () => {
    expect(of([slower], { complete: false })).toEqual([])
    expect(of(quiet(3))).toEqual([])
    expect(of([{ ...faster, verdict: 'improvement' }])).toMatchObject([{ level: 'notice' }])
  })
})

describe('what is not in the numbers', () => {
  test('a row that stood open before and was not measured again stays open', () => {
    const of = report(quiet(5), { notMeasuredAgain: [slower] })
    expect(conclusionOf(of)).toBe('neutral')
    const check = renderCheckRun(decidedReport({ ...of, mode: 'gating' }), NO_LINKS)
    expect(check).toMatchObject({
      conclusion: 'failure',
      title: '1 slower before and not measured again',
    })
    expect(check.summary).toMatch(/The job with `.*` needs a rerun/)
    expect(check.text).toContain('1 slower before and not measured again')
  })

  test('a row that an earlier run showed and the last one does not stays open, and asks for one more', () => {
    const of = report(quiet(5), { notSeenAgain: [{ ...slower, contradictedBy: 'perf' }] })
    const check = renderCheckRun(decidedReport({ ...of, mode: 'gating' }), NO_LINKS)
    expect(check).toMatchObject({
      conclusion: 'failure',
      title: '1 slower before and not in the last run',
    })
    expect(check.summary).toMatch(/The performance check needs a rerun to settle .*doesn’t show it/)
    expect(check.text).toContain('1 slower before and not in the last run')
    expect(check.buttons.map(({ label }) => label)).toEqual(['Accept', 'Re-run CI', 'Explain'])
  })

  test('a part that was skipped on purpose is named and counts as no shard', () => {
    const skipped = shard(2, 2, { state: 'skipped', conclusion: 'skipped' })
    const check = renderCheckRun(
      decidedReport(report(quiet(5), { shards: [shard(1, 2), skipped], complete: true, mode: 'gating' })),
      NO_LINKS,
    )
    expect(check.conclusion).toBe('success')
    expect(check.title).toBe(`No slowdown found in 5 queries; ${skipped.check} was skipped`)
    expect(check.summary).toContain('was skipped')
  })

  test('a host that is not allowed is for who runs the bot: to rerun the job changes nothing', () => {
    const refusal =
      'minio.example.org is not in ARTIFACT_HOSTS, so nothing was fetched from it; whoever runs the bot can add it'
    const summaryOf = (told: { readonly refusal?: string }) =>
      renderCheckRun(
        decidedReport(report([], { shards: [shard(1, 1, { state: 'failed', problem: 'host-not-allowed', ...told })] })),
        NO_LINKS,
      ).summary
    expect(summaryOf({ refusal })).toMatch(
      /Whoever runs the bot adds the host of .* to `ARTIFACT_HOSTS` \(`minio\.example\.org /,
    )
    expect(summaryOf({})).toContain('(the log of the bot names it)')
    for (const told of [{ refusal }, {}]) expect(summaryOf(told)).not.toMatch(/Rerun|Look at what/)
  })

  test('what was not uploaded may come later, and how to upload is told of it alone; what can’t be read is the same again', () => {
    const links = { ...NO_LINKS, uploadUrl: 'https://perf.example.org/installed' }
    const lostOne = (problem: 'no-results' | 'unreadable') =>
      shard(1, 2, { state: 'failed', problem, refusal: 'found' })
    const summaryOf = (problem: 'no-results' | 'unreadable', others = quiet(5)) => {
      const shards = [lostOne(problem), ...(others.length === 0 ? [] : [shard(2, 2)])]
      return renderCheckRun(decidedReport(report(others, { shards, mode: 'gating' })), links).summary
    }
    expect(summaryOf('no-results')).toMatch(
      /The bot keeps trying what may pass by itself.*`found`\. \[How a workflow uploads/s,
    )
    expect(summaryOf('unreadable', [])).toContain('`found`.')
    expect(summaryOf('unreadable')).toContain('`found`.')
    expect(summaryOf('unreadable')).not.toMatch(/keeps trying|How a workflow uploads/)
  })

  test('of a base and head that were not compared the reason is said, red where it is required, and not to look at the upload', () => {
    const lost = shard(1, 2, { state: 'failed', problem: 'not-compared', refusal: 'the two trees are the same' })
    const subject = report(quiet(5), { shards: [lost, shard(2, 2)], mode: 'gating' })
    const { conclusion, summary } = renderCheckRun(decidedReport(subject), NO_LINKS)
    expect(conclusion).toBe('failure')
    expect(summary).toContain('did not compare the base with the head: `the two trees are the same`.')
    expect(summary).not.toMatch(/look at what|keeps trying/i)
  })

  test('results that were not read in full stand in the title and first of what to do', () => {
    const warnings = [{ code: 'truncated-line', where: 'sum-raw.tsv:9', message: 'no end' }] as const
    const check = renderCheckRun(decidedReport(report([slower, ...quiet(5)], { warnings })), NO_LINKS)
    expect(check.title).toContain('; some results could not be read')
    expect(check.summary).toContain('; some results could not be read')
    expect(check.summary).toContain(
      'Look at what the job uploads: not all of its results could be read (`sum-raw.tsv:9`',
    )
  })
})

describe('title', () => {
  const title = (...input: Parameters<typeof report>) => renderCheckRun(decidedReport(report(...input)), NO_LINKS).title

  test('how much was analysed and what was found', () => {
    expect(title([slower, faster, ...quiet(1998), row('a', 1, [notCompared('failed')])])).toBe(
      '1 of 2,000 queries got slower, 1 got faster',
    )
    expect(title([faster])).toBe('1 of 1 query got faster, none slower')
    expect(title(quiet(68))).toBe('No slowdown found in 68 queries')
    expect(title([row('a', 1, [unstable(1, 4)], { verdict: 'needs-rerun', guarded: true })])).toBe(
      '1 query may be much slower',
    )
    expect(title(quiet(5), { shards: lost })).toBe('No slowdown found in what was measured; 1 shard without results')
  })

  test('while it runs', () => {
    expect(title(quiet(5), { shards: shards(12, 4) })).toBe('4 of 12 shards in; no slowdown found so far')
    expect(title([slower], { shards: shards(12, 4) })).toBe('4 of 12 shards in; so far 1 of 1 query got slower')
    expect(title([], { shards: [], complete: false })).toBe('Waiting for results')
  })

  test('without any result', () => {
    expect(title([], { shards: [shard(1, 1, { state: 'failed' })] })).toBe('No results: 0 of 1 shard in')
    expect(title([], { shards: [], complete: true })).toBe('Nothing to measure')
  })
})

test('in progress until all shards have ended', () => {
  const running = renderCheckRun(decidedReport(report([slower], { shards: shards(12, 4) })), NO_LINKS)
  expect(running).toMatchObject({ status: 'in_progress', conclusion: null })
  expect(renderCheckRun(decidedReport(report([slower])), NO_LINKS)).toMatchObject({
    status: 'completed',
    conclusion: 'neutral',
  })
})

test('when nothing was found the summary is the whole answer', () => {
  const rows = [
    ...quiet(2034, ['amd', 'arm']),
    ...Array.from({ length: 40 }, (_, index) =>
      row('skipped', index, [notCompared('not-measured', { statusReason: 'skipped' })]),
    ),
    row('a', 1, [notCompared('only-new')]),
  ]
  const { summary } = renderCheckRun(
    decidedReport(report(rows, { architectures: ['amd', 'arm'], shards: lost })),
    NO_LINKS,
  )
  expect(summary.split('\n')[0]).toBe(
    '2,034 of 2,075 queries are unchanged on amd and arm; 40 not measured, the test was skipped, 1 only in the new build and 1 shard gave no results (see [`Performance Comparison (release, 2/2)`](https://github.com/acme/database/runs/1002)).',
  )
})
