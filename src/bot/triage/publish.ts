import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { CONFIG_PATH } from '../../config/config-path.ts'
import type { ConfigProblem } from '../../config/parse-repository-config.ts'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import type { ChangedFiles } from '../../github/changed-files.ts'
import type { AppIdentity } from '../../github/github-app.ts'
import { addLabel, ensureLabel, getLabelStates, removeLabel } from '../../github/labels.ts'
import type { Octokit, RepositoryRef } from '../../github/octokit.ts'
import { outageOf } from '../../github/outage.ts'
import {
  type CheckRunContent,
  createCheckRun,
  findOwnCheckRun,
  shows,
  updateCheckRun,
} from '../../github/own-check-run.ts'
import { createComment, findOwnComment, updateComment } from '../../github/own-comment.ts'
import { getPullRequest, type PullRequest } from '../../github/pull-requests.ts'
import type { Posted } from '../../inbox/posted.ts'
import { HourUsedUp, type WriteUse } from '../../inbox/write-slots.ts'
import { findingsOf } from '../../judge/verdict/findings.ts'
import { type OpenFindings, openFindingsOf, versionOf } from '../../report/acceptance.ts'
import type { DecidedReport } from '../../report/decisions.ts'
import { hasResults } from '../../report/parts.ts'
import {
  renderConfigCheck,
  renderSuperseded,
  renderSwitchedOff,
  renderUnderWay,
} from '../../report/render/check-without-report.ts'
import { hasMarker, renderComment, renderMuted } from '../../report/render/comment.ts'
import { NO_LINKS, type RenderLinks, viewOf } from '../../report/render/view.ts'
import type { TriageReport } from '../../report/report.ts'
import { queryName } from '../../report/row/name.ts'
import { NAME_LIMIT } from '../../text/markdown.ts'
import { problemsOfConfigAt } from './load-config.ts'

/** The name of the bot's check run. */
export const CHECK_NAME = 'perf-triage'

export interface PublishContext {
  readonly octokit: Octokit
  readonly ref: RepositoryRef
  readonly self: AppIdentity
  readonly pullRequest: PullRequest
  /** What the bot knows of what it has put on pull requests. */
  readonly posted: Pick<Posted, 'add' | 'latestPosted' | 'commentsPosted' | 'headsWithCheckRun'>
  readonly now: () => number
  readonly log: Logger
  /** The labels that repositories were seen to have, by number and name: they are asked for once. */
  readonly labelsSeen: { readonly has: (key: string) => boolean; readonly set: (key: string, seen: true) => unknown }
  /** False: another process has taken this work up, having taken this one for dead. */
  readonly isHeld: () => Promise<boolean>
  /** Nothing is written to GitHub: the repository is in `mode: shadow`. */
  readonly isSilent: boolean
  /** The share of the hour's writes that its checks come from; absent: that of reports. */
  readonly checkUse?: WriteUse
  /** The page behind the check run; absent: that of the report. */
  readonly detailsUrl?: string
}

/** The head moved on, or the pull request was closed, between reading and writing: nothing more is written. */
export class Superseded extends Error {
  override readonly name = 'Superseded'
}

/**
 * Writes the difference between what stands on GitHub and what should stand, and nothing when they are the same. Each
 * part is compared with GitHub itself, so that what a person deleted comes back, a comment once, and a crash in between is made good.
 */
export async function publish(
  context: PublishContext,
  report: DecidedReport,
  previous: TriageReport | null,
  config: RepositoryConfig,
  links: RenderLinks,
  checkRun: CheckRunContent,
  isAskedFor: boolean,
): Promise<void> {
  // While nothing of a new head is measured the comment shows the head before.
  const shown = viewOf(report, links, previous).report
  const findings = openFindingsOf(shown, (row) => queryName(row, NAME_LIMIT))
  if (context.isSilent) return
  // Where the hour's writes are used up, some are kept for the checks that people rely on.
  let waiting: HourUsedUp | null = null
  try {
    await publishComment(context, report, previous, links, findings, isAskedFor)
  } catch (error) {
    if (!(error instanceof HourUsedUp) || report.mode !== 'gating') throw error
    waiting = error
  }
  const hasCheck = hasResults(report) || report.complete || isAskedFor
  // A button is of the report that it stands under, however late its pressing is heard.
  const buttons = checkRun.buttons.map((button) => ({
    ...button,
    identifier: `${button.identifier}:${versionOf(findings)}`,
  }))
  if (hasCheck && report.shards.length > 0)
    await publishCheckRun(context, { ...checkRun, buttons }, links, isAskedFor, findings)
  if (waiting !== null) throw waiting
  if (hasCheck) await publishLabels(context, report, config)
}

