import type { Logger } from 'pino'
import type { RepositoryConfig, Role } from '../config/repository-config.ts'
import type { Account, CheckRunEvent, CommentEvent, LabelEvent } from '../events/event.ts'
import type { AppIdentity } from '../github/github-app.ts'
import { lastLabelChange, removeLabel } from '../github/labels.ts'
import type { Octokit } from '../github/octokit.ts'
import { outageOf } from '../github/outage.ts'
import { pullRequestOf } from '../github/own-check-run.ts'
import { createComment, findOwnComment, updateComment } from '../github/own-comment.ts'
import { commentBody, PERMISSIONS, type Permission, permissionOf, react } from '../github/people.ts'
import { getPullRequest, type PullRequest } from '../github/pull-requests.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { DeclaredFailure } from '../ledger/declaration.ts'
import { COMMENT_LIMIT } from '../render/comment.ts'
import { type OpenFindings, type StandingDecisions, standingDecisions } from '../report/acceptance.ts'
import type { TriageReport } from '../report/report.ts'
import type { Store } from '../store/store.ts'
import { closestName } from '../text/closest-name.ts'
import { codeSpan } from '../text/markdown.ts'
import { counted } from '../text/numbers.ts'
import type { Said } from '../verdict/acceptance.ts'
import { type Answer, type CiWorkflow, type Command, type CommandContext, type MetBefore, refused } from './command.ts'
import { roleFor, whoWords } from './commands/help.ts'
import { COMMANDS } from './commands.ts'
import { type CommandLine, commandsIn, type Word } from './comment-commands.ts'
import { startReruns } from './start-reruns.ts'

export interface Hearing {
  readonly octokit: Octokit
  readonly self: AppIdentity
  readonly config: RepositoryConfig
  readonly inbox: Inbox
  readonly store: Pick<Store, 'reportOf'>
  /** Throws where the database does not answer. */
  readonly metBefore: (pullRequest: PullRequest, failures: readonly DeclaredFailure[]) => Promise<MetBefore>
  /** The workflows that ran on the head of a pull request. */
  readonly workflowsOf: (pullRequest: PullRequest) => Promise<readonly CiWorkflow[]>
  readonly siteOf: (repository: PullRequest['repository']) => string | null
  readonly now: () => number
  readonly log: Logger
}

/** Ten commands in ten minutes are what a person may need; beyond twice that somebody plays, or a script does. */
const MOST_IN_WINDOW = 20
const WINDOW_MS = 10 * 60_000

/** For the mark that the answer is known by, and for what was left out. */
const ROOM_APART = 200

/** The longest part of a line that is repeated in an answer. */
const SHOWN = 80

/** Something that a person said on a pull request: in a comment, by a label or by a button. */
interface Saying {
  readonly installationId: number
  readonly repositoryId: number
  readonly owner: string
  readonly repo: string
  readonly number: number
  /** GitHub's number of the comment; below 0 that of the change of a label, or of the check run with the button. */
  readonly commentId: number
  readonly author: Account
  /** Who wrote it, or edited it. */
  readonly by: Account
  /** GitHub's time of it, in milliseconds. */
  readonly saidAt: number
  readonly via: Said['via']
  /** What the person saw, where it is known without the time. */
  readonly findings?: OpenFindings
  /** What is answered in one reply, which is edited; absent: each comment has its own. */
  readonly repliesTo?: string
}

/**
 * Does what a comment asks for and answers it, once for each line of it: may be called again for the same comment, after a
 * crash or by a second delivery. Throws what the caller should try again.
 *
 * The event tells who wrote or edited the comment, and GitHub says what stands in it now. Where the two differ there has
 * been another edit, of which an event of its own tells.
 */
export async function hearComment(hearing: Hearing, event: CommentEvent): Promise<void> {
  const { octokit, self, config } = hearing
  const ref = { owner: event.owner, repo: event.repo }
  if (event.author.isBot || event.by.isBot) return
  const lines = commandsIn(event.body, config.commands.prefix, self.slug).filter(isMeant)
  if (lines.length === 0) return
  if ((await commentBody(octokit, ref, event.commentId)) !== event.body) return
  await obey(hearing, { ...event, via: 'command' }, lines)
}

/** The labels that people set: the command that each is, and that of removing it. */
const LABELS = {
  accepted: { labeled: 'accept all', unlabeled: 'unaccept all' },
  ignore: { labeled: 'ignore all', unlabeled: 'unignore all' },
  rerun: { labeled: 'rerun', unlabeled: null },
} as const

