import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { argumentsOf } from '../../../src/bot/slash/arguments.ts'
import type { Answer, CiJob, CiWorkflow, CommandContext } from '../../../src/bot/slash/command.ts'
import { commandTable, roleFor } from '../../../src/bot/slash/commands/help.ts'
import { COMMANDS } from '../../../src/bot/slash/commands.ts'
import { commandsIn } from '../../../src/bot/slash/comment-commands.ts'
import { COMMAND_NAMES, DEFAULT_CONFIG } from '../../../src/config/repository-config.ts'
import type { PullRequest } from '../../../src/github/pull-requests.ts'
import { type Declaration, entryIdOfDeclared, lastDeclarations } from '../../../src/judge/ledger/declaration.ts'
import {
  type Decision,
  NOTHING_SAID,
  type OpenFindings,
  openFindingsOf,
  standingDecisions,
} from '../../../src/report/acceptance.ts'
import { rowAnchor } from '../../../src/report/anchors.ts'
import type { TriageReport } from '../../../src/report/report.ts'
import { failingTests, failure, judged } from '../../report/render/failing-tests-builder.ts'
import { changed, notCompared, report, row as reportRow } from '../../report/render/report-builder.ts'
import { bare } from '../../report/render/window-states.ts'

const NOON = Date.parse('2026-11-23T12:00:00Z')
const HEAD = '9c41d0e5b1f7a3c2d4e6f8091a2b3c4d5e6f7081'

const row = (test: string, index: number, difference = 0.12) => ({
  key: `["${test}",${index}]`,
  name: `${test} #${index}`,
  test,
  difference,
  failed: false,
})
const findings: OpenFindings = {
  head: HEAD,
  rows: [row('sum', 0), row('sum', 1), row('hash functions', 3)],
  suites: [{ architecture: 'arm', shard: null, shift: 0.06 }],
  unknowns: ['shard-without-results'],
}
const context: CommandContext = {
  pullRequest: { head: HEAD, isOpen: true } as PullRequest,
  config: DEFAULT_CONFIG,
  findings,
  report: null,
  site: null,
  said: NOTHING_SAID,
  declarations: new Map(),
  alike: new Map(),
  workflows: [],
  reruns: { ofHead: 0, ofPullRequest: 0, ofDay: 0 },
  saidAt: NOON,
}

/** A line as somebody types it, run by itself. */
function run(line: string, more: Partial<CommandContext> = {}): Answer {
  const [{ words }] = commandsIn(`/perf ${line}`, '/perf', 'perf-triage') as [ReturnType<typeof commandsIn>[number]]
  const [name, ...rest] = words
  return COMMANDS.find((command) => command.name === name!.text)!.run({ ...context, ...more }, rest)
}

const accepted = (answer: Answer) =>
  answer.decision?.kind === 'accept' ? answer.decision.subject.rows.map(({ name }) => name) : answer.words

test('docs/commands.md has the table that `help` prints', () => {
  const docs = readFileSync(new URL('../../../docs/commands.md', import.meta.url), 'utf8')
  expect(docs).toContain(`\n${commandTable(COMMANDS, DEFAULT_CONFIG)}\n`)
})

test('every command can be configured, and no other', () => {
  expect(COMMANDS.map(({ name }) => name).toSorted()).toEqual(COMMAND_NAMES.toSorted())
})

