import type { Store } from '../clickhouse/store.ts'
import type { Access } from './access/access.ts'
import type { Answers } from './answers.ts'
import type { Log } from './log.ts'

/** What the pages read from. */
export type PagesStore = Pick<Store, 'repositoryByName' | 'reportOf' | 'recentReports'>

/** What every route is given. */
export interface Site {
  readonly store: PagesStore
  readonly access: Access
  readonly answers: Answers
  /** Where the bot is reached from outside: `https://perf.example.org`. */
  readonly publicUrl: string
  readonly version: string
  readonly log: Log
}
