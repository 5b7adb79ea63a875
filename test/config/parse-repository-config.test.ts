import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ConfigProblem,
  modeAsWritten,
  parseKeptConfig,
  parseRepositoryConfig,
} from '../../src/config/parse-repository-config.ts'
import { DEFAULT_CONFIG, ledgerThresholds, testEntries, thresholdSettings } from '../../src/config/repository-config.ts'
import { unmeasured } from '../../src/intake/measurement/run.ts'
import { matchName } from '../../src/text/name-pattern.ts'
import { fillTemplate } from '../../src/text/url-template.ts'
import { anyCodePoint } from '../any-code-point.ts'
import { computed } from '../computing-time.ts'

const MEASUREMENT = unmeasured(
  { test: 'a', queryIndex: null, queryName: null },
  { metric: 'value', architecture: null, problems: [] },
)

function problemsOf(yaml: string): readonly ConfigProblem[] {
  const parsed = parseRepositoryConfig(yaml)
  expect(parsed.config === null).toBe(parsed.problems.length > 0)
  return parsed.problems
}

describe('a file that is right', () => {
  test.each(['', '# nothing but a comment\n', '{}\n'])('%j is the default configuration', (yaml) => {
    expect(parseRepositoryConfig(yaml)).toEqual({ config: DEFAULT_CONFIG, problems: [] })
  })

  test('the rest of a section keeps its defaults', () => {
    const { config } = parseRepositoryConfig('thresholds:\n  changed: 0.03\nlabels:\n  enabled: false\n')
    expect(config?.thresholds).toEqual({ changed: 0.03, unstable: null, learnedCap: 0.5 })
    expect(config?.labels).toEqual({
      enabled: false,
      accepted: 'perf: accepted',
      ignore: 'perf: ignore',
      rerun: 'perf: rerun',
      slower: 'perf: slower',
      faster: 'perf: faster',
    })
  })

  test('directions are of metrics, units and benchmarks; more is better before less', () => {
    const { config } = parseRepositoryConfig('better:\n  higher: [score, points, track_*]\n  lower: ["*"]\n')
    const { betterOf } = thresholdSettings(config!, testEntries(config!, 0))
    const of = (metric: string, unit: string | null, queryName: string | null) =>
      betterOf!({ ...MEASUREMENT, metric, unit, queryName })
    expect([of('score', null, 'a'), of('value', 'points', 'a'), of('value', null, 'track_hits')]).toEqual(
      Array(3).fill('higher'),
    )
    expect([of('scores', null, null), of('time', 's', 'a')]).toEqual(['lower', 'lower'])
    expect(thresholdSettings(DEFAULT_CONFIG, testEntries(DEFAULT_CONFIG, 0)).betterOf).toBe(null)
  })

  test('CI results and measurements each have a lookback', () => {
    const lookbacks = (yaml: string) => {
      const config = parseRepositoryConfig(yaml).config!
      return [config.lookbackDays, ledgerThresholds(config).lookbackDays]
    }
    expect(lookbacks('')).toEqual([30, 60])
    expect(lookbacks('lookbackDays: 90\n')).toEqual([90, 60])
    expect(lookbacks('ledger:\n  lookbackDays: 14\n')).toEqual([30, 14])
  })

  test('single tests have a threshold, or are ignored up to a day', () => {
    const { config } = parseRepositoryConfig(
      'tests:\n  - test: "sum_*"\n    query: 0\n    threshold: 0.25\n  - test: io\n    query: "SELECT *"\n    ignore: new disks\n    until: 2028-02-29\n',
    )
    expect(config?.tests).toEqual([
      { kind: 'threshold', test: 'sum_*', query: 0, threshold: 0.25 },
      { kind: 'ignore', test: 'io', query: 'SELECT *', reason: 'new disks', until: '2028-02-29' },
    ])
  })

  test('results are artifacts or addresses', () => {
    const { config } = parseRepositoryConfig(
      'results:\n  - artifact: "perf-*"\n    path: "**/*-raw.tsv"\n    format: clickhouse-raw\n  - url: "https://example.org/{sha}.tar.zst"\n',
    )
    expect(config?.results).toEqual([
      { kind: 'artifact', artifact: 'perf-*', path: '**/*-raw.tsv', format: 'clickhouse-raw' },
      { kind: 'url', url: 'https://example.org/{sha}.tar.zst', path: null, format: 'auto' },
    ])
  })
})

