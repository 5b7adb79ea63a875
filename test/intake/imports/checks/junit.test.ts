import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JobTime } from '../../../../src/intake/imports/checks/job-time.ts'
import { xmlRoot } from '../../../../src/intake/imports/checks/junit.ts'
import { computed } from '../../../computing-time.ts'
import { readRows, SHA } from './read-rows.ts'

const suite = (body: string, attributes = '') =>
  `<testsuites><testsuite name="s" ${attributes}>${body}</testsuite></testsuites>`
const testCase = (body: string, attributes = 'name="t" classname="c"') => `<testcase ${attributes}>${body}</testcase>`

async function statuses(xml: string) {
  const { rows } = await readRows(xml)
  return rows.map(({ testName, testStatus, testContextRaw }) => [testName, testStatus, testContextRaw])
}

describe('test cases', () => {
  test('a row has what the caller said, and the test its own', async () => {
    const xml = suite(
      testCase('<failure message="no">why</failure>', 'name="t" classname="c" file="a.x" time="1,002.5"'),
    )
    const { rows } = await readRows(xml, {
      given: { pullRequestNumber: 7, headRef: 'fix', baseRef: 'main', repository: 'o/r' },
      time: Date.UTC(2026, 9, 20, 8),
    })
    expect(rows).toEqual([
      {
        pullRequestNumber: 7,
        commitSha: SHA,
        checkName: 'unit',
        checkStatus: '',
        checkDurationMs: 0,
        checkStartTime: Date.UTC(2026, 9, 20, 8),
        testName: 'c.t',
        testStatus: 'FAIL',
        testDurationMs: 1_002_500,
        reportUrl: '',
        pullRequestUrl: '',
        commitUrl: '',
        taskUrl: '',
        baseRef: 'main',
        baseRepo: 'o/r',
        headRef: 'fix',
        headRepo: '',
        testContextRaw: 'no\nwhy',
        instanceType: '',
        instanceId: '',
        workflowName: '',
        attributes: '{"file":"a.x"}',
      },
    ])
  })

  test.each([
    ['', 'OK', ''],
    ['<system-out>noise</system-out>', 'OK', ''],
    ['<failure/>', 'FAIL', ''],
    ['<failure type="java.lang.AssertionError"/>', 'FAIL', 'java.lang.AssertionError'],
    ['<failure message="a"/>', 'FAIL', 'a'],
    ['<failure message="a">a b</failure>', 'FAIL', 'a b'],
    ['<failure type="T"><![CDATA[x < y]]></failure>', 'FAIL', 'x < y'],
    ['<error message="e"/>', 'ERROR', 'e'],
    ['<failure message="f"/><error message="e"/>', 'FAIL', 'f\ne'],
    ['<failure>1</failure><failure>2</failure>', 'FAIL', '1\n2'],
    ['<skipped message="later"/>', 'SKIPPED', 'later'],
    ['<x:failure xmlns:x="y" message="m"/>', 'FAIL', 'm'],
    ['<failure>a<system-out>noise</system-out>b</failure><system-err>noise</system-err>', 'FAIL', 'ab'],
    ['<properties><property name="p"><failure/></property></properties>', 'OK', ''],
  ])('%s', async (body, status, output) => {
    expect(await statuses(suite(testCase(body)))).toEqual([['c.t', status, output]])
  })

  test('a retry is an execution of its own, before the one that counts', async () => {
    const flaky = '<flakyFailure message="f1"><stackTrace>at x</stackTrace><system-out>n</system-out></flakyFailure>'
    const again = '<failure message="f"/><rerunFailure message="r1"/><rerunError type="E"/>'
    expect(await statuses(suite(testCase(flaky) + testCase(again, 'name="u" classname="c"')))).toEqual([
      ['c.t', 'FAIL', 'f1\nat x'],
      ['c.t', 'OK', ''],
      ['c.u', 'FAIL', 'r1'],
      ['c.u', 'ERROR', 'E'],
      ['c.u', 'FAIL', 'f'],
    ])
  })

  test('a retry says whether its test passed in the end', async () => {
    const cases = ['<flakyError/>', '<failure/><rerunFailure/>', '<flakyFailure/><skipped/>', '']
    const { rows } = await readRows(
      suite(cases.map((body, index) => testCase(body, `name="t${index}" classname="c" file="a"`)).join('')),
    )
    expect(rows.map(({ testName, testStatus, attributes }) => [testName, testStatus, attributes])).toEqual([
      ['c.t0', 'ERROR', '{"file":"a","passedOnRetry":true}'],
      ['c.t0', 'OK', '{"file":"a"}'],
      ['c.t1', 'FAIL', '{"file":"a"}'],
      ['c.t1', 'FAIL', '{"file":"a"}'],
      ['c.t2', 'FAIL', '{"file":"a"}'],
      ['c.t2', 'SKIPPED', '{"file":"a"}'],
      ['c.t3', 'OK', '{"file":"a"}'],
    ])
  })

  test('suites in suites; what breaks a whole suite is a failure under its name', async () => {
    const inner = `<testsuite name="inner"><error message="no set-up"/>${testCase('')}</testsuite>`
    expect(await statuses(suite(inner + testCase('', 'name="alone"')))).toEqual([
      ['inner', 'ERROR', 'no set-up'],
      ['c.t', 'OK', ''],
      ['s alone', 'OK', ''],
    ])
  })

  test('GoogleTest’s disabled tests did not run', async () => {
    expect(await statuses(suite(testCase('', 'name="t" classname="c" status="notrun"')))).toEqual([
      ['c.t', 'SKIPPED', ''],
    ])
  })

  test('a test case without a name is a warning', async () => {
    const { rows, warnings } = await readRows(suite('<testcase/>' + testCase('')))
    expect(rows.length).toBe(1)
    expect(warnings).toEqual(['in: a testcase without a name: skipped'])
  })
})

