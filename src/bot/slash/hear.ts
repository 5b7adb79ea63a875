import { lastLabelChange, removeLabel } from '../../github/labels.ts'
import { pullRequestOf } from '../../github/own-check-run.ts'
import { commentBody } from '../../github/people.ts'
import type { OpenFindings } from '../../report/acceptance.ts'
import type { CheckRunEvent, CommentEvent, LabelEvent } from '../events/event.ts'
import { closestCommand, commandOf } from './commands.ts'
import { type CommandLine, commandsIn } from './comment-commands.ts'
import { obey, saidOn } from './obey.ts'
import type { Hearing } from './saying.ts'

/**
 * Does what a comment asks for, once for each line of it, and has it answered: may be called again for the same comment, after a
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

const NOTHING_OPEN: OpenFindings = { head: '', rows: [], suites: [], unknowns: [] }

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
  const { rows, suites, unknowns, ignored } = await saidOn(hearing, { ...event, via: 'label' })
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
    // Else what stood open, and was accepted in a comment since, would be taken back where nothing of this head is by label.
    ...(action === 'unlabeled' && { findings: NOTHING_OPEN }),
    // A bot or a person without the permission who sets it again and again is answered once.
    repliesTo: `label ${is} ${change.by.id}`,
  } as const
  await obey(hearing, saying, [
    { ...line!, text: `${label} (${change.by.login}): ${text}`, words: [...line!.words, ...reason] },
  ])
  // A label that stays would say that something is still to be started.
  if (is === 'rerun') await removeLabel(octokit, { owner: event.owner, repo: event.repo }, number, label)
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
  const last = await inbox.posted.lastSeen(repositoryId, number, Number.MAX_SAFE_INTEGER)
  const seen = version === undefined ? last : await inbox.posted.seenAs(repositoryId, number, version)
  // The check run of an earlier head says nothing of what stands open now.
  if (seen === null || seen.findings.head !== head || last?.findings.head !== head) return
  const { by, checkRunId } = button
  const { at: saidAt, findings } = seen
  const [line] = commandsIn(`/perf ${pressed.text}`, '/perf', self.slug)
  const saying = { ...event, number, commentId: -checkRunId, author: by, by, saidAt, findings, via: 'button' } as const
  await obey(hearing, saying, [{ ...line!, text: `${pressed.label} (${by.login}, ${new Date(saidAt).toISOString()})` }])
}

/** `@perf-triage thanks!` is no command, and is not answered. */
function isMeant({ isMention, words: [name] }: CommandLine): boolean {
  return !isMention || commandOf(name) !== null || closestCommand(name?.text ?? '') !== null
}
