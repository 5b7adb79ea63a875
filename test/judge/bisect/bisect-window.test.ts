import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InertPaths } from '../../../src/judge/bisect/binary-paths.ts'
import {
  bisectionSteps,
  bisectWindow,
  planMidpoints,
  pullRequestWindow,
  withCommits,
} from '../../../src/judge/bisect/bisect-window.ts'
import { repetitionsToSeparate } from '../../../src/judge/bisect/repetitions.ts'
import { trunkSteps } from '../../../src/judge/bisect/trunk-steps.ts'
import { pullRequestOfTitle } from '../../../src/text/commits.ts'
import { measuredHistory } from './measured-history.ts'
import { point, seriesOf, step, windowCommit } from './series-builder.ts'

const series = seriesOf(Array.from({ length: 60 }, () => 0.5))
const window = bisectWindow(series, step(), 's')
const code = ['src/Core/Sort.cpp']
const docs = ['docs/en/index.md']

describe('before the repository was asked', () => {
  test('it names the query and the step, and nothing that is not known', () => {
    expect(window).toMatchObject({
      test: 'insert_codecs',
      queryIndex: 12,
      architecture: 'arm',
      unit: 's',
      step: step(),
    })
    expect(window).toMatchObject({ commits: null, functional: [], setAside: 0, steps: null, plan: [] })
    expect(bisectWindow({ ...series, ordinal: 2 }, step(), null).ordinal).toBe(2)
    expect('ordinal' in window).toBe(false)
  })

  test('its noise is T of most runs, and not that of the run across the step', () => {
    const firstBad = point(2, 1, 2, { threshold: 1 })
    const of = (points: ReturnType<typeof point>[]) =>
      bisectWindow({ ...series, points }, step({ firstBad }), 's').threshold
    expect(of([point(0, 1, 1, { threshold: 0.03 }), point(1, 1, 1, { threshold: 0.04 }), firstBad])).toBe(0.04)
    expect(of([firstBad])).toBeNull()
    expect(of([])).toBeNull()
    // Runs that differ by more than their T says: the noise is between the runs.
    expect(of([point(0, 1, 1.1), point(1, 1, 0.9), point(3, 1, 1.1)])).toBeCloseTo(0.29)
    expect(of([point(0, 1, 1.1, { threshold: null })])).toBeCloseTo(0.29)
  })

  test('the noise of real runs: both ways to see it are near to each other', () => {
    const ratios = measuredHistory().map((one) => {
      const bare = { ...one, points: one.points.map((each) => ({ ...each, threshold: null })) }
      return bisectWindow(bare, step(), 's').threshold! / bisectWindow(one, step(), 's').threshold!
    })
    const typical = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)]!
    expect(typical).toBeGreaterThan(0.5)
    expect(typical).toBeLessThanOrEqual(1)
  })
})

describe('with commits', () => {
  test('those that can’t change the binary are set aside; one is left', () => {
    const listed = Array.from({ length: 14 }, (_, index) => windowCommit(100_990 + index, index === 9 ? code : docs))
    const found = withCommits(window, { total: 14, listed })
    expect(found).toMatchObject({ functional: [listed[9]], setAside: 13, steps: 0 })
    const repetitions = repetitionsToSeparate(window.step.step, window.threshold!)
    expect(found.plan).toEqual([{ commit: listed[9]!.sha, repetitions, level: 1, after: null }])
    expect(repetitions).toBeGreaterThanOrEqual(7)
  })

  test('a commit of which nobody knows the files can change it; one without files can’t', () => {
    const listed = [windowCommit(1, null), windowCommit(2, []), windowCommit(3, [...docs, ...code])]
    expect(withCommits(window, { total: 3, listed }).functional).toEqual([listed[0], listed[2]])
  })

  test('the paths that are inert can be others', () => {
    const listed = [windowCommit(1, ['web/page.html']), windowCommit(2, code)]
    expect(withCommits(window, { total: 2, listed }, { inertPaths: new InertPaths(['web/**']) }).functional).toEqual([
      listed[1],
    ])
  })

  test('too many to list: a number of builds and no middle', () => {
    expect(withCommits(window, { total: 5000, listed: [] })).toMatchObject({ steps: 13, plan: [], functional: [] })
    const some = withCommits(window, { total: 40, listed: [windowCommit(1, code), windowCommit(2, docs)] })
    expect(some).toMatchObject({ steps: 6, plan: [], setAside: 1 })
  })

  test('nothing known, nothing in between, nothing functional', () => {
    expect(withCommits(window, null)).toEqual(window)
    // How often to measure follows from the step and the noise alone.
    expect(window.repetitions).toBe(repetitionsToSeparate(window.step.step, window.threshold!))
    expect(withCommits(window, { total: 5000, listed: [] }).repetitions).toBe(window.repetitions)
    expect(withCommits({ ...window, threshold: null }, null).repetitions).toBeNull()
    expect(withCommits(window, { total: null, listed: [] })).toMatchObject({ steps: null, plan: [] })
    expect(withCommits(window, { total: 0, listed: [] })).toMatchObject({ steps: null, plan: [], setAside: 0 })
    const listed = [windowCommit(1, docs)]
    expect(withCommits(window, { total: 1, listed })).toMatchObject({ steps: null, plan: [], setAside: 1 })
  })

  test('without a known noise the plan says no repetitions', () => {
    const { plan } = withCommits({ ...window, threshold: null }, { total: 1, listed: [windowCommit(1, code)] })
    expect(plan).toMatchObject([{ repetitions: null }])
  })
})

