import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PullRequest, Repository } from '../../../demo/github/state.ts'
import { SUMMARY_LIMIT } from '../../../src/bot/action/summary.ts'
import { MEMORY_FOLDER } from '../../memory-folder.ts'
import { type ActionSetting, historyFiles, jobCheck, jobComments, makeActionSetting } from './action-setting.ts'
import { hostileArtifact } from './hostile-artifacts.ts'

// Whatever a fork uploads decides what stands on its own pull request, never green, and nothing else.

/** `PERF_TRIAGE_HOSTILE=1000` tries as many, `PERF_TRIAGE_HOSTILE_FROM` says which is the first. */
const CASES = Number(process.env['PERF_TRIAGE_HOSTILE'] ?? 24)
const FIRST = Number(process.env['PERF_TRIAGE_HOSTILE_FROM'] ?? 0)

let setting: ActionSetting
let repo: Repository
let victim: PullRequest

beforeAll(async () => {
  setting = await makeActionSetting()
  repo = setting.repository()
  victim = setting.open(repo)
})
afterAll(async () => {
  expect(setting.github.violations).toEqual([])
  await setting.close()
})

test(`${CASES} hostile artifacts of forks write nothing elsewhere, run nothing and make no check green`, async () => {
  const other = setting.repository()
  const of = { number: victim.number, head: victim.head.sha, repository: `acme/${other.name}` }
  const green: string[] = []
  const conclusions = new Set<string>()
  for (let number = FIRST; number < FIRST + CASES; number += 1) {
    // A head of its own: what was uploaded for one is read together.
    const pull = setting.open(repo, { fork: 'mallory' })
    const hostile = hostileArtifact(number, of)
    const run = await setting.measured(pull, [hostile])
    setting.github.requests.length = 0
    setting.github.advance(60_000)
    const summary = await setting.judge(run)
    const where = `artifact ${number}: ${hostile.kind}`
    const allowed = new RegExp(
      `^(?:(?:POST|PATCH) /repos/acme/${repo.name}/check-runs(?:/\\d+)?` +
        `|(?:POST|PATCH) /repos/acme/${repo.name}/issues/(?:${pull.number}/comments|comments/\\d+)` +
        `|(?:POST|DELETE) /repos/acme/${repo.name}/issues/${pull.number}/labels(?:/.*)?` +
        `|POST /repos/acme/${repo.name}/labels` +
        `|POST /repos/acme/${repo.name}/git/refs|PATCH /repos/acme/${repo.name}/git/refs/heads/perf-triage-history)$`,
    )
    expect(
      setting.writes().filter((write) => !allowed.test(write)),
      where,
    ).toEqual([])
    if (jobCheck(pull)?.conclusion === 'success') green.push(where)
    conclusions.add(`${jobCheck(pull)?.conclusion}`)
    expect(Buffer.byteLength(summary), where).toBeLessThan(SUMMARY_LIMIT)
    for (const text of [summary, ...jobComments(pull), jobCheck(pull)?.output.summary ?? ''])
      expect(outsideOfCode(text), where).not.toMatch(/<script|<img|javascript:|\$\{\{|@acme|::add-mask|\n::/)
  }
  expect(green).toEqual([])
  expect(conclusions.size).toBeGreaterThan(0)
  expect(jobComments(victim)).toEqual([])
  expect(jobCheck(victim)).toBeUndefined()
  expect(other.branches.has('perf-triage-history')).toBe(false)
  expect(['history', 'decisions.jsonl'].filter((path) => historyFiles(repo).has(path))).toEqual([])
  const owned = ['owned', 'owned-raw.tsv'].flatMap((name) => [join(MEMORY_FOLDER, name), join('/tmp', name), name])
  expect(owned.filter((path) => existsSync(path))).toEqual([])
}, 3_600_000)

/** What GitHub reads as Markdown or HTML: what is not in a code span, nor in our own JSON for programs. */
function outsideOfCode(text: string): string {
  return text.replaceAll(/<!-- perf-triage:verdicts.*-->/g, '').replaceAll(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '')
}
