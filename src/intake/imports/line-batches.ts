/** Splits bytes into lines, a chunk at a time. */

export interface Line {
  readonly text: string
  /** 1-based. */
  readonly number: number
  /** False for a last line without an end: the file may have been cut there. */
  readonly ended: boolean
}

/** Characters. The output of a failing test stands in one line with it. */
const LONGEST_LINE = 32 * 1024 * 1024

/**
 * The lines of a file, those of one chunk at a time: UTF-8 with or without a byte order mark. Memory is one chunk and one
 * line; `onTooLong` gets the numbers of lines that are too long to be held. A CR before the end is left there: a value
 * may end with one.
 */
export async function* lineBatches(
  bytes: AsyncIterable<Uint8Array>,
  onTooLong: (number: number) => void,
): AsyncGenerator<readonly Line[]> {
  const decoder = new TextDecoder('utf-8')
  let carry: string[] = []
  let carried = 0
  let skipping = false
  let number = 1

  const linesOf = (text: string): Line[] => {
    const lines: Line[] = []
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (skipping) onTooLong(number)
      else lines.push({ text: carry.join('') + text.slice(start, end), number, ended: true })
      carry = []
      carried = 0
      skipping = false
      number += 1
      start = end + 1
    }
    if (skipping || start === text.length) return lines
    carry.push(text.slice(start))
    carried += text.length - start
    if (carried > LONGEST_LINE) {
      carry = []
      carried = 0
      skipping = true
    }
    return lines
  }

  for await (const chunk of bytes) {
    const lines = linesOf(decoder.decode(chunk, { stream: true }))
    if (lines.length > 0) yield lines
  }
  const lines = linesOf(decoder.decode())
  if (skipping) onTooLong(number)
  else if (carried > 0) lines.push({ text: carry.join(''), number, ended: false })
  if (lines.length > 0) yield lines
}

export const TOO_LONG = `the line is longer than ${LONGEST_LINE.toLocaleString('en')} characters: skipped`
