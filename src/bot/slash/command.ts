import type { CommandName, RepositoryConfig, Role } from '../../config/repository-config.ts'
import type { PullRequest } from '../../github/pull-requests.ts'
import type { RerunCounts, RerunTarget } from '../../inbox/reruns.ts'
import type { Declaration, Declarations, DeclaredFailure } from '../../judge/ledger/declaration.ts'
import type { Decision, OpenFindings, StandingDecisions } from '../../report/acceptance.ts'
import type { TriageReport } from '../../report/report.ts'
import type { Word } from './comment-commands.ts'

/** What a command does and says back: a value, which `obey.ts` writes down in one transaction. */
export interface Answer {
  readonly wasDone: boolean
  /** Markdown; null: a reaction is answer enough. */
  readonly words: string | null
  /** What the person has decided; absent: nothing. */
  readonly decision?: Said
  /** What the person has declared for the whole repository; absent: nothing. */
  readonly declaration?: SaidOf<Declaration>
  /** What GitHub is asked to start again; absent: nothing. */
  readonly reruns?: readonly RerunTarget[]
  /** The pull request is looked at again at once; `anew`: what could not be read is read again. */
  readonly looksAgain?: 'anew' | 'as-it-stands'
}

type ByWhom = 'actor' | 'actorId' | 'saidAt' | 'via'
/** A decision without who made it, which is known before the command is read. */
type SaidOf<All> = All extends infer One ? (One extends All ? Omit<One, ByWhom & keyof One> : never) : never
type Said = SaidOf<Decision>

/** Failures like one, elsewhere and within the lookback. */
export interface AlikeFailures {
  readonly hits: number
  readonly pullRequests: number
  readonly trunkHits: number
  /** False: there are older ones that were not read. */
  readonly isComplete: boolean
}

/** What the database says of failures before a command runs. */
export interface MetBefore {
  /** By the id of the entry. */
  readonly alike: ReadonlyMap<string, AlikeFailures>
  /** The pull requests whose newest report has such a test. */
  readonly pullRequests: readonly number[]
}

/** A workflow of GitHub Actions that ran on the head. */
export interface CiWorkflow {
  readonly id: number
  /** How often it has run, as GitHub counts: 1 at first. */
  readonly attempt: number
  readonly name: string
  readonly isFinished: boolean
  /** It waits for a maintainer who lets it run. */
  readonly isHeldBack: boolean
  readonly hasFailed: boolean
  readonly jobs: readonly CiJob[]
  /** It, or a job of it, gives measurements. */
  readonly measures: boolean
}

export interface CiJob {
  readonly id: number
  /** That of its check. */
  readonly name: string
  readonly measures: boolean
}

export interface CommandContext {
  readonly pullRequest: PullRequest
  readonly config: RepositoryConfig
  /** What stood open in the report when the person wrote; null: no report had been posted. */
  readonly findings: OpenFindings | null
  /** The newest report of the pull request; null: there is none, or the command does not read it (`readsReport`). */
  readonly report: TriageReport | null
  /** The address of the bot’s pages from outside; null: an answer leads to none. */
  readonly site: string | null
  /** What people have said before. */
  readonly said: StandingDecisions
  /** What people have said last of failures of the repository. */
  readonly declarations: Declarations
  /** Of the failures that the command `concerns`, by the id of the entry. */
  readonly alike: MetBefore['alike']
  /** Those of the head, where the command `readsWorkflows`. */
  readonly workflows: readonly CiWorkflow[]
  /** As `Hearing.lacks`; absent: nothing is lacking. */
  readonly lacks?: (command: CommandName) => string | null
  /** How often something was started again before. */
  readonly reruns: RerunCounts
  /** GitHub's time of the comment, in milliseconds. */
  readonly saidAt: number
}

/** A thing that a person can say to the bot in a comment on a pull request. */
export interface Command {
  readonly name: CommandName
  /** Begins with the name: `explain ROW`. */
  readonly usage: string
  /** By default. `acknowledge`: whoever the repository's file says under that key. */
  readonly who: Role | 'acknowledge'
  /** It changes nothing, and is answered on a closed pull request too. */
  readonly isQuestion?: true
  /** It takes back what somebody said before, which is never too much: the check may be green by it. */
  readonly takesBack?: true
  /** It looks into the stored report, and waits where the database is down. */
  readonly readsReport?: true
  /** It looks at the workflows of the head, as GitHub shows them now. */
  readonly readsWorkflows?: true
  /**
   * The failures of the whole repository that it speaks of. Before it runs the database is asked how often they were met; the
   * pull requests that have them are looked at again when something was declared.
   */
  concerns?(context: CommandContext, words: readonly Word[]): readonly DeclaredFailure[]
  /** One sentence in Markdown: what it does, and what the person sees then. */
  readonly summary: string
  /** Permission has been checked. */
  run(context: CommandContext, words: readonly Word[]): Answer
}

export function refused(words: string): Answer {
  return { wasDone: false, words }
}