describe('accept', () => {
  test.each<[string, unknown]>([
    ['accept "known"', ['sum #0', 'sum #1', 'hash functions #3']],
    ['accept all "known"', ['sum #0', 'sum #1', 'hash functions #3']],
    ['accept sum #1 "known"', ['sum #1']],
    ['accept `sum #1` `hash functions #3` "known"', ['sum #1', 'hash functions #3']],
    ['accept "hash functions" "known"', ['hash functions #3']],
    ['accept SUM, "hash functions #3" "known"', ['sum #0', 'sum #1', 'hash functions #3']],
    ['accept suite “known”', []],
    ['accept sum', 'Say why, in quotes: `/perf accept sum "it reads twice as many columns"`.'],
    ['accept sum #1 because', expect.stringContaining('`/perf accept sum #1 "it reads')],
    ['accept sum ""', expect.stringContaining('Say why')],
    ['accept "sum #0"', expect.stringContaining('Say why')],
    ['accept "hash functions"', expect.stringContaining('`/perf accept "hash functions" "it reads')],
    ['accept', expect.stringContaining('`/perf accept all "it reads')],
    ['accept order #1', expect.stringContaining('`/perf accept ROW "it reads')],
    ['accept smu #1 "x"', 'No row `smu #1` is open in the report.'],
    ['accept sums "x"', expect.stringContaining('Did you mean `sum #0`?')],
    ['accept #3 "x"', 'No row `#3` is open in the report. Did you mean `hash functions #3`?'],
    ['accept sum "x" until tomorrow', 'Write a date as in `until 2026-12-31`.'],
    ['accept sum "x" until 2026-02-30', 'Write a date as in `until 2026-12-31`.'],
    ['accept sum "x" until 2026-11-22', '`until 2026-11-22` has passed: give today or a later date.'],
  ])('%s', (line, expected) => expect(accepted(run(line))).toEqual(expected))

  test('the whole run, the reasons of an unknown head, the reason and the last day', () => {
    const suite = run('accept suite "a new compiler" until 2026-11-23')
    expect(suite).toEqual({
      wasDone: true,
      words: null,
      looksAgain: 'as-it-stands',
      decision: {
        kind: 'accept',
        subject: { head: HEAD, rows: [], suites: findings.suites, unknowns: [] },
        reason: 'a new compiler',
        until: Date.parse('2026-11-23T23:59:59.999Z'),
      },
    })
    expect(run('accept "all of it"').decision).toMatchObject({ subject: findings, until: null })
  })

  test('how a head was measured is accepted by its name, and by nothing else', () => {
    const measurement = ['files 1', 'workflow .github/workflows/other.yml']
    const open = { findings: { ...findings, measurement } }
    const subjectOf = (line: string, more: Partial<CommandContext> = open) => run(line, more).decision?.subject
    const nothing = { head: HEAD, rows: [], suites: [], unknowns: [] }
    expect(subjectOf('accept measurement "the new runner"')).toEqual({ ...nothing, measurement })
    expect(subjectOf('accept Measurement sum #0 "x"')).toEqual({ ...nothing, rows: [findings.rows[0]], measurement })
    expect(subjectOf('accept all "x"')).toEqual(findings)
    expect(subjectOf('accept "x"')).toEqual(findings)
    expect(subjectOf('accept sum #0 "x"')).not.toHaveProperty('measurement')
    expect(run('accept measurement', open).words).toContain('`/perf accept measurement "it reads')
    expect(run('accept measurement "x"').words).toBe('Nothing about how it was measured is open in the report.')
    expect(run('accept all "x"', { findings: { ...nothing, measurement } }).words).toContain(
      'how it was measured, name it: `/perf accept measurement "why"`.',
    )
    const by = { reason: 'x', until: null, via: 'command', actor: 'maria', actorId: 1, saidAt: 1 } as const
    const said = standingDecisions([{ kind: 'accept', subject: { ...nothing, measurement }, ...by }], NOON)
    expect(subjectOf('unaccept measurement', { said })).toEqual({ ...nothing, measurement })
    expect(subjectOf('unaccept', { said })).toEqual({ ...nothing, measurement })
    expect(run('unaccept measurement').words).toBe('Nothing is accepted on this pull request.')
    expect(run('unaccept', { findings: nothing }).decision).toBeUndefined()
  })

  test('a row that is accepted already is answered with by whom, at which size and why', () => {
    const [sum, other, hash] = findings.rows
    const by = { reason: 'more columns', until: null, via: 'command', actor: 'maria', actorId: 1, saidAt: 1 } as const
    const subject = { ...findings, rows: [sum!, hash!] }
    const said = standingDecisions([{ kind: 'accept', subject, ...by }], NOON)
    const open = { findings: { ...findings, rows: [other!] }, said }
    const words = '`hash functions #3` is already accepted by maria at +12.0%: `more columns`.'
    expect(run('accept "hash functions" "x"', open)).toEqual({ wasDone: false, words })
    expect(accepted(run('accept sum "x"', open))).toEqual(['sum #1'])
    expect(run('accept order "x"', open).words).toBe('No row `order` is open in the report.')
  })

  test('nothing is accepted before a report was posted, nor where nothing stands open', () => {
    expect(run('accept "x"', { findings: null })).toMatchObject({ wasDone: false })
    const nothing = { head: HEAD, rows: [], suites: [], unknowns: [] }
    expect(run('accept "x"', { findings: nothing })).toMatchObject({ wasDone: false })
    expect(run('accept suite "x"', { findings: nothing })).toMatchObject({ wasDone: false })
  })
})

