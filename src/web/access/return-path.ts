import { isEntryId } from '../../judge/ledger/entry.ts'
import {
  DIGEST_PATH,
  entryPath,
  INDEX_PATH,
  parseRepositoryAddress,
  QUALITY_PATH,
  QUEUE_PATH,
  RECORD_PATH,
} from '../../report/urls.ts'

/** Longer ones would not fit into the cookie of an attempt. */
const LONGEST = 2000

/** The characters of our own addresses, but for those of the ledger's entries. */
const LOCAL = /^(?<path>\/[A-Za-z0-9._~/-]*)(?:\?[A-Za-z0-9._~=&%+*:-]+)?$/

/**
 * Where somebody goes after signing in: the address if it is a page of a repository or of people on call, else the start. Whatever
 * could lead elsewhere, or mean something else to a browser than here, is not such an address.
 */
export function returnPath(address: string | undefined): string {
  if (address === undefined || address.length > LONGEST) return INDEX_PATH
  if (isEntryPath(address)) return address
  const path = LOCAL.exec(address)?.groups?.['path']
  if (path === undefined) return INDEX_PATH
  if ([QUEUE_PATH, DIGEST_PATH, RECORD_PATH, QUALITY_PATH].includes(path)) return address
  const [empty, route, owner, repo, ...rest] = path.split('/')
  const isOurs =
    empty === '' &&
    route === 'r' &&
    parseRepositoryAddress({ owner, repo }) !== null &&
    rest.every((part) => !/^\.{0,2}$/.test(part))
  return isOurs ? address : INDEX_PATH
}

/** An entry's id may hold anything, encoded. What encodes it in another way than `entryPath` is no address of ours. */
function isEntryPath(address: string): boolean {
  const [, owner, repo, entry = ''] = /^\/r\/([^/]+)\/([^/]+)\/ledger\/([^/]+)$/.exec(address) ?? []
  const repository = parseRepositoryAddress({ owner, repo })
  const entryId = decoded(entry)
  return repository !== null && isEntryId(entryId) && entryPath(repository, entryId) === address
}

/** Empty where the text is not well encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