/**
 * Does what a label asks for that a person set or removed, like the command. Who did it is read from GitHub, and where
 * another change came after it, an event of its own tells of that.
 */
export async function hearLabel(hearing: Hearing, event: LabelEvent): Promise<void> {
  const { octokit, self, config } = hearing
  const { number, action, label } = event
  const is = (['accepted', 'ignore', 'rerun'] as const).find(
    (of) => label.toLowerCase() === config.labels[of].toLowerCase(),
  )
  if (!config.labels.enabled || is === undefined) return
  const change = await lastLabelChange(octokit, { owner: event.owner, repo: event.repo }, number, label)
  if (change === null || change.isSet !== (action === 'labeled') || change.by.login === self.botLogin) return
  const { rows, suites, unknowns, ignored } = saidOn(hearing, { ...event, via: 'label' })
  const effects = is === 'ignore' ? [ignored.rows, ignored.failures] : [rows, suites, unknowns]
  const text = LABELS[is][action]
  // Removing a label that had no effect asks for nothing.
  if (text === null || (action === 'unlabeled' && effects.every(({ size }) => size === 0))) return
  const [line] = commandsIn(`/perf ${text}`, '/perf', self.slug)
  const reason = is === 'rerun' ? [] : [{ text: `by label ${config.labels[is]}`, isQuoted: true }]
  const saying = {
    ...event,
    commentId: -change.id,
    author: change.by,
    by: change.by,
    saidAt: change.at,
    via: 'label',
    // A bot or a person without the permission who sets it again and again is answered once.
    repliesTo: `label ${is} ${change.by.id}`,
  } as const
  await obey(hearing, saying, [
    { ...line!, text: `${label} (${change.by.login}): ${text}`, words: [...line!.words, ...reason] },
  ])
  // A label that stays would say that something is still to be started.
  if (is === 'rerun') await removeLabel(octokit, { owner: event.owner, repo: event.repo }, number, label)
}

/** What somebody does about a label that is not where its effect is; the bot removes the one of `rerun` by itself. */
const LABEL_STAYS = {
  set: ' Remove the label first, so that one of them can set it.',
  removed: ' What the label did stands.',
}

/** The buttons of the bot's check run, and the command that each is. */
const BUTTONS = new Map([
  ['accept', { label: 'Accept', text: 'accept all "by button"' }],
  ['rerun', { label: 'Re-run CI', text: 'rerun' }],
  ['explain', { label: 'Explain', text: 'explain all' }],
])

/**
 * Does what a button asks for. GitHub says no time of the pressing: the button says of which report it is. One without that was
 * put there before, and is of the report that was posted last.
 */
export async function hearButton(hearing: Hearing, event: CheckRunEvent): Promise<void> {
  const { self, inbox } = hearing
  const { button, app, head, repositoryId } = event
  const [name = '', version] = button?.identifier.split(':') ?? []
  const pressed = BUTTONS.get(name)
  const number = pullRequestOf(button?.externalId ?? '')
  if (button === undefined || pressed === undefined || number === null || app?.id !== self.appId) return
  const last = inbox.posted.lastSeen(repositoryId, number, Number.MAX_SAFE_INTEGER)
  const seen = version === undefined ? last : inbox.posted.seenAs(repositoryId, number, version)
  // The check run of an earlier head says nothing of what stands open now.
  if (seen === null || seen.findings.head !== head || last?.findings.head !== head) return
  const { by, checkRunId } = button
  const { at: saidAt, findings } = seen
  const [line] = commandsIn(`/perf ${pressed.text}`, '/perf', self.slug)
  const saying = { ...event, number, commentId: -checkRunId, author: by, by, saidAt, findings, via: 'button' } as const
  await obey(hearing, saying, [{ ...line!, text: `${pressed.label} (${by.login}, ${new Date(saidAt).toISOString()})` }])
}