test('names of workflows, paths that measure and sizes of up to +500% are taken as they are', () => {
  const { config, problems } = parseRepositoryConfig(
    'workflows: [CI, perf.yml]\nmeasuredBy: [ci/**, bench.sh, .ci/run, ..a/b]\ntests: [{ test: sum, accepted: 5, until: 2027-03-01 }]\n',
  )
  expect(problems).toEqual([])
  expect(config).toMatchObject({ measuredBy: ['ci/**', 'bench.sh', '.ci/run', '..a/b'] })
})

describe('the default results', () => {
  const placed = (name: string) => {
    for (const source of DEFAULT_CONFIG.results) {
      const parts = source.kind === 'artifact' ? matchName(source.artifact, name) : null
      if (parts !== null) return parts
    }
    return null
  }

  test.each([
    ['performance-amd-3-of-12', { architecture: 'amd', shard: '3', shards: '12' }],
    ['performance-x86-64-3-of-12', { architecture: 'x86-64', shard: '3', shards: '12' }],
    ['performance-3-of-12', { shard: '3', shards: '12' }],
    ['performance-arm', { architecture: 'arm' }],
    ['performance-results', { architecture: 'results' }],
    ['coverage', null],
  ])('%s', (name, parts) => {
    expect(placed(name)).toEqual(parts)
  })
})

