import { PERMISSIONS, type Permission, permissionOf } from '../../github/people.ts'
import { getPullRequest, type PullRequest } from '../../github/pull-requests.ts'
import type { Errand, Grant, Standing } from '../../inbox/answers.ts'
import { type StandingDecisions, standingDecisions, withTakenBack } from '../../report/acceptance.ts'
import type { TriageReport } from '../../report/report.ts'
import { replyTo, SPENT_WINDOW_MS } from './budget.ts'
import type { Answer, CiWorkflow, CommandContext, MetBefore } from './command.ts'
import { commandOf } from './commands.ts'
import type { CommandLine } from './comment-commands.ts'
import { refusalOf } from './refusal.ts'
import type { Hearing, Saying } from './saying.ts'
import { startReruns } from './start-reruns.ts'

/**
 * Obeys each line once and adds one errand to answer them all. Both are kept together, so that a crash loses neither. For a person
 * whose answers are used up, only commands that take something back are obeyed.
 */
export async function obey(hearing: Hearing, event: Saying, lines: readonly CommandLine[]): Promise<void> {
  const { octokit, inbox } = hearing
  const pullRequest = await getPullRequest(octokit, { owner: event.owner, repo: event.repo }, event.number)
  if (pullRequest?.repository.id !== event.repositoryId) return
  const heard = await inbox.commands.list(event)
  const known = new Set(heard.map(({ line }) => line))
  const fresh = new Map(lines.filter(({ text }) => !known.has(text)).map((line) => [line.text, line]))
  if (fresh.size > 0) await obeyFresh(hearing, event, pullRequest, [...fresh.values()])
  else if (heard.some(({ isAnswered }) => !isAnswered)) await askAgain(hearing, event, pullRequest)
  await startReruns(hearing, event, pullRequest.head)
}

/** A job, or an earlier version of the bot, ended after it had kept the commands and before it answered them. */
async function askAgain(hearing: Hearing, event: Saying, pullRequest: PullRequest): Promise<void> {
  const { inbox } = hearing
  const now = hearing.now()
  const errand = errandOf(event)
  const standing = await standingOf(hearing, event, pullRequest, new Map())
  await inbox.together(async () => {
    const unanswered = (await inbox.commands.list(event)).filter(({ isAnswered }) => !isAnswered)
    if (unanswered.length === 0 || (await inbox.answers.isWaiting(event))) return
    const spent = await inbox.answers.spent(errand, now - SPENT_WINDOW_MS)
    const isRefused = unanswered.every(({ wasDone }) => !wasDone)
    const { reply, charged } = replyTo(standing, isRefused, spent)
    if (reply !== 'none') await inbox.answers.add({ ...errand, reply, charged }, now)
  })
}

function errandOf(event: Saying): Omit<Errand, keyof Grant> {
  const { installationId, repositoryId, owner, repo, number, commentId, via, repliesTo = null, by } = event
  return { installationId, repositoryId, owner, repo, number, commentId, via, repliesTo, actorId: by.id }
}

async function obeyFresh(
  hearing: Hearing,
  event: Saying,
  pullRequest: PullRequest,
  lines: readonly CommandLine[],
): Promise<void> {
  const { inbox } = hearing
  const now = hearing.now()
  const { repositoryId, number, commentId, by } = event
  const permissions = new Map<number, Permission>()
  const standing = await standingOf(hearing, event, pullRequest, permissions)
  const errand = errandOf(event)
  const granted = async (isRefused: boolean) =>
    replyTo(standing, isRefused, await inbox.answers.spent(errand, now - SPENT_WINDOW_MS))
  // Reports and histories are read only for a person who is answered.
  if (!lines.some(takesBack) && (await granted(false)).reply === 'none') return

  const asked: { line: CommandLine; refusal: Answer | null; met: Asked }[] = []
  for (const line of lines) {
    const refusal = await refusalOf(hearing, event, pullRequest, line, permissions)
    asked.push({ line, refusal, met: refusal === null ? await ask(hearing, event, pullRequest, line) : NOTHING })
  }
  await inbox.together(async () => {
    const { reply, charged } = await granted(asked.every(({ refusal }) => refusal !== null))
    if (reply !== 'none') await inbox.answers.add({ ...errand, reply, charged }, now)
    const done = reply === 'none' ? asked.filter(({ line, refusal }) => refusal === null && takesBack(line)) : asked
    for (const { line, refusal, met } of done) {
      const answer = refusal ?? (await run(hearing, event, pullRequest, met, line))
      const { wasDone, words } = answer
      const place = { repositoryId, commentId, pullRequestNumber: number, line: line.text }
      const heard = { wasDone, words, isAnswered: reply === 'none' }
      await inbox.commands.add({ ...place, actor: by.login, actorId: by.id, ...heard }, now)
      for (const rerun of answer.reruns ?? [])
        await inbox.reruns.add({ ...place, ...rerun, head: pullRequest.head }, now)
      await takeEffect(hearing, event, pullRequest, answer, met.pullRequests)
    }
  })
}