test('a command is for those of the configuration, where it names them', () => {
  const command = (name: string) => COMMANDS.find((one) => one.name === name)!
  const config = (more: object) => ({ ...DEFAULT_CONFIG, ...more })
  expect(roleFor(command('accept'), DEFAULT_CONFIG)).toBe('write')
  expect(roleFor(command('accept'), config({ acknowledge: 'maintain' }))).toBe('maintain')
  expect(roleFor(command('help'), config({ acknowledge: 'maintain' }))).toBe('everybody')
  const commands = { ...DEFAULT_CONFIG.commands, who: { accept: 'admin', help: 'author' } as const }
  expect(roleFor(command('accept'), config({ acknowledge: 'maintain', commands }))).toBe('admin')
  expect(roleFor(command('help'), config({ commands }))).toBe('author')
  expect(roleFor(command('unaccept'), config({ acknowledge: 'maintain', commands }))).toBe('maintain')
})

test('unaccept takes back what is accepted, and nothing else', () => {
  const by = { reason: '', until: null, via: 'command', actor: 'maria', actorId: 1, saidAt: 1 } as const
  const said = standingDecisions([{ kind: 'accept', subject: findings, ...by }], NOON)
  expect(run('unaccept sum #0', { said }).decision).toMatchObject({ subject: { rows: [findings.rows[0]], suites: [] } })
  expect(run('unaccept "hash functions"', { said }).decision).toMatchObject({ subject: { rows: [findings.rows[2]] } })
  expect(run('unaccept', { said }).decision).toMatchObject({ kind: 'unaccept', subject: findings })
  const lost = { ...findings, unknowns: ['shard-without-results'], lostShards: ['perf 2/3'] } as const
  const saidOfLost = standingDecisions([{ kind: 'accept', subject: lost, ...by }], NOON)
  expect(run('unaccept', { said: saidOfLost }).decision).toMatchObject({ subject: lost })
  const early = run('unaccept sum #0')
  expect(early).toMatchObject({ wasDone: false, decision: { kind: 'unaccept', subject: { rows: [findings.rows[0]] } } })
  expect(early.looksAgain).toBeUndefined()
  expect(run('unaccept order', { said }).words).toContain('is accepted')
  const rows = standingDecisions([{ kind: 'accept', subject: { ...findings, suites: [] }, ...by }], NOON)
  expect(run('unaccept suite', { said: rows }).words).toBe('No shift of a whole run is accepted.')
  expect(run('unaccept').words).toBe('Nothing is accepted on this pull request.')
})

test('unmute where nothing is muted, and a mute of a row, are answered', () => {
  expect(run('unmute')).toMatchObject({ wasDone: false })
  expect(run('mute sum #1')).toMatchObject({ wasDone: false })
  expect(run('mute "noise" until 2026-12-01').decision).toMatchObject({ kind: 'mute', reason: 'noise' })
})

