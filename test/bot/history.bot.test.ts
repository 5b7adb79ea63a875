import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { PullRequest } from '../../demo/github/state.ts'
import { zipOf } from '../../demo/github/zip.ts'
import type { TrunkRow } from '../../src/intake/imports/history/trunk-row.ts'
import { queryLabel } from '../../src/intake/measurement/run.ts'
import { openFindingsOf } from '../../src/report/acceptance.ts'
import type { ReportRow, TriageReport } from '../../src/report/report.ts'
import { ownRowPath, queryPath } from '../../src/report/urls.ts'
import { VisitingBrowser } from '../web/access/visiting-browser.ts'
import { sampleReport } from '../web/sample-report.ts'
import { type BotSetting, botComments, makeBotSetting, PUBLIC_URL, rawRun, writes } from './bot-setting.ts'
import { startCiDatabase, variablesOfCi } from './ci-database.ts'

/** What the trunk's history changes in what a pull request is told. */

const HOUR = 3_600_000
/** A run of the trunk every four hours for 33 days. */
const POINTS = 200
/** The last of them, of commits that are in the repository. */
const REAL = 60
/** By number among the real commits: the last good and the first bad one of the step, with two commits in between. */
const [LAST_GOOD, FIRST_BAD] = [47, 50]

const STEADY = [100, 101, 102, 103, 104, 105, 106, 100, 101, 102, 103, 104, 105]
/** Each by so much slower than the steady ones. */
const times = (factor: number) => STEADY.map((value) => value * factor)
/** The same with one repetition among the old ones, so that the samples overlap. */
const overlapping = (factor: number) => [...times(factor).slice(1), 104]

/** What the trunk's runs of a query measured: its level in seconds, and where it moved for one run only. */
interface Habit {
  readonly points: number
  readonly level: (index: number) => number
  /** A factor on the new side. */
  readonly moved?: (index: number) => number
}

const still: Habit = { points: POINTS, level: () => 0.103 }
const stepped: Habit = { points: POINTS, level: (index) => (index < POINTS - REAL + FIRST_BAD ? 0.103 : 0.134) }
const HABITS: Readonly<Record<string, Habit>> = {
  stepped,
  restless: { points: POINTS, level: () => 0.103, moved: (index) => (index % 14 === 0 ? 1.15 : 1) },
  // Too few runs to learn from.
  young: { points: REAL, level: () => 0.103, moved: (index) => (index % 8 === 0 ? 1.3 : 1) },
  wild: { points: REAL, level: () => 0.103, moved: (index) => (index % 8 === 0 ? 3.4 : 1) },
  // One that is flagged in several pull requests is nobody's regression, so each test has its own.
  still_too: still,
  still_beside: still,
  still_guilty: still,
  still_words: still,
  steady: still,
  nameless_flat: still,
  nameless_stepped: stepped,
}

/** The query 0 of these tests has no text. */
const isNameless = (test: string) => test.startsWith('nameless')
const queryNameOf = (test: string) => (isNameless(test) ? null : `SELECT 0 FROM ${test}`)

/** A little of the noise that every level has, the same at each start. */
const wobble = (index: number) => 1 + (((index * 7919) % 13) - 6) / 1000

function historyOf(commits: readonly string[], end: number): TrunkRow[] {
  const commitAt = (index: number) => commits[index - (POINTS - REAL)] ?? index.toString(16).padStart(40, '0')
  const isMeasured = (index: number) => {
    const real = index - (POINTS - REAL)
    return real <= LAST_GOOD || real >= FIRST_BAD
  }
  const indexes = Array.from({ length: POINTS }, (_, index) => index).filter(isMeasured)
  return Object.entries(HABITS).flatMap(([name, { points, level, moved }]) =>
    indexes
      .filter((index) => index >= POINTS - points)
      .map((index, position, all): TrunkRow => {
        const before = all[position - 1] ?? index
        const old = level(before) * wobble(2 * index)
        const fresh = level(index) * wobble(2 * index + 1) * (moved?.(index) ?? 1)
        return {
          source: 'own',
          time: end - (POINTS - index) * 4 * HOUR,
          oldCommit: commitAt(before),
          newCommit: commitAt(index),
          test: name,
          queryIndex: 0,
          queryName: queryNameOf(name),
          metric: 'client_time',
          architecture: '',
          old,
          new: fresh,
          difference: (fresh - old) / old,
          threshold: 0.03,
          workflowName: 'Performance',
          baseBranch: 'master',
          reportUrl: '',
          instanceType: '',
          instanceId: '',
        }
      }),
  )
}

