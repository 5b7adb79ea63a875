import { z } from 'zod'
import type { LatestPosted, Posted, PostedEvent, Standing } from '../../inbox/posted.ts'
import { milliseconds } from '../../inbox/retry.ts'
import { type OpenFindings, openFindingsSchema } from '../../report/acceptance.ts'
import type { PublishContext } from '../triage/publish.ts'
import { linesOf } from './lines.ts'

/** The comments, check runs and labels that the Action has put on pull requests, as lines of `posted.jsonl` on the history branch. */

const postedLine = z.object({
  v: z.literal(1),
  /** The number of the pull request. */
  pull: z.int().positive(),
  kind: z.enum(['comment', 'check-run', 'labels']),
  /** GitHub's id of the comment or check run; null: it is about to be created, and of labels. */
  id: z.int().positive().nullable(),
  hash: z.string().nullable(),
  /** Full commit id. */
  head: z.string(),
  labels: z.array(z.string()).optional(),
  /** Milliseconds. */
  at: z.int(),
  seen: z.object({ at: z.int(), findings: openFindingsSchema }).optional(),
})
export type PostedLine = Readonly<z.output<typeof postedLine>>

/** The lines that can be read, and how many can't. */
export function parsePosted(text: string): { readonly lines: readonly PostedLine[]; readonly problems: number } {
  return linesOf(text, postedLine)
}

/** A line of the file, with its end. */
export function postedText(line: PostedLine): string {
  return `${JSON.stringify(line)}\n`
}

/** Lines of one pull request that are kept: those of its latest heads, and what a person may have seen who answers late. */
const MOST_OF_PULL = 20

/** The text without the lines that later ones replace. The last of each comment and of each kind stays, and so does what can't be read. */
export function keptPosted(text: string): string {
  const later = new Map<number, number>()
  const replaced = new Set<string>()
  const isKept = (written: string) => {
    const [line] = parsePosted(written).lines
    if (line === undefined) return true
    const { pull, kind, id } = line
    const count = (later.get(pull) ?? 0) + 1
    later.set(pull, count)
    const key = `${pull} ${kind} ${kind === 'comment' ? id : ''}`
    const isLast = !replaced.has(key)
    replaced.add(key)
    return isLast || count <= MOST_OF_PULL
  }
  return text
    .split(/(?<=\n)/)
    .toReversed()
    .filter(isKept)
    .toReversed()
    .join('')
}

/** The memory of what stands on pull requests; what is put there now is appended at the end. */
export class PostedLines implements Pick<Posted, 'add' | 'latestPosted' | 'commentsPosted' | 'headsWithCheckRun'> {
  readonly #lines: PostedLine[]
  readonly #added: PostedLine[] = []

  readonly #acceptable: (findings: OpenFindings) => OpenFindings

  /** `acceptable`: what a person may accept who sees these findings. */
  constructor(lines: readonly PostedLine[], acceptable: (findings: OpenFindings) => OpenFindings) {
    this.#lines = [...lines]
    this.#acceptable = acceptable
  }

  /** Lines that are not on the branch yet, as its file has them; empty: there are none. */
  added(): string {
    return this.#added.map(postedText).join('')
  }

  add: PublishContext['posted']['add'] = async (_repositoryId, pull, event, now) => {
    const line = lineOf(pull, event, milliseconds(now), this.#acceptable)
    this.#lines.push(line)
    this.#added.push(line)
  }

  latestPosted: PublishContext['posted']['latestPosted'] = async (_repositoryId, pull, head): Promise<LatestPosted> => {
    const latest = (kind: PostedLine['kind'], ofHead?: string) =>
      this.#lines.findLast(
        (line) => line.pull === pull && line.kind === kind && (ofHead === undefined || line.head === ofHead),
      )
    return {
      comment: standing(latest('comment')),
      checkRun: standing(latest('check-run', head)),
      labels: latest('labels')?.labels ?? [],
    }
  }

  commentsPosted: PublishContext['posted']['commentsPosted'] = async (_repositoryId, pull) => {
    const comments = this.#lines.filter((line) => line.pull === pull && line.kind === 'comment' && line.id !== null)
    return new Set(comments.map(({ id }) => id)).size
  }

  headsWithCheckRun: PublishContext['posted']['headsWithCheckRun'] = async (_repositoryId, pull, limit) => {
    const heads = this.#lines.flatMap((line) => (line.pull === pull && line.kind === 'check-run' ? [line.head] : []))
    return [...new Set(heads.toReversed())].slice(0, limit)
  }
}

function lineOf(
  pull: number,
  event: PostedEvent,
  at: number,
  acceptable: (findings: OpenFindings) => OpenFindings,
): PostedLine {
  const { kind, head } = event
  if (event.kind === 'labels') return { v: 1, pull, kind, id: null, hash: null, head, labels: [...event.labels], at }
  const id = event.kind === 'comment' ? event.commentId : event.checkRunId
  const seen = event.seen && { ...event.seen, findings: acceptable(event.seen.findings) }
  return { v: 1, pull, kind, id, hash: event.hash, head, at, ...(seen !== undefined && { seen }) }
}

function standing(line: PostedLine | undefined): Standing | null {
  if (line === undefined || line.id === null || line.hash === null) return null
  return { id: line.id, hash: line.hash, head: line.head, postedAt: line.at }
}