describe('short ids', () => {
  const open = [0, 4, 1].map((index) => reportRow('many', index, [changed(1, 1.5)], { queryName: null }))
  const openFindings = openFindingsOf(report(open), (one) => `many #${one.queryIndex}`)
  const id = rowAnchor(open[2]!).slice(-8)
  const obey = (line: string, of = report(open)) => run(line, { report: of, findings: openFindings })

  test('each command that takes a row takes its id, as it is shown, longer, in capitals or in code', () => {
    for (const as of [`q${id.slice(0, 3)}`, `q${id}`, `Q${id.toUpperCase()}`, `\`q${id.slice(0, 4)}\``]) {
      expect(obey(`explain ${as}`).words).toMatch(/^\*\*`many #1`: slower/)
      expect(accepted(obey(`accept ${as} "known"`))).toEqual(['many #1'])
      expect(obey(`ignore ${as}`).decision).toMatchObject({ subject: { rows: [{ name: 'many #1' }] } })
      expect(obey(`bisect ${as}`).words).toContain('`many #1`')
    }
    const by = { actor: 'maria', actorId: 9, saidAt: NOON, reason: 'x', until: null, via: 'command' } as const
    const ignored = standingDecisions([{ ...by, ...obey('ignore many').decision! }], NOON)
    expect(run(`unignore q${id.slice(0, 3)}`, { report: report(open), said: ignored }).decision).toMatchObject({
      kind: 'unignore',
      subject: { rows: [{ name: 'many #1' }] },
    })
    const said = standingDecisions([{ ...by, kind: 'accept', subject: openFindings }], NOON)
    expect(run(`unaccept q${id.slice(0, 3)}`, { said }).decision).toMatchObject({
      subject: { rows: [{ name: 'many #1' }] },
    })
  })

  test('one that more than one row goes by says so, and which they are', () => {
    const both = 'More than one row goes by it: `many #0` (`q6020`) and `many #4` (`q602a`).'
    for (const line of ['explain q602', 'accept q602 "known"', 'ignore q602', 'bisect q602']) {
      expect(obey(line)).toMatchObject({ wasDone: false, words: expect.stringContaining(both) })
    }
    expect(obey('explain q602a').words).toMatch(/^\*\*`many #4`/)
    const same = report([0, 1].map((index) => reportRow('twice', index, [changed(1, 1.5)])))
    expect(obey(`explain q${rowAnchor(same.rows[0]!).slice(-8)}`, same).words).toContain('`twice #0`')
    expect(obey(`explain q${rowAnchor(same.rows[0]!).slice(-8)}`, same).wasDone).toBe(false)
  })

  test('another row, test or failing test of that name is refused with what it may mean: whoever names it would be accepted instead', () => {
    const name = `q${id.slice(0, 3)}`
    const named = reportRow(name, 0, [changed(1, 1.5)])
    const withRow = report([...open, named])
    const refusal = new RegExp(`More than one row goes by it: .*\`many #1\`.*\`${name} #0\``)
    for (const command of ['explain', 'ignore']) expect(obey(`${command} ${name}`, withRow).words).toMatch(refusal)
    const findings = openFindingsOf(withRow, (one) => `${one.test} #${one.queryIndex}`)
    const accepting = (line: string) => run(line, { report: withRow, findings })
    expect(accepting(`accept ${name} "meant"`).words).toMatch(refusal)
    // A name in quotes is no reason for everything.
    expect(accepting(`accept "${name}"`)).toMatchObject({ wasDone: false, words: expect.stringContaining('Say why') })
    expect(obey(`explain "${name} #0"`, withRow).words).toMatch(new RegExp(`^\\*\\*\`${name} #0\`:`))
    const tests = failingTests([judged('chronic', failure(name, 'check'), [], { hits: 3 })])
    for (const command of ['explain', 'ignore'])
      expect(obey(`${command} ${name}`, report(open, { failingTests: tests })).wasDone).toBe(false)
  })
})

