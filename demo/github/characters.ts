/** Characters as GitHub's limits count them: code points. */
export function characters(text: string): number {
  return Array.from(text).length
}
