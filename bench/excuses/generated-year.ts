import { DAY, HOUR } from '../../src/text/time.ts'
import { type Cause, type FailedTest, type Head, type Job, REPOSITORY, TRUNK, type World } from './world.ts'

/**
 * A year of CI that never was: a trunk of eight commits a day, ten pull requests a day, three checks with the same 600 tests
 * and a stress test whose failures have names of their own. What fails is drawn for each job.
 */
const DAYS = 365
const START = Date.UTC(2025, 0, 1)
const MINUTE = 60_000

const CHECKS = ['tests (linux)', 'tests (macos)', 'tests (windows)'] as const
const BUILD = 'build'
const STRESS = 'stress test'

const FILES = 60
const TESTS_OF_FILE = 10
const TESTS = Array.from(
  { length: FILES * TESTS_OF_FILE },
  (_, n) => `tests/test_${wordOf(Math.floor(n / TESTS_OF_FILE))}.py::test_${wordOf(n + 1000)}`,
)

const TRUNK_COMMITS_A_DAY = 8
const PULLS_A_DAY = 10
const FLAKY_TESTS = 40
const CRASHES = 8
const BROKEN_STRETCHES = 24
const OUTAGES = 12
const MAINTAINERS = 25

const SHARE = {
  /** Pull requests of first-time contributors; of these half are merged. */
  stranger: 0.2,
  merged: 0.5,
  stack: 0.12,
  /** Pull requests with a change that breaks tests, one that breaks the build, and one that crashes the stress test. */
  bug: 0.25,
  buildBug: 0.06,
  crash: 0.03,
  /** Bugs of one platform; those that fail every other time. */
  onePlatform: 0.2,
  unsteadyBug: 0.15,
  /** A later commit mends the bug. */
  mended: 0.7,
  /** Failed jobs that somebody runs again. */
  rerun: 0.35,
  /** Jobs that an outage reaches. */
  reached: 0.7,
  windowsOnly: 0.3,
  /** Broken stretches that come back with the same change. */
  relanded: 0.25,
}

interface Flake {
  readonly testName: string
  readonly rate: number
  readonly checks: readonly string[]
  readonly from: number
  readonly to: number
  readonly output: string
  readonly cause: Cause
}

interface Broken {
  readonly from: number
  readonly to: number
  readonly checks: readonly string[]
  readonly failed: readonly FailedTest[]
}

interface Outage {
  readonly from: number
  readonly to: number
  readonly tests: readonly string[]
  readonly cause: Cause
}

interface Bug {
  readonly checks: readonly string[]
  readonly failed: readonly FailedTest[]
  /** Of executions. */
  readonly rate: number
}

interface Pull {
  readonly number: number
  readonly author: string
  readonly headRepo: string
  readonly headRef: string
  readonly baseRef: string
  readonly opened: number
  readonly bugs: readonly Bug[]
}

