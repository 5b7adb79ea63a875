import { LEDGER_THRESHOLDS, type LedgerThresholds } from '../ledger/thresholds.ts'
import type { RepositoryConfig } from './repository-config.ts'

/** The thresholds of the ledger as a repository sets them. */
export function ledgerThresholds({ ledger }: Pick<RepositoryConfig, 'ledger'>): LedgerThresholds {
  return {
    ...LEDGER_THRESHOLDS,
    lookbackDays: ledger.lookbackDays,
    chronicPullRequests: ledger.chronic.pullRequests,
    chronicTrunkDays: ledger.chronic.trunkDays,
    closeAfterDays: ledger.closeAfterDays,
    expireAfterDays: ledger.expireAfterDays,
  }
}