async function publishComment(
  context: PublishContext,
  report: DecidedReport,
  previous: TriageReport | null,
  links: RenderLinks,
  findings: OpenFindings,
  isAskedFor: boolean,
): Promise<void> {
  const { octokit, ref, self, pullRequest, posted, now, log } = context
  if (report.decisions.comment === 'never') return
  const { id: repositoryId } = pullRequest.repository
  const storedId = (await posted.latestPosted(repositoryId, pullRequest.number)).comment?.id ?? null
  const standing = await findOwnComment(
    octokit,
    ref,
    pullRequest.number,
    (body) => hasMarker(body, self.slug),
    self,
    storedId,
  )
  // A comment that a person deleted was wanted once: the condition of the first one is not asked again.
  if (report.decisions.comment === 'keep' && standing === null && storedId === null) return
  if (report.decisions.comment === 'muted' && standing === null) return
  // Who deletes it once more does not want it, until somebody asks again.
  if (standing === null && !isAskedFor && (await posted.commentsPosted(repositoryId, pullRequest.number)) > 1) return

  const body =
    report.decisions.comment === 'muted'
      ? renderMuted(report, links, self.slug)
      : renderComment({ report, links, botId: self.slug, previous })
  if (standing !== null && isSameText(standing.body, body)) return
  await ensureCurrent(context)
  const remember = (commentId: number, at: number) =>
    posted.add(
      repositoryId,
      pullRequest.number,
      { kind: 'comment', commentId, hash: hash(body), head: report.head, seen: { at, findings } },
      now(),
    )
  if (standing === null) {
    const created = await createComment(octokit, ref, pullRequest.number, body)
    await remember(created.id, created.at)
    log.info({ url: created.url }, 'comment posted')
  } else {
    await remember(standing.id, await updateComment(octokit, ref, standing.id, body))
    log.info({ url: standing.url }, 'comment edited')
  }
}

/**
 * The check run of this head. `isAskedFor`: somebody pressed "Re-run", after which GitHub waits for an update even where
 * nothing has changed.
 */
async function publishCheckRun(
  context: PublishContext,
  content: CheckRunContent,
  links: RenderLinks,
  isAskedFor: boolean,
  findings?: OpenFindings,
): Promise<void> {
  const { octokit, ref, self, pullRequest, posted, now, detailsUrl = links.reportUrl, checkUse } = context
  const { head } = pullRequest
  const standing = await findOwnCheckRun(octokit, ref, head, CHECK_NAME, pullRequest.number, self.appId)
  if (standing !== null && shows(standing, content) && !isAskedFor) return
  await ensureCurrent(context)
  // Known before it is there: whatever ends this process, the check run of this head is concluded one day.
  if (standing === null)
    await posted.add(
      pullRequest.repository.id,
      pullRequest.number,
      { kind: 'check-run', checkRunId: null, hash: null, head },
      now(),
    )
  const updated = standing?.annotations ? { ...content, annotations: [] } : content
  const { id: checkRunId, at } =
    standing === null
      ? await createCheckRun(octokit, ref, head, CHECK_NAME, pullRequest.number, content, detailsUrl, checkUse)
      : { id: standing.id, at: await updateCheckRun(octokit, ref, standing.id, updated, detailsUrl, checkUse) }
  const seen = findings === undefined ? {} : { seen: { at, findings } }
  const event = { kind: 'check-run', checkRunId, hash: hash(JSON.stringify(content)), head, ...seen } as const
  await posted.add(pullRequest.repository.id, pullRequest.number, event, now())
}