/** @param rates of flaky tests, of which each flaky test here has one */
export function generatedYear(seed: number, rates: readonly number[]): World {
  const draw = drawn(seed)
  const flakes = [...Array.from({ length: FLAKY_TESTS }, () => flakeOf(draw, rates)), ...crashesOf(draw)]
  const broken = brokenStretches(draw)
  const outages = Array.from({ length: OUTAGES }, (_, n) => outageOf(draw, n))
  const around = { draw, flakes, broken, outages }
  const authors = new Map<number, string>()
  const trustedFrom = new Map(Array.from({ length: MAINTAINERS }, (_, n) => [`dev${n}`, 0]))
  const trunk = timesOf(draw, TRUNK_COMMITS_A_DAY).map((time, n) => ({ time, commitSha: `trunk-${n}` }))

  const jobs: Job[] = []
  for (const { time, commitSha } of trunk) {
    const of = { pullRequestNumber: 0, commitSha, headRepo: REPOSITORY, headRef: TRUNK, baseRef: TRUNK }
    for (const check of [...CHECKS, BUILD, STRESS])
      jobs.push(...attempts(around, { ...of, bugs: [] }, check, time, time))
  }

  const heads: Head[] = []
  for (const pull of pullsOf(around, authors, trustedFrom)) {
    let { bugs, opened: time } = pull
    let base = baseAt(trunk, time - draw.below(2 * DAY))
    for (let push = 0; push < 1 + draw.below(4); push += 1) {
      if (push > 0) {
        time += HOUR + draw.below(36 * HOUR)
        bugs = bugs.filter(() => !draw.is(SHARE.mended))
        if (draw.is(0.5)) base = baseAt(trunk, time)
      }
      const of = { ...pull, pullRequestNumber: pull.number, commitSha: `pr-${pull.number}-${push}`, bugs }
      const builtOn = base?.time ?? time
      const all = [...CHECKS, BUILD, STRESS].map((check) =>
        attempts(around, of, check, time + draw.below(9 * MINUTE), builtOn),
      )
      jobs.push(...all.flat())
      const first = all.map((tries) => tries[0]!)
      heads.push({ jobs: first, mergeBase: base?.commitSha ?? null, time: Math.max(...first.map((job) => job.time)) })
    }
  }
  const inOrder = <T extends { readonly time: number }>(all: T[]) => all.toSorted((a, b) => a.time - b.time)
  const judged = { from: START + 60 * DAY, to: START + (DAYS - 37) * DAY }
  return { jobs: inOrder(jobs), heads: inOrder(heads), authors, trustedFrom, judged }
}

interface Around {
  readonly draw: Draw
  readonly flakes: readonly Flake[]
  readonly broken: readonly Broken[]
  readonly outages: readonly Outage[]
}

type Origin = Omit<Job, 'checkName' | 'time' | 'failed'> & { readonly bugs: readonly Bug[] }

/** The first attempt of a check, and another where somebody ran the failed job again. */
function attempts(around: Around, of: Origin, checkName: string, time: number, builtOn: number): readonly Job[] {
  const { bugs: _, ...origin } = of
  const { pullRequestNumber, commitSha, headRepo, headRef, baseRef } = origin
  const jobAt = (at: number): Job => ({
    ...{ pullRequestNumber, commitSha, headRepo, headRef, baseRef, checkName, time: at },
    failed: failedIn(around, of, checkName, at, builtOn),
  })
  const first = jobAt(time)
  const again = first.failed.length > 0 && around.draw.is(SHARE.rerun)
  return again ? [first, jobAt(time + HOUR + around.draw.below(2 * HOUR))] : [first]
}

/** What fails in a job, each test for one cause: the pull request's own before all others. */
function failedIn(
  { draw, flakes, broken, outages }: Around,
  { bugs }: Origin,
  checkName: string,
  time: number,
  builtOn: number,
): readonly FailedTest[] {
  const failed = new Map<string, FailedTest>()
  const add = (one: FailedTest) => failed.set(one.testName, failed.get(one.testName) ?? one)
  for (const { checks, failed: tests, rate } of bugs)
    if (checks.includes(checkName) && draw.is(rate)) tests.forEach(add)
  for (const { from, to, checks, failed: tests } of broken) {
    if (checks.includes(checkName) && from <= builtOn && builtOn < to) tests.forEach(add)
  }
  for (const { from, to, tests, cause } of outages) {
    if (from > time || time >= to || checkName === BUILD || checkName === STRESS || !draw.is(SHARE.reached)) continue
    for (const testName of tests) if (draw.is(0.8)) add({ testName, output: UNREACHABLE, cause })
  }
  for (const flake of flakes) {
    if (flake.from <= time && time < flake.to && flake.checks.includes(checkName) && draw.is(flake.rate)) add(flake)
  }
  return [...failed.values()]
}

const UNREACHABLE = "E   ConnectionError: HTTPSConnectionPool(host='mirror', port=443): Max retries exceeded"