describe('a file that is wrong', () => {
  test.each<[string, string, Partial<ConfigProblem>]>([
    ['a percentage as a number', 'thresholds:\n  changed: 5\n', { line: 2, column: 12, path: 'thresholds.changed' }],
    ['an unknown key, at the key', 'lookback-days: 3\n', { line: 1, column: 1, path: 'lookback-days' }],
    ['an unknown key deeper', 'metric: x\nledger:\n  rollup: []\n', { line: 3, column: 3, path: 'ledger.rollup' }],
    ['an entry of a list', 'checks:\n  - ok\n  - "{a"\n', { line: 3, column: 5, path: 'checks[1]' }],
    ['a missing key, at its entry', 'links:\n  - title: a\n', { line: 2, column: 5, path: 'links[0].url' }],
    ['an empty value, at its key', 'mode: shadow\nmetric:\n', { line: 2, column: 1, path: 'metric' }],
    ['a gate without checks', 'metric: a\nmode: gating\n', { line: 2, column: 7, path: 'mode' }],
    ['a wrong choice', 'mode: gate\n', { line: 1, column: 7, path: 'mode' }],
    ['two labels that are one', 'labels: { slower: perf, faster: Perf }\n', { line: 1, column: 1, path: 'labels' }],
    ['no file but a list', '- a\n', { line: 1, column: 1, path: '' }],
    ['broken syntax', 'metric: a\nchecks: [\n', { path: '', line: 3 }],
    ['a key twice', 'metric: a\nmetric: b\n', { path: '', line: 2, column: 1 }],
    ['two documents', '---\nmetric: a\n---\nmetric: b\n', { path: '', line: 3 }],
    ['a tag', 'metric: !!js/function "x"\n', { path: '', line: 1, column: 9 }],
  ])('%s', (_what, yaml, expected) => {
    const problems = problemsOf(yaml)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject(expected)
  })

  test.each([
    ['thresholds:\n  changed: 5\n', 'for 5% write 0.05'],
    ['thresholds:\n  unstable: "7.5%"\n', 'for 7.5% write 0.075'],
    ['thresholds:\n  changed: 1000\n', 'from 0 to less than 1.'],
    ['lookback-days: 3\n', 'Did you mean "lookbackDays"?'],
    ['treshold: {}\n', 'Did you mean "thresholds"?'],
    ['results:\n  - artefact: x\n    artifact: y\n', 'Did you mean "artifact"?'],
    ['mode: gate\n', 'one of shadow, advisory, gating'],
    ['results:\n  - artifact: x\n    format: hyperfin\n', 'Did you mean "hyperfine"?'],
    ['results:\n  - artifact: x\n    format: tsv\n', '"results[0].format" must be one of auto, clickhouse-raw'],
    [
      'reproduce: run.sh "{test}" {query}\n',
      '"reproduce" could run the name of a test as a command: {test} is inside double quotes; write each placeholder bare, as in',
    ],
    [
      'reproduce: ssh bench run.sh {test}\n',
      '{test} is read as a command by ssh; remove that program or use sh -c \'… "$1"\' sh {test}.',
    ],
    ['mode: gating\nchecks: []\n', '"mode" is gating, which needs "checks": without'],
    ['lookbackDays: 0\n', 'at least 1'],
    ['unbuiltPaths: site/**\n', 'a list'],
    [
      'checks: Performance *\n',
      '"checks" must be a list, but is the text "Performance *": write checks: ["Performance *"].',
    ],
    ['ledger:\n  junit: "*.xml"\n', 'write junit: ["*.xml"].'],
    ['results: performance-*\n', 'must be a list, but is the text "performance-*".'],
    ['lookbackDays: 1.5\n', 'a whole number, but is 1.5'],
    ['results: []\n', 'at least one entry'],
    ['results:\n  - {}\n', 'exactly one of "artifact" and "url"'],
    ['results:\n  - url: "https://{pr}.example.org/"\n', 'before the first "/"'],
    ['results:\n  - url: "https://u:p@example.org/"\n', 'user or password'],
    ['results:\n  - url: "https://example.org/{branch}"\n', 'use {pr} {sha} {workflow} {check}'],
    ['results:\n  - url: "file:///etc/passwd"\n', 'begins with https://'],
    ['results:\n  - url: "https://example.org/{sha"\n', 'is not part of a placeholder'],
    ['results:\n  - artifact: x\n    path: ../../etc\n', 'stay inside'],
    ['links:\n  - title: a\n', '"links[0].url" is missing'],
    ['checks: ["{a}{b}"]\n', '(character 4)'],
    ['tests:\n  - test: sum\n    threshold: 25\n', '"tests[0].threshold" is a fraction'],
    ['tests:\n  - test: sum\n    threshold: 25\n', 'for 25% write 0.25'],
    ['tests:\n  - test: sum\n', 'exactly one of "threshold", "ignore" and "accepted"'],
    [
      'tests:\n  - { test: sum, threshold: 0.2, ignore: a, until: 2027-03-01 }\n',
      'exactly one of "threshold", "ignore" and "accepted"',
    ],
    [
      'tests:\n  - { test: sum, threshold: 0.2, accepted: 0.5 }\n',
      'exactly one of "threshold", "ignore" and "accepted"',
    ],
    ['tests:\n  - { test: sum, accepted: 0.5 }\n', '"until" with "ignore" or "accepted"'],
    ['tests:\n  - { test: sum, accepted: 0, until: 2027-03-01 }\n', '"tests[0].accepted" is a fraction'],
    ['tests:\n  - { test: sum, accepted: 50, until: 2027-03-01 }\n', 'at most 5: for 50% write 0.5.'],
    ['tests:\n  - { test: sum, accepted: 5.1, until: 2027-03-01 }\n', 'at most 5: for 5.1% write 0.051.'],
    ['tests:\n  - { test: sum, accepted: 200, until: 2027-03-01 }\n', 'at most 5: for 200% write 2.'],
    ['tests:\n  - { test: sum, accepted: 50%, until: 2027-03-01 }\n', 'at most 5: for 50% write 0.5.'],
    ['tests:\n  - { test: sum, accepted: 501, until: 2027-03-01 }\n', 'more than 0 and at most 5.'],
    [
      'workflows: [.github/workflows/bench.yaml]\n',
      '"workflows[0]" must be the name or file name of a workflow: write bench.yaml, not its path; patterns are not allowed here.',
    ],
    ['workflows: [CI, "perf-*"]\n', '"workflows[1]" must be the name or file name of a workflow: write perf.yml'],
    ['measuredBy: [/ci/**]\n', '"measuredBy[0]" must be a path from the root of the repository'],
    ['measuredBy: [/ci/**]\n', 'write "ci/**".'],
    ['measuredBy: [./ci/bench.sh]\n', 'write "ci/bench.sh".'],
    ['measuredBy: [../ci/bench.sh]\n', 'write "ci/bench.sh".'],
    ['measuredBy: ["ci\\\\bench.sh"]\n', 'write "ci/bench.sh".'],
    ['measuredBy: [ci/]\n', 'write "ci/**".'],
    ['measuredBy: [./]\n', 'write "**".'],
    ['tests:\n  - { test: sum, ignore: disks, reason: a, until: 2027-03-01 }\n', '"reason" without "accepted"'],
    ['tests:\n  - { test: sum, ignore: disks }\n', '"until" with "ignore"'],
    ['tests:\n  - { test: sum, threshold: 0.2, until: 2027-03-01 }\n', '"until" with "ignore"'],
    ['tests:\n  - { test: sum, ignore: "", until: 2027-03-01 }\n', '"tests[0].ignore" must not be empty'],
    ['tests:\n  - { test: sum, ignore: disks, until: 2027-02-30 }\n', '"tests[0].until" must be a day like 2027-03-01'],
    ['tests:\n  - { test: sum, ignore: disks, until: March }\n', '"tests[0].until" must be a day'],
    ['tests:\n  - { test: sum, ignore: disks, until: 2027 }\n', '"tests[0].until" must be'],
    ['tests:\n  - { test: "{a}{b}", threshold: 0.2 }\n', '"tests[0].test" is not a pattern'],
    ['tests:\n  - { test: sum, query: -1, threshold: 0.2 }\n', 'at least 0'],
    [
      'tests:\n  - { test: sum, query: 1.5, threshold: 0.2 }\n',
      'a position in the test, from 0, or a pattern for the text',
    ],
    ['tests:\n  - { threshold: 0.2 }\n', '"tests[0].test" is missing'],
    ['tests:\n  - { test: sum, threshold: 0.2, quary: 1 }\n', 'Did you mean "query"?'],
  ])('%j says %s', (yaml, words) => {
    expect(problemsOf(yaml)[0]?.message).toContain(words)
  })

  test('everything at once, in the order of the file', () => {
    const problems = problemsOf('mode: x\nthresholds:\n  changed: 5\n  unstabel: 1\ncomment: 1\nfoo: 1\n')
    expect(problems.map(({ line }) => line)).toEqual([1, 3, 4, 5, 6])
  })

  test('a gate without checks, beside other mistakes', () => {
    const paths = (yaml: string) => problemsOf(yaml).map(({ path }) => path)
    expect(paths('mode: gating\nmod: x\nmetric:\n')).toEqual(['mode', 'mod', 'metric'])
    expect(paths('mode: gating\nchecks: perf\n')).toEqual(['checks'])
    expect(paths('mode: gating\nchecks: [perf]\nmod: x\n')).toEqual(['mod'])
  })

  test('what a later version refuses is read where it was kept', () => {
    const kept = 'workflows: [a/b]\nmeasuredBy: [ci/]\ntests: [{ test: sum, accepted: 9, until: 2027-03-01 }]\n'
    expect(parseKeptConfig(kept)).toMatchObject({ workflows: ['a/b'], measuredBy: ['ci/'] })
  })

  test('a known key far from what stands there is not suggested', () => {
    expect(problemsOf('zzzzzz: 1\n')[0]?.message).toBe('There is no key "zzzzzz" here.')
  })
})

