import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { DATA, readFileRows, statusCounts } from './read-rows.ts'

/** Reports of many tools, each compared with the counts that its source states beside it. */

function filesIn(folder: string, ending: RegExp): readonly string[] {
  return readdirSync(join(DATA, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(DATA, folder, name))
    .sort()
}

describe('publish-unit-test-result-action: the counts of .results.json', () => {
  const results = filesIn('junit-enricomi', /\.results\.json$/)
  test('there are twelve', () => expect(results.length).toBe(12))
  test.each(results.map((path) => [relative(DATA, path), path]))('%s', async (_name, path) => {
    const { stats } = JSON.parse(readFileSync(path, 'utf8')) as { stats: Record<string, number> }
    const { rows, warnings, stopped } = await readFileRows(path.replace(/\.results\.json$/, '.xml'))
    expect({ warnings, stopped }).toEqual({ warnings: [], stopped: false })
    expect(rows.length).toBe(stats['runs'])
    expect(new Set(rows.map(({ testName }) => testName)).size).toBe(stats['tests'])
    expect(statusCounts(rows)).toEqual({
      OK: stats['runs_succ'],
      FAIL: stats['runs_fail'],
      ERROR: stats['runs_error'],
      SKIPPED: stats['runs_skip'],
    })
  })

  test('corrupt-xml.xml, which its own reader refuses, gives what stands before the damage', async () => {
    const { rows, warnings, stopped } = await readFileRows(join(DATA, 'junit-enricomi/pytest/corrupt-xml.xml'))
    expect(stopped).toBe(true)
    expect(rows.map(({ testName }) => testName)).toEqual([
      'test/test_spark.py::SparkTests::test_check_shape_compatibility',
    ])
    expect(warnings).toEqual(['corrupt-xml.xml:11: column 21: unclosed tag: skipped; the rest is skipped'])
  })
})

describe('test-reporter: the counts of its reports', () => {
  const reports = filesIn('junit-dorny', /\.md$/)
  test('there are thirteen', () => expect(reports.length).toBe(13))
  test.each(reports.map((path) => [relative(DATA, path), path]))('%s', async (_name, path) => {
    const report = readFileSync(path, 'utf8')
    const fixture = /(fixtures\/[^\]]+\.xml)/.exec(report)![1]!
    const [, all, passed, failed, skipped] =
      /\*\*(\d+)\*\* tests were completed in .* with \*\*(\d+)\*\* passed, \*\*(\d+)\*\* failed and \*\*(\d+)\*\* skipped/.exec(
        report,
      )!
    const { rows, warnings } = await readFileRows(join(DATA, 'junit-dorny', fixture))
    expect(warnings).toEqual([])
    const { OK, FAIL = 0, ERROR = 0, SKIPPED } = statusCounts(rows)
    expect([rows.length, OK, FAIL + ERROR, SKIPPED]).toEqual([all, passed, failed, skipped].map(Number))
  })

  test.each([
    ['empty/java-junit.xml', 0, 0],
    ['empty/jest-junit-empty-testsuite.xml', 0, 0],
    ['empty/jest-junit.xml', 0, 0],
    ['empty/phpunit-empty.xml', 0, 0],
    ['external/java/empty_failures.xml', 3, 1],
    ['external/phpunit/phpcheckstyle-phpunit.xml', 30, 2],
    ['phpunit/phpunit.xml', 12, 2],
    ['phpunit/phpunit-paths.xml', 6, 6],
    ['test-errors/jest/jest-test-results.xml', 2, 2],
  ])('%s, of which it has no report: as its own attributes say', async (name, all, failed) => {
    const { rows, warnings } = await readFileRows(join(DATA, 'junit-dorny/fixtures', name))
    expect(warnings).toEqual([])
    const { FAIL = 0, ERROR = 0 } = statusCounts(rows)
    expect([rows.length, FAIL + ERROR]).toEqual([all, failed])
  })

  test.each(['dotnet-nunit.xml', 'external/nunit-sample.xml'])('%s is no JUnit and is refused', async (name) => {
    await expect(readFileRows(join(DATA, 'junit-dorny/fixtures', name))).rejects.toThrow(
      /the root element is <test-run>, but JUnit XML has <testsuites> or <testsuite>$/,
    )
  })
})

