/** Longest text that is searched for. */
export const LONGEST_SEARCH = 200

/** The text that somebody searches for; null: nothing that could be. A NUL can stand in no parameter of the database. */
export function searchedText(text: string | null | undefined): string | null {
  const trimmed = text?.trim().toWellFormed() ?? ''
  return trimmed === '' || trimmed.length > LONGEST_SEARCH || trimmed.includes('\0') ? null : trimmed
}
