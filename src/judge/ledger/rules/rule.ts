import type { NamePattern } from '../../../text/name-pattern.ts'
import type { CountedHistory } from '../counted-history.ts'
import type { LastDeclaration } from '../declaration.ts'
import type { ChangedFile, Failure, MassFailure, Reason, Subject } from '../failure.ts'
import type { LedgerThresholds } from '../thresholds.ts'
import type { People } from '../witness.ts'

/** A failure and what is known of it without asking anybody for its history. */
export interface Case {
  readonly failure: Failure
  /** The other failing tests of the same job. */
  readonly besides: readonly Failure[]
  /** Of these the crashes. */
  readonly crashes: readonly Failure[]
  /** One of all the failures of the job says that a server is gone or can't be reached. */
  readonly isServerLost: boolean
  readonly rollupChecks: readonly NamePattern[]
  readonly falloutTests: readonly NamePattern[]
  /** Null: nobody knows them. */
  readonly changedFiles: readonly ChangedFile[] | null
  /** What people have said last of this very failure in the whole repository; null: nothing. */
  readonly declaration: LastDeclaration | null
  /** Milliseconds. */
  readonly judgedAt: number
}

export interface CaseWithHistory extends Case {
  readonly counted: CountedHistory
  readonly massFailures: readonly MassFailure[]
  readonly subject: Subject
  readonly thresholds: LedgerThresholds
  readonly people: People
  /** The failures of this commit that are the same, this one among them: a check each. */
  readonly alikeHere: readonly Failure[]
  /** Why failures elsewhere do not excuse this one, weighed once; null: they may. */
  readonly anotherMatter: Reason | null
}

/** The reasons, what decided first; null: the rule does not apply. */
export type Reasons = readonly [Reason, ...Reason[]] | null