/** New repetitions by test, in milliseconds; the old ones are steady. */
type Measured = Readonly<Record<string, readonly number[]>>

function resultsOf(measured: Measured, oldCommit: string): Uint8Array {
  const files = Object.entries(measured).map(([name, fresh]) => {
    const text = rawRun(name, [{ old: STEADY, new: fresh }])
    return [`${name}-raw.tsv`, isNameless(name) ? text.replace(/^display-name.*\n/, '') : text]
  })
  return zipOf({ ...Object.fromEntries(files), 'left-commit.txt': `${oldCommit}\n` })
}

async function measure(setting: BotSetting, measured: Measured, oldCommit: string, pull?: PullRequest): Promise<void> {
  const { github, repo } = setting
  const run = github.startWorkflowRun(repo, { name: 'Performance', ...(pull === undefined ? {} : { pull }) })
  await github.finishWorkflowRun(run, {
    artifacts: [{ name: 'performance-results', zip: resultsOf(measured, oldCommit) }],
  })
  await setting.settled()
}

async function reportOf({ bot, repo }: BotSetting, pull: PullRequest): Promise<TriageReport> {
  const report = await bot.store.reports.of(repo.id, pull.number)
  expect(report).not.toBeNull()
  return report!
}

function rowOf({ rows }: TriageReport, name: string): ReportRow {
  return rows.find((row) => row.test === name)!
}

const kindsOf = (row: ReportRow) => row.evidence.map(({ kind }) => kind)
const headlineOf = (body: string) => body.split('\n')[1]

/** A channel that takes messages as an incoming webhook of Slack does. */
function slackChannel() {
  const channel = {
    status: 200,
    messages: [] as string[],
    server: createServer((request, response) => {
      void text(request).then((body) => {
        const { text: message } = z.object({ text: z.string() }).parse(JSON.parse(body))
        if (channel.status === 200 && message.includes('period=day')) channel.messages.push(message)
        response.writeHead(channel.status).end('ok')
      })
    }),
  }
  return channel
}

