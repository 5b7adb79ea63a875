/**
 * The words of a text as a POSIX shell splits them, with quotes and backslashes, and nothing else that a shell does. null: a quote is
 * not closed.
 *
 * `--run './bench --json {out}' -o "my results"`: 4 words.
 */
export function splitWords(text: string): readonly string[] | null {
  const words: string[] = []
  let word: string | null = null
  const parts = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|(\s+)|([^\s'"\\]+)|(.)/gu
  for (const [, single, double, escaped, space, plain] of text.matchAll(parts)) {
    if (space !== undefined) {
      if (word !== null) words.push(word)
      word = null
      continue
    }
    const added: string | undefined =
      single ?? double?.replaceAll(/\\([$`"\\\n])/g, (_, kept) => (kept === '\n' ? '' : kept)) ?? plain
    if (added !== undefined) word = (word ?? '') + added
    else if (escaped === undefined) return null
    else if (escaped !== '\n') word = (word ?? '') + escaped
  }
  return word === null ? words : [...words, word]
}
