/** Every number that a rule of the ledger compares with, each with its reason, what it takes and what it leaves. */
export interface LedgerThresholds {
  /**
   * Days of history that a rule looks at, ending at the failure. Two months are long enough for a test that fails every
   * other week, and short enough that what was repaired last quarter excuses nothing.
   *
   * Counts: a failure 59 days and 23 hours before this one. Does not: one exactly 60 days before it, or a second after it.
   */
  readonly lookbackDays: number

  /**
   * Unrelated pull requests that make a failure chronic. One may be the cause itself, two may be one person's branches
   * that build on each other; three that fail alike by accident of their own are not credible.
   *
   * Chronic: 1 hit in each of 3 pull requests. Not: 40 hits in 2 of them.
   */
  readonly chronicPullRequests: number

  /**
   * Different days (UTC) with a hit on the trunk that make a failure chronic. The pull request is not on the trunk, so one
   * hit is a strong sign, but one bad evening is one accident however often it was tried again.
   *
   * Chronic: a hit on Monday and one on Tuesday. Not: 5 hits on Monday.
   */
  readonly chronicTrunkDays: number

  /**
   * The latest trunk runs of the check that must all have failed for the trunk to be called broken. One may be a flake;
   * of a test that fails in 5% of its runs two in a row are 1 in 400.
   *
   * Broken: the latest two commits tested on the trunk failed. Not: the latest failed, and the one before passed.
   */
  readonly brokenTrunkRuns: number

  /**
   * A test that fails in this share of its executions is chronic before long: with a few runs of the trunk a day it
   * fails on the trunk every week. The rate that "it fails nowhere else" is measured against.
   *
   * Ruled out by 59 executions without a failure (0.95^59 = 4.8%). Not by 58 (5.1%).
   */
  readonly chronicRate: number

  /**
   * The largest chance of having missed such a test at which it counts as failing nowhere else: the usual 5%.
   *
   * Fails nowhere else: 0 failures in 200 executions, a chance of 0.004%. Not known: 0 in 20, a chance of 36%.
   */
  readonly missedChance: number

  /**
   * A mass failure: at least so many tests within an hour, each of which failed in at least `massPullRequestsPerTest` pull
   * requests. A broken commit fails a few tests everywhere or many tests in one pull request; only a machine, a network
   * or an image does both.
   *
   * Is: 300 tests, each in 4 of 20 pull requests. Is not: 9 tests in 20 pull requests, they are chronic or the trunk is
   * broken.
   */
  readonly massTests: number
  /**
   * Pull requests in which a test has to fail: as many as make one failure chronic. Is: each of 10 tests in 3 pull
   * requests. Is not: each of 500 in 2.
   */
  readonly massPullRequestsPerTest: number
  /**
   * Pull requests that all of these tests have together: three at once may share a broken commit of the trunk.
   *
   * Is: 12 tests in 5 pull requests, each test in 3 of them. Is not: 12 tests in the same 4 pull requests.
   */
  readonly massPullRequests: number
  /**
   * Where an hour holds fewer builds of a check, its tests are looked at in the fewest hours that hold so many, of 2, 3,
   * 4, 6, 8, 12 and 24: as many builds as a large project has in an hour. What lasts longer than a day is no event.
   *
   * 20 builds a day: a day. 100 a day: 6 hours, which hold 25 of them. 480 a day and more: an hour.
   */
  readonly massBuilds: number
  /**
   * The factor of a longer window: a test has to fail in it in so many times as many pull requests as in the same time
   * elsewhere since the first known build of the check: in a day chronic failures come together as well, and they stay
   * chronic.
   *
   * Is, in a day of 30: in 16 pull requests that day, and in 2 on the 29 others; a host was broken. Is not: in 3 that
   * day, and in 30 on the others, which is 1 a day.
   */
  readonly massTimesAsOften: number

  /**
   * An entry closes after so many days without a hit. Twice the week that a rare failure takes to come again.
   *
   * Closes: the last hit was 15 days ago. Does not: 13 days ago.
   */
  readonly closeAfterDays: number

  /**
   * An entry expires so many days after it was opened, while it still fails: nobody shall get used to it.
   *
   * Expired: opened on 1 January, failing on 5 April. Not: opened on 1 January, failing on 1 March.
   */
  readonly expireAfterDays: number
}

export const LEDGER_THRESHOLDS: LedgerThresholds = {
  lookbackDays: 60,
  chronicPullRequests: 3,
  chronicTrunkDays: 2,
  brokenTrunkRuns: 2,
  chronicRate: 0.05,
  missedChance: 0.05,
  massTests: 10,
  massPullRequestsPerTest: 3,
  massPullRequests: 5,
  massBuilds: 20,
  massTimesAsOften: 5,
  closeAfterDays: 14,
  expireAfterDays: 90,
}