describe('explain', () => {
  const seen = report(
    [
      reportRow('sum', 0, [changed(1, 1.5)]),
      reportRow('sum', 1, [changed(1, 1.2, { separated: false, rankPValue: 0.2 })], { verdict: 'needs-rerun' }),
      reportRow('hash functions', 3, [changed(2, 1)]),
    ],
    { failingTests: failingTests([judged('chronic', failure('01234_x', 'Stateless tests (amd)'), [], { hits: 3 })]) },
  )
  const explained = (line: string) => run(line, { report: seen, findings: null }).words

  test.each([
    ['explain sum #1', ['`sum #1`: needs a rerun']],
    ['explain sum', ['`sum #0`: slower', '`sum #1`: needs a rerun']],
    ['explain hash functions #3', ['`hash functions #3`: faster']],
    ['explain "hash functions #3"', ['`hash functions #3`: faster']],
    ['explain 01234_X', ['`01234_x` in [`Stateless tests (amd)`]']],
    ['explain stateless tests (amd)', ['`01234_x` in [`Stateless tests (amd)`]']],
  ])('%s', (line, expected) => {
    expect(run(line, { report: seen }).wasDone).toBe(true)
    for (const words of expected) expect(explained(line)).toContain(words)
    expect(explained(line)?.match(/^\*\*/gm)).toHaveLength(expected.length)
  })

  test('names what was probably meant, in rows and in failing tests; without a name or a report it says so', () => {
    expect(explained('explain sums #1')).toContain('Did you mean `sum #1`?')
    expect(explained('explain 01234_y')).toContain('Did you mean `01234_x`?')
    expect(explained('explain')).toContain('Name a row or a failing test')
    expect(run('explain sum').words).toBe('There is no report of this pull request yet.')
  })

  test('of many rows of a test the first three are explained, and the number of the others is said', () => {
    const many = report(Array.from({ length: 9 }, (_, index) => reportRow('sum', index, [changed(1, 1.5)])))
    expect(run('explain sum', { report: many }).words).toContain('And 6 more with that name')
  })
})

