export interface ParsedQueryAddress {
  /** The beginning of the test's name as `queryAddress` shortens it. */
  readonly name: string
  /** As `queryHash` computes it. */
  readonly hash: bigint
}

/** `hash_functions-9f2c01d6e4b7a583`; null for what `queryAddress` does not make. */
export function parseQueryAddress(text: string): ParsedQueryAddress | null {
  const match = /^([A-Za-z0-9_-]{0,40})-([0-9a-f]{16})$/.exec(text)
  return match === null ? null : { name: match[1]!, hash: BigInt(`0x${match[2]!}`) }
}
