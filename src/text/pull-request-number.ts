const LARGEST = 0xffff_ffff

/**
 * The pull request that a commit's title names: `Faster merges (#100963)` of a squash, `Merge pull request #100963 from …`
 * of a merge; null where it names none. Only the forms that GitHub itself writes: another number in a title is an issue.
 */
export function pullRequestOfTitle(title: string): number | null {
  const digits = (/^Merge pull request #(\d{1,10}) from /.exec(title) ??
    /\(#(\d{1,10})\)\s*$/.exec(title.slice(-64)))?.[1]
  if (digits === undefined) return null
  const number = Number(digits)
  return number >= 1 && number <= LARGEST ? number : null
}