describe('chronic', () => {
  const ran = failure('01234_x', 'Stateless')
  const seen = report([], {
    failingTests: failingTests([
      judged('unknown', ran, []),
      judged('unknown', failure('test #7', 'Jest'), []),
      judged('unknown', failure('', 'Lint', { signature: { kind: 'name', text: '' } }), []),
      judged('fallout', failure('Check failed', 'Stateless'), [], { causedBy: '01234_x' }),
      judged('unknown', failure('01235_y', 'Stateless', { signature: { kind: 'name', text: '' } }), []),
    ]),
  })
  const pullRequest = { head: HEAD, isOpen: true, number: 4, repository: { url: 'https://x' } } as PullRequest
  const declaring = (line: string, more: Partial<CommandContext> = {}) =>
    run(line, { report: seen, pullRequest, ...more })

  test.each<[string, string]>([
    ['chronic', 'Name a failing test'],
    ['chronic 01234_x', 'Say why'],
    ['chronic 01234_z "x"', 'has no failing test `01234_z`. Did you mean `01234_x`?'],
    ['chronic 01234_x "x" until 2026-11-22', '`until 2026-11-22` has passed: give today or a later date.'],
    [
      'chronic Stateless "x"',
      '`Stateless` means 2 failing tests, and one entry for all of them would excuse unrelated',
    ],
    ['chronic Lint "x"', 'Nothing says why `Lint` failed, so an entry would excuse unrelated failures'],
    ['renew 01234_x', 'No failing test `01234_x` has an entry in the ledger.'],
    ['unchronic 01234_x', 'No failing test `01234_x` has a manual entry.'],
  ])('%s is refused', (line, words) => {
    const { wasDone, words: said } = declaring(line)
    expect(wasDone).toBe(false)
    expect(said).toContain(words)
  })

  test('the failure with its output, the issue, the reason and the end; what it matches is said', () => {
    const alike = { hits: 14, pullRequests: 9, trunkHits: 2, isComplete: true }
    const id = entryIdOfDeclared({ testName: '01234_x', checkName: 'Stateless', signature: ran.signature.text })
    const { declaration, words } = declaring('chronic 01234_x #12 "a port" until 2026-12-31', {
      alike: new Map([[id, alike]]),
    })
    expect(words).toContain('matches 14 failures on 9 other pull requests in 60 days, and 2 on the main branch.')
    expect(words).toMatch(/until Dec\s31; a different output of the same test is not excused\./)
    const issue = { number: 12, url: 'https://x/issues/12' }
    expect(declaration).toEqual({
      kind: 'chronic',
      subject: {
        pullRequestNumber: 4,
        failures: [{ testName: '01234_x', checkName: 'Stateless', signature: 'reason of 01234_x', issue }],
      },
      reason: 'a port',
      until: Date.parse('2027-01-01T00:00:00Z') - 1,
    })
    const none = declaring('chronic 01234_x "x"', { alike: new Map([[id, { ...alike, hits: 0 }]]) })
    expect(none.words).toContain('matches no other failure in 60 days: only this pull request has had it.')
    expect(none.declaration?.until).toBe(NOON + 90 * 86_400_000)
    const named = declaring('chronic `test #7` "x"').declaration
    expect(named?.subject.failures[0]).toMatchObject({ testName: 'test #7', issue: null })
    expect(declaring('chronic 01235_y "x"').words).toContain('It left no output')
  })

  test('an entry is renewed with its reason, whether a person or the history made it, and taken back', () => {
    const entered: Declaration = {
      kind: 'chronic',
      subject: {
        pullRequestNumber: 4,
        failures: [{ testName: '01234_x', checkName: 'Stateless', signature: 'no port', issue: null }],
      },
      ...{ reason: 'a port', until: NOON - 1, via: 'command', actor: 'maria', actorId: 7, saidAt: NOON - 2 },
    }
    const declarations = lastDeclarations([entered])
    expect(declaring('renew 01234_x until 2026-12-31', { declarations, report: null }).declaration).toMatchObject({
      kind: 'chronic',
      subject: entered.subject,
      reason: 'a port',
    })
    expect(declaring('renew 01234_y', { declarations }).words).toContain('Did you mean `01234_x`?')
    expect(declaring('unchronic 01234_x', { declarations }).declaration?.kind).toBe('unchronic')
    const entry = {
      state: 'expired',
      firstSeen: 0,
      openedAt: 0,
      expiresAt: 1,
      reopened: 0,
      hits1: 0,
      hits7: 1,
    } as const
    const silent = failure('', 'Lint', { signature: { kind: 'name', text: '' } })
    const byHistory = report([], {
      failingTests: failingTests([judged('chronic', ran, [], { entry }), judged('chronic', silent, [], { entry })]),
    })
    expect(declaring('renew Lint', { report: byHistory }).words).toContain('Nothing says why `Lint` failed')
    expect(declaring('renew 01234_x', { report: byHistory }).declaration?.subject.failures).toMatchObject([
      { testName: '01234_x', signature: 'reason of 01234_x' },
    ])
  })
})