/** Each line once, and the answer to them all. */
async function obey(hearing: Hearing, event: Saying, lines: readonly CommandLine[]): Promise<void> {
  const { octokit, inbox, now } = hearing
  const ref = { owner: event.owner, repo: event.repo }
  const pullRequest = await getPullRequest(octokit, ref, event.number)
  if (pullRequest?.repository.id !== event.repositoryId) return
  const heard = new Set(inbox.commands.list(event).map(({ line }) => line))
  const permissions = new Map<number, Permission>()
  for (const line of lines) {
    if (heard.has(line.text)) continue
    heard.add(line.text)
    const refusal = await refusalOf(hearing, event, pullRequest, line, permissions)
    const takesBack = refusal === null && commandOf(line.words[0])?.takesBack === true
    const count = () => (takesBack ? 0 : inbox.commands.countBy(event.by.id, now() - WINDOW_MS))
    const asked = refusal === null && count() < MOST_IN_WINDOW ? await ask(hearing, event, pullRequest, line) : NOTHING
    const given = count()
    if (given > MOST_IN_WINDOW) continue
    inbox.together(() => {
      const answer = given === MOST_IN_WINDOW ? TOO_MANY : (refusal ?? run(hearing, event, pullRequest, asked, line))
      const { repositoryId, commentId, number: pullRequestNumber, by } = event
      const { wasDone, words } = answer
      const place = { repositoryId, commentId, pullRequestNumber, line: line.text }
      inbox.commands.add({ ...place, actor: by.login, actorId: by.id, wasDone, words }, now())
      for (const rerun of answer.reruns ?? []) inbox.reruns.add({ ...place, ...rerun, head: pullRequest.head }, now())
      takeEffect(hearing, event, pullRequest, answer, asked.pullRequests)
    })
  }
  await startReruns(hearing, event, pullRequest.head)
  await answerComment(hearing, event)
}

const TOO_MANY: Answer = {
  wasDone: false,
  words: `You have given ${MOST_IN_WINDOW} commands in ten minutes. More are not read until some of them are older.`,
}

/** Writes what a command decided, and wakes the triage that shows it. */
function takeEffect(
  { inbox, now }: Hearing,
  { installationId, by, saidAt, via }: Saying,
  { number: pullRequestNumber, head, repository }: PullRequest,
  { decision, declaration, looksAgain }: Answer,
  others: readonly number[],
): void {
  const { id: repositoryId, owner, name: repo } = repository
  if (decision !== undefined) {
    const said = { ...decision, via, actor: by.login, actorId: by.id, saidAt } as const
    inbox.decisions.add(repositoryId, pullRequestNumber, said, now())
  }
  if (declaration !== undefined) {
    const said = { ...declaration, via, actor: by.login, actorId: by.id, saidAt } as const
    inbox.decisions.add(repositoryId, null, said, now())
    for (const other of others) {
      const target = { installationId, repositoryId, owner, repo, pullRequestNumber: other, head: null }
      if (other !== pullRequestNumber) inbox.triages.wake(target, now())
    }
  }
  if (looksAgain === undefined) return
  if (looksAgain === 'anew') inbox.refusedSources.forget(repositoryId, head)
  inbox.triages.wake({ installationId, repositoryId, owner, repo, pullRequestNumber, head }, now(), true)
}

/** `@perf-triage thanks!` is no command, and is not answered. */
function isMeant({ isMention, words: [name] }: CommandLine): boolean {
  return !isMention || commandOf(name) !== null || closestCommand(name?.text ?? '') !== null
}

/** The bare prefix asks for help. */
function commandOf(name: Word | undefined): Command | null {
  return COMMANDS.find((command) => command.name === (name?.text.toLowerCase() ?? 'help')) ?? null
}

function closestCommand(name: string): string | null {
  return closestName(
    name,
    COMMANDS.map((command) => command.name),
  )
}

async function refusalOf(
  { octokit, config }: Hearing,
  { owner, repo, author, by, via }: Saying,
  pullRequest: PullRequest,
  { words: [name] }: CommandLine,
  permissions: Map<number, Permission>,
): Promise<Answer | null> {
  const command = commandOf(name)
  if (command === null) {
    const near = closestCommand(name!.text)
    const meant = near === null ? '' : ` Did you mean \`${near}\`?`
    return refused(`There is no such command.${meant} \`${config.commands.prefix} help\` lists them.`)
  }
  const role = roleFor(command, config)
  const stays = via === 'label' && command.name !== 'rerun' ? LABEL_STAYS[command.takesBack ? 'removed' : 'set'] : ''
  if (by.isBot) return refused(`A label that a bot changes has no effect: it is for ${whoWords(role)}.${stays}`)
  for (const person of author.id === by.id ? [author] : [author, by]) {
    if (role === 'everybody' || (role === 'author' && person.id === pullRequest.authorId)) continue
    const permission = permissions.get(person.id) ?? (await permissionOf(octokit, { owner, repo }, person))
    permissions.set(person.id, permission)
    if (isEnough(permission, role)) continue
    const who = person.id !== by.id ? 'who wrote this comment has' : via === 'command' ? 'you have' : `${by.login} has`
    return refused(`\`${command.name}\` is for ${whoWords(role)}; GitHub says that ${who} \`${permission}\`.${stays}`)
  }
  if (pullRequest.isOpen || command.isQuestion === true) return null
  return refused('This pull request is closed: nothing of it is looked at again.')
}

