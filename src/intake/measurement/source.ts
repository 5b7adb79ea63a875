import type { UnmeasuredReason } from './measured-turns.ts'
import type { Side } from './run.ts'

/** A file of a source, wherever it lies: in a folder, in an archive, in an archive inside an archive. */
export interface Member {
  /** The file's path from the source's root with `/`; the names of archives on the way are parts of it. */
  readonly name: string
  /** How messages name it. */
  readonly where: string
  /** The caller named this very file, so its name need not say what it is. */
  readonly direct: boolean
  /** The side that the whole file belongs to, where the caller said so. */
  readonly side: Side | null
  /** The side that the name of the folder or archive says which the caller named: `new` of `classify old new`. */
  readonly sideOfRoot?: Side | null
  /** The contents, to be read at most once, and before the next member is asked for. */
  readonly bytes: AsyncIterable<Uint8Array>
}

/** An archive (or the rest of one) that could not be read, or a member that was refused. */
export interface FailedMember {
  readonly name: string
  readonly where: string
  readonly failed: 'unreadable-member' | 'refused-member' | 'limit-reached'
  readonly message: string
  /** The check sum is wrong: nothing that came out of the member can be believed. */
  readonly spoiled: boolean
}

export type SourceItem = Member | FailedMember

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Why a source gave nothing. Closed. */
export type SourceProblem =
  /** There is no such file or folder. */
  | 'missing'
  /** The source is damaged, cut before anything could be read, or beyond a limit. */
  | 'unreadable'
  /** The source was read, and nothing in it is a measurement. */
  | 'no-measurements'
  /** The source was asked for in a way that does not fit it, such as an archive where a file is read. */
  | 'usage'

/** A source cannot be used. The message is one line for a person: what, where, and what was looked for. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly problem: SourceProblem
  /** The message without the name of the source, for where that one stands already. */
  readonly reason: string
  /** What `perf-triage measure` says of a folder in which nothing was compared; null: nothing says it. */
  readonly unmeasured: UnmeasuredReason | null

  constructor(problem: SourceProblem, message: string, reason = message, unmeasured: UnmeasuredReason | null = null) {
    super(oneLine(message))
    this.problem = problem
    this.reason = oneLine(reason)
    this.unmeasured = unmeasured
  }
}

/** Names in archives and values in tables may hold anything: a message stays a line all the same. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}