describe('a repository whose trunk is measured', () => {
  let setting: BotSetting
  let commits: string[]
  let tip: string
  let pointsBefore: number
  /** How far the bot's clock is ahead. */
  let ahead = 0
  const channel = slackChannel()

  beforeAll(async () => {
    channel.server.listen(0, '127.0.0.1')
    await once(channel.server, 'listening')
    const { port } = channel.server.address() as AddressInfo
    const env = { SLACK_WEBHOOK_URL: `http://127.0.0.1:${port}/services/T0/B0/secret` }
    setting = await makeBotSetting({ signIn: true, env, bot: { now: () => Date.now() + ahead } })
    const { github, repo, bot } = setting
    commits = Array.from({ length: REAL }, (_, index) => {
      const isCode = index === FIRST_BAD
      const files = isCode ? { 'src/Sort.cpp': `${index}` } : { 'docs/index.md': `${index}` }
      return github.commit(repo, { files, message: `${isCode ? 'Faster sort' : 'Better words'} (#${9000 + index})` })
        .sha
    })
    await setting.settled()
    await bot.store.trunkHistory.save(repo.id, historyOf(commits, Date.now()))
    tip = github.commit(repo, {
      files: { 'docs/index.md': 'the tip', '.github/perf-triage.yml': 'pictures: true\n' },
    }).sha
    pointsBefore = (await seriesOf('steady')).length
    await measure(setting, { steady: times(1), stepped: times(1) }, commits.at(-1)!)
  })
  afterEach(() => expect(setting.github.violations).toEqual([]))
  afterAll(async () => {
    await setting.close()
    channel.server.close()
  })

  async function seriesOf(name: string) {
    const { bot, repo } = setting
    const of = { repositoryId: repo.id, metric: 'client_time', now: Date.now() + HOUR }
    const wanted = { test: name, queryIndex: 0, queryName: queryNameOf(name), architecture: null }
    const range = { from: of.now - 60 * 24 * HOUR, to: of.now }
    const [series] = await bot.store.trunkHistory.series(of, [wanted], range)
    return series!.points
  }

  function open(head: string): PullRequest {
    const { github, repo } = setting
    return github.openPullRequest({ repo, head, fork: { owner: `owner-of-${head}` } })
  }

  test('a run for a push to the trunk is in its history, one of a fork is not', async () => {
    const points = await seriesOf('steady')
    expect(points).toHaveLength(pointsBefore + 1)
    expect(points.at(-1)).toMatchObject({ commit: tip, referenceCommit: commits.at(-1), old: 0.103, new: 0.103 })

    const { github, repo } = setting
    const pull = github.openPullRequest({ repo, head: 'master', fork: { owner: 'mallory' } })
    await measure(setting, { steady: times(3) }, tip, pull)
    expect(await seriesOf('steady')).toEqual(points)
  })

  /** The address of a row of a report. */
  let measuredRow: string

  test('what the trunk did between the old build and the merge base is not the pull request’s', async () => {
    const pull = open('innocent')
    await measure(setting, { stepped: times(1.3), steady: times(1) }, commits[45]!, pull)
    const report = await reportOf(setting, pull)
    const row = rowOf(report, 'stepped')
    expect([row.verdict, row.guarded]).toEqual(['already-on-trunk', false])
    expect(row.evidence.find(({ kind }) => kind === 'already-on-trunk')).toMatchObject({
      lastGood: commits[LAST_GOOD],
      firstBad: commits[FIRST_BAD],
      recovered: null,
    })
    expect(report.windows).toHaveLength(1)
    const [window] = report.windows
    expect(window).toMatchObject({ test: 'stepped', setAside: 2, steps: 0, commits: { total: 3 } })
    expect(window!.functional.map(({ pullRequestNumber }) => pullRequestNumber)).toEqual([9000 + FIRST_BAD])
    measuredRow = ownRowPath({ owner: 'acme', repo: 'engine', number: pull.number, head: report.head }, row)
    // Who sees a slower row asks whose it is: the comment answers, and blames nobody.
    const [said] = botComments(pull)
    const [, words] = /<br><picture>.* alt="([^"]*)"><\/picture>/.exec(said!.body)!
    expect(words).toMatch(/^\d+ runs on the main branch between 10\d and 13\d ms, here 134 ms$/)
    const [, path] = /src="https:\/\/perf\.example\.org(\/[^"]*\/trunk\/[^"]*)"/.exec(said!.body)!
    const picture = await fetch(`${setting.bot.url}${path}`)
    expect(picture.headers.get('cache-control')).toContain('immutable')
    expect((await picture.text()).replaceAll('\u00a0', ' ')).toContain(`aria-label="${words}"`)
    expect(headlineOf(said!.body)).toBe('### No new slowdown: 1 of 2 queries is slower; it was already on master')
    expect(said!.body).toMatch(/^Nothing to do\.\n\n<details><summary>For on-call: where the main branch got slower</m)
    expect(pull.labels).toEqual([])

    // A step that somebody has accepted is no reason for one; where there is another, its window says who did.
    const accepted = openFindingsOf({ ...report, rows: [{ ...row, verdict: 'regression' }] }, queryLabel)
    const by = { reason: 'sorts twice', until: null, via: 'command', actor: 'maria', actorId: 1, saidAt: 1 } as const
    await setting.bot.inbox.decisions.add(report.repository.id, 9050, { kind: 'accept', subject: accepted, ...by }, 1)
    const other = open('guilty-too')
    await measure(setting, { stepped: times(1.3), still_too: times(1.4), steady: times(1) }, commits[45]!, other)
    const { body } = botComments(other)[0]!
    expect(headlineOf(body)).toBe('### 2 of 3 queries got slower; 1 of them was already on master')
    expect(body).toContain(`Last good [\`${commits[LAST_GOOD]!.slice(0, 7)}\`]`)
    expect(body).toContain(`first bad [\`${commits[FIRST_BAD]!.slice(0, 7)}\`]`)
    expect(body).toContain('One functional change in the window: **[`#9050`]')
    expect(body).toContain('already on the main branch since')
    expect(body).toMatch(/Accepted in \[`#9050`\]\(\S+\/pull\/9050\) by maria: `sorts twice`\./)
  })

  test('tags that are pushed are marked on the history of every query, until they are deleted', async () => {
    const { github, repo, bot } = setting
    const hostile = '<b>|"&v2'
    github.tag(repo, 'v1.0', commits[10]!)
    github.tag(repo, 'moved', commits[11]!)
    github.tag(repo, 'moved', commits[20]!)
    github.tag(repo, hostile, commits[30]!)
    github.tag(repo, 'nightly', commits[40]!)
    github.deleteTag(repo, 'nightly', commits[40]!)
    await setting.settled()
    const address = `${bot.url}${queryPath({ owner: 'acme', repo: 'engine' }, { test: 'steady', queryIndex: 0, queryName: queryNameOf('steady') })}`
    const schema = z.object({
      histories: z.tuple([z.object({ releases: z.array(z.unknown()), points: z.array(z.unknown()) })]),
    })
    const [history] = schema.parse(await (await fetch(`${address}?format=json`)).json()).histories
    const points = z.array(z.object({ commit: z.string(), time: z.string() })).parse(history.points)
    const timeOf = (commit: string) => points.find((one) => one.commit === commit)!.time
    expect(history.releases).toEqual(
      [['v1.0', commits[10]!] as const, ['moved', commits[20]!] as const, [hostile, commits[30]!] as const].map(
        ([tag, commit]) => ({ tag, commit, time: timeOf(commit) }),
      ),
    )
    const page = await (await fetch(address)).text()
    expect(page.match(/<title>v1\.0<\/title>/g)).toHaveLength(2)
    expect(page).toMatch(/Releases: v1\.0 on [A-Z][a-z]+.\d+, moved on /)
    expect(page).not.toContain('<b>|')
    expect(page).not.toContain('nightly')
    const pageOfRow = await (await fetch(`${bot.url}${measuredRow}`)).text()
    expect(pageOfRow.match(/<title>v1\.0<\/title>/g)).toHaveLength(1)
    await setting.restart()
    expect((await setting.bot.inbox.releases.of(repo.id)).map(({ tag }) => tag).toSorted()).toEqual([
      hostile,
      'moved',
      'v1.0',
    ])
  })

  const queueSchema = z.object({
    items: z.array(z.looseObject({ kind: z.string(), address: z.string() })),
    marked: z.array(z.looseObject({ kind: z.string() })),
  })

  async function stepsInQueue() {
    const { items, marked } = queueSchema.parse(await (await fetch(`${setting.bot.url}/queue?format=json`)).json())
    return { open: items.filter(({ kind }) => kind === 'trunk-step'), marked }
  }

  test('the queue lists the steps of the trunk that nobody accepted, whether or not a pull request shows them', async () => {
    const commit = { sha: commits[FIRST_BAD], pullRequestNumber: 9000 + FIRST_BAD, author: expect.any(String) }
    const step = { lastGood: commits[LAST_GOOD], firstBad: commits[FIRST_BAD], commits: 1, commit }
    // The other one was accepted in the pull request of its commit.
    expect((await stepsInQueue()).open).toMatchObject([{ what: 'nameless_stepped #0', ...step }])
    await setting.restart()
    expect((await stepsInQueue()).open).toHaveLength(1)
    const address = `${setting.bot.url}${queryPath({ owner: 'acme', repo: 'engine' }, { test: 'stepped', queryIndex: 0, queryName: queryNameOf('stepped') })}`
    const accepted = { pullRequestNumber: 9050, actor: 'maria', reason: 'sorts twice' }
    const json = await (await fetch(`${address}?format=json`)).json()
    expect(json).toMatchObject({
      histories: [{ steps: [{ firstBad: { commit: commits[FIRST_BAD] }, acceptedIn: accepted }] }],
    })
    const tsv = (await (await fetch(`${address}?format=tsv`)).text()).split('\n')
    expect(tsv.filter((line) => line.endsWith('\t9050\tmaria'))).toEqual([expect.stringContaining(commits[FIRST_BAD]!)])
    const page = await (await fetch(address)).text()
    expect(page).toMatch(
      /in <a href="[^"]+\/pull\/9050"><bdi>#9050<\/bdi><\/a> by <bdi>maria<\/bdi>: <bdi>sorts twice<\/bdi>/,
    )
  })

  test('a step is marked on its page, by who may write to the repository and from nowhere else', async () => {
    const { github, repo } = setting
    github.setPermission(repo, 'maria', 'write')
    github.setPermission(repo, 'rita', 'triage')
    const [found] = (await stepsInQueue()).open
    const path = found!.address.replace(PUBLIC_URL, '')
    const browser = () =>
      new VisitingBrowser((url, init) => fetch(url.replace(PUBLIC_URL, setting.bot.url), init), PUBLIC_URL)
    const signedIn = async (login: string) => {
      github.atBrowser(login)
      const one = browser()
      await one.signIn('/')
      return one
    }
    const fields = { first_bad: commits[FIRST_BAD]!, state: 'assigned', assignee: 'ada', reason: '<b>the new hash</b>' }
    const own = { origin: PUBLIC_URL }
    const maria = await signedIn('maria')
    const statusOf = async (
      visitor: VisitingBrowser,
      changes: Partial<typeof fields & { others: string }> = {},
      headers = own,
    ) => (await visitor.post(path, headers, { ...fields, ...changes })).status
    expect(await statusOf(browser())).toBe(403)
    expect(await statusOf(await signedIn('rita'))).toBe(403)
    expect(await statusOf(maria, {}, { origin: 'https://evil.example' })).toBe(403)
    expect(await statusOf(maria, { first_bad: commits[0]! })).toBe(400)
    expect(await statusOf(maria, { state: 'known', assignee: '', reason: ' ' })).toBe(400)
    expect(await statusOf(maria, { assignee: 'no login' })).toBe(400)
    const stranger = await (await browser().get(path)).text()
    expect(stranger).not.toContain('Mark step')
    expect(stranger).toContain('</a> to mark a step')
    const signedInPage = await (await maria.get(path)).text()
    expect(signedInPage).toContain('Mark step')
    expect(signedInPage).not.toContain('to mark a step')
    expect(await stepsInQueue()).toMatchObject({ open: [{}], marked: [] })

    const answer = await maria.post(path, own, fields)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${path}#steps`])
    const mark = { state: 'assigned', assignee: 'ada', actor: 'maria', reason: fields.reason }
    expect(await stepsInQueue()).toMatchObject({ open: [], marked: [{ state: 'assigned', mark }] })
    await setting.restart()
    const page = await (await browser().get(path)).text()
    expect(page).toContain('assigned to ada by maria')
    expect(page).not.toContain('<b>the new hash')
    const history = await (await browser().get(`${path}?format=json`)).json()
    expect(history).toMatchObject({ histories: [{ steps: [{ mark }] }] })
    const queue = await (await browser().get('/queue')).text()
    expect(queue).toContain('Marked steps')
    expect(queue).toContain('step on the main branch, assigned')

    expect(await statusOf(maria, { state: 'open', assignee: '', reason: '' })).toBe(303)
    expect(await stepsInQueue()).toMatchObject({ open: [{}], marked: [] })

    // The other step of this commit is marked with it only where that is asked for.
    const other = queryPath(
      { owner: 'acme', repo: 'engine' },
      { test: 'stepped', queryIndex: 0, queryName: queryNameOf('stepped') },
    )
    const markOfOther = async () =>
      JSON.stringify(await (await browser().get(`${other}?format=json`)).json()).includes('"assignee":"ada"')
    expect([await statusOf(maria, { others: 'no' }), await markOfOther()]).toEqual([303, false])
    expect(await (await maria.get(path)).text()).toContain('it and 1 other step of its commit')
    expect([await statusOf(maria, { others: 'yes' }), await markOfOther()]).toEqual([303, true])
    expect((await stepsInQueue()).open).toEqual([])
    const back = { state: 'open', assignee: '', reason: '', others: 'yes' }
    expect([await statusOf(maria, back), await markOfOther()]).toEqual([303, false])
    expect((await stepsInQueue()).open).toHaveLength(1)
  })

  test('that a step of the trunk is taken back is told with its commit and its day', async () => {
    const pull = open('mends')
    await measure(setting, { stepped: times(1 / 1.3), still_beside: times(1.4), steady: times(1) }, tip, pull)
    const row = rowOf(await reportOf(setting, pull), 'stepped')
    expect([row.verdict, row.direction]).toEqual(['improvement', 'faster'])
    const evidence = row.evidence.find((item) => item.kind === 'takes-back')!
    expect(evidence).toMatchObject({ architecture: null, commit: commits[FIRST_BAD] })
    expect(evidence.step).toBeCloseTo(0.3, 1)
    const day = new Date(evidence.time).toISOString().slice(0, 10)
    const words = /undoes the step of \+(?:29|30|31)\.\d%/
    const { body } = botComments(pull)[0]!
    expect(body).toMatch(words)
    expect(body).toContain(`that the main branch made at \`${commits[FIRST_BAD]!.slice(0, 7)}\` on ${day}`)
    expect(body.match(/undoes/g)).toHaveLength(1)

    // This old build is from before the step.
    const early = open('faster-by-itself')
    await measure(setting, { stepped: times(1 / 1.3), steady: times(1) }, commits[45]!, early)
    expect(kindsOf(rowOf(await reportOf(setting, early), 'stepped'))).not.toContain('takes-back')
  })

  test('of two tests whose first query has no text each has its own history', async () => {
    const pull = open('nameless')
    await measure(setting, { nameless_flat: times(1.4), nameless_stepped: times(1.3) }, commits[45]!, pull)
    const report = await reportOf(setting, pull)
    expect(report.rows.map(({ test: name, queryName, verdict }) => [name, queryName, verdict])).toEqual([
      ['nameless_flat', null, 'regression'],
      ['nameless_stepped', null, 'already-on-trunk'],
    ])
    expect(kindsOf(rowOf(report, 'nameless_flat'))).not.toContain('already-on-trunk')
    expect(report.windows).toMatchObject([{ test: 'nameless_stepped', queryIndex: 0, commits: { total: 3 } }])
    expect(botComments(pull)[0]!.body).toContain('`nameless_stepped #0`')
    expect((await seriesOf('nameless_flat')).length).toBe((await seriesOf('nameless_stepped')).length)
  })

  test('a query that moves by itself on the trunk is no regression', async () => {
    const pull = open('unlucky')
    await measure(setting, { restless: times(1.2), young: overlapping(1.25), steady: times(1) }, tip, pull)
    const report = await reportOf(setting, pull)
    // Learned: one and a half times what it does in one run of a hundred. 20% is within that.
    expect(rowOf(report, 'restless')).toMatchObject({ outcome: 'too-small', verdict: null })
    expect(rowOf(report, 'restless').results[0]!.changedThresholdSource).toBe('learned')
    expect(rowOf(report, 'young')).toMatchObject({ outcome: 'changed', verdict: 'likely-noise' })
    expect(kindsOf(rowOf(report, 'young'))).toContain('moves-on-trunk')
    expect(report.history).toMatchObject({ problem: null, provenance: { source: 'own', learned: 2, floor: 1 } })
    expect(report.degradations).toEqual([])
    const movers = (await setting.bot.store.ledger.of(setting.repo.id)).filter(
      ({ kind, testName }) => kind === 'mover' && report.rows.some((row) => row.test === testName),
    )
    // What the learned threshold keeps from being flagged is a mover all the same.
    expect(movers.map(({ testName, state }) => `${testName} ${state}`).toSorted()).toEqual([
      'restless open',
      'young open',
    ])
  })

  test('a regression of three times stands at the top whatever the history says', async () => {
    const pull = open('guilty')
    await measure(
      setting,
      { still_guilty: times(3.1), wild: overlapping(3.2), young: overlapping(1.25), steady: times(1) },
      tip,
      pull,
    )
    const report = await reportOf(setting, pull)
    expect(report.rows.slice(0, 2).map(({ test: name, verdict, guarded }) => [name, verdict, guarded])).toEqual([
      ['still_guilty', 'regression', true],
      ['wild', 'needs-rerun', true],
    ])
    expect(kindsOf(rowOf(report, 'still_guilty'))).toContain('still-on-trunk')
    expect(kindsOf(rowOf(report, 'wild'))).toContain('moves-on-trunk')
    const { body } = botComments(pull)[0]!
    expect(headlineOf(body)).toBe(
      '### 3 of 4 queries got slower, 1 of them because of this change, 1 of them needs a rerun; 1 of them is likely noise',
    )
    expect(body).toMatch(/- history: learned thresholds known for 2 of 4, \d+ seconds? old, from runs the bot has seen/)
  })

  test('a pull request that changes no code is not blamed', async () => {
    const { github, repo } = setting
    const pull = github.openPullRequest({ repo, head: 'words', files: { 'docs/index.md': 'words' } })
    await measure(setting, { still_words: overlapping(1.2), steady: times(1) }, tip, pull)
    const row = rowOf(await reportOf(setting, pull), 'still_words')
    expect(kindsOf(row)).toContain('no-code-changed')
    expect(row.verdict).toBe('likely-noise')
  })

  test('everything delivered again writes nothing, here and there', async () => {
    const { github, repo, bot } = setting
    await measure(setting, { young: overlapping(1.25), steady: times(1) }, tip, open('again'))
    const before = [await seriesOf('steady'), await bot.store.ledger.of(repo.id)]
    github.requests.length = 0
    for (const { guid } of github.deliveries) github.redeliver(guid)
    await setting.settled()
    expect(writes(setting)).toEqual([])
    expect([await seriesOf('steady'), await bot.store.ledger.of(repo.id)]).toEqual(before)

    // What one process remembers the next one finds in the database.
    await setting.restart()
    for (const { guid } of github.deliveries) github.redeliver(guid)
    await setting.settled()
    expect(writes(setting)).toEqual([])
    expect([await seriesOf('steady'), await setting.bot.store.ledger.of(repo.id)]).toEqual(before)
  })

  test('the channel is told once of a day on which something new waits, of public repositories, after a restart too', async () => {
    const { messages } = channel
    const round = async () => await setting.bot.digests!.round()
    channel.status = 500
    await round()
    expect(messages).toEqual([])
    channel.status = 200
    await round()
    expect(messages).toHaveLength(1)
    expect(messages[0]).toContain(`• step on the main branch <${PUBLIC_URL}/r/acme/engine/query/nameless_stepped-`)
    await round()
    await setting.restart()
    await round()
    ahead += 24 * HOUR
    await round()
    expect(messages).toHaveLength(1)

    const failingTests = {
      ...({ source: 'own', problem: null, lookbackDays: 60, failures: [], notJudged: 0 } as const),
      redChecks: [{ name: 'Build <!channel>', url: null, state: 'not-known' as const }],
    }
    const base = sampleReport({ rows: [], failingTests, judgedAt: new Date(Date.now() + ahead).toISOString() })
    const of = { ...base.repository, id: setting.repo.id, owner: 'acme', name: 'engine', isPrivate: false }
    await setting.bot.store.reports.save({ ...base, repository: of })
    await setting.bot.store.reports.save({ ...base, repository: { ...of, id: 777, name: 'hidden', isPrivate: true } })
    await round()
    expect(messages).toHaveLength(1)
    ahead += 24 * HOUR
    await round()
    await round()
    expect(messages).toHaveLength(2)
    expect(messages[1]).toContain('|Build &lt;!channel&gt;> in acme/engine')
    expect(messages[1]).toContain('1 new item, 2 need attention.')
    expect(messages[1]).not.toContain('hidden')
  })
})