/**
 * The check run where there is no report: the database is down, or there is nothing to measure. One that was concluded after
 * `measuredUntil`, when the last performance check ended, stands: what it says was measured. `findings`: what a person may accept of it.
 */
export async function publishWithoutReport(
  context: PublishContext,
  content: CheckRunContent,
  measuredUntil: number,
  findings?: OpenFindings,
): Promise<void> {
  if (context.isSilent) return
  const { octokit, ref, self, pullRequest } = context
  const standing = await findOwnCheckRun(octokit, ref, pullRequest.head, CHECK_NAME, pullRequest.number, self.appId)
  const concludedAt = standing?.status === 'completed' ? Date.parse(standing.completedAt ?? '') : Number.NaN
  if (concludedAt >= measuredUntil) return
  await publishCheckRun(context, content, NO_LINKS, false, findings)
}

/**
 * A check run that was concluded begins again where a performance check of its head runs: its conclusion is of results that
 * are being replaced, or of a head that had nothing to measure.
 */
export async function reopenCheckRun(context: PublishContext): Promise<void> {
  if (context.isSilent) return
  const { octokit, ref, self, pullRequest, posted } = context
  const { head } = pullRequest
  const heads = await posted.headsWithCheckRun(pullRequest.repository.id, pullRequest.number, HEADS_LOOKED_AFTER)
  if (!heads.includes(head)) return
  const standing = await findOwnCheckRun(octokit, ref, head, CHECK_NAME, pullRequest.number, self.appId)
  if (standing?.status === 'completed') await publishCheckRun(context, renderUnderWay(), NO_LINKS, false)
}

/** Heads of a pull request whose check runs are looked after; one that was left unfinished is among the latest. */
const HEADS_LOOKED_AFTER = 3

/** The check runs of earlier heads, or of a pull request that was closed, are not left unfinished. */
export async function concludeSuperseded(context: PublishContext): Promise<void> {
  const { pullRequest } = context
  await concludeUnfinished(
    context,
    (head) => !pullRequest.isOpen || head !== pullRequest.head,
    renderSuperseded(pullRequest.isOpen ? pullRequest.head : null),
  )
}

/** Check runs under way are not left unfinished where the bot was switched off or to shadow: the last thing that it writes. */
export async function concludeSwitchedOff(context: PublishContext): Promise<void> {
  await concludeUnfinished(context, () => true, renderSwitchedOff())
}

async function concludeUnfinished(
  { octokit, ref, self, pullRequest, posted, checkUse }: PublishContext,
  isMeant: (head: string) => boolean,
  content: CheckRunContent,
): Promise<void> {
  const heads = await posted.headsWithCheckRun(pullRequest.repository.id, pullRequest.number, HEADS_LOOKED_AFTER)
  for (const head of heads.filter(isMeant)) {
    const standing = await findOwnCheckRun(octokit, ref, head, CHECK_NAME, pullRequest.number, self.appId)
    if (standing === null || standing.status === 'completed') continue
    await updateCheckRun(octokit, ref, standing.id, content, null, checkUse)
  }
}

/**
 * The two labels. One that somebody else set is never removed, and one that somebody else removed is not set again;
 * nothing is removed while shards are outstanding, since they may bring it back.
 */