describe('tests that only their suite tells apart', () => {
  const names = async (suites: string, root = '') => {
    const { rows } = await readRows(`<testsuites ${root}>${suites}</testsuites>`)
    return rows.map(({ testName }) => testName)
  }
  const of = (attributes: string, body = '', className = 'c') =>
    `<testsuite ${attributes}>${body}<testcase name="t" classname="${className}"/></testsuite>`
  const playwright = (project: string, name = 'login › remembers') =>
    `<testsuite name="login.spec.ts" hostname="${project}"><testcase name="${name}" classname="login.spec.ts"/></testsuite>`

  test('Playwright’s projects stand before the name, whichever are there', async () => {
    const chromium = '[chromium] login.spec.ts login › remembers'
    const root = 'id="" name="" tests="2"'
    expect(await names(playwright('chromium') + playwright('Mobile Safari'), root)).toEqual([
      chromium,
      '[Mobile Safari] login.spec.ts login › remembers',
    ])
    expect(await names(playwright('chromium'), root)).toEqual([chromium])
    // With `includeProjectInTestName`, and without projects.
    expect(await names(playwright('chromium', '[chromium] login › remembers'), root)).toEqual([chromium])
    expect(await names(playwright(''), root)).toEqual(['login.spec.ts login › remembers'])
  })

  test('vitest names a machine there, which says nothing', async () => {
    const suite_ =
      '<testsuite name="a/b.test.ts" hostname="runner-x7k2"><testcase name="t" classname="a/b.test.ts"/></testsuite>'
    expect(await names(suite_, 'name="vitest tests"')).toEqual(['a/b.test.ts > t'])
  })

  const property = (name: string, value: string) =>
    `<properties><property name="${name}" value="${value}"/></properties>`

  test.each([
    ['hosts', of('name="s" hostname="fv-az200-2"'), of('name="s" hostname="fv-az17-1"'), 'c.t', 'c.t'],
    ['packages', of('name="s" package="core"'), of('name="s" package="web"'), 'c.t [core]', 'c.t [web]'],
    [
      'properties, which come first',
      of('name="s" package="a"', property('browser', 'chrome')),
      of('name="s" package="b"', property('browser', 'firefox')),
      'c.t [chrome]',
      'c.t [firefox]',
    ],
    [
      'two properties',
      of('name="s"', property('os', 'linux') + property('browser', 'chrome')),
      of('name="s"', property('os', 'windows') + property('browser', 'firefox')),
      'c.t [chrome, linux]',
      'c.t [firefox, windows]',
    ],
    ['a property of one', of('name="s"', property('browser', 'chrome')), of('name="s"'), 'c.t [chrome]', 'c.t'],
    [
      'the suite around both',
      `<testsuite name="all">${property('browser', 'chrome')}${of('name="s"')}</testsuite>`,
      `<testsuite name="all">${property('browser', 'firefox')}${of('name="s"')}</testsuite>`,
      'c.t [chrome]',
      'c.t [firefox]',
    ],
    ['the same again', of('name="s"', property('os', 'linux')), of('name="s"', property('os', 'linux')), 'c.t', 'c.t'],
    [
      'when and by whom it ran',
      of('name="s"', property('started', '1')),
      of('name="s"', property('started', '2')),
      'c.t',
      'c.t',
    ],
    [
      'another class',
      of('name="s"', property('os', 'linux')),
      of('name="s"', property('os', 'mac'), 'd'),
      'c.t',
      'd.t',
    ],
  ])('%s, in either order', async (_, first, second, one, other) => {
    expect(await names(first + second)).toEqual([one, other])
    expect(await names(second + first)).toEqual([other, one])
    expect(await names(first + second + first)).toEqual([one, other, one])
  })

  test('what came before the end of a damaged file is told apart as well', async () => {
    const [chrome, firefox] = ['chrome', 'firefox'].map((name) => of('name="s"', property('browser', name)))
    expect(await names(`${chrome}${firefox}<`)).toEqual(['c.t [chrome]', 'c.t [firefox]'])
  })

  test('of a file with more tests than are compared all have their plain names', async () => {
    const many = '<testcase name="t" classname="c"/>'.repeat(100_000)
    const [chrome, firefox] = ['chrome', 'firefox'].map((name) => of('name="s"', property('browser', name) + many))
    expect(new Set(await names(`${chrome}${firefox}`))).toEqual(new Set(['c.t']))
    const failed = `<testcase name="t" classname="c"><failure>${'x'.repeat(60_000)}</failure></testcase>`.repeat(600)
    const long = [property('browser', 'chrome') + failed, property('browser', 'firefox')].map((body) =>
      of('name="s"', body),
    )
    expect(new Set(await names(long.join('')))).toEqual(new Set(['c.t']))
  })

  test('gotestsum’s TestMain is of its package, however it writes its classes', async () => {
    const pkg = (className: string) =>
      `<testsuite name="example.com/shop/cart"><testcase name="TestMain" classname="${className}"><failure message="Failed"/></testcase></testsuite>`
    expect(await names(pkg('example.com/shop/cart') + pkg('cart'))).toEqual([
      'example.com/shop/cart.TestMain',
      'example.com/shop/cart.TestMain',
    ])
    expect(await names(pkg(''))).toEqual(['example.com/shop/cart TestMain'])
  })
})