function takesBack({ words: [name] }: CommandLine): boolean {
  return commandOf(name)?.takesBack === true
}

/** GitHub shows labels and buttons only to people with a role that may use them. */
async function standingOf(
  { octokit }: Hearing,
  { owner, repo, by, via }: Saying,
  { author }: PullRequest,
  permissions: Map<number, Permission>,
): Promise<Standing> {
  if (via !== 'command') return 'may-act'
  const permission = await permissionOf(octokit, { owner, repo }, by)
  permissions.set(by.id, permission)
  if (PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf('triage')) return 'may-act'
  return by.id === author?.id ? 'author' : 'stranger'
}

/** Writes what a command decided, and wakes the triage that shows it. */
async function takeEffect(
  { inbox, now }: Hearing,
  { installationId, by, saidAt, via }: Saying,
  { number: pullRequestNumber, head, repository }: PullRequest,
  { decision, declaration, looksAgain }: Answer,
  others: readonly number[],
): Promise<void> {
  const { id: repositoryId, owner, name: repo } = repository
  if (decision !== undefined) {
    const said = { ...decision, via, actor: by.login, actorId: by.id, saidAt } as const
    await inbox.decisions.add(repositoryId, pullRequestNumber, said, now())
  }
  if (declaration !== undefined) {
    const said = { ...declaration, via, actor: by.login, actorId: by.id, saidAt } as const
    await inbox.decisions.add(repositoryId, null, said, now())
    for (const other of others) {
      const target = { installationId, repositoryId, owner, repo, pullRequestNumber: other, head: null }
      if (other !== pullRequestNumber) await inbox.triages.wake(target, now())
    }
  }
  if (looksAgain === undefined) return
  if (looksAgain === 'anew') await inbox.refusedSources.forget(repositoryId, head)
  await inbox.triages.wake({ installationId, repositoryId, owner, repo, pullRequestNumber, head }, now(), true)
}

/** What was read before a command runs. */
interface Asked extends MetBefore {
  readonly report: TriageReport | null
  readonly workflows: readonly CiWorkflow[]
}

const NOTHING: Asked = { report: null, workflows: [], alike: new Map(), pullRequests: [] }

/** Asked before anything is written: while the database is down nothing is, and the command is heard again. */
async function ask(
  hearing: Hearing,
  event: Saying,
  pullRequest: PullRequest,
  { words: [name, ...words] }: CommandLine,
): Promise<Asked> {
  const { repositoryId, number } = event
  const command = commandOf(name)
  const report = command?.readsReport === true ? await hearing.store.reports.of(repositoryId, number) : null
  const workflows = command?.readsWorkflows === true ? await hearing.workflowsOf(pullRequest) : []
  const asked = { ...NOTHING, report, workflows }
  const failures = command?.concerns?.(await contextOf(hearing, event, pullRequest, asked), words) ?? []
  return failures.length === 0 ? asked : { ...asked, ...(await hearing.metBefore(pullRequest, failures)) }
}

async function run(
  hearing: Hearing,
  event: Saying,
  pullRequest: PullRequest,
  asked: Asked,
  { words: [name, ...words] }: CommandLine,
): Promise<Answer> {
  return commandOf(name)!.run(await contextOf(hearing, event, pullRequest, asked), words)
}

async function contextOf(
  hearing: Hearing,
  event: Saying,
  pullRequest: PullRequest,
  { report, workflows, alike }: Asked,
): Promise<CommandContext> {
  const { config, inbox, siteOf, now, lacks } = hearing
  const { repositoryId, number, saidAt } = event
  const seen = event.findings === undefined ? await inbox.posted.lastSeen(repositoryId, number, saidAt) : null
  const decisions = seen === null ? [] : await inbox.decisions.list(repositoryId, number)
  const findings = event.findings ?? (seen === null ? null : withTakenBack(seen, decisions, saidAt))
  const said = await saidOn(hearing, event)
  const site = siteOf(pullRequest.repository)
  const declarations = await inbox.decisions.declarations(repositoryId)
  const reruns = await inbox.reruns.counts(repositoryId, number, pullRequest.head, now())
  const known = { pullRequest, config, findings, report, site, said, declarations, alike, workflows, reruns, saidAt }
  return lacks === undefined ? known : { ...known, lacks }
}

/** The decisions that hold. Removing a label takes back what labels did, and not what somebody said in a comment. */
export async function saidOn(
  { inbox, now }: Hearing,
  { repositoryId, number, via }: Pick<Saying, 'repositoryId' | 'number' | 'via'>,
): Promise<StandingDecisions> {
  const said = await inbox.decisions.list(repositoryId, number)
  return standingDecisions(via === 'label' ? said.filter((one) => one.via === 'label') : said, now())
}