async function publishLabels(context: PublishContext, report: DecidedReport, config: RepositoryConfig): Promise<void> {
  const { octokit, ref, self, pullRequest, posted, now } = context
  const wanted = report.decisions.labels
  if (wanted === null) return
  const { slower, faster, accepted, ignore, rerun } = config.labels
  const { hasOpen } = findingsOf(report)
  if (hasOpen) {
    await ensureLabelOfPeople(context, { name: accepted, ...ACCEPTED })
    await ensureLabelOfPeople(context, { name: rerun, ...RERUN })
  }
  // Where the check gates, a label alone ignores nothing.
  if (report.mode !== 'gating' && (hasOpen || (report.failingTests?.failures.length ?? 0) > 0))
    await ensureLabelOfPeople(context, { name: ignore, ...IGNORE })
  const states = await getLabelStates(octokit, ref, pullRequest.number, [slower, faster], self)
  const own = new Set<string>()
  let changed = false
  for (const [name, { isSet, lastActor }] of states) {
    const isWanted = wanted.includes(name)
    if (isWanted && !isSet && lastActor !== 'other') {
      await ensureCurrent(context)
      await addLabel(octokit, ref, pullRequest.number, name)
      changed = true
      own.add(name)
    } else if (!isWanted && isSet && lastActor === 'self' && report.complete) {
      await ensureCurrent(context)
      await removeLabel(octokit, ref, pullRequest.number, name)
      changed = true
    } else if (isSet && lastActor === 'self') {
      own.add(name)
    }
  }
  if (!changed) return
  await posted.add(
    pullRequest.repository.id,
    pullRequest.number,
    { kind: 'labels', labels: [...own], head: report.head },
    now(),
  )
}

/** A label by which a person answers is there to be chosen where there is something to answer. */
async function ensureLabelOfPeople(
  { octokit, ref, pullRequest, labelsSeen, now, log }: PublishContext,
  label: { readonly name: string; readonly color: string; readonly description: string },
): Promise<void> {
  const { name } = label
  const key = `${pullRequest.repository.id} ${name}`
  if (labelsSeen.has(key)) return
  try {
    await ensureLabel(octokit, ref, label)
    labelsSeen.set(key, true)
  } catch (error) {
    if (outageOf(error, now()) !== null) throw error
    log.warn({ err: error, label: name }, 'the label could not be made')
  }
}

/** GitHub takes 100 characters of a description. */
const ACCEPTED = {
  color: '0e8a16',
  description: 'A maintainer accepts what perf-triage reports as open on this pull request',
}
const RERUN = {
  color: 'fbca04',
  description: 'A maintainer restarts the performance jobs; perf-triage then removes the label',
}
const IGNORE = {
  color: 'c5def5',
  description: 'A maintainer ignores what perf-triage reports as open or failing on this pull request',
}

/** Head and state are read again before each write: a push may have come while the results were read. Throws `Superseded`. */
export async function ensureCurrent({ octokit, ref, pullRequest, isHeld }: PublishContext): Promise<void> {
  const present = await getPullRequest(octokit, ref, pullRequest.number)
  if (!present?.isOpen) throw new Superseded(`pull request ${pullRequest.number} has been closed`)
  if (present.head !== pullRequest.head) throw new Superseded(`${pullRequest.head} is no longer the head`)
  if (!(await isHeld())) throw new Superseded(`pull request ${pullRequest.number} is being handled by another process`)
}

/** GitHub may store other line ends than it was given. */
function isSameText(a: string, b: string): boolean {
  return a.replaceAll('\r\n', '\n').trim() === b.replaceAll('\r\n', '\n').trim()
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The name of the check run that a pull request gets when it changes the configuration. */
const CONFIG_CHECK_NAME = 'perf-triage configuration'

/** A pull request that changes the configuration is told whether it can be used, with an annotation on each wrong line. */
export async function publishConfigCheck(
  context: PublishContext,
  changedFiles: () => Promise<ChangedFiles>,
): Promise<void> {
  if (context.isSilent) return
  const { octokit, ref, self, pullRequest } = context
  const { head, number } = pullRequest
  const { files } = await changedFiles()
  if (!files.some(({ path }) => path === CONFIG_PATH)) return
  const problems: readonly ConfigProblem[] | null = await problemsOfConfigAt(octokit, ref, head)
  const content = renderConfigCheck(CONFIG_PATH, problems)
  const standing = await findOwnCheckRun(octokit, ref, head, CONFIG_CHECK_NAME, number, self.appId)
  if (standing !== null && shows(standing, content)) return
  await ensureCurrent(context)
  await createCheckRun(octokit, ref, head, CONFIG_CHECK_NAME, number, content, null)
}