describe('flakybot: the failures of its snapshots', () => {
  const fixtures = 'junit-flakybot/test/fixtures/testdata'
  const snapshot = readFileSync(join(DATA, 'junit-flakybot/__snapshots__/flakybot.test.js'), 'utf8')
  const titles = [...snapshot.matchAll(/"title": "[^"]*?: (.+) failed",$/gm)].map(([, test]) => test!)

  test.each([
    ['go_skip.xml', 3, [], 2],
    ['go_failure_group.xml', 7, ['TestQueries'], 0],
    ['java_one_error.xml', 1, ['testQuickstart'], 0],
    ['java_one_failed.xml', 2, ['detectSafeSearchGcsTest'], 0],
    ['java_one_passed.xml', 1, [], 0],
    ['many_failed_same_pkg.xml', 5, ['TestBucketLock', 'TestUniformBucketLevelAccess'], 0],
    ['node_group.xml', 64, ['should delete and then insert rows in the example tables'], 0],
    ['node_group_pass.xml', 1, [], 0],
    ['node_one_failed.xml', 2, ['should delete and then insert rows in the example tables'], 0],
    ['one_failed.xml', 4, ['TestSample'], 0],
    ['passed.xml', 2, [], 0],
    ['python_one_error.xml', 1, ['test_end_to_end'], 0],
    ['python_one_failed.xml', 1, ['test_index'], 0],
    ['python_one_passed.xml', 1, [], 0],
    ['ruby_one_failed.xml', 10, ['test_0001_lists entries of a log'], 0],
    ['no_tests.xml', 0, [], 0],
    ['empty_results.xml', 0, [], 0],
  ])('%s', async (name, all, failing, skipped) => {
    const { rows, warnings } = await readFileRows(join(DATA, fixtures, name))
    expect(warnings).toEqual([])
    const { OK, SKIPPED } = statusCounts(rows)
    expect([rows.length, SKIPPED]).toEqual([all, skipped])
    const failed = rows.filter(({ testStatus }) => testStatus === 'FAIL' || testStatus === 'ERROR')
    expect(failed.length).toBe(all - OK! - skipped)
    if (failing.length === 0) expect(failed).toEqual([])
    for (const test of failing) {
      expect(titles).toContain(test)
      expect(failed.some(({ testName }) => testName.endsWith(test))).toBe(true)
    }
  })

  test('its list of the tests that failed together is the list of the failing rows', async () => {
    const list = /Here are the tests that failed:((?:\\n\* [^\\]+)+)/.exec(snapshot)![1]!
    const stated = list
      .split('\\n* ')
      .slice(1)
      .map((name) => name.replace(/ \(#\d+\)$/, ''))
    const { rows } = await readFileRows(join(DATA, fixtures, 'node_group.xml'))
    const failed = rows.filter(({ testStatus }) => testStatus === 'FAIL')
    expect(failed.map(({ testName }) => testName.replace(/^Spanner /, ''))).toEqual(stated)
    expect(stated.length).toBe(24)
  })
})

describe('KubeVirt', () => {
  const network = 'ci-kubevirt/pkg/flakefinder/junit-merge/testdata/network'
  test.each([
    ['partial.junit.functest.1.xml.gz', 273],
    ['partial.junit.functest.2.xml.gz', 745],
    ['partial.junit.functest.3.xml.gz', 47],
    ['junit.functest.xml.gz', 1065],
  ])('%s: its own attributes count what was executed', async (name, all) => {
    const path = join(DATA, network, name)
    const { rows, warnings } = await readFileRows(path)
    expect(warnings).toEqual([])
    expect(rows.length).toBe(all)
    const head = gunzipSync(readFileSync(path)).toString('utf8')
    const [, tests, failures] = /<testsuite [^>]*tests="(\d+)" failures="(\d+)"/.exec(head)!
    const { OK, FAIL } = statusCounts(rows)
    expect([OK! + FAIL!, FAIL]).toEqual([Number(tests), Number(failures)])
  })

  const reports = filesIn('ci-kubevirt/robots', /\.json$/)
  test.each(reports.map((path) => [relative(DATA, path), path]))('%s: every result is a row', async (_name, path) => {
    const text = readFileSync(path, 'utf8')
    const { format, rows, warnings } = await readFileRows(path)
    expect({ format, warnings }).toEqual({ format: 'dequarantine', warnings: [] })
    const stated = (pattern: RegExp) => text.match(pattern)?.length ?? 0
    expect(statusCounts(rows)).toEqual({
      OK: stated(/"result": "(?:PASSED|FIXED)"/g),
      FAIL: stated(/"result": "FAILED"/g),
      ERROR: 0,
      SKIPPED: stated(/"result": "SKIPPED"/g),
    })
  })

  test('198 results in all; a build is a job of its own', async () => {
    let all = 0
    for (const path of reports) all += (await readFileRows(path)).rows.length
    expect(all).toBe(198)
    const [row] = (
      await readFileRows(join(DATA, 'ci-kubevirt/robots/test-report/cmd/dequarantine/testdata/one-test-passing.json'), {
        given: { commitSha: null },
      })
    ).rows
    expect(row).toMatchObject({
      commitSha: 'build-40',
      testName: '[sig-storage] Storage Starting a VirtualMachineInstance with lun disk should run the VMI',
      testStatus: 'OK',
      checkStartTime: Date.parse('2023-01-18T12:48:39.684+01:00'),
    })
  })
})

test('FlakeFlagger: at most two known executions of each test, and each of 811 flaky ones has both', async () => {
  const path = join(DATA, 'ci-flakeflagger/test_results.csv.gz')
  const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n').slice(1)
  const { format, rows, warnings } = await readFileRows(path, { given: { checkName: null } })
  expect({ format, warnings }).toEqual({ format: 'flakeflagger', warnings: [] })
  expect(new Set(rows.map(({ testName }) => testName)).size).toBe(lines.length)
  const ran = (column: number) => lines.filter((line) => Number(line.split(',')[column]) > 0).length
  expect(statusCounts(rows)).toEqual({ OK: ran(4), FAIL: ran(3), ERROR: 0, SKIPPED: 0 })
  const tests = Map.groupBy(rows, ({ testName }) => testName)
  const flaky = lines.filter((line) => line.split(',')[2] === '1').map((line) => line.split(',')[1]!)
  expect(flaky.length).toBe(811)
  for (const name of flaky) {
    const [first, second, ...more] = tests.get(name)!
    expect([first!.testStatus, second!.testStatus, more.length]).toEqual(['FAIL', 'OK', 0])
    // two runs are two jobs, or one would be a retry of the other
    expect(first!.checkStartTime).not.toBe(second!.checkStartTime)
  }
})