describe('ignore', () => {
  const seen = report(
    [
      reportRow('sum', 0, [changed(1, 1.5)], { queryName: 'SELECT 1' }),
      reportRow('sum', 1, [changed(1, 1.2)], { queryName: 'SELECT 2' }),
      reportRow('hash', 3, [notCompared('only-old')], { verdict: null }),
    ],
    { failingTests: failingTests([judged('pr-suspect', failure('01234_x', 'Stateless'), [])]) },
  )
  const ignoring = (line: string, more: Partial<CommandContext> = {}) => {
    const { decision, words } = run(line, { report: seen, ...more })
    if (decision?.kind !== 'ignore') return words
    return [...decision.subject.rows.map(({ name }) => name), ...decision.subject.failures.map((one) => one.testName)]
  }
  const gating = { config: { ...DEFAULT_CONFIG, mode: 'gating' } } as const

  test.each<[string, unknown]>([
    ['ignore sum #1', ['sum #1']],
    ['ignore sum "new disks" until 2026-12-31', ['sum #0', 'sum #1']],
    ['ignore sum #1 01234_x', ['sum #1', '01234_x']],
    ['ignore Stateless', ['01234_x']],
    ['ignore', expect.stringContaining('Name a row or a failing test')],
    ['ignore sums #1', expect.stringContaining('Did you mean `sum #1`?')],
    ['ignore hash #3', expect.stringContaining('failed in a build, which can’t be ignored')],
  ])('%s', (line, expected) => expect(ignoring(line)).toEqual(expected))

  test('where the check gates it needs a reason and an end', () => {
    expect(ignoring('ignore sum #1 "new disks"', gating)).toContain('a reason and an end')
    expect(ignoring('ignore sum #1 until 2026-12-31', gating)).toContain('a reason and an end')
    expect(ignoring('ignore sum #1 "new disks" until 2026-12-31', gating)).toEqual(['sum #1'])
    expect(run('ignore sum #1').words).toBe('There is no report of this pull request yet.')
  })

  test('unignore takes back what is named, or everything; nothing where nothing is ignored', () => {
    const by = { reason: '', until: null, via: 'command', actor: 'maria', actorId: 1, saidAt: 1 } as const
    const decision = { ...run('ignore sum 01234_x', { report: seen }).decision!, ...by } as Decision
    const said = standingDecisions([decision], NOON)
    expect(run('unignore sum #1', { said }).decision).toMatchObject({
      kind: 'unignore',
      subject: { rows: [{ name: 'sum #1' }], failures: [] },
    })
    expect(run('unignore all', { said }).decision).toMatchObject({ subject: decision.subject })
    expect(run('unignore', { said }).decision).toMatchObject({ subject: decision.subject })
    expect(run('unignore hash', { said }).words).toContain('is ignored')
    expect(run('unignore').words).toBe('Nobody has ignored anything on this pull request.')
    // Said after an `ignore` that is heard later.
    for (const [line, rows] of [
      ['unignore sum #1', ['sum #1']],
      ['unignore', ['sum #0', 'sum #1', 'hash #3']],
    ] as const) {
      const early = run(line, { report: seen })
      expect([early.wasDone, early.decision?.kind]).toEqual([false, 'unignore'])
      expect(early.decision).toMatchObject({ subject: { rows: rows.map((name) => ({ name })) } })
    }
    const back = { ...run('unignore 01234_x', { said }).decision!, ...by } as Decision
    const left = standingDecisions([decision, back], NOON).ignored
    expect([left.rows.size, left.failures.size]).toEqual([2, 0])
    expect(standingDecisions([{ ...decision, until: NOON - 1 }], NOON).ignored.rows.size).toBe(0)
  })
})

describe('bisect', () => {
  const window = bare()
  const of = (more: Partial<TriageReport> = {}) =>
    report([{ ...reportRow(window.test, window.queryIndex, [changed(1, 1.5)]), queryName: window.queryName }], {
      history: { provenance: null, problem: null },
      ...more,
    })
  const line = `bisect ${window.test}`
  const bisected = (more: Partial<TriageReport>) => run(line, { report: of(more) })

  test('has the window and a script that a shell reads', () => {
    const { wasDone, words } = bisected({ windows: [window] })
    expect(wasDone).toBe(true)
    expect(words).toContain('**Bisect window** for')
    expect(words).toContain(`good=${window.step.lastGood.commit}`)
    expect(words).toContain(`bad=${window.step.firstBad.commit}`)
    const noCommit = { ...window, step: { ...window.step, lastGood: { ...window.step.lastGood, commit: 'v1.2' } } }
    expect(bisected({ windows: [noCommit] }).words).toContain('so there is no script')
  })

  test('says why there is no window, and what to do', () => {
    expect(bisected({}).words).toContain('`git bisect start')
    expect(bisected({ history: null }).words).toContain('Use `refresh`')
    const quiet = of()
    expect(run(line, { report: { ...quiet, rows: [{ ...quiet.rows[0]!, verdict: 'likely-noise' }] } }).words).toContain(
      'it is not open',
    )
    expect(run('bisect nothing_like_it', { report: of() }).words).toContain('is in the report')
    expect(run('bisect').words).toContain('Name a row')
  })
})