function isEnough(permission: Permission, role: Exclude<Role, 'everybody'>): boolean {
  const least = role === 'author' ? 'triage' : role
  return PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf(least)
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
  const report = command?.readsReport === true ? await hearing.store.reportOf(repositoryId, number) : null
  const workflows = command?.readsWorkflows === true ? await hearing.workflowsOf(pullRequest) : []
  const asked = { ...NOTHING, report, workflows }
  const failures = command?.concerns?.(contextOf(hearing, event, pullRequest, asked), words) ?? []
  return failures.length === 0 ? asked : { ...asked, ...(await hearing.metBefore(pullRequest, failures)) }
}

function run(
  hearing: Hearing,
  event: Saying,
  pullRequest: PullRequest,
  asked: Asked,
  { words: [name, ...words] }: CommandLine,
): Answer {
  return commandOf(name)!.run(contextOf(hearing, event, pullRequest, asked), words)
}

function contextOf(
  hearing: Hearing,
  event: Saying,
  pullRequest: PullRequest,
  { report, workflows, alike }: Asked,
): CommandContext {
  const { config, inbox, siteOf, now } = hearing
  const { repositoryId, number, saidAt } = event
  const findings = event.findings ?? inbox.posted.lastSeen(repositoryId, number, saidAt)?.findings ?? null
  const said = saidOn(hearing, event)
  const site = siteOf(pullRequest.repository)
  const declarations = inbox.decisions.declarations(repositoryId)
  const reruns = inbox.reruns.counts(repositoryId, number, pullRequest.head, now())
  return { pullRequest, config, findings, report, site, said, declarations, alike, workflows, reruns, saidAt }
}

/** The decisions that hold. Removing a label takes back what labels did, and not what somebody said in a comment. */
function saidOn(
  { inbox, now }: Hearing,
  { repositoryId, number, via }: Pick<Saying, 'repositoryId' | 'number' | 'via'>,
): StandingDecisions {
  const said = inbox.decisions.list(repositoryId, number)
  return standingDecisions(via === 'label' ? said.filter((one) => one.via === 'label') : said, now())
}

/**
 * A reaction, and a reply where there is something to say: one for each comment, edited when the comment is. It carries the
 * comment's number, so that one that GitHub took without our hearing of it is found again.
 */
async function answerComment({ octokit, self, inbox, now, log }: Hearing, event: Saying): Promise<void> {
  const { commentId, via, repliesTo = commentId } = event
  const ref = { owner: event.owner, repo: event.repo }
  const commands = inbox.commands.list(event)
  if (commands.every(({ isAnswered }) => isAnswered)) return
  try {
    if (via === 'command')
      await react(octokit, ref, commentId, commands.every(({ wasDone }) => wasDone) ? '+1' : 'confused')
    const words = fitting(
      commands.flatMap((command) =>
        command.words === null ? [] : [`${codeSpan(command.line, SHOWN)}\n\n${command.words}`],
      ),
    )
    if (words.length > 0) {
      const marker = `<!-- perf-triage-reply ${repliesTo} -->`
      const body = [marker, ...words].join('\n\n')
      const standing = await findOwnComment(octokit, ref, event.number, (text) => text.startsWith(marker), self, null)
      if (standing === null) await createComment(octokit, ref, event.number, body)
      else if (standing.body !== body) await updateComment(octokit, ref, standing.id, body)
    }
  } catch (error) {
    if (!isFinal(error, now())) throw error
    log.warn({ err: error, comment: commentId }, 'a command was heard, and GitHub does not take the answer')
  }
  inbox.commands.answered(event, now())
}

/** The answers that one comment has room for, and how many it has not. */
function fitting(answers: readonly string[]): readonly string[] {
  let room = COMMENT_LIMIT - ROOM_APART
  const end = answers.findIndex((answer) => {
    room -= answer.length + 2
    return room < 0
  })
  if (end === -1) return answers
  const more = counted(answers.length - end, 'answer has', 'answers have')
  return [...answers.slice(0, end), `${more} no room here: ask again in a comment of its own.`]
}

/** A locked conversation, or a comment that was deleted meanwhile: trying again changes nothing. */
function isFinal(error: unknown, now: number): boolean {
  const { status } = error as { readonly status?: number }
  return outageOf(error, now) === null && (status === 403 || status === 404 || status === 410 || status === 422)
}
