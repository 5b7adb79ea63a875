import { acceptanceOfStep, othersOfCommit, pullRequestsOf } from '../../../report/queue/queue.ts'
import { lastWords } from '../../../report/step/marks.ts'
import type { Site } from '../site.ts'
import { stepOfSeries } from './mark-step.ts'
import type { SaidOf } from './query-columns.ts'
import type { ShownSeries } from './shown-query.ts'

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
