import type { QueueMemory } from '../../bot/triage/queue.ts'
import type { RecordMemory } from '../../bot/triage/record.ts'
import type { RepositoryConfig } from '../../config/repository-config.ts'
import type { Release } from '../../inbox/releases.ts'
import type { Declarations } from '../../judge/ledger/declaration.ts'
import type { StepMark } from '../../report/step/marks.ts'
import type { Store } from '../../store/store.ts'
import type { Access } from '../access/access.ts'
import type { SignIn } from '../access/sign-in.ts'
import type { Answers } from '../kit/answers.ts'
import type { Log } from '../kit/log.ts'
import type { RememberProfile } from './flame-graph/remembered-differences.ts'
import type { TimelineOf } from './ledger/timeline-of-entry.ts'
import type { TrunkHistoryOf } from './query/trunk-of-repository.ts'

/** What pages read from the store: a page writes nothing. */
export type PagesStore = {
  readonly [Subject in 'runs' | 'queries' | 'reports' | 'ledger' | 'profiles' | 'trunkHistory']: Omit<
    Store[Subject],
    'save' | 'saveOthers' | 'written' | 'mayHave'
  >
} & { readonly historyCopies: Pick<Store['historyCopies'], 'states'> }

/** The parts of the site that every route is given. */
export interface Site {
  readonly store: PagesStore
  readonly access: Access
  /** The same for whoever says nothing of themselves: public repositories alone. */
  readonly publicOnly: Access
  /** The configuration of a repository, as it was last good. */
  readonly configOf: (repositoryId: number) => Promise<RepositoryConfig>
  /** null: nobody signs in. */
  readonly signIn: SignIn | null
  readonly answers: Answers
  /** The trunk's history of a repository. */
  readonly trunkHistoryOf: TrunkHistoryOf
  /** The timeline of an entry of the ledger, from the CI database where there is one. */
  readonly timelineOf: TimelineOf
  /** Profiles that were asked for a moment ago; one for all routes, since its limit is that of the process. */
  readonly profile: RememberProfile
  /** What people have said, and what was found on the trunk. */
  readonly queueMemory: QueueMemory & {
    /** Keeps what a person says of steps of the trunk: of all of them, or of none. */
    readonly addMarks: (repositoryId: number, marks: readonly StepMark[]) => Promise<void>
    /** The tags that were pushed to a repository. */
    readonly releasesOf: (repositoryId: number) => Promise<readonly Release[]>
  }
  /** What people have said of pull requests, and what the trunk showed after their merges. */
  readonly recordMemory: RecordMemory
  /** What people have said last of failures of a repository. */
  readonly declarationsOf: (repositoryId: number) => Promise<Declarations>
  /** `https://github.com`, or that of an Enterprise Server. */
  readonly githubUrl: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The address of the bot from outside: `https://perf.example.org`. */
  readonly publicUrl: string
  readonly version: string
  readonly log: Log
}