function flakeOf(draw: Draw, rates: readonly number[]): Flake {
  const testName = draw.one(TESTS)
  const from = START + (draw.below(400) - 100) * DAY
  const step = draw.word()
  return {
    testName,
    rate: draw.one(rates),
    checks: draw.is(SHARE.windowsOnly) ? [CHECKS[2]] : CHECKS,
    from,
    to: from + (15 + draw.below(185)) * DAY,
    output: `E   TimeoutError: timed out waiting for ${step}`,
    cause: { kind: 'flaky', id: `flake ${testName} ${step}` },
  }
}

/** Crashes that come and go: their names exist only when they fail. */
function crashesOf(draw: Draw): readonly Flake[] {
  return Array.from({ length: CRASHES }, (_, n) => {
    const testName = `Logical error: '${draw.word()} is not ${draw.word()}' (STID: 25${10 + n}-${hexOf(draw.below(65_536))})`
    const from = START + (draw.below(400) - 100) * DAY
    return {
      testName,
      rate: 0.003 + draw.share() * 0.03,
      checks: [STRESS],
      from,
      to: from + (30 + draw.below(200)) * DAY,
      output: '',
      cause: { kind: 'flaky', id: `crash ${testName}` },
    }
  })
}

function brokenStretches(draw: Draw): readonly Broken[] {
  return Array.from({ length: BROKEN_STRETCHES }, (_, n) => {
    const from = START + draw.below(DAYS * DAY)
    const cause: Cause = { kind: 'broken-trunk', id: `stretch ${n}` }
    const output = `E   TypeError: ${draw.word()} takes no argument ${draw.word()}`
    const isBuild = draw.is(0.15)
    const tests = isBuild ? [''] : Array.from({ length: 1 + draw.below(5) }, () => draw.one(TESTS))
    const stretch = {
      from,
      to: from + 3 * HOUR + draw.below(40 * HOUR),
      checks: isBuild ? [BUILD] : draw.is(0.7) ? CHECKS : [draw.one(CHECKS)],
      failed: tests.map((testName) => ({ testName, output, cause })),
    }
    const later = (2 + draw.below(5)) * DAY
    return draw.is(SHARE.relanded)
      ? [stretch, { ...stretch, from: stretch.from + later, to: stretch.to + later }]
      : [stretch]
  }).flat()
}

function outageOf(draw: Draw, n: number): Outage {
  const from = START + draw.below(DAYS * DAY)
  // Tests of many files ask the network.
  const tests = TESTS.filter((_, at) => at % 13 === 0).slice(0, 15 + draw.below(32))
  return { from, to: from + 2 * HOUR + draw.below(10 * HOUR), tests, cause: { kind: 'outage', id: `outage ${n}` } }
}

function pullsOf({ draw, flakes }: Around, authors: Map<number, string>, trustedFrom: Map<string, number>): Pull[] {
  const pulls: Pull[] = []
  for (const opened of timesOf(draw, PULLS_A_DAY)) {
    const isStranger = draw.is(SHARE.stranger)
    const author = isStranger ? `guest${pulls.length}` : `dev${Math.floor(draw.share() ** 2 * MAINTAINERS)}`
    const height = !isStranger && draw.is(SHARE.stack) ? 2 + draw.below(3) : 1
    if (isStranger && draw.is(SHARE.merged)) trustedFrom.set(author, opened + (1 + draw.below(10)) * DAY)
    const name = draw.word()
    const bugs = bugsOf(draw, flakes, `pull ${pulls.length + 1}`)
    const basedOnOthers = draw.is(0.5)
    for (let step = 0; step < height; step += 1) {
      const number = pulls.length + 1
      authors.set(number, author)
      pulls.push({
        number,
        author,
        headRepo: `${author}/engine`,
        headRef: height === 1 ? name : `${name}-${step + 1}`,
        baseRef: step > 0 && basedOnOthers ? `${name}-${step}` : TRUNK,
        opened: opened + step * 5 * MINUTE,
        // A bug of the lowest is in all that build on it.
        bugs,
      })
    }
  }
  return pulls
}