describe('a history that is not there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perf-triage-history-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

  test('down, without its table, empty, being copied, and there at last: the report is complete in every state', {
    timeout: 60_000,
  }, async () => {
    const database = await startCiDatabase(folder)
    database.line.isOn = false
    const setting = await makeBotSetting({
      env: variablesOfCi(database),
    })
    const { github, repo, bot } = setting
    const { historyCopies } = bot.store
    const tip = github.commit(repo, { files: { 'src/a.cpp': 'a' } }).sha
    try {
      let opened = 0
      const stateOf = async (pull: PullRequest) => ({
        report: await reportOf(setting, pull),
        body: botComments(pull)[0]!.body,
      })
      // Another query each time: one that is flagged everywhere is nobody's regression.
      const told = async (name: string) => {
        opened += 1
        const pull = github.openPullRequest({ repo, head: `change-${opened}` })
        await measure(setting, { [name]: times(1.4), steady: times(1) }, tip, pull)
        const { report, body } = await stateOf(pull)
        expect(report.complete).toBe(true)
        expect(rowOf(report, name)).toMatchObject({ outcome: 'changed', verdict: 'regression' })
        return { pull, report, body }
      }
      await setting.settled()
      await bot.historySync.round()
      const down = await told('one')
      expect(down.report.history).toMatchObject({ problem: 'unreachable' })
      expect(down.report.degradations).toEqual(['history-not-available'])
      expect(headlineOf(down.body)).toContain('got slower: ')
      expect(down.body).toContain('**Note:** the main branch’s history can’t be reached.')
      expect(down.body).toContain('- thresholds: 2 default, 0 learned')
      expect(down.body).toContain('- history: the main branch’s history can’t be reached')

      database.line.isOn = true
      await bot.historySync.round()
      const missing = await told('two')
      expect(missing.report.history).toMatchObject({ provenance: null, problem: 'missing-table' })

      await database.command(
        `CREATE TABLE default.query_metrics_v2 (event_time DateTime('UTC'), pr_number UInt32, old_sha String, new_sha String,
        test String, query_index UInt32, query_display_name String, metric String, old_value Float64, new_value Float64,
        diff Float64, stat_threshold Float64, arch String) ENGINE = MergeTree ORDER BY event_time`,
      )
      await bot.historySync.round()
      const empty = await told('three')
      expect(empty.report.history).toMatchObject({ provenance: null, problem: 'empty' })
      expect(empty.report.degradations).toEqual(['history-not-available'])
      expect(empty.body).toContain('`master` has no history yet to show how much it varies on its own.')
      expect(empty.body).toContain('- history: the main branch’s history is empty')

      await database.command(
        `INSERT INTO default.query_metrics_v2 SELECT now() - number * 3600 * 4, 0, 'a', toString(number), 'still', 0, 'SELECT 0 FROM still',
        'client_time', 0.1, 0.101, 0.01, 0.03, '' FROM numbers(200)`,
      )
      await database.command(
        `CREATE TABLE default.query_metric_runs_v1 (check_start_time DateTime('UTC'), pr_number UInt32, old_sha String,
        new_sha String, arch String, baseline_kind String, test String, query_index UInt32, query_display_name String,
        side String, metric_name String, metric_value Float64) ENGINE = MergeTree ORDER BY check_start_time`,
      )
      await database.command(
        `INSERT INTO default.query_metric_runs_v1 SELECT now() - intDiv(number, 14) * 3600 * 4, 0, 'a', toString(intDiv(number, 14)), '', 'master_head',
        'raw', 0, 'SELECT 0 FROM raw', if(number % 2 = 0, 'baseline', 'candidate'), 'client_time',
        0.1 + 0.0001 * (number % 14) FROM numbers(200 * 14)`,
      )
      // It was filled at once, as after another database took the place of the old one.
      for (const { copiedFrom } of await historyCopies.states()) await historyCopies.remove(repo.id, copiedFrom)
      const copying = await told('still')
      expect(copying.report.history).toMatchObject({ provenance: null, problem: 'copying' })
      expect(copying.report.degradations).toEqual(['history-not-available'])
      expect(copying.report.rows.filter(({ becauseOfChange }) => becauseOfChange)).toEqual([])
      expect(headlineOf(copying.body)).toContain('got slower: ')
      expect(copying.body).toContain('**Note:** still copying the main branch’s history. Default limits stand in')
      expect(copying.body).toContain('- thresholds: 2 default, 0 learned')
      expect(copying.body).toContain('- history: still copying the main branch’s history')

      // Nobody pushes or asks, and the ten minutes until the next look are not waited for: it is judged again once the copy is
      // complete, also by the next process.
      await setting.restart()
      await setting.bot.historySync.round()
      await setting.settled()
      const states = await setting.bot.store.historyCopies.states()
      expect(states.map(({ copiedFrom, ...state }) => [copiedFrom.replace(database.url, ''), state])).toMatchObject(
        ['query_metric_runs_v1', 'query_metrics_v2'].map((table) => [
          `/${table}`,
          { repositoryId: repo.id, metric: 'client_time', trunk: ['master'], problem: null },
        ]),
      )
      const there = await stateOf(copying.pull)
      expect(there.report.history).toMatchObject({
        provenance: { source: 'ci-database', learned: 1, floor: 1 },
        problem: null,
      })
      expect(there.report.degradations).toEqual([])
      expect(kindsOf(rowOf(there.report, 'still'))).toContain('still-on-trunk')
      expect(headlineOf(there.body)).toContain('got slower because of this change: ')
      expect(there.body).not.toContain('still copying')
      const raw = await told('raw')
      expect(raw.report.history).toMatchObject({ provenance: { source: 'ci-database', learned: 1, floor: 1 } })
      expect(kindsOf(rowOf(raw.report, 'raw'))).toContain('still-on-trunk')
      expect(github.violations).toEqual([])
    } finally {
      await setting.close()
      await database.stop()
    }
  })
})