test('whatever is typed, a command answers and throws nothing', () => {
  const name = fc.constantFrom(...COMMAND_NAMES)
  fc.assert(
    fc.property(name, fc.string({ unit: 'grapheme' }), (command, rest) => {
      const [line] = commandsIn(`/perf ${command} ${rest}`, '/perf', 'perf-triage')
      const [, ...words] = line?.words ?? []
      const answer = COMMANDS.find((one) => one.name === command)!.run(context, words)
      expect(answer.wasDone || answer.words !== null).toBe(true)
      const given = argumentsOf(words, NOON)
      if (typeof given !== 'string' && given.until !== null) expect(given.until).toBeGreaterThanOrEqual(NOON)
    }),
    { numRuns: 2000 },
  )
})

describe('rerun', () => {
  const job = (id: number, name: string, measures = false): CiJob => ({ id, name, measures })
  const workflow = (id: number, name: string, more: Partial<CiWorkflow> = {}): CiWorkflow => {
    const of = { id, attempt: 1, name, isFinished: true, isHeldBack: false, hasFailed: false, jobs: [], ...more }
    return { ...of, measures: of.jobs.some(({ measures }) => measures) }
  }
  const shards = workflow(1, 'Performance', { jobs: [job(11, 'perf 1/2', true), job(12, 'perf 2/2', true)] })
  const mixed = workflow(2, 'CI', { hasFailed: true, jobs: [job(21, 'perf', true), job(22, 'unit')] })
  const targets = (line: string, workflows: CiWorkflow[]) => {
    const { reruns, words } = run(line, { workflows })
    return reruns?.map(({ kind, id }) => `${kind} ${id}`) ?? words
  }

  test.each<[string, CiWorkflow[], string[]]>([
    ['rerun', [mixed], ['job 21']],
    ['rerun', [shards], ['workflow 1']],
    ['rerun', [shards, mixed], ['workflow 1', 'job 21']],
    ['rerun failed', [shards, mixed], ['failed 2']],
    ['rerun all', [shards, mixed], ['workflow 1', 'workflow 2']],
    ['rerun PERF 2/2', [shards], ['job 12']],
    ['rerun "perf 2/2"', [shards], ['job 12']],
    ['rerun ci', [shards, mixed], ['workflow 2']],
  ])('%s', (line, workflows, expected) => {
    expect(targets(line, workflows)).toEqual(expected)
  })

  test.each<[string, CiWorkflow[], string]>([
    ['rerun', [], 'No check of `9c41d0e` is a GitHub Actions'],
    ['rerun', [workflow(3, 'CI', { jobs: [job(31, 'unit')] })], '`/perf rerun all` restarts every workflow'],
    [
      'rerun',
      [{ ...shards, jobs: [...shards.jobs, job(13, 'build')] }],
      'Name one of the jobs that measure, since they share a workflow: `perf 1/2` and `perf 2/2`.',
    ],
    [
      'rerun',
      [{ ...workflow(4, 'CI', { jobs: [job(41, 'build'), job(42, 'compare')] }), measures: true }],
      'GitHub doesn’t say which job of `CI` measures. Name it: `build` and `compare`.',
    ],
    ['rerun', [{ ...mixed, isFinished: false }], '`CI` has not ended yet'],
    ['rerun all', [{ ...mixed, isHeldBack: true }], '`CI` waits for a maintainer to approve it on GitHub'],
    ['rerun failed', [shards], 'No workflow of `9c41d0e` has failed.'],
    ['rerun perv', [mixed], 'Did you mean `perf`?'],
  ])('%s is refused with words', (line, workflows, expected) => {
    expect(targets(line, workflows)).toContain(expected)
  })

  test.each([
    [{ ofHead: 2 }, 'This commit has been rerun 2 times'],
    [{ ofPullRequest: 5 }, 'This pull request has been rerun 5 times'],
    [{ ofDay: 20 }, '20 runs were restarted'],
  ])('no more than %j', (counts, expected) => {
    const reruns = { ofHead: 1, ofPullRequest: 4, ofDay: 19 }
    expect(run('rerun', { workflows: [mixed], reruns }).wasDone).toBe(true)
    const answer = run('rerun', { workflows: [mixed], reruns: { ...reruns, ...counts } })
    expect([answer.wasDone, answer.reruns]).toEqual([false, undefined])
    expect(answer.words).toContain(expected)
  })
})
