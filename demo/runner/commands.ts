/** Steps talk to the runner by lines of their output, and by files that they append to. Pure. */
import type { Annotation } from '../github/state.ts'

/** The API calls an error a failure. */
const levels = { error: 'failure', warning: 'warning', notice: 'notice' } as const

export type Said =
  | { readonly kind: 'annotation'; readonly annotation: Annotation }
  | { readonly kind: 'mask'; readonly secret: string }
  /** From here on lines are no commands, until the one that says the word. */
  | { readonly kind: 'stop'; readonly word: string }

/** null: a line of the log and no more. */
export function saidBy(line: string): Said | null {
  const [, command = '', properties = '', value = ''] = /^\s*::([\w-]+)(?: (.*?))?::(.*)$/.exec(line) ?? []
  if (command === 'stop-commands') return { kind: 'stop', word: value.trim() }
  if (command === 'add-mask') return { kind: 'mask', secret: unescaped(value) }
  if (!(command in levels)) return null
  const given = Object.fromEntries(
    properties.split(',').map((pair): [string, string] => {
      const [name = '', ...text] = pair.split('=')
      return [name.trim(), unescaped(text.join('='))]
    }),
  )
  const first = Number(given['line'] ?? 1)
  const annotation: Annotation = {
    path: given['file'] ?? '.github',
    start_line: first,
    end_line: Number(given['endLine'] ?? first),
    annotation_level: levels[command as keyof typeof levels],
    message: unescaped(value),
    ...(given['title'] === undefined ? {} : { title: given['title'] }),
  }
  return { kind: 'annotation', annotation }
}

/** How the log shows it. */
export function annotationLine({ annotation_level, message }: Annotation): string {
  return `##[${annotation_level === 'failure' ? 'error' : annotation_level}]${message}`
}

function unescaped(text: string): string {
  return text
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%')
}

/** `NAME=value`, or `NAME<<END` with the lines up to `END`. @throws for a line that is neither */
export function pairsOf(text: string): Record<string, string> {
  const pairs: Record<string, string> = {}
  const lines = text.split(/\r?\n/)
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!
    const [, name, mark, end, value] = /^([^=<]+?)(?:(<<)(.+)|=(.*))$/.exec(line) ?? []
    if (line === '') continue
    if (name === undefined) throw new Error(`Invalid format '${line}'`)
    if (mark === undefined) {
      pairs[name] = value ?? ''
      continue
    }
    const last = lines.indexOf(end!, at + 1)
    if (last < 0) throw new Error(`Invalid value. Matching delimiter not found '${end}'`)
    pairs[name] = lines.slice(at + 1, last).join('\n')
    at = last
  }
  return pairs
}
