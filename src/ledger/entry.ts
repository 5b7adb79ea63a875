/** A chronic failure or chronic mover, as the ledger keeps it. Times are milliseconds since 1970. */
export interface LedgerEntry {
  /** Follows from kind, test and signature: the same failure has one entry for ever. */
  readonly entryId: string
  readonly kind: 'failure' | 'mover'
  /** `expired`: open for so long that it is said loudly. */
  readonly state: 'open' | 'closed' | 'expired'
  /** The test of a mover's query; empty for a check that fails without a test. */
  readonly testName: string
  /** The check of the latest hit. */
  readonly checkName: string
  /** `Signature.text`; of a mover the key of the query and architecture. */
  readonly signature: string
  readonly firstSeen: number
  readonly lastSeen: number
  readonly openedAt: number
  readonly closedAt: number | null
  readonly expiresAt: number
  /** How often it was opened again after it had been closed. */
  readonly reopened: number
  readonly hits1: number
  readonly hits7: number
  readonly hits30: number
  readonly unrelatedPullRequests: number
  readonly trunkHits: number
  readonly owner: string | null
  /** Address of an issue. */
  readonly issue: string | null
}
