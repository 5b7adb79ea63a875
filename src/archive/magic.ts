/** What the first bytes of a file say that it is. */
export type Container = 'zip' | 'gzip' | 'zstd' | 'tar'

/** As many bytes as `containerOf` needs: the mark of a tar stands at 257. */
export const MAGIC_BYTES = 512

export function containerOf(head: Uint8Array): Container | null {
  const [a, b, c, d] = head
  if (a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6))) return 'zip'
  if (a === 0x1f && b === 0x8b) return 'gzip'
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) return 'zstd'
  // a skippable frame may stand before the first one
  if (a !== undefined && a >= 0x50 && a <= 0x5f && b === 0x2a && c === 0x4d && d === 0x18) return 'zstd'
  if (head.length >= 262 && String.fromCharCode(...head.subarray(257, 262)) === 'ustar') return 'tar'
  return null
}

/** Whether a member's name promises an archive worth opening, though what is in it is not known. */
export function isArchiveName(name: string): boolean {
  return /\.(?:zip|tar|tgz|tzst|tar\.gz|tar\.zst)$/i.test(name)
}
