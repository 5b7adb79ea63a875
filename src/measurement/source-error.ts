/** Why a source gave nothing. Closed. */
export type SourceProblem =
  /** There is no such file or folder. */
  | 'missing'
  /** The source is damaged, cut before anything could be read, or beyond a limit. */
  | 'unreadable'
  /** The source was read, and nothing in it is a measurement. */
  | 'no-measurements'
  /** The source was asked for in a way that does not fit it, such as an unknown format. */
  | 'usage'

/** A source cannot be used. The message is one line for a person: what, where, and what was looked for. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly problem: SourceProblem

  constructor(problem: SourceProblem, message: string) {
    super(message)
    this.problem = problem
  }
}
