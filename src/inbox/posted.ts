import { z } from 'zod'
import { type OpenFindings, openFindingsSchema } from '../report/acceptance.ts'
import { fnv1a } from '../report/anchors.ts'
import { jsonText } from '../text/json-text.ts'
import { type Database, statementsOf } from './database.ts'
import { milliseconds, type Time } from './retry.ts'

/** What people see since then: GitHub's time in milliseconds, and what stands open in the report that is shown. */
export interface Seen {
  readonly at: number
  readonly findings: OpenFindings
}

/** A thing that the bot has put on a pull request. Events are only ever added. */
export type PostedEvent =
  /** `commentId` null: it was found to be gone. `hash` is of the body. */
  | {
      readonly kind: 'comment'
      readonly commentId: number | null
      readonly hash: string | null
      readonly head: string
      readonly seen?: Seen
    }
  /** `hash` is of all that was sent: title, summary, conclusion. Both null: it is about to be created. */
  | {
      readonly kind: 'check-run'
      readonly checkRunId: number | null
      readonly hash: string | null
      readonly head: string
      readonly seen?: Seen
    }
  /** The labels that the bot has set and not removed since. */
  | { readonly kind: 'labels'; readonly labels: readonly string[]; readonly head: string }

export interface LatestPosted {
  readonly comment: Standing | null
  readonly checkRun: Standing | null
  readonly labels: readonly string[]
}

export interface Standing {
  /** GitHub's id of the comment or check run. */
  readonly id: number
  readonly hash: string
  readonly head: string
  readonly postedAt: number
}

const postedRow = z.object({
  githubId: z.int().nullable(),
  hash: z.string().nullable(),
  head: z.string(),
  labels: jsonText(z.array(z.string())).nullable(),
  postedAt: z.int(),
})
const seenRow = z.object({ at: z.int(), findings: jsonText(openFindingsSchema) })
const seenTextRow = z.object({ at: z.int(), findings: z.string() })
const commentsRow = z.object({ comments: z.int() })
const headRow = z.object({ head: z.string() })

export class Posted {
  readonly #database: Database
  readonly #statements

  constructor(database: Database) {
    this.#database = database
    this.#statements = statementsOf('records.sql', [
      'addPosted',
      'latestPosted',
      'commentsPosted',
      'headsWithCheckRun',
      'hasHead',
      'lastSeen',
      'allSeen',
    ])
  }

  async add(repositoryId: number, pullRequestNumber: number, event: PostedEvent, now: Time): Promise<void> {
    await this.#database.run(this.#statements.addPosted, {
      repositoryId,
      pullRequestNumber,
      kind: event.kind,
      githubId: event.kind === 'comment' ? event.commentId : event.kind === 'check-run' ? event.checkRunId : null,
      hash: event.kind === 'labels' ? null : event.hash,
      head: event.head,
      labels: event.kind === 'labels' ? JSON.stringify(event.labels) : null,
      findings: event.kind === 'labels' || event.seen === undefined ? null : JSON.stringify(event.seen.findings),
      seenAt: event.kind === 'labels' ? null : (event.seen?.at ?? null),
      now: milliseconds(now),
    })
  }

  /** The bot's comment, check run and labels on a pull request as far as it knows; with `head` the check run is that of this head. */
  async latestPosted(repositoryId: number, pullRequestNumber: number, head?: string): Promise<LatestPosted> {
    const latest = (kind: PostedEvent['kind'], ofHead: string | null = null) =>
      this.#database.row(this.#statements.latestPosted, postedRow, {
        repositoryId,
        pullRequestNumber,
        kind,
        head: ofHead,
      })
    return {
      comment: standing(await latest('comment')),
      checkRun: standing(await latest('check-run', head ?? null)),
      labels: (await latest('labels'))?.labels ?? [],
    }
  }

  /** How many comments the bot has posted on a pull request, those that were deleted since among them. */
  async commentsPosted(repositoryId: number, pullRequestNumber: number): Promise<number> {
    return (await this.#database.row(this.#statements.commentsPosted, commentsRow, {
      repositoryId,
      pullRequestNumber,
    }))!.comments
  }

  /**
   * What stood open in the report that a person saw at that time of GitHub's, which are whole seconds: what was posted within the same
   * one nobody has read. Null: there was none yet.
   */
  async lastSeen(repositoryId: number, pullRequestNumber: number, at: Time): Promise<Seen | null> {
    const of = { repositoryId, pullRequestNumber, at: milliseconds(at) }
    return await this.#database.row(this.#statements.lastSeen, seenRow, of)
  }

  /** What stood open in the report of this version (`versionOf`), as it was seen last; null: there was none. */
  async seenAs(repositoryId: number, pullRequestNumber: number, version: string): Promise<Seen | null> {
    const rows = await this.#database.rows(this.#statements.allSeen, seenTextRow, { repositoryId, pullRequestNumber })
    const found = rows.find(({ findings }) => fnv1a(findings) === version)
    return found === undefined ? null : seenRow.parse(found)
  }

  /** Heads on which there is a check run, or was about to be one; the latest first. */
  async headsWithCheckRun(repositoryId: number, pullRequestNumber: number, limit: number): Promise<string[]> {
    const rows = await this.#database.rows(this.#statements.headsWithCheckRun, headRow, {
      repositoryId,
      pullRequestNumber,
      limit,
    })
    return rows.map(({ head }) => head)
  }

  /** Whether anything was ever put on a pull request for this head. */
  async hasHead(repositoryId: number, head: string): Promise<boolean> {
    return (await this.#database.row(this.#statements.hasHead, z.object({}), { repositoryId, head })) !== null
  }
}

function standing(row: z.output<typeof postedRow> | null): Standing | null {
  if (row === null || row.githubId === null || row.hash === null) return null
  return { id: row.githubId, hash: row.hash, head: row.head, postedAt: row.postedAt }
}
