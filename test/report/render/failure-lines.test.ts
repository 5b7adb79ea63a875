import { expect, test } from 'vitest'
import { MARKDOWN } from '../../../src/report/queue/lines.ts'
import { failureLines } from '../../../src/report/render/failure-lines.ts'
import { SLACK } from '../../../src/report/render/slack.ts'
import { chronic, FAILED_AT, failure, fallout, judged, rollup, suspect } from './failing-tests-builder.ts'

const CRASH = "Logical error: 'Arguments of multiply have incorrect data types, UInt64 and String' (STID: 1234-ab12)"
const issue = { number: 123, title: 'Hung check | again', url: 'https://github.com/o/r/issues/123' }

const FAILURES = [
  suspect('03999_my_new_test', 'Stateless tests (asan)'),
  judged('unknown', failure('', 'Stress test (arm_tsan)'), [{ kind: 'no-test-failed', problem: null }]),
  ...['amd_msan', 'arm_msan', 'amd_tsan', 'arm_asan', 'amd_debug'].map((build) =>
    chronic('Hung check failed', `Stress test (${build})`, [30, 45, 15], { issue, owner: '@acme/core' }),
  ),
  chronic('02995_settings', 'Stateless tests (asan)', [7, 8, 0]),
  ...['00005_t', '00006_t', '00007_t', 'Server died'].map((name) => fallout(name, 'Stateless tests (tsan)', CRASH)),
  rollup('PR'),
  rollup('Mergeable Check'),
]

test('each failure is a line that says who has it; what one cause or several checks have in common is one', () => {
  const found = { failures: FAILURES, lookbackDays: 60, notJudged: 2, seenFrom: FAILED_AT }
  expect(failureLines(found, 'e7c1bde5'.padEnd(40, '0'), MARKDOWN).join('\n')).toMatchInlineSnapshot(`
    "12 failures of \`e7c1bde\` (#108)
    - \`03999_my_new_test\` in \`Stateless tests (asan)\` looks like this pull request’s: new error: 0 of 812 executions elsewhere had it.
    - The check \`Stress test (arm_tsan)\` itself is unknown: the check failed without a failing test. Nobody has it.
    - \`Hung check failed\` in \`Stress test (amd_msan)\`, \`Stress test (arm_msan)\`, \`Stress test (amd_tsan)\` and 2 more checks is chronic: 30 unrelated pull requests, 45 hits, 15 on the main branch in 60 days, since May 28. Issue [\`#123\`](https://github.com/o/r/issues/123), owner \`@acme/core\`.
    - \`02995_settings\` in \`Stateless tests (asan)\` is chronic: 7 unrelated pull requests, 8 hits, 0 on the main branch in 60 days, since May 28. No issue and no owner.
    - \`00005_t\`, \`00006_t\`, \`00007_t\` and 1 more test in \`Stateless tests (tsan)\` are fallout: follows from \`Logical error: 'Arguments of multiply have incorrect data types, UInt64 and String' (STID: 1234-ab1…\` in the same job.
    - \`PR\` and \`Mergeable Check\` only sum up other checks.
    - 2 more failing tests not judged."
  `)
})

test('another error of the same test is another failure, and what a person declared is said', () => {
  const unknown = (check: string, text: string) =>
    judged('unknown', failure('x', check, { signature: { kind: 'output', text } }), [
      { kind: 'too-few-runs', runs: 0, needed: 59 },
    ])
  const by = { actor: 'ada', actorId: 1, saidAt: FAILED_AT, via: 'command', reason: 'known', until: null } as const
  const declared = chronic('y', 'asan', [3, 3, 0], { reasons: [{ kind: 'declared-chronic', by, issue: null }] })
  const failures = [unknown('asan', 'timed out'), unknown('tsan', 'timed out'), unknown('msan', 'disk full'), declared]
  const lines = failureLines({ failures, lookbackDays: 60, notJudged: 0, seenFrom: FAILED_AT }, 'e7c1bde5', MARKDOWN)
  expect(lines.slice(1, 3)).toEqual([
    expect.stringMatching(/^- `x` in `asan` and `tsan` is unknown: /),
    expect.stringMatching(/^- `x` in `msan` is unknown: /),
  ])
  expect(lines[3]).toMatch(/^- `y` in `asan` is chronic: declared chronic by .*ada/)
})

test('names of strangers stay names', () => {
  const hostile = chronic('@everyone <!channel> `x` [y](https://evil.example)', '*b*', [3, 3, 0], { owner: '@here' })
  const found = { failures: [hostile], lookbackDays: 60, notJudged: 0, seenFrom: FAILED_AT }
  expect(failureLines(found, '@here', MARKDOWN).join('\n')).toMatchInlineSnapshot(`
    "1 failure of \`@here\` (#108)
    - \`\`@everyone <!channel> \`x\` [y](https://evil.example)\`\` in \`*b*\` is chronic: 3 unrelated pull requests, 3 hits, 0 on the main branch in 60 days, since May 28. Owner \`@here\`."
  `)
  const slack = failureLines(found, '<!here>', SLACK).join('\n')
  expect(slack).not.toMatch(/<|@(?!\u200B)|\*(?!\u200B)/)
})
