import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Fault } from '../demo/github/faults.ts'
import type { LocalGitHub } from '../demo/github/local-github.ts'
import type { PullRequest, Repository } from '../demo/github/state.ts'
import { zipOf } from '../demo/github/zip.ts'
import { botChecksOf, botComments, installApp, rawRun, SLOWER, STEADY } from '../test/bot/bot-setting.ts'
import { withBot } from './latency.ts'

/**
 * How long an installation waits for its first comment while another one has a hundred pull requests with results, and
 * while GitHub does not answer that one or drips. The bot is a process of its own against a local GitHub and keeps
 * GitHub's pace of writes; hints are not collected. A case has three installations ask one after the other; the slowest
 * counts. The hundred comments take five minutes by GitHub's pace of one in 3 s, beside which the other cases run.
 *
 * Before them strangers ask for help on a pull request whose next check is waited for. Ends with 1 where a limit is not held.
 *
 *     node bench/fairness.ts [--pulls 100] [--limit 900] [--only flood]
 */

const ASKED_PER_CASE = 3
const RESULTS = zipOf({ 'sum-raw.tsv': rawRun('sum', [{ old: STEADY, new: SLOWER }]) })

interface Case {
  readonly name: string
  /** Pull requests of the busy installation. */
  readonly pulls: number
  readonly fault?: Pick<Fault, 'kind'>
}

interface Measured {
  readonly name: string
  /** From the end of the check to the comment, of each installation. */
  readonly seconds: readonly number[]
}

/** Comments of strangers on a pull request, the next check of which is waited for. */
interface Flood {
  readonly accounts: number
  readonly comments: number
}

/** Limits in seconds, with the pace of GitHub: a comment in 3 s, and the triage itself on a busy machine. */
const MOST_BESIDE_FLOOD = 30

let heads = 0

async function finishedPull(github: LocalGitHub, repo: Repository): Promise<PullRequest> {
  heads += 1
  const pull = github.openPullRequest({ repo, head: `work-${heads}` })
  const run = github.startWorkflowRun(repo, { name: 'Performance', pull })
  await github.finishWorkflowRun(run, { artifacts: [{ name: 'performance-results', zip: RESULTS }] })
  return pull
}

function newAccount(github: LocalGitHub, account: string): { readonly repo: Repository; readonly id: number } {
  const repo = github.createRepository({ owner: account, name: 'engine' })
  return { repo, id: installApp(github, account).id }
}

/** Seconds from the end of the check to the comment. */
async function firstComment(github: LocalGitHub, account: string, until: AbortSignal): Promise<number> {
  const { repo } = newAccount(github, account)
  await github.idle()
  const started = performance.now()
  const pull = await finishedPull(github, repo)
  while (botComments(pull).length === 0) await sleep(10, undefined, { signal: until })
  return (performance.now() - started) / 1000
}

/** Seconds from the end of a check to the comment and the check of its pull request, under comments of strangers; then to the last answer. */
async function besideFlood({ accounts, comments }: Flood, until: AbortSignal) {
  return await withBot(
    async ({ github }) => {
      await firstComment(github, 'warm', until)
      const { repo } = newAccount(github, 'busy')
      const asked = github.openPullRequest({ repo, head: 'asked', author: 'alice' })
      await github.idle()
      for (let index = 0; index < comments; index += 1)
        github.comment(asked, `stranger-${index % accounts}`, `/perf help ${index}`)
      const started = performance.now()
      const seconds = () => (performance.now() - started) / 1000
      const pull = await finishedPull(github, repo)
      while (!isDone(github, pull)) await sleep(50, undefined, { signal: until })
      const done = seconds()
      // To the end: a second comment that comes late is seen.
      for (let at = seconds(), known = -1; at < done + 600 && !until.aborted; at = seconds()) {
        const now = botComments(asked).length
        if (now === known) break
        known = now
        await sleep(20_000)
      }
      return { done, replies: botComments(asked).length, comments: botComments(pull).length }
    },
    { PACED: 'true' },
  )
}

