/** Runs that one page of a repository shows. */
export const RUNS_PER_PAGE = 50

/** `?before=` of a page of recent runs: milliseconds, whole; null: the newest ones. */
export function parseBefore(text: string | undefined): number | null {
  return text !== undefined && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : null
}
