import { describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../src/config/repository-config.ts'
import type { Environments } from '../../src/intake/measurement/environment.ts'
import { conclusionOf } from '../../src/report/check-conclusion.ts'
import { decided } from '../../src/report/decisions.ts'
import { renderCheckRun } from '../../src/report/render/check-run.ts'
import { renderComment } from '../../src/report/render/comment.ts'
import { NO_LINKS } from '../../src/report/render/view.ts'
import { environmentsFold } from '../../src/web/pages/report/environments.ts'
import { amd, arm, judged as judgedBy, measured, runOf, shard, times } from './judge-setting.ts'

function places(old: string, fresh: string, architecture: string | null = null): Environments {
  return { architecture, old: { cpu: [old] }, new: { cpu: [fresh] }, differing: old === fresh ? [] : ['cpu'] }
}
const APART = [places('EPYC 9V74', 'EPYC 7763')]
const ALIKE = [places('EPYC 7763', 'EPYC 7763')]

const judged: typeof judgedBy = (runs, overrides) => judgedBy(runs, { isFinal: true, ...overrides })

function checkOf(report: ReturnType<typeof judged>) {
  return renderCheckRun(decided(report, DEFAULT_CONFIG), NO_LINKS)
}

describe('a run whose sides were measured on different machines', () => {
  test('has no regression and no improvement, however clear its rows are, and is no shift of everything', () => {
    const many = Array.from({ length: 30 }, (_, index) => measured(`q${index}`, times(1.5)))
    const report = judged([runOf([...many, measured('gain', times(0.5))], { environments: APART })])
    expect(new Set(report.rows.map(({ verdict }) => verdict))).toEqual(new Set(['needs-rerun', 'likely-noise']))
    expect(report.rows[0]!.evidence.map(({ kind }) => kind)).toEqual(['other-machine'])
    expect(report).toMatchObject({ counts: { slower: 30, faster: 1 }, wholeRun: [], shifts: [] })
    const same = judged([runOf([measured('sum', times(1.5))], { environments: ALIKE })])
    expect(same.rows[0]).toMatchObject({ verdict: 'regression' })
  })

  test.each([
    ['slower', 1.3],
    ['not significant', 1],
  ])('does not pass a gate where its row is %s, and says why', (_, factor) => {
    const runs = [runOf([measured('sum', times(factor))], { environments: APART })]
    const gating = judged(runs, { mode: 'gating' })
    expect(conclusionOf(gating)).toBe('failure')
    expect(conclusionOf(judged(runs))).toBe('neutral')
    const check = checkOf(gating)
    expect(check.title).toContain('not measured alike')
    expect(check.summary).toContain('**This check fails because the two builds were not measured alike:**')
    expect(check.summary).toContain('Measure both builds on one machine')
    expect(check.summary).toContain('Not comparable: old on `EPYC 9V74`, new on `EPYC 7763`.')
    expect(check.summary).not.toContain('Nothing to do')
    expect(
      conclusionOf(judged([runOf([measured('sum', times(1))], { environments: ALIKE })], { mode: 'gating' })),
    ).toBe('success')
  })

  test('is no reason for a comment by itself', () => {
    const comment = (factor: number) =>
      decided(judged([runOf([measured('sum', times(factor))], { environments: APART })]), DEFAULT_CONFIG).decisions
        .comment
    expect(comment(1.5)).toBe('post')
    expect(comment(1)).toBe('keep')
  })

  test('hides no regression of an architecture that was measured on one machine, and is no witness for it', () => {
    const shards = [
      shard({ check: 'perf amd', architecture: 'amd' }),
      shard({ check: 'perf arm', architecture: 'arm' }),
    ]
    const report = judged(
      [amd(measured('sum', times(1.3))), { ...arm(measured('sum', times(1.9))), environments: APART }],
      { shards },
    )
    const [row] = report.rows
    expect(row).toMatchObject({ verdict: 'regression', evidence: expect.not.arrayContaining([{ kind: 'replicated' }]) })
    expect(row!.evidence.map(({ kind }) => kind)).not.toContain('replicated')
    expect(row!.results[row!.decidedBy]).toMatchObject({ architecture: 'amd' })
    expect(report.environments).toEqual([{ check: 'perf arm', ...APART[0], architecture: 'arm' }])
    const comment = renderComment({ report, links: NO_LINKS, botId: 'test', previous: null })
    expect(comment).toContain('Not comparable: old on `EPYC 9V74`, new on `EPYC 7763`.')
  })

  test('confirms nothing, contradicts nothing, and nothing of it stands against a later run', () => {
    const attempt = (
      factor: number,
      environments: readonly Environments[],
      number: number,
      earlier: ReturnType<typeof judged> | null,
    ) =>
      judged([runOf([measured('sum', times(factor)), measured('calm', times(1))], { environments, attempt: number })], {
        earlier,
      })
    const apart = attempt(1.5, APART, 1, null)
    const again = attempt(1.5, ALIKE, 2, apart)
    expect(again.rows[0]!.evidence.map(({ kind }) => kind)).not.toContain('confirmed')
    expect(attempt(1, ALIKE, 2, apart)).not.toHaveProperty('notSeenAgain')
    const slower = attempt(1.5, ALIKE, 1, null)
    expect(attempt(1, APART, 2, slower)).toMatchObject({ notMeasuredAgain: [{ test: 'sum' }] })
    expect(attempt(1, ALIKE, 2, slower)).toMatchObject({ notSeenAgain: [{ test: 'sum' }] })
  })
})

describe('sides of one kind of machine', () => {
  const differing = (fields: Partial<Environments>): Environments => ({
    architecture: null,
    old: {},
    new: {},
    differing: [],
    ...fields,
  })

  test('with another runtime are judged, which is said as what may be the change; another host is said', () => {
    const environments = [
      differing({
        old: { runtime: ['JDK 17.0.1'], host: ['a'] },
        new: { runtime: ['JDK 21.0.2'], host: ['b'] },
        differing: ['runtime', 'host'],
      }),
    ]
    const report = judged([runOf([measured('sum', times(1.5))], { environments })], { mode: 'gating' })
    expect(report.rows[0]).toMatchObject({ verdict: 'regression' })
    const comment = renderComment({ report, links: NO_LINKS, botId: 'test', previous: null })
    expect(comment).toContain('\n`JDK 17.0.1` → `JDK 21.0.2` may be the change; host `a` → `b`.\n')
    const calm = judged([runOf([measured('sum', times(1))], { environments })], { mode: 'gating' })
    expect(conclusionOf(calm)).toBe('success')
  })

  test('that differ in nothing are not spoken of', () => {
    const report = judged([runOf([measured('sum', times(1.5))], { environments: ALIKE })])
    expect(renderComment({ report, links: NO_LINKS, botId: 'test', previous: null })).not.toContain('EPYC')
  })

  test('what comes from a file is no Markdown and no HTML', async () => {
    const report = judged([runOf([measured('sum', times(1.5))], { environments: [places('<b>`@someone`', '[a](b)')] })])
    const comment = renderComment({ report, links: NO_LINKS, botId: 'test', previous: null })
    expect(comment).toContain('old on `` <b>`@someone` ``, new on `[a](b)`.')
    expect((await environmentsFold(report)).toString()).not.toContain('<b>')
  })
})

describe('the table of the page', () => {
  test('has a line for each field that a side says, and marks what differs', async () => {
    const environments = [
      {
        ...places('EPYC 9V74', 'EPYC 7763'),
        old: { cpu: ['EPYC 9V74'], host: ['a', 'b'] },
        new: { cpu: ['EPYC 7763'] },
      },
    ]
    const report = judged([runOf([measured('sum', times(1))], { environments })])
    const page = (await environmentsFold(report)).toString()
    expect(page).toContain('<summary>Where the sides were measured: CPU differs</summary>')
    expect(
      [...page.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
        row!.replaceAll(/<[^>]*>/g, '|').replaceAll(/\|+/g, '|'),
      ),
    ).toEqual(['|What|Old|New|', '|CPU|EPYC 9V74|EPYC 7763|differs|', '|Host|a|, |b|–|'])
  })

  test('is not there where no tool says anything', () => {
    expect(environmentsFold(judged([runOf([measured('sum', times(1))])]))).toBe('')
  })
})
