import type { Permission } from '../../github/people.ts'
import { getPullRequest, type PullRequest } from '../../github/pull-requests.ts'
import { type StandingDecisions, standingDecisions, withTakenBack } from '../../report/acceptance.ts'
import type { TriageReport } from '../../report/report.ts'
import { answerComment } from './answer-comment.ts'
import type { Answer, CiWorkflow, CommandContext, MetBefore } from './command.ts'
import { commandOf } from './commands.ts'
import type { CommandLine } from './comment-commands.ts'
import { refusalOf } from './refusal.ts'
import type { Hearing, Saying } from './saying.ts'
import { startReruns } from './start-reruns.ts'

/** Ten commands in ten minutes are what a person may need; beyond twice that somebody plays, or a script does. */
const MOST_IN_WINDOW = 20
const WINDOW_MS = 10 * 60_000

/** Each line once, and the answer to them all. */
export async function obey(hearing: Hearing, event: Saying, lines: readonly CommandLine[]): Promise<void> {
  const { octokit, inbox, now } = hearing
  const ref = { owner: event.owner, repo: event.repo }
  const pullRequest = await getPullRequest(octokit, ref, event.number)
  if (pullRequest?.repository.id !== event.repositoryId) return
  const heard = new Set((await inbox.commands.list(event)).map(({ line }) => line))
  const permissions = new Map<number, Permission>()
  for (const line of lines) {
    if (heard.has(line.text)) continue
    heard.add(line.text)
    const refusal = await refusalOf(hearing, event, pullRequest, line, permissions)
    const takesBack = refusal === null && commandOf(line.words[0])?.takesBack === true
    const count = async () => (takesBack ? 0 : await inbox.commands.countBy(event.by.id, now() - WINDOW_MS))
    const mayAsk = refusal === null && (await count()) < MOST_IN_WINDOW
    const asked = mayAsk ? await ask(hearing, event, pullRequest, line) : NOTHING
    await inbox.together(async () => {
      const given = await count()
      if (given > MOST_IN_WINDOW) return
      const answer =
        given === MOST_IN_WINDOW ? TOO_MANY : (refusal ?? (await run(hearing, event, pullRequest, asked, line)))
      const { repositoryId, commentId, number: pullRequestNumber, by } = event
      const { wasDone, words } = answer
      const place = { repositoryId, commentId, pullRequestNumber, line: line.text }
      await inbox.commands.add({ ...place, actor: by.login, actorId: by.id, wasDone, words }, now())
      for (const rerun of answer.reruns ?? [])
        await inbox.reruns.add({ ...place, ...rerun, head: pullRequest.head }, now())
      await takeEffect(hearing, event, pullRequest, answer, asked.pullRequests)
    })
  }
  await startReruns(hearing, event, pullRequest.head)
  await answerComment(hearing, event)
}

const TOO_MANY: Answer = {
  wasDone: false,
  words: `You have used ${MOST_IN_WINDOW} commands in ten minutes. Wait a few minutes before the next one.`,
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