describe('a hostile file', () => {
  test.each([
    ['a large one', `metric: ${'x'.repeat(70_000)}`],
    ['deep nesting', '['.repeat(30_000)],
    ['deep nesting of maps', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    [
      'aliases that multiply',
      ['a: &a [x,x,x,x,x,x,x,x,x]', 'b: &b [*a,*a,*a,*a,*a,*a]', 'c: &c [*b,*b,*b,*b,*b,*b]', 'd: [*c,*c,*c,*c]'].join(
        '\n',
      ),
    ],
    ['a prototype', '__proto__: { metric: x }\n'],
    ['many unknown keys', Array.from({ length: 3000 }, (_, index) => `k${index}: 1`).join('\n')],
  ])('%s is refused soon', (_what, yaml) => {
    const started = computed()
    const problems = problemsOf(yaml)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.length).toBeLessThanOrEqual(50)
    expect(computed() - started).toBeLessThan(10_000)
  })

  test('thousands of keys are read about as soon as thousands of entries', () => {
    const keys = Array.from({ length: 8000 }, (_, index) => index.toString(36)).join(',')
    const timeOf = (yaml: string) => {
      const started = computed()
      expect(problemsOf(yaml)).toHaveLength(1)
      return computed() - started
    }
    timeOf(`results: [${keys}]`)
    const entries = timeOf(`results: [${keys}]`)
    expect(timeOf(`results: [{${keys}}]`.slice(0, 32_000))).toBeLessThan(5 * entries)
  })

  test('no text makes it throw, and every problem stands in the file', () => {
    const line = fc.constantFrom(
      'metric:',
      ' - x',
      'checks: [',
      '  a: &b *b',
      '? x',
      '"',
      '{',
      '}',
      '%YAML 9',
      '---',
      '!!x',
      '\t',
    )
    const yaml = fc.oneof(
      fc.string({ unit: anyCodePoint, maxLength: 60, size: 'max' }),
      fc.array(line, { maxLength: 8, size: 'max' }).map((lines) => lines.join('\n')),
    )
    fc.assert(
      fc.property(yaml, (text) => {
        for (const { line: at, column } of problemsOf(text)) {
          expect(at).toBeGreaterThanOrEqual(1)
          expect(at).toBeLessThanOrEqual(text.split(/\r\n|\n|\r/).length)
          expect(column).toBeGreaterThanOrEqual(1)
        }
      }),
      { numRuns: 1000 },
    )
  })
})

