import { parseRepositoryAddress } from '../report-address.ts'
import { INDEX_PATH } from '../urls.ts'

/** Longer ones would not fit into the cookie of an attempt. */
const LONGEST = 1000

/** What our own addresses are made of, with no percent-encoding in the path: none of them needs one. */
const LOCAL = /^(?<path>\/[A-Za-z0-9._~/-]*)(?:\?[A-Za-z0-9._~=&%+*:-]+)?$/

/**
 * Where somebody goes after signing in: the address if it is one of a repository's pages here, else the start. Whatever
 * could lead elsewhere, or mean something else to a browser than here, is not such an address.
 */
export function returnPath(address: string | undefined): string {
  if (address === undefined || address.length > LONGEST) return INDEX_PATH
  const path = LOCAL.exec(address)?.groups?.['path']
  if (path === undefined) return INDEX_PATH
  const [empty, route, owner, repo, ...rest] = path.split('/')
  const isOurs =
    empty === '' &&
    route === 'r' &&
    parseRepositoryAddress({ owner, repo }) !== null &&
    rest.every((part) => !/^\.{0,2}$/.test(part))
  return isOurs ? address : INDEX_PATH
}