describe('the time of the job', () => {
  const none = { time: null, modified: Date.UTC(2026, 0, 2, 3, 4, 5, 678) }
  const timeOf = async (xml: string, settings: Parameters<typeof readRows>[1]) => {
    const { rows, warnings } = await readRows(xml, settings)
    return [rows.map(({ checkStartTime }) => new Date(checkStartTime).toISOString()), warnings]
  }

  test('is what was given, else what the file states first, else that of the file, with a warning', async () => {
    const xml = suite(testCase(''), 'timestamp="2021-04-02T15:48:23"')
    const later = suite(testCase(''), 'timestamp="2021-04-02T15:48:23"').replace('</testsuites>', '')
    const two = `${later}<testsuite name="z" timestamp="2021-04-02T16:00:00">${testCase('')}</testsuite></testsuites>`
    expect(await timeOf(xml, {})).toEqual([['2026-10-20T00:00:00.000Z'], []])
    expect(await timeOf(xml, none)).toEqual([['2021-04-02T15:48:23.000Z'], []])
    // one job: suites that begin later are in it
    expect(await timeOf(two, none)).toEqual([['2021-04-02T15:48:23.000Z', '2021-04-02T15:48:23.000Z'], []])
    expect(await timeOf(suite(testCase('')), none)).toEqual([
      ['2026-01-02T03:04:05.000Z'],
      ['in: it states no time: taken from the file’s modification time, 2026-01-02T03:04:05Z (--time gives another)'],
    ])
  })

  test('1970 is what a tool writes that knows none', async () => {
    const [times] = await timeOf(suite(testCase(''), 'timestamp="1970-01-01T00:00:00"'), none)
    expect(times).toEqual(['2026-01-02T03:04:05.000Z'])
  })

  test('without any, that of the same job as it is stored stands before that of the file', async () => {
    const time = new JobTime(null)
    time.remember(Date.UTC(2025, 11, 31))
    const told: string[] = []
    expect(time.of({ modified: Date.UTC(2026, 0, 2), where: 'in', warn: (message) => told.push(message) })).toBe(
      Date.UTC(2025, 11, 31),
    )
    expect(told).toEqual([
      'it states no time: taken to be the job of this check and commit that is already stored, 2025-12-31T00:00:00Z (--time gives another)',
    ])
    const stated = new JobTime(null)
    stated.remember(Date.UTC(2025, 11, 31))
    stated.state('2026-01-05T00:00:00')
    expect(stated.of({ modified: null, where: 'in', warn: () => {} })).toBe(Date.UTC(2026, 0, 5))
  })

  test('a pipe without any is refused', async () => {
    await expect(readRows(suite(testCase('')), { time: null })).rejects.toThrow(
      'in: it states no time; give the start of the job with --time',
    )
  })
})