function isDone(github: LocalGitHub, pull: PullRequest): boolean {
  const checks = botChecksOf(github, pull.head.sha)
  return botComments(pull).length === 1 && checks.some(({ status }) => status === 'completed')
}

/** Resolves with what was measured; `all` with the seconds in which the busy installation had everything. */
function measure({ name, pulls, fault }: Case, until: AbortSignal) {
  const measured = Promise.withResolvers<Measured>()
  const all = withBot(
    async ({ github }) => {
      // What is read and compiled at the first comment is no question of fairness.
      await firstComment(github, 'warm', until)
      const busy = newAccount(github, 'busy')
      await github.idle()
      if (fault !== undefined) {
        const times = Number.POSITIVE_INFINITY
        github.fault({ ...fault, path: /^\/repos\/busy\//, times })
        github.fault({ ...fault, path: `/app/installations/${busy.id}/access_tokens`, times })
      }
      const started = performance.now()
      const held: PullRequest[] = []
      for (let index = 0; index < pulls; index += 1) held.push(await finishedPull(github, busy.repo))
      await github.idle()
      const seconds: number[] = []
      for (let asked = 0; asked < ASKED_PER_CASE; asked += 1) {
        seconds.push(await firstComment(github, `other-${asked}`, until))
      }
      measured.resolve({ name, seconds })
      if (fault !== undefined) return null
      while (!held.every((pull) => isDone(github, pull))) await sleep(100, undefined, { signal: until })
      return (performance.now() - started) / 1000
    },
    { PACED: 'true' },
  )
  all.catch(measured.reject)
  return { measured: measured.promise, all }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      pulls: { type: 'string', default: '100' },
      limit: { type: 'string', default: '900' },
      only: { type: 'string' },
    },
  })
  const pulls = Number(values.pulls)
  const problems: string[] = []
  const until = AbortSignal.timeout(Number(values.limit) * 1000)
  const say = ({ name, seconds }: Measured) =>
    console.log(
      `${name.padEnd(44)} ${seconds.map((value) => value.toFixed(2).padStart(6)).join(' ')}   most ${Math.max(...seconds).toFixed(2)} s`,
    )
  for (const flood of [
    { accounts: 1, comments: 20 },
    { accounts: 5, comments: 100 },
  ]) {
    const { done, replies, comments } = await besideFlood(flood, until)
    const name = `${flood.comments} comments of ${flood.accounts} strangers`
    console.log(
      `${name.padEnd(44)} ${done.toFixed(2).padStart(6)} s to the next comment and check, ${replies} replies, ${comments} comment`,
    )
    if (done > MOST_BESIDE_FLOOD) problems.push(`${name}: ${done.toFixed(0)} s, over ${MOST_BESIDE_FLOOD}`)
    if (replies > 3 * flood.accounts) problems.push(`${name}: ${replies} replies, over ${3 * flood.accounts}`)
    if (comments !== 1) problems.push(`${name}: ${comments} comments of the report`)
  }
  if (values.only === 'flood') end(problems)
  console.log(`first comment of ${ASKED_PER_CASE} other installations, in seconds, while one installation`)
  say(await measure({ name: 'has nothing to do', pulls: 0 }, until).measured)
  const busy = measure({ name: `has ${pulls} pull requests with results`, pulls }, until)
  say(await busy.measured)
  for (const [name, kind] of [
    [`has ${pulls}, and GitHub never answers`, 'timeout'],
    [`has ${pulls}, and GitHub drips a byte a second`, 'drip'],
  ] as const) {
    const hung = measure({ name, pulls, fault: { kind } }, until)
    say(await hung.measured)
    await hung.all
  }
  const seconds = await busy.all
  console.log(`all ${pulls} have their comment and their check after ${seconds?.toFixed(0)} s`)
  end(problems)
}

function end(problems: readonly string[]): never {
  for (const problem of problems) console.error(`not held: ${problem}`)
  process.exit(problems.length === 0 ? 0 : 1)
}
