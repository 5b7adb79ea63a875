import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { type Head, type Job, REPOSITORY, TRUNK, type World } from './world.ts'

const DATA = new URL('../../test/data/', import.meta.url)
const REPORTS = new URL('ci-kubevirt/robots/test-report/cmd/dequarantine/testdata/', DATA)
const RERUNS = new URL('ci-flakeflagger/test_results.csv.gz', DATA)

/** A rarer failure is not met in a year of this size, and nobody lives with a test that fails more often. */
const RATES = { from: 0.0005, to: 0.2 }

/** The shares of failing runs of flaky tests, of 10,000 reruns each. */
export function recordedRates(): readonly number[] {
  const [header, ...lines] = gunzipSync(readFileSync(RERUNS)).toString().trim().split('\n')
  const columns = header!.trim().split(',')
  const [failing, passing] = ['NumFailingRuns', 'NumPassingRuns'].map((name) => columns.indexOf(name))
  return lines
    .map((line) => line.split(','))
    .map((values) => Number(values[failing!]) / (Number(values[failing!]) + Number(values[passing!])))
    .filter((rate) => rate >= RATES.from && rate <= RATES.to)
}

const results = z.object({ buildNo: z.number(), dateTime: z.string(), result: z.string() })
const entries = z.array(
  z.object({ tests: z.array(z.object({ testName: z.string(), testResults: z.array(results) })).nullable() }),
)

const CHECK = 'periodic'
const FAILED = new Set(['FAILED', 'REGRESSION'])
const PASSED = new Set(['PASSED', 'FIXED'])

/**
 * KubeVirt's periodic builds of tests in quarantine, as runs of the trunk. Each build in which one failed is judged as a pull
 * request of somebody else would be; nobody knows why they failed.
 */
export function recordedBuilds(): World {
  const tests = new Map<string, Map<number, z.infer<typeof results>>>()
  for (const file of readdirSync(REPORTS).toSorted()) {
    const found = entries.safeParse(JSON.parse(readFileSync(new URL(file, REPORTS), 'utf8')))
    for (const { testName, testResults } of (found.data ?? []).flatMap((entry) => entry.tests ?? [])) {
      const known = tests.get(testName) ?? new Map<number, z.infer<typeof results>>()
      tests.set(testName, known)
      for (const result of testResults) known.set(result.buildNo, result)
    }
  }
  const builds = new Set([...tests.values()].flatMap((known) => [...known.keys()]))
  const jobs = [...builds].map((build): Job => {
    const ran = [...tests].flatMap(([testName, known]) => {
      const result = known.get(build)
      return result === undefined ? [] : [{ testName, ...result }]
    })
    return {
      ...{ pullRequestNumber: 0, commitSha: `build-${build}`, checkName: CHECK },
      ...{ headRepo: REPOSITORY, headRef: TRUNK, baseRef: TRUNK },
      time: Math.min(...ran.map(({ dateTime }) => Date.parse(dateTime))),
      failed: ran
        .filter(({ result }) => FAILED.has(result))
        .map(({ testName }) => ({ testName, output: '', cause: { kind: 'unknown', id: testName } })),
      passed: new Set(ran.filter(({ result }) => PASSED.has(result)).map(({ testName }) => testName)),
    }
  })
  const inOrder = jobs.toSorted((a, b) => a.time - b.time)
  const heads = inOrder
    .filter(({ failed }) => failed.length > 0)
    .map((job): Head => ({ jobs: [job], mergeBase: null, time: job.time }))
  const judged = { from: inOrder[0]!.time, to: inOrder.at(-1)!.time }
  return { jobs: inOrder, heads, authors: new Map(), trustedFrom: new Map(), judged }
}