test('from the measured history to a window', () => {
  const one = measuredHistory().find((each) => trunkSteps(each).some(({ firstBad }) => firstBad === each.points[7]))!
  const [found] = trunkSteps(one)
  const { threshold } = bisectWindow(one, found!, 's')
  expect(threshold).toBeGreaterThan(0)
  expect(threshold).toBeLessThan(1)
})

describe('plan', () => {
  const candidates = (count: number) => Array.from({ length: count }, (_, index) => windowCommit(index + 1, null))

  test('as many builds as halving takes', () => {
    expect([0, 1, 2, 3, 4, 5, 13, 16, 17, 1000].map(bisectionSteps)).toEqual([0, 0, 1, 2, 2, 3, 4, 4, 5, 10])
  })

  test('one commit is the build to confirm, none is none', () => {
    const [only] = candidates(1)
    expect(planMidpoints([only!], 9)).toEqual([{ commit: only!.sha, repetitions: 9, level: 1, after: null }])
    expect(planMidpoints([], 9)).toEqual([])
  })

  test('following the plan finds any culprit in the builds that it says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), (count, pick) => {
        let left = candidates(count)
        const culprit = left[pick % count]!
        let builds = 0
        while (left.length > 1) {
          const plan = planMidpoints(left, null)
          const at = left.findIndex(({ sha }) => sha === plan[0]!.commit)
          builds += 1
          // A build is bad once the culprit is in it.
          const isBad = left.indexOf(culprit) <= at
          const next = isBad ? left.slice(0, at + 1) : left.slice(at + 1)
          const second = plan.find(({ level, after }) => level === 2 && after === (isBad ? 'bad' : 'good'))
          expect(second?.commit).toBe(next.length > 1 ? planMidpoints(next, null)[0]!.commit : undefined)
          left = next
        }
        expect(left).toEqual([culprit])
        expect(builds).toBeLessThanOrEqual(bisectionSteps(count))
      }),
    )
  })
})

describe('pull request window', () => {
  const commits = [
    windowCommit(1, ['src/Processors/MergeSorter.cpp']),
    windowCommit(2, ['docs/en/index.md']),
    windowCommit(3, null),
    windowCommit(4, ['src/Interpreters/Aggregator.cpp', 'src/Interpreters/Aggregator.h']),
    windowCommit(5, ['tests/queries/0_stateless/1.sql']),
  ]

  test('which commits touch files on the query’s path', () => {
    const found = pullRequestWindow(commits, ['src/Interpreters/Aggregator.cpp', 'src/Core/Block.cpp'])
    expect(found.functional).toEqual([commits[0], commits[2], commits[3]])
    expect(found).toMatchObject({ setAside: 2, steps: 2, middle: commits[0]!.sha, filesUnknown: 1 })
    expect(found.onPath).toEqual([commits[3]])
  })

  test('unknown paths are said to be unknown, and are not none', () => {
    expect(pullRequestWindow(commits, null).onPath).toBeNull()
    expect(pullRequestWindow(commits, []).onPath).toEqual([])
  })

  test('a pull request of one commit, or of none', () => {
    expect(pullRequestWindow(commits.slice(0, 1), null)).toMatchObject({ steps: 0, middle: null, setAside: 0 })
    expect(pullRequestWindow([], null)).toMatchObject({ functional: [], steps: 0, middle: null })
  })

  test('the pull request that a title names', () => {
    expect(pullRequestOfTitle('perf: fix reserve in MergeSorter (#100963)')).toBe(100_963)
    expect(pullRequestOfTitle('Merge pull request #105588 from somebody/branch')).toBe(105_588)
    expect(pullRequestOfTitle('Backport #1 to 26.3: a (#2)')).toBe(2)
    for (const title of [
      'Fix #12',
      'Revert (#12) again',
      'Merge pull request #x from y',
      '(#0)',
      '(#99999999999)',
      '',
      'a (#4294967296)',
    ]) {
      expect(pullRequestOfTitle(title), title).toBeNull()
    }
  })
})