describe('docs/examples/clickhouse.perf-triage.yml', () => {
  const yaml = readFileSync(new URL('../../docs/examples/clickhouse.perf-triage.yml', import.meta.url), 'utf8')
  const { config, problems } = parseRepositoryConfig(yaml)

  test('is right', () => {
    expect(problems).toEqual([])
  })

  test('finds the checks and the files of a real pull request', () => {
    const check = 'Performance Comparison (arm_release, master_head, 3/6)'
    expect(matchName(config!.checks[0]!, check)).toMatchObject({ architecture: 'arm', shard: '3', shards: '6' })
    expect(matchName(config!.checks[0]!, 'Stateless tests (arm_asan)')).toBeNull()
    const [source] = config!.results
    expect(source).toMatchObject({ kind: 'url' })
    const url = source?.kind === 'url' ? source.url : ''
    expect(fillTemplate(url, { pr: '115466', sha: 'abc', workflow: 'PR', check })).toBe(
      'https://s3.amazonaws.com/clickhouse-test-reports/PRs/115466/abc/pr/performance_comparison_arm_release_master_head_3_6/logs.tar.zst',
    )
  })
})

describe('whether a file that can’t be used asks for a check that fails', () => {
  test.each([
    'mode: gating\n',
    'mode: gating\nchecks: perf\n',
    'mode: "gating"\nchecks: [\n',
    "{ checks: perf, 'mode': 'gating' }",
    'mode: &m gating\nchecks: perf\n',
    'mode: !!str gating\nchecks: perf\n',
    'mode: >-\n  gating\nchecks: perf\n',
    'checks: perf\nmode: gating\nmode: gating\n',
    `mode: gating\n${'# '.padEnd(40_000, 'x')}\n`,
    '- a list\nmode: gating\n',
    'mode: Gating\n',
    'mode: gate\n',
    'mod: gating\n',
    'mode: strict\n',
    'checks: [\n',
    '- checks\n',
    `mode: advisory\n${'# '.padEnd(40_000, 'x')}\n`,
  ])('%j does', (yaml) => {
    expect(parseRepositoryConfig(yaml).config).toBeNull()
    expect(modeAsWritten(yaml)).toBe('gating')
  })

  test.each([
    'mode: advisory\nchecks: perf\n',
    '# mode: gating\nchecks: perf\n',
    'checks: perf\n',
    'mode: advisory # not gating\nchecks: [\n',
    'mode: Advisory\n',
    'mode: advisory\nlabels: { slower: "mode: gating" }\nchecks: perf\n',
  ])('%j does not', (yaml) => {
    expect(parseRepositoryConfig(yaml).config).toBeNull()
    expect(modeAsWritten(yaml)).not.toBe('gating')
  })

  test('any text, in time', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof modeAsWritten(text) === 'string'))
    const started = computed()
    for (const hostile of [
      'mode:'.repeat(200_000),
      ' '.repeat(1_000_000),
      '{'.repeat(30_000),
      `mode:${' '.repeat(500_000)}`,
    ]) {
      modeAsWritten(hostile)
    }
    expect(computed() - started).toBeLessThan(5000)
  })
})
