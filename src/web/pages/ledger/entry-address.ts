import { isEntryId } from '../../../ledger/entry-id.ts'
import { parseRepositoryAddress } from '../../../report/report-address.ts'
import type { RepositoryAddress } from '../../../report/urls.ts'

export interface EntryAddress extends RepositoryAddress {
  readonly entryId: string
}

/** The address that the named parts of a path give; null when no entry can have it. */
export function parseEntryAddress(parts: Readonly<Record<string, string | undefined>>): EntryAddress | null {
  const repository = parseRepositoryAddress(parts)
  const { entry = '' } = parts
  return repository !== null && isEntryId(entry) ? { ...repository, entryId: entry } : null
}