function bugsOf(draw: Draw, flakes: readonly Flake[], id: string): readonly Bug[] {
  const cause: Cause = { kind: 'own', id }
  const bugs: Bug[] = []
  const rate = draw.is(SHARE.unsteadyBug) ? 0.5 : 1
  if (draw.is(SHARE.bug)) {
    const checks = draw.is(SHARE.onePlatform) ? [draw.one(CHECKS)] : CHECKS
    const failed = Array.from({ length: 1 + draw.below(4) }, () => ({ ...ownFailure(draw, flakes), cause }))
    bugs.push({ checks, failed, rate })
  }
  if (draw.is(SHARE.buildBug)) {
    const output = draw.is(0.4)
      ? 'Process completed with exit code 1.'
      : `error: use of undeclared identifier '${draw.word()}'`
    bugs.push({ checks: [BUILD], failed: [{ testName: '', output, cause }], rate: 1 })
  }
  if (draw.is(SHARE.crash)) {
    const testName = `Logical error: '${draw.word()} is not ${draw.word()}' (STID: 1${100 + draw.below(900)}-${hexOf(draw.below(65_536))})`
    bugs.push({ checks: [STRESS], failed: [{ testName, output: '', cause }], rate: 0.7 })
  }
  return bugs
}

/** Tests of what everybody changes are broken far more often than others. */
const CORE_TESTS = 30

/** With its own reason; beneath a heading that other failures have as well; like a flake of this test; without a word. */
function ownFailure(draw: Draw, flakes: readonly Flake[]): Pick<FailedTest, 'testName' | 'output'> {
  const testName = draw.is(0.5) ? TESTS[draw.below(CORE_TESTS)]! : draw.one(TESTS)
  const kind = draw.share()
  if (kind < 0.6) return { testName, output: `E   ValueError: unexpected ${draw.word()} in ${draw.word()}` }
  if (kind < 0.8) {
    const place = `src/${draw.word()}.rs:${1 + draw.below(900)}:9`
    return { testName, output: `thread 'main' panicked at ${place}:\n${draw.word()} overflows ${draw.word()}` }
  }
  if (kind < 0.88) {
    const { testName: flaky, output } = draw.one(flakes.filter(({ checks }) => checks[0] !== STRESS))
    return { testName: flaky, output }
  }
  return { testName, output: '' }
}

function timesOf(draw: Draw, aDay: number): readonly number[] {
  return Array.from({ length: DAYS * aDay }, () => START + draw.below(DAYS * DAY)).toSorted((a, b) => a - b)
}

/** The newest trunk commit at a time; of one before all none. */
function baseAt<T extends { readonly time: number }>(trunk: readonly T[], time: number): T | null {
  return trunk.findLast((commit) => commit.time <= time) ?? null
}

/** Words of letters alone: digits would be left out of a signature. */
function wordOf(n: number): string {
  const syllables = ['ba', 'ke', 'li', 'mo', 'nu', 'pa', 're', 'si', 'to', 'vu', 'wa', 'zi']
  let word = ''
  for (let rest = n + syllables.length ** 2; rest > 0; rest = Math.floor(rest / syllables.length)) {
    word += syllables[rest % syllables.length]!
  }
  return word
}

function hexOf(n: number): string {
  return n.toString(16).padStart(4, '0')
}

interface Draw {
  /** In [0, 1). */
  readonly share: () => number
  readonly is: (share: number) => boolean
  /** A whole number. */
  readonly below: (end: number) => number
  readonly one: <T>(all: readonly T[]) => T
  readonly word: () => string
}

/** mulberry32: the same seed gives the same year. */
function drawn(seed: number): Draw {
  let state = seed >>> 0
  const share = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(share() * end)
  return {
    share,
    below,
    is: (limit) => share() < limit,
    one: (all) => all[below(all.length)]!,
    word: () => wordOf(below(1_000_000)),
  }
}
