/** A reader of as much TOML as manifests need: tables with their lines. */

export interface Table {
  /** `bench` of `[[bench]]`, `tool.poetry` of `[tool.poetry]`; `''` is the head of the file. */
  readonly name: string
  readonly text: string
}

export function tablesOf(toml: string): readonly Table[] {
  const parts = toml.split(/^\s*\[{1,2}\s*([^[\]]+?)\s*\]{1,2}\s*(?:#.*)?$/m)
  return [
    { name: '', text: parts[0] ?? '' },
    ...parts.flatMap((name, index) => (index % 2 === 1 ? [{ name, text: parts[index + 1] ?? '' }] : [])),
  ]
}

/** The text of a string in a table; null: none. */
export function stringIn({ text }: Table, key: string): string | null {
  return new RegExp(`^\\s*${key}\\s*=\\s*["']([^"'\\n]+)["']`, 'm').exec(text)?.[1] ?? null
}
