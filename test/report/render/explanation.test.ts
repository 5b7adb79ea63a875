import { describe, expect, test } from 'vitest'
import { CLASSIFICATIONS } from '../../../src/judge/ledger/failure.ts'
import { LEDGER_THRESHOLDS } from '../../../src/judge/ledger/thresholds.ts'
import { explainFailure, explainRows, foldedStatement } from '../../../src/report/render/explanation.ts'
import { NO_LINKS, viewOf } from '../../../src/report/render/view.ts'
import type { ReportRow } from '../../../src/report/report.ts'
import { resultsSql } from '../../../src/store/runs/results-sql.ts'
import { EVIDENCE } from '../../judge/verdict/evidence-samples.ts'
import { byRules, failingTests, failure, judged } from './failing-tests-builder.ts'
import { HOSTILE } from './hostile.ts'
import { GITHUB_REFERENCES, htmlOf, nodesOf, parse, textOutsideCode } from './markdown-parser.ts'
import { changed, notCompared, report, result, row, unstable } from './report-builder.ts'

const SITE = 'https://perf.example.org/triage'
const explained = (one: ReportRow, site: string | null = null) =>
  [explainRows(report([one]), [one], site), foldedStatement({ where: 'here', sql: resultsSql(report([one]), [one])! })]
    .join('\n\n')
    .replaceAll('\u00a0', ' ')
const overlapping = { separated: false, rankPValue: 0.2, changedThreshold: 0.05 } as const

describe('a row', () => {
  test('has its rule, its numbers, all of its evidence, what would change it, the statement and the pages', () => {
    const one = row('sum', 1, [changed(1, 1.2, overlapping)], {
      verdict: 'likely-noise',
      evidence: [EVIDENCE.moves, EVIDENCE.flagged],
    })
    const words = explained(one, SITE)
    expect(words).toMatch(/^\*\*`sum #1`: likely noise\.\*\* The row also moves without the change\./)
    expect(words).toContain('The rule applies because: noise.')
    expect(words).toContain('1.00 → 1.20 s **+20.0%**, 7 + 7 repetitions')
    expect(words).toContain('moved this much in 14 of 214 runs on the main branch')
    expect(words).toContain('- *needs a rerun*, if it moves the same way on another architecture')
    expect(words).toContain('- *no verdict*, if two more runs of this commit measure it and it differs by less than 5%')
    expect(words).toContain("\n  AND test = 'sum'\n  AND query_index = 1\n")
    expect(words).toContain(`](${SITE}/r/acme/database/pull/108/`)
    expect(words).not.toContain('#11')
    expect(explained(one)).not.toContain('](')
  })

  test('a restart of servers is said of a query alone, and not of a benchmark that has none', () => {
    const moved = [changed(1, 1.2, { separated: true, rankPValue: 0.0006 })]
    const benchmark = row('sum', null, moved, { verdict: 'regression', queryName: 'BenchmarkSum-8' })
    expect(explained(row('sum', 1, moved, { verdict: 'regression' }))).toContain('after restarting both servers')
    expect(explained(benchmark)).toContain('What would change it')
    expect(explained(benchmark)).not.toContain('servers')
  })

  test('that waits for a second witness says what one is', () => {
    const words = explained(row('sum', 1, [changed(1, 1.2, overlapping)], { verdict: 'needs-rerun' }))
    expect(words).toContain('It needs a second witness.')
    expect(words).toContain('no evidence for it')
    expect(words).toContain('- *slower*, if another run of this commit measures it, and it moves again')
    expect(words).toContain('- *likely noise*, if the main branch’s history shows it moving as far at least')
  })

  test.each([
    [result(1, 1.02), /if it differs by 4.1.* or more/],
    [result(1, 1.04, { outcome: 'too-small', changedThreshold: 0.05 }), /a verdict, if it differs by 5% or more/],
    [unstable(1, 1.2), /more repetitions, or a quieter machine/],
    [notCompared('only-old'), /Only in the old build/],
  ])('without a verdict: what is missing for one (%#)', (one, missing) => {
    const words = explained(row('sum', 1, [one], { verdict: null }))
    expect(words).toContain('**`sum #1`: no verdict.**')
    expect(words).not.toContain('The rule applies')
    expect(words).toMatch(missing)
  })

  test('that is accepted has both verdicts, and the size above which it opens again', () => {
    const by = { actor: 'maria', actorId: 1, via: 'command', reason: 'more columns', until: null, saidAt: 0 } as const
    const one = row('sum', 1, [changed(1, 1.2, { changedThreshold: 0.05 })], {
      verdict: 'acknowledged',
      accepted: { ...by, difference: 0.2 },
    })
    expect(explained(one)).toContain('Without that it would be *slower*.')
    expect(explained(one)).toContain('accepted by maria at +20.0')
    expect(explained(one)).toMatch(/open again, if it differs by more than \+25/)
  })

  test('that is guarded says why it is never noise', () => {
    const one = row('sum', 1, [changed(1, 4, overlapping)], {
      verdict: 'needs-rerun',
      guarded: true,
      evidence: [EVIDENCE.moves],
    })
    expect(explained(one)).toContain('too large to dismiss as noise: dismissing a real regression as noise')
  })

  test('that was judged by earlier rules says so', () => {
    const one = row('sum', 1, [changed(1, 1.2, overlapping)], { verdict: 'regression' })
    expect(explained(one)).toContain('judged by earlier rules; today’s rules say *needs a rerun*')
  })
})

