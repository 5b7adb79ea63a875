import type { z } from 'zod'
import { jsonText } from '../../text/json-text.ts'

/** Records as lines of JSON, of a file that is appended to. */

/** The lines of a shape. One that is broken, as by an editor, takes no other with it. */
export function linesOf<Line>(
  text: string,
  schema: z.ZodType<Line>,
): { readonly lines: readonly Line[]; readonly problems: number } {
  const written = text.split('\n').filter((line) => line.trim() !== '')
  const inText = jsonText(schema)
  const lines = written.flatMap((line) => {
    const read = inText.safeParse(line)
    return read.success ? [read.data] : []
  })
  return { lines, problems: written.length - lines.length }
}

/** The newest whole lines of a text within so many bytes; the last one in any case. */
export function newestLines(text: string, mostBytes: number): string {
  const lines = text.split(/(?<=\n)/)
  let bytes = 0
  const last = lines.findLastIndex((line, index) => {
    bytes += Buffer.byteLength(line)
    return bytes > mostBytes && index < lines.length - 1
  })
  return lines.slice(last + 1).join('')
}
