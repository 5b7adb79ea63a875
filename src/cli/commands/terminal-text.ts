import type { Output } from './command.ts'

/** Text from outside on a terminal: no control characters, a known width. */

/** A line that cannot steer a terminal: spaces for line ends and tabs, `�` for everything else without a shape. */
export function plainText(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
}

const ASCII = /^[\x20-\x7e]*$/
const NO_WIDTH = /^\p{Mark}$/u
/** East Asian wide and fullwidth characters, and pictures, which take two columns. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u

/** Columns that plain text takes on a terminal. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) width += characterWidth(character)
  return width
}

/** The text in at most `width` columns, with `…` where something was cut. */
export function truncate(text: string, width: number): string {
  // a longer text is cut in any case, and need not be measured to its end
  if (text.length <= width * 4 && displayWidth(text) <= width) return text
  let used = 0
  let kept = ''
  for (const character of text) {
    used += characterWidth(character)
    if (used > width - 1) break
    kept += character
  }
  return width > 0 ? `${kept}…` : ''
}

/** The text in at most `width` columns, without its middle: of a long name both ends tell what it is. */
export function truncateMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  const start = truncate(text, Math.ceil(width / 2))
  const room = width - displayWidth(start)
  let end = ''
  let used = 0
  for (const character of Array.from(text).toReversed()) {
    used += characterWidth(character)
    if (used > room) break
    end = character + end
  }
  return start + end
}

function characterWidth(character: string): number {
  if (NO_WIDTH.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}

/** Columns of a terminal that does not say: some CI systems' say 0. */
const USUAL_WIDTH = 80

/** Columns of the terminal; null: the output is none, and nothing is cut. */
export function terminalWidth({ isTTY, columns }: Output): number | null {
  if (isTTY !== true) return null
  return columns === undefined || columns < 1 ? USUAL_WIDTH : columns
}

/** Our own words with ordinary spaces: a terminal breaks no line where a phone would. */
export function withSpaces(text: string): string {
  return text.replaceAll('\u00a0', ' ')
}

/** Columns that a narrow terminal gets at least beside the indent. */
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