const failing = (one: ReturnType<typeof judged>, sql = 'SELECT 1') => {
  const of = report([], { failingTests: failingTests([one]) })
  const view = viewOf(of, NO_LINKS)
  const [first] = view.failing!.rows
  return explainFailure(view, of.failingTests!, first!, LEDGER_THRESHOLDS, { where: 'in the CI database', sql })
}

describe('a failing test', () => {
  test('has its reasons, its counts, and the rules that would say otherwise', () => {
    const reason = { kind: 'unrelated-pull-requests', pullRequests: 7, needed: 3 } as const
    const numbers = { hits: 8, unrelatedPullRequests: 7, trunkHits: 0, runs: 1000, firstSeen: Date.UTC(2026, 4, 28) }
    const words = failing(judged('chronic', failure('01234_x', 'Stateless'), [reason], numbers))
    expect(words).toContain(': chronic.** The same failure in several unrelated pull requests')
    expect(words).toContain('failed in 7 unrelated pull requests; 3 make it chronic')
    expect(words).toContain('7 unrelated pull requests, 8 hits, 0 on the main branch')
    expect(words).toContain('first hit on 2026-05-28')
    expect(words).toContain(
      '- *broken on the main branch*, if it fails the same way at the merge base, or in the latest 2 runs',
    )
    expect(words).not.toContain('*flaky*, if')
    expect(words).toContain('in the CI database</summary>\n\n```sql\nSELECT 1\n```')
  })

  test('of which too little is known says how much would be enough', () => {
    const words = failing(
      judged('unknown', failure('01234_x', 'Stateless'), [{ kind: 'too-few-runs', runs: 4, needed: 59 }]),
    )
    expect(words).toContain('*looks like yours*, if it fails nowhere else in 59 executions')
    expect(words).toContain(
      '*chronic*, if it fails the same way in 3 unrelated pull requests, or on the main branch on 2 different days',
    )
  })

  test.each(CLASSIFICATIONS.filter((one) => one !== 'rollup'))('%s: something would change it', (classification) => {
    expect(failing(judged(classification, failure('a', 'Stateless'), []))).toMatch(/What would change it:\n\n- \S/)
  })
})

test('what would change several rows alike is said once, and the default limit with its number alone', () => {
  const rows = [1, 2].map((index) =>
    row('sum', index, [changed(1, 1.2)], {
      verdict: 'regression',
      evidence: [{ kind: 'floor-threshold', threshold: 0.05 }],
    }),
  )
  const words = explainRows(report(rows), rows, null)
  expect(words.match(/What would change/g)).toHaveLength(1)
  expect(words.match(/flagged from/g)).toHaveLength(2)
  expect(words).not.toContain('judged by the')
  const differing = [rows[0]!, { ...rows[1]!, verdict: 'likely-noise' as const }]
  expect(explainRows(report(rows), differing, null)).toContain('What would change')
})

const FOLD = ['<details><summary>The SQL that counts it,</summary>', '</details>']

test.each(HOSTILE)('a hostile name stays in its place: %j', (name) => {
  const one = row(name, null, [changed(1, 1.2, { architecture: name })], { queryName: name, metric: name })
  const rules = byRules(failure(name, name, { signature: { kind: 'output', text: name } }), { failing: [] })
  const bodies = [explained(one, SITE), failing({ ...rules, owner: name })]
  for (const body of bodies) {
    const tree = parse(body)
    expect(htmlOf(tree).map((html) => html.replace(/ in the CI database| here/, ''))).toEqual(FOLD)
    expect(nodesOf(tree, 'code')).toHaveLength(1)
    const references = textOutsideCode(tree).flatMap((text) =>
      GITHUB_REFERENCES.filter(({ pattern }) => pattern.test(text)).map(({ name: kind }) => `${kind} in: ${text}`),
    )
    expect(references).toEqual([])
  }
})
