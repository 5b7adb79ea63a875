import type { Context } from 'hono'
import { html } from 'hono/html'
import { z } from 'zod'
import { githubLogin } from '../../../github/oauth.ts'
import { bisectWindow } from '../../../judge/bisect/bisect-window.ts'
import type { TrunkSeries, TrunkStep } from '../../../judge/history/trunk-series.ts'
import { acceptanceOfStep, othersOfCommit, pullRequestsOf } from '../../../report/queue/queue.ts'
import {
  lastWords,
  MARK_STATES,
  type MarkedStep,
  type MarkState,
  markedStepOf,
  markedStepSchema,
} from '../../../report/step/marks.ts'
import { SIGN_IN_PARAMETER } from '../../../report/urls.ts'
import { count, counted } from '../../../text/numbers.ts'
import { isOwnForm } from '../../access/own-form.ts'
import type { Html } from '../../kit/layout.ts'
import type { Site } from '../site.ts'
import type { NumberedStep, SaidOf } from './query-columns.ts'
import type { ShownQuery, ShownSeries } from './shown-query.ts'

/** The form by which people mark a step of the trunk. */

const LONGEST_REASON = 300

const formSchema = z
  .object({
    first_bad: z.string().min(1).max(100),
    state: z.enum(MARK_STATES),
    assignee: z.union([z.literal('').transform(() => null), githubLogin]),
    reason: z.string().trim().max(LONGEST_REASON),
    others: z.enum(['no', 'yes']).default('no'),
  })
  .refine(({ state, assignee }) => (state === 'assigned') === (assignee !== null))
  .refine(({ state, reason }) => state === 'open' || state === 'assigned' || reason !== '')

/**
 * Keeps what a person says of a step, and where that is asked for of the others of its commit, with the form of this page, and shows the
 * page again. The step is the one that the history has now: its size comes from there, not from the form. Whoever may not write to
 * the repository, or of whom GitHub does not say so, marks nothing.
 */
export async function markStep(
  context: Context,
  { access, answers, queueMemory, publicUrl, now }: Site,
  { repository, histories, architecture }: ShownQuery,
  path: string,
): Promise<Response> {
  const refuse = (status: 400 | 403, text: string) => answers.message(context, status, 'Not marked', text)
  if (!isOwnForm(context, publicUrl)) return refuse(403, 'The form for it is below the steps of a query’s history.')
  const writer = await access.writer(context, repository.owner, repository.repo)
  if (writer === null) {
    return refuse(403, 'Only people who are signed in and can write to the repository on GitHub may mark a step.')
  }
  const form = formSchema.safeParse(Object.fromEntries(new URLSearchParams(await context.req.text())))
  if (!form.success) {
    return refuse(
      400,
      `“Known” and “accepted” need a reason of at most ${LONGEST_REASON} characters; “assigned” needs a login.`,
    )
  }
  const history = histories.find(({ series }) => series.architecture === architecture)
  const step = history?.steps.find(({ firstBad }) => firstBad.commit === form.data.first_bad)
  if (history === undefined || step === undefined || !isMarkable(step)) {
    return refuse(400, 'The history no longer has a lasting slowdown at this commit. Reload the query’s page.')
  }
  const { state, assignee, reason } = form.data
  const said = { state, assignee, reason, actor: writer.login, actorId: writer.id, markedAt: now() }
  const marked = stepOfSeries(history.series, step)
  const others = form.data.others === 'no' ? [] : othersOfCommit(marked, await queueMemory.stepsOf(repository.id))
  const marks = [marked, ...others].map((one) => ({ step: markedStepSchema.parse(one), ...said }))
  await queueMemory.addMarks(repository.id, marks)
  context.header('Cache-Control', 'no-store')
  return context.redirect(`${path}#steps`, 303)
}

/** The queue lists lasting slowdowns alone. */
export function isMarkable({ step, recovered }: TrunkStep): boolean {
  return step > 0 && recovered === null
}

export function stepOfSeries(series: TrunkSeries, step: TrunkStep): MarkedStep {
  return markedStepOf(bisectWindow(series, step, null))
}

const STATE_WORDS: Readonly<Record<MarkState, string>> = {
  known: 'known',
  accepted: 'accepted',
  assigned: 'assigned',
  open: 'open again',
}

/** A form for each step that can be marked, where somebody is signed in (null: there is no sign-in). `path`: the page with its view. */
export function markPart(rows: readonly NumberedStep[], isSignedIn: boolean | null, path: string): Html {
  const markable = rows.filter(({ step }) => isMarkable(step))
  if (isSignedIn === null || markable.length === 0) return html``
  if (!isSignedIn) {
    return html`<p><a href="?${SIGN_IN_PARAMETER}" rel="nofollow">Sign in</a> to mark a step as known, accepted or assigned to somebody.</p>`
  }
  return html`${markable.map(
    ({ number, step, others }) => html`<details><summary>Mark step ${count(number)}</summary>
<form class="filter" method="post" action="${path}"><input type="hidden" name="first_bad" value="${step.firstBad.commit}">
<label>State <select name="state">${MARK_STATES.map((state) => html`<option value="${state}">${STATE_WORDS[state]}</option>`)}</select></label>
<label>Assigned to <input name="assignee" maxlength="100" autocomplete="off" placeholder="login"></label>
<label>Reason <input name="reason" maxlength="${LONGEST_REASON}" autocomplete="off"></label>
${others === 0 ? '' : html`<label>Marks <select name="others"><option value="no">this step</option><option value="yes">it and ${counted(others, 'other step', 'other steps')} of its commit</option></select></label>`}
<button type="submit">Mark</button></form></details>`,
  )}`
}

/** What people have said of the steps of a repository's trunk. */
export async function saidOfSteps(
  { queueMemory, now }: Pick<Site, 'queueMemory' | 'now'>,
  repositoryId: number,
): Promise<SaidOf> {
  const markOf = lastWords(await queueMemory.marksOf(repositoryId))
  const steps = await queueMemory.stepsOf(repositoryId)
  const decisionsOf = await queueMemory.decisionsOn(repositoryId, steps.flatMap(pullRequestsOf))
  const known = { steps, decisionsOf, now: now() }
  return (series, step) => {
    const marked = stepOfSeries(series, step)
    const others = othersOfCommit(marked, known.steps).length
    return { mark: markOf(marked), acceptedIn: acceptanceOfStep(marked, known), others }
  }
}

/** The numbers of the steps that somebody accepted, from 0. */
export function acceptedAmong({ series, steps }: ShownSeries, saidOf: SaidOf): ReadonlySet<number> {
  return new Set(steps.flatMap((step, index) => (saidOf(series, step).acceptedIn === null ? [] : [index])))
}
