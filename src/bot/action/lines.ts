import type { z } from 'zod'

/** Records as lines of JSON, of a file that only grows. */

/** The lines of a shape. One that is broken, as by an editor, takes no other with it. */
export function linesOf<Line>(
  text: string,
  schema: z.ZodType<Line>,
): { readonly lines: readonly Line[]; readonly problems: number } {
  const written = text.split('\n').filter((line) => line.trim() !== '')
  const lines = written.flatMap((line) => {
    const read = schema.safeParse(jsonOf(line))
    return read.success ? [read.data] : []
  })
  return { lines, problems: written.length - lines.length }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
