import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bisectScript } from '../../../src/judge/bisect/bisect-script.ts'
import { type BisectWindow, bisectWindow, withCommits } from '../../../src/judge/bisect/bisect-window.ts'
import { Clone } from './clone-builder.ts'
import { commitOf, point, seriesOf, step, windowCommit } from './series-builder.ts'

const series = seriesOf([0.5, 0.5, 0.5])

function windowOf(good: string, bad: string): BisectWindow {
  const ends = { lastGood: point(0, 1, 1, { commit: good }), firstBad: point(1, 1, 2, { commit: bad }) }
  return bisectWindow(series, step(ends), 's')
}

describe('run by a real shell in a real clone', () => {
  let clone: Clone
  let shas: string[]

  beforeAll(() => {
    clone = new Clone()
    shas = Array.from({ length: 9 }, (_, index) =>
      clone.commit(`number ${index}`, { [index % 2 === 0 ? 'src/a.c' : 'docs/a.md']: `${index}` }),
    )
  })
  afterAll(() => clone.remove())

  function run(script: string) {
    return spawnSync('sh', [], { input: script, cwd: clone.folder, encoding: 'utf8' })
  }

  test('completed by what builds and measures, it finds the commit', () => {
    const window = windowOf(shas[0]!, shas[8]!)
    const script = bisectScript(window, { buildLink: "https://builds.example/it's/{sha}/x?c={sha}" })
    // The culprit is number 6: a person would write these lines.
    const completed = script.replace(
      /^echo "complete this script first.*\nexit 128$/m,
      'echo "$build" >>.git/asked\nif [ "$(git rev-list --count HEAD)" -lt 7 ]; then exit 0; else exit 1; fi',
    )
    expect(completed).not.toBe(script)
    const { stdout, status } = run(completed)
    expect(status).toBe(0)
    expect(stdout).toContain(`${shas[6]!} is the first bad commit`)
    const asked = execFileSync('cat', [`${clone.folder}/.git/asked`], { encoding: 'utf8' })
      .trim()
      .split('\n')
    // Both ends, and three in between.
    expect(asked.length).toBeLessThanOrEqual(5)
    for (const line of asked) expect(line).toMatch(/^https:\/\/builds\.example\/it's\/([0-9a-f]{40})\/x\?c=\1$/)
  })

  test('without a clone it says how often to measure all the same', () => {
    const window = windowOf(shas[0]!, shas[8]!)
    expect(window.repetitions).toBeGreaterThan(0)
    expect(bisectScript(window, { buildLink: null })).toContain(`in turns, ${window.repetitions} times per side`)
    expect(bisectScript(withCommits({ ...window, threshold: null }, null), { buildLink: null })).toContain(
      'the number of times needed is unknown',
    )
  })

  test('not completed, it measures nothing and says so', () => {
    const { stderr, status } = run(bisectScript(windowOf(shas[0]!, shas[8]!), { buildLink: null }))
    expect(status).not.toBe(0)
    expect(stderr).toContain('complete this script first')
  })

  /** The culprit is number `culprit`; what is asked for is in the list. */
  function complete(script: string, culprit: number): string {
    return script.replace(
      /^echo "complete this script first.*\nexit 128$/m,
      `echo "$commit" >>.git/measured\nif [ "$(git rev-list --count "$commit")" -lt ${culprit + 1} ]; then exit 0; else exit 1; fi`,
    )
  }

  test.each([2, 4, 6, 8])('number %i, beside commits that can’t change the binary, which are not built', (culprit) => {
    const listed = shas.slice(1).map((sha, index) => ({
      ...windowCommit(index, [(index + 1) % 2 === 0 ? 'src/a.c' : 'docs/a.md']),
      sha,
    }))
    const window = withCommits(windowOf(shas[0]!, shas[8]!), { total: 8, listed })
    const script = bisectScript(window, { buildLink: null, skipInert: true })
    const { stdout, status } = run(complete(script, culprit))
    expect(status).toBe(0)
    expect(stdout).toContain(`${shas[culprit]!} is the first bad commit`)
    const measured = readFileSync(`${clone.folder}/.git/measured`, 'utf8').trim().split('\n')
    rmSync(`${clone.folder}/.git/measured`)
    expect(new Set(measured).size).toBe(measured.length)
    for (const commit of measured) expect(shas.indexOf(commit) % 2).toBe(0)
    expect(clone.git('branch', '--show-current').trim()).not.toBe('')
  })

  test.each([
    ['good', 0],
    ['bad', 9],
  ])('an end that is not at its level, the %s one: nothing is named', (_name, culprit) => {
    const script = complete(bisectScript(windowOf(shas[0]!, shas[8]!), { buildLink: null }), culprit)
    const { stdout, stderr, status } = run(script)
    expect(status).toBe(3)
    expect(stderr).toContain('is at the other level')
    expect(stdout).not.toContain('first bad commit')
    rmSync(`${clone.folder}/.git/measured`)
  })

  test('it leaves the clone as it was, also when it fails', () => {
    const script = bisectScript(windowOf(shas[0]!, shas[8]!), { buildLink: null, skipInert: true })
    expect(run(script).stderr).toContain('complete this script first')
    expect(() => clone.git('bisect', 'log')).toThrow(/bisect/)
  })
})

test('only hexadecimal ids get into it', () => {
  for (const bad of [
    '',
    'HEAD',
    '$(touch x)',
    `${commitOf(1)}\ntouch x`,
    commitOf(1).slice(0, 39),
    commitOf(10).toUpperCase(),
  ]) {
    expect(() => bisectScript(windowOf(commitOf(1), bad), { buildLink: null }), bad).toThrow(RangeError)
    expect(() => bisectScript(windowOf(bad, commitOf(1)), { buildLink: null }), bad).toThrow(RangeError)
    const listed = [{ ...windowCommit(1, ['a.md']), sha: bad }]
    const window = withCommits(windowOf(commitOf(1), commitOf(2)), { total: 1, listed })
    expect(() => bisectScript(window, { buildLink: null, skipInert: true }), bad).toThrow(RangeError)
  }
})

describe('the address of a build', () => {
  const window = windowOf(commitOf(1), commitOf(2))

  test('is http(s), with {sha} and nothing else to fill in', () => {
    for (const buildLink of [
      'ftp://a/{sha}',
      'https://a/',
      'https://a/{sha}/{check}',
      'https://u:p@a/{sha}',
      'x',
      'https://a/{sha}\n',
    ]) {
      expect(() => bisectScript(window, { buildLink }), buildLink).toThrow(RangeError)
    }
  })

  test('whatever it holds, the shell reads it as the text that it is', () => {
    const part = fc.string({
      unit: fc.constantFrom("'", '"', '`', '$', '(', ')', ';', '|', '&', '\\', '#', '!', '*', '~', 'a', '/'),
      maxLength: 12,
    })
    fc.assert(
      fc.property(part, part, (before, after) => {
        const buildLink = `https://builds.example/${before}{sha}${after}`
        const script = bisectScript(window, { buildLink })
        // What measures, up to where it prints the address, as the shell writes it to its file.
        const inner = /^cat >"\$results\/measure" <<'END'\n[\s\S]*?"\$build" >&2$/m.exec(script)![0]
        const show = `${inner.replace('>"$results/measure" ', '')}\nEND`
        // One process for both: starting one from here takes longer than all that it does.
        const both = `measure=$(${show}\n)\nexec sh -eu -c "$measure" sh abc`
        const { stderr, stdout, status } = spawnSync('sh', ['-c', both], { encoding: 'utf8' })
        expect([stdout, stderr, status]).toEqual(['', `build: https://builds.example/${before}abc${after}\n`, 0])
      }),
      { numRuns: 60 },
    )
  })
})

test('nothing of what a commit, a test or a query is called gets into it', () => {
  const evil = "'; touch x #\n$(touch x)"
  const listed = [
    { ...windowCommit(1, ['a.c']), title: evil },
    { ...windowCommit(2, ['b.md']), title: evil },
  ]
  const named = { ...bisectWindow({ ...series, test: evil, queryName: evil, architecture: evil }, step(), evil) }
  const script = bisectScript(withCommits(named, { total: 2, listed }), { buildLink: null, skipInert: true })
  expect(script).not.toContain('touch')
  expect(script).toMatch(/^# The step: .*\(\+\d/m)
  expect(script).toMatch(/\d+ times per side/)
})