test.each([
  [{ checkName: null }, /does not say which check it belongs to; give --check NAME$/],
  [{ commitSha: null }, /does not say which commit it belongs to; give --sha SHA$/],
  [{ checkName: null, commitSha: null }, /which check and commit it belongs to; give --check NAME and --sha SHA$/],
])('without %j it is refused', async (given, message) => {
  await expect(readRows(suite(testCase('')), { given })).rejects.toThrow(message)
})

describe('encodings', () => {
  const xml = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?>${suite(testCase('', 'name="grün €"'))}`
  test.each([
    ['a byte order mark', Buffer.from(`\ufeff${xml('UTF-8')}`)],
    ['UTF-16LE with a mark', Buffer.from(`\ufeff${xml('UTF-16')}`, 'utf16le')],
    ['UTF-16LE without', Buffer.from(xml('UTF-16'), 'utf16le')],
    ['UTF-16BE', Buffer.from(`\ufeff${xml('UTF-16')}`, 'utf16le').swap16()],
    ['windows-1252', Buffer.from(xml('windows-1252').replace('€', '\x80'), 'latin1')],
    ['UTF-8 that calls itself UTF-16', Buffer.from(xml('UTF-16'))],
  ])('%s', async (_name, bytes) => {
    for (const chunk of [1, 7, 65_536]) {
      const { rows, warnings } = await readRows(bytes, { chunk })
      expect(warnings).toEqual([])
      expect(rows.map(({ testName }) => testName)).toEqual(['s grün €'])
    }
  })

  test('one that nobody knows is read as UTF-8, and said', async () => {
    const { rows, warnings } = await readRows(xml('klingon'))
    expect(rows[0]!.testName).toBe('s grün €')
    expect(warnings).toEqual(['in: unknown encoding "klingon": read as UTF-8'])
  })
})

describe('damage', () => {
  test('what stands before it is kept; line and column are told', async () => {
    const { rows, warnings, stopped } = await readRows(`<testsuites>\n${testCase('')}\n<oops></wrong>${testCase('')}`)
    expect(rows.length).toBe(1)
    expect(stopped).toBe(true)
    expect(warnings).toEqual(['in:3: column 14: unexpected close tag; the rest is skipped'])
  })

  test('an open test case is none: nobody knows whether it failed', async () => {
    const { rows, stopped } = await readRows(`<testsuites>${testCase('')}<testcase name="cut"><fail`)
    expect([rows.length, stopped]).toEqual([1, true])
  })

  test('control characters and references to them are left out of account', async () => {
    const { rows, warnings, stopped } = await readRows(
      suite(testCase('<failure>a\x1b[31mb&#x1b;[0m&#0;</failure>') + testCase('', 'name="u"')),
    )
    expect(stopped).toBe(false)
    expect(rows.map(({ testContextRaw }) => testContextRaw)).toEqual(['a\u{fffd}[31mb&#x1b;[0m&#0;', ''])
    expect(warnings.length).toBe(3)
  })

  test('entities that a document defines are not expanded', async () => {
    const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('')
    const xml = `<!DOCTYPE t [<!ENTITY l0 "lol">${laughs}<!ENTITY f SYSTEM "file:///etc/passwd">]>`
    const { rows } = await readRows(xml + suite(testCase('<failure>&l9;&f;</failure>')))
    expect(rows.map(({ testContextRaw }) => testContextRaw)).toEqual(['&l9;&f;'])
  })

  test('a hundred thousand elements inside each other', async () => {
    const { rows, warnings, stopped } = await readRows(
      `<testsuites>${testCase('')}${'<testsuite name="d">'.repeat(100_000)}`,
    )
    expect([rows.length, stopped]).toEqual([1, true])
    expect(warnings[0]).toContain('more than 200 nested elements')
  })

  test('names and outputs of a megabyte are cut', async () => {
    const long = 'x'.repeat(1_000_000)
    const { rows } = await readRows(
      suite(testCase(`<failure message="${long}">${long}</failure>`, `name="${long}" classname="${long}"`)),
    )
    expect(rows[0]!.testName.length).toBe(4000)
    expect(rows[0]!.testContextRaw.length).toBe(64 * 1024)
  })

  test('a suite whose name is long costs its tests nothing', async () => {
    const long = 'x'.repeat(3_000_000)
    const { readFrom } = await import('./read-rows.ts')
    const many = async function* () {
      yield Buffer.from(`<testsuites><testsuite name="${long}">`)
      for (let i = 0; i < 200; i += 1) yield Buffer.from('<testcase name="t"/>'.repeat(10))
      yield Buffer.from('</testsuite></testsuites>')
    }
    const before = process.memoryUsage().heapUsed
    const { rows, warnings } = await readFrom('in', many(), {})
    expect([rows.length, warnings]).toEqual([2000, []])
    expect(new Set(rows.map(({ testName }) => testName.length))).toEqual(new Set([4000]))
    // 2,000 names of 3 MB would be 6 GB
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000)
  })

  test('a tag without an end is not held for ever', async () => {
    const { readFrom } = await import('./read-rows.ts')
    const endless = async function* () {
      yield Buffer.from(`<testsuites>${testCase('')}<testsuite name="`)
      for (;;) yield Buffer.alloc(1024 * 1024, 'y')
    }
    const { rows, warnings } = await readFrom('in', endless(), {})
    expect(rows.length).toBe(1)
    expect(warnings[0]).toContain('a tag is longer than 4,194,304 characters')
  })

  test('a comment without an end is not held for ever', async () => {
    const chunk = Buffer.alloc(1024 * 1024, '-')
    const { readFrom } = await import('./read-rows.ts')
    const endless = async function* () {
      yield Buffer.from(`<testsuites>${testCase('')}<!-- `)
      for (;;) yield chunk.fill('y')
    }
    const started = computed()
    const { rows, warnings } = await readFrom('in', endless(), {})
    expect(rows.length).toBe(1)
    expect(warnings[0]).toContain('longer than 67,108,864 characters')
    // A third of a second on an idle machine; with a listener more, 2.2.
    expect(computed() - started).toBeLessThan(1500)
  })

  test('output that is not wanted may be of any size', async () => {
    const { readFrom } = await import('./read-rows.ts')
    const large = async function* () {
      yield Buffer.from('<testsuites><testcase name="t"><system-out>')
      for (let i = 0; i < 20; i += 1) yield Buffer.alloc(1024 * 1024, `${'y'.repeat(79)}\n`)
      yield Buffer.from('</system-out></testcase></testsuites>')
    }
    const { rows, warnings } = await readFrom('in', large(), {})
    expect([rows.length, warnings]).toEqual([1, []])
  })

  test('any bytes, cut anywhere: rows and warnings, never another error', async () => {
    const xml = Buffer.from(suite(testCase('<failure message="m">b</failure>') + testCase('<skipped/>')))
    const damaged = fc.tuple(
      fc.nat(xml.length),
      fc.uint8Array({ maxLength: 6 }),
      fc.nat(xml.length),
      fc.integer({ min: 1, max: 50 }),
    )
    await fc.assert(
      fc.asyncProperty(damaged, async ([at, inserted, end, chunk]) => {
        const bytes = Buffer.concat([
          Buffer.from('<testsuites>'),
          xml.subarray(12, at),
          inserted,
          xml.subarray(at, end),
        ])
        const { rows, stopped, warnings } = await readRows(bytes, { chunk })
        expect(rows.length).toBeLessThanOrEqual(3)
        if (stopped) expect(warnings.length).toBeGreaterThan(0)
      }),
    )
  })
})

describe('xml root', () => {
  test.each([
    ['<testsuites>', 'testsuites'],
    ['<?xml version="1.0"?>\n<!-- <no> --><?pi <no>?><testsuite name="a">', 'testsuite'],
    ['<!DOCTYPE testsuite><testsuite/>', 'testsuite'],
    ['<!DOCTYPE t [ <!ENTITY a "<b>"> ]> <x:testsuite/>', 'x:testsuite'],
    ['<!-- a comment that goes on', null],
    ['<!DOCTYPE t [ <!ENTITY', null],
    ['no xml', null],
    ['< >', null],
    ['', null],
  ])('%j', (head, root) => {
    expect(xmlRoot(head)).toBe(root)
  })

  test('beginnings that never end cost no more than their length', () => {
    const start = computed()
    for (const piece of ['<!--', '<!', '<?', '<!DOCTYPE [', '<!-->']) xmlRoot(piece.repeat(65_536 / piece.length))
    expect(computed() - start).toBeLessThan(200)
  })
})
