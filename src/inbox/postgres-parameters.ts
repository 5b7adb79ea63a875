/** A statement as PostgreSQL takes it: `$1` in the place of `:name`. */
export interface Numbered {
  readonly text: string
  /** The names in the order of their numbers, each once. */
  readonly parameters: readonly string[]
}

/** Strings, quoted names, comments and casts, which hold no parameter; else a parameter. */
const PARTS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|:([A-Za-z_]\w*)/g

export function numbered(text: string): Numbered {
  const parameters: string[] = []
  const replaced = text.replace(PARTS, (part, name?: string) => {
    if (name === undefined) return part
    if (!parameters.includes(name)) parameters.push(name)
    return `$${parameters.indexOf(name) + 1}`
  })
  return { text: replaced, parameters }
}
