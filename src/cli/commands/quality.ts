import { qualityOfRepositories } from '../../bot/triage/quality.ts'
import { MOST_QUEUE_REPOSITORIES, type QueueRepository } from '../../bot/triage/queue.ts'
import { MOST_QUALITY_DAYS } from '../../report/lookback.ts'
import { emptyQuality, lookedAt, moreRows, qualityColumns, qualityJson } from '../../report/quality/columns.ts'
import type { QualityRow } from '../../report/quality/quality.ts'
import { type StoredHistory, storedHistories } from '../../store/history/stored-history.ts'
import type { Store } from '../../store/store.ts'
import { DAY, isoTime } from '../../text/time.ts'
import { listingRun, lookFurther, wantedRepositories } from './listing.ts'
import type { RepositoryGiven } from './option-values.ts'

/** `perf-triage quality`: queries that can’t detect a change, as the page lists them. */

interface QualityOptions {
  readonly days: number
  readonly metric: string
}

/** `perf-triage quality` */
export const run = listingRun<QualityOptions, QualityRow>({
  ask: async ({ days, repository, metric }, { clickhouse, store, publicUrl, now: present }) => {
    const copies = await store.historyCopies.states()
    const histories = await storedHistories(clickhouse)
    const asked = (await repositoriesAsked(store, histories, repository)).map((one) => {
      const own = copies.filter(({ repositoryId }) => repositoryId === one.id)
      return { ...one, metric, copiedFrom: [...new Set(own.map(({ copiedFrom }) => copiedFrom))] }
    })
    const now = endOfDays(asked, histories, { metric, days, now: present })
    const quality = await qualityOfRepositories(asked, days, { store, now })
    const { rows, notShown } = quality
    const end = `in ${days} days up to ${isoTime(now).slice(0, 10)}, the newest stored run`
    return {
      json: qualityJson(quality, days, publicUrl, present),
      columns: qualityColumns(publicUrl, present),
      rows,
      nothing: `${emptyQuality(quality, days)}${lookFurther(days, MOST_QUALITY_DAYS)}`,
      below: [
        '',
        lookedAt(quality),
        ...(now < present - DAY ? [end] : []),
        ...(notShown > 0 ? [moreRows(notShown)] : []),
      ],
    }
  },
})

/** Repositories that have reports, and those of which only a history of the trunk was imported. Throws `InputError`. */
async function repositoriesAsked(
  store: Store,
  histories: readonly StoredHistory[],
  given: RepositoryGiven | undefined,
): Promise<QueueRepository[]> {
  const imported = [...new Set(histories.filter((one) => one.repository === null).map((one) => one.repositoryId))]
    .filter((id) => id !== 0)
    .map((id) => ({ id, owner: '', repo: String(id) }))
  const unnamed = given !== undefined && 'id' in given ? imported.find(({ id }) => id === given.id) : undefined
  if (unnamed !== undefined) return [unnamed]
  const reported = await wantedRepositories(store.reports, given)
  return given === undefined ? [...reported, ...imported].slice(0, MOST_QUEUE_REPOSITORIES) : reported
}

/** A history that was imported may have ended long ago: the days of the only repository then end with its newest run. */
function endOfDays(
  asked: readonly { readonly id: number }[],
  histories: readonly StoredHistory[],
  { metric, days, now }: { readonly metric: string; readonly days: number; readonly now: number },
): number {
  if (asked.length !== 1) return now
  const ends = histories.filter((one) => one.repositoryId === asked[0]!.id && one.metric === metric)
  const last = ends.reduce((newest, one) => Math.max(newest, one.last), 0)
  const areOnlyImported = ends.every(({ sources }) => sources.every((source) => source === 'imported'))
  return last > 0 && areOnlyImported && last < now - days * DAY ? last : now
}
