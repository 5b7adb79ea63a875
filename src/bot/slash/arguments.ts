import type { Word } from './comment-commands.ts'

/** What stands behind the name of a command. */
export interface Arguments {
  /** Rows, tests, or a word of the command's own. */
  readonly names: readonly string[]
  /** Null: none was given. */
  readonly reason: string | null
  /** The end of the last day on which it holds, in milliseconds; null: it has no end. */
  readonly until: number | null
}

const DAY_MS = 24 * 3600_000

/**
 * `hash_functions #3 "known" until 2026-12-31`: names, then the reason in quotes, then the last day. A bare number of a query belongs to the
 * word before it. A sentence: what is wrong with them.
 */
export function argumentsOf(words: readonly Word[], saidAt: number): Arguments | string {
  const at = words.findIndex(({ text, isQuoted }) => !isQuoted && text.toLowerCase() === 'until')
  const date = at === -1 ? null : (words[at + 1]?.text ?? '')
  const until = date === null ? null : endOfDay(date)
  if (Number.isNaN(until)) return 'Write a date as in `until 2026-12-31`.'
  if (until !== null && until < saidAt) return `\`until ${date}\` has passed: give today or a later date.`
  const rest = at === -1 ? words : words.toSpliced(at, 2)
  const reason = rest.at(-1)?.isQuoted === true ? rest.at(-1)!.text.trim() : null
  const names: string[] = []
  for (const { text } of reason === null ? rest : rest.slice(0, -1)) {
    if (/^#\d+$/.test(text) && names.length > 0) names.push(`${names.pop()!} ${text}`)
    else names.push(text.replace(/,$/, ''))
  }
  return { names, reason: reason === '' ? null : reason, until }
}

/** The last millisecond of the day in UTC; NaN: it is no day of the calendar. */
function endOfDay(date: string): number {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN
  const isReal = !Number.isNaN(start) && new Date(start).toISOString().startsWith(date)
  return isReal ? start + DAY_MS - 1 : Number.NaN
}
