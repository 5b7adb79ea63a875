import { displayWidth, truncate } from './terminal-text.ts'

/** What a narrow terminal gets at least beside the indent. */
const LEAST_ROOM = 20

/**
 * A line of plain text as lines of at most `width` columns, broken between words; all but the first begin with `indent`. A
 * word that is wider than a line is cut. null: the line as it is.
 */
export function wrapText(text: string, indent: string, width: number | null): string[] {
  if (width === null || displayWidth(text) <= width) return [text]
  const room = Math.max(indent.length + LEAST_ROOM, width)
  const lines: string[] = []
  const [margin = ''] = /^ */.exec(text) ?? []
  let line = margin
  for (const word of text.trim().split(' ')) {
    const isFirst = line.trim() === ''
    const next = isFirst ? line + word : `${line} ${word}`
    if (isFirst || displayWidth(next) <= room) line = next
    else {
      lines.push(truncate(line, room))
      line = indent + word
    }
  }
  return [...lines, truncate(line, room)]
}
